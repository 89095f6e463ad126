//! Kinds that are numbers: counts, times, money.

use std::time::Duration;

use serde_json::{Value, json};

use super::{ReadValue, ValueKind, read_whole};
use crate::settings::raw::RawValue;

/// Longest time that a setting may name, in seconds.
const WEEK: u64 = 7 * 24 * 60 * 60;

/// A whole number within bounds.
pub struct Whole<const LEAST: u64, const MOST: u64>;

/// A time in whole seconds, at least one, at most a week.
pub struct Seconds;

/// A number that may have a fraction, not negative.
pub struct Decimal;

impl<const LEAST: u64, const MOST: u64> ValueKind for Whole<LEAST, MOST> {
    type Value = u64;

    fn expected_text() -> String {
        format!("a whole number from {LEAST} to {MOST}")
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value)
    }

    fn json_schema() -> Value {
        json!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}

impl<const LEAST: u64, const MOST: u64> ReadValue for Whole<LEAST, MOST> {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        read_whole(raw).filter(|number| (LEAST..=MOST).contains(number))
    }
}

impl ValueKind for Seconds {
    type Value = Duration;

    fn expected_text() -> String {
        format!("seconds, a whole number from 1 to {WEEK}")
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value.as_secs())
    }

    fn json_schema() -> Value {
        json!({ "type": "integer", "minimum": 1, "maximum": WEEK })
    }
}

impl ReadValue for Seconds {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        read_whole(raw).filter(|number| (1..=WEEK).contains(number)).map(Duration::from_secs)
    }
}

impl ValueKind for Decimal {
    type Value = f64;

    fn expected_text() -> String {
        "a number that is not negative".into()
    }

    fn to_text(value: &Self::Value) -> String {
        value.to_string()
    }

    fn to_json(value: &Self::Value) -> Value {
        json!(value)
    }

    fn json_schema() -> Value {
        json!({ "type": "number", "minimum": 0 })
    }
}

impl ReadValue for Decimal {
    fn read_raw(raw: &RawValue) -> Option<Self::Value> {
        let number = match raw {
            RawValue::Words(text) => text.parse().ok()?,
            RawValue::Float(number) => *number,
            // `max_cost = 2` is an integer in TOML.
            RawValue::Integer(number) => f64::from(u32::try_from(*number).ok()?),
            _ => return None,
        };
        (number.is_finite() && number >= 0.0).then_some(number)
    }
}
