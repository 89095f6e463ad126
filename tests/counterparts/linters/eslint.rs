//! ESLint: its own `--fix` is the oracle, on every fixable core rule and on files that it finds hard.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use crate::linters::rig::{Folder, cases, equal_cases};

const CONFIG: &str =
    "export default [{ linterOptions: { reportUnusedDisableDirectives: \"off\" } }];\n";
const PROGRAM: &str = "node_modules/.bin/eslint";

fn project(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&[("eslint.config.mjs", CONFIG)]);
    folder.write(
        "package.json",
        r#"{"private": true, "type": "module", "scripts": {"lint": "eslint cases"}}"#,
    );
    for (path, text) in files {
        folder.write(path, text);
    }
    folder
}

#[test]
fn on_every_fixable_rule_the_text_is_that_of_eslint_itself() {
    let table = cases(include_str!("eslint_cases.txt"), "//----\n", "js");
    let files: Vec<_> = table.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (ours, theirs) = (project(&files), project(&files));
    let proposed = ours.asked("npm run lint");
    theirs.run(&[PROGRAM, "--fix", "cases"]);
    let changed = equal_cases(&table, &proposed, &theirs).len();
    assert!(table.len() >= 110 && changed >= 105, "{changed} of {}", table.len());
}

#[test]
fn bytes_that_are_no_text_and_links_are_left_and_the_rest_keeps_its_line_endings() {
    let rule = "/* eslint semi: \"error\" */\n";
    let folder = project(&[("cases/good.js", &format!("{rule}export const a = \"é😀\"\r\n"))]);
    folder.write("cases/latin.js", [rule.as_bytes(), b"export const a = \"\xe9\"\n"].concat());
    symlink("good.js", folder.path("cases/link.js")).unwrap();
    let proposed = folder.asked("node_modules/.bin/eslint cases cases/link.js");
    let good = format!("{rule}export const a = \"é😀\";\r\n");
    assert_eq!(proposed.files, [("cases/good.js".to_owned(), good)].into(), "{proposed:?}");
    let left =
        "cases/latin.js:2:21 eslint semi: Missing semicolon. (left out: the file is not UTF-8)";
    assert!(proposed.summary.contains(left), "{}", proposed.summary);
}

/// An ESLint that is this script.
fn pretender(script: &str) -> Folder {
    let folder = project(&[("a.js", "var a\n"), ("package.json", "{}")]);
    fs::remove_file(folder.path("node_modules")).unwrap();
    folder.write(PROGRAM, format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(folder.path(PROGRAM), Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn an_eslint_that_prints_garbage_hangs_or_is_missing_is_no_error() {
    for (script, said) in [
        ("echo '[{\"filePath\":'", "printed no report (exit 0)"),
        ("head -c 100000 /dev/urandom; exit 2", "printed no report (exit 2)"),
        ("echo '[[[[[[[[[['; kill -9 $$", "was ended by signal 9"),
        ("sleep 60", "did not end within"),
    ] {
        let mut folder = pretender(script);
        folder.timeout = Duration::from_secs(1);
        let proposed = folder.asked("eslint .");
        assert!(proposed.files.is_empty(), "{proposed:?}");
        assert!(proposed.summary.contains(said), "{}", proposed.summary);
    }
    let folder = pretender("");
    fs::remove_file(folder.path(PROGRAM)).unwrap();
    let proposed = folder.asked("npx eslint .");
    assert!(proposed.summary.ends_with("`eslint` is not installed in the project"), "{proposed:?}");
}

#[test]
fn a_report_with_places_that_are_nowhere_changes_nothing() {
    for (file, range, said) in [
        ("a.js", "[5,99]", "its place is not in the file"),
        ("a.js", "[-7,1]", "its place is not in the file"),
        ("a.js", "[4,1]", "its place is not in the file"),
        ("../b.js", "[0,1]", "the file is not one of the repository's"),
        ("node_modules/c.js", "[0,1]", "the file is not one of the repository's"),
        (".git/config", "[0,1]", "the file is not one of the repository's"),
    ] {
        let report = format!(
            "[{{\"filePath\":\"{file}\",\"messages\":[{{\"ruleId\":\"r\",\"severity\":2,\"message\":\"m\",\
             \"line\":1,\"column\":1,\"fix\":{{\"range\":{range},\"text\":\"x\"}}}}]}}]"
        );
        let folder = pretender(&format!("echo 'a notice'; echo '{report}'"));
        folder.write("node_modules/c.js", "c");
        folder.write(".git/config", "c");
        let proposed = folder.asked("eslint .");
        assert!(proposed.files.is_empty(), "{proposed:?}");
        assert!(proposed.summary.contains(said), "{file} {range}: {}", proposed.summary);
    }
}

#[test]
fn the_built_program_mends_a_red_lint_in_as_many_passes_as_it_takes() {
    let before = "\u{feff}var a = 'é😀', b = 'x'\r\nexport const c = function () { var d = a + b\r\n  return d }\r\n";
    let config = "export default [{ rules: { semi: \"error\", quotes: \"error\", \"no-var\": \"error\", \"prefer-const\": \"error\", \"one-var\": [\"error\", \"never\"], \"prefer-arrow-callback\": \"error\" } }];\n";
    let files = [("cases/a.js", before), ("eslint.config.mjs", config)];
    let (ours, theirs) = (project(&files), project(&files));
    let ran = assert_cmd::Command::new(env!("CARGO_BIN_EXE_papayu-batch"))
        .current_dir(ours.path(""))
        .env("PAPAYU_LLM_PROVIDER", "suggestions")
        .args(["fix", "--run", "npm run lint", "--emit", "worktree"])
        .timeout(Duration::from_mins(2))
        .output()
        .unwrap();
    theirs.run(&[PROGRAM, "--fix", "cases"]);
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ours.read("cases/a.js"), theirs.read("cases/a.js"));
}
