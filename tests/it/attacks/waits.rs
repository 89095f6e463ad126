//! Waits without an end that a server, a repository or a command offers; `--timeout` ends the run all the same.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::forge_rig::{Rig, TOKEN};
use crate::support::TestEnv;

/// The limit that each run gets, in seconds.
const LIMIT: &str = "4";

/// A run that obeys its limit takes a few seconds; a busy machine may make more of them.
const MOST: Duration = Duration::from_mins(1);

/// A server that answers with a log which never ends; `pause` is between two of its pieces.
fn endless_server(piece: &'static [u8], pause: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let serve = move |mut stream: TcpStream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        // It ends when the reader goes.
        while stream.write_all(piece).is_ok() {
            thread::sleep(pause);
        }
    };
    thread::spawn(move || {
        listener.incoming().flatten().for_each(|stream| drop(thread::spawn(move || serve(stream))));
    });
    address
}

#[test]
fn a_job_log_without_an_end_ends_with_the_time_limit() {
    const LINES: &[u8] = &[b'x'; 64 * 1024];
    let rig = Rig::new();
    rig.set_state(&json!({ "jobs": { "77": [{ "id": 2, "name": "test", "conclusion": "failure" }] }, "logs": { "2": "x" } }));
    for (name, piece, pause) in [
        ("fast", LINES, Duration::ZERO),
        ("lines", b"a.py:1: error: x\n".as_slice(), Duration::ZERO),
        ("drip", b"x".as_slice(), Duration::from_millis(200)),
        ("silence", b"".as_slice(), Duration::from_secs(1)),
    ] {
        let address = endless_server(piece, pause);
        rig.faults(
            &json!([{ "method": "GET", "path": "/actions/jobs/2/logs", "status": 302, "times": 9,
            "headers": { "Location": format!("http://{address}/x") }, "body": {} }]),
        );
        let start = Instant::now();
        let run = rig.call(
            &["fix", "--github-run", "77", "--provider", "suggestions", "--timeout", LIMIT],
            &[("GITHUB_TOKEN", TOKEN), ("PAPAYU_GITHUB_LOG_HOSTS", &address)],
        );
        assert!(start.elapsed() < MOST, "{name}: {:?}", start.elapsed());
        assert_eq!(run.end().1, "over_budget", "{name}: {run:?}");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_of_git_ends_the_run() {
    for (file, target) in [
        ("index", None),
        ("packed-refs", None),
        ("HEAD", None),
        ("refs/heads/main", None),
        ("index", Some("/dev/zero")),
    ] {
        let env = TestEnv::new();
        env.write("a.py", "a = 1\n");
        let made = env.shell(
            "git init -q -b main . && git add a.py && git -c user.name=a -c user.email=a@b commit -q -m a",
        );
        assert_eq!(made.code, 0, "{made:?}");
        let place = match target {
            None => format!("mkfifo .git/{file}"),
            Some(target) => format!("ln -s {target} .git/{file}"),
        };
        let check = format!("rm -f .git/{file}; {place}; echo 'a.py:1: error: x'; exit 1");
        let start = Instant::now();
        let words = ["fix", "--provider", "suggestions", "--emit", "branch", "--run", &check];
        let ran = env.run(&[&words[..], &["--timeout", "20", "--out", "../home/out"]].concat());
        assert!(start.elapsed() < MOST, "{file}: {:?}: {ran:?}", start.elapsed());
        assert_ne!(ran.code, 0, "{ran:?}");
        let outcome = fs::read_to_string(env.home().join("out/outcome.json")).unwrap();
        assert!(outcome.contains(&format!("/{file}`: it is no file")), "{file}: {outcome}");
    }
}

#[test]
fn what_is_read_before_the_command_ends_with_the_time_limit() {
    for (name, path) in [
        ("git", None),
        ("rules", Some(".gitignore")),
        ("rules below", Some("sub/.gitignore")),
        ("exclude", Some(".git/info/exclude")),
        ("packed-refs", Some(".git/packed-refs")),
        ("goal", Some("goal.txt")),
        ("memory", Some(".papa-yu/project.json")),
    ] {
        let env = TestEnv::new();
        env.write("a.py", "a = 1\n");
        env.write("sub/b.py", "b = 1\n");
        let made = env.shell(
            "git init -q -b main . && git add . && git -c user.name=a -c user.email=a@b commit -q -m a",
        );
        assert_eq!(made.code, 0, "{made:?}");
        let mut words = vec!["fix", "--provider", "suggestions", "--timeout", LIMIT];
        words.extend(["--run", "echo 'a.py:1: error: x'; exit 1"]);
        match path {
            Some(path) => {
                let made =
                    env.shell(&format!("mkdir -p $(dirname {path}); rm -f {path}; mkfifo {path}"));
                assert_eq!(made.code, 0, "{made:?}");
            }
            None => env.write("../home/bin/git", "#!/bin/sh\nexec sleep 1000\n"),
        }
        if name == "goal" {
            words.extend(["--goal-file", "goal.txt"]);
        }
        let search = format!("{}/bin:{}", env.home().display(), std::env::var("PATH").unwrap());
        let _ = env.shell("chmod +x ../home/bin/git 2>/dev/null");
        let start = Instant::now();
        let ran = env.run_with(&words, &[("PATH", &search)]);
        assert!(start.elapsed() < MOST, "{name}: {:?}: {ran:?}", start.elapsed());
        assert_ne!(ran.code, 0, "{name}: {ran:?}");
    }
}

#[test]
fn an_output_that_nobody_reads_ends_with_the_time_limit() {
    const FIX: &str =
        "fix --provider suggestions --timeout 4 --run 'echo a.py:1: error: x; exit 1'";
    // The pipe is full before the program writes; after the time of `sleep` its reader is gone.
    const UNREAD: &str =
        "mkfifo ../p; sleep 150 <../p & keep=$!; exec 3>../p; head -c 65536 /dev/zero >&3";
    for (name, words) in [
        ("result", format!("{FIX} --format json >&3")),
        ("messages", format!("{FIX} 2>&3")),
        ("output of the command", format!("{FIX} --verbose 2>&3")),
        ("both", format!("{FIX} --format json --log-format json >&3 2>&1")),
        ("report", "report >&3".to_owned()),
        ("refusal", "fix --timeout 4 --provider no 2>&3".to_owned()),
    ] {
        let env = TestEnv::new();
        env.write("a.py", "a = 1\n");
        let start = Instant::now();
        let line = format!(
            "{UNREAD}; PAPAYU_TIMEOUT_SEC=4 \"$BIN\" {words}; echo \"code $?\"; kill $keep"
        );
        let ran = env.shell(&line);
        assert!(start.elapsed() < MOST, "{name}: {:?}: {ran:?}", start.elapsed());
        let code = ran.stdout.trim().strip_prefix("code ").and_then(|it| it.parse::<i32>().ok());
        assert!(code.is_some_and(|code| code != 0), "{name}: {ran:?}");
    }
}
