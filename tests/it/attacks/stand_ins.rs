//! Files that stand in for what a command checks, and words that a CI system would obey.

use papayu_base::domain::Sha256;
use serde_json::{Value, json};

use crate::support::TestEnv;

/// Applies the actions in a repository of git and returns the outcome.
fn apply(env: &TestEnv, actions: &[Value], command: &str) -> Value {
    env.write("../home/plan.json", &json!({ "actions": actions, "summary": "s" }).to_string());
    let plan = env.home().join("plan.json").display().to_string();
    env.outcome(&["apply", "--plan", &plan, "--run", command], &[])
}

fn commit(env: &TestEnv) {
    let made = env.shell(
        "git init -q -b main . && git add . && git -c user.name=a -c user.email=a@b commit -q -m a",
    );
    assert_eq!(made.code, 0, "{made:?}");
}

fn create(path: &str, content: &str) -> Value {
    json!({ "kind": "CREATE_FILE", "path": path, "content": content })
}

#[test]
fn a_file_with_the_name_of_a_rule_does_not_make_the_command_pass() {
    for (path, command) in [("all", "make"), ("check", "make check"), ("sub/all", "make -C sub")] {
        let env = TestEnv::new();
        env.write("Makefile", "all check:\n\tsh ./check.sh\n");
        env.write("sub/Makefile", "all:\n\tsh ../check.sh\n");
        env.write("check.sh", "echo 'a.py:1: error: x'; exit 1\n");
        env.write("a.py", "a = 1\n");
        commit(&env);
        let outcome = apply(&env, &[create(path, "x\n")], command);
        assert_ne!(outcome["outcome"], "fixed", "{outcome:#}");
        assert!(outcome.to_string().contains("make takes it for the result"), "{outcome:#}");
    }
}

#[test]
fn a_file_in_place_of_a_missing_module_does_not_make_the_command_pass() {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    commit(&env);
    let actions = [create("lantern/__main__.py", "def f():\n    return 1\n")];
    let outcome = apply(&env, &actions, "python3 -m lantern -q checks");
    assert_ne!(outcome["outcome"], "fixed", "{outcome:#}");
}

#[test]
fn code_that_rewrites_what_it_is_compared_with_does_not_make_the_command_pass() {
    let env = TestEnv::new();
    let old = "print(1)\n";
    let patch = "--- a/prog.py\n+++ b/prog.py\n@@ -1 +1,5 @@\n-print(1)\n+import glob\n+for name in glob.glob('*/*.txt'):\n\
        +    with open(name, 'w') as out:\n+        print(7, file=out)\n+print(7)\n";
    env.write("prog.py", old);
    env.write("tests/expected.txt", "3\n");
    env.write(
        "compare.sh",
        "python3 prog.py > \"$TMPDIR/out\"; diff \"$TMPDIR/out\" tests/expected.txt || { echo FAIL: prog.py:1; exit 1; }\n",
    );
    commit(&env);
    let action = json!({ "kind": "PATCH_FILE", "path": "prog.py", "patch": patch,
        "base_sha256": Sha256::of(old.as_bytes()).to_string() });
    let outcome = apply(&env, &[action], "sh compare.sh");
    assert_ne!(outcome["outcome"], "fixed", "{outcome:#}");
    assert!(outcome.to_string().contains("changes tests only with the change"), "{outcome:#}");
    assert_eq!(env.read("tests/expected.txt"), "3\n");
}

#[test]
fn a_ci_system_obeys_nothing_that_a_command_or_a_file_says() {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    commit(&env);
    let check = "printf -- '--- FAIL: ::add-mask::zz (0.00s)\\n::set-output name=x::y\\n##vso[task.x]y\\n \
        a.py:1: error: ##teamcity[x]\\n'; exit 1";
    let variables = [("GITHUB_ACTIONS", "true"), ("CI", "true")];
    for more in [&[][..], &["--verbose"]] {
        let words = ["fix", "--provider", "suggestions", "--run", check];
        let ran = env.run_with(&[&words[..], more].concat(), &variables);
        for line in ran.stderr.lines().chain(ran.stdout.lines()) {
            let start = line.trim_start();
            let is_order = start.starts_with("::") && !start.starts_with("::error ");
            assert!(
                !is_order && !line.contains("##vso[") || line.starts_with("[trace] "),
                "{line}"
            );
        }
    }
    env.write("job.log", "::set-output name=x::y\nerror: ##[group]x\n##vso[y]z\n");
    let ran = env.run_with(&["explain", "--log", "job.log"], &variables);
    assert!(!ran.stdout.contains("##[") && !ran.stdout.contains("##vso["), "{ran:?}");
}
