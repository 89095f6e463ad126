//! What a fresh clone lacks is installed before the first run, apart from the proof and from the patch.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;

use serde_json::{Value, json};

use crate::batch::{batch, ends, pairs, summary};
use crate::support::TestEnv;

const BROKEN: &str = "from installed.prices import prices\n\n\ndef total():\n    return sum(prics)\n\n\nassert total() == 3\n";

/// Installs a module, as a package manager does, and changes a file of the repository, as some do.
const INSTALL: &str =
    "mkdir -p installed && echo 'prices = [1, 2]' >installed/prices.py && echo ran >>log.txt";

/// Makes a git repository without `.gitignore` whose command needs what the setup installs.
fn repository(env: &TestEnv, folder: &str) {
    env.write(&format!("{folder}/total.py"), &BROKEN.replace("prics", "pricess"));
    env.write(&format!("{folder}/log.txt"), "begin\n");
    env.write(&format!("{folder}/install.sh"), INSTALL);
    commit(env, folder);
}

fn commit(env: &TestEnv, folder: &str) {
    let ran = env.shell(&format!(
        "cd {folder} && git init -q -b main && git add -A && \
         git -c user.name=A -c user.email=a@example.org commit -q -m Begin"
    ));
    assert_eq!(ran.code, 0, "{ran:?}");
}

fn fix<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["fix", "--run", "python3 total.py", "--provider", "suggestions"], more].concat()
}

#[test]
fn a_setup_command_runs_before_the_first_run_and_nothing_of_it_is_in_the_patch() {
    let env = TestEnv::new();
    repository(&env, ".");
    let setup = ["--setup", "sh install.sh", "--setup", "test -f installed/prices.py, || true"];
    let outcome = env.outcome(&fix(&setup), &[]);
    assert_eq!(
        (&outcome["outcome"], &outcome["changed_files"]),
        (&json!("fixed"), &json!(["total.py"])),
        "{outcome:#}"
    );
    let rows = outcome["verify"]["setup"].as_array().unwrap();
    let ran: Vec<_> = rows.iter().map(|row| (&row["command"], &row["exit_code"])).collect();
    let commands = [json!("sh install.sh"), json!("test -f installed/prices.py, || true")];
    assert_eq!(ran, [(&commands[0], &json!(0)), (&commands[1], &json!(0))]);
    assert!(outcome["timings_ms"]["setup"].is_u64());
    assert!(
        !env.read("results/papayu.patch").contains("installed/"),
        "{}",
        env.read("results/papayu.patch")
    );
    // A tracked file is as before, and what was installed stays.
    assert_eq!(env.read("log.txt"), "begin\n");
    assert!(env.repo().join("installed/prices.py").is_file());
}

#[test]
fn a_branch_of_a_repository_without_ignored_files_has_only_the_fix() {
    let env = TestEnv::new();
    repository(&env, "shop");
    env.write(
        "repos.toml",
        "[defaults]\nrun = \"python3 total.py\"\nprovider = \"suggestions\"\nemit = \"branch\"\n\
        setup = \"sh install.sh\"\n\n[[repositories]]\nrepo = \"shop\"\n",
    );
    let ran = batch(&env, &["repos.toml"]);
    assert_eq!(ends(&summary(&env)), pairs(&[("shop", "fixed")]), "{ran:?}");
    let names = env.shell("cd shop && git diff --name-only main $(git branch --list 'papayu/*' --format='%(refname:short)')");
    assert_eq!(names.stdout, "total.py\n", "{names:?}");
}

#[test]
fn a_setup_that_fails_is_named_with_its_last_lines_and_nothing_else_runs() {
    let env = TestEnv::new();
    repository(&env, ".");
    let setup = "echo 'cannot reach the registry' >&2; exit 7";
    let outcome = env.outcome(&fix(&["--setup", setup]), &[]);
    let reason = outcome["reason"].as_str().unwrap();
    let expected = format!(
        "an environment failure: the setup command `{setup}` failed with exit code 7\n  cannot reach the registry"
    );
    assert_eq!(reason, expected, "{outcome:#}");
    assert_eq!(
        (
            &outcome["outcome"], &outcome["error_code"], &outcome["failure_class"],
            &outcome["verify"]["before"]
        ),
        (&json!("not_fixed"), &json!("ERR_SETUP"), &json!("environment"), &Value::Null),
    );
    let outcome = env.outcome(&fix(&["--setup", "sleep 60", "--setup-timeout", "1"]), &[]);
    let reason = outcome["reason"].as_str().unwrap();
    assert!(reason.ends_with("the setup command `sleep 60` did not end in time"), "{reason}");
    let outcome = env.outcome(&fix(&["--setup", "papayu-no-such-program"]), &[]);
    assert!(outcome["reason"].as_str().unwrap().contains("did not start"), "{outcome:#}");
}

#[test]
fn a_setup_that_moves_head_or_removes_git_is_named_and_not_the_command() {
    for (setup, what) in [
        (
            "git -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m x",
            "moves `HEAD` of git",
        ),
        ("rm -rf .git", "removes the folder of git"),
    ] {
        let env = TestEnv::new();
        repository(&env, ".");
        // The sandbox protects the folder of git.
        env.write_user_settings("[run]\nsandbox = \"off\"\n");
        let outcome = env.outcome(&fix(&["--setup", setup]), &[]);
        let expected = format!("an environment failure: the setup command `{setup}` {what}");
        assert_eq!(
            (outcome["reason"].as_str(), outcome["error_code"].as_str()),
            (Some(expected.as_str()), Some("ERR_SETUP")),
            "{outcome:#}"
        );
        assert_eq!(outcome["verify"]["setup"][0]["command"], setup, "{outcome:#}");
        let hint = outcome["hint"].as_str().unwrap();
        assert!(hint.contains("setup command that only installs"), "{hint}");
    }
}

#[test]
fn auto_installs_a_python_project_in_its_own_environment_and_only_once() {
    let env = TestEnv::new();
    // A package as its author's folder; pip needs no registry for a list of nothing.
    env.write("requirements.txt", "# nothing of a registry\n");
    env.write(
        "total.py",
        "import sys\n\n\ndef total(prices):\n    return sum(prics)\n\n\nassert '.venv' in sys.prefix, sys.prefix\nassert total([1, 2]) == 3\n",
    );
    commit(&env, ".");
    let arguments = fix(&["--setup", "auto"]);
    let outcome = env.outcome(&arguments, &[]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    let rows = outcome["verify"]["setup"].as_array().unwrap();
    assert_eq!(rows[0]["command"], "python3 -m venv .venv", "{outcome:#}");
    assert!(!env.read("results/papayu.patch").contains("b/.venv"));
    let again = env.outcome(&arguments, &[]);
    assert_eq!(
        (&again["outcome"], &again["verify"]["setup"]),
        (&json!("fixed"), &Value::Null),
        "{again:#}"
    );
    fs::remove_file(env.repo().join("requirements.txt")).unwrap();
    env.write("requirements.txt", "# changed since\n");
    let changed = env.outcome(&arguments, &[]);
    assert_eq!(changed["verify"]["setup"].as_array().unwrap().len(), rows.len(), "{changed:#}");
}

#[test]
fn a_setup_that_fails_is_shown_from_its_first_error_with_the_step_for_it() {
    let env = TestEnv::new();
    repository(&env, ".");
    let output = "npm error code EUSAGE\nnpm error\nnpm error The `npm ci` command can only install with an existing package-lock.json or\nnpm error npm-shrinkwrap.json with lockfileVersion >= 1.\n";
    let help = "npm error option a\nnpm error option b\n".repeat(40) + "npm error option 39\n";
    env.write("output.txt", &format!("{output}{help}"));
    let outcome = env.outcome(&fix(&["--setup", "cat output.txt; exit 1"]), &[]);
    assert_eq!(outcome["error_code"], "ERR_SETUP", "{outcome:#}");
    let reason = outcome["reason"].as_str().unwrap();
    assert!(reason.contains("can only install with an existing package-lock.json"), "{reason}");
    assert!(!reason.contains("option 39"), "{reason}");
    assert!(
        outcome["hint"].as_str().unwrap().starts_with("package-lock.json is missing"),
        "{outcome:#}"
    );
}

#[test]
fn a_lock_file_that_a_merge_or_a_cut_broke_is_named() {
    for (lock, shown) in [
        (
            "{\n<<<<<<< HEAD\n  \"a\": 1\n=======\n  \"a\": 2\n>>>>>>> other\n}\n",
            "has the markers of a merge conflict",
        ),
        ("{\n  \"lockfileVersion\": 3,\n  \"pack", "is no valid JSON"),
    ] {
        let env = TestEnv::new();
        env.write("package-lock.json", lock);
        let said = "echo 'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.'; exit 1";
        for words in
            [["--setup", said, "--run", "true"], ["--run", said, "--provider", "suggestions"]]
        {
            let outcome = env.outcome(&[&["fix"], &words[..]].concat(), &[]);
            let hint = outcome["hint"].as_str().unwrap();
            assert!(hint.starts_with(&format!("`package-lock.json` {shown}")), "{outcome:#}");
        }
    }
}
