//! The reason why one document of a recipe is refused, before its file and line are known.

use serde::Deserialize;
use serde_json::Value;

/// The reason why one document of a recipe is refused.
#[derive(Debug)]
pub(crate) struct RecipeFault {
    pub(crate) reason: String,
    pub(crate) hint: &'static str,
}

impl RecipeFault {
    pub(crate) fn new(reason: impl Into<String>, hint: &'static str) -> Self {
        Self { reason: reason.into(), hint }
    }
}

/// Reads a value of the file.
pub(crate) fn from_value<T: for<'de> Deserialize<'de>>(value: Value) -> Result<T, RecipeFault> {
    serde_json::from_value(value)
        .map_err(|error| RecipeFault::new(error.to_string(), "see `papayu-batch recipe --help`"))
}
