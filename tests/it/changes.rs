//! Changes since the command passed: the named commit, its proof, and the versions that moved.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::TestEnv;

const RUN: &str = "python3 -m unittest test_answer";

/// The repository `origin` with a green commit, in which `c SUBJECT FILE TEXT` makes a commit.
const START: &str = r#"set -e
g() { git -c user.name=a -c user.email=a@b -c core.hooksPath=/dev/null "$@"; }
c() { mkdir -p "$(dirname "$2")"; printf "$3" > "$2"; g add -A; g commit -qm "$1"; }
good='def answer():\n    return 42\n'
bad='def answer():\n    return 41\n'
test='import unittest\nfrom answer import answer\n\n\nclass Test(unittest.TestCase):\n    def test_answer(self):\n        self.assertEqual(answer(), 42)\n'
mkdir "$HOME/origin"; cd "$HOME/origin"; g init -q -b main .
printf "$test" > test_answer.py
c start answer.py "$good"; g tag green
"#;

/// Makes the history of a script, and clones it with these options.
fn clone(script: &str, options: &str) -> TestEnv {
    let env = TestEnv::new();
    let end = format!("cd - > /dev/null; git clone -q {options} file://$HOME/origin .\n");
    let ran = env.shell(&format!("{START}\n{script}\n{end}"));
    assert_eq!(ran.code, 0, "{script}: {ran:?}");
    env
}

fn fix(env: &TestEnv, flags: &[&str]) -> Value {
    let begin = ["fix", "--provider", "suggestions", "--run", RUN];
    env.outcome(&[&begin, flags].concat(), &[])
}

/// The name of a case, its history after the green commit, and the culprit that is proved; empty for none.
type CulpritCase = (&'static str, &'static str, &'static str);

const CULPRITS: [CulpritCase; 14] = [
    (
        "a merge brings it",
        "g checkout -qb x; c 'break it' answer.py \"$bad\"; g checkout -q main; c other note.txt a\n\
         g merge -q --no-ff -m 'Merge x' x; c later note.txt b",
        "Merge x",
    ),
    (
        "a merge makes it",
        "g checkout -qb x; c left a.txt a; g checkout -q main; c right b.txt b\n\
         g merge -q --no-commit --no-ff x; printf \"$bad\" > answer.py; g add -A; g commit -qm 'Merge x'; c later n.txt c",
        "Merge x",
    ),
    (
        "a squashed branch brings it",
        "g checkout -qb x; c 'break it' answer.py \"$bad\"; c more a.txt a; g checkout -q main\n\
         g merge -q --squash x; g commit -qm 'Squash x'; c later note.txt b",
        "Squash x",
    ),
    (
        "the file is renamed before",
        "g mv answer.py reply.py; c rename test_answer.py \"$(printf \"$test\" | sed 's/from answer/from reply/')\"\n\
         c 'break it' reply.py \"$bad\"; c later note.txt b",
        "break it",
    ),
    (
        "a revert is reverted",
        "c 'break it' answer.py \"$bad\"; c 'revert it' answer.py \"$good\"; c 'reapply it' answer.py \"$bad\"; c later n.txt b",
        "reapply it",
    ),
    (
        "earlier commits are broken",
        "c typo answer.py 'def answer(:\\n'; c repair answer.py \"$good\"; c 'break it' answer.py \"$bad\"; c later n.txt b",
        "break it",
    ),
    (
        "the commit before is broken",
        "c typo answer.py 'def answer(:\\n'; c 'break it' answer.py \"$bad\"; c later n.txt b",
        "",
    ),
    (
        "the last commit touches the file",
        "c 'break it' answer.py \"$bad\"; c comment answer.py \"# The answer.\\n$bad\"",
        "break it",
    ),
    (
        "the test comes last",
        "g rm -q test_answer.py; g commit -qm 'no test'; g tag -f green > /dev/null\n\
         c 'break it' answer.py \"$bad\"; c other note.txt a; c 'add the test' test_answer.py \"$test\"",
        "break it",
    ),
    (
        "the date breaks it",
        "c other note.txt a; c 'touch it' answer.py \"$good\\n\"\n\
         c bomb test_answer.py \"$(printf \"$test\" | sed 's/answer(), 42/0, 42/')\"",
        "",
    ),
    (
        "a package moves",
        "c pin requirements.txt 'lib==1.0\\n'; c read answer.py 'def answer():\\n    return 42 if \"==1\" in open(\"requirements.txt\").read() else 41\\n'\n\
         g tag -f green > /dev/null; c other note.txt a; c 'bump lib' requirements.txt 'lib==2.0\\n'; c later note.txt b",
        "bump lib",
    ),
    (
        "an action moves beside it",
        "c ci .github/workflows/ci.yml 'jobs: {a: {steps: [{uses: actions/setup-python@v4}]}}\\n'; g tag -f green > /dev/null\n\
         c 'bump action' .github/workflows/ci.yml 'jobs: {a: {steps: [{uses: actions/setup-python@v5}]}}\\n'; c 'break it' answer.py \"$bad\"; c later n.txt b",
        "break it",
    ),
    (
        "the branch was moved by force",
        "c other note.txt a; g tag -f green > /dev/null; g reset -q --hard HEAD^\n\
         c 'break it' answer.py \"$bad\"; c later note.txt b",
        "break it",
    ),
    (
        "many commits lie between",
        "for n in 1 2 3 4 5; do c \"n$n\" note.txt $n; done; c 'break it' answer.py \"$bad\"; for n in 7 8 9 10 11 12 13 14 15 16; do c \"n$n\" note.txt $n; done",
        "break it",
    ),
];

#[test]
fn the_culprit_is_proved_and_an_innocent_commit_is_never_named() {
    let mut wrong = String::new();
    for (name, script, expected) in CULPRITS {
        let env = clone(script, "");
        let outcome = fix(&env, &["--green", "green", "--culprit", "prove"]);
        let culprit = &outcome["culprit"];
        let named = culprit["subject"].as_str().unwrap_or_default();
        let is_proved = named.is_empty() || culprit["certainty"] == "proved";
        if named != expected || !is_proved || culprit["runs"].as_u64().unwrap_or(0) > 5 {
            writeln!(wrong, "{name}: {culprit} in {outcome:#}").unwrap();
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn a_shallow_clone_gets_the_history_that_it_lacks() {
    let script = "c other note.txt a; c 'break it' answer.py \"$bad\"; c later note.txt b";
    let env = clone(script, "--depth 1");
    let outcome = fix(&env, &["--green", "green", "--culprit", "prove"]);
    assert_eq!(outcome["culprit"]["subject"], "break it", "{outcome:#}");
    assert_eq!(outcome["changes"]["commits"], 3);
    let ran = env.run(&["fix", "--provider", "suggestions", "--run", RUN, "--green", "nowhere"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    let error = "error: the green commit `nowhere` is not known: ";
    assert!(ran.stderr.contains(error) && ran.stderr.contains("--depth=100"), "{ran:?}");
}

#[test]
fn nothing_is_named_without_a_green_commit() {
    let script = "c 'break it' answer.py \"$bad\"";
    let env = clone(script, "--depth 1");
    let outcome = fix(&env, &[]);
    assert!(outcome.get("changes").is_none() && outcome.get("culprit").is_none(), "{outcome:#}");
    let env = TestEnv::new();
    env.write("answer.py", "def answer():\n    return 41\n");
    env.write("test_answer.py", "import unittest\nfrom answer import answer\n\n\nclass Test(unittest.TestCase):\n    def test_answer(self):\n        self.assertEqual(answer(), 42)\n");
    let outcome = fix(&env, &["--culprit", "prove"]);
    assert!(outcome.get("changes").is_none() && outcome.get("culprit").is_none(), "{outcome:#}");
}

#[test]
fn the_commit_before_a_push_and_the_base_of_a_pull_request_are_green() {
    let script = "c other note.txt a; c 'break it' answer.py \"$bad\"";
    let env = clone(script, "");
    let commit = env.shell("git rev-parse green").stdout;
    let before = commit.trim();
    let job = |variables: &[(&str, &str)]| {
        let all = ["fix", "--provider", "suggestions", "--run", RUN];
        env.outcome(&all, variables)
    };
    let outcome = job(&[("GITLAB_CI", "true"), ("CI_COMMIT_BEFORE_SHA", before)]);
    assert_eq!(outcome["changes"]["source"], "push", "{outcome:#}");
    assert_eq!(outcome["culprit"]["certainty"], "guess");
    assert_eq!(outcome["culprit"]["subject"], "break it");
    let event = env.home().join("event.json");
    let text = format!(r#"{{"before": "{before}", "after": "x"}}"#);
    env.write("../home/event.json", &text);
    let event = event.to_str().unwrap();
    let outcome = job(&[("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_PATH", event)]);
    assert_eq!(outcome["changes"]["green"], before, "{outcome:#}");
    let text = format!(r#"{{"pull_request": {{"base": {{"sha": "{before}"}}}}}}"#);
    env.write("../home/event.json", &text);
    let outcome = job(&[("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_PATH", event)]);
    assert_eq!(outcome["changes"]["source"], "pull_request", "{outcome:#}");
    let zeros = "0".repeat(40);
    let outcome = job(&[("GITLAB_CI", "true"), ("CI_COMMIT_BEFORE_SHA", &zeros)]);
    assert!(outcome.get("changes").is_none(), "{outcome:#}");
}

#[test]
fn what_is_not_committed_is_blamed_on_no_commit() {
    let env = clone("c other note.txt a; c more answer.py \"# x\\n$good\"", "");
    env.write("answer.py", "# x\ndef answer():\n    return 41\n");
    let outcome = fix(&env, &["--green", "green", "--culprit", "prove"]);
    assert!(outcome.get("culprit").is_none(), "{outcome:#}");
    assert_eq!(outcome["changes"]["files"][0]["definitions"][0]["name"], "answer");
}

#[test]
fn the_changes_are_files_lines_definitions_and_versions() {
    let script = "c pin requirements.txt 'lib==1.0\\n'; g tag -f green > /dev/null\n\
        c 'bump lib' requirements.txt 'Lib==2.0\\n'; c 'break it' answer.py \"$bad\"";
    let env = clone(script, "");
    let outcome = fix(&env, &["--green", "green"]);
    let changes = &outcome["changes"];
    let moved = serde_json::json!([{"path": "requirements.txt", "name": "lib", "from": "1.0", "to": "2.0"}]);
    assert_eq!(changes["dependencies"], moved, "{outcome:#}");
    let file = serde_json::json!({
        "path": "answer.py", "change": "changed",
        "hunks": [{"old_start": 2, "old_lines": 1, "new_start": 2, "new_lines": 1}],
        "definitions": [{"name": "answer", "change": "changed"}],
    });
    assert_eq!(changes["files"][0], file);
    let context = env.run(&["context", "--run", RUN, "--green", "green"]);
    assert!(context.stdout.contains("answer.py: lines 2-2 were\n-    return 42\n"), "{context:?}");
    assert!(context.stdout.contains("lib 1.0 → 2.0"), "{context:?}");
}

#[test]
fn the_culprit_is_taken_back_only_if_that_is_allowed() {
    let script = "c other note.txt a; c 'break it' answer.py \"$bad\"; c later note.txt b";
    let env = clone(script, "");
    let prove = ["--green", "green", "--culprit", "prove"];
    let outcome = fix(&env, &prove);
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
    assert!(outcome["hint"].as_str().unwrap().contains("`--allow-undo`"), "{outcome:#}");
    let outcome = fix(&env, &[&prove[..], &["--allow-undo", "--emit", "worktree"]].concat());
    assert_eq!(outcome["outcome"], "undone", "{outcome:#}");
    assert_eq!(outcome["culprit"]["certainty"], "proved");
    assert_eq!(outcome["verify"]["after"]["exit_code"], 0);
    assert_eq!(env.read("answer.py"), "def answer():\n    return 42\n");
}
