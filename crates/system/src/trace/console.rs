//! Events as lines: for people, or for programs.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use super::events::EventOutput;
use papayu_base::text::{is_invisible, mask_texts, without_ci_orders};

/// The format of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleForm {
    /// `[trace] NAME key=value …`.
    Human,
    /// `{"event":"NAME",…}`.
    Json,
}

/// An output that writes each event as one line, secrets masked.
pub struct Console {
    form: ConsoleForm,
    mask: Box<dyn Fn(&str) -> String + Send + Sync>,
    writer: Mutex<Box<dyn Write + Send>>,
}

impl Console {
    /// Writes to `writer`; every text goes through `mask` first.
    pub fn new(
        form: ConsoleForm,
        mask: Box<dyn Fn(&str) -> String + Send + Sync>,
        writer: Box<dyn Write + Send>,
    ) -> Self {
        Self { form, mask, writer: Mutex::new(writer) }
    }

    /// Formats an event: `[trace] NAME key=value key="quoted value"`, or one JSON object with
    /// `event` first.
    fn format_line(&self, event: &str, fields: &Map<String, Value>) -> String {
        let mut line = match self.form {
            ConsoleForm::Human => format!("[trace] {event}"),
            // Written by hand, so that `event` is first: a map would sort it between the other fields.
            ConsoleForm::Json => format!(r#"{{"event":"{event}""#),
        };
        for (name, value) in fields {
            let mut value = value.clone();
            mask_texts(&mut value, &*self.mask);
            let _ = match self.form {
                ConsoleForm::Human => {
                    write!(line, " {name}={}", without_ci_orders(&format_human(&value)))
                }
                ConsoleForm::Json => write!(line, r#","{name}":{value}"#),
            };
        }
        line += if self.form == ConsoleForm::Json { "}\n" } else { "\n" };
        line
    }
}

/// Returns plain words unchanged and everything else as JSON: a value with a space or a line feed
/// could otherwise be read as two fields, or as another event.
fn format_human(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() && text.chars().all(is_plain) => text.clone(),
        // JSON does not escape the characters that reverse a terminal's text.
        other => other.to_string().chars().map(escape_hidden).collect(),
    }
}

/// Returns `true` for a character that needs no quotes in the human form.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "-_./:@+,~*%#".contains(c)
}

/// Escapes a character that a terminal would interpret or hide: fields contain text of logs and
/// replies.
fn escape_hidden(c: char) -> String {
    let hidden = c.is_control() || is_invisible(c) || matches!(c, '\u{2028}' | '\u{2029}');
    if hidden { c.escape_unicode().to_string() } else { c.to_string() }
}

impl EventOutput for Console {
    fn print_event(&self, name: &str, fields: &Map<String, Value>) {
        let line = self.format_line(name, fields);
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // A closed stderr is no reason to stop a repair.
        let _ = writer.write_all(line.as_bytes()).and_then(|()| writer.flush());
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use serde_json::json;

    use tracing_subscriber::layer::SubscriberExt as _;
    use tracing_subscriber::registry;

    use super::*;
    use crate::trace::{EventLayer, TracingSink};
    use papayu_base::domain::{Event, EventName, EventSink as _};

    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Sends an event the way of the program: through `tracing` to the layer that prints it.
    fn printed(form: ConsoleForm, event: Event) -> String {
        let screen = Screen::default();
        let mask = |text: &str| text.replace("sk-1", "***");
        let console = Console::new(form, Box::new(mask), Box::new(screen.clone()));
        let subscriber = registry().with(EventLayer::new(console));
        tracing::subscriber::with_default(subscriber, || TracingSink::new().emit(event));
        String::from_utf8(screen.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn a_fallback_is_printed_as_the_contract_spells_it() {
        let event = Event::new(EventName::ProtocolFallback)
            .with("from", "v2")
            .with("to", "v1")
            .with("reason", "ERR_PATCH_APPLY_FAILED");
        assert_eq!(
            printed(ConsoleForm::Human, event.clone()),
            "[trace] PROTOCOL_FALLBACK from=v2 to=v1 reason=ERR_PATCH_APPLY_FAILED\n"
        );
        assert_eq!(
            printed(ConsoleForm::Json, event),
            r#"{"event":"PROTOCOL_FALLBACK","from":"v2","to":"v1","reason":"ERR_PATCH_APPLY_FAILED"}"#.to_owned() + "\n"
        );
    }

    #[test]
    fn hostile_words_cannot_begin_a_line_and_secrets_are_masked() {
        let event = Event::new(EventName::ValidationFailed)
            .with("reason", "bad\n::error::pwned\u{1b}[2J")
            .with("path", "a\u{202e}b")
            .with("keys", json!(["sk-1", { "k": "sk-1" }]))
            .with("count", 3)
            .with("empty", "");
        assert_eq!(
            printed(ConsoleForm::Human, event.clone()),
            "[trace] VALIDATION_FAILED reason=\"bad\\n::error::pwned\\u001b[2J\" path=\"a\\u{202e}b\" \
             keys=[\"***\",{\"k\":\"***\"}] count=3 empty=\"\"\n"
        );
        let line = printed(ConsoleForm::Json, event);
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((line.lines().count(), &read["keys"][1]["k"]), (1, &json!("***")));
    }
}
