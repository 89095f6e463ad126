//! Whole runs on files that are not UTF-8: what a model is shown, what is written, what git is handed.
#![expect(clippy::disallowed_methods, reason = "the tests look at the bytes themselves")]
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]

use std::fs;

use encoding_rs::{SHIFT_JIS, WINDOWS_1251};
use papayu_base::domain::Sha256;

use crate::model::{Model, patch, plan};
use crate::support::TestEnv;

/// The command that proves the fix, in whatever encoding the answer stands.
const CHECK: &str = "sh check.sh";

fn red(file: &str, bytes: &[u8]) -> TestEnv {
    let env = TestEnv::new();
    fs::write(env.repo().join(file), bytes).unwrap();
    let check = format!(
        "tr -d '\\000\\r' < '{file}' | grep -qa '^42$' && exit 0\n\
         echo '{file}:2: error: expected 42'\nexit 1\n"
    );
    env.write("check.sh", &check);
    env
}

fn utf16(text: &str) -> Vec<u8> {
    ["\u{feff}", text].concat().encode_utf16().flat_map(u16::to_be_bytes).collect()
}

fn encoded(encoding: &'static encoding_rs::Encoding, text: &str) -> Vec<u8> {
    let (bytes, _, lost) = encoding.encode(text);
    assert!(!lost);
    bytes.into_owned()
}

#[test]
fn a_fix_is_shown_as_utf8_proved_in_the_files_encoding_and_handed_to_git() {
    let russian = "# coding: cp1251, верный ответ\r\n41\r\n# это конец файла\r\n";
    let japanese = "# coding: shift_jis 答えはこれです\n41\n# ここで終わりです\n";
    for (text, bytes) in [
        (russian, utf16(russian)),
        (russian, encoded(WINDOWS_1251, russian)),
        (japanese, encoded(SHIFT_JIS, japanese)),
    ] {
        let env = red("answer.py", &bytes);
        let lines: Vec<&str> = text.lines().collect();
        let hunk = format!("@@ -1,3 +1,3 @@\n {}\n-41\n+42\n {}\n", lines[0], lines[2]);
        let model = Model::serve([plan("write 42"), patch("answer.py", &hunk)]);
        let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
        assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
        let block = format!("FILE[answer.py] (sha256={}):\n{text}", Sha256::of(&bytes));
        assert!(model.prompts()[0].contains(&block), "{}", model.prompts()[0]);
        assert_eq!(
            fs::read(env.repo().join("answer.py")).unwrap(),
            bytes,
            "only a patch was asked for"
        );
        let ran = env.shell("git init -q && git apply results/papayu.patch && sh check.sh");
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}

#[test]
fn a_secret_in_utf16_is_masked_and_its_mark_not_written_back() {
    let text = "token = \"ghp_0123456789abcdefghijABCDEFGHIJ456789\"\n41\n";
    let env = red("answer.py", &utf16(text));
    let hunk = "@@ -1,2 +1,2 @@\n token = \"***\"\n-41\n+42\n";
    let whole = serde_json::json!({
        "actions": [{ "kind": "UPDATE_FILE", "path": "answer.py", "content": "token = \"***\"\n42\n" }],
        "summary": "whole",
    });
    let replies = [plan("write 42"), patch("answer.py", hunk), patch("answer.py", hunk), whole];
    let model = Model::serve(replies);
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!(outcome["error_code"], "ERR_PATCH_APPLY_FAILED", "{outcome:#}");
    for prompt in model.prompts() {
        assert!(
            !prompt.contains("ghp_0123456789") && prompt.contains("token = \"***\""),
            "{prompt}"
        );
    }
    assert_eq!(fs::read(env.repo().join("answer.py")).unwrap(), utf16(text));
}

#[test]
fn a_second_attempt_sees_the_first_one_as_text() {
    let text = "# верный ответ\n41\n";
    let env = red("answer.py", &utf16(text));
    let hunk = |new: &str| format!("@@ -1,2 +1,2 @@\n # верный ответ\n-41\n+{new}\n");
    let replies = ["43", "42"].map(|new| [plan("write it"), patch("answer.py", &hunk(new))]);
    let model = Model::serve(replies.concat());
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert!(model.prompts()[2].contains(" # верный ответ\n-41\n+43\n"), "{}", model.prompts()[2]);
}

#[test]
fn a_search_finds_text_in_any_encoding() {
    let env = red("answer.py", b"41\n");
    let text = "# coding: cp1251, значение по умолчанию\n";
    fs::write(env.repo().join("a.py"), encoded(WINDOWS_1251, text)).unwrap();
    fs::write(env.repo().join("b.py"), utf16(text)).unwrap();
    let ask = serde_json::json!({
        "actions": [],
        "summary": "look",
        "context_requests": [{ "type": "search", "query": "по умолчанию" }],
    });
    let patched = patch("answer.py", "@@ -1 +1 @@\n-41\n+42\n");
    let model = Model::serve([ask, plan("write 42"), patched]);
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    for hit in ["a.py:1: # coding: cp1251, значение", "b.py:1: # coding: cp1251, значение"]
    {
        assert!(model.prompts()[1].contains(hit), "{}", model.prompts()[1]);
    }
}

#[test]
fn a_character_the_file_cannot_hold_leads_to_the_older_protocol_with_the_reason() {
    let text = "# coding: cp1251, верный ответ\n41\n";
    let env = red("answer.py", &encoded(WINDOWS_1251, text));
    let hunk = "@@ -1,2 +1,2 @@\n # coding: cp1251, верный ответ\n-41\n+42 # 答え\n";
    let whole = serde_json::json!({
        "actions": [{ "kind": "UPDATE_FILE", "path": "answer.py", "content": text.replace("41", "42") }],
        "summary": "whole",
    });
    let model = Model::serve([plan("write 42"), patch("answer.py", hunk), whole]);
    let outcome = env.outcome(&["fix", "--run", CHECK, "--emit", "worktree"], &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    let reason = "`答` (U+7B54) cannot be written in its encoding, windows-1251";
    assert!(model.prompts()[2].contains(reason), "{}", model.prompts()[2]);
    let after = encoded(WINDOWS_1251, &text.replace("41", "42"));
    assert_eq!(fs::read(env.repo().join("answer.py")).unwrap(), after);
}

#[test]
fn a_file_of_unknown_encoding_changes_in_its_ascii_lines_only() {
    let bytes = encoded(WINDOWS_1251, "# ответ\n# the answer to the question\n41\n");
    let env = red("answer.py", &bytes);
    let shown = String::from_utf8_lossy(&bytes).lines().next().unwrap().to_owned();
    let hunk = format!("@@ -1,3 +1,3 @@\n {shown}\n # the answer to the question\n-41\n+42\n");
    let model = Model::serve([plan("write 42"), patch("answer.py", &hunk)]);
    let outcome = env.outcome(&["fix", "--run", CHECK, "--emit", "worktree"], &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert_eq!(
        fs::read(env.repo().join("answer.py")).unwrap(),
        encoded(WINDOWS_1251, "# ответ\n# the answer to the question\n42\n")
    );
}
