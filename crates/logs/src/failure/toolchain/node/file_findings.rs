//! Reads the findings of linters that write TAP: a "test" is a file, and its details are findings.
//!
//! ```text
//! not ok 1 - src/calc.js
//!   ---
//!   message: 'x is not defined.'
//!   severity: error
//!   data:
//!     line: 6
//!   ...
//! ```

use crate::failure::draft::FailureDraft;
use crate::failure::location;
use papayu_base::domain::{FailureKind, Location};

/// The findings of one file.
#[derive(Debug, Default)]
pub(super) struct FileFindings {
    path: String,
    /// The messages, and the places that follow them.
    found: Vec<(String, Location)>,
    /// A linter's word was read, which test runners do not print.
    is_linter: bool,
}

impl FileFindings {
    /// Starts the findings of a "test". `None` if its name is no path.
    pub(super) fn of_test(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        let is_path = name.contains('/') && !name.contains(' ') && (1..6).contains(&ending.len());
        is_path.then(|| Self { path: name.to_owned(), ..Self::default() })
    }

    /// Reads a comment with a finding: `# src/calc.js:6:10: text`. Returns `false` for another line.
    pub(super) fn read_comment(&mut self, text: &str) -> bool {
        let own = text.strip_prefix("# ").filter(|own| own.starts_with(&self.path));
        let Some((place, message)) = own.and_then(|own| own.split_once(' ')) else { return false };
        let Some(at) = location::parse_location(place.trim_end_matches(':')) else { return false };
        self.found.push((message.to_owned(), at));
        self.is_linter = true;
        true
    }

    /// Reads a line of the details.
    pub(super) fn read_line(&mut self, trimmed: &str) {
        let Some((key, value)) = trimmed.trim_start_matches("- ").split_once(": ") else { return };
        match (key, self.found.last_mut()) {
            ("message", _) => {
                let quotes = ['\'', '"'].into_iter().find(|quote| value.starts_with(*quote));
                let inside =
                    quotes.and_then(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
                let message = inside.unwrap_or(value).replace("''", "'").replace("\\\"", "\"");
                self.found.push((message, Location::file(&self.path)));
            }
            ("line", Some((_, at))) if at.line.is_none() => at.line = value.parse().ok(),
            ("column", Some((_, at))) if at.column.is_none() => at.column = value.parse().ok(),
            ("severity" | "ruleId", _) => self.is_linter = true,
            _ => {}
        }
    }

    /// Returns the findings; none for a test.
    pub(super) fn finish(self) -> Vec<FailureDraft> {
        let found = self.found.into_iter().filter(|_| self.is_linter);
        let draft = |(message, at): (String, Location)| {
            let mut draft = FailureDraft::new("generic", FailureKind::Lint, &message);
            draft.add_location(at);
            draft
        };
        found.map(draft).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_a_severity_has_findings_and_a_test_file_has_none() {
        let read = |lines: &[&str]| {
            let mut file = FileFindings::of_test("src/a.js").unwrap();
            let others = lines.iter().filter(|line| !file.read_comment(line));
            others.copied().collect::<Vec<_>>().iter().for_each(|line| file.read_line(line));
            let failures = file.finish().into_iter().map(FailureDraft::finish);
            let all = failures.map(|it| (it.message, it.locations.first().and_then(|at| at.line)));
            all.collect::<Vec<_>>()
        };
        let lines = ["- message: '''x'' is it.'", "severity: error", "line: 6", "column: 3"];
        assert_eq!(read(&lines), [("'x' is it.".to_owned(), Some(6))]);
        assert_eq!(read(&["# src/a.js:3:5: W: no"]), [("W: no".to_owned(), Some(3))]);
        assert_eq!(read(&["message: no", "line: 6"]), []);
        assert!(FileFindings::of_test("adds two. And more").is_none());
    }
}
