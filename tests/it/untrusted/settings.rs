//! The repository's settings file, written by somebody who wants more than the user permits.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::{patch, reply};
use crate::support::{Ran, TestEnv};

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    env.write("../home/plan.json", &reply(&json!([patch("a.py", "a = 1\n")])));
    env
}

fn apply(env: &TestEnv, flags: &[&str]) -> Ran {
    let words = ["apply", "--plan", "../home/plan.json", "--run", "grep -q 'a = 2' a.py"];
    env.run(&[&words[..], flags].concat())
}

#[test]
fn a_settings_file_that_is_no_file_of_the_repository_is_refused_and_not_quoted() {
    let env = env();
    env.write("../home/secret", "token = \"hunter2-in-a-file\"\n");
    let path = env.repo().join("papayu.toml");
    symlink(env.home().join("secret"), &path).unwrap();
    let ran = env.run(&["doctor"]);
    assert_eq!(ran.stderr, "error: cannot read `./papayu.toml`: it is a link\n", "{ran:?}");
    fs::remove_file(&path).unwrap();
    symlink("a.py", &path).unwrap();
    assert_eq!(env.run(&["doctor"]).code, 2, "also a link that stays inside");
    fs::remove_file(&path).unwrap();
    assert_eq!(env.shell("mkfifo papayu.toml").code, 0);
    let ran = env.run(&["doctor"]);
    assert_eq!(ran.stderr, "error: cannot read `./papayu.toml`: it is not a regular file\n");
    fs::remove_file(&path).unwrap();
    env.write("papayu.toml", &"# 0123456789abcdef\n".repeat(100_000));
    let ran = env.run(&["doctor"]);
    assert!(ran.code == 2 && ran.stderr.contains("is longer than 1048576 bytes"), "{ran:?}");
    // A price list that the user names is not quoted either.
    fs::remove_file(&path).unwrap();
    let ran = env.shell("PAPAYU_PRICE_FILE=../home/secret \"$BIN\" fix --run false");
    assert!(ran.code == 2 && ran.stderr.contains("not a price list: line 1"), "{ran:?}");
    assert!(!ran.stderr.contains("hunter2") && !ran.stdout.contains("hunter2"), "{ran:?}");
}

#[test]
fn outputs_of_the_repositorys_choice_overwrite_nothing() {
    let victim = "the user's own\n";
    for (setting, path) in [
        ("out.junit", "../home/victim.xml"),
        ("out.sarif", "../home/victim.sarif"),
        ("out.junit", "link/victim.xml"),
        ("out.sarif", "own.json"),
        ("out.dir", "../home"),
        ("out.dir", "."),
        ("out.dir", "src"),
        ("out.dir", "link"),
        ("trace.dir", "link"),
        ("trace.dir", ".git/hooks"),
    ] {
        let env = env();
        for file in ["../home/victim.xml", "../home/victim.sarif", "own.json", "src/outcome.json"] {
            env.write(file, victim);
        }
        symlink(env.home(), env.repo().join("link")).unwrap();
        let (section, key) = setting.split_once('.').unwrap();
        env.write("papayu.toml", &format!("[{section}]\n{key} = \"{path}\"\n"));
        let home = fs::read_dir(env.home()).unwrap().count();
        let ran = apply(&env, &[]);
        assert_eq!(ran.code, 2, "{setting} {path}: {ran:?}");
        let place = format!("error: ./papayu.toml:2: `{setting}` names no place for an output");
        assert!(ran.stderr.starts_with(&place), "{ran:?}");
        assert!(ran.stderr.contains("--trust-repository-settings"), "{ran:?}");
        for file in ["../home/victim.xml", "../home/victim.sarif", "own.json", "src/outcome.json"] {
            assert_eq!(fs::read_to_string(env.repo().join(file)).unwrap(), victim, "{path}");
        }
        assert_eq!(fs::read_dir(env.home()).unwrap().count(), home, "{path}");
    }
}

#[test]
fn a_link_that_the_command_puts_in_the_place_of_an_output_is_not_written_through() {
    let env = env();
    env.write("papayu.toml", "[out]\njunit = \"reports/junit.xml\"\n");
    let run = "rm -rf reports; ln -s ../home reports; grep -q 'a = 2' a.py";
    let words = ["apply", "--plan", "../home/plan.json", "--run", run];
    let ran = env.run(&words);
    assert!(!env.home().join("junit.xml").exists(), "{ran:?}");
    assert!(ran.code != 0 && ran.stderr.contains("`reports` is a link"), "{ran:?}");
}

#[test]
fn honest_outputs_inside_the_repository_are_written_again_and_again() {
    let env = env();
    env.write(
        "papayu.toml",
        "[out]\ndir = \"build/papayu\"\njunit = \"reports/junit.xml\"\nsarif = \"reports/p.sarif\"\n\
         [trace]\ndir = \"build/traces\"\n",
    );
    for _ in 0..2 {
        let ran = apply(&env, &[]);
        assert_eq!(ran.code, 0, "{ran:?}");
        for file in ["build/papayu/outcome.json", "reports/junit.xml", "reports/p.sarif"] {
            assert!(env.repo().join(file).is_file(), "{file}");
        }
    }
}

#[test]
fn what_only_the_user_permits_is_refused_for_every_command_until_the_user_trusts_the_repository() {
    let env = env();
    let text = "[run]\nemit = [\"worktree\"]\n[policy]\nallow_test_edits = true\n";
    env.write("papayu.toml", text);
    for command in ["fix", "plan", "doctor", "batch", "publish"] {
        let words: &[&str] = match command {
            "batch" => &["batch", "m.txt"],
            "publish" => &["publish", "bundle"],
            other => &[other],
        };
        let ran = env.run(words);
        assert_eq!(ran.code, 2, "{command}: {ran:?}");
        let said =
            "./papayu.toml:2: `run.emit` is the array [\"worktree\"], but the repository may only";
        assert!(
            ran.stderr.contains(said) && ran.stderr.contains(":4: `policy.allow_test_edits`"),
            "{ran:?}"
        );
    }
    assert_eq!(apply(&env, &["--trust-repository-settings"]).code, 0);
    assert_eq!(fs::read_to_string(env.repo().join("a.py")).unwrap(), "a = 2\n");
    env.write("a.py", "a = 1\n");
    let root = fs::canonicalize(env.repo()).unwrap();
    env.write_user_settings(&format!("[trust]\nrepositories = [\"{}\"]\n", root.display()));
    assert_eq!(apply(&env, &[]).code, 0);
}

#[test]
fn in_a_job_of_a_pull_request_the_base_decides() {
    let env = env();
    env.write("papayu.toml", "[run]\ncommand = \"make base\"\n");
    let git = "git -c user.name=A -c user.email=a@example.org";
    let made = env.shell(&format!(
        "git init -qb main && git add a.py papayu.toml && {git} commit -qm Base && git rev-parse HEAD"
    ));
    assert_eq!(made.code, 0, "{made:?}");
    let base = made.stdout.trim().to_owned();
    env.write("papayu.toml", "[run]\ncommand = \"make evil\"\n");
    env.write(
        "../home/event.json",
        &json!({ "pull_request": { "base": { "sha": base } } }).to_string(),
    );
    let event = env.home().join("event.json");
    let shown = |variables: &[(&str, &str)]| {
        let ran = env.run_with(&["doctor", "--format", "json"], variables);
        let doctor = ran.json();
        let rows = doctor["settings"].as_array().unwrap().clone();
        let row = rows.into_iter().find(|row| row["key"] == "run.command").unwrap();
        (row["value"].as_str().unwrap().to_owned(), row["origin"].as_str().unwrap().to_owned())
    };
    let job = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("GITHUB_EVENT_PATH", event.to_str().unwrap()),
    ];
    let short: String = base.chars().take(12).collect();
    let of_base = ("make base".to_owned(), format!("./papayu.toml (base {short}):2"));
    let of_folder = ("make evil".to_owned(), "./papayu.toml:2".to_owned());
    assert_eq!(shown(&job), of_base);
    assert_eq!(shown(&[]), of_folder);
    // A base that was not fetched: the folder's file, which is then not trusted.
    let unknown = [job[0], job[1]];
    assert_eq!(shown(&unknown), of_folder);
    env.write("papayu.toml", "[run]\nemit = \"pr\"\n");
    let ran = env.run_with(&["doctor", "--trust-repository-settings"], &unknown);
    assert_eq!(ran.code, 2, "{ran:?}");
}
