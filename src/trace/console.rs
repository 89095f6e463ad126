//! Events as lines: for people, or for programs.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::domain::{Event, EventSink};
use crate::text::is_invisible;

/// What a line looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleForm {
    /// `[trace] NAME key=value …`.
    Human,
    /// `{"event":"NAME",…}`.
    Json,
}

/// A sink that writes each event as one line, secrets masked.
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

    fn line(&self, event: &Event) -> String {
        let mut line = match self.form {
            ConsoleForm::Human => format!("[trace] {}", event.name.as_str()),
            ConsoleForm::Json => format!(r#"{{"event":"{}""#, event.name.as_str()),
        };
        for (name, value) in &event.fields {
            let value = self.masked(value);
            let _ = match self.form {
                ConsoleForm::Human => write!(line, " {name}={}", human(&value)),
                ConsoleForm::Json => write!(line, r#","{name}":{value}"#),
            };
        }
        line += if self.form == ConsoleForm::Json { "}\n" } else { "\n" };
        line
    }

    fn masked(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String((self.mask)(text)),
            Value::Array(items) => items.iter().map(|item| self.masked(item)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(name, field)| (name.clone(), self.masked(field))).collect()
            }
            other => other.clone(),
        }
    }
}

/// Plain words stand as they are; anything that could be taken for two words, or for another line
/// (a log must not be able to write one), is quoted.
fn human(value: &Value) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@+,~*%#".contains(c);
    match value {
        Value::String(text) if !text.is_empty() && text.chars().all(plain) => text.clone(),
        // JSON leaves alone what turns a terminal's text around.
        other => other.to_string().chars().map(visible).collect(),
    }
}

fn visible(c: char) -> String {
    let hidden = c.is_control() || is_invisible(c) || matches!(c, '\u{2028}' | '\u{2029}');
    if hidden { c.escape_unicode().to_string() } else { c.to_string() }
}

impl EventSink for Console {
    fn emit(&self, event: Event) {
        let line = self.line(&event);
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // A reader that has gone away is no reason to stop a repair.
        let _ = writer.write_all(line.as_bytes()).and_then(|()| writer.flush());
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::domain::EventName;

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

    fn printed(form: ConsoleForm, event: Event) -> String {
        let screen = Screen::default();
        let mask = |text: &str| text.replace("sk-1", "***");
        Console::new(form, Box::new(mask), Box::new(screen.clone())).emit(event);
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
