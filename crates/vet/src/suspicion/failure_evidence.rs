//! Facts of the failure that a change is to fix.

use std::collections::HashSet;

use serde::Deserialize;

use super::literals::read_literals;

/// A failing test, or the lines around the place where it failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct TestText {
    /// The file.
    pub path: String,
    /// Its text, or a part of it.
    pub text: String,
}

/// Facts of the failure that the change is to fix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureEvidence {
    /// The literals of the failing tests: inputs and expected values.
    pub literals: HashSet<String>,
    /// A compiler, a type checker or a linter complained.
    pub is_diagnostic: bool,
    /// The failing tests.
    pub tests: Vec<TestText>,
}

impl FailureEvidence {
    /// Adds a failing test with its literals.
    pub fn add(&mut self, path: String, text: String) {
        self.literals.extend(read_literals(&text));
        self.tests.push(TestText { path, text });
    }
}
