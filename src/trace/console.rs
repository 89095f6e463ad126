//! Events as lines: for people, or for programs.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::domain::{Event, EventSink};

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
            line += &match self.form {
                ConsoleForm::Human => format!(" {name}={}", human(&value)),
                ConsoleForm::Json => format!(r#","{name}":{value}"#),
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
        other => other.to_string(),
    }
}

impl EventSink for Console {
    fn emit(&self, event: Event) {
        let line = self.line(&event);
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // A reader that has gone away is no reason to stop a repair.
        let _ = writer.write_all(line.as_bytes()).and_then(|()| writer.flush());
    }
}
