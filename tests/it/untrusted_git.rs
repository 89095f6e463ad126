//! Commands that prepare the git folder, the attributes or `PATH` for the commit and the push that follow.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;

use crate::forge_rig::{COMMAND, Rig, Run, TOKEN};

/// A `git replace` of the base by a commit with a workflow.
const REPLACE: &str = "blob=$(echo 'on: push' | git hash-object -w --stdin) && export GIT_INDEX_FILE=.git/i && git read-tree HEAD && \
    git update-index --add --cacheinfo 100644,$blob,.github/workflows/evil.yml && tree=$(git write-tree) && \
    evil=$(git -c user.name=a -c user.email=a@b commit-tree $tree -m x) && git replace HEAD $evil && unset GIT_INDEX_FILE";

/// A file of the object store that has another tree than its name says.
const FORGED_TREE: &str = r#"python3 -c '
import os, subprocess, zlib
git = lambda *words: subprocess.check_output(["git", *words]).strip()
blob = git("hash-object", "-w", "value.py").decode()
name = git("rev-parse", "HEAD^{tree}").decode()
tree = zlib.decompress(open(f".git/objects/{name[:2]}/{name[2:]}", "rb").read())
body = tree[tree.index(b"\0") + 1:] + b"100644 zz_evil.yml\0" + bytes.fromhex(blob)
path = f".git/objects/{name[:2]}/{name[2:]}"
os.chmod(path, 0o644)
open(path, "wb").write(zlib.compress(b"tree %d\0" % len(body) + body))
'"#;

/// Runs a command before the one that proves the fix.
fn fix_after(rig: &Rig, first: &str, emit: &str, variables: &[(&str, &str)]) -> Run {
    let reply = rig.at("reply.json");
    let command = format!("{{ {first}; }} >&2; {COMMAND}");
    let words = ["apply", "--plan", reply.to_str().unwrap(), "--run", &command, "--emit", emit];
    rig.call_hostile(&words, &[&[("GITHUB_TOKEN", TOKEN)], variables].concat())
}

fn assert_nothing_pushed(rig: &Rig, run: &Run, code: &str) {
    assert_eq!(run.end(), (6, "publish_failed", Some(code)), "{run:?}");
    assert_eq!(rig.branches(), Vec::<String>::new());
    assert!(!run.text("patch_path").is_empty(), "the change is not lost");
}

#[test]
fn a_git_that_the_command_plants_in_the_search_path_is_never_run() {
    let rig = Rig::new();
    let (tools, pwned) = (rig.at("tools"), rig.at("pwned"));
    fs::create_dir(&tools).unwrap();
    let plant = format!(
        "printf '#!/bin/sh\\ntouch {}\\n' | tee {tools}/git > /dev/null; chmod +x {tools}/git",
        pwned.display(),
        tools = tools.display()
    );
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let run = fix_after(&rig, &plant, "pr", &[("PATH", &path)]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert!(tools.join("git").exists() && !pwned.exists());
}

#[test]
fn a_git_that_the_repository_brings_is_never_run() {
    let rig = Rig::new();
    rig.write("bin/git", "#!/bin/sh\ntouch ../pwned\nexit 1\n");
    fs::set_permissions(
        rig.at("repo/bin/git"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    rig.commit("A program");
    rig.git(&["push", "-q", rig.at("remote/o/r.git").to_str().unwrap(), "main"]);
    let path = format!("bin:{}:{}", rig.at("repo/bin").display(), std::env::var("PATH").unwrap());
    let run = rig.fix_with(&["--emit", "pr"], &[("GITHUB_TOKEN", TOKEN), ("PATH", &path)]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert!(!rig.at("pwned").exists());
}

#[test]
fn replaced_and_forged_objects_reach_no_branch() {
    for (first, code) in [(REPLACE, "ERR_GIT_RECONFIGURED"), (FORGED_TREE, "ERR_GIT_MISMATCH")] {
        let rig = Rig::new();
        let run = fix_after(&rig, first, "pr", &[]);
        assert_nothing_pushed(&rig, &run, code);
    }
}

#[test]
fn files_beside_the_configuration_are_compared_too() {
    for first in [
        "mkdir -p .git/info; echo '* filter=x' > .git/info/attributes",
        "mkdir -p .git/objects/info; pwd > .git/objects/info/alternates",
        "git config extensions.worktreeConfig true; git config --worktree http.proxy http://127.0.0.1:9",
    ] {
        let rig = Rig::new();
        let run = fix_after(&rig, first, "pr", &[]);
        assert_nothing_pushed(&rig, &run, "ERR_GIT_RECONFIGURED");
        let run = fix_after(&Rig::new(), first, "branch", &[]);
        assert_eq!(run.text("error_code"), "ERR_GIT_RECONFIGURED", "{run:?}");
    }
}

#[test]
fn a_filter_of_the_command_does_not_run_for_a_bundle() {
    let rig = Rig::new();
    let pwned = rig.at("pwned");
    let first = format!(
        "git config filter.x.clean 'touch {}; cat'; mkdir -p .git/info; echo '* filter=x' > .git/info/attributes",
        pwned.display()
    );
    let run = fix_after(&rig, &first, "bundle", &[]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert!(!pwned.exists());
}

#[test]
fn a_file_behind_a_filter_is_refused_and_the_files_beside_it_are_not() {
    for (attributes, end) in [
        ("*.py filter=lfs\n", (6, "publish_failed", Some("ERR_GIT_FILTERED"))),
        ("*.bin filter=lfs\n*.py text eol=lf\n", (0, "fixed", None)),
        ("*.py filter=unknown\n", (0, "fixed", None)),
    ] {
        let rig = Rig::new();
        rig.git(&["config", "filter.lfs.clean", "cat"]);
        rig.git(&["config", "filter.lfs.required", "true"]);
        rig.write(".gitattributes", attributes);
        rig.commit("Attributes");
        rig.git(&["push", "-q", rig.at("remote/o/r.git").to_str().unwrap(), "main"]);
        assert_eq!(rig.fix(&["--emit", "pr"]).end(), end, "{attributes}");
    }
}

#[test]
fn attributes_of_the_command_cannot_change_what_is_committed() {
    let rig = Rig::new();
    rig.reply("return 2  # +ADw-script+AD4-");
    let first = "echo '*.py working-tree-encoding=UTF-7' > .gitattributes";
    let run = fix_after(&rig, first, "bundle", &[]);
    assert_eq!(run.text("error_code"), "ERR_GIT_MISMATCH", "{run:?}");
}
