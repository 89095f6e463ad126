//! The fixes of a batch are kept: published once each by a job without the repositories' code, or applied to local folders.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and start processes themselves"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::batch::{batch, red};
use crate::forge_rig::{READER, Server, TOKEN};
use crate::support::{Ran, TestEnv, ran};

const BROKEN: &str = "from parts.prices import prices\n\n\ndef total():\n    return sum(pricess)\n\n\nassert total() == 3\n";

/// Bare repositories of one owner, git's own server for them, and the stand-ins for GitHub.
pub(crate) struct Owner {
    root: TempDir,
    pub(crate) git: Server,
    github: Server,
}

impl Owner {
    /// Makes red repositories that lack what their setup installs. Their kinds alternate.
    pub(crate) fn new(names: &[&str]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let remotes = root.path().join("remote/o");
        fs::create_dir_all(&remotes).unwrap();
        fs::create_dir_all(root.path().join("home")).unwrap();
        for (number, name) in names.iter().enumerate() {
            let work = root.path().join(name);
            fs::create_dir_all(work.join("made")).unwrap();
            fs::write(work.join("total.py"), BROKEN).unwrap();
            if number % 2 == 0 {
                // A setup of its own, which the manifest names.
                let install = "mkdir parts && echo 'prices = [1, 2]' >parts/prices.py\n";
                fs::write(work.join("install.sh"), install).unwrap();
            } else {
                // A project for pip, whose files need no registry.
                fs::write(work.join("requirements.txt"), "# none of a registry\n").unwrap();
                fs::create_dir_all(work.join("parts")).unwrap();
                let prices = "import sys\n\nprices = [1, 2] if '.venv' in sys.prefix else []\n";
                fs::write(work.join("parts/prices.py"), prices).unwrap();
            }
            let bare = remotes.join(format!("{name}.git"));
            let line = "git init -q -b main && git add -A && \
                git -c user.name=A -c user.email=a@example.org commit -q -m Begin && git clone -q --bare . \"$BARE\" && \
                git --git-dir \"$BARE\" config http.receivepack true && \
                git --git-dir \"$BARE\" config uploadpack.allowFilter true";
            let made = Command::new("sh")
                .args(["-c", line])
                .current_dir(&work)
                .env("BARE", &bare)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .status();
            assert!(made.unwrap().success());
        }
        let script = |name: &str, argument: &Path| {
            let mut python = Command::new("python3");
            python
                .env("TOKEN", TOKEN)
                .env("READER", READER)
                .env("APP_KEY", root.path().join("app.pem"));
            python
                .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forge").join(name))
                .arg(argument);
            python
        };
        let git = Server::start(&mut script("git_http.py", &root.path().join("remote")));
        let github = Server::start(&mut script("several.py", &remotes));
        Self { root, git, github }
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// Returns the program in a folder of its own; its environment has no token.
    pub(crate) fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("papayu-batch"));
        command
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("HOME", self.at("home"))
            .env("GITHUB_API_URL", &self.github.url)
            .current_dir(self.root.path())
            .args(arguments);
        command
    }

    /// Runs the job that has the token; nothing that it says shows it.
    pub(crate) fn publish(&self, arguments: &[&str]) -> Ran {
        let arguments = [&["publish"], arguments].concat();
        let ran = ran(self.program(&arguments).env("GITHUB_TOKEN", TOKEN).output().unwrap());
        assert!(!format!("{ran:?}").contains(TOKEN), "{ran:?}");
        ran
    }

    /// Returns the number of our branches and of pull requests of each repository.
    pub(crate) fn published(&self, names: &[&str]) -> BTreeMap<String, (usize, usize)> {
        let count = |name: &&str| {
            let bare = self.at(&format!("remote/o/{name}.git"));
            let listed = Command::new("git")
                .arg("--git-dir")
                .arg(&bare)
                .args(["for-each-ref", "refs/heads/papayu"])
                .output()
                .unwrap();
            let branches = String::from_utf8(listed.stdout).unwrap().lines().count();
            let state = self.github.ask("GET", &format!("/_state/{name}"), &Value::Null);
            ((*name).to_owned(), (branches, state["pulls"].as_array().unwrap().len()))
        };
        names.iter().map(count).collect()
    }

    /// Makes the bundles of all repositories, with a token that may only read.
    pub(crate) fn make_bundles(&self, names: &[&str]) -> Ran {
        let mut text = "[defaults]\nrun = \"python3 total.py\"\nprovider = \"suggestions\"\nsetup = \"auto\"\n".to_owned();
        for (number, name) in names.iter().enumerate() {
            let setup = if number % 2 == 0 { "setup = \"sh install.sh\"\n" } else { "" };
            let url = &self.git.url;
            text.extend(["\n[[repositories]]\nrepo = \"", url, "/o/", name, ".git\"\n", setup]);
        }
        fs::write(self.at("repos.toml"), text).unwrap();
        let words = ["batch", "repos.toml", "--emit", "bundle", "--out", "nightly", "--jobs", "2"];
        ran(self.program(&words).env("GITHUB_TOKEN", READER).output().unwrap())
    }

    pub(crate) fn summary(&self, path: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.at(path)).unwrap()).unwrap()
    }
}

/// Returns the number of rows with an outcome.
fn counts(summary: &Value) -> Value {
    summary["counts"].clone()
}

#[test]
fn fresh_clones_are_prepared_and_each_fix_is_published_once_however_often_the_job_is_killed() {
    let names = ["shop", "blog", "wiki", "mail"];
    let owner = Owner::new(&names);
    let made = owner.make_bundles(&names);
    assert_eq!(
        (made.code, counts(&owner.summary("nightly/summary.json"))),
        (0, json!({ "fixed": 4 })),
        "{made:?}"
    );
    // The last lines say how the fixes are kept, and each row is one line.
    assert!(
        made.stderr.contains("\n  papayu-batch publish nightly  # a pull request for each fix\n"),
        "{made:?}"
    );
    let rows: Vec<&str> = made.stderr.lines().filter(|line| line.starts_with('[')).collect();
    assert!(rows.len() == 4 && rows.iter().all(|row| row.chars().count() <= 80), "{rows:#?}");
    // While the file exists, nothing is published.
    fs::write(owner.at("pause"), "").unwrap();
    let paused = owner.program(&["publish", "nightly", "--pause-file", "pause"]);
    let mut paused = { paused }.env("GITHUB_TOKEN", TOKEN).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    paused.kill().unwrap();
    paused.wait().unwrap();
    fs::remove_file(owner.at("pause")).unwrap();
    let dry = owner.publish(&["nightly", "--dry-run"]);
    let heading = format!("{}/o: 4 fixes\n", owner.git.url);
    assert!(dry.stdout.starts_with(&heading), "{dry:?}");
    assert!(dry.stdout.ends_with("4 fixes would be published\n"), "{dry:?}");
    assert!(owner.published(&names).values().all(|counts| *counts == (0, 0)));

    for instant in [150, 400, 700, 1100, 1600] {
        let mut killed = owner.program(&["publish", "nightly", "--jobs", "1"]);
        let mut killed = killed.env("GITHUB_TOKEN", TOKEN).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(instant));
        // It may have ended already.
        let _ = killed.kill();
        killed.wait().unwrap();
    }
    let ended = owner.publish(&["nightly"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        owner.published(&names).values().all(|counts| *counts == (1, 1)),
        "{:?}",
        owner.published(&names)
    );
    let report = owner.summary("nightly/publish/summary.json");
    assert_eq!(counts(&report), json!({ "fixed": 4 }));
    let urls =
        report["tasks"].as_array().unwrap().iter().map(|row| row["pr_url"].as_str().unwrap());
    let mut urls: Vec<&str> = urls.collect();
    urls.sort_unstable();
    assert_eq!(urls[0], "https://github.example/o/blog/pull/1");
    // Once more, and from another machine, which has no journal of the first.
    assert_eq!(owner.publish(&["nightly"]).code, 0);
    let again = owner.publish(&["nightly", "--out", "elsewhere"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert!(owner.published(&names).values().all(|counts| *counts == (1, 1)));
}

#[test]
fn a_bundle_that_was_changed_is_refused_and_the_others_are_published() {
    let names = ["shop", "blog"];
    let owner = Owner::new(&names);
    assert_eq!(owner.make_bundles(&names).code, 0);
    let digest = "0".repeat(64);
    let refused = owner.publish(&["nightly", "--digest", &digest]);
    assert!(refused.code == 2 && refused.stderr.contains("not that of `--digest`"), "{refused:?}");
    assert!(refused.stderr.contains("hint: pass the SHA-256 that"), "{refused:?}");
    let manifest = owner.at("nightly/o-shop/bundle/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replacen("total.py", "evil.py", 1)).unwrap();
    let ran = owner.publish(&["nightly", "--limit-prs", "100/h"]);
    assert_eq!(ran.code, 6, "{ran:?}");
    let report = owner.summary("nightly/publish/summary.json");
    assert_eq!(counts(&report), json!({ "fixed": 1, "publish_failed": 1 }), "{report:#}");
    let expected = [("blog", (1, 1)), ("shop", (0, 0))];
    let expected = expected.map(|(name, counts)| (name.to_owned(), counts));
    assert_eq!(owner.published(&names), BTreeMap::from(expected));
    // What was refused is tried again, and only that.
    fs::write(&manifest, text).unwrap();
    let ran = owner.publish(&["nightly"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(owner.published(&names).values().all(|counts| *counts == (1, 1)));
    let none = owner.publish(&["nightly/publish"]);
    let words = "nothing to publish: 2 with a pull request already\n";
    assert_eq!((none.code, none.stdout.as_str()), (0, words), "{none:?}");
}

#[test]
fn a_label_pauses_one_repository_or_all_and_a_repository_has_at_most_so_many_open_ones() {
    let names = ["shop", "blog", "wiki"];
    let owner = Owner::new(&names);
    assert_eq!(owner.make_bundles(&names).code, 0);
    let set = |name: &str, state: Value| {
        owner.github.ask("PUT", &format!("/_state/{name}"), &state);
    };
    let labelled = |labels: &[&str]| json!({ "issues": { "7": { "title": "", "body": "", "labels": labels } } });
    let ends = |arguments: &[&str]| {
        let arguments = [&["nightly"], arguments].concat();
        let ran = owner.publish(&arguments);
        let rows = owner.summary("nightly/publish/summary.json")["tasks"].clone();
        let rows = rows.as_array().unwrap().iter();
        let code = |row: &Value| row["error_code"].as_str().unwrap_or("none").to_owned();
        (ran.code, rows.map(code).collect::<Vec<_>>())
    };
    // One issue stops every repository, whatever shard or machine publishes it.
    set("wiki", labelled(&["stop"]));
    let paused = (6, vec!["ERR_PAUSED".to_owned(); 3]);
    assert_eq!(ends(&["--pause-label", "o/wiki#stop"]), paused);
    assert!(owner.published(&names).values().all(|counts| *counts == (0, 0)));
    // An open pull request of ours is the only one, and the label of a repository stops that one.
    let other = json!({ "number": 1, "state": "open", "title": "", "body": "", "head": "papayu/0123", "base": "main", "draft": false });
    set("blog", json!({ "pulls": [other] }));
    set("shop", labelled(&["papayu-pause"]));
    let (code, mut codes) = ends(&["--pause-label", "papayu-pause", "--max-open", "1"]);
    codes.sort();
    assert_eq!(
        (code, codes),
        (6, ["ERR_PAUSED", "ERR_TOO_MANY_OPEN", "none"].map(str::to_owned).into())
    );
    let expected = [("blog", (0, 1)), ("shop", (0, 0)), ("wiki", (1, 1))];
    let expected = expected.map(|(name, counts)| (name.to_owned(), counts));
    assert_eq!(owner.published(&names), BTreeMap::from(expected));
    // The others are tried again.
    set("shop", labelled(&[]));
    assert_eq!(ends(&["--pause-label", "papayu-pause", "--max-open", "2"]).0, 0);
    let expected = [("blog", (1, 2)), ("shop", (1, 1)), ("wiki", (1, 1))];
    let expected = expected.map(|(name, counts)| (name.to_owned(), counts));
    assert_eq!(owner.published(&names), BTreeMap::from(expected));
}

#[test]
fn fixes_of_local_folders_are_applied_once_and_a_changed_file_is_left_alone() {
    let env = TestEnv::new();
    for name in ["one", "two"] {
        red(&env, name);
    }
    env.write("repos.txt", "one\ntwo\n");
    let made =
        batch(&env, &["repos.txt", "--run", "python3 total.py", "--provider", "suggestions"]);
    assert!(
        made.stderr.contains("\n  papayu-batch batch apply out  # changes the folders\n"),
        "{made:?}"
    );
    let before = env.read("two/total.py");
    env.write("two/total.py", "print('by hand')\n");
    let ran = env.run(&["batch", "apply", "out"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(
        ran.stdout.starts_with("applied\tone\nnot applied\ttwo: error: patch failed"),
        "{ran:?}"
    );
    assert_eq!(env.shell("cd one && python3 total.py").code, 0);
    assert_eq!(env.read("two/total.py"), "print('by hand')\n");
    env.write("two/total.py", &before);
    let ran = env.run(&["batch", "apply", "out", "--filter", "zz"]);
    assert!(ran.code == 2 && ran.stderr.contains("no task name matches `zz`"), "{ran:?}");
    let ran = env.run(&["batch", "apply", "out"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "applied before\tone\napplied\ttwo\n"),
        "{ran:?}"
    );
    assert_eq!(env.shell("cd two && python3 total.py").code, 0);
}
