//! The example replies of the protocol's description are accepted as they are written: no repair is requested.

use serde_json::{Value, json};

use crate::model::Model;
use crate::parity_rows::numbered;
use crate::support::TestEnv;

/// The PLAN reply in v2.
const PLAN: &str = r#"{
  "actions": [],
  "summary": "Диагноз: падает из-за неверной обработки None.\nПлан:\n1) Прочитать src/parser.py вокруг функции parse().\n2) Добавить проверку на None и поправить тест.\nПроверка: pytest -q",
  "context_requests": [
    { "type": "read_file", "path": "src/parser.py", "start_line": 1, "end_line": 260 },
    { "type": "read_file", "path": "tests/test_parser.py", "start_line": 1, "end_line": 200 }
  ],
  "memory_patch": {}
}"#;

/// The PLAN reply of the first description; `plan` is no value of that key, so it is not remembered.
const FIX_PLAN: &str = r#"{ "actions": [], "summary": "Диагноз: ...\nПлан:\n1) ...\n2) ...\nПроверка: pytest -q", "context_requests": [ { "type": "read_file", "path": "src/parser.py", "start_line": 1, "end_line": 240 } ], "memory_patch": { "user.output_format": "plan" } }"#;

/// The APPLY reply with two patches; the counts of both hunks are wrong (`-41,6 +41,10` for one line and three), and the
/// second digest has 65 digits. Only the first digest is that of the file at hand.
const PATCHES: &str = r#"{
  "actions": [
    {
      "kind": "PATCH_FILE",
      "path": "src/parser.py",
      "base_sha256": "@",
      "patch": "--- a/src/parser.py\n+++ b/src/parser.py\n@@ -41,6 +41,10 @@ def parse(value):\n-    return value.strip()\n+    if value is None:\n+        return \"\"\n+    return value.strip()\n"
    },
    {
      "kind": "PATCH_FILE",
      "path": "tests/test_parser.py",
      "base_sha256": "0a1b2c3d4e5f60718293a4b5c6d7e8f90123456789abcdef0123456789abcdef0",
      "patch": "--- a/tests/test_parser.py\n+++ b/tests/test_parser.py\n@@ -10,7 +10,7 @@ def test_parse_none():\n-    assert parse(None) is None\n+    assert parse(None) == \"\"\n"
    }
  ],
  "summary": "Исправлено: parse(None) теперь возвращает пустую строку. Обновлён тест.\nПроверка: pytest -q",
  "context_requests": [],
  "memory_patch": {}
}"#;

/// The APPLY reply that creates files.
const FILES: &str = r##"{
  "actions": [
    { "kind": "CREATE_DIR", "path": "src" },
    {
      "kind": "CREATE_FILE",
      "path": "README.md",
      "content": "# My Project\n\nRun: `make run`\n"
    }
  ],
  "summary": "Созданы папка src и README.md.",
  "context_requests": [],
  "memory_patch": {}
}"##;

/// The APPLY reply without a change.
const NO_CHANGES: &str = r#"{
  "actions": [],
  "summary": "NO_CHANGES: Код уже соответствует требованиям, правки не нужны.\nПроверка: pytest -q",
  "context_requests": [],
  "memory_patch": {}
}"#;

/// The command that proves the change of the parser.
const CHECK: &str = "python3 -c \"from tests.test_parser import test_parse_none as t; t()\"";

/// Returns a repository with the parser of the examples: the function at line 40 of its file, the test at line 9.
fn parser() -> TestEnv {
    let env = TestEnv::new();
    let before = numbered("VALUE", 39);
    let after = "\n\ndef last(value):\n    return value[-1]\n";
    env.write("src/__init__.py", "");
    env.write("tests/__init__.py", "");
    env.write(
        "src/parser.py",
        &format!("{before}def parse(value):\n    return value.strip()\n{after}"),
    );
    let before = "from src.parser import parse\n\n\ndef test_parse():\n    assert parse(' a ') == 'a'\n\n\n\n";
    env.write(
        "tests/test_parser.py",
        &format!("{before}def test_parse_none():\n    assert parse(None) is None\n"),
    );
    env
}

/// Returns a reply as it is written, with digests to be filled in.
fn reply(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Runs `fix` with these replies and returns its outcome, with the requests that were sent.
fn fix(env: &TestEnv, replies: &[Value], arguments: &[&str]) -> (Value, Vec<String>) {
    let model = Model::serve(replies.to_vec());
    let outcome = env.outcome(&[&["fix"], arguments].concat(), &model.variables());
    let prompts = model.prompts();
    assert_eq!(prompts.len(), replies.len(), "{outcome:#}");
    assert_eq!(outcome["protocol"]["repair"], false, "{outcome:#}");
    (outcome, prompts)
}

#[test]
fn both_plans_are_answered_and_patches_with_wrong_counts_are_applied_and_proved() {
    // The reply changes an assertion, which needs the consent of the user.
    let arguments = ["--run", CHECK, "--allow-test-edits", "--accept-flags"];
    for plan in [PLAN, FIX_PLAN] {
        let env = parser();
        let replies =
            [reply(plan), reply(r#"{"actions": [], "summary": "Диагноз ясен."}"#), reply(PATCHES)];
        let (outcome, prompts) = fix(&env, &replies, &arguments);
        assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
        assert_eq!(outcome["changed_files"], json!(["src/parser.py", "tests/test_parser.py"]));
        assert!(prompts[1].contains("FILE[src/parser.py]"), "{}", prompts[1]);
        let patch = env.read(outcome["patch_path"].as_str().unwrap());
        let parser = "+    if value is None:\n+        return \"\"\n     return value.strip()\n";
        assert!(patch.contains(parser), "{patch}");
    }
}

#[test]
fn the_reply_that_creates_files_and_the_one_without_changes_are_taken_as_they_are() {
    let env = TestEnv::new();
    env.write("Makefile", "run:\n");
    let arguments = ["--goal", "создай README.md", "--emit", "worktree"];
    let (outcome, _) = fix(&env, &[reply(FILES)], &arguments);
    assert_eq!(outcome["changed_files"], json!(["README.md"]), "{outcome:#}");
    assert_eq!(env.read("README.md"), "# My Project\n\nRun: `make run`\n");
    assert!(env.repo().join("src").is_dir());
    let env = parser();
    let (outcome, _) = fix(&env, &[reply(NO_CHANGES)], &["--goal", "создай проверку на None"]);
    assert!(outcome["reason"].as_str().unwrap().contains("Код уже соответствует"), "{outcome:#}");
}

#[test]
fn a_patch_that_lost_its_indentation_is_repaired_and_never_applied_to_another_block() {
    let mut lost = reply(PATCHES);
    let text = "--- a/src/parser.py\n+++ b/src/parser.py\n@@ -41,6 +41,10 @@ def parse(value):\n- return value.strip()\n+ if value is None:\n+ return \"\"\n+ return value.strip()\n";
    lost["actions"][0]["patch"] = text.into();
    let env = parser();
    let plan = reply(r#"{"actions": [], "summary": "Диагноз ясен."}"#);
    let model = Model::serve([plan, lost, reply(PATCHES)]);
    let arguments = ["fix", "--run", CHECK, "--allow-test-edits", "--accept-flags"];
    let outcome = env.outcome(&arguments, &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert!(env.read(outcome["patch_path"].as_str().unwrap()).contains("+        return \"\"\n"));
}
