//! Prints the work under way when nothing else was printed for a while: a CI system may end a job without output.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};

use super::event_text::{Mask, describe_event};
use papayu_base::domain::EventName;
use papayu_system::Clock;
use papayu_system::os::OsClock;
use papayu_system::trace::EventOutput;

/// The time without output after which a line names the work under way.
const SILENCE: Duration = Duration::from_secs(30);

enum Activity {
    /// Other work is under way; empty if there is none.
    Work(String),
    /// Something was printed about the same work.
    Output,
}

/// Waits for silence in a thread of its own, until its last copy is dropped.
#[derive(Clone)]
pub(super) struct SilenceWatch {
    activity: Sender<Activity>,
}

impl SilenceWatch {
    /// Calls `print` with the work under way and its time after each silence, such as "still running `make` (60 s)".
    pub(super) fn start(print: impl FnMut(&str) + Send + 'static) -> Self {
        Self::after(SILENCE, print)
    }

    /// Does the same with another time without output.
    fn after(silence: Duration, mut print: impl FnMut(&str) + Send + 'static) -> Self {
        let (activity, received) = channel();
        let clock = OsClock::new(Arc::default());
        let watch = move || watch_silence(&received, silence, &clock, &mut print);
        // Without a thread, silence stays silence.
        drop(thread::Builder::new().name("silence".to_owned()).spawn(watch));
        Self { activity }
    }

    /// Sets the work under way, in words for people; empty if there is none.
    pub(super) fn set_work(&self, work: String) {
        // A thread that did not start reads nothing.
        let _ = self.activity.send(Activity::Work(work));
    }

    /// Begins a new silence, as after output of the command.
    pub(super) fn note_output(&self) {
        let _ = self.activity.send(Activity::Output);
    }
}

/// Prints the work under way after each time of silence, until the sender is dropped.
fn watch_silence(
    activity: &Receiver<Activity>,
    silence: Duration,
    clock: &dyn Clock,
    print: &mut dyn FnMut(&str),
) {
    let (mut work, mut since) = (String::new(), Duration::ZERO);
    loop {
        match activity.recv_timeout(silence) {
            Ok(Activity::Work(next)) => (work, since) = (next, clock.elapsed()),
            Ok(Activity::Output) => {}
            Err(RecvTimeoutError::Timeout) if work.is_empty() => {}
            Err(RecvTimeoutError::Timeout) => {
                let passed = clock.elapsed().saturating_sub(since).as_secs();
                print(&format!("{work} ({passed} s)"));
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// An output of events that prints a notice after each silence.
pub(super) struct WatchedOutput {
    inner: Arc<dyn EventOutput>,
    mask: Mask,
    watch: SilenceWatch,
}

impl WatchedOutput {
    /// Watches over an output. Texts of events go through `mask`.
    pub(super) fn new(inner: Arc<dyn EventOutput>, mask: Mask) -> Self {
        Self::after(SILENCE, inner, mask)
    }

    /// Does the same with another time without output.
    fn after(silence: Duration, inner: Arc<dyn EventOutput>, mask: Mask) -> Self {
        let notices = inner.clone();
        let watch = SilenceWatch::after(silence, move |work| {
            let fields = Map::from_iter([("text".to_owned(), Value::from(work))]);
            notices.print_event(EventName::Notice.as_str(), &fields);
        });
        Self { inner, mask, watch }
    }

    /// Returns the watch, for output that is no event.
    pub(super) fn watch(&self) -> SilenceWatch {
        self.watch.clone()
    }
}

impl EventOutput for WatchedOutput {
    fn print_event(&self, name: &str, fields: &Map<String, Value>) {
        let known = EventName::parse(name);
        let text = known.and_then(|known| describe_event(known, fields, &self.mask));
        self.watch.set_work(match (known, text) {
            (Some(EventName::RunFinished), _) => String::new(),
            (Some(EventName::VerifyStarted | EventName::LlmRequestSent), Some(event)) => {
                format!("still {}", event.text)
            }
            _ => "still at work".to_owned(),
        });
        self.inner.print_event(name, fields);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// An output that passes its events on.
    struct PassedOn(Mutex<Sender<(String, Map<String, Value>)>>);

    impl EventOutput for PassedOn {
        fn print_event(&self, name: &str, fields: &Map<String, Value>) {
            // After the test nothing receives.
            let _ = self.0.lock().unwrap().send((name.to_owned(), fields.clone()));
        }
    }

    #[test]
    fn every_output_of_lines_gets_a_notice_about_a_long_command() {
        let (sender, printed) = channel();
        let lines = Arc::new(PassedOn(Mutex::new(sender)));
        let mask: Mask = Box::new(str::to_owned);
        let output = WatchedOutput::after(Duration::from_millis(10), lines, mask);
        let fields = Map::from_iter([("command".to_owned(), Value::from("make"))]);
        output.print_event("VERIFY_STARTED", &fields);
        assert_eq!(printed.recv().unwrap().0, "VERIFY_STARTED");
        let (name, fields) = printed.recv().unwrap();
        assert_eq!(name, "NOTICE");
        assert_eq!(fields["text"], "still running `make` (0 s)");
    }

    #[test]
    fn a_long_silence_is_broken_by_the_work_under_way() {
        let (sender, activity) = channel();
        let (lines, printed) = channel();
        let clock = OsClock::new(Arc::default());
        let watch = move || {
            let mut print = |line: &str| lines.send(line.to_owned()).unwrap();
            watch_silence(&activity, Duration::from_millis(10), &clock, &mut print);
        };
        let watcher = thread::spawn(watch);
        sender.send(Activity::Work("still running `make`".to_owned())).unwrap();
        assert_eq!(printed.recv().unwrap(), "still running `make` (0 s)");
        sender.send(Activity::Output).unwrap();
        assert_eq!(printed.recv().unwrap(), "still running `make` (0 s)");
        sender.send(Activity::Work(String::new())).unwrap();
        drop(sender);
        watcher.join().unwrap();
    }
}
