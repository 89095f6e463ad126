//! A batch shared through NATS JetStream: nothing is lost or done twice, whoever dies in the middle.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and start processes themselves"
)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Child;
use std::time::Duration;

use serde_json::{Value, json};

use crate::nats_rig::{Nats, PASSWORD};
use crate::support::{Ran, TestEnv, ran, signal};

const BROKEN: &str = "def total(prices):\n    return sum(prics)\n\n\nassert total([1, 2]) == 3\n";
/// The command that fails.
const RUN: &str = "python3 total.py";

/// Makes red git repositories.
pub(crate) fn red(env: &TestEnv, names: &[String]) {
    env.write("first/total.py", BROKEN);
    env.write("first/.gitignore", ".papa-yu/\n");
    let made = env.shell(
        "cd first && git init -q -b main && git add -A && \
         git -c user.name=A -c user.email=a@example.org commit -q -m Begin",
    );
    assert_eq!(made.code, 0, "{made:?}");
    let copied = env.shell(&format!("for name in {}; do cp -r first $name; done", names.join(" ")));
    assert_eq!(copied.code, 0, "{copied:?}");
}

pub(crate) fn manifest(env: &TestEnv, names: &[String]) {
    let one = |name: &String| format!("[[repositories]]\nrepo = \"{name}\"\n");
    let list: String = names.iter().map(one).collect();
    let head =
        format!("[defaults]\nrun = \"{RUN}\"\nprovider = \"suggestions\"\nemit = \"branch\"\n");
    env.write("batch.toml", &(head + &list));
}

pub(crate) fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("r{number}")).collect()
}

/// Runs the program with the queue in its environment; its password is in nothing that it says.
fn run(env: &TestEnv, nats: &Nats, arguments: &[&str]) -> Ran {
    let ran = env.run_with(arguments, &[("PAPAYU_QUEUE", &nats.url())]);
    assert!(!format!("{ran:?}").contains(PASSWORD), "{ran:?}");
    ran
}

fn start(env: &TestEnv, nats: &Nats, out: &str, more: &[&str]) -> Child {
    let arguments = [&["worker", "--out", out, "--format", "json"], more].concat();
    env.start(&arguments, &[("PAPAYU_QUEUE", &nats.url())])
}

pub(crate) fn ended(child: Child) -> Ran {
    let ran = ran(child.wait_with_output().unwrap());
    assert!(!format!("{ran:?}").contains(PASSWORD), "{ran:?}");
    ran
}

fn status(env: &TestEnv, nats: &Nats) -> Value {
    run(env, nats, &["queue", "status", "--format", "json"]).json()["status"].clone()
}

/// Waits for something that must come.
pub(crate) fn wait_for(what: &str, is: impl Fn() -> bool) {
    for _ in 0..1200 {
        if is() {
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("{what} did not come");
}

/// Returns how many tasks have ended, as the workers' journals say.
pub(crate) fn done(env: &TestEnv, workers: &[&str]) -> usize {
    let count = |out: &&str| {
        let journal = fs::read_to_string(env.repo().join(out).join("journal.jsonl"));
        journal.unwrap_or_default().matches("\"ended\":").count()
    };
    workers.iter().map(count).sum()
}

#[test]
fn a_worker_and_the_server_killed_in_the_middle_lose_no_task_and_do_none_twice() {
    let (env, mut nats) = (TestEnv::new(), Nats::new());
    let names = names(18);
    red(&env, &names);
    manifest(&env, &names);
    let put = run(&env, &nats, &["enqueue", "batch.toml", "--format", "json"]);
    assert_eq!((put.code, &put.json()["new"]), (0, &json!(18)), "{put:?}");

    let outs = ["w/1", "w/2", "w/3"];
    let more = ["--jobs", "2", "--until-empty", "--lease", "4"];
    let mut workers: Vec<Child> = outs.iter().map(|out| start(&env, &nats, out, &more)).collect();
    wait_for("the first tasks' end", || done(&env, &outs) >= 4);
    let mut dead = workers.remove(0);
    dead.kill().unwrap();
    dead.wait().unwrap();
    wait_for("more tasks' end", || done(&env, &outs) >= 8);
    nats.kill();
    std::thread::sleep(Duration::from_millis(700));
    nats.start();
    for worker in workers {
        let ran = ended(worker);
        assert_eq!(ran.code, 0, "{ran:?}");
        let said = |words: &str| ran.stderr.matches(words).count();
        // A short outage may pass unseen; a machine under load may see more than one.
        let (away, back) = (said("does not answer"), said("answers again"));
        assert!(away <= 4 && away == back, "{ran:?}");
    }

    let told = run(&env, &nats, &["queue", "report", "--out", "all", "--format", "json"]);
    let summary = told.json();
    assert_eq!((told.code, &summary["counts"]), (0, &json!({ "fixed": 18 })), "{told:?}");
    assert_eq!((&summary["not_started"], &summary["stopped"]), (&json!(0), &Value::Null));
    assert_eq!(env.read("all/junit.xml").matches("<testcase").count(), 18);
    let once = env.shell(
        "for name in r*/; do (cd $name && for branch in $(git for-each-ref --format='%(refname)' refs/heads/papayu); do \
         echo $name $(git rev-list --count main..$branch); done); done",
    );
    let mut expected: Vec<String> = names.iter().map(|name| format!("{name}/ 1")).collect();
    expected.sort();
    let mut found: Vec<&str> = once.stdout.lines().collect();
    found.sort_unstable();
    assert_eq!(found, expected);
    // The living workers' folders say the same of what they did.
    let joined = env.run(&["report", "merge", "w/2", "w/3", "--out", "both", "--format", "json"]);
    assert_eq!(joined.code, 0, "{joined:?}");
    let both = joined.json()["counts"]["fixed"].as_u64().unwrap();
    assert!((10..=18).contains(&both), "{both}");
}

#[test]
fn a_task_whose_worker_dies_each_time_is_parked_and_can_be_put_back() {
    let (env, nats) = (TestEnv::new(), Nats::new());
    red(&env, &names(1));
    // Only without a sandbox can the command kill its parent, which is the worker.
    env.write_user_settings("[run]\nsandbox = \"off\"\n");
    env.write(
        "batch.toml",
        &format!(
            "[[repositories]]\nname = \"poison\"\nrepo = \"first\"\nrun = \"kill -9 $PPID\"\n\
             [[repositories]]\nrepo = \"r0\"\nrun = \"sh -c 'sleep 1; exec {RUN}'\"\nprovider = \"suggestions\"\n"
        ),
    );
    assert_eq!(run(&env, &nats, &["enqueue", "batch.toml"]).code, 0);
    // The one beside it dies with it once, and then never again.
    let more = ["--until-empty", "--lease", "2", "--max-tries", "2", "--jobs", "2"];
    for life in ["first", "second"] {
        let ran = ended(start(&env, &nats, life, &more));
        assert_eq!(ran.code, -1, "{life}: {ran:?}");
    }
    let ran = ended(start(&env, &nats, "third", &more));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("poison: internal error: begun 2 times"), "{ran:?}");
    let rows = status(&env, &nats)["rows"].as_array().unwrap().clone();
    let told: Vec<_> =
        rows.iter().map(|row| (&row["name"], &row["outcome"], &row["error_code"])).collect();
    let parked = (&json!("poison"), &json!("internal"), &json!("ERR_QUEUE_PARKED"));
    assert_eq!(told, [parked, (&json!("r0"), &json!("fixed"), &Value::Null)]);
    let shown = run(&env, &nats, &["queue", "status"]);
    assert_eq!(shown.stdout, "0 waiting, 0 running, 1 parked, 1 ended\nparked\tpoison\n");
    let outcome: Value = serde_json::from_str(&env.read("third/poison/outcome.json")).unwrap();
    assert_eq!(outcome["error_code"], "ERR_QUEUE_PARKED");

    let ran = run(&env, &nats, &["queue", "retry", "--filter", "other*"]);
    assert!(ran.code == 2 && ran.stderr.contains("no parked task matches `other*`"), "{ran:?}");
    assert_eq!(run(&env, &nats, &["queue", "retry"]).stdout, "1 put back\n");
    let shown = run(&env, &nats, &["queue", "status"]);
    assert_eq!(shown.stdout, "1 waiting, 0 running, 0 parked, 1 ended\n");
}

#[test]
fn a_worker_asked_to_stop_gives_its_task_back_at_once_and_uncounted() {
    let (env, nats) = (TestEnv::new(), Nats::new());
    let names = names(2);
    red(&env, &names);
    manifest(&env, &names);
    assert_eq!(run(&env, &nats, &["enqueue", "batch.toml"]).code, 0);
    let more = ["--jobs", "1", "--run", "sh -c 'touch begun; sleep 30'"];
    let first = start(&env, &nats, "one", &more);
    wait_for("the task's begin", || env.repo().join("r0/begun").exists());
    let shown = run(&env, &nats, &["queue", "status"]).stdout;
    assert!(shown.contains("\nrunning\tr0\ton "), "{shown}");
    assert_eq!(status(&env, &nats)["running"][0]["task"], "r0");
    signal(first.id(), "-TERM");
    let ran = ended(first);
    assert_eq!((ran.code, &ran.json()["outcome"]), (130, &json!("interrupted")), "{ran:?}");
    let held = status(&env, &nats);
    assert_eq!((&held["waiting"], &held["running"]), (&json!(2), &json!([])), "{held}");
    // Another need not wait for the lease, which is a minute.
    let second = ended(start(&env, &nats, "two", &["--until-empty", "--max-tries", "1"]));
    assert_eq!((second.code, &second.json()["counts"]), (0, &json!({ "fixed": 2 })), "{second:?}");
    assert!(!second.stderr.contains("fell silent"), "{second:?}");
    // A worker that nobody told to end waits, and takes up what comes.
    let third = start(&env, &nats, "three", &[]);
    assert_eq!(run(&env, &nats, &["enqueue", "batch.toml", "--filter", "r1"]).code, 0);
    wait_for("the row", || done(&env, &["three"]) == 1);
    signal(third.id(), "-TERM");
    let ran = ended(third);
    assert_eq!((ran.code, &ran.json()["counts"]), (130, &json!({ "fixed": 1 })), "{ran:?}");
}

#[test]
fn a_worker_asked_to_stop_while_the_server_is_mute_stops_and_its_task_is_taken_over() {
    let (env, nats) = (TestEnv::new(), Nats::new());
    red(&env, &names(1));
    manifest(&env, &names(1));
    assert_eq!(run(&env, &nats, &["enqueue", "batch.toml"]).code, 0);
    let more = ["--lease", "4", "--run", "sh -c 'touch begun; sleep 300'"];
    let first = start(&env, &nats, "one", &more);
    wait_for("the task's begin", || env.repo().join("r0/begun").exists());
    nats.signal("-STOP");
    signal(first.id(), "-TERM");
    let ran = ended(first);
    assert_eq!((ran.code, &ran.json()["outcome"]), (130, &json!("interrupted")), "{ran:?}");
    nats.signal("-CONT");
    let second = ended(start(&env, &nats, "two", &["--lease", "4", "--until-empty"]));
    assert_eq!((second.code, &second.json()["counts"]), (0, &json!({ "fixed": 1 })), "{second:?}");
}

#[test]
fn a_worker_that_fell_silent_for_a_while_may_still_say_how_its_task_ended() {
    let (env, nats) = (TestEnv::new(), Nats::new());
    red(&env, &names(1));
    let begun = env.repo().join("r0/begun");
    let task = format!(
        "[[repositories]]\nrepo = \"r0\"\nrun = \"sh -c 'touch begun; sleep 2; exec {RUN}'\"\n\
         provider = \"suggestions\"\nemit = \"patch\"\n"
    );
    env.write("batch.toml", &task);
    assert_eq!(run(&env, &nats, &["enqueue", "batch.toml"]).code, 0);
    let more = ["--lease", "2", "--until-empty"];
    let first = start(&env, &nats, "one", &more);
    wait_for("the task's begin", || begun.exists());
    signal(first.id(), "-STOP");
    let mut second = start(&env, &nats, "two", &more);
    let mut said = BufReader::new(second.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.contains("is left alone for the time of a lease")));
    signal(first.id(), "-CONT");
    let first = ended(first);
    assert_eq!((first.code, &first.json()["counts"]), (0, &json!({ "fixed": 1 })), "{first:?}");
    said.for_each(drop);
    let second = ended(second);
    assert_eq!((second.code, &second.json()["counts"]), (0, &json!({})), "{second:?}");
    let all = run(&env, &nats, &["queue", "report", "--out", "all", "--format", "json"]);
    assert_eq!((all.code, &all.json()["counts"]), (0, &json!({ "fixed": 1 })), "{all:?}");
}

#[test]
fn a_worker_killed_before_the_queue_knew_of_an_end_comes_back_and_tells_it() {
    let (env, mut nats) = (TestEnv::new(), Nats::new());
    let names = names(2);
    red(&env, &names);
    manifest(&env, &names);
    assert_eq!(run(&env, &nats, &["enqueue", "batch.toml"]).code, 0);
    let more = ["--jobs", "1", "--lease", "2"];
    let slow = [&more[..], &["--run", "sh -c 'sleep 1; exec python3 total.py'"]].concat();
    let mut first = start(&env, &nats, "w", &slow);
    let journal = env.repo().join("w/journal.jsonl");
    let begun = || fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"started\":"));
    wait_for("the first task's begin", begun);
    nats.kill();
    wait_for("the first task's end", || done(&env, &["w"]) == 1);
    first.kill().unwrap();
    first.wait().unwrap();
    nats.start();
    let half = run(&env, &nats, &["queue", "report", "--out", "half", "--format", "json"]);
    assert_eq!((half.code, &half.json()["not_started"]), (1, &json!(2)), "{half:?}");
    let second = ended(start(&env, &nats, "w", &[&more[..], &["--until-empty"]].concat()));
    assert_eq!((second.code, &second.json()["counts"]), (0, &json!({ "fixed": 2 })), "{second:?}");
    assert!(second.stderr.contains("is taken over from"), "{second:?}");
    assert_eq!(env.read("w/journal.jsonl").matches("\"started\":").count(), 2, "each begun once");
}

#[test]
fn a_message_that_a_killed_server_has_again_is_no_second_run() {
    let (env, nats) = (TestEnv::new(), Nats::new());
    red(&env, &names(1));
    manifest(&env, &names(1));
    let put = || run(&env, &nats, &["enqueue", "batch.toml"]);
    let (subject, job) = nats.heard("papayu-tasks.*", || assert_eq!(put().code, 0));
    let work = || ended(start(&env, &nats, "w", &["--until-empty", "--run", "true"]));
    assert_eq!(work().json()["counts"], json!({ "nothing_to_fix": 1 }));
    // The acknowledgement got lost.
    nats.send(&subject, &job);
    assert_eq!(status(&env, &nats)["waiting"], 1);
    // Who adds the task again gets a new run of it,
    let new = "1 new, 0 in the queue already, of 1 tasks\n";
    let (subject, job) = nats.heard("papayu-tasks.*", || assert_eq!(put().stdout, new));
    assert_eq!(status(&env, &nats)["rows"], json!([]));
    let again = work();
    assert_eq!((again.code, again.stderr.matches("[1/1] ").count()), (0, 1), "{again:?}");
    // and a worker removes the message without work.
    nats.send(&subject, &job);
    let idle = work();
    assert_eq!((idle.code, idle.stderr.matches("[1/").count()), (0, 0), "{idle:?}");
}

#[test]
fn the_end_of_a_task_of_a_dropped_batch_is_not_that_of_the_new_one() {
    let (env, nats) = (TestEnv::new(), Nats::new());
    let names = names(3);
    red(&env, &names);
    let slow = |name: &str| {
        format!(
            "[[repositories]]\nrepo = \"{name}\"\nrun = \"sh -c 'touch begun; sleep 2; exec true'\"\n"
        )
    };
    env.write("old.toml", &slow("r0"));
    assert_eq!(run(&env, &nats, &["enqueue", "old.toml"]).code, 0);
    let worker = start(&env, &nats, "w", &["--jobs", "1", "--until-empty"]);
    wait_for("the task's begin", || env.repo().join("r0/begun").exists());
    // The new batch has the same task with another command, and two more.
    env.write(
        "new.toml",
        &["r0", "r1", "r2"].map(|name| slow(name).replace("exec true", "exec false")).concat(),
    );
    assert_eq!(run(&env, &nats, &["enqueue", "new.toml", "--restart"]).code, 0);
    // The worker goes on with the new batch.
    let worker = ended(worker);
    assert!(worker.code == 1 && worker.stderr.contains("had ended elsewhere"), "{worker:?}");
    let told = run(&env, &nats, &["queue", "report", "--out", "all", "--format", "json"]);
    let rows = told.json()["tasks"].as_array().unwrap().clone();
    let rows: Vec<_> = rows.iter().map(|row| (&row["name"], &row["outcome"])).collect();
    let red = json!("not_fixed");
    assert_eq!(rows, [(&json!("r0"), &red), (&json!("r1"), &red), (&json!("r2"), &red)]);
}

#[test]
fn a_task_that_is_added_again_has_only_the_results_of_its_last_run() {
    let (env, nats) = (TestEnv::new(), Nats::new());
    red(&env, &names(1));
    env.write("batch.toml", &format!("[[repositories]]\nrepo = \"r0\"\nrun = \"{RUN}\"\nprovider = \"suggestions\"\nemit = \"bundle\"\n"));
    let night = |more: &[&str], out: &str| {
        assert_eq!(run(&env, &nats, &["enqueue", "batch.toml"]).code, 0);
        let ran = ended(start(&env, &nats, "w", &[&["--until-empty"], more].concat()));
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(run(&env, &nats, &["queue", "report", "--out", out]).code, 0);
        env.shell(&format!("ls {out}/r0")).stdout
    };
    assert!(night(&[], "first").contains("bundle"));
    assert!(!night(&["--run", "true"], "second").contains("bundle"));
}

#[test]
fn a_worker_begins_with_the_recipes_that_another_has_learned() {
    let (env, nats) = (TestEnv::new(), Nats::new());
    let names = names(2);
    red(&env, &names);
    // No tool knows this one.
    let broken = "from collections import Mapping\n\nassert isinstance({}, Mapping)\n";
    let git = "git -c user.name=A -c user.email=a@example.org commit -q -a -m Begin";
    for name in &names {
        env.write(&format!("{name}/total.py"), broken);
        assert_eq!(env.shell(&format!("cd {name} && {git}")).code, 0);
    }
    let model = "import json, re, sys\nprompt = sys.stdin.read()\nopen('../asked', 'a').write('x')\n\
                 sha = re.search(r'FILE\\[total.py\\] \\(sha256=([0-9a-f]{64})', prompt).group(1)\n\
                 patch = '@@ -1 +1 @@\\n-from collections import Mapping\\n+from collections.abc import Mapping\\n'\n\
                 action = {'kind': 'PATCH_FILE', 'path': 'total.py', 'base_sha256': sha, 'patch': patch}\n\
                 print(json.dumps({'actions': [action], 'summary': 's'}))\n";
    env.write(
        "model.py",
        &model.replace("../asked", &env.repo().join("asked").display().to_string()),
    );
    let command = format!("python3 {}", env.repo().join("model.py").display());
    let check = "python3 -m unittest -v test_total";
    for name in &names {
        env.write(
            &format!("{name}/test_total.py"),
            "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        import total\n",
        );
    }
    let text = |name: &String| {
        format!("[[repositories]]\nrepo = \"{name}\"\nrun = \"{check}\"\nemit = \"patch\"\n")
    };
    env.write("batch.toml", &names.iter().map(text).collect::<String>());
    let variables = [
        ("PAPAYU_LLM_PROVIDER", "command"),
        ("PAPAYU_LLM_COMMAND", &command),
        ("PAPAYU_JUDGE", "off"),
    ];
    let url = nats.url();
    let variables = [&variables[..], &[("PAPAYU_QUEUE", &url)]].concat();
    for (worker, filter) in [("one", "r0"), ("two", "r1")] {
        assert_eq!(run(&env, &nats, &["enqueue", "batch.toml", "--filter", filter]).code, 0);
        let ran = env.run_with(&["worker", "--until-empty", "--out", worker], &variables);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    assert_eq!(env.read("asked"), "x");
    let outcome: Value = serde_json::from_str(&env.read("two/r1/outcome.json")).unwrap();
    assert_eq!(outcome["recipes"][0]["result"], "healed", "{outcome:#}");
}

#[test]
fn what_waits_is_not_put_there_twice_and_another_manifest_waits_its_turn() {
    let (env, nats) = (TestEnv::new(), Nats::new());
    let names = names(3);
    red(&env, &names);
    manifest(&env, &names);
    let put = |arguments: &[&str]| {
        let ran = run(&env, &nats, &[&["enqueue"], arguments].concat());
        (ran.code, ran.stdout + &ran.stderr)
    };
    let dry = put(&["batch.toml", "--dry-run", "--filter", "r[01]"]);
    assert!(dry.1.ends_with("2 of 3 tasks would be put into the queue\n"), "{dry:?}");
    assert!(run(&env, &nats, &["queue", "status"]).stderr.contains("ERR_QUEUE_EMPTY"));
    let said = |new: usize, known: usize| {
        (0, format!("{new} new, {known} in the queue already, of 3 tasks\n"))
    };
    assert_eq!(put(&["batch.toml", "--limit", "2"]), said(2, 0));
    assert_eq!(put(&["batch.toml"]), said(1, 2));
    assert_eq!(put(&["batch.toml"]), said(0, 3));
    env.write("other.txt", "r0\n");
    let (code, text) = put(&["other.txt"]);
    assert!(code == 2 && text.contains("3 tasks of another manifest"), "{text}");
    assert!(text.contains("ERR_QUEUE_MANIFEST") && text.contains("--restart"), "{text}");
    let ran = ended(start(&env, &nats, "w", &["--until-empty"]));
    assert_eq!(ran.code, 0, "{ran:?}");
    // What has ended is done again when it is asked for again.
    assert_eq!(put(&["batch.toml"]), said(3, 0));
    let (code, text) = put(&["other.txt", "--restart"]);
    assert_eq!((code, text.as_str()), (0, "1 new, 0 in the queue already, of 1 tasks\n"));
    let ran = ended(start(&env, &nats, "w", &["--until-empty", "--run", "true"]));
    assert_eq!((ran.code, &ran.json()["counts"]), (0, &json!({ "nothing_to_fix": 1 })), "{ran:?}");
}

#[test]
fn an_address_without_a_password_is_shown_and_lost_credentials_are_named() {
    let env = TestEnv::new();
    let nobody = ("PAPAYU_QUEUE", "nats://127.0.0.1:9");
    let away = env.run_with(&["queue", "status"], &[nobody]);
    assert!(away.stderr.contains("the queue at `nats://127.0.0.1:9` does not"), "{away:?}");
    let lost = [nobody, ("PAPAYU_QUEUE_CREDENTIALS", "/none.creds")];
    let lost = env.run_with(&["queue", "status"], &lost);
    let words = "`PAPAYU_QUEUE_CREDENTIALS` names `/none.creds`, which cannot be read: ";
    assert!(lost.code == 2 && lost.stderr.contains(words), "{lost:?}");
}

#[test]
fn what_is_wrong_with_a_queue_is_told_with_what_to_do() {
    let (env, nats) = (TestEnv::new(), Nats::new());
    red(&env, &names(1));
    manifest(&env, &names(1));
    let nobody = "nats://127.0.0.1:9";
    let barred = nats.url().replace(PASSWORD, "falsch");
    let open = nats.url().replace(&format!("worker:{PASSWORD}@"), "");
    let odd = format!("{}/a%20b", nats.url());
    // A user without rights can neither read nor add.
    let guest = nats.url_of("guest");
    let cases = [
        (odd.as_str(), 2, "ERR_QUEUE_ADDRESS"),
        ("", 2, "ERR_QUEUE_NO_ADDRESS"),
        ("http://127.0.0.1", 2, "ERR_QUEUE_ADDRESS"),
        (nobody, 1, "ERR_QUEUE_AWAY"),
        (&barred, 2, "ERR_QUEUE_REFUSED"),
        (&open, 2, "ERR_QUEUE_REFUSED"),
        (&guest, 2, "ERR_QUEUE_REFUSED"),
    ];
    for (url, code, word) in cases {
        for command in [&["enqueue", "batch.toml"][..], &["worker", "--until-empty", "--out", "w"]]
        {
            let ran = env.run_with(command, &[("PAPAYU_QUEUE", url)]);
            assert_eq!(ran.code, code, "{ran:?}");
            let told = ran.stderr.contains(word) && ran.stderr.contains("hint: ");
            assert!(told && !ran.stderr.contains("falsch"), "{ran:?}");
        }
    }
    let work = || run(&env, &nats, &["worker", "--until-empty", "--out", "w"]);
    assert!(work().stderr.contains("ERR_QUEUE_EMPTY"));
    assert_eq!(run(&env, &nats, &["enqueue", "batch.toml"]).code, 0);
    nats.send("$KV.papayu-records.batch", "{\"form\":9}");
    assert!(work().stderr.contains("tasks of form 9"));
    assert_eq!(run(&env, &nats, &["enqueue", "batch.toml", "--restart"]).code, 0);
    // A job that nobody wrote, and one of a newer program.
    nats.send("papayu-tasks.evil", "{{{");
    nats.send("papayu-tasks.what", "");
    let ran = work();
    assert_eq!((ran.code, ran.stderr.matches("] job-").count()), (1, 2), "{ran:?}");
    assert_eq!(status(&env, &nats)["parked"], json!(["evil", "what"]));
    nats.send("papayu-tasks.new", "{\"form\":9}");
    let ran = work();
    assert!(ran.code == 1 && ran.stderr.contains("it is of form 9"), "{ran:?}");
    assert_eq!(status(&env, &nats)["parked"], json!(["evil", "new", "what"]));
    let ran = run(&env, &nats, &["enqueue", "batch.toml", "--restart"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    // What would go with a clone is not begun.
    assert_eq!(run(&env, &nats, &["worker", "--until-empty", "--out", "fresh"]).code, 0);
    env.write("far.txt", "https://127.0.0.1:9/o/r\n");
    assert_eq!(run(&env, &nats, &["enqueue", "far.txt"]).code, 0);
    let ran = run(&env, &nats, &["worker", "--until-empty", "--out", "fresh", "--emit", "branch"]);
    assert!(ran.code == 2 && ran.stderr.contains("ERR_QUEUE_EMIT"), "{ran:?}");
    assert_eq!(run(&env, &nats, &["enqueue", "batch.toml", "--restart"]).code, 0);
    // A server that lost everything is no empty queue.
    let idle = start(&env, &nats, "idle", &[]);
    wait_for("the row", || {
        status(&env, &nats)["rows"].as_array().is_some_and(|all| all.len() == 1)
    });
    nats.send("$JS.API.STREAM.DELETE.KV_papayu-records", "");
    let ran = ended(idle);
    assert!(ran.code == 1 && ran.stderr.contains("ERR_QUEUE_GONE"), "{ran:?}");
}
