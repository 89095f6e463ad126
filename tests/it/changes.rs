//! Changes since the command passed: the named commit, its proof, and the versions that moved.

use serde::Deserialize;
use serde_json::Value;

use crate::examples::rust_homes;
use crate::support::{TestEnv, project_file};

const RUN: &str = "python3 -m unittest test_answer";

/// The repository `origin` with a green commit, in which `c SUBJECT FILE TEXT` makes a commit.
const START: &str = r#"set -e
g() { git -c user.name=a -c user.email=a@b -c core.hooksPath=/dev/null "$@"; }
c() { mkdir -p "$(dirname "$2")"; printf "$3" > "$2"; g add -A; g commit -qm "$1"; }
good='def answer():\n    return 42\n'
bad='def answer():\n    return 41\n'
test='import unittest\nfrom answer import answer\n\n\nclass Test(unittest.TestCase):\n    def test_answer(self):\n        self.assertEqual(answer(), 42)\n'
repo=$PWD; mkdir "$HOME/origin"; cd "$HOME/origin"; g init -q -b main .
printf "$test" > test_answer.py
c start answer.py "$good"; g tag green
"#;

/// Makes the history of a script, and clones it with these options.
fn clone(script: &str, options: &str) -> TestEnv {
    let env = TestEnv::new();
    let end = format!("cd \"$repo\"; git clone -q {options} file://$HOME/origin .\n");
    let ran = env.shell(&format!("{START}\n{script}\n{end}"));
    assert_eq!(ran.code, 0, "{script}: {ran:?}");
    env
}

fn fix(env: &TestEnv, flags: &[&str]) -> Value {
    let begin = ["fix", "--provider", "suggestions", "--run", RUN];
    env.outcome(&[&begin, flags].concat(), &[])
}

/// A history after the green commit, with the culprit that is proved; empty for none.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CulpritCase {
    name: String,
    history: String,
    culprit: String,
    folder: String,
    run: Option<String>,
    clone: String,
    installed: String,
}

#[test]
fn the_culprit_is_proved_and_an_innocent_commit_is_never_named() {
    #[derive(Deserialize)]
    struct Table {
        case: Vec<CulpritCase>,
    }
    let table = toml::from_str::<Table>(&project_file("tests/culprits.toml")).unwrap();
    assert!(table.case.len() > 40);
    let (one, other) = table.case.split_at(table.case.len() / 2);
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(|| one.iter().map(find_culprit).collect::<Vec<_>>());
        (other.iter().map(find_culprit).collect::<Vec<_>>(), one.join().unwrap())
    });
    let all: Vec<(u64, String)> = one.into_iter().chain(other).collect();
    let wrong: String = all.iter().map(|(_, fault)| fault.as_str()).collect();
    assert_eq!(wrong, "");
    let runs: Vec<u64> = all.iter().map(|(runs, _)| *runs).filter(|runs| *runs > 0).collect();
    assert!(runs.iter().sum::<u64>() <= 4 * runs.len() as u64, "{runs:?}");
}

/// Looks for the culprit of a case. Returns the number of runs on commits, and what is not as expected.
fn find_culprit(case: &CulpritCase) -> (u64, String) {
    let env = clone(&case.history, &case.clone);
    let ran = env.shell(&format!("set -e\n{}", case.installed));
    assert_eq!(ran.code, 0, "{}: {ran:?}", case.name);
    let command = case.run.as_deref().unwrap_or(RUN);
    let folder = env.repo().join(&case.folder);
    let given = ["fix", "--provider", "suggestions", "--run", command, "--green", "green"];
    let flags = ["--culprit", "prove", "--repo", folder.to_str().unwrap()];
    let outcome = env.outcome(&[&given[..], &flags].concat(), &[]);
    let culprit = &outcome["culprit"];
    let named = culprit["subject"].as_str().unwrap_or_default();
    let runs = culprit["runs"].as_u64().unwrap_or(0);
    let is_proved = named.is_empty() || culprit["certainty"] == "proved";
    let is_right = named == case.culprit && is_proved && runs <= 6;
    (runs, if is_right { String::new() } else { format!("{}: {outcome:#}\n", case.name) })
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
    let tool = env.run(&["tool", "what_changed", "--green", "green"]);
    assert!(
        tool.stdout.contains("answer.py: 2-2, `answer`\nrequirements.txt: 1-1\nlib 1.0"),
        "{tool:?}"
    );
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

#[test]
fn an_old_commit_and_one_under_later_changes_are_not_taken_back() {
    let prove = ["--green", "green", "--culprit", "prove", "--allow-undo", "--emit", "worktree"];
    let old = "printf \"$bad\" > answer.py; GIT_COMMITTER_DATE=2026-01-01T00:00:00Z g commit -qam 'break it'; c later note.txt b";
    let under =
        "c 'break it' answer.py \"$bad\"; c later answer.py 'def answer():\n    return 40 + 1\n'";
    for script in [old, under] {
        let env = clone(script, "");
        let outcome = fix(&env, &prove);
        assert_eq!(outcome["outcome"], "not_fixed", "{script}: {outcome:#}");
    }
}

/// A history with a package that `install.sh` installs in `venv`: version 2.0 has another function. `bump` is the end of
/// `git commit` of the new version.
fn clone_with_package(bump: &str) -> TestEnv {
    let script = r#"mkdir -p index/1.0 index/2.0; printf 'def gone():\n    return 42\n' > index/1.0/lib.py; printf 'def other():\n    return 42\n' > index/2.0/lib.py
printf 'v=$(sed -n "s/lib==//p" requirements.txt)\nmkdir -p venv && cp index/$v/lib.py venv/lib.py\n' > install.sh
printf 'import sys\nsys.path.insert(0, "venv")\nimport lib\n\n\ndef answer():\n    return lib.gone()\n' > answer.py
printf 'venv/\n__pycache__/\n' > .gitignore; c use requirements.txt 'lib==1.0\n'; g tag -f green > /dev/null
c other note.txt a; printf 'lib==2.0\n' > requirements.txt"#;
    clone(&format!("{script}; g commit -qa {bump}; c later note.txt b"), "")
}

#[test]
fn a_package_that_moved_is_pinned_back_only_if_that_is_allowed_and_mends_no_weakness() {
    let flags = ["--setup", "sh install.sh", "--green", "green"];
    let allowed = [&flags[..], &["--allow-undo", "--emit", "worktree"]].concat();
    let env = clone_with_package("-m 'bump lib'");
    let outcome = fix(&env, &flags);
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
    let hint = outcome["hint"].as_str().unwrap();
    assert!(hint.contains("`--allow-undo` tries to pin lib back to 1.0 (commit "), "{outcome:#}");
    let outcome = fix(&env, &allowed);
    assert_eq!(outcome["outcome"], "undone", "{outcome:#}");
    assert!(outcome["reason"].as_str().unwrap().contains("pin lib back to 1.0"), "{outcome:#}");
    assert_eq!(env.read("requirements.txt"), "lib==1.0\n");
    assert!(env.read("venv/lib.py").contains("gone"));
    let env = clone_with_package("-m 'bump lib'");
    let begin = ["fix", "--provider", "suggestions", "--run", RUN];
    let ran = env.run(&[&begin[..], &allowed].concat());
    assert!(ran.stderr.contains("  papayu-batch undo\n"), "{ran:?}");
    for bump in ["-m 'bump lib' -m 'Fixes GHSA-1234-1234-1234.'", "-m 'bump lib [security]'"] {
        let env = clone_with_package(bump);
        let outcome = fix(&env, &allowed);
        assert_eq!(outcome["outcome"], "not_fixed", "{bump}: {outcome:#}");
        assert!(!outcome["hint"].as_str().unwrap().contains("pin"), "{bump}: {outcome:#}");
        assert_eq!(env.read("requirements.txt"), "lib==2.0\n");
    }
}

#[test]
fn a_pin_that_does_not_help_leaves_the_packages_as_they_were() {
    let env = clone_with_package("-m 'bump lib'");
    env.write("answer.py", "import sys\nsys.path.insert(0, \"venv\")\nimport lib\n\n\ndef answer():\n    return lib.never()\n");
    let flags = ["--setup", "sh install.sh", "--green", "green", "--allow-undo"];
    let outcome = fix(&env, &flags);
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
    assert_eq!(env.read("requirements.txt"), "lib==2.0\n");
    assert!(env.read("venv/lib.py").contains("other"));
}

#[test]
fn a_package_whose_sources_are_in_the_repository_is_pinned_back_with_them() {
    let script = r#"mkdir -p vendor/lib; printf 'def gone():\n    return 42\n' > vendor/lib/lib.py
printf 'import sys\nsys.path.insert(0, "vendor/lib")\nimport lib\n\n\ndef answer():\n    return lib.gone()\n' > answer.py
printf '__pycache__/\n' > .gitignore; c use requirements.txt 'lib==1.0\n'; g tag -f green > /dev/null
printf 'def other():\n    return 42\n' > vendor/lib/lib.py; c 'bump lib' requirements.txt 'lib==2.0\n'"#;
    let env = clone(script, "");
    let flags = ["--green", "green", "--allow-undo", "--emit", "worktree"];
    let outcome = fix(&env, &flags);
    let hint = outcome["hint"].as_str().unwrap();
    let offer = "`--allow settings`, for what is in `vendor`, tries to pin lib back to 1.0";
    assert!(hint.contains(offer), "{outcome:#}");
    let outcome = fix(&env, &[&flags[..], &["--allow", "settings"]].concat());
    assert_eq!(outcome["outcome"], "undone", "{outcome:#}");
    assert_eq!(env.read("requirements.txt"), "lib==1.0\n");
    assert!(env.read("vendor/lib/lib.py").contains("gone"));
    let added = format!(
        "{script}; printf x > vendor/lib/more.py; g add -A; g commit -q --amend -m 'bump lib'"
    );
    let outcome = fix(&clone(&added, ""), &flags);
    assert!(!outcome["hint"].as_str().unwrap().contains("pin lib"), "{outcome:#}");
}

/// The text that uses a package, the text of the package now, a line of the log of the run that passed, and the text that
/// is expected.
const SUCCESSORS: [[&str; 4]; 11] = [
    [
        "from lib import other, soft_unicode\n\n\ndef answer():\n    return soft_unicode(other)\n",
        "other = 42\n\n\ndef soft_str(value):\n    return value\n",
        "x.py:1: DeprecationWarning: 'soft_unicode' has been renamed to 'soft_str'. The old name will be removed in 2.1.",
        "from lib import other, soft_str\n\n\ndef answer():\n    return soft_str(other)\n",
    ],
    [
        "import lib\n\n\ndef answer():\n    return lib.contextfilter(lib.other)\n",
        "other = 42\n\n\ndef pass_context(value):\n    return value\n",
        "DeprecationWarning: 'contextfilter' is renamed to 'pass_context', the old name will be removed in 3.1.",
        "import lib\n\n\ndef answer():\n    return lib.pass_context(lib.other)\n",
    ],
    [
        "from lib import url_quote\n\n\ndef answer():\n    return url_quote('42') and 42\n",
        "other = 42\n",
        "DeprecationWarning: 'lib.url_quote' is deprecated and will be removed in 3.0. Use 'urllib.parse.quote' instead.",
        "from urllib.parse import quote\n\n\ndef answer():\n    return quote('42') and 42\n",
    ],
    [
        "import lib\n\n\ndef answer():\n    return lib.int('42')\n",
        "def __getattr__(name):\n    raise AttributeError(f\"module 'lib' has no attribute '{name}'.\\n`lib.int` was a deprecated alias for the builtin `int`. To avoid this error in existing code, use `int` by itself.\")\n",
        "OK",
        "import lib\n\n\ndef answer():\n    return int('42')\n",
    ],
    [
        "from lib import escape\n\n\ndef answer():\n    return escape('<') and 42\n",
        "other = 42\n",
        "DeprecationWarning: 'lib.escape' is deprecated and will be removed in 2.4. Import 'html.escape' instead.",
        "from html import escape\n\n\ndef answer():\n    return escape('<') and 42\n",
    ],
    [
        "import lib\n\n\ndef answer():\n    return lib.field(42, missing=1)\n",
        "def field(value, load_default=None):\n    return value\n",
        "RemovedWarning: The 'missing' argument to fields is deprecated. Use 'load_default' instead.",
        "import lib\n\n\ndef answer():\n    return lib.field(42, load_default=1)\n",
    ],
    [
        "import lib\n\n\ndef answer():\n    return lib.float_(42)\n",
        "def __getattr__(name):\n    raise AttributeError(f'`lib.{name}` was removed in the 2.0 release. Use `lib.float64` instead.')\n\n\nfloat64 = int\n",
        "OK",
        "import lib\n\n\ndef answer():\n    return lib.float64(42)\n",
    ],
    [
        "import lib\n\n\ndef answer():\n    return lib.get_terminal_size()[0] and lib.other\n",
        "other = 42\n",
        "DeprecationWarning: 'lib.get_terminal_size()' is deprecated and will be removed. Use 'shutil.get_terminal_size()' instead.",
        "import shutil\n\nimport lib\n\n\ndef answer():\n    return shutil.get_terminal_size()[0] and lib.other\n",
    ],
    // The same value goes by both names.
    [
        "import lib\n\n\ndef answer(missing=1, load_default=2):\n    return lib.field(42, missing=missing)\n",
        "def field(value, load_default=None):\n    return value\n",
        "RemovedWarning: The 'missing' argument to fields is deprecated.\n  Use 'load_default' instead.",
        "import lib\n\n\ndef answer(missing=1, load_default=2):\n    return lib.field(42, load_default=missing)\n",
    ],
    // Other names of the statement stay.
    [
        "from lib import other, url_quote\n\n\ndef answer():\n    return url_quote('42') and other\n",
        "other = 42\n",
        "DeprecationWarning: 'lib.url_quote' is deprecated and will be removed in 3.0. Use 'urllib.parse.quote' instead.",
        "from lib import other\nfrom urllib.parse import quote\n\n\ndef answer():\n    return quote('42') and other\n",
    ],
    // The second name is read once the first one is right.
    [
        "import lib\n\n\ndef answer():\n    return lib.float_(lib.product_(42))\n",
        "def __getattr__(name):\n    raise AttributeError(f'`lib.{name}` was removed in the 2.0 release. Use `lib.{name}v2` instead.')\n\n\nfloat_v2 = product_v2 = int\n",
        "OK",
        "import lib\n\n\ndef answer():\n    return lib.float_v2(lib.product_v2(42))\n",
    ],
];

#[test]
fn a_name_that_a_message_or_the_green_log_replaces_is_written_and_proved() {
    for [before, package, warning, expected] in SUCCESSORS {
        let env = TestEnv::new();
        env.write("answer.py", before);
        env.write("test_answer.py", "import unittest\nfrom answer import answer\n\n\nclass Test(unittest.TestCase):\n    def test_answer(self):\n        self.assertEqual(answer(), 42)\n");
        env.write("../home/lib.py", package);
        env.write("../home/green.log", &format!("{warning}\n"));
        let run = format!("env PYTHONPATH={} {RUN}", env.home().display());
        let log = env.home().join("green.log");
        let given = ["fix", "--provider", "suggestions", "--run", &run];
        let flags = ["--green-log", log.to_str().unwrap(), "--emit", "worktree"];
        let outcome = env.outcome(&[&given[..], &flags].concat(), &[]);
        assert_eq!(outcome["outcome"], "fixed", "{before}: {outcome:#}");
        assert_eq!(env.read("answer.py"), expected);
    }
}

/// Histories in which a package moves after the green commit: the command, and the line that is expected in place of the old one.
const MOVED: [[&str; 4]; 4] = [
    // The old version declares the name deprecated, and only its folder has that.
    [
        "go test ./...",
        r#"mkdir -p third/slug-1.0 third/slug-1.1; printf 'module example.org/slug\n\ngo 1.18\n' | tee third/slug-1.0/go.mod > third/slug-1.1/go.mod
printf '// Package slug makes slugs.\npackage slug\n\n// Create makes one.\n//\n// Deprecated: Use Make.\nfunc Create() int { return 42 }\n' > third/slug-1.0/slug.go
printf '// Package slug makes slugs.\npackage slug\n\n// Make makes one.\nfunc Make() int { return 42 }\n\n// Other makes another.\nfunc Other() int { return 41 }\n' > third/slug-1.1/slug.go
manifest='module example.org/app\n\ngo 1.18\n\nrequire example.org/slug v1.0.0\n\nreplace example.org/slug => ./third/slug-'
printf 'package app\n\nimport "testing"\n\nfunc TestAnswer(t *testing.T) {\n\tif Answer() != 42 {\n\t\tt.Fatal(Answer())\n\t}\n}\n' > answer_test.go
printf 'package app\n\nimport "example.org/slug"\n\nfunc Answer() int { return slug.Create() }\n' > answer.go
c use go.mod "${manifest}1.0\n"; g tag -f green > /dev/null; c 'bump slug' go.mod "${manifest}1.1\n""#,
        "answer.go",
        "func Answer() int { return slug.Make() }",
    ],
    // The package has the names of a module that it lost.
    [
        "sh run.sh",
        r#"mkdir -p "$HOME/lib/lib"; printf 'class Cache:\n    pass\n' > "$HOME/lib/lib/__init__.py"
printf 'PYTHONPATH="$HOME/lib" python3 -m unittest -q\n' > run.sh; printf 'from lib.ttl import Cache\n\n\ndef answer():\n    return Cache and 42\n' > answer.py
c use requirements.txt 'lib==1.0\n'; g tag -f green > /dev/null; c 'bump lib' requirements.txt 'lib==2.0\n'"#,
        "answer.py",
        "from lib import Cache",
    ],
    // A package that the file does not name has it, and gives the name in its change log.
    [
        "cargo test --offline --quiet",
        r#"mkdir -p back/src front/src src; for it in back front; do printf "[package]\nname = \"$it\"\nversion = \"2.0.0\"\nedition = \"2024\"\n" > $it/Cargo.toml; done
printf '\n[dependencies]\nback = { path = "../back" }\n' >> front/Cargo.toml; printf -- '- Rename `Input::input` to `Update::update`\n' > back/CHANGELOG.md
printf 'pub trait Update {\n    fn update(&self) -> u32 {\n        42\n    }\n}\n' > back/src/lib.rs; printf 'pub use back::Update;\npub struct Hash;\nimpl Update for Hash {}\n' > front/src/lib.rs
printf '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\nfront = { path = "front" }\n' > Cargo.toml
lock='version = 4\n\n[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = [\n "front",\n]\n\n[[package]]\nname = "back"\nversion = "%s"\n\n[[package]]\nname = "front"\nversion = "%s"\ndependencies = [\n "back",\n]\n'
printf 'use front::*;\n\npub fn answer() -> u32 {\n    front::Hash.input()\n}\n\n#[test]\nfn it_is_right() {\n    assert_eq!(answer(), 42);\n}\n' > src/lib.rs; printf 'target\n' > .gitignore
printf "$lock" 1.0.0 1.0.0 > Cargo.lock; g add -A; g commit -qm use; g tag -f green > /dev/null; printf "$lock" 2.0.0 2.0.0 > Cargo.lock; g commit -qam 'bump front'"#,
        "src/lib.rs",
        "    front::Hash.update()",
    ],
    // The compiler knows one similar name.
    [
        "cargo test --offline --quiet",
        r#"mkdir -p old/src new/src src; printf '[package]\nname = "ids"\nversion = "1.0.0"\nedition = "2024"\n' > old/Cargo.toml; sed s/1.0.0/2.0.0/ old/Cargo.toml > new/Cargo.toml
printf 'pub struct Id;\nimpl Id {\n    pub fn to_simple(&self) -> u32 {\n        42\n    }\n}\n' > old/src/lib.rs; sed s/to_simple/simple/ old/src/lib.rs > new/src/lib.rs
manifest='[package]\nname = "app"\nversion = "0.1.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\nids = { path = "'
lock='version = 4\n\n[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = [\n "ids",\n]\n\n[[package]]\nname = "ids"\nversion = "'
printf 'pub fn answer() -> u32 {\n    ids::Id.to_simple()\n}\n\n#[test]\nfn it_is_right() {\n    assert_eq!(answer(), 42);\n}\n' > src/lib.rs; printf 'target\n' > .gitignore
printf "${lock}1.0.0\"\n" > Cargo.lock; c use Cargo.toml "${manifest}old\" }\n"; g tag -f green > /dev/null
printf "${lock}2.0.0\"\n" > Cargo.lock; c 'bump ids' Cargo.toml "${manifest}new\" }\n""#,
        "src/lib.rs",
        "    ids::Id.simple()",
    ],
];

#[test]
fn a_name_of_a_package_that_moved_since_the_green_commit_is_written_and_proved() {
    let homes = rust_homes();
    let homes: Vec<_> = homes.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
    for [run, script, path, expected] in MOVED {
        let env = clone(script, "");
        let given = ["fix", "--provider", "suggestions", "--run", run, "--emit", "worktree"];
        let outcome = env.outcome(&given, &homes);
        assert_eq!(outcome["outcome"], "not_fixed", "{path}: {outcome:#}");
        let outcome = env.outcome(&[&given[..], &["--green", "green"]].concat(), &homes);
        assert_eq!(outcome["outcome"], "fixed", "{path}: {outcome:#}");
        assert!(env.read(path).contains(expected), "{path}");
    }
}

#[test]
fn a_line_that_changed_since_the_green_commit_may_be_wrong_itself() {
    let homes = rust_homes();
    let homes: Vec<_> = homes.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
    let [run, script, path, _] = MOVED[3];
    let env = clone(script, "");
    env.write(path, &env.read(path).replace("to_simple()", "to_simple() // new"));
    let given = ["fix", "--provider", "suggestions", "--run", run, "--green", "green"];
    let outcome = env.outcome(&given, &homes);
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
}

/// A project that uses a name which its package replaced, as the notes of the package have it. `{home}` in a text is the user's folder.
struct RenamedProject {
    run: &'static str,
    setup: &'static [&'static str],
    files: &'static [(&'static str, &'static str)],
    /// The file that uses the name.
    path: &'static str,
    /// Its text in the end.
    expected: &'static str,
}

const RENAMED: [RenamedProject; 6] = [
    RenamedProject {
        run: "node --test test/",
        setup: &[],
        files: &[
            (
                "node_modules/store/package.json",
                r#"{"name":"store","version":"7.0.0","main":"index.js"}"#,
            ),
            (
                "node_modules/store/index.js",
                "class Store { constructor() { this.all = new Map(); } delete(key) { return this.all.delete(key); } }\nmodule.exports = Store;\n",
            ),
            (
                "node_modules/store/CHANGELOG.md",
                "# 7.0\n\n- `cache.del()` is renamed to `cache.delete()`\n- `peek` is faster\n",
            ),
            ("package.json", r#"{"name":"app","dependencies":{"store":"7.0.0"}}"#),
            (
                "answer.js",
                "const Store = require('store');\nconst cache = new Store();\nexports.drop = (key) => cache.del(key);\n",
            ),
            (
                "test/answer.test.js",
                "const test = require('node:test');\nconst assert = require('node:assert');\nconst { drop } = require('../answer.js');\ntest('drops', () => assert.equal(drop('a'), false));\n",
            ),
        ],
        path: "answer.js",
        expected: "const Store = require('store');\nconst cache = new Store();\nexports.drop = (key) => cache.delete(key);\n",
    },
    RenamedProject {
        run: "node --test test/",
        setup: &[],
        files: &[
            (
                "node_modules/lru/package.json",
                r#"{"name":"lru","version":"10.0.0","main":"index.js"}"#,
            ),
            (
                "node_modules/lru/index.js",
                "exports.LRUStore = class { get(key) { return key; } };\n",
            ),
            ("node_modules/lru/README.md", "# lru\n\n```js\nimport { LRUStore } from 'lru'\n```\n"),
            ("node_modules/lru/add/oneDay.js", ""),
            ("node_modules/lru/oneDay.js", "module.exports = () => 1;\n"),
            ("package.json", r#"{"name":"app","dependencies":{"lru":"10.0.0"}}"#),
            (
                "answer.js",
                "const LRU = require('lru');\nconst day = require('lru/one_day');\nexports.first = (key) => new LRU().get(key) + day();\n",
            ),
            (
                "test/answer.test.js",
                "const test = require('node:test');\nconst assert = require('node:assert');\nconst { first } = require('../answer.js');\ntest('gets', () => assert.equal(first(1), 2));\n",
            ),
        ],
        path: "answer.js",
        expected: "const { LRUStore: LRU } = require('lru');\nconst day = require('lru/oneDay');\nexports.first = (key) => new LRU().get(key) + day();\n",
    },
    RenamedProject {
        run: "node --test test/",
        setup: &[],
        files: &[
            (
                "node_modules/mark/package.json",
                r#"{"name":"mark","version":"9.0.0","main":"index.js","types":"lib/mark.d.ts"}"#,
            ),
            ("node_modules/mark/index.js", "exports.mark = (text) => text;\n"),
            (
                "node_modules/mark/lib/mark.d.ts",
                "export declare class Marker {}\nexport declare function mark(text: string): string;\n",
            ),
            ("package.json", r#"{"name":"app","dependencies":{"mark":"9.0.0"}}"#),
            ("answer.js", "const mark = require(\"mark\");\nexports.first = () => mark(1);\n"),
            (
                "test/answer.test.js",
                "const test = require('node:test');\nconst assert = require('node:assert');\nconst { first } = require('../answer.js');\ntest('gets', () => assert.equal(first(), 1));\n",
            ),
        ],
        path: "answer.js",
        expected: "const { mark } = require(\"mark\");\nexports.first = () => mark(1);\n",
    },
    RenamedProject {
        run: "venv/bin/python -m unittest -q",
        setup: &["--setup", "sh install.sh"],
        files: &[
            (
                "answer.py",
                "from store import make_blob, other\n\n\ndef answer():\n    return make_blob(other)\n",
            ),
            (
                "test_answer.py",
                "import unittest\nfrom answer import answer\n\n\nclass Test(unittest.TestCase):\n    def test_answer(self):\n        self.assertEqual(answer(), 42)\n",
            ),
            (
                "install.sh",
                "set -e\npython3 -m venv --without-pip venv\nfor site in venv/lib/python3*/site-packages; do cp -r ../home/lib/. \"$site\"; done\n",
            ),
            ("../home/lib/store.py", "other = 42\n\n\ndef make_block(value):\n    return value\n"),
            (
                "../home/lib/store-2.0.dist-info/METADATA",
                "Metadata-Version: 2.1\nName: store\nVersion: 2.0\n\nChanges in 2.0: replaced ``make_blob()`` by ``make_block()``.\n",
            ),
            ("../home/lib/store-2.0.dist-info/top_level.txt", "store\n"),
            (".gitignore", "venv/\n__pycache__/\n"),
        ],
        path: "answer.py",
        expected: "from store import make_block, other\n\n\ndef answer():\n    return make_block(other)\n",
    },
    RenamedProject {
        run: "cargo test --offline --quiet",
        setup: &[],
        files: &[
            (
                "../home/lib/Cargo.toml",
                "[package]\nname = \"any-store\"\nversion = \"0.3.0\"\nedition = \"2024\"\n",
            ),
            (
                "../home/lib/src/lib.rs",
                "pub fn engine_text(value: u32) -> String {\n    value.to_string()\n}\n",
            ),
            (
                "../home/lib/CHANGELOG.md",
                "## 0.3.0\n\n- rename `encode_all` to `engine_text` (#12)\n",
            ),
            (
                "Cargo.toml",
                "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nany-store = { path = \"{home}/lib\" }\n",
            ),
            (
                "Cargo.lock",
                "version = 4\n\n[[package]]\nname = \"any-store\"\nversion = \"0.3.0\"\n\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\ndependencies = [\n \"any-store\",\n]\n",
            ),
            (
                "src/lib.rs",
                "use any_store::encode_all;\n\npub fn answer() -> String {\n    encode_all(42)\n}\n\n#[test]\nfn forty_two() {\n    assert_eq!(answer(), \"42\");\n}\n",
            ),
        ],
        path: "src/lib.rs",
        expected: "use any_store::engine_text;\n\npub fn answer() -> String {\n    engine_text(42)\n}\n\n#[test]\nfn forty_two() {\n    assert_eq!(answer(), \"42\");\n}\n",
    },
    RenamedProject {
        run: "go test ./...",
        setup: &[],
        files: &[
            ("../home/lib/go.mod", "module example.org/store\n\ngo 1.18\n"),
            (
                "../home/lib/store.go",
                "package store\n\nfunc Text(value int) string { return \"42\" }\n",
            ),
            ("../home/lib/CHANGELOG.md", "## v2\n\n* `store.Encode` → `store.Text`\n"),
            (
                "go.mod",
                "module example.org/app\n\ngo 1.18\n\nrequire example.org/store v0.0.0\n\nreplace example.org/store => {home}/lib\n",
            ),
            (
                "answer.go",
                "package app\n\nimport \"example.org/store\"\n\nfunc Answer() string { return store.Encode(42) }\n",
            ),
            (
                "answer_test.go",
                "package app\n\nimport \"testing\"\n\nfunc TestAnswer(t *testing.T) {\n\tif Answer() != \"42\" {\n\t\tt.Fatal(Answer())\n\t}\n}\n",
            ),
        ],
        path: "answer.go",
        expected: "package app\n\nimport \"example.org/store\"\n\nfunc Answer() string { return store.Text(42) }\n",
    },
];

#[test]
fn a_name_that_the_change_log_of_a_package_replaces_is_written_and_proved() {
    let homes = rust_homes();
    let homes: Vec<_> = homes.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
    for RenamedProject { run, setup, files, path, expected } in RENAMED {
        let env = TestEnv::new();
        let home = env.home().display().to_string();
        for (path, text) in files {
            env.write(path, &text.replace("{home}", &home));
        }
        let given = ["fix", "--provider", "suggestions", "--run", run, "--emit", "worktree"];
        let outcome = env.outcome(&[&given[..], setup].concat(), &homes);
        assert_eq!(outcome["outcome"], "fixed", "{path}: {outcome:#}");
        assert_eq!(env.read(path), expected, "{path}");
    }
}
