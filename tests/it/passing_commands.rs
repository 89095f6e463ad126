//! Commands that pass although something is wrong: failures in their output, and runs without a test.

use serde_json::{Value, json};

use crate::support::TestEnv;

/// Runs `fix` with a command that prints a text and passes.
fn fix_passing(output: &str, command: &str) -> Value {
    let env = TestEnv::new();
    env.write("output.txt", output);
    env.outcome(&["fix", "--run", command], &[])
}

fn end(outcome: &Value) -> (&str, i64) {
    (outcome["outcome"].as_str().unwrap(), outcome["exit_code"].as_i64().unwrap())
}

/// Outputs of commands that failed, each with a text that the reason contains.
const FAILURES: [(&str, &str); 9] = [
    (
        "==================================== ERRORS ====================================\n\
         _____________________ ERROR collecting tests/test_shop.py ______________________\n\
         ImportError while importing test module '/home/me/shop/tests/test_shop.py'.\n\
         Hint: make sure your test modules/packages have valid Python names.\n\
         Traceback:\n\
         tests/test_shop.py:1: in <module>\n    from shop import totl\n\
         E   ImportError: cannot import name 'totl' from 'shop' (/home/me/shop/shop.py)\n\
         =========================== short test summary info ============================\n\
         ERROR tests/test_shop.py\n\
         !!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n\
         1 error in 0.05s\n",
        "cannot import name 'totl'",
    ),
    (
        "ImportError: cannot import name 'totl' from 'shop' (/home/me/shop/shop.py)\n3 passed, 1 error in 0.05s\n",
        "although its output shows failures",
    ),
    (
        "# example.com/shop\n./shop.go:4:9: undefined: totl\nFAIL\texample.com/shop [build failed]\nFAIL\n",
        "undefined: totl",
    ),
    (
        "# example.com/shop\n./shop.go:4:9: undefined: totl\nFAIL\texample.com/shop [build failed]\nok  \texample.com/cart\t0.002s\nFAIL\n",
        "undefined: totl",
    ),
    (
        "javac -d out src/Shop.java\nsrc/Shop.java:3: error: cannot find symbol\n        return totl;\n               ^\n  symbol:   variable totl\n  location: class Shop\n1 error\nmake: *** [Makefile:2: test] Error 1\n",
        "cannot find symbol",
    ),
    (
        "gcc -c shop.c\nshop.c:3:12: error: 'totl' undeclared (first use in this function)\n    3 |     return totl;\n      |            ^~~~\nmake: *** [Makefile:2: shop.o] Error 1\n",
        "'totl' undeclared",
    ),
    (
        "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[ERROR] COMPILATION ERROR :\n[ERROR] /home/me/shop/src/main/java/Shop.java:[3,16] cannot find symbol\n[INFO] BUILD FAILURE\n",
        "cannot find symbol",
    ),
    (
        "\n/home/me/shop/src/a.js\n  1:7  error  'x' is assigned a value but never used  no-unused-vars\n\n\u{2716} 1 problem (1 error, 0 warnings)\n",
        "never used",
    ),
    (
        "Traceback (most recent call last):\n  File \"/home/me/shop/run.py\", line 1, in <module>\n    import shp\nModuleNotFoundError: No module named 'shp'\n",
        "No module named 'shp'",
    ),
];

#[test]
fn failures_of_any_kind_in_the_output_of_a_passing_command_are_never_nothing_to_fix() {
    for (output, shown) in FAILURES {
        let outcome = fix_passing(output, "cat output.txt | cat");
        assert_eq!(end(&outcome), ("not_fixed", 1), "{output}\n{outcome:#}");
        let reason = outcome["reason"].as_str().unwrap();
        assert!(reason.contains("although its output shows failures"), "{reason}");
        assert!(reason.contains(shown), "{reason}");
    }
}

#[test]
fn a_pipe_that_passes_is_judged_by_the_exit_codes_of_all_its_commands() {
    for (command, outcome) in [
        ("python3 -m unittest 2>&1 | tail -1", "not_fixed"),
        ("sh -c 'echo 3 failing; exit 2' | cat", "not_fixed"),
        ("echo done | cat", "nothing_to_fix"),
        ("yes | head -1", "nothing_to_fix"),
    ] {
        let env = TestEnv::new();
        let test = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 2)\n";
        env.write("test_a.py", test);
        let ended = env.outcome(&["fix", "--run", command], &[]);
        assert_eq!(ended["outcome"], outcome, "{command}: {ended:#}");
        let reason = ended["reason"].as_str().unwrap();
        let is_refused = reason.contains("ends with exit code 0 although ");
        assert_eq!(is_refused, outcome == "not_fixed", "{reason}");
    }
}

#[test]
fn a_command_that_corrects_files_itself_is_named_as_such() {
    let env = TestEnv::new();
    env.write("a.txt", "one\n");
    let commit = "git init -q . && git add -A && git -c user.name=A -c user.email=a@example.org commit -q -m x";
    assert_eq!(env.shell(commit).code, 0);
    let ended = env.outcome(&["fix", "--run", "sed -i s/one/two/ a.txt"], &[]);
    let reason =
        "`sed -i s/one/two/ a.txt` passes, and changes `a.txt` itself; these changes are not kept";
    assert_eq!((&ended["outcome"], &ended["reason"]), (&json!("nothing_to_fix"), &json!(reason)));
}

#[test]
fn the_next_step_names_the_part_of_the_command_that_hides_the_exit_code() {
    let output = FAILURES[0].0;
    for (command, hint) in [
        ("cat output.txt | cat", "a pipe has the exit code of its last command"),
        ("(cat output.txt; exit 1) || true", "`||` replaces the exit code"),
        ("cat output.txt; true", "join its commands with `&&`"),
        ("cat output.txt", "name a command that fails"),
    ] {
        let outcome = fix_passing(output, command);
        let text = outcome["hint"].as_str().unwrap();
        assert!(text.contains(hint), "{command}: {text}");
    }
}

#[test]
fn what_passing_tests_and_linters_print_is_no_failure() {
    for output in [
        "test shop ... ok\nerror: this text is what the test prints\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
        "Traceback (most recent call last):\n  File \"/home/me/shop/run.py\", line 1, in <module>\n    import shp\nModuleNotFoundError: No module named 'shp'\n3 passed in 0.02s\n",
        "\n/home/me/shop/src/a.js\n  1:7  warning  'x' is assigned a value but never used  no-unused-vars\n\n\u{2716} 1 problem (0 errors, 1 warning)\n",
        "warning: unused variable: `x`\n --> src/lib.rs:2:9\n  |\n2 |     let x = 1;\n  |         ^ help: if this is intentional, prefix it with an underscore: `_x`\n\nwarning: `shop` (lib) generated 1 warning\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.10s\n",
        "0 errors, 3 files checked\nall is well\n",
    ] {
        let outcome = fix_passing(output, "cat output.txt");
        assert_eq!(end(&outcome), ("nothing_to_fix", 0), "{output}\n{outcome:#}");
    }
}

#[test]
fn a_passing_command_that_says_that_no_test_ran_is_not_green() {
    for output in [
        "\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nOK\n",
        "?   \texample.com/shop\t[no test files]\n",
        "No tests found, exiting with code 0\n",
        "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n",
    ] {
        let outcome = fix_passing(output, "cat output.txt");
        assert_eq!(end(&outcome), ("not_fixed", 1), "{output}\n{outcome:#}");
        let reason = "`cat output.txt` ends with exit code 0, but no test ran";
        assert_eq!(outcome["reason"], reason);
    }
    let outcome = fix_passing("3 skipped in 0.01s\n", "cat output.txt");
    assert!(outcome["reason"].as_str().unwrap().ends_with("no test ran (3 skipped)"), "{outcome}");
}

#[test]
fn a_task_of_a_batch_whose_command_runs_no_test_is_not_green() {
    let env = TestEnv::new();
    for name in ["empty", "tested"] {
        env.write(&format!("{name}/pyproject.toml"), "[project]\nname = \"shop\"\n");
        env.write(&format!("{name}/shop.py"), "total = 1\n");
    }
    let test = "import unittest\n\n\nclass Shop(unittest.TestCase):\n    def test_shop(self):\n        self.assertTrue(True)\n";
    env.write("tested/test_shop.py", test);
    env.write(
        "repos.toml",
        "[defaults]\nrun = \"python3 -m unittest || true\"\n[[repositories]]\nname = \"empty\"\nrepo = \"empty\"\n[[repositories]]\nname = \"tested\"\nrepo = \"tested\"\n",
    );
    let ran = env.run(&["batch", "repos.toml", "--out", "out"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let summary: Value = serde_json::from_str(&env.read("out/summary.json")).unwrap();
    let rows = summary["tasks"].as_array().unwrap().iter();
    let ends: Vec<_> = rows.map(|row| json!([row["name"], row["outcome"]])).collect();
    assert_eq!(ends, [json!(["empty", "not_fixed"]), json!(["tested", "nothing_to_fix"])]);
}

#[test]
fn a_runner_that_is_missing_behind_an_operator_is_a_failure() {
    let missing = "no-such-runner-here";
    for command in [
        &format!("{missing} | cat"),
        &format!("{missing} -q || true"),
        &format!("{missing}; true"),
        "python3 -m no_such_runner_here || true",
        "npx --no-install no-such-runner-here 2>&1 | tail -n 20",
    ] {
        let outcome = fix_passing("", command);
        assert_eq!(end(&outcome), ("not_fixed", 1), "{command}: {outcome:#}");
        let reason = outcome["reason"].as_str().unwrap();
        assert!(reason.contains("although its output shows failures: "), "{reason}");
    }
    // The exit code of a command without such an operator is that of all its parts.
    let outcome = fix_passing("sh: 1: husky: not found\n", "cat output.txt");
    assert_eq!(end(&outcome), ("nothing_to_fix", 0), "{outcome:#}");
}

#[test]
fn a_log_with_a_failure_that_the_command_does_not_show_is_not_fixed() {
    let red = "FAILED test_a.py::test_a - assert 4 == 3\n=== 1 failed in 0.02s ===\n";
    for (log, shown) in [
        (red, "assert 4 == 3"),
        (
            "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com\n",
            "Could not resolve host",
        ),
    ] {
        let env = TestEnv::new();
        env.write("red.txt", log);
        let ended = env.outcome(&["fix", "--log", "red.txt", "--run", "true"], &[]);
        assert_eq!(end(&ended), ("not_fixed", 1), "{ended:#}");
        let reason = ended["reason"].as_str().unwrap();
        let expected = "`true` passes here and does not show the failure of the log: ";
        assert!(reason.starts_with(expected) && reason.contains(shown), "{reason}");
        assert!(ended["hint"].as_str().unwrap().contains("environment variables"), "{ended:#}");
    }
    let env = TestEnv::new();
    env.write("green.txt", "=== 3 passed in 0.02s ===\n");
    let ended = env.outcome(&["fix", "--log", "green.txt", "--run", "true"], &[]);
    assert_eq!(end(&ended), ("nothing_to_fix", 0), "{ended:#}");
    assert_eq!(ended["reason"], "`true` passes as it is, and the log shows no failure");
}

#[test]
fn a_command_that_runs_no_test_after_the_change_proves_nothing() {
    for ran in ["?   \texample.com/shop\t[no test files]", "# tests 0\n# pass 0\n# fail 0", "1..0"]
    {
        let env = TestEnv::new();
        env.write("shop.py", "prices = [1]\nprint(pricess)\n");
        env.write("ran.txt", &format!("{ran}\n"));
        let command = "python3 shop.py && cat ran.txt";
        let ended = env.outcome(&["fix", "--run", command], &[]);
        assert_eq!(end(&ended), ("not_fixed", 1), "{ran}: {ended:#}");
        let reason = ended["reason"].as_str().unwrap();
        assert!(
            reason.contains("does not prove the fix") && reason.contains("no test ran"),
            "{reason}"
        );
        let hint = "name a command that runs tests, or one that only builds, with `--run`; or correct the names and folders that the test runner looks for";
        assert_eq!(ended["hint"], hint);
    }
}

#[test]
fn the_next_step_after_a_change_without_the_required_proof_names_the_requirement() {
    let env = TestEnv::new();
    env.write("shop.py", "prices = [1]\nprint(pricess)\n");
    let words = ["fix", "--run", "python3 shop.py", "--require-proof", "tests"];
    let ended = env.outcome(&words, &[]);
    assert_eq!(end(&ended), ("not_fixed", 1), "{ended:#}");
    assert!(ended["hint"].as_str().unwrap().contains("`--require-proof`"), "{ended:#}");
}

#[test]
fn a_command_that_could_show_no_failure_is_not_green() {
    let command = "sh check.sh > out.log 2>&1 || true";
    let outcome = fix_passing("", command);
    assert_eq!(end(&outcome), ("not_fixed", 1), "{outcome:#}");
    let reason = format!("`{command}` ends with exit code 0 after any failure, and prints nothing");
    assert_eq!(outcome["reason"], reason);
    // The last command may be the check.
    let outcome = fix_passing("", "cd .; test -f output.txt");
    assert_eq!(end(&outcome), ("nothing_to_fix", 0), "{outcome:#}");
    let reason = outcome["reason"].as_str().unwrap();
    assert!(reason.ends_with("; a failure before `;` does not change its exit code"), "{reason}");
}

#[test]
fn a_command_without_words_is_refused() {
    let env = TestEnv::new();
    env.write("test_a.py", "import unittest\n");
    for words in [["--run", ""], ["--run", "  "], ["--guard", ""], ["--setup", ""]] {
        let ran = env.run(&[&["fix"], &words[..]].concat());
        assert_eq!(ran.code, 2, "{words:?}: {ran:?}");
        assert!(ran.stderr.contains("the command is empty"), "{ran:?}");
    }
}
