//! The HTML report opened in a real browser, on a telephone's width and on a desk's.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::judges::{beside, home};

/// A folder with a few traces and a run whose diff has long lines, letters of all kinds and markup.
fn page() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let (traces, runs) = (root.path().join("traces"), root.path().join("runs/one"));
    fs::create_dir_all(&traces).unwrap();
    fs::create_dir_all(&runs).unwrap();
    for number in 0..30 {
        let fell = number % 7 == 0;
        let trace = json!({
            "trace_id": format!("t{number}"), "run_id": "one", "event": "LLM_PLAN_OK", "mode": "apply",
            "provider": "openai", "timestamp": format!("2026-{:02}-03T00:00:00Z", 1 + number % 9),
            "protocol_fallback_attempted": fell,
            "protocol_fallback_reason": fell.then_some("ERR_PATCH_APPLY_FAILED"),
            "repair_injected_paths": [format!("src/{}/<script>alert(1)</script>.rs", "long".repeat(30))],
            "token_usage": {"input": 1000 * number, "output": 10, "cached": 0},
            "timings_ms": {"llm": 100 * number},
        });
        fs::write(traces.join(format!("t{number}.json")), trace.to_string()).unwrap();
    }
    let program = |arguments: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_papayu-batch"));
        let output = program.args(arguments).current_dir(root.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let outcome = json!({
        "schema_version": 1, "run_id": "one", "outcome": "fixed", "exit_code": 0,
        "reason": format!("`{}` passes", "x".repeat(300)), "error_code": null, "hint": null,
        "failure_class": "code", "changed_files": ["a.rs"], "patch_path": null, "plan_path": null,
        "verified": true, "verify": {"before": null, "after": null}, "attempts": 1,
        "protocol": {"attempts": ["v2"], "repair": false, "repair_reason": null, "fallback": false,
            "fallback_reason": null},
        "provider": "openai", "model": "m", "tokens": {"input": 1, "output": 1, "cached": 0},
        "requests": 1, "cost_usd": 0.5, "timings_ms": {"total": 1234, "llm": 1, "verify": 1},
        "trace_paths": [], "branch": null, "pr_url": "https://example.com/pull/1",
    });
    fs::write(runs.join("outcome.json"), outcome.to_string()).unwrap();
    let long = "wide ".repeat(80);
    let patch = format!(
        "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,3 @@\n fn é() {{\n\
         -    let a = prase(\"<b>\"); // {long}\n+    let a = parse(\"<b>\"); // {long}\n }}\n"
    );
    fs::write(runs.join("papayu.patch"), patch).unwrap();
    program(&["report", "--traces", "traces", "--runs", "runs", "--html", "report.html"]);
    root
}

#[test]
fn the_page_opens_without_errors_or_requests_and_is_no_wider_than_the_window() {
    let root = page();
    let output = Command::new("node")
        .arg(beside("page_check.mjs"))
        .arg(root.path().join("report.html"))
        .arg(root.path())
        .env("NODE_PATH", home().join("node_modules"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    let seen: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected: Vec<Value> = [400, 1400]
        .map(|width| json!({"width": width, "overflow": 0, "errors": [], "requests": [], "marks": 2, "alerts": 0}))
        .into();
    assert_eq!(seen, expected, "{complaint}");
    for width in [400, 1400] {
        let picture = fs::read(root.path().join(format!("page-{width}.png"))).unwrap();
        assert!(picture.starts_with(b"\x89PNG") && picture.len() > 20_000, "{}", picture.len());
    }
}
