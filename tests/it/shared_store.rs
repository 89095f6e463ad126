//! A Redis as the shared store: what one clone adds another one uses, and no fault of it changes a result.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk and measure time")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::redis_rig::{PASSWORD, Redis};
use crate::support::{Ran, TestEnv};

/// Files of code in the repository.
const FILES: usize = 80;
/// A question that needs the facts and the calls of every file.
const QUESTION: [&str; 3] = ["index", "callers", "total7"];

/// Creates a repository, and a clone of it with each name.
fn make_clones(names: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    for number in 0..FILES {
        let next = (number + 1) % FILES;
        let text = format!(
            "from shop.f{next} import total{next}\n\n\ndef total{number}(prices):\n    return total{next}(prices)\n"
        );
        env.write(&format!("origin/shop/f{number}.py"), &text);
    }
    env.write("origin/.gitignore", ".papa-yu/\n");
    let clones: Vec<_> =
        names.iter().map(|name| format!(" && git clone -q origin {name}")).collect();
    let clones = clones.concat();
    let made = env.shell(&format!(
        "(cd origin && git init -q -b main && git add -A && \
         git -c user.name=A -c user.email=a@example.org commit -q -m Begin){clones}"
    ));
    assert_eq!(made.code, 0, "{made:?}");
    env
}

/// Runs the program in a clone with a store, the password of which it does not print.
fn run_at(env: &TestEnv, url: &str, clone: &str, arguments: &[&str]) -> Ran {
    let arguments = [arguments, &["--repo", clone, "--format", "json"]].concat();
    let ran = env.run_with(&arguments, &[("PAPAYU_STORE", url)]);
    assert!(!format!("{ran:?}").contains(PASSWORD), "{ran:?}");
    ran
}

/// Returns the numbers of files that were read, and of those with facts from the store.
fn read_counts(ran: &Ran) -> (Value, Value) {
    assert_eq!(ran.code, 0, "{ran:?}");
    let summary = ran.json();
    (summary["read"].clone(), summary["shared"].clone())
}

/// Returns the answer of a clone without a store.
fn expected_answer(env: &TestEnv) -> Value {
    let ran = env.run(&[&QUESTION[..], &["--repo", "origin", "--format", "json"]].concat());
    let callers = ran.json()["definitions"][0]["callers"].clone();
    assert_eq!((ran.code, callers.as_array().map(Vec::len)), (0, Some(1)), "{ran:?}");
    ran.json()
}

fn list_keys(redis: &Redis, pattern: &str) -> Vec<String> {
    let reply = redis.ask(&format!("KEYS {pattern}"));
    reply.lines().filter(|line| line.starts_with("papayu:")).map(str::to_owned).collect()
}

fn count_notices(ran: &Ran) -> usize {
    ran.stderr.matches("shared store").count()
}

#[test]
fn the_facts_that_one_clone_adds_are_those_that_another_one_uses() {
    let (env, redis) = (make_clones(&["one", "two"]), Redis::new());
    let index = |clone: &str, arguments: &[&str]| {
        let ran = run_at(&env, &redis.url(), clone, &[&["index"], arguments].concat());
        assert_eq!(count_notices(&ran), 0, "{ran:?}");
        read_counts(&ran)
    };
    let all = json!(FILES + 1);
    assert_eq!(index("one", &[]), (all.clone(), json!(0)));
    let keys = list_keys(&redis, "papayu:facts:*");
    assert_eq!(keys.len(), FILES);
    let seconds = redis.ask(&format!("TTL {}", keys[0]));
    let seconds = seconds.trim_start_matches(':').lines().next();
    let seconds: u32 = seconds.unwrap().parse().unwrap();
    assert!((2_591_000..=2_592_000).contains(&seconds), "{seconds}");
    assert_eq!(index("two", &[]), (all.clone(), json!(FILES)));
    // The local store has them now, and is asked first.
    assert_eq!(index("two", &[]).1, json!(0));
    let answer = run_at(&env, &redis.url(), "two", &QUESTION);
    assert_eq!(answer.json(), expected_answer(&env), "{answer:?}");
    assert_eq!(index("two", &["--force"]), (all, json!(0)));
}

#[test]
fn records_that_are_damaged_too_long_or_of_another_file_or_type_are_replaced() {
    let (env, redis) = (make_clones(&["one", "two", "three"]), Redis::new());
    let index = |clone: &str| run_at(&env, &redis.url(), clone, &["index"]);
    read_counts(&index("one"));
    let keys = list_keys(&redis, "papayu:facts:*");
    for (at, key) in keys.iter().enumerate().skip(1) {
        match at % 5 {
            0 => redis.ask(&format!("SET {key} garbage")),
            1 => redis.ask(&format!("SETRANGE {key} 20 x")),
            2 => redis.ask(&format!("COPY {} {key} REPLACE", keys[0])),
            3 => redis.ask(&format!("DEL {key}")) + &redis.ask(&format!("LPUSH {key} x")),
            _ => redis.ask(&format!("SETRANGE {key} 5000000 x")),
        };
    }
    let second = index("two");
    // An answer has at most 4 MB of records, so it can lack one of them.
    let used = read_counts(&second).1;
    assert!([json!(0), json!(1)].contains(&used) && count_notices(&second) == 0, "{second:?}");
    assert_eq!(run_at(&env, &redis.url(), "two", &QUESTION).json(), expected_answer(&env));
    assert_eq!(read_counts(&index("three")).1, json!(FILES));
}

#[test]
fn a_store_that_is_silent_full_absent_or_wrong_costs_one_notice_and_little_time() {
    let clones = ["silent", "full", "absent", "wrong", "locked", "http"];
    let (env, mut redis) = (make_clones(&clones), Redis::new());
    let expected = expected_answer(&env);
    let check = |clone: &str, url: &str| {
        let ran = run_at(&env, url, clone, &QUESTION);
        assert_eq!((ran.code, count_notices(&ran)), (0, 1), "{clone}: {ran:?}");
        assert_eq!(ran.json(), expected, "{clone}");
    };
    redis.signal("-STOP");
    let begun = Instant::now();
    check("silent", &redis.url());
    // One time limit of a second; without it each of the requests would have one.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    redis.signal("-CONT");
    redis.ask("CONFIG SET maxmemory 1");
    check("full", &redis.url());
    check("locked", &redis.url().replace(PASSWORD, "another"));
    check("wrong", "http://localhost");
    let web = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}", web.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in web.incoming() {
            let _ =
                std::io::Write::write_all(&mut stream.unwrap(), b"HTTP/1.1 400 Bad\r\n\r\n\x07");
        }
    });
    check("http", &url);
    redis.kill();
    check("absent", &redis.url());
}

#[test]
fn a_user_who_may_only_read_uses_the_facts_and_adds_none() {
    let (env, redis) = (make_clones(&["one", "two"]), Redis::new());
    read_counts(&run_at(&env, &redis.url(), "one", &["index"]));
    redis.ask(&format!("DEL {}", list_keys(&redis, "papayu:facts:*")[0]));
    let rules = "~papayu:* +getrange +lindex +eval +evalsha +script|load +info";
    let added = redis.ask(&format!("ACL SETUSER reader on >{PASSWORD} {rules}"));
    assert!(added.starts_with("+OK"), "{added}");
    let url = redis.url().replacen("//:", "//reader:", 1);
    let second = run_at(&env, &url, "two", &["index"]);
    assert_eq!((read_counts(&second).1, count_notices(&second)), (json!(FILES - 1), 1));
    assert!(second.stderr.contains("nothing is written to the shared store"), "{second:?}");
    assert_eq!(list_keys(&redis, "papayu:facts:*").len(), FILES - 1);
}

#[test]
fn runs_of_every_clone_are_listed_and_shown_in_each() {
    let (env, redis) = (make_clones(&["one", "two"]), Redis::new());
    let run = |clone: &str, arguments: &[&str]| run_at(&env, &redis.url(), clone, arguments);
    let fix = ["fix", "--run", "exit 1", "--provider", "suggestions"];
    for clone in ["one", "two"] {
        let ran = run(clone, &fix);
        assert_eq!((ran.code, count_notices(&ran)), (1, 0), "{ran:?}");
    }
    let rows = run("two", &["runs", "list", "--shared"]).json();
    let local = |clone: &str| run(clone, &["runs", "list"]).json()[0].clone();
    assert_eq!(rows, json!([local("one"), local("two")]));
    let id = rows[0]["run_id"].as_str().unwrap();
    let shown = run("two", &["runs", "show", id, "--shared"]).json();
    assert_eq!(shown, run("one", &["runs", "show", id]).json());

    // An item of others does no harm, and a Redis that loses the runs is reported.
    let list = list_keys(&redis, "papayu:runs:*").remove(0);
    redis.ask(&format!("RPUSH {list} garbage {}", "x".repeat(17 * 1024 * 1024)));
    redis.ask("CONFIG SET appendonly no");
    let volatile = run("one", &fix);
    assert!(volatile.stderr.contains("no append-only file"), "{volatile:?}");
    let listed = run("one", &["runs", "list", "--shared"]);
    assert_eq!(listed.json().as_array().map(Vec::len), Some(3), "{listed:?}");
    assert!(listed.stderr.contains("2 items of the shared store"), "{listed:?}");

    redis.ask(&format!("SET {list} x"));
    let refused = run("one", &fix);
    assert_eq!((refused.code, count_notices(&refused)), (1, 1), "{refused:?}");
    let wrong = run("one", &["runs", "list", "--shared"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("WRONGTYPE"), "{wrong:?}");
}

#[test]
fn only_the_user_names_a_store() {
    let env = TestEnv::new();
    let ran = env.run(&["runs", "list", "--shared"]);
    assert!(ran.code == 2 && ran.stderr.contains("set `PAPAYU_STORE`"), "{ran:?}");
    env.write("papayu.toml", "[store]\nurl = \"redis://127.0.0.1:1\"\n");
    let ran = env.run(&["index"]);
    assert!(ran.code == 2 && ran.stderr.contains("store.url"), "{ran:?}");
}

#[test]
fn facts_and_runs_are_there_after_redis_was_killed_and_started_again() {
    let (env, mut redis) = (make_clones(&["one", "two", "three"]), Redis::new());
    read_counts(&run_at(&env, &redis.url(), "one", &["index"]));
    let fix = ["fix", "--run", "exit 1", "--provider", "suggestions"];
    let ended = run_at(&env, &redis.url(), "one", &fix);
    assert_eq!(ended.code, 1, "{ended:?}");
    // Keys are grouped, and runs are kept for ever.
    let groups = list_keys(&redis, "papayu:*");
    let of = |group: &str| groups.iter().filter(|key| key.starts_with(group)).count();
    assert_eq!((of("papayu:facts:"), of("papayu:runs:")), (FILES, 1), "{groups:?}");
    for key in list_keys(&redis, "papayu:runs:*") {
        assert!(redis.ask(&format!("TTL {key}")).starts_with(":-1"), "{key}");
    }
    redis.kill();
    redis.start();
    assert_eq!(read_counts(&run_at(&env, &redis.url(), "two", &["index"])).1, json!(FILES));
    let listed = run_at(&env, &redis.url(), "two", &["runs", "list", "--shared"]).json();
    assert_eq!(listed[0]["run_id"], ended.json()["run_id"], "{listed:#}");
    let id = listed[0]["run_id"].as_str().unwrap();
    let shown = run_at(&env, &redis.url(), "three", &["runs", "show", id, "--shared"]).json();
    for field in ["tokens", "timings_ms", "activity"] {
        assert_eq!((shown[field].is_object(), &shown[field]), (true, &ended.json()[field]));
    }
    // A rewritten log and an ordinary end keep them as well.
    redis.ask("BGREWRITEAOF");
    std::thread::sleep(Duration::from_millis(500));
    redis.signal("-TERM");
    redis.kill();
    redis.start();
    assert_eq!(read_counts(&run_at(&env, &redis.url(), "three", &["index"])).1, json!(FILES));
    let listed = run_at(&env, &redis.url(), "one", &["runs", "list", "--shared"]).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed:#}");
}
