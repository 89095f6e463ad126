//! The reason why one document of a recipe is refused, before its file and line are known.

use serde::Deserialize;
use serde_json::Value;

/// The reason why one document of a recipe is refused.
#[derive(Debug)]
pub(crate) struct RecipeFault {
    pub(crate) reason: String,
    pub(crate) hint: &'static str,
    /// The keys at which it is, outermost first.
    pub(crate) keys: Vec<String>,
}

impl RecipeFault {
    pub(crate) fn new(reason: impl Into<String>, hint: &'static str) -> Self {
        Self { reason: reason.into(), hint, keys: Vec::new() }
    }

    /// Adds the keys at which it is, unless they are known better.
    pub(crate) fn at(mut self, keys: &[&str]) -> Self {
        if self.keys.is_empty() {
            self.keys = keys.iter().map(|&key| key.to_owned()).collect();
        }
        self
    }
}

/// Reads a value of the file.
pub(crate) fn from_value<T: for<'de> Deserialize<'de>>(value: Value) -> Result<T, RecipeFault> {
    serde_json::from_value(value)
        .map_err(|error| RecipeFault::new(error.to_string(), "see docs/recipes.md for the fields"))
}

/// Reads the value of a key.
pub(crate) fn from_key<T: for<'de> Deserialize<'de>>(
    key: &str,
    value: Value,
) -> Result<T, RecipeFault> {
    from_value(value).map_err(|fault| fault.at(&[key]))
}
