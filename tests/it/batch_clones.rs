//! The cache of clones: fetched once, mended where it is damaged, kept within its size.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk and start processes")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::batch::{RUN, batch, ends, pairs, red, summary};
use crate::support::TestEnv;

#[test]
fn clones_are_fetched_once_mended_where_they_are_broken_and_make_room() {
    let env = TestEnv::new();
    red(&env, "origin");
    red(&env, "other");
    let address = |name: &str| format!("file://{}", env.repo().join(name).display());
    let tasks = |names: &[&str]| {
        let head = format!("[defaults]\nrun = \"{RUN}\"\nprovider = \"suggestions\"\n");
        let one = |name: &&str| {
            let folder = name.split('-').next().unwrap();
            format!("[[repositories]]\nname = \"{name}\"\nrepo = \"{}\"\n", address(folder))
        };
        head + &names.iter().map(one).collect::<String>()
    };
    let run = |names: &[&str], more: &[&str]| {
        env.write("m.toml", &tasks(names));
        let ran = batch(&env, &[&["m.toml", "--restart", "--cache", "cache"], more].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let ends = ends(&summary(&env));
        assert_eq!(ends.len(), names.len());
        assert!(ends.values().all(|end| end == "fixed"), "{ends:?}");
    };
    let clones = || -> Vec<PathBuf> {
        let entries = fs::read_dir(env.repo().join("cache")).unwrap().map(|it| it.unwrap().path());
        entries.filter(|path| path.join("address").is_file()).collect()
    };
    run(&["origin-1", "origin-2", "origin-3"], &["--jobs", "3"]);
    let [clone] = &clones()[..] else { panic!("{:?}", clones()) };
    let left: Vec<_> =
        fs::read_dir(clone.join("work")).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(left.iter().all(|path| path.extension().is_some()), "working trees go: {left:?}");
    // What git cannot read any more is made anew.
    fs::write(clone.join("repo.git/HEAD"), "nonsense\n").unwrap();
    let _ = fs::remove_dir_all(clone.join("repo.git/objects"));
    run(&["origin-1"], &[]);
    // No room for two: the one that was used the longest ago goes.
    let ran = env.run_with(
        &[
            "batch", "m.toml", "--out", "out", "--restart", "--cache", "cache", "--filter",
            "origin*",
        ],
        &[("PAPAYU_BATCH_CACHE_MAX_MB", "1")],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let big = "head -c 2000000 /dev/urandom > big && git add big && \
        git -c user.name=A -c user.email=a@example.org commit -q -m Big";
    assert_eq!(env.shell(&format!("cd other && {big}")).code, 0);
    env.write("m.toml", &tasks(&["other-1"]));
    let ran = env.run_with(
        &["batch", "m.toml", "--out", "out", "--restart", "--cache", "cache"],
        &[("PAPAYU_BATCH_CACHE_MAX_MB", "1")],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let kept = clones();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(fs::read_to_string(kept[0].join("address")).unwrap().ends_with("other"));
}

/// Ways in which a kill or a bad disk leaves a clone.
const DAMAGE: [(&str, &str); 9] = [
    (
        "a working tree half made",
        "mkdir -p worktrees/r && echo initializing > worktrees/r/locked && echo \"$PWD/../work/r/.git\" > worktrees/r/gitdir",
    ),
    ("a working tree without its facts", "mkdir -p worktrees/r"),
    ("a file for a folder", "rm -rf worktrees && touch worktrees"),
    ("a lock on a name", "mkdir -p refs/papayu && touch refs/papayu/HEAD.lock"),
    ("a lock on all names", "touch packed-refs.lock shallow.lock config.lock"),
    ("no settings", "rm config"),
    ("no commit", "rm -rf objects/*"),
    (
        "cut objects",
        "for file in objects/pack/*.pack; do chmod u+w \"$file\" && printf PACK > \"$file\"; done",
    ),
    (
        "a name of nothing",
        "rm packed-refs; mkdir -p refs/papayu && echo 1111111111111111111111111111111111111111 > refs/papayu/HEAD",
    ),
];

#[test]
fn a_damaged_clone_is_made_anew_and_one_that_cannot_be_is_its_own_tasks_trouble() {
    let env = TestEnv::new();
    for name in ["origin", "other"] {
        red(&env, name);
    }
    let address = |name: &str| format!("file://{}", env.repo().join(name).display());
    let list = |more: &str| {
        let own = address("origin");
        env.write("m.yaml", &format!(
            "defaults: {{run: {RUN}, provider: suggestions}}\nrepositories:\n  - {{name: r, repo: '{own}'}}\n{more}"
        ));
    };
    list("");
    let run = || batch(&env, &["m.yaml", "--restart", "--cache", "cache"]);
    assert_eq!(run().code, 0);
    let mut entries = fs::read_dir(env.repo().join("cache")).unwrap();
    let clone: PathBuf =
        entries.find_map(|it| Some(it.unwrap().path()).filter(|it| it.is_dir())).unwrap();
    let bare = clone.join("repo.git");
    for (name, damage) in DAMAGE {
        let done = env.shell(&format!("cd {} && {damage}", shown(&bare)));
        assert_eq!(done.code, 0, "{name}: {done:?}");
        let ran = run();
        assert_eq!(
            (ran.code, ends(&summary(&env))),
            (0, pairs(&[("r", "fixed")])),
            "{name}: {ran:?}"
        );
    }
    // A branch that is not there is no damage.
    let begun = fs::metadata(bare.join("config")).unwrap().modified().unwrap();
    list(&format!("  - {{name: lost, repo: '{}', branch: nowhere}}\n", address("origin")));
    let ran = run();
    assert_eq!(
        ends(&summary(&env)),
        pairs(&[("lost", "publish_failed"), ("r", "fixed")]),
        "{ran:?}"
    );
    assert_eq!(fs::metadata(bare.join("config")).unwrap().modified().unwrap(), begun);
    // There is no room for a clone at all.
    list(&format!("  - {{name: other, repo: '{}'}}\n", address("other")));
    fs::remove_dir_all(&clone).unwrap();
    fs::write(&clone, "").unwrap();
    let ran = run();
    assert_eq!(
        ends(&summary(&env)),
        pairs(&[("other", "fixed"), ("r", "publish_failed")]),
        "{ran:?}"
    );
}

#[test]
fn a_process_of_a_killed_batch_that_still_writes_into_its_tree_is_waited_for() {
    let env = TestEnv::new();
    red(&env, "origin");
    let address = format!("file://{}", env.repo().join("origin").display());
    env.write("m.yaml", &format!(
        "defaults: {{run: {RUN}, provider: suggestions}}\nrepositories:\n  - {{name: r, repo: '{address}'}}\n"
    ));
    let run = || batch(&env, &["m.yaml", "--restart", "--cache", "cache"]);
    assert_eq!(run().code, 0);
    let mut entries = fs::read_dir(env.repo().join("cache")).unwrap();
    let clone = entries.find_map(|it| Some(it.unwrap().path()).filter(|it| it.is_dir())).unwrap();
    let tree = shown(&clone.join("work/r"));
    let line = format!(
        "end=$(($(date +%s) + 3)); while [ $(date +%s) -lt $end ]; do mkdir -p {tree}/made; : >{tree}/made/late; done"
    );
    let mut writer = Command::new("sh").args(["-c", &line]).spawn().unwrap();
    let ran = run();
    writer.wait().unwrap();
    assert_eq!((ran.code, ends(&summary(&env))), (0, pairs(&[("r", "fixed")])), "{ran:?}");
}

fn shown(path: &Path) -> String {
    format!("'{}'", path.display())
}

/// Looks for the clones of other tasks and for the shared copy that all are made from, and prints what it could do.
const INTRUDER: &str = r#"
import glob, os, subprocess, sys, time
own = os.getcwd()
here = os.path.realpath(os.path.join(own, ".."))
deadline = time.time() + 20
others = []
while not others and time.time() < deadline:
    time.sleep(0.1)
    found = glob.glob(CACHE + "/*/work/*/secret.txt") + glob.glob(CACHE + "/../own*/secret.txt")
    others = [path for path in found if os.path.realpath(os.path.dirname(path)) != own]
print("others", len(others))

def attempt(name, action):
    try:
        result = bool(action())
    except Exception as error:
        result = False
    print("BROKE" if result else "kept out", name, flush=True)

def write(path, flags=0):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o644))
    return True

for path in others:
    folder = os.path.dirname(path)
    attempt("read " + path, lambda: open(path).read())
    attempt("read by cat " + path, lambda: subprocess.run(["cat", path], capture_output=True).stdout)
    attempt("link " + path, lambda: os.link(path, "linked") is None)
    attempt("read by a link " + path, lambda: (os.symlink(path, "by-link"), open("by-link").read())[1])
    attempt("write " + path, lambda: write(path))
    attempt("truncate " + path, lambda: write(path, os.O_TRUNC))
    attempt("remove " + path, lambda: os.remove(path) is None)
    attempt("add to " + folder, lambda: write(folder + "/conftest.py"))
    attempt("rename " + folder, lambda: os.rename(folder, folder + ".gone") is None)
    attempt("git of " + folder, lambda: subprocess.run(["git", "-C", folder, "show", "HEAD:secret.txt"], capture_output=True).stdout)
    attempt("replace by a folder of ours", lambda: os.rename(own, folder) is None)
for bare in glob.glob(CACHE + "/*/repo.git"):
    for name in ["config", "HEAD", "packed-refs", "hooks/post-checkout", "hooks/pre-commit", "info/attributes",
                 "info/exclude", "objects/info/alternates", "refs/heads/evil", "refs/replace/evil", "FETCH_HEAD"]:
        path = os.path.join(bare, name)
        attempt("write " + path, lambda: write(path))
    for pack in glob.glob(bare + "/objects/pack/*")[:3] + glob.glob(bare + "/objects/??/*")[:3]:
        attempt("remove " + pack, lambda: os.remove(pack) is None)
        attempt("change " + pack, lambda: (os.chmod(pack, 0o600), write(pack, os.O_TRUNC))[1])
    attempt("branch in " + bare, lambda: subprocess.run(["git", "-C", bare, "update-ref", "refs/heads/evil", "HEAD"], capture_output=True).returncode == 0)
    attempt("configure " + bare, lambda: subprocess.run(["git", "-C", bare, "config", "core.hooksPath", own], capture_output=True).returncode == 0)
    attempt("rename " + bare, lambda: os.rename(bare, bare + ".gone") is None)
for lock in glob.glob(CACHE + "/*/address") + glob.glob(CACHE + "/*/*.lock"):
    attempt("write " + lock, lambda: write(lock))
attempt("add to the cache", lambda: write(CACHE + "/evil"))
attempt("write the results", lambda: write(CACHE + "/../out/evil"))
attempt("write the journal", lambda: write(CACHE + "/../out/journal.jsonl"))
# The other task looks around, too.
time.sleep(2)
sys.exit(1)
"#;

#[cfg(target_os = "linux")]
#[test]
fn a_task_reads_and_writes_no_clone_of_another_and_not_the_shared_copy() {
    let env = TestEnv::new();
    let cache = env.repo().join("cache");
    for name in ["origin", "other", "own1", "own2"] {
        env.write(&format!("{name}/secret.txt"), "canary\n");
        let intruder = INTRUDER.replace("CACHE", &format!("'{}'", cache.display()));
        env.write(&format!("{name}/check.py"), &intruder);
        red(&env, name);
    }
    let address = |name: &str| format!("file://{}", env.repo().join(name).display());
    let (one, two) = (address("origin"), address("other"));
    env.write("m.yaml", &format!(
        "defaults: {{run: python3 check.py, provider: suggestions}}\nrepositories:\n  - {{name: a, repo: '{one}'}}\n  \
         - {{name: b, repo: '{one}'}}\n  - {{name: c, repo: '{two}'}}\n  - {{name: d, repo: own1}}\n  - {{name: e, repo: own2}}\n"
    ));
    let arguments = ["batch", "m.yaml", "--cache", "cache", "--jobs", "5", "--out", "out"];
    let ran = env.run_with(&arguments, &[("PAPAYU_SANDBOX", "auto")]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let mut found = 0;
    for task in ["a", "b", "c", "d", "e"] {
        let log = env.read(&format!("out/{task}/log.txt"));
        let broke: Vec<&str> = log.lines().filter(|line| line.contains("BROKE")).collect();
        assert!(broke.is_empty(), "{task}: {broke:#?}");
        assert!(log.matches("kept out").count() > 10, "{task}: {log}");
        found += usize::from(!log.contains("others 0"));
    }
    assert!(found >= 4, "{found} tasks found another");
}
