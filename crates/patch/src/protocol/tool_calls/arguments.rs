//! The arguments of a call, taken by name.

use serde_json::{Map, Value};

use super::call::WrittenCall;

/// Parameters by which models explain a call.
const REMARKS: &[&str] = &[
    "explanation", "reason", "reasoning", "thought", "thoughts", "description", "comment",
    "instructions", "purpose",
];

/// The arguments of one call. Every argument must be taken, so that none is lost.
pub(super) struct CallArguments<'c> {
    tool: &'c str,
    left: Map<String, Value>,
}

impl<'c> CallArguments<'c> {
    /// Returns the arguments of a call without those that are null.
    pub(super) fn new(call: &'c WrittenCall) -> Self {
        let given = call.arguments.iter().filter(|(_, value)| !value.is_null());
        let left = given.map(|(name, value)| (name.clone(), value.clone())).collect();
        Self { tool: &call.name, left }
    }

    /// Returns true if one of these parameters is given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.left.contains_key(*name))
    }

    /// Takes the first of these parameters that is given, so that the rest can be checked. `None` if none of
    /// them is given.
    pub(super) fn take(&mut self, names: &[&str]) -> Option<Value> {
        let name = names.iter().find(|name| self.left.contains_key(**name))?;
        self.left.remove(*name)
    }

    /// Takes a text.
    ///
    /// # Errors
    ///
    /// The value is no text.
    pub(super) fn take_text(&mut self, names: &[&str]) -> Result<Option<String>, String> {
        match self.take(names) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.fault(names, "a text", &other)),
        }
    }

    /// Takes a text that must be there.
    ///
    /// # Errors
    ///
    /// It is missing, or no text.
    pub(super) fn require_text(&mut self, names: &[&str]) -> Result<String, String> {
        self.take_text(names)?.ok_or_else(|| self.missing(names))
    }

    /// Takes a number, which may be written as a text.
    ///
    /// # Errors
    ///
    /// The value is no whole number.
    pub(super) fn take_number(&mut self, names: &[&str]) -> Result<Option<u64>, String> {
        let Some(value) = self.take(names) else { return Ok(None) };
        let number = match &value {
            Value::String(text) => text.trim().parse().ok(),
            // Some templates print every number with a fraction.
            Value::Number(number) => {
                number.as_u64().or_else(|| number.to_string().strip_suffix(".0")?.parse().ok())
            }
            _ => None,
        };
        number.map(Some).ok_or_else(|| self.fault(names, "a whole number", &value))
    }

    /// Takes a number that must be there.
    ///
    /// # Errors
    ///
    /// It is missing, or no whole number.
    pub(super) fn require_number(&mut self, names: &[&str]) -> Result<u64, String> {
        self.take_number(names)?.ok_or_else(|| self.missing(names))
    }

    /// Checks that every argument was taken; remarks are left out.
    ///
    /// # Errors
    ///
    /// The name of an argument that has no meaning for the tool.
    pub(super) fn finish(self) -> Result<(), String> {
        let unknown = self.left.keys().find(|name| !REMARKS.contains(&name.as_str()));
        unknown.map_or(Ok(()), |name| {
            Err(format!("the tool call `{}` has the unknown parameter `{name}`", self.tool))
        })
    }

    fn missing(&self, names: &[&str]) -> String {
        let name = names.first().copied().unwrap_or_default();
        format!("the tool call `{}` needs the parameter `{name}`", self.tool)
    }

    /// Returns the fault of a parameter, with at most 60 characters of its value.
    fn fault(&self, names: &[&str], expected: &str, value: &Value) -> String {
        let name = names.first().copied().unwrap_or_default();
        let shown: String = value.to_string().chars().take(60).collect();
        format!(
            "the parameter `{name}` of the tool call `{}` is {shown}; expected {expected}",
            self.tool
        )
    }
}
