//! Nights that are not as planned: nothing to publish, a killed shard, a server that does not answer, a changed summary.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and start processes themselves"
)]

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::batch::{RUN, batch, red, summary};
use crate::batch_publish::Owner;
use crate::forge_rig::TOKEN;
use crate::support::{Ran, TestEnv, signal};

/// Makes a batch of these folders with bundles.
fn bundled(env: &TestEnv, names: &[&str], more: &[&str]) -> Ran {
    env.write("repos.txt", &(names.join("\n") + "\n"));
    let common = ["repos.txt", "--run", RUN, "--provider", "suggestions", "--emit", "bundle"];
    batch(env, &[&common, more].concat())
}

#[test]
fn a_night_without_a_fix_to_publish_is_a_success_that_says_why() {
    let env = TestEnv::new();
    for name in ["one", "two"] {
        red(&env, name);
        env.write(&format!("{name}/total.py"), "assert True\n");
    }
    assert_eq!(bundled(&env, &["one", "two"], &[]).code, 0);
    for more in [&["--dry-run"][..], &[], &["--filter", "o*"], &["--limit-prs", "20/h"]] {
        let ran = env.run(&[&["publish", "out"], more].concat());
        let count = if more.contains(&"--filter") { 1 } else { 2 };
        let words = format!("nothing to publish: {count} nothing to fix\n");
        assert_eq!((ran.code, ran.stdout), (0, words), "{more:?}");
    }
    let report: Value = serde_json::from_str(&env.read("out/publish/summary.json")).unwrap();
    assert_eq!((&report["exit_code"], &report["tasks"]), (&json!(0), &json!([])));
    let ran = env.run(&["publish", "out", "--filter", "zz"]);
    assert!(ran.code == 2 && ran.stderr.contains("no task name matches `zz`"), "{ran:?}");
    // Fixes without bundles are another matter, unless they have a pull request.
    let back = env.shell("cd one && git checkout -q . && cd ../two && git checkout -q .");
    assert_eq!(back.code, 0, "{back:?}");
    let made = batch(&env, &["repos.txt", "--run", RUN, "--provider", "suggestions"]);
    assert_eq!(summary(&env)["counts"], json!({ "fixed": 2 }), "{made:?}");
    for more in [&["--dry-run"][..], &[]] {
        let ran = env.run(&[&["publish", "out"], more].concat());
        assert!(ran.code == 2 && ran.stderr.contains("--emit bundle"), "{ran:?}");
    }
    let mut changed = summary(&env);
    for row in changed["tasks"].as_array_mut().unwrap() {
        row["pr_url"] = json!("https://github.example/o/r/pull/1");
    }
    env.write("out/summary.json", &changed.to_string());
    let ran = env.run(&["publish", "out"]);
    let words = "nothing to publish: 2 with a pull request already\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (0, words), "{ran:?}");
}

#[test]
fn a_killed_shard_holds_up_no_other_and_is_named() {
    let names = ["shop"];
    let owner = Owner::new(&names);
    assert_eq!(owner.make_bundles(&names).code, 0);
    // What a shard leaves that was killed.
    fs::create_dir(owner.at("killed")).unwrap();
    fs::copy(owner.at("nightly/journal.jsonl"), owner.at("killed/journal.jsonl")).unwrap();
    let alone = owner.publish(&["killed"]);
    let told = alone.stderr.contains("the batch in `killed` has not ended")
        && alone.stderr.contains("--out killed --resume");
    assert!(alone.code == 2 && told, "{alone:?}");
    assert!(!owner.at(".papa-yu").exists() && !owner.at("killed/publish").exists());
    for words in [&["killed", "nightly", "--dry-run"][..], &["killed", "nightly", "--out", "both"]]
    {
        let both = owner.publish(words);
        assert!(both.stderr.contains("`killed` has not ended"), "{both:?}");
        assert!(both.stderr.contains("--out killed --resume"), "{both:?}");
        if !words.contains(&"--dry-run") {
            assert_eq!(both.code, 1, "{both:?}");
            assert!(both.stdout.ends_with("the batch in `killed` has not ended\n"), "{both:?}");
        }
    }
    assert_eq!(owner.published(&names)["shop"], (1, 1));
    let report = owner.summary("both/summary.json");
    assert_eq!((&report["outcome"], &report["exit_code"]), (&json!("not_fixed"), &json!(1)));
    let merge = ["report", "merge", "nightly", "killed", "--out", "merged"];
    let merged = owner.program(&merge).output().unwrap();
    let said = String::from_utf8_lossy(&merged.stderr);
    assert_eq!(merged.status.code(), Some(1), "{said}");
    assert!(said.contains("publish nightly  #") && said.contains("`killed` has not"), "{said}");
}

#[test]
fn a_publication_says_what_it_waits_for_and_what_comes_next() {
    let names = ["shop", "blog"];
    let owner = Owner::new(&names);
    assert_eq!(owner.make_bundles(&names).code, 0);
    // A git server that takes the connection and never answers.
    fs::remove_dir_all(owner.at("home")).unwrap();
    fs::create_dir(owner.at("home")).unwrap();
    signal(owner.git.process.id(), "-STOP");
    let begun = Instant::now();
    let mute = owner.publish(&["nightly", "--timeout", "7", "--out", "mute"]);
    signal(owner.git.process.id(), "-CONT");
    assert!(begun.elapsed() < Duration::from_mins(1), "{mute:?}");
    assert_eq!(mute.code, 6, "{mute:?}");
    let waits = "waits for the git server or the forge of `";
    assert!(mute.stderr.contains(waits) && mute.stderr.contains("at most 7 s"), "{mute:?}");
    // The second one waits for the hour.
    let log = fs::File::create(owner.at("log")).unwrap();
    let mut limited = owner.program(&["publish", "nightly", "--limit-prs", "1/h"]);
    let mut limited =
        { limited.env("GITHUB_TOKEN", TOKEN).stdout(Stdio::null()).stderr(log).spawn().unwrap() };
    let said = || fs::read_to_string(owner.at("log")).unwrap();
    let words = "`--limit-prs` permits were opened in the last hour";
    while !said().contains(words) {
        assert!(begun.elapsed() < Duration::from_mins(3), "{}", said());
        std::thread::sleep(Duration::from_millis(100));
    }
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(said().matches(words).count(), 1, "{}", said());
    limited.kill().unwrap();
    limited.wait().unwrap();
    let opened = owner.published(&names).values().filter(|counts| **counts == (1, 1)).count();
    assert_eq!(opened, 1);
    // Both branches move on.
    for name in names {
        let more = "git -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m x && \
            git push -q \"$BARE\" main";
        let pushed = std::process::Command::new("sh")
            .args(["-c", more])
            .current_dir(owner.at(name))
            .env("BARE", owner.at(&format!("remote/o/{name}.git")))
            .status();
        assert!(pushed.unwrap().success());
    }
    let moved = owner.publish(&["nightly", "--out", "moved", "--progress", "none"]);
    assert_eq!(moved.code, 6, "{moved:?}");
    let next = moved.stderr.split("Next:\n").nth(1).unwrap_or_default();
    assert!(next.contains(" and 1 more: run `fix` again on the newest commit"), "{moved:?}");
}

#[test]
fn a_row_that_was_changed_is_named_and_counted_alike() {
    let env = TestEnv::new();
    for name in ["one", "two"] {
        red(&env, name);
    }
    assert_eq!(bundled(&env, &["one", "two"], &[]).code, 0);
    let good = summary(&env);
    for (field, value) in [("name", "../../x"), ("repo", "ext::sh -c true"), ("bundle_digest", "x")]
    {
        let mut changed = good.clone();
        let row = &mut changed["tasks"][0];
        row[field] = json!(value);
        if field == "repo" {
            row["folder"] = Value::Null;
        }
        env.write("out/summary.json", &changed.to_string());
        let dry = env.run(&["publish", "out", "--dry-run"]);
        let told = |text: &str| text.contains("is not published: its row in `summary.json`");
        assert!(told(&dry.stderr), "{field}: {dry:?}");
        assert_eq!(dry.stdout.lines().last(), Some("1 fix would be published"), "{field}: {dry:?}");
        assert!(dry.stdout.contains("\t1 changed file\n"), "{dry:?}");
        let ran = env.run(&["publish", "out", "--emit", "branch"]);
        assert!(ran.code == 6 && told(&ran.stdout), "{field}: {ran:?}");
        let report: Value = serde_json::from_str(&env.read("out/publish/summary.json")).unwrap();
        assert_eq!(report["tasks"].as_array().unwrap().len(), 1, "{field}: {report:#}");
    }
    let mut changed = good;
    changed["schema_version"] = json!(9);
    env.write("out/summary.json", &changed.to_string());
    let ran = env.run(&["publish", "out"]);
    assert!(ran.code == 2 && ran.stderr.contains("hint: use the version"), "{ran:?}");
}

#[test]
fn the_command_that_publishes_has_the_permissions_of_the_batch() {
    let env = TestEnv::new();
    red(&env, "one");
    let made = bundled(&env, &["one"], &["--allow", "ci,build", "--allow-delete"]);
    let words =
        "\n  papayu-batch publish out --emit branch --allow ci,build --allow-delete  # a branch";
    assert!(made.stderr.contains(words), "{made:?}");
}

#[test]
fn no_task_begins_in_the_quiet_hours_and_all_begin_outside_of_them() {
    let env = TestEnv::new();
    red(&env, "one");
    env.write("repos.txt", "one\n");
    let minute = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 60;
    let hours = |from: u64, to: u64| {
        let [from, to] = [from, to].map(|minute| minute % 1440);
        format!("{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    };
    let common = ["repos.txt", "--run", "true", "--max-time", "2", "--quiet-hours"];
    let quiet = hours(minute + 1440 - 5, minute + 30);
    let ran = batch(&env, &[&common[..], &[&quiet]].concat());
    let rest = (ran.code, summary(&env)["not_started"].clone());
    assert_eq!(rest, (3, json!(1)), "{quiet}: {ran:?}");
    assert!(ran.stderr.contains("no task is started in the quiet hours; waiting"), "{ran:?}");
    let later = hours(minute + 60, minute + 120);
    let ran = batch(&env, &[&common[..], &[&later, "--resume"]].concat());
    assert_eq!((ran.code, &summary(&env)["not_started"]), (0, &json!(0)), "{later}: {ran:?}");
}
