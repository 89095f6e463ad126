//! Many repositories in one call: the sick ones harm no others, a kill loses nothing, nothing is done twice.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and start processes themselves"
)]

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::Duration;

use papayu_base::domain::{NoEvents, OutcomeKind};
use papayu_batch::FixRequest;
use papayu_batch::fix::FixError;
use serde_json::{Value, json};

use crate::support::{Ran, TestEnv, signal};

const BROKEN: &str = "def total(prices):\n    return sum(prics)\n\n\nassert total([1, 2]) == 3\n";
const MENDED: &str = "def total(prices):\n    return sum(prices)\n\n\nassert total([1, 2]) == 3\n";
/// The command that fails.
pub(crate) const RUN: &str = "python3 total.py";

/// Makes a red git repository beside the others.
pub(crate) fn red(env: &TestEnv, name: &str) {
    env.write(&format!("{name}/total.py"), BROKEN);
    env.write(&format!("{name}/.gitignore"), ".papa-yu/\n");
    let ran = env.shell(&format!(
        "cd {name} && git init -q -b main && git add -A && \
         git -c user.name=A -c user.email=a@example.org commit -q -m Begin"
    ));
    assert_eq!(ran.code, 0, "{ran:?}");
}

pub(crate) fn batch(env: &TestEnv, arguments: &[&str]) -> Ran {
    env.run(&[&["batch"], arguments, &["--out", "out"]].concat())
}

pub(crate) fn summary(env: &TestEnv) -> Value {
    serde_json::from_str(&env.read("out/summary.json")).unwrap()
}

/// Returns how each task ended.
pub(crate) fn ends(summary: &Value) -> BTreeMap<String, String> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    let rows = summary["tasks"].as_array().unwrap().iter();
    rows.map(|row| (text(row, "name"), text(row, "outcome"))).collect()
}

pub(crate) fn pairs(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, end)| ((*name).to_owned(), (*end).to_owned())).collect()
}

#[test]
fn repositories_that_are_gone_broken_hanging_or_refusing_harm_no_others() {
    let env = TestEnv::new();
    for name in ["good", "corrupt", "hangs", "last"] {
        red(&env, name);
    }
    fs::write(env.repo().join("corrupt/.git/HEAD"), "nonsense\n").unwrap();
    env.write("batch.toml", &format!(
        "[defaults]\nrun = \"{RUN}\"\nprovider = \"suggestions\"\n\n\
         [[repositories]]\nrepo = \"gone\"\n\
         [[repositories]]\nrepo = \"good\"\n\
         [[repositories]]\nrepo = \"corrupt\"\nemit = \"branch\"\n\
         [[repositories]]\nrepo = \"hangs\"\nrun = \"sleep 60\"\nbudget = {{ verify_timeout_sec = 1 }}\n\
         [[repositories]]\nrepo = \"http://127.0.0.1:9/o/refuses\"\n\
         [[repositories]]\nrepo = \"last\"\nemit = [\"branch\", \"patch\"]\n"
    ));
    let ran = batch(&env, &["batch.toml", "--jobs", "3", "--progress", "json", "--format", "json"]);
    let summary = summary(&env);
    let expected = pairs(&[
        ("gone", "usage_error"),
        ("good", "fixed"),
        ("corrupt", "publish_failed"),
        ("hangs", "not_fixed"),
        ("o-refuses", "publish_failed"),
        ("last", "fixed"),
    ]);
    assert_eq!(ends(&summary), expected, "{ran:?}");
    // The worst of them is the batch's own end, by the table of severity.
    assert_eq!((ran.code, &summary["exit_code"]), (2, &json!(2)));
    assert_eq!(ran.json(), summary);
    assert_eq!(env.read("good/total.py"), BROKEN, "only a patch was asked for");
    let landed = env.shell("cd good && git apply ../out/good/papayu.patch && python3 total.py");
    assert_eq!((landed.code, env.read("good/total.py").as_str()), (0, MENDED), "{landed:?}");
    let branches = env.shell("cd last && git branch --list 'papayu/*' | wc -l");
    assert_eq!(branches.stdout.trim(), "1");
    for name in expected.keys() {
        let outcome: Value =
            serde_json::from_str(&env.read(&format!("out/{name}/outcome.json"))).unwrap();
        assert_eq!(outcome["outcome"].as_str(), Some(expected[name].as_str()), "{name}");
    }
    let cases = env.read("out/junit.xml");
    assert_eq!((cases.matches("<testcase").count(), cases.matches("<failure").count()), (6, 4));
    for page in ["out/report.html", "out/summary.md"] {
        let page = env.read(page);
        assert!(expected.keys().all(|name| page.contains(name)), "{page}");
    }
    let lines: Vec<Value> = ran
        .stderr
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let count = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    assert_eq!((count("task_started"), count("task_ended")), (6, 6));
}

#[test]
fn a_batch_killed_at_any_instant_goes_on_and_does_everything_once() {
    let env = TestEnv::new();
    let names: Vec<String> = (0..3).map(|number| format!("r{number}")).collect();
    for name in &names {
        red(&env, name);
    }
    let lines: Vec<_> = names.iter().map(|name| format!("  - repo: {name}\n")).collect();
    let list = lines.concat();
    env.write(
        "batch.yaml",
        &format!(
            "defaults: {{run: {RUN}, provider: suggestions, emit: branch}}\nrepositories:\n{list}"
        ),
    );
    let mut arguments = vec!["batch", "batch.yaml", "--jobs", "3", "--out", "out"];
    let (mut kills, mut life) = (0, Duration::from_millis(200));
    // Each call lives a little longer than the one before, so that one of them ends.
    let end = loop {
        let mut child = env.start(&arguments, &[]);
        std::thread::sleep(life);
        life = life.mul_f64(1.6);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        arguments = vec!["batch", "batch.yaml", "--jobs", "3", "--out", "out", "--resume"];
    };
    assert_eq!(end.code(), Some(0), "{:?}", env.read("out/summary.json"));
    assert!(kills > 2, "{kills} kills");
    let told = summary(&env);
    let good = ends(&told);
    assert_eq!(good.keys().collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
    assert!(good.values().all(|end| end == "fixed"), "{told:#}");
    for name in &names {
        assert_eq!(env.read(&format!("{name}/total.py")), BROKEN, "{name}");
        let git = |words: &str| env.shell(&format!("cd {name} && git {words}")).stdout;
        let branch = git("for-each-ref --format='%(refname:short)' refs/heads/papayu");
        assert_eq!(branch.lines().count(), 1, "{name}: {branch}");
        let ahead = git(&format!("rev-list --count main..{}", branch.trim()));
        assert_eq!(ahead.trim(), "1", "{name}");
    }
    // What has ended stays: nothing is begun again.
    let before = env.read("out/journal.jsonl");
    assert_eq!(batch(&env, &["batch.yaml", "--resume"]).code, 0);
    let after = env.read("out/journal.jsonl");
    let added = after.strip_prefix(&before).unwrap();
    assert!(!added.contains("\"started\""), "{added}");
}

#[test]
fn a_batch_is_gone_on_with_only_as_it_was_begun() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        red(&env, name);
    }
    let manifest = |second: &str| {
        format!(
            "[{{\"repo\": \"a\", \"run\": \"{RUN}\"}}, {{\"repo\": \"b\", \"run\": \"{second}\"}}]"
        )
    };
    env.write("m.json", &manifest("false"));
    // A budget that is reached starts nothing and can be gone on with.
    let ran = batch(&env, &["m.json", "--max-time", "0"]);
    assert_eq!((ran.code, &summary(&env)["not_started"]), (3, &json!(2)), "{ran:?}");
    let ran = batch(&env, &["m.json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("has not ended") && ran.stderr.contains("`--resume`"), "{ran:?}");
    let ran = batch(&env, &["m.json", "--resume"]);
    assert_eq!(ends(&summary(&env)), pairs(&[("a", "fixed"), ("b", "not_fixed")]), "{ran:?}");
    assert_eq!(ran.code, 1);
    // Only what did not end well is done again.
    let begun = || env.read("out/journal.jsonl").matches("\"started\"").count();
    assert_eq!((batch(&env, &["m.json", "--failed"]).code, begun()), (1, 3));
    env.write("m.json", &manifest("true"));
    let ran = batch(&env, &["m.json", "--resume"]);
    assert!(ran.stderr.contains("another manifest") && ran.stderr.contains("--restart"), "{ran:?}");
    // One that has ended makes room for the next, as a nightly job wants it.
    assert_eq!(batch(&env, &["m.json"]).code, 0);
    let fast =
        batch(&env, &["m.json", "--restart", "--fail-fast", "--jobs", "1", "--run", "false"]);
    assert_eq!((fast.code, &summary(&env)["not_started"]), (1, &json!(1)), "{fast:?}");
}

#[test]
fn parts_of_a_manifest_are_named_before_they_are_done() {
    let env = TestEnv::new();
    let lines: Vec<_> = (0..40).map(|number| format!("team/r{number}\n")).collect();
    let list = lines.concat();
    env.write("list.txt", &list);
    let told = |arguments: &[&str]| -> Vec<String> {
        let all = [&["list.txt", "--dry-run", "--format", "json"], arguments].concat();
        let ran = batch(&env, &all);
        assert_eq!(ran.code, 0, "{ran:?}");
        let tasks = ran.json()["tasks"].as_array().unwrap().clone();
        tasks.iter().map(|task| task["task"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(told(&["--filter", "r3*", "--limit", "3"]), ["r3", "r30", "r31"]);
    for call in [&["batch", "list.txt"][..], &["batch", "matrix", "list.txt"]] {
        let ran = env.run(&[call, &["--filter", "repo-*", "--filter", "x"]].concat());
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains("no task name matches `repo-*` or `x`"), "{ran:?}");
    }
    let matrix = env.run(&["batch", "matrix", "list.txt", "--max", "4"]).json();
    let mut sharded = Vec::new();
    for entry in matrix["include"].as_array().unwrap() {
        let tasks = told(&["--shard", entry["shard"].as_str().unwrap()]);
        assert_eq!(tasks.len() as u64, entry["tasks"].as_u64().unwrap());
        sharded.extend(tasks);
    }
    let all = told(&[]);
    sharded.sort();
    let mut sorted = all.clone();
    sorted.sort();
    assert_eq!((sharded, all.len()), (sorted, 40));
    let before = told(&["--shard", "2/4"]);
    env.write("list.txt", &format!("new/one\n{list}new/two\n"));
    let after = told(&["--shard", "2/4"]);
    assert!(before.iter().all(|name| after.contains(name)), "tasks that come move no others");
    let auto = [&["batch", "list.txt", "--dry-run", "--shard", "auto/4"][..]].concat();
    let ran = env.run_with(&auto, &[("JOB_COMPLETION_INDEX", "1")]);
    assert_eq!(ran.stdout.lines().count(), after.len() + 1, "{ran:?}");
    assert!(!env.repo().join("out").exists(), "nothing was begun");
}

#[test]
fn a_second_batch_in_the_same_folder_is_refused_while_the_first_is_at_work() {
    let env = TestEnv::new();
    env.write("a/x", "");
    env.write(
        "m.toml",
        "[[repositories]]\nrepo = \"a\"\nrun = \"sh -c 'touch ../begun; sleep 30'\"\n",
    );
    let mut first = env.start(&["batch", "m.toml", "--out", "out"], &[("PAPAYU_SANDBOX", "off")]);
    for _ in 0..500 {
        if env.repo().join("begun").exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = batch(&env, &["m.toml", "--resume"]);
    assert_eq!(second.code, 2);
    assert!(second.stderr.contains("another batch runs"), "{second:?}");
    // A signal ends what runs; the task is not done, and the batch can be gone on with.
    signal(first.id(), "-TERM");
    assert_eq!(first.wait().unwrap().code(), Some(130));
    assert_eq!(summary(&env)["outcome"], "interrupted");
    assert_eq!(ends(&summary(&env)), pairs(&[("a", "interrupted")]));
    env.write("a/x", "");
    assert!(!env.read("out/journal.jsonl").contains("\"complete\""));
}

#[test]
fn the_library_mends_many_repositories_at_once_and_tells_of_one_that_is_gone() {
    let env = TestEnv::new();
    let names = ["a", "b", "c", "d", "gone"];
    names.iter().take(4).for_each(|name| red(&env, name));
    let path = std::env::var("PATH").unwrap();
    let mend = |name: &str| {
        let request = FixRequest::new(env.repo().join(name))
            .environment([
                ("PATH".to_owned(), path.clone()),
                ("HOME".to_owned(), env.home().display().to_string()),
            ])
            .setting("run.command", RUN);
        papayu_batch::fix(request, &NoEvents)
    };
    let ended: Vec<_> = std::thread::scope(|scope| {
        let mend = &mend;
        let running: Vec<_> = names.map(|name| scope.spawn(move || mend(name))).into();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (fixed, name) in ended.iter().zip(names).take(4) {
        assert_eq!(fixed.outcome.outcome, OutcomeKind::Fixed, "{name}: {}", fixed.outcome.reason);
        assert!(fixed.outcome_written && fixed.out.join("outcome.json").is_file());
        assert!(String::from_utf8_lossy(&fixed.patch).contains("+    return sum(prices)"));
        assert_eq!(env.read(&format!("{name}/total.py")), BROKEN);
    }
    let gone = &ended[4];
    assert_eq!((gone.outcome.outcome, gone.outcome_written), (OutcomeKind::UsageError, false));
    assert!(matches!(gone.error, Some(FixError::Repository { .. })));
    let stopped = FixRequest::new(env.repo().join("a")).setting("run.command", RUN);
    stopped.interrupted.store(true, Ordering::Relaxed);
    let stopped = papayu_batch::fix(stopped, &NoEvents).outcome;
    assert_eq!(stopped.outcome, OutcomeKind::Interrupted, "{}", stopped.reason);
    let nothing = papayu_batch::fix(FixRequest::new(env.repo().join("a")), &NoEvents);
    assert!(matches!(nothing.error, Some(FixError::NoInput { .. })), "{}", nothing.outcome.reason);
    for (name, value, said) in
        [("run.emit", "path", "`run.emit` is"), ("run.emti", "patch", "`run.emit`?")]
    {
        let slip = FixRequest::new(env.repo().join("a")).setting(name, value);
        let outcome = papayu_batch::fix(slip, &NoEvents).outcome;
        assert_eq!(outcome.outcome, OutcomeKind::UsageError, "{name}");
        assert!(outcome.reason.contains(said), "{}", outcome.reason);
    }
}

#[test]
fn shards_are_joined_into_one_summary_and_those_of_other_manifests_are_not() {
    let env = TestEnv::new();
    for name in ["a", "b", "c"] {
        red(&env, name);
    }
    env.write(
        "batch.toml",
        &format!(
            "[defaults]\nrun = \"{RUN}\"\nprovider = \"suggestions\"\n\n[[repositories]]\nrepo = \"a\"\n\
             [[repositories]]\nrepo = \"b\"\n[[repositories]]\nrepo = \"c\"\nrun = \"false\"\n"
        ),
    );
    for (shard, out) in [("1/2", "all/1"), ("2/2", "all/2")] {
        let ran = env.run(&["batch", "batch.toml", "--shard", shard, "--out", out]);
        assert!(ran.code <= 1, "{ran:?}");
    }
    let ran = env.run(&["report", "merge", "all/1", "all/2", "--out", "all", "--format", "json"]);
    let expected = pairs(&[("a", "fixed"), ("b", "fixed"), ("c", "not_fixed")]);
    assert_eq!((ran.code, ends(&ran.json())), (1, expected), "{ran:?}");
    // The template writes a slash as an entity.
    let page = env.read("all/report.html").replace("&#x2f;", "/");
    for name in ["a", "b", "c"] {
        let held = ["1", "2"].map(|shard| format!("{shard}/{name}"));
        let at = held.iter().find(|at| env.repo().join("all").join(at).exists()).unwrap();
        assert!(page.contains(&format!("href=\"{at}/outcome.json\"")), "{at}: {page}");
    }
    assert_eq!(env.read("all/junit.xml").matches("<testcase").count(), 3);

    env.write("other.toml", "[[repositories]]\nrepo = \"a\"\nrun = \"true\"\n");
    assert_eq!(env.run(&["batch", "other.toml", "--out", "other"]).code, 0);
    let ran = env.run(&["report", "merge", "all/1", "other", "--out", "x"]);
    let told = "`all/1` and `other` are shards of different manifests";
    assert!(ran.code == 2 && ran.stderr.contains(told), "{ran:?}");
    let ran = env.run(&["report", "merge", "all/1", "nowhere", "--out", "x"]);
    assert!(ran.code == 2 && ran.stderr.contains("nowhere/summary.json"), "{ran:?}");
}
