//! A status line on a terminal that shows the current step of a run.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value};

use super::event_text::{Mask, describe_event};
use papayu_base::domain::EventName;
use papayu_system::trace::EventOutput;

/// Time between two drawings of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// A spinner driven by events. Important events are also printed as lines above it.
pub(super) struct Spinner {
    bar: ProgressBar,
    mask: Mask,
}

impl Spinner {
    /// Returns whether stderr is a terminal.
    pub(super) fn is_possible() -> bool {
        std::io::stderr().is_terminal()
    }

    /// Returns a spinner with the elapsed time and a message.
    pub(super) fn new(mask: Mask) -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>4} {wide_msg}") {
            bar.set_style(style);
        }
        Self { bar, mask }
    }
}

impl EventOutput for Spinner {
    fn print_event(&self, name: &str, fields: &Map<String, Value>) {
        let Some(name) = EventName::parse(name) else { return };
        if name == EventName::RunFinished {
            self.bar.finish_and_clear();
            return;
        }
        let Some(event) = describe_event(name, fields, &self.mask) else { return };
        // A bar overwrites its own line; lasting messages go above it.
        if event.is_lasting {
            self.bar.println(&event.text);
        }
        // The first step shows the line: an error before it leaves nothing on the screen.
        if self.bar.message().is_empty() {
            self.bar.enable_steady_tick(TICK);
        }
        self.bar.set_message(event.text);
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
