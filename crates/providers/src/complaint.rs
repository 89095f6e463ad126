//! The provider's own words about an error, made fit to be shown.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

/// Longest message shown, in characters.
const MAX_CHARS: usize = 500;

/// Returns the message of an error's body, or its whole text where there is none. It may be long
/// and may repeat secrets; see [`clean_message`].
pub(crate) fn of_body(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let Ok(json) = serde_json::from_slice::<Value>(body) else {
        return html_title(&text).unwrap_or_else(|| text.into_owned());
    };
    let message = ["/error/message", "/error", "/message", "/detail"]
        .iter()
        .find_map(|at| json.pointer(at).and_then(Value::as_str));
    let message = message.map(str::to_owned).or_else(|| field_errors(&json));
    let message = message.unwrap_or_else(|| text.into_owned());
    match json.pointer("/error/param").and_then(Value::as_str) {
        Some(param) if !message.contains(param) => format!("{message} (parameter `{param}`)"),
        _ => message,
    }
}

/// Returns the vendor's error code, where the body has one.
pub(crate) fn error_code(body: &[u8]) -> Option<String> {
    let json: Value = serde_json::from_slice(body).ok()?;
    let code = ["/error/code", "/error/type"]
        .iter()
        .find_map(|at| json.pointer(at).and_then(Value::as_str));
    code.map(str::to_owned)
}

/// Returns the wait that the details of a Google API's error name, in seconds: `"retryDelay": "34.07s"`. `None`
/// if they name none.
pub(crate) fn retry_delay(body: &[u8]) -> Option<Duration> {
    let json: Value = serde_json::from_slice(body).ok()?;
    let details = json.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns the text on one line, the key masked, cut to 500 characters.
pub(crate) fn clean_message(text: &str, key: Option<&SecretString>) -> String {
    let masked = match key.map(ExposeSecret::expose_secret) {
        Some(key) if !key.is_empty() => text.replace(key, "***"),
        _ => text.to_owned(),
    };
    let words: Vec<_> = masked
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect();
    let line = words.join(" ");
    if line.is_empty() {
        return "no message".into();
    }
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// Reads the list of refused fields that `FastAPI` servers send; it repeats their input as well,
/// which must not be mistaken for a complaint.
fn field_errors(json: &Value) -> Option<String> {
    let errors = json.get("detail")?.as_array()?.iter().map(|error| {
        let place = error.get("loc").and_then(Value::as_array).into_iter().flatten();
        let place: Vec<_> = place.filter_map(Value::as_str).collect();
        let message = error.get("msg").and_then(Value::as_str).unwrap_or("refused");
        format!("{}: {message}", place.join("."))
    });
    Some(errors.collect::<Vec<_>>().join("; "))
}

/// Returns the title of an HTML page: proxies and load balancers answer with pages instead of JSON.
fn html_title(text: &str) -> Option<String> {
    if !text.trim_start().starts_with('<') {
        return None;
    }
    let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    Some(title.map_or_else(|| "an HTML page".into(), |(title, _)| format!("an HTML page: {title}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_found_in_every_dialect() {
        for (body, expected) in [
            (r#"{"error":{"message":"bad key","type":"x"}}"#, "bad key"),
            (r#"{"error":{"message":"refused","param":"top_p"}}"#, "refused (parameter `top_p`)"),
            (r#"{"type":"error","error":{"type":"x","message":"long"}}"#, "long"),
            (r#"{"error":"model \"x\" not found"}"#, "model \"x\" not found"),
            (r#"{"message":"no route"}"#, "no route"),
            (
                r#"{"detail":[{"loc":["body","response_format"],"msg":"extra fields","input":{"temperature":0}}]}"#,
                "body.response_format: extra fields",
            ),
            ("<html><head><title>502 Bad Gateway</title>", "an HTML page: 502 Bad Gateway"),
            ("plain words", "plain words"),
        ] {
            assert_eq!(of_body(body.as_bytes()), expected, "{body}");
        }
    }

    #[test]
    fn what_is_shown_is_one_masked_short_line() {
        let key = SecretString::from("sk-1234");
        assert_eq!(
            clean_message("key sk-1234\n\u{1b}[31m is\tbad", Some(&key)),
            "key *** [31m is bad"
        );
        assert_eq!(clean_message(&"é".repeat(501), None), format!("{}…", "é".repeat(500)));
        assert_eq!(clean_message(" \n", None), "no message");
    }
}
