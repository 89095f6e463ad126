//! A status line on a terminal that shows the current step of a run.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value};

use crate::domain::EventName;
use crate::trace::EventOutput;

/// A spinner driven by events. Important events are also printed as lines above it.
pub(super) struct Progress {
    bar: ProgressBar,
    mask: Box<dyn Fn(&str) -> String + Send + Sync>,
}

impl Progress {
    /// Returns whether stderr is a terminal.
    pub(super) fn is_possible() -> bool {
        std::io::stderr().is_terminal()
    }

    pub(super) fn new(mask: Box<dyn Fn(&str) -> String + Send + Sync>) -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>4} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar, mask }
    }
}

impl EventOutput for Progress {
    fn print_event(&self, name: &str, fields: &Map<String, Value>) {
        let field = |name: &str| {
            let text = match fields.get(name) {
                Some(Value::String(text)) => text.clone(),
                Some(value) => value.to_string(),
                None => String::new(),
            };
            (self.mask)(&text)
        };
        let Some(name) = EventName::parse(name) else { return };
        let (lasting, text) = match name {
            EventName::VerifyStarted => (false, format!("running `{}`", field("command"))),
            EventName::VerifyFinished => {
                (true, format!("the command ended with exit code {}", field("exit_code")))
            }
            EventName::LlmRequestSent => (false, format!("asking {}", field("model"))),
            EventName::LlmRequestRetry => (false, "the provider is busy; asking again".to_owned()),
            EventName::LlmResponseRepair => {
                (true, format!("the reply is not valid JSON ({}); asking once more", field("code")))
            }
            EventName::ProtocolRepair => (
                true,
                format!("the change does not land ({}); asking for a repair", field("reason")),
            ),
            EventName::ProtocolFallback => {
                (true, format!("falling back to {} ({})", field("to"), field("reason")))
            }
            EventName::PreviewReady => (false, "the change lands; writing it".to_owned()),
            EventName::ApplyRollback => (true, format!("taken back: {}", field("reason"))),
            EventName::IndexProgress => {
                (false, format!("indexed {} of {} files", field("done"), field("files")))
            }
            EventName::IndexLarge => (
                true,
                format!("{} files to index; a `.gitignore` may leave some out", field("files")),
            ),
            EventName::MatcherSkipped => {
                (true, format!("`{}` is left out: {}", field("path"), field("error")))
            }
            EventName::JournalRecovered => (true, "an interrupted run was undone first".to_owned()),
            EventName::RunFinished => {
                self.bar.finish_and_clear();
                return;
            }
            _ => return,
        };
        // A bar overwrites its own line; lasting messages go above it.
        if lasting {
            self.bar.println(&text);
        }
        self.bar.set_message(text);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
