//! Commands that put pipes, links, huge files and crowds of processes in the way of what the program does afterwards.

use std::fs;
use std::time::{Duration, Instant};

use papayu_base::domain::Sha256;
use serde_json::json;

use crate::support::TestEnv;

/// Commands of a shell, run on the old tree, on the new one, or on both; `$OUT` is a folder of the user.
const COMMANDS: [&str; 16] = [
    "rm a.py; mkfifo a.py",
    "rm b.py; mkfifo b.py",
    "rm -r src; ln -s $OUT src",
    "mv src src.old; ln -s $OUT/src src",
    "truncate -s 8T b.py",
    "truncate -s 8T new.bin; truncate -s 8T src/new.py",
    "for i in $(seq 200); do (setsid sleep 300 &) ; done",
    "mv ../repo ../repo.old; mv . ../moved; rmdir ../repo",
    "(while :; do mv src x; ln -s $OUT src; rm src; mv x src; done) > /dev/null 2>&1 & sleep 0.3",
    "(while :; do ln -sf $OUT/own b.py; rm -f b.py; echo b > b.py; done) > /dev/null 2>&1 & sleep 0.3",
    "chmod 000 src b.py; chmod 500 .",
    "d=deep; for i in $(seq 120); do d=$d/deep; done; mkdir -p $d; ln -s / $d/root",
    "printf 'ref: refs/heads/evil\\n' > .git/HEAD",
    "rm -rf .git; ln -s $OUT .git",
    "git replace -f HEAD $(git commit-tree -m x $(git write-tree)); echo '* filter=x' > .gitattributes",
    "ln $OUT/own linked; ln b.py linked-b; echo x >> linked-b",
];

fn try_command(command: &str, when: &str) {
    let env = TestEnv::new();
    for (path, text) in [("a.py", "a = 1\n"), ("b.py", "b\n"), ("src/c.py", "c\n")] {
        env.write(path, text);
    }
    for path in ["../home/out/own", "../home/out/src/own", "../home/out/src/c.py"] {
        env.write(path, "own");
    }
    let base = Sha256::of(b"a = 1\n").to_string();
    let patch = "@@ -1 +1 @@\n-a = 1\n+a = 2\n";
    let actions = json!([
        { "kind": "PATCH_FILE", "path": "a.py", "base_sha256": base, "patch": patch },
        { "kind": "CREATE_FILE", "path": "src/d.py", "content": "d\n" },
    ]);
    env.write("../home/plan.json", &json!({ "actions": actions, "summary": "s" }).to_string());
    let made = env
        .shell("git init -qb main; git add -A; git -c user.name=a -c user.email=b@c commit -qm x");
    assert_eq!(made.code, 0, "{made:?}");
    let out = env.home().join("out");
    let run = format!(
        "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=b; OUT={}; \
         if grep -q 'a = {when}' a.py; then {command}; fi 2> /dev/null; test -f a.py && grep -q 'a = 2' a.py",
        out.display()
    );
    let words = [
        "apply", "--plan", "../home/plan.json", "--run", &run, "--timeout", "30", "--emit",
        "worktree",
    ];
    let start = Instant::now();
    let ran = env.run_with(&words, &[("PAPAYU_SANDBOX", "auto")]);
    // A busy machine may take more than the limit.
    assert!(start.elapsed() < Duration::from_secs(90), "{command}: {ran:?}");
    assert!((0..=6).contains(&ran.code), "{command}: {ran:?}");
    assert!(!ran.stderr.contains("panicked"), "{command}: {ran:?}");
    for path in ["own", "src/own", "src/c.py"] {
        assert_eq!(fs::read_to_string(out.join(path)).unwrap(), "own", "{command}: {ran:?}");
    }
    let mut names: Vec<_> = fs::read_dir(&out).unwrap().map(|it| it.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["own", "src"], "{command}: {ran:?}");
    assert_eq!(fs::read_dir(out.join("src")).unwrap().count(), 2, "{command}: {ran:?}");
    assert!(env.repo().is_dir() && !env.repo().is_symlink(), "{command}: {ran:?}");
    // What was made unreadable must not stay in the way of the test's end.
    let _ = env.shell("chmod -R u+rwX .");
}

#[test]
fn a_tree_that_a_command_damages_leads_neither_out_of_it_nor_to_a_hang() {
    for command in COMMANDS {
        try_command(command, "1");
        try_command(command, "2");
    }
}
