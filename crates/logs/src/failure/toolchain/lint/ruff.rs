//! Reads ruff's full format: a message, then an arrow to its location.
//!
//! ```text
//! F401 [*] `os` imported but unused
//!  --> src/x.py:1:8
//!   |
//! 1 | import os
//!   |        ^^
//! ```

use crate::failure::draft::{FailureDraft, MAX_MESSAGE_CHARS};
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::toolchain::Parser;
use crate::failure::{location, quoted};
use papayu_base::domain::FailureKind;
use papayu_base::text::first_chars;

/// The codes of findings that are not rules.
const NO_RULE: &[&str] = &["invalid-syntax", "unformatted", "io-error"];

const UNFORMATTED: &str = "not formatted as `ruff format` would format it";

/// State between lines.
#[derive(Default)]
pub(in crate::failure::toolchain) struct Ruff {
    /// The line above the arrow.
    above: String,
    in_source: bool,
}

impl Parser for Ruff {
    fn cues(&self) -> &'static [&'static str] {
        &[" --> "]
    }

    fn is_open(&self) -> bool {
        self.in_source
    }

    fn set_previous_line(&mut self, previous: &str) {
        self.above.clear();
        self.above.push_str(first_chars(previous, MAX_MESSAGE_CHARS));
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if self.in_source {
            self.in_source = !text.is_empty();
            findings.add_source(quoted::strip_gutter(text).unwrap_or_default());
            return LineImportance::Part;
        }
        let Some(at) = text.trim_start().strip_prefix("--> ").and_then(location::parse_location)
        else {
            return LineImportance::None;
        };
        let Some((code, message)) = parse_headline(&self.above) else {
            return LineImportance::None;
        };
        let kind = match code {
            "invalid-syntax" => FailureKind::Compile,
            _ => FailureKind::Lint,
        };
        // All formatters get the same message.
        let mut draft = if code == "unformatted" {
            FailureDraft::new("python", kind, UNFORMATTED)
        } else {
            FailureDraft::new("python", kind, message).with_code(code)
        };
        draft.add_location(at);
        findings.add(draft.finish());
        self.in_source = true;
        LineImportance::Fault
    }
}

/// `F401 [*] message` or `invalid-syntax: message`.
fn parse_headline(text: &str) -> Option<(&str, &str)> {
    let (code, message) = text.split_once(' ')?;
    let name = code.trim_end_matches(':');
    let digits = name.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_rule = digits.len() < name.len()
        && (1..=5).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    let message = message.strip_prefix("[*] ").unwrap_or(message);
    (is_rule || NO_RULE.contains(&name)).then_some((name, message))
}
