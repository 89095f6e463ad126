//! What others' software says of what we send: the vendors' SDK types, and engines that take schemas.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::mock::{Mock, Route};

/// Returns the folder where `setup.sh` installs the counterparts.
pub(crate) fn home() -> PathBuf {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/counterparts");
    let ready = home.join("stamp").is_file();
    assert!(ready, "{} is not installed: run tests/counterparts/setup.sh", home.display());
    home
}

/// Returns the path of a file beside this one.
pub(crate) fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counterparts").join(name)
}

/// Holds every request that the mock has seen to the types of the vendor's SDK.
pub(crate) fn assert_vendor_accepts(route: Route, mock: &Mock) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("{}.jsonl", route.name()));
    // The question for the capabilities of a model is no chat.
    let sent = mock.sent().into_iter().filter(|sent| sent.path != "/api/show");
    let bodies: Vec<_> = sent.map(|sent| sent.body.to_string()).collect();
    assert!(!bodies.is_empty(), "nothing was sent");
    fs::write(&file, bodies.join("\n")).unwrap();
    let said = python("sdk_types.py", &[&file]);
    assert_eq!(said.matches("ok  ").count(), bodies.len(), "{said}");
}

/// Runs a script in this folder and returns its output.
pub(crate) fn python(script: &str, arguments: &[&Path]) -> String {
    let mut command = Command::new(home().join("venv/bin/python"));
    let output = command.arg(beside(script)).args(arguments).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}: {said}{complaint}");
    said
}

#[test]
fn engines_take_every_wire_schema_as_the_program_prints_them() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("wire")).unwrap();
    for (name, arguments) in [
        ("llm_response_schema.json", &["schema", "v1"][..]),
        ("llm_response_schema_v2.json", &["schema", "v2"]),
        ("llm_response_schema_v3.json", &["schema", "v3"]),
        ("wire/papayu_reply_v1.json", &["schema", "v1", "--wire"]),
        ("wire/papayu_reply_v2.json", &["schema", "v2", "--wire"]),
        ("wire/papayu_reply_v3.json", &["schema", "v3", "--wire"]),
        ("self_check_schema.json", &["schema", "self-check"]),
        ("judge_schema.json", &["schema", "judge"]),
        ("review_schema.json", &["schema", "review"]),
        ("web_summary_schema.json", &["schema", "web-summary"]),
        ("conversation_summary_schema.json", &["schema", "conversation-summary"]),
        ("recipe_schema.json", &["schema", "recipe"]),
        ("wire/papayu_self_check.json", &["schema", "self-check", "--wire"]),
        ("wire/papayu_judge.json", &["schema", "judge", "--wire"]),
        ("wire/papayu_review.json", &["schema", "review", "--wire"]),
        ("wire/papayu_web_summary.json", &["schema", "web-summary", "--wire"]),
        ("wire/papayu_conversation_summary.json", &["schema", "conversation-summary", "--wire"]),
        ("wire/papayu_recipe.json", &["schema", "recipe", "--wire"]),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_papayu-batch"));
        let output = program.args(arguments).output().unwrap();
        fs::write(folder.path().join(name), output.stdout).unwrap();
    }
    let said = python("schema_engines.py", &[folder.path()]);
    assert_eq!(said.lines().filter(|line| line.ends_with(" ok")).count(), 32, "{said}");
}
