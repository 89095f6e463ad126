//! Signals, seen by a process of its own: this binary, started again.
#![expect(clippy::disallowed_methods, reason = "the test starts a process and reads its own part")]
#![expect(clippy::print_stdout, reason = "the child speaks to its parent")]

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use papayu_system::os::signal;

use crate::fix::{RIGHT, WRONG};
use crate::model::{Model, patch, plan};
use crate::support::{self, TestEnv};

const CHILD: &str = "PAPAYU_TEST_SIGNALLED";

/// The signalled process: does nothing unless the test below started it.
#[test]
fn child_waits_for_signals() {
    if std::env::var(CHILD).is_err() {
        return;
    }
    let interrupted = signal::watch().unwrap();
    println!("\nready");
    while !interrupted.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(5));
    }
    println!("\nasked");
    std::thread::sleep(Duration::from_secs(20));
}

#[test]
fn a_first_signal_asks_and_a_second_sigint_ends_the_process_at_once() {
    for first in ["-INT", "-TERM", "-HUP"] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "interrupted::child_waits_for_signals", "--nocapture"])
            .env(CHILD, "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        for (word, name) in [("ready", first), ("asked", "-INT")] {
            assert!(lines.any(|line| line == word), "{word}");
            support::signal(child.id(), name);
        }
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
}

#[test]
fn a_run_killed_outright_holds_nothing_though_its_command_lives_on() {
    // The command says when it runs and then hangs: on the tree as it was, or on the changed one.
    for (hangs_on, stands_then) in [("41", "41"), ("42", "42")] {
        let env = TestEnv::new();
        env.write("answer.py", WRONG);
        let check = format!(
            "grep -q '^{hangs_on}$' answer.py || exit 1\necho $$ > ../home/alive\nexec sleep 60\n"
        );
        env.write("check.sh", &check);
        let model = Model::serve([plan("write 42"), patch("answer.py", RIGHT)]);
        let arguments = ["fix", "--goal", "answer.py must be 42", "--run", "sh check.sh"];
        // In the sandbox the command would end with the program.
        let variables = [&model.variables()[..], &[("PAPAYU_SANDBOX", "off")]].concat();
        let mut first = env.start(&arguments, &variables);
        let alive = env.repo().join("../home/alive");
        let said = || std::fs::read_to_string(&alive).is_ok_and(|text| text.ends_with('\n'));
        for _ in 0..1000 {
            if said() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(said(), "{hangs_on}: the command did not begin");
        assert!(env.read("answer.py").contains(stands_then));
        let held = env.run(&["fix", "--run", "true"]);
        assert_eq!(held.code, 5, "{held:?}");
        support::signal(first.id(), "-KILL");
        first.wait().unwrap();
        let second = env.run(&["fix", "--run", "grep -q '^41$' answer.py"]);
        let orphan = env.shell("kill $(cat ../home/alive)");
        assert_eq!((second.code, env.read("answer.py").as_str()), (0, WRONG), "{second:?}");
        assert_eq!(orphan.code, 0, "the command did live on: {orphan:?}");
        assert_eq!(env.run(&["undo"]).code, 1, "nothing is left to undo");
    }
}
