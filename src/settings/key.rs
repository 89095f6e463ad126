//! A row of the table of settings, and a line of its printed form.

use serde_json::Value;

use super::origin::ValueOrigin;
use super::trust::Trust;

/// One row of the table of settings.
#[derive(Clone, Copy, Debug)]
pub struct SettingKey {
    /// Dotted name: section and key of the TOML file.
    pub name: &'static str,
    /// Environment variables, the stronger first.
    pub env: &'static [&'static str],
    /// One line.
    pub doc: &'static str,
    /// `true` for a value that is never shown and never read from the repository's own file.
    pub secret: bool,
    /// The part that the repository's own file may take.
    pub trust: Trust,
    /// Returns the words that complete "expected …".
    pub expected: fn() -> String,
    /// Returns the JSON Schema of the value in a TOML file.
    pub schema: fn() -> Value,
}

/// One setting as `doctor` and the README show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingRow<'a> {
    /// Dotted name.
    pub key: &'static str,
    /// The value, secrets replaced; empty when it is not set.
    pub shown_value: String,
    /// The place of the value.
    pub origin: &'a ValueOrigin,
    /// One line.
    pub doc: &'static str,
    /// Environment variables, the stronger first.
    pub env: &'static [&'static str],
    /// The part that the repository's own file may take.
    pub trust: Trust,
}
