//! Findings that npm and cargo themselves fix, with their registries: the seeded manifests of `tests/findings/`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Fixes the findings of a seeded project, and returns package, outcome and new version of each.
fn fix(name: &str, files: &[&str], run: &str) -> Vec<(String, String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings").join(name);
    for file in files {
        fs::copy(seed.join(file), folder.path().join(file)).unwrap();
    }
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/lib.rs"), "").unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_papayu-batch"))
        .args(["fix", "--format", "json", "--run", run, "--findings"])
        .arg(seed.join("report.json"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    let end: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let outcomes = end["outcomes"].as_array().unwrap().iter();
    let row = |it: &Value| {
        let finding = &it["finding"];
        (text(&finding["package"]), text(&it["outcome"]), text(&finding["to"]))
    };
    outcomes.map(row).collect()
}

fn row(package: &str, outcome: &str, to: &str) -> (String, String, String) {
    (package.to_owned(), outcome.to_owned(), to.to_owned())
}

#[test]
fn npm_updates_each_package_to_its_lowest_fixed_version() {
    let ends = fix("npm", &["package.json", "package-lock.json"], "npm ci --ignore-scripts");
    assert_eq!(
        ends,
        [
            row("minimist", "fixed", "1.2.6"),
            row("qs", "not_fixed", "-"),
            row("minimist", "fixed", "1.2.3"),
            row("qs", "not_fixed", "-"),
        ]
    );
}

#[test]
fn cargo_updates_the_lock_file_and_the_requirement_where_it_must() {
    let ends = fix("cargo", &["Cargo.toml", "Cargo.lock"], "cargo fetch --locked");
    assert_eq!(ends, [row("time", "fixed", "0.2.23"), row("regex", "fixed", "1.5.5")]);
}
