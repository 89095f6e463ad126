//! Whole runs: commands that commit, edit or delete tracked files, repeat old output, hide failures, hang or leave
//! processes.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::TestEnv;

/// A git repository with a wrong sum, and `check.sh`, which runs its test between two texts.
fn shop(before: &str, after: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write("shop/__init__.py", "");
    env.write("shop/cart.py", "def add(a, b):\n    return a - b\n");
    env.write("tests/__init__.py", "");
    env.write(
        "tests/test_add.py",
        "import unittest\nfrom shop import cart\n\n\nclass Test(unittest.TestCase):\n    \
         def test_add(self):\n        self.assertEqual(cart.add(7, 4), 11)\n",
    );
    let script =
        format!("{before}\npython3 -m unittest -v tests.test_add\ncode=$?\n{after}\nexit $code\n");
    env.write("check.sh", &script);
    let made = env.shell(
        "git init -q && git config user.name a && git config user.email a@example.org && git add . && git commit -qm a",
    );
    assert_eq!(made.code, 0, "{made:?}");
    env
}

fn apply(env: &TestEnv, body: &str, flags: &[&str]) -> Value {
    let digest = papayu_base::domain::Sha256::of(env.read("shop/cart.py").as_bytes()).to_string();
    let action = json!({
        "kind": "REPLACE_RANGE", "path": "shop/cart.py", "base_sha256": digest,
        "start_line": 2, "end_line": 2, "content": format!("    {body}\n")
    });
    let reply = json!({"actions": [action], "summary": "a change"}).to_string();
    env.write("../home/plan.json", &reply);
    let begin = ["apply", "--plan", "../home/plan.json", "--run", "sh check.sh"];
    env.outcome(&[&begin, flags].concat(), &[])
}

const OLD: &str = "def add(a, b):\n    return a - b\n";

fn assert_not_fixed(env: &TestEnv, outcome: &Value, reason: &str) {
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
    assert!(outcome["reason"].as_str().unwrap().contains(reason), "{reason}: {outcome:#}");
    assert_eq!(env.read("shop/cart.py"), OLD);
}

#[test]
fn a_command_that_commits_cannot_prove_a_fix() {
    let env = shop("", "date +%s%N > log.txt; git add log.txt; git commit -qm log");
    let outcome = apply(&env, "return a + b", &[]);
    assert_not_fixed(&env, &outcome, "moves `HEAD` of git");
    let env = shop("", "git commit -qam fix || true");
    let outcome = apply(&env, "return a + b", &[]);
    assert_not_fixed(&env, &outcome, "moves `HEAD` of git");
}

#[test]
fn tracked_files_that_the_command_edits_are_as_before_in_each_run() {
    for after in [
        "sed -i 's/a - b/a + b/; s/a \\* b/a + b/' shop/cart.py",
        "sed -i 's/11/28/' tests/test_add.py",
        "sed -i 's/^    def test/    def no_test/' tests/test_add.py",
        "echo 'true' > check.sh.new; mv check.sh.new check.sh",
    ] {
        let env = shop("", after);
        let outcome = apply(&env, "return a * b - 1", &[]);
        assert_not_fixed(&env, &outcome, "");
        let outcome = apply(&env, "return a + b", &["--emit", "worktree"]);
        assert_eq!(outcome["outcome"], "fixed", "{after}: {outcome:#}");
        assert_eq!(env.read("shop/cart.py"), "def add(a, b):\n    return a + b\n");
        let changed = env.shell("git status --porcelain --untracked-files=no");
        assert_eq!(changed.stdout, " M shop/cart.py\n", "{after}");
        let hint = outcome["hint"].as_str().unwrap();
        assert!(hint.contains("files changed while the command ran"), "{outcome:#}");
        let kept = env.shell("find .papa-yu/cache/restored -type f | wc -l");
        assert_ne!(kept.stdout.trim(), "0", "{after}");
    }
}

#[test]
fn a_command_that_makes_the_fix_itself_proves_nothing() {
    let count = "n=$(cat .git/count 2>/dev/null || echo 0); echo $((n + 1)) > .git/count";
    let before = format!("{count}\n[ $n -ge 1 ] && sed -i '2s/.*/    return a + b/' shop/cart.py");
    let env = shop(&before, "");
    let outcome = apply(&env, "return a * b", &[]);
    assert_not_fixed(&env, &outcome, "flaky_command: ");
}

#[test]
fn a_command_that_deletes_the_tree_or_takes_the_change_back_is_noticed() {
    let env = shop("", "rm -rf shop tests");
    let outcome = apply(&env, "return a + b", &[]);
    assert_not_fixed(&env, &outcome, "taken the change of `shop/cart.py` back");
    assert_eq!(env.shell("git status --porcelain -uno").stdout, "");
    let env = shop("", "rm -rf shop tests .git");
    let outcome = apply(&env, "return a + b", &[]);
    assert_ne!(outcome["outcome"], "fixed", "{outcome:#}");
    for reset in ["git checkout -q -- shop", "git stash -q", "git reset -q --hard"] {
        let env = shop("", &format!("{reset}; code=0"));
        let outcome = apply(&env, "return a * b", &[]);
        assert_not_fixed(&env, &outcome, "");
    }
}

#[test]
fn old_output_and_hidden_failures_prove_nothing() {
    let said =
        "test_add (tests.test_add.Test.test_add) ... ok\\n\\nRan 1 test in 0.000s\\n\\nOK\\n";
    let before = format!("if [ -e .git/ran ]; then printf '{said}'; exit 0; fi\ntouch .git/ran");
    let env = shop(&before, "");
    let outcome = apply(&env, "return a * b", &[]);
    assert_not_fixed(&env, &outcome, "flaky_command: ");
    let env = shop("", "code=0");
    let outcome = apply(&env, "return a * b", &[]);
    assert_not_fixed(&env, &outcome, "");
    let env =
        shop("", "python3 -m unittest -v tests.test_add > .git/log 2>&1; cat .git/log; exit 0");
    let outcome = apply(&env, "return a * b", &[]);
    assert_not_fixed(&env, &outcome, "");
}

#[test]
fn a_command_that_hangs_or_leaves_processes_is_ended() {
    let env = shop("grep -q 'a - b' shop/cart.py || sleep 60", "");
    let outcome = apply(&env, "return a + b", &["--verify-timeout", "3"]);
    assert_not_fixed(&env, &outcome, "does not end in time");
    let late = "(setsid sh -c 'sleep 1; echo x > late.txt' > /dev/null 2>&1 &)";
    let env = shop("", late);
    let outcome = apply(&env, "return a + b", &[]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(!env.tree().contains_key(std::path::Path::new("late.txt")));
}

#[test]
fn code_that_rewrites_the_tests_while_they_run_is_not_proved_by_them() {
    let env = shop("", "");
    let body = "open('tests/test_add.py', 'w').write('import unittest\\n') and 0\n    return a - b";
    let outcome = apply(&env, body, &[]);
    assert_not_fixed(&env, &outcome, "");
    assert!(env.read("tests/test_add.py").contains("assertEqual(cart.add(7, 4), 11)"));
}

#[test]
fn a_command_that_formats_the_tree_is_named_with_the_files() {
    let format = "for file in shop/*.py; do echo '# formatted' >> $file; done";
    let env = shop(format, "");
    env.write("shop/cart.py", OLD);
    let outcome = env.outcome(&["fix", "--run", "sh check.sh", "--provider", "suggestions"], &[]);
    let hint = outcome["hint"].as_str().unwrap();
    let said = "files changed while the command ran, and were restored after each run: \
                `shop/__init__.py`, `shop/cart.py`; those versions, and edits of yours, are in `.papa-yu/cache/restored/";
    assert!(hint.contains(said), "{hint}");
    assert_eq!(env.read("shop/cart.py"), OLD);
}

#[test]
fn a_lock_file_that_the_command_changes_stays_and_is_named() {
    let env = shop("echo changed >> go.sum", "");
    env.write("go.sum", "begin\n");
    assert_eq!(
        env.shell(
            "git add go.sum && git -c user.name=A -c user.email=a@example.org commit -q -m sum"
        )
        .code,
        0
    );
    let outcome = env.outcome(&["fix", "--run", "sh check.sh"], &[]);
    let hint = outcome["hint"].as_str().unwrap_or_default();
    let said =
        "the command itself changed `go.sum`: the folder has its version, and the patch has not";
    assert!(hint.contains(said), "{outcome:#}");
    assert!(env.read("go.sum").contains("changed"));
}

#[test]
fn a_tracked_folder_that_the_command_replaces_by_a_link_is_restored() {
    let env = shop("", "mv shop ../shop-of-others && ln -s ../shop-of-others shop");
    env.write("shop/cart.py", OLD);
    let outcome = env.outcome(&["fix", "--run", "sh check.sh", "--provider", "suggestions"], &[]);
    assert_ne!(outcome["outcome"], "fixed", "{outcome:#}");
    let is_link = env.shell("test -L shop");
    assert_eq!((is_link.code, env.read("shop/cart.py")), (1, OLD.to_owned()));
}

#[test]
fn untracked_outputs_and_uncommitted_edits_stay() {
    let env = shop("mkdir -p build; date +%s%N | tee build/out.txt > snapshot.snap", "");
    env.write("snapshot.snap", "old\n");
    env.write("shop/__init__.py", "# an edit that is not committed\n");
    let outcome = apply(&env, "return a + b", &["--emit", "worktree"]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert!(!outcome["hint"].to_string().contains("restored"), "{outcome:#}");
    assert_eq!(env.read("shop/__init__.py"), "# an edit that is not committed\n");
    assert_eq!(env.read("snapshot.snap"), env.read("build/out.txt"));
}
