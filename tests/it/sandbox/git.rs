//! Repositories that a command prepares for the git that runs outside the sandbox afterwards.

use std::path::PathBuf;
use std::process::Command;

use super::put;
use crate::support::TestEnv;

/// Commands that add a submodule with a filter to the index and then change a file of the submodule.
const SUBMODULE: &str = "git init -q sub; cd sub; git config user.email a@b; git config user.name a; echo 1 > f; git add f; git commit -qm s
sha=$(git rev-parse HEAD); echo '* filter=x' > .gitattributes; git config filter.x.clean 'touch PWNED; cat'; echo 2 > f; touch -d 2001-01-01 f
cd ..; git update-index --add --cacheinfo 160000,$sha,sub";

/// A filter of the repository itself.
const FILTER: &str = "git config filter.x.clean 'touch PWNED; cat'; echo '* filter=x' > .gitattributes; echo 2 > a.py; touch -d 2001-01-01 a.py";

/// Another repository in a folder above or below.
const NESTED: &str = "git init -q .; git config filter.x.clean 'touch PWNED; cat'; git config user.email a@b; git config user.name a
git add -A; git commit -qm x; echo '* filter=x' > .gitattributes; echo 2 > b.py; touch -d 2001-01-01 b.py";

/// A git folder in the place of that of a linked working tree.
const RELINKED: &str = "cp -r ../main/.git evil; printf 'gitdir: evil\\n' > .git; git config filter.x.clean 'touch PWNED; cat'
echo '* filter=x' > .gitattributes; echo 2 > a.py; touch -d 2001-01-01 a.py";

fn git(folder: &std::path::Path, words: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(folder).args(["-c", "user.email=a@b", "-c", "user.name=a"]).args(words);
    assert!(git.status().unwrap().success(), "{words:?}");
}

/// Calls the tools of git after a command with this script ran in the sandbox; returns the file that a program outside the
/// sandbox would make.
fn call_after(script: &str, below: &str, linked: bool) -> (TestEnv, PathBuf) {
    let env = TestEnv::new();
    let main = if linked { env.repo().parent().unwrap().join("main") } else { env.repo() };
    for file in ["a.py", "packages/a/b.py"] {
        put(&main.join(file), "1\n");
    }
    git(&main, &["init", "-q", "."]);
    git(&main, &["add", "."]);
    git(&main, &["commit", "-qm", "x"]);
    if linked {
        let _ = std::fs::remove_dir(env.repo());
        git(&main, &["worktree", "add", "-q", env.repo().to_str().unwrap()]);
    }
    let pwned = env.home().join("pwned");
    let script = script.replace("PWNED", pwned.to_str().unwrap());
    put(&env.repo().join(below).join("script"), &format!("#!/bin/sh -e\n{script}\n"));
    let folder = env.repo().join(below);
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.join("script"), executable).unwrap();
    let call = |words: &[&str]| {
        let all = [&["tool", "--repo", folder.to_str().unwrap()], words].concat();
        env.run_with(&all, &[("PAPAYU_TOOLS_ALLOW", "./script"), ("PAPAYU_SANDBOX", "auto")])
    };
    let ran = call(&["run_command", "--command", "./script"]);
    assert!(ran.code == 0 || ran.stderr.contains("the command "), "{ran:?}");
    let status = call(&["git_status"]);
    assert!(status.code == 0 || status.stderr.contains("error"), "{status:?}");
    for words in [&["git_diff"][..], &["git_commit", "--message", "m"]] {
        let ran = call(words);
        assert!(ran.code == 0 || ran.stderr.contains("error"), "{ran:?}");
    }
    (env, pwned)
}

#[test]
fn programs_of_the_configuration_that_a_command_leaves_never_run_outside() {
    for (script, below, linked) in
        [(SUBMODULE, "", false), (SUBMODULE, "packages/a", false), (FILTER, "", false)]
    {
        let (_env, pwned) = call_after(script, below, linked);
        assert!(!pwned.exists(), "{script} {below} {linked}");
    }
}

#[test]
fn a_repository_that_a_command_puts_before_the_real_one_is_an_error() {
    for (script, below, linked) in [(NESTED, "packages/a", false), (RELINKED, "", true)] {
        let (_env, pwned) = call_after(script, below, linked);
        assert!(!pwned.exists(), "{script}");
    }
}
