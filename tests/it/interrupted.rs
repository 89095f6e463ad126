//! Signals, seen by a process of its own: this binary, started again.
#![expect(clippy::disallowed_methods, reason = "the test starts a process and reads its own part")]
#![expect(clippy::print_stdout, reason = "the child speaks to its parent")]

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use papayu_batch::system::os::signal;

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
        let pid = child.id().to_string();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        for (word, signal) in [("ready", first), ("asked", "-INT")] {
            assert!(lines.any(|line| line == word), "{word}");
            assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        }
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
}
