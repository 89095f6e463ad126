//! The sentence that people are shown for an event.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::wording::{count_noun, format_duration};
use papayu_base::domain::EventName;

/// Masks the secrets of a text.
pub(super) type Mask = Box<dyn Fn(&str) -> String + Send + Sync>;

/// A sentence about an event.
pub(super) struct EventText {
    /// `true` if it stays on the screen when the next one is shown.
    pub(super) is_lasting: bool,
    /// The sentence, masked.
    pub(super) text: String,
}

/// Returns the sentence for an event; `None` for events that only traces need.
pub(super) fn describe_event(
    name: EventName,
    fields: &Map<String, Value>,
    mask: &Mask,
) -> Option<EventText> {
    let field = |name: &str| {
        let text = match fields.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        };
        mask(&text)
    };
    let (is_lasting, text) = match name {
        EventName::VerifyStarted => {
            let text = format!("running `{}` {}", field("command"), field("purpose"));
            // The end of a repeated run means nothing without its purpose, so that line stays.
            (fields.contains_key("purpose"), text.trim_end().to_owned())
        }
        EventName::VerifyFinished => {
            let end = match fields.get("exit_code").and_then(Value::as_i64) {
                Some(code) => format!("the command ended with exit code {code}"),
                None => "the command was stopped before it ended".to_owned(),
            };
            (true, end)
        }
        EventName::LlmRequestSent => (false, format!("asking {}", field("model"))),
        EventName::LlmRequestRetry => {
            (false, format!("no reply from the model ({}); asking again", field("reason")))
        }
        EventName::ForgeRetry => {
            (true, format!("no answer from the forge ({}); asking again", field("reason")))
        }
        EventName::LlmResponseRepair => {
            (true, format!("the reply is not usable ({}); asking once more", field("code")))
        }
        EventName::ProtocolRepair => {
            (true, format!("the change is refused ({}); asking for a repair", field("reason")))
        }
        EventName::ProtocolFallback => {
            (true, format!("falling back to {} ({})", field("to"), field("reason")))
        }
        EventName::LlmReplyCounted => (false, describe_reply(fields)),
        EventName::PreviewReady => (false, "the change applies; writing it".to_owned()),
        EventName::ApplyRollback => (true, format!("the files are restored: {}", field("reason"))),
        EventName::Notice => (true, field("text")),
        EventName::IndexProgress => {
            (false, format!("indexed {} of {} files", field("done"), field("files")))
        }
        EventName::IndexLarge => {
            (true, format!("{} files to index; a `.gitignore` may leave some out", field("files")))
        }
        EventName::MatcherSkipped => {
            (true, format!("`{}` is left out: {}", field("path"), field("error")))
        }
        EventName::JournalRecovered => (true, "an interrupted run was undone first".to_owned()),
        _ => return None,
    };
    Some(EventText { is_lasting, text })
}

/// Returns the costs and effects of a reply: `reply: 1100 tokens in 3.2 s, 2 requests answered`.
fn describe_reply(fields: &Map<String, Value>) -> String {
    let count = |name: &str| fields.get(name).and_then(Value::as_u64).unwrap_or_default();
    let time = format_duration(count("ms"));
    let mut text = match count("tokens") {
        0 => format!("reply in {time}"),
        tokens => format!("reply: {tokens} tokens in {time}"),
    };
    for (name, noun, verb) in [
        ("requests_answered", "request", "answered"),
        ("edits_applied", "edit", "applied"),
        ("edits_refused", "edit", "refused"),
    ] {
        let number = usize::try_from(count(name)).unwrap_or(usize::MAX);
        if number > 0 {
            let _ = write!(text, ", {} {verb}", count_noun(number, noun));
        }
    }
    text
}
