//! Values of the fields of an answer, and texts as requests contain them.

use serde_json::Value;

use super::error::{ForgeError, ForgeFault};

/// Returns a part of an address with everything escaped that has a meaning there.
pub(super) fn escape(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

/// Returns the text at a JSON pointer (RFC 6901); empty where there is none.
pub(super) fn text_at(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the address at a JSON pointer; empty where there is none. It is printed, so it has no line end.
pub(super) fn address_at(value: &Value, pointer: &str) -> String {
    one_line(value.pointer(pointer).and_then(Value::as_str).unwrap_or_default())
}

/// Returns an address without blanks and control characters, which it cannot have.
pub(super) fn one_line(address: &str) -> String {
    address.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect()
}

/// Returns the number at a JSON pointer. `None` if there is no whole number.
pub(super) fn number_at(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer)?.as_u64()
}

/// Returns whether there is a `true` at a JSON pointer.
pub(super) fn flag_at(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_bool).unwrap_or_default()
}

/// Cuts a text to the length that a forge accepts, counted in characters, and adds a note at its end.
pub(super) fn cut_text(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let end =
        if max > 1_000 { "\n\n…cut here: the forge takes no longer text.\n" } else { "…" };
    text.chars().take(max.saturating_sub(end.chars().count())).chain(end.chars()).collect()
}

/// Parses a value of an answer, or returns the error of an answer without it.
pub(super) fn expect_value<T>(doing: &str, value: Option<T>) -> Result<T, ForgeError> {
    let message = "the answer lacks a field that it always has";
    value.ok_or_else(|| ForgeError::new(doing, ForgeFault::Unreadable, message))
}
