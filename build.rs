//! Gives release builds the commit that they are built from, and its date.
#![expect(
    clippy::disallowed_methods,
    reason = "a build script has no other way to ask git, and cargo reads its output"
)]

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    // Other builds would be repeated after each commit. Without a clone here, git would name the commit of another repository.
    let commit = if is_release && Path::new(".git").exists() { ask_commit() } else { None };
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=VERSION_WITH_COMMIT={}{commit}", env!("CARGO_PKG_VERSION"));
}

/// Returns the commit and its date, such as `1a2b3c4d 2026-01-31`; `None` without git.
fn ask_commit() -> Option<String> {
    if let Some(log) = ask_git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    ask_git(&["log", "-1", "--format=%h %cs"])
}

/// Returns what git prints, without the end of the line; `None` if it fails.
fn ask_git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
