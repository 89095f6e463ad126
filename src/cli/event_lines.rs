//! Events as lines on stderr, for logs of CI systems, and a line now and then about work that takes long.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};

use super::event_text::{Mask, describe_event};
use super::streams::print_stderr;
use papayu_base::domain::EventName;
use papayu_base::text::without_ci_orders;
use papayu_system::trace::EventOutput;

/// The time without an event after which a line names the work under way.
const SILENCE: Duration = Duration::from_secs(30);

/// An output that prints a line for each event that people are shown.
pub(super) struct EventLines {
    mask: Mask,
    /// The work since the last event; empty if there is none.
    waits: Sender<String>,
}

impl EventLines {
    /// Prints on stderr; every text goes through `mask` first.
    pub(super) fn new(mask: Mask) -> Self {
        let (waits, events) = channel();
        // Without a thread, only the events are printed.
        let watch = move || watch_silence(&events, SILENCE, &mut |line| print_line(line));
        drop(thread::Builder::new().name("silence".to_owned()).spawn(watch));
        Self { mask, waits }
    }
}

impl EventOutput for EventLines {
    fn print_event(&self, name: &str, fields: &Map<String, Value>) {
        let Some(name) = EventName::parse(name) else { return };
        let event = describe_event(name, fields, &self.mask);
        let text = event.map(|event| event.text).unwrap_or_default();
        let plain: String = text.chars().filter(|c| !c.is_control()).collect();
        let waits = match name {
            EventName::RunFinished => String::new(),
            EventName::VerifyStarted | EventName::LlmRequestSent => format!("still {plain}"),
            _ => "still at work".to_owned(),
        };
        // A thread that did not start reads nothing.
        let _ = self.waits.send(waits);
        if !plain.is_empty() && name != EventName::IndexProgress {
            print_line(&plain);
        }
    }
}

fn print_line(line: &str) {
    // A closed stderr is no reason to stop a repair.
    let _ = print_stderr(&format!("{}\n", without_ci_orders(line)));
}

/// Prints the work under way after each time of silence, until the sender is dropped.
fn watch_silence(events: &Receiver<String>, silence: Duration, print: &mut dyn FnMut(&str)) {
    let (mut waits, mut passed) = (String::new(), Duration::ZERO);
    loop {
        match events.recv_timeout(silence) {
            Ok(next) => (waits, passed) = (next, Duration::ZERO),
            Err(RecvTimeoutError::Timeout) => {
                passed += silence;
                if !waits.is_empty() {
                    print(&format!("{waits} ({} s)", passed.as_secs()));
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_silence_is_broken_by_what_is_waited_for() {
        let (waits, events) = channel();
        let (lines, printed) = channel();
        let watch = move || {
            let mut print = |line: &str| lines.send(line.to_owned()).unwrap();
            watch_silence(&events, Duration::from_millis(10), &mut print);
        };
        let watcher = thread::spawn(watch);
        waits.send("still running `make`".to_owned()).unwrap();
        assert_eq!(printed.recv().unwrap(), "still running `make` (0 s)");
        assert!(printed.recv().is_ok(), "once for each time of silence");
        waits.send(String::new()).unwrap();
        drop(waits);
        watcher.join().unwrap();
    }
}
