//! Hostile input through the built program: a typed error, its exit code, and an untouched tree.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::format_collect,
    clippy::format_push_string,
    reason = "a test may stop at the first thing that is wrong, and need not be fast"
)]

mod commands;
mod environment;
mod gates;
mod logs;
mod model;
mod oddities;
mod replies;
mod settings;
mod signals;

use std::fs;

use papayu_base::domain::Sha256;
use serde_json::{Value, json};

use crate::support::{Ran, TestEnv};

/// One run with its results outside the repository.
#[derive(Debug)]
struct Run {
    ran: Ran,
    outcome: Value,
}

impl Run {
    /// Returns exit code, outcome and error code.
    fn end(&self) -> (i32, &str, &str) {
        let word = |name: &str| self.outcome[name].as_str().unwrap_or_default();
        (self.ran.code, word("outcome"), word("error_code"))
    }
}

/// Runs the program with `--out` beside the repository, and holds what it prints and leaves to what
/// is promised of every run.
fn run(env: &TestEnv, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let out = env.home().join("out");
    let out = out.to_str().unwrap();
    let arguments = [arguments, &["--out", out]].concat();
    judged(env, env.run_with(&arguments, variables))
}

/// Reads the results of a run whose `--out` was that of [`run`].
fn judged(env: &TestEnv, ran: Ran) -> Run {
    assert_well_said(&ran);
    let text = fs::read_to_string(env.home().join("out/outcome.json"));
    let text = text.unwrap_or_else(|error| panic!("no outcome: {error}: {ran:?}"));
    let outcome: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(outcome["exit_code"], ran.code, "{ran:?}");
    assert_ne!(outcome["reason"], "", "{ran:?}");
    Run { ran, outcome }
}

/// No panic, and messages as the house writes them: lowercase, no final period.
fn assert_well_said(ran: &Ran) {
    let text = ran.stderr.to_lowercase();
    for sign in ["panicked", "rust_backtrace", "internal error"] {
        assert!(!text.contains(sign), "{ran:?}");
    }
    for line in ran.stderr.lines() {
        let Some((prefix, message)) = line.split_once(": ") else { continue };
        let is_ours = ["error", "rejected", "conflict", "not_fixed", "usage_error", "interrupted"];
        if !is_ours.contains(&prefix) {
            continue;
        }
        let first = message.split([' ', ':', '_']).next().unwrap();
        let lower = !first.starts_with(char::is_uppercase) || first == first.to_uppercase();
        assert!(lower && !message.ends_with('.'), "{line}");
    }
}

fn digest(text: &str) -> String {
    Sha256::of(text.as_bytes()).to_string()
}

/// A reply of protocol v2 with these actions.
fn reply(actions: &Value) -> String {
    json!({ "actions": actions, "summary": "it works" }).to_string()
}

fn create(path: &str) -> Value {
    json!({ "kind": "CREATE_FILE", "path": path, "content": "x = 1\n" })
}

/// Changes `a = 1` into `a = 2` in a file that holds `text`.
fn patch(path: &str, text: &str) -> Value {
    let diff = "@@ -1 +1 @@\n-a = 1\n+a = 2\n";
    json!({ "kind": "PATCH_FILE", "path": path, "base_sha256": digest(text), "patch": diff })
}
