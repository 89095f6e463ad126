//! Reads the lists of ESLint's `stylish` format, which stylelint and next lint print too.
//!
//! ```text
//! /src/x.js
//!   1:5  error  'x' is assigned a value but never used  no-unused-vars
//! ```

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::toolchain::Parser;
use papayu_base::domain::{Failure, FailureKind, Location, Severity};
use papayu_base::text::{Pattern, first_chars, group};

/// The longest path above a list, in characters.
const MAX_PATH_CHARS: usize = 512;

/// The maximal number of warnings that are kept until the run reports too many.
const MAX_WARNINGS: usize = 50;

/// `  1:2  error  message  rule`, next lint's `1:2  Error: message  rule`, stylelint's `  1:2  ✖  message  rule`.
static ITEM: Pattern = Pattern::new(
    r"^\s*(?P<line>\d+):(?P<column>\d+)\s+(?P<level>error|warning|Error:|Warning:|✖|×|⚠|‼)\s+(?P<message>\S.*?)(?:\s{2,}(?P<rule>[\w@/.-]+))?$",
);

/// State between lines.
#[derive(Default)]
pub(in crate::failure::toolchain) struct Eslint {
    /// The line above, which is the file's path when a list begins.
    above: String,
    /// The file of the current list.
    file: Option<String>,
    /// Warnings, which `--max-warnings` may make errors at the end.
    warnings: Vec<Failure>,
}

impl Parser for Eslint {
    fn cues(&self) -> &'static [&'static str] {
        &[
            "  error  ", "  warning  ", "  Error: ", "  Warning: ", "  ✖  ", "  ×  ", "  ⚠  ",
            "too many warnings",
        ]
    }

    fn is_open(&self) -> bool {
        self.file.is_some()
    }

    fn set_previous_line(&mut self, previous: &str) {
        self.above.clear();
        self.above.push_str(first_chars(previous, MAX_PATH_CHARS));
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if text.contains("too many warnings") {
            self.warnings.drain(..).for_each(|warning| findings.add(warning));
            return LineImportance::Known;
        }
        let Some(found) = ITEM.captures(text) else {
            self.file = None;
            return LineImportance::None;
        };
        if self.file.is_none() {
            // The path is on the line above the first item of its list.
            self.file = Some(std::mem::take(&mut self.above)).filter(|path| is_file(path));
        }
        let Some(file) = &self.file else { return LineImportance::None };
        let is_error = matches!(group(&found, "level"), Some("error" | "Error:" | "✖" | "×"));
        let rule = group(&found, "rule");
        // ESLint reports a file that it cannot parse without a rule.
        let kind = if rule.is_some() { FailureKind::Lint } else { FailureKind::Compile };
        let message = group(&found, "message").unwrap_or_default();
        let mut draft = FailureDraft::new("node", kind, message).with_code(rule);
        let number = |name| group(&found, name).and_then(|digits| digits.parse().ok());
        let (line, column) = (number("line"), number("column"));
        draft.add_location(Location { path: file.clone(), line, column });
        if is_error {
            findings.add(draft.finish());
            return LineImportance::Fault;
        }
        if self.warnings.len() < MAX_WARNINGS {
            draft.failure.severity = Severity::Warning;
            self.warnings.push(draft.finish());
        }
        LineImportance::Known
    }
}

/// A line that is a file's path and nothing else.
fn is_file(text: &str) -> bool {
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    !text.starts_with(char::is_whitespace)
        && !text.contains([':', '"', '\'']) | text.get(1..3).is_some_and(|drive| drive == ":\\")
        && name.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty() && !end.is_empty() && end.chars().all(char::is_alphanumeric)
        })
}
