//! Events as lines on stderr, for logs of CI systems.

use serde_json::{Map, Value};

use super::event_text::{Mask, describe_event};
use super::streams::print_stderr;
use papayu_base::domain::EventName;
use papayu_base::text::without_ci_orders;
use papayu_system::trace::EventOutput;

/// An output that prints a line for each event that people are shown.
pub(super) struct EventLines {
    mask: Mask,
}

impl EventLines {
    /// Prints on stderr; every text goes through `mask` first.
    pub(super) fn new(mask: Mask) -> Self {
        Self { mask }
    }
}

impl EventOutput for EventLines {
    fn print_event(&self, name: &str, fields: &Map<String, Value>) {
        let Some(name) = EventName::parse(name) else { return };
        let event = describe_event(name, fields, &self.mask);
        let text = event.map(|event| event.text).unwrap_or_default();
        let plain: String = text.chars().filter(|c| !c.is_control()).collect();
        if !plain.is_empty() && name != EventName::IndexProgress {
            // A closed stderr is no reason to stop a repair.
            let _ = print_stderr(&format!("{}\n", without_ci_orders(&plain)));
        }
    }
}
