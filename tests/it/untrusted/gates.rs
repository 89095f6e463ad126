//! Every gate, from a file that a person hands to `apply`.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{create, digest, patch, reply, run};
use crate::support::TestEnv;

/// The repository of every case.
const SETUP: &str = "mkdir -p .git/hooks .github/workflows src/Case tests secrets old vault;
printf 'a = 1\\n' > a.py; printf 'a = 1\\n' > src/Case/b.py; printf 'a = 1\\n' > tests/test_a.py;
printf 'KEY=1\\n' > .env; printf 'on: push\\n' > .github/workflows/ci.yml;
printf '\\377\\376\\200' > latin.py; printf 'x\\n' > old/x.py; printf 'K=2\\n' > vault/.env;
ln -s /etc outside; ln -s ../home up; ln -s a.py inside.py; ln -s .git/hooks hooks; chmod 640 a.py";

struct Case {
    name: &'static str,
    plan: String,
    flags: &'static [&'static str],
    code: &'static str,
    exit: i32,
}

fn case(name: &'static str, actions: &Value, code: &'static str) -> Case {
    text(name, reply(actions), code)
}

fn text(name: &'static str, plan: impl Into<String>, code: &'static str) -> Case {
    Case { name, plan: plan.into(), flags: &[], code, exit: 4 }
}

impl Case {
    fn with(self, flags: &'static [&'static str]) -> Self {
        Self { flags, ..self }
    }

    fn exits(self, exit: i32) -> Self {
        Self { exit, ..self }
    }
}

fn env() -> TestEnv {
    let env = TestEnv::new();
    let ran = env.shell(SETUP);
    assert_eq!(ran.code, 0, "{ran:?}");
    env
}

fn hold(cases: Vec<Case>) {
    let env = env();
    let before = env.tree();
    let plan = env.home().join("plan.json");
    for case in cases {
        fs::write(&plan, &case.plan).unwrap();
        let begin = ["apply", "--plan", plan.to_str().unwrap(), "--emit", "worktree"];
        let run = run(&env, &[&begin, case.flags].concat(), &[]);
        assert_eq!((run.end().0, run.end().2), (case.exit, case.code), "{}: {run:?}", case.name);
        assert!(run.outcome["hint"].is_string(), "{}: {run:?}", case.name);
        assert!(before == env.tree(), "{}: the tree changed", case.name);
    }
}

#[test]
fn paths_that_lead_elsewhere() {
    let odd = [
        "../x.py", "a/../../x.py", "/etc/passwd", "C:/x.py", "c:x.py", "//server/share/x.py",
        "\\\\server\\share", "~/x.py", "~root/x.py", "a\0b.py", "a\nb.py", "a\u{1b}[2Jb.py",
        "a\\b.py", "．．/x.py", "a/．．/x.py", "", ".", "./x.py", "a//b.py", "dir/", "\u{7f}.py",
        "outside/x.py", "up/x.py", "A.py", "src/case/c.py", "SRC/Case/new.py", "a\u{202e}/..",
    ];
    let mut cases: Vec<_> =
        odd.iter().map(|path| case(path, &json!([create(path)]), "ERR_INVALID_PATH")).collect();
    cases.push(case("long", &json!([create(&"d/".repeat(130))]), "ERR_PATH_TOO_LONG"));
    cases.push(case("long name", &json!([create(&"я".repeat(121))]), "ERR_PATH_TOO_LONG"));
    cases.push(case("below a file", &json!([create("a.py/x.py")]), "ERR_ACTION_CONFLICT"));
    cases.push(case("deep below a file", &json!([create("a.py/b/x.py")]), "ERR_ACTION_CONFLICT"));
    cases.push(
        case(
            "delete through a link",
            &json!([{"kind": "DELETE_FILE", "path": "inside.py"}]),
            "ERR_INVALID_PATH",
        )
        .with(&["--allow-delete"]),
    );
    hold(cases);
}

#[test]
fn too_much_of_anything_is_refused_quickly() {
    let many: Vec<_> = (0..10_000).map(|number| create(&format!("f{number}.py"))).collect();
    let some: Vec<_> = (0..201).map(|number| create(&format!("f{number}.py"))).collect();
    let big = |path: &str, bytes| json!({"kind": "CREATE_FILE", "path": path, "content": "x".repeat(bytes)});
    let full: Vec<_> = (0..6).map(|number| big(&format!("f{number}.py"), 1_000_000)).collect();
    let start = Instant::now();
    hold(vec![
        case("10,000 actions", &json!(many), "ERR_TOO_MANY_ACTIONS"),
        case("201 actions", &json!(some), "ERR_TOO_MANY_ACTIONS"),
        case("one file", &json!([big("x.py", 1024 * 1024 + 1)]), "ERR_CONTENT_TOO_LARGE"),
        case("in all", &json!(full), "ERR_CONTENT_TOO_LARGE"),
        case("50 MB", &json!([big("x.py", 50_000_000)]), "ERR_CONTENT_TOO_LARGE"),
        text(
            "50 MB of numbers",
            format!("[{}1]", "1,".repeat(25_000_000)),
            "ERR_CONTENT_TOO_LARGE",
        ),
        text("15 MB of numbers", format!("[{}1]", "1,".repeat(7_500_000)), "ERR_CONTENT_TOO_LARGE"),
        text("100,000 levels", "[".repeat(100_000), "ERR_JSON_PARSE"),
        text(
            "100,000 levels, closed",
            "[".repeat(100_000) + &"]".repeat(100_000),
            "ERR_JSON_PARSE",
        ),
        text("100,000 objects", "{\"a\":".repeat(100_000), "ERR_JSON_PARSE"),
        text("5 MB of levels", "[".repeat(5_000_000), "ERR_JSON_PARSE"),
    ]);
    assert!(start.elapsed() < Duration::from_mins(5), "{:?}", start.elapsed());
}

#[test]
fn a_huge_plan_takes_bounded_memory() {
    let env = env();
    for (name, plan) in [
        ("numbers", format!("[{}1]", "1,".repeat(7_500_000))),
        ("objects", format!("[{}{{}}]", "{},".repeat(5_000_000))),
        ("long", format!("{{\"actions\":[],\"summary\":\"{}\"}}", "x".repeat(50_000_000))),
    ] {
        fs::write(env.home().join("plan.json"), plan).unwrap();
        // The limit is of the address space: code, threads' stacks and arenas are in it too.
        let line = "ulimit -v 700000; \"$BIN\" apply --plan ../home/plan.json --out ../home/out";
        let run = super::judged(&env, env.shell(line));
        assert_eq!(run.end(), (4, "rejected", "ERR_CONTENT_TOO_LARGE"), "{name}: {run:?}");
    }
}

#[test]
fn content_that_is_none() {
    let content =
        |content: &str| json!([{"kind": "CREATE_FILE", "path": "x.py", "content": content}]);
    hold(vec![
        case("none", &json!([{"kind": "CREATE_FILE", "path": "x.py"}]), "ERR_CONTENT_REQUIRED"),
        case(
            "null",
            &json!([{"kind": "CREATE_FILE", "path": "x.py", "content": null}]),
            "ERR_CONTENT_REQUIRED",
        ),
        case("NUL", &content("a\0b"), "ERR_PSEUDO_BINARY"),
        case("binary", &content("\u{1}\u{2}\u{3}\u{4}text"), "ERR_PSEUDO_BINARY"),
        case("undecodable", &content("\u{fffd}\u{fffd}text"), "ERR_PSEUDO_BINARY"),
    ]);
}

#[test]
fn actions_that_cannot_go_together() {
    let delete = |path: &str| json!({"kind": "DELETE_FILE", "path": path});
    let dir = |kind: &str, path: &str| json!({"kind": kind, "path": path});
    for (name, actions) in [
        ("twice", json!([create("x.py"), create("x.py")])),
        ("twice but for case", json!([create("x.py"), create("X.py")])),
        ("twice but for form", json!([create("caf\u{e9}.py"), create("cafe\u{301}.py")])),
        ("create and delete", json!([create("x.py"), delete("x.py")])),
        ("patch and delete", json!([patch("a.py", "a = 1\n"), delete("a.py")])),
        (
            "patched twice through a link",
            json!([patch("a.py", "a = 1\n"), patch("inside.py", "a = 1\n")]),
        ),
        ("below a deleted folder", json!([dir("DELETE_DIR", "old"), create("old/y.py")])),
        ("file and folder", json!([create("n"), create("n/x.py")])),
        ("delete what is not there", json!([delete("none.py")])),
        ("delete a folder as a file", json!([delete("old")])),
        ("delete a file as a folder", json!([dir("DELETE_DIR", "a.py")])),
        ("create a folder over a file", json!([dir("CREATE_DIR", "a.py")])),
        ("create a file over a folder", json!([create("old")])),
    ] {
        hold(vec![case(name, &actions, "ERR_ACTION_CONFLICT").with(&["--allow-delete"])]);
    }
}

#[test]
fn protected_paths_whatever_they_are_called() {
    let paths = [
        ".git/hooks/pre-commit",
        ".GIT/Hooks/x",
        "sub/.git/config",
        ".g\u{200d}it/config",
        "git~1/config",
        ".git::$INDEX_ALLOCATION/x",
        ".env",
        ".ENV",
        "api/.env.local",
        "secrets/x.txt",
        "a/Secrets/x",
        "id_rsa",
        "keys/id_rsa.pub",
        "tls/server.pem",
        "node_modules/x/i.js",
        "__pycache__/x.pyc",
        ".papa-yu/project.json",
        ".papa-yu/journal/00000001.begun",
        "papayu.toml",
        "hooks/post-checkout",
        ".github/workflows/ci.yml",
        ".github/workflows/new.yml",
        ".gitlab-ci.yml",
        "Jenkinsfile",
        ".netrc",
        ".ssh/authorized_keys",
        ".gitmodules",
    ];
    let all = &["--allow-delete", "--allow-test-edits"];
    let mut cases: Vec<_> = paths
        .iter()
        .map(|path| case(path, &json!([create(path)]), "FORBIDDEN_PATH").with(all))
        .collect();
    let dir = |path: &str| json!([{"kind": "DELETE_DIR", "path": path}]);
    let remove = |path: &str| json!([{"kind": "DELETE_FILE", "path": path}]);
    cases.push(case(
        "an existing test",
        &json!([patch("tests/test_a.py", "a = 1\n")]),
        "ERR_TEST_EDIT_NOT_ALLOWED",
    ));
    cases.push(
        case("delete a test", &remove("tests/test_a.py"), "ERR_TEST_EDIT_NOT_ALLOWED")
            .with(&["--allow-delete"]),
    );
    cases.push(
        case("delete a folder of tests", &dir("tests"), "ERR_TEST_EDIT_NOT_ALLOWED")
            .with(&["--allow-delete"]),
    );
    cases.push(case("delete a folder with .env", &dir("vault"), "FORBIDDEN_PATH").with(all));
    cases.push(case("delete .git", &dir(".git"), "FORBIDDEN_PATH").with(all));
    cases.push(case("delete a file", &remove("a.py"), "ERR_DELETE_NOT_ALLOWED"));
    cases.push(case("delete a folder", &dir("old"), "ERR_DELETE_NOT_ALLOWED"));
    hold(cases);
}

#[test]
fn flags_open_what_they_name_and_nothing_else() {
    let ci = json!([create(".github/workflows/new.yml")]);
    let test = json!([patch("tests/test_a.py", "a = 1\n")]);
    let file = json!([{"kind": "DELETE_FILE", "path": "a.py"}]);
    let dir = json!([{"kind": "DELETE_DIR", "path": "old"}]);
    for (flag, actions, changed, command) in [
        ("--allow-ci-files", ci, ".github/workflows/new.yml", "test -e .github/workflows/new.yml"),
        ("--allow-test-edits", test, "tests/test_a.py", "grep -q 'a = 2' tests/test_a.py"),
        ("--allow-delete", file, "a.py", "test ! -e a.py"),
        ("--allow-delete", dir, "old/x.py", "test ! -e old/x.py"),
    ] {
        let env = env();
        let before = env.tree();
        fs::write(env.home().join("plan.json"), reply(&actions)).unwrap();
        let arguments =
            ["apply", "--plan", "../home/plan.json", "--emit", "worktree", flag, "--run", command];
        let run = run(&env, &arguments, &[]);
        assert_eq!(run.end(), (0, "fixed", ""), "{run:?}");
        assert!(
            run.outcome["changed_files"].as_array().unwrap().contains(&changed.into()),
            "{run:?}"
        );
        assert!(before != env.tree(), "{flag}: nothing changed");
        let undone = env.run(&["undo"]);
        assert_eq!(undone.code, 0, "{undone:?}");
        assert!(before == env.tree(), "{flag}: `undo` brings it back");
    }
}

#[test]
fn patches_without_a_base_a_form_or_a_fit() {
    let edit = |change: Value| {
        let mut action = patch("a.py", "a = 1\n");
        action.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        json!([action])
    };
    let range = |start: u64, end: u64| {
        json!([{"kind": "REPLACE_RANGE", "path": "a.py", "base_sha256": digest("a = 1\n"),
        "start_line": start, "end_line": end, "content": "b\n"}])
    };
    let latin = "\u{fffd}";
    let raw = papayu_base::domain::Sha256::of(b"\xff\xfe\x80").to_string();
    hold(vec![
        case("no base", &edit(json!({"base_sha256": null})), "ERR_BASE_SHA256_INVALID"),
        case("short base", &edit(json!({"base_sha256": "abc"})), "ERR_BASE_SHA256_INVALID"),
        case("no digest", &edit(json!({"base_sha256": "g".repeat(64)})), "ERR_BASE_SHA256_INVALID"),
        case("no patch", &edit(json!({"patch": null})), "ERR_PATCH_REQUIRED"),
        case("blank patch", &edit(json!({"patch": " \n"})), "ERR_PATCH_REQUIRED"),
        case("prose", &edit(json!({"patch": "change a to 2"})), "ERR_PATCH_NOT_UNIFIED"),
        case("other base", &edit(json!({"base_sha256": digest("other")})), "ERR_BASE_MISMATCH")
            .exits(5),
        case(
            "no fit",
            &edit(json!({"patch": "@@ -1 +1 @@\n-zzz\n+a = 2\n"})),
            "ERR_PATCH_APPLY_FAILED",
        )
        .exits(1),
        case("past the end", &range(5, 9), "ERR_PATCH_APPLY_FAILED").exits(1),
        case("upside down", &range(9, 1), "ERR_PATCH_APPLY_FAILED").exits(1),
        case("huge lines", &range(4_294_967_295, 4_294_967_295), "ERR_PATCH_APPLY_FAILED").exits(1),
        case(
            "two files",
            &edit(
                json!({"patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-KEY=1\n+KEY=2\n"}),
            ),
            "ERR_PATCH_NOT_UNIFIED",
        ),
        case(
            "no text",
            &json!([{"kind": "PATCH_FILE", "path": "latin.py", "base_sha256": raw,
            "patch": format!("@@ -1 +1 @@\n-{latin}\n+a\n")}]),
            "ERR_NON_UTF8_FILE",
        )
        .exits(1),
        case(
            "update",
            &json!([{"kind": "UPDATE_FILE", "path": "a.py", "content": "b\n"}]),
            "ERR_V2_UPDATE_EXISTING_FORBIDDEN",
        ),
        case("create over", &json!([create("a.py")]), "ERR_V2_UPDATE_EXISTING_FORBIDDEN"),
        text(
            "v1 update",
            json!([{"kind": "UPDATE_FILE", "path": "a.py", "content": "b\n"}]).to_string(),
            "ERR_UPDATE_WITHOUT_BASE",
        ),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn edits_that_a_reply_may_not_make() {
    let action = |path: &str, base: &str, edits: Value| json!([{"kind": "EDIT_FILE", "path": path, "base_sha256": base, "edits": edits}]);
    let base = digest("a = 1\n");
    let edit = |edits: Value| action("a.py", &base, edits);
    let good = json!([{"op": "replace", "anchor": "", "before": "a = 1", "after": "a = 2"}]);
    let one = |op: &str, anchor: &str, before: &str, after: &str| {
        edit(json!([{"op": op, "anchor": anchor, "before": before, "after": after}]))
    };
    let many = json!(vec![good[0].clone(); 201]);
    let raw = papayu_base::domain::Sha256::of(b"\xff\xfe\x80").to_string();
    let huge = "x".repeat(1 << 20);
    let conflict = "<<<<<<< a\na = 1\n=======\na = 2\n>>>>>>> b";
    let cases = vec![
        case("git", &action(".git/config", &base, good.clone()), "FORBIDDEN_PATH"),
        case("a hook", &action("hooks/pre-commit", &base, good.clone()), "FORBIDDEN_PATH"),
        case("a secret", &action("vault/.env", &base, good.clone()), "FORBIDDEN_PATH"),
        case("CI", &action(".github/workflows/ci.yml", &base, good.clone()), "FORBIDDEN_PATH"),
        case(
            "a test",
            &action("tests/test_a.py", &base, good.clone()),
            "ERR_TEST_EDIT_NOT_ALLOWED",
        ),
        case("a way out", &action("up/x.py", &base, good.clone()), "ERR_INVALID_PATH"),
        case("a folder", &action("src", &base, good.clone()), "ERR_ACTION_CONFLICT"),
        case("no file", &action("b.py", &base, good.clone()), "ERR_EDIT_BASE_MISMATCH").exits(5),
        case("other base", &action("a.py", &digest("b"), good.clone()), "ERR_EDIT_BASE_MISMATCH")
            .exits(5),
        case("no base", &action("a.py", "", good.clone()), "ERR_BASE_SHA256_INVALID"),
        case("no text", &action("latin.py", &raw, good.clone()), "ERR_NON_UTF8_FILE").exits(1),
        case("no edits", &edit(json!([])), "ERR_SCHEMA_VALIDATION"),
        case("a command", &one("run", "", "touch ran", ""), "ERR_SCHEMA_VALIDATION"),
        case(
            "a pattern",
            &edit(json!([{"op": "replace", "regex": ".*", "after": ""}])),
            "ERR_SCHEMA_VALIDATION",
        ),
        case(
            "a list as text",
            &edit(json!([{"op": "delete", "before": ["a"]}])),
            "ERR_SCHEMA_VALIDATION",
        ),
        case("too many", &edit(many), "ERR_TOO_MANY_ACTIONS"),
        case("too large", &one("replace", "", &huge, "x"), "ERR_CONTENT_TOO_LARGE"),
        case("a NUL", &one("replace", "", "a = 1", "\0"), "ERR_PSEUDO_BINARY"),
        case("a merge conflict", &one("replace", "", "a = 1", conflict), "ERR_CONFLICT_MARKERS"),
        case("no such anchor", &one("delete", "b", "a = 1", ""), "ERR_EDIT_ANCHOR_NOT_FOUND")
            .exits(1),
        case("no such text", &one("delete", "a", "b = 1", ""), "ERR_EDIT_BEFORE_NOT_FOUND")
            .exits(1),
        case("two words of one", &one("replace", "", "a = ", "b"), "ERR_EDIT_AMBIGUOUS").exits(1),
        case("nowhere", &one("insert_after", "", "", "b"), "ERR_EDIT_ANCHOR_NOT_FOUND").exits(1),
        case("two things at once", &one("delete", "", "a = 1", "b"), "ERR_EDIT_AMBIGUOUS").exits(1),
        case("twice", &edit(json!([good[0], good[0]])), "ERR_EDIT_APPLY_FAILED").exits(1),
        case(
            "two actions",
            &json!([edit(good.clone())[0], edit(good.clone())[0]]),
            "ERR_ACTION_CONFLICT",
        ),
        case(
            "edit and patch",
            &json!([edit(good)[0], patch("a.py", "a = 1\n")]),
            "ERR_ACTION_CONFLICT",
        ),
    ];
    let mut others = Vec::new();
    for case in &cases {
        // In v1 none of them is even a reply; v2 accepts what v3 does.
        let refused = text(case.name, case.plan.clone(), "ERR_SCHEMA_VALIDATION");
        others.push(refused.with(&["--protocol", "1"]));
    }
    hold(cases.into_iter().map(|case| case.with(&["--protocol", "3"])).collect());
    hold(others);
}

#[test]
fn replies_that_are_no_replies() {
    let good = reply(&json!([create("x.py")]));
    let cut = |bytes: usize| good.get(..bytes).unwrap().to_owned();
    hold(vec![
        text("empty", "", "ERR_JSON_EXTRACT"),
        text("spaces", " \n\t", "ERR_JSON_EXTRACT"),
        text("NULs", "\0".repeat(1000), "ERR_JSON_EXTRACT"),
        text("prose", "I fixed it.", "ERR_JSON_EXTRACT"),
        text("number", "1", "ERR_JSON_EXTRACT"),
        text("cut off", cut(good.len() - 1), "ERR_JSON_PARSE"),
        text("cut in a string", cut(40), "ERR_JSON_PARSE"),
        text("cut in a fence", format!("```json\n{}", cut(30)), "ERR_JSON_PARSE"),
        text("a half surrogate", good.replace("x = 1", "\\ud800"), "ERR_JSON_PARSE"),
        text("two members", good.replacen('{', "{\"actions\": [], ", 1), "ERR_JSON_PARSE"),
        text("no fields", "{}", "ERR_SCHEMA_VALIDATION"),
        text("an empty list", "[]", "ERR_APPLY_EMPTY_ACTIONS"),
        text("no actions", reply(&json!([])), "ERR_APPLY_EMPTY_ACTIONS"),
        text(
            "lower case",
            json!({"actions": [], "summary": "no_changes: x"}).to_string(),
            "ERR_APPLY_EMPTY_ACTIONS",
        ),
        text(
            "unknown kind",
            reply(&json!([{"kind": "RUN_COMMAND", "path": "x", "content": "rm"}])),
            "ERR_SCHEMA_VALIDATION",
        ),
        text(
            "unknown field",
            json!({"actions": [create("x.py")], "run_command": "touch ran"}).to_string(),
            "ERR_SCHEMA_VALIDATION",
        ),
        text(
            "both texts",
            reply(&json!([{"kind": "CREATE_FILE", "path": "x", "content": "", "patch": ""}])),
            "ERR_SCHEMA_VALIDATION",
        ),
        text(
            "fractions",
            reply(
                &json!([{"kind": "REPLACE_RANGE", "path": "a.py", "base_sha256": digest("a = 1\n"),
            "start_line": 1.5, "end_line": -2, "content": ""}]),
            ),
            "ERR_SCHEMA_VALIDATION",
        ),
        text("another form", "{\"papayu_plan\": 99}", "ERR_SCHEMA_VALIDATION"),
        text("a spoilt plan", "{\"papayu_plan\": 1, \"summary\": 3}", "ERR_SCHEMA_VALIDATION"),
    ]);
}

#[test]
fn a_plan_that_is_not_utf_8_is_refused_not_repaired() {
    let env = env();
    let before = env.tree();
    let good = reply(&json!([create("x.py")]));
    let (head, tail) = good.split_once("x = 1").unwrap();
    let latin =
        [head.as_bytes(), b"caf\xe9 latte, long enough to pass for text", tail.as_bytes()].concat();
    let utf16: Vec<u8> = good.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [latin, utf16, vec![0xff, 0xfe]] {
        fs::write(env.home().join("plan.json"), bytes).unwrap();
        let run = run(&env, &["apply", "--plan", "../home/plan.json", "--emit", "worktree"], &[]);
        assert_eq!((run.end().0, run.end().1), (4, "rejected"), "{run:?}");
        assert!(["ERR_JSON_PARSE", "ERR_JSON_EXTRACT"].contains(&run.end().2), "{run:?}");
        assert!(before == env.tree());
    }
}

#[test]
fn a_plan_that_cannot_be_read_leaves_an_outcome() {
    let env = env();
    for plan in ["../home/none.json", "../home", "a.py/x"] {
        let run = run(&env, &["apply", "--plan", plan], &[]);
        assert_eq!(run.end(), (2, "usage_error", ""), "{run:?}");
        assert!(run.ran.stderr.contains(plan), "{run:?}");
    }
}
