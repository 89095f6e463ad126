//! The whole text that runs print, at several widths, compared with committed files.

use std::fmt::Write as _;

use regex::Regex;

use crate::first_commands::misspelt;
use crate::fix::red;
use crate::model::{Model, patch, plan};
use crate::support::{TestEnv, assert_committed_text};

/// Returns a text without what differs between machines and runs: paths, ids, times.
fn redacted(env: &TestEnv, text: &str) -> String {
    let mut text = text.replace(&env.repo().display().to_string(), "/repo");
    for (pattern, replacement) in [
        ("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "RUN-ID"),
        (r"\b[0-9]+\.[0-9] s\b", "N s"),
        // A busy machine notices the limit of one second later.
        ("within [0-9] s", "within N s"),
        (r"127\.0\.0\.1:[0-9]+", "HOST"),
    ] {
        text = Regex::new(pattern).unwrap().replace_all(&text, replacement).into_owned();
    }
    text
}

/// Runs the program as in a terminal of each width, and compares what it prints on both streams.
fn assert_printed(name: &str, env: &TestEnv, command: &str, variables: &[(&str, &str)]) {
    let mut all = String::new();
    for width in ["40", "80", "120", "200"] {
        // What an earlier run left must not matter.
        let _ = env.shell("rm -rf count .papa-yu results");
        let variables = [variables, &[("COLUMNS", width)]].concat();
        let mut set = String::new();
        for (name, value) in variables {
            let _ = write!(set, "{name}='{value}' ");
        }
        let ran = env.shell(&format!("{set} \"$BIN\" {command} 2>&1"));
        let printed = redacted(env, &ran.stdout);
        for word in ["null", "[trace]", "not_fixed", "\u{1b}"] {
            assert!(!printed.contains(word), "{word}: {printed}");
        }
        let _ = write!(all, "=== {width} columns, exit code {}\n{printed}", ran.code);
    }
    assert_committed_text(&format!("tests/endings/{name}.txt"), &all);
}

#[test]
fn a_run_that_the_tools_fix() {
    assert_printed("quickfix", &misspelt(), "fix", &[]);
}

#[test]
fn a_run_that_a_recorded_model_fixes() {
    let env = red();
    let model = Model::serve([plan("write 42"), patch("answer.py", crate::fix::RIGHT)]);
    let recorded =
        env.run_with(&["fix", "--run", "sh check.sh", "--record", "fix.jsonl"], &model.variables());
    assert_eq!(recorded.code, 0, "{recorded:?}");
    assert_printed("model", &env, "fix --run 'sh check.sh' --provider replay:fix.jsonl", &[]);
}

#[test]
fn a_run_that_nothing_fixes() {
    let env = misspelt();
    env.write("shop.py", &env.read("shop.py").replace("prce for", "price + 1 for"));
    assert_printed("not_fixed", &env, "fix", &[]);
}

#[test]
fn a_run_that_the_policy_refuses() {
    let env = red();
    env.write("tests/test_answer.py", "def test_answer():\n    assert answer() == 42\n");
    env.write("check.sh", "echo 'tests/test_answer.py:2: error: expected 42, found 41'\nexit 1\n");
    let weaker = "@@ -1,2 +1,2 @@\n def test_answer():\n-    assert answer() == 42\n+    pass\n";
    let reply = || [plan("drop the test"), patch("tests/test_answer.py", weaker)];
    let again = || patch("tests/test_answer.py", weaker);
    let script = || [reply().to_vec(), vec![again()]].concat();
    let model = Model::serve((0..4).flat_map(|_| script()));
    let variables = [&model.variables()[..], &[("PAPAYU_MAX_ATTEMPTS", "1")]].concat();
    assert_printed("refused", &env, "fix --run 'sh check.sh'", &variables);
}

#[test]
fn a_run_whose_failure_is_a_flake() {
    let env = TestEnv::new();
    env.write("said.txt", "TAP version 13\nok 1 - one\nnot ok 2 - drains\n  ---\n  failureType: 'testTimeoutFailure'\n  error: 'test timed out after 200ms'\n  code: 'ERR_TEST_FAILURE'\n  ...\n1..2\n# pass 1\n");
    env.write(
        "check.sh",
        "echo x >> count\ntest $(wc -l < count) -gt 2 && exit 0\ncat said.txt; exit 1\n",
    );
    assert_printed("flake", &env, "fix --run 'sh check.sh'", &[]);
}

#[test]
fn a_run_that_the_machine_failed() {
    let env = TestEnv::new();
    env.write("check.sh", "echo 'error: failed to write lib.rmeta: No space left on device (os error 28)'\nexit 101\n");
    assert_printed("infrastructure", &env, "fix --run 'sh check.sh'", &[]);
}

#[test]
fn a_run_whose_command_reaches_its_time_limit() {
    let env = TestEnv::new();
    env.write("check.sh", "echo 'FAILED test_a.py::test_one - assert 1 == 2'\nsleep 60\n");
    assert_printed("time_out", &env, "fix --run 'sh check.sh' --verify-timeout 1", &[]);
}

#[test]
fn a_run_that_fixes_one_of_two_failures() {
    let env = misspelt();
    let test = "    def test_tax(self):\n        self.assertEqual(1, 2)\n";
    env.write("test_shop.py", &format!("{}\n{test}", env.read("test_shop.py")));
    assert_printed("partial", &env, "fix", &[]);
}

#[test]
fn a_run_that_passes_at_once() {
    assert_printed("nothing_to_fix", &TestEnv::new(), "fix --run true", &[]);
}

#[test]
fn a_batch_of_twelve_with_one_that_stays_broken() {
    let env = TestEnv::new();
    let mut manifest = String::new();
    for number in 1..=12 {
        let name = format!("service-{number:02}");
        let found = if number == 7 { "41" } else { "42" };
        env.write(&format!("{name}/check.sh"), &format!("test {found} = 42 && exit 0\necho 'answer.py:2: error: expected 42, found {found}'\nexit 1\n"));
        let _ = writeln!(manifest, "[[repositories]]\nrepo = \"{name}\"\nrun = \"sh check.sh\"");
    }
    env.write("repos.toml", &manifest);
    assert_printed("batch", &env, "batch repos.toml --jobs 1 --out results", &[]);
}
