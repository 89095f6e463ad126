//! Commands that put links and pipes in the place of what the program writes afterwards.

use std::fs;
use std::time::{Duration, Instant};

use papayu_base::domain::Sha256;
use serde_json::json;

use crate::support::TestEnv;

/// Commands of a shell; `$OWN` is a file of the user, `$FOLDER` a folder of the user.
const COMMANDS: [&str; 26] = [
    "mv .papa-yu x; ln -s $FOLDER .papa-yu",
    "rm -rf .papa-yu/runs; ln -s $FOLDER .papa-yu/runs",
    "rm -rf .papa-yu/runs; mkfifo .papa-yu/runs",
    "rm -rf .papa-yu/traces; ln -s $FOLDER .papa-yu/traces",
    "rm -rf .papa-yu/journal; ln -s $FOLDER .papa-yu/journal",
    "for f in .papa-yu/journal/*; do rm -f $f; mkfifo $f; done",
    "for f in .papa-yu/journal/*; do echo x > $f; done",
    "for f in .papa-yu/journal/*; do mv $f .papa-yu/journal/99999999.begun; done",
    "rm -f .papa-yu/run.lock; mkfifo .papa-yu/run.lock",
    "rm -rf .papa-yu; ln -s $FOLDER .papa-yu",
    "rm -rf results; ln -s $FOLDER results",
    "rm -rf results; mkfifo results",
    "mkdir -p results; ln -sf $OWN results/outcome.json",
    "mkdir -p results; rm -f results/outcome.json; mkfifo results/outcome.json",
    "mkdir -p results; rm -f results/outcome.json; mkdir results/outcome.json",
    "mkdir -p results; for f in log.txt report.md papayu.patch; do ln -sf $OWN results/$f; done",
    "mkdir -p results; for f in log.txt report.md papayu.patch; do rm -f results/$f; mkfifo results/$f; done",
    "mkdir -p results; rm -rf results/bundle; ln -s $FOLDER results/bundle",
    "mkdir -p results/bundle; ln -s $OWN results/bundle/manifest.json; ln -s $FOLDER results/bundle/files",
    "ln -sf $OWN j.xml; ln -sf $OWN s.sarif",
    "rm -f j.xml s.sarif; mkfifo j.xml s.sarif",
    "mkdir -p deep; rm -rf deep/er; ln -s $FOLDER deep/er",
    "for p in .papa-yu/runs/*; do rm -rf $p; ln -s $FOLDER $p; done",
    "for p in .papa-yu/runs/*; do rm -rf $p/*; mkfifo $p/log.txt $p/outcome.json $p/report.md; done",
    "for p in .papa-yu/runs/*; do for f in log.txt outcome.json report.md; do ln -sf $OWN $p/$f; done; done",
    "rm a.py; ln -s $OWN a.py",
];

/// Runs a command before or after the change that it proves; returns what was wrong.
fn try_command(command: &str, when: &str, place: &[&str]) {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    env.write("../home/own", "own");
    env.write("../home/folder/own", "own");
    let base = Sha256::of(b"a = 1\n").to_string();
    let patch = "@@ -1 +1 @@\n-a = 1\n+a = 2\n";
    let action = json!({"kind": "PATCH_FILE", "path": "a.py", "base_sha256": base, "patch": patch});
    env.write("../home/plan.json", &json!({"actions": [action], "summary": "s"}).to_string());
    let made = env.shell(
        "git init -qb main; git add a.py; git -c user.name=a -c user.email=b@c commit -qm x",
    );
    assert_eq!(made.code, 0, "{made:?}");
    let (own, folder) = (env.home().join("own"), env.home().join("folder"));
    let run = format!(
        "OWN={}; FOLDER={}; if grep -q 'a = {when}' a.py; then {command}; fi 2> /dev/null; grep -q 'a = 2' a.py",
        own.display(),
        folder.display()
    );
    let words = ["apply", "--plan", "../home/plan.json", "--run", &run, "--timeout", "40"];
    let start = Instant::now();
    let ran = env.run(&[&words[..], place].concat());
    assert!(start.elapsed() < Duration::from_secs(55), "{command}: {ran:?}");
    assert!((0..=6).contains(&ran.code), "{command}: {ran:?}");
    assert!(!ran.stderr.contains("panicked"), "{command}: {ran:?}");
    assert_eq!(fs::read_to_string(own).unwrap(), "own", "{command}: {ran:?}");
    let names = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["own"], "{command}: {ran:?}");
    assert_eq!(fs::read_to_string(folder.join("own")).unwrap(), "own");
}

#[test]
fn nothing_is_written_through_a_link_or_into_a_pipe_of_the_command() {
    let named = ["--emit", "worktree,bundle", "--out", "results", "--junit-out", "j.xml"];
    let named = [&named[..], &["--sarif-out", "s.sarif"]].concat();
    for (number, command) in COMMANDS.into_iter().enumerate() {
        // The command runs before and after the change; each try prepares one of them.
        try_command(command, if number % 2 == 0 { "1" } else { "2" }, &named);
        try_command(command, if number % 2 == 0 { "2" } else { "1" }, &["--emit", "patch"]);
    }
    let deep = ["--out", "deep/er/results", "--junit-out", "deep/er/j.xml"];
    try_command("mkdir -p deep; rm -rf deep/er; ln -s $FOLDER deep/er", "1", &deep);
}

#[test]
fn a_link_that_the_repository_brings_is_no_place_for_results() {
    for words in [&["--out", "link"][..], &["--out", "link/x"], &["--junit-out", "link/j.xml"]] {
        let env = TestEnv::new();
        env.write("../home/folder/own", "own");
        assert_eq!(env.shell("ln -s ../home/folder link").code, 0);
        let ran = env.run(&[&["fix", "--run", "false"][..], words].concat());
        assert!(ran.code != 0 && ran.stderr.contains("is a link"), "{words:?}: {ran:?}");
        assert_eq!(env.shell("ls ../home/folder").stdout, "own\n", "{words:?}");
    }
}
