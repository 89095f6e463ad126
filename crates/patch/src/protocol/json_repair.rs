//! Reads JSON with harmless damage: trailing commas, and raw line ends and tabs in strings; nothing
//! else.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize as _;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json_lenient::Deserializer;

/// Parses a balanced value that strict JSON refused (protocol section 3). It is a lenient parser and not a
/// rewriter, so nothing can be guessed, closed or dropped; any other damage is an error.
///
/// # Errors
///
/// The parser's error for any damage besides a trailing comma and raw control characters in
/// strings.
pub(super) fn parse_lenient(text: &str) -> Result<Value, serde_json_lenient::Error> {
    // Named here, because five booleans in a call are not readable by their position.
    let (replace_invalid, newlines, control, v_escapes, x_escapes) =
        (false, true, true, false, false);
    let mut parser = Deserializer::from_slice_with_options(
        text.as_bytes(),
        replace_invalid,
        newlines,
        control,
        v_escapes,
        x_escapes,
    );
    parser.set_ignore_trailing_commas(true);
    // A comment may hide the end of a string, so its meaning would be a guess.
    parser.set_allow_comments(false);
    let value = Value::deserialize(&mut parser)?;
    // Text after the value is damage as well.
    parser.end()?;
    Ok(value)
}

/// Returns the first name that two members of one object have, at any depth; `None` if there is none, or the text is
/// no JSON.
pub(super) fn find_duplicate_key(text: &str) -> Option<String> {
    let strict = serde_json::from_str::<DuplicateKey>(text).ok();
    let lenient = || {
        let mut parser =
            Deserializer::from_slice_with_options(text.as_bytes(), false, true, true, false, false);
        parser.set_ignore_trailing_commas(true);
        DuplicateKey::deserialize(&mut parser).ok()
    };
    strict.or_else(lenient)?.0
}

/// The first name that occurs twice in one object of a value.
struct DuplicateKey(Option<String>);

impl<'de> serde::Deserialize<'de> for DuplicateKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DuplicateVisitor)
    }
}

/// Visits every object of a value.
struct DuplicateVisitor;

impl<'de> Visitor<'de> for DuplicateVisitor {
    type Value = DuplicateKey;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<DuplicateKey, A::Error> {
        let (mut known, mut found) = (BTreeSet::new(), None);
        while let Some(name) = members.next_key::<String>()? {
            let DuplicateKey(inner) = members.next_value()?;
            let is_known = known.contains(&name);
            found = found.or_else(|| is_known.then(|| name.clone())).or(inner);
            known.insert(name);
        }
        Ok(DuplicateKey(found))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<DuplicateKey, A::Error> {
        let mut found = None;
        while let Some(DuplicateKey(inner)) = items.next_element()? {
            found = found.or(inner);
        }
        Ok(DuplicateKey(found))
    }

    fn visit_bool<E>(self, _: bool) -> Result<DuplicateKey, E> {
        Ok(DuplicateKey(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<DuplicateKey, E> {
        Ok(DuplicateKey(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<DuplicateKey, E> {
        Ok(DuplicateKey(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<DuplicateKey, E> {
        Ok(DuplicateKey(None))
    }

    fn visit_str<E>(self, _: &str) -> Result<DuplicateKey, E> {
        Ok(DuplicateKey(None))
    }

    fn visit_unit<E>(self) -> Result<DuplicateKey, E> {
        Ok(DuplicateKey(None))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn harmless_damage_is_mended_and_everything_is_kept() {
        for (text, value) in [
            ("{\"a\": [1, 2,],}", json!({"a": [1, 2]})),
            ("{\"a\": \"x\n\ty\r\nz\"}", json!({"a": "x\n\ty\r\nz"})),
            ("[{\"a\": \"я 😀 ``` {\"},]", json!([{"a": "я 😀 ``` {"}])),
            ("{\"a\": \"\\u00e9\\n\n\", }", json!({"a": "é\n\n"})),
        ] {
            assert_eq!(parse_lenient(text).ok(), Some(value), "{text}");
        }
    }

    #[test]
    fn the_first_duplicate_key_is_found_at_any_depth() {
        for (text, name) in [
            (r#"{"actions": [], "summary": "a", "actions": [1]}"#, Some("actions")),
            (r#"{"actions": [{"kind": "a", "path": "b", "path": "c"}]}"#, Some("path")),
            ("{\"a\": \"x\ny\", \"a\": 1.5,}", Some("a")),
            (r#"{"a": {"b": 1}, "b": [true, null, -1]}"#, None),
            ("words", None),
        ] {
            assert_eq!(find_duplicate_key(text).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn any_other_damage_is_refused() {
        for text in [
            "{\"a\": 1", "{\"a\": \"x", "{\"a\": 1]", "{\"a\" 1}", "{a: 1}", "{'a': 1}",
            "{\"a\": None}", "{\"a\": 1,,}", "{,}", "[,]", "{\"a\": 1 /* x */}",
            "{\"a\": \"say \"hi\" now\"}", "{\"a\": 1} {", "{\"a\": \"\\x41\"}",
            "{\"a\": \"\\ud800\"}", "",
        ] {
            assert!(parse_lenient(text).is_err(), "{text}");
        }
    }
}
