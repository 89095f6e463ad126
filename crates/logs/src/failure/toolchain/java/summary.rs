//! Reads the summary of Maven's surefire, which also names tests with details only in files.
//!
//! ```text
//! Failed tests:
//!   CalcTest.adds:8 expected:<3> but was:<4>
//! Tests in error:
//!   divides(demo.CalcTest): / by zero
//! ```

use std::collections::HashSet;

use super::names::{class_first, is_dotted};

/// Maximal number of names that are remembered.
const MAX_NAMES: usize = 10_000;

/// The meaning of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SummaryLine<'t> {
    /// It is outside the summary.
    Outside,
    /// It names no test that was not reported before.
    Other,
    /// It names a test.
    Test {
        /// The name, with the class.
        name: String,
        /// The message; may be empty.
        message: &'t str,
    },
}

/// State between lines.
#[derive(Default)]
pub(super) struct JavaSummary {
    is_open: bool,
    /// Tests that were reported, by their last two names: class and method.
    known: HashSet<String>,
}

impl JavaSummary {
    /// Returns `true` inside the summary.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Remembers a test that was reported with its details.
    pub(super) fn note_test(&mut self, name: Option<&str>) {
        if let Some(name) = name
            && self.known.len() < MAX_NAMES
        {
            let name = short_name(name);
            // The summary has no parameters.
            let plain = name.split_once('[').map_or(name.as_str(), |(plain, _)| plain);
            self.known.insert(plain.to_owned());
            self.known.insert(name);
        }
    }

    /// Reads a line.
    pub(super) fn read_line<'t>(&mut self, text: &'t str) -> SummaryLine<'t> {
        let rest =
            ["Failed tests:", "Tests in error:"].iter().find_map(|head| text.strip_prefix(head));
        if rest.is_some() {
            self.is_open = true;
        }
        if !self.is_open {
            return SummaryLine::Outside;
        }
        let line = match rest {
            Some(rest) => rest,
            // A test is indented by two blanks; lines of its message may have any form.
            None => match text.strip_prefix("  ") {
                Some(line) => line,
                None if text.starts_with("Tests run:") => {
                    self.is_open = false;
                    return SummaryLine::Outside;
                }
                None => return SummaryLine::Other,
            },
        };
        match read_test(line.trim()) {
            Some((name, message))
                if self.known.len() < MAX_NAMES && self.known.insert(short_name(&name)) =>
            {
                SummaryLine::Test { name, message }
            }
            _ => SummaryLine::Other,
        }
    }
}

/// Returns the test and its message: `adds(demo.CalcTest): message` or `CalcTest.adds:8 message`.
fn read_test(line: &str) -> Option<(String, &str)> {
    let (head, message) = match line.find("): ") {
        Some(at) => (line.get(..=at)?, line.get(at + 3..)?),
        None => (line, ""),
    };
    if let Some(name) = class_first(head) {
        return Some((name, message));
    }
    let name = line.split([':', ' ', '\u{bb}']).next().unwrap_or_default();
    let name = name.split_once("->").map_or(name, |(name, _)| name);
    let message = line.get(name.len()..).unwrap_or_default();
    let message =
        message.trim_start_matches([':', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    let is_test = is_dotted(name.split_once('[').map_or(name, |(name, _)| name));
    is_test.then(|| (name.to_owned(), message.trim()))
}

/// Returns the class and the method of a qualified name.
fn short_name(name: &str) -> String {
    let plain = name.split_once('[').map_or(name, |(plain, _)| plain);
    let method = plain.rfind('.').unwrap_or_default();
    let class = plain.get(..method).and_then(|class| class.rfind('.')).map_or(0, |at| at + 1);
    name.get(class..).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_named_once_whatever_their_form() {
        let mut summary = JavaSummary::default();
        summary.note_test(Some("demo.CalcTest.known"));
        let mut read = |line| match summary.read_line(line) {
            SummaryLine::Test { name, message } => format!("{name} | {message}"),
            other => format!("{other:?}"),
        };
        let chain = "  RoundTest.trip:217->Base.convert:91 \u{bb} Runtime";
        for (line, expected) in [
            ("  CalcTest.adds:8 before", "Outside"),
            ("Failed tests: ", "Other"),
            ("  CalcTest.adds:8 expected:<3>", "CalcTest.adds | expected:<3>"),
            ("  CalcTest.known:3 no", "Other"),
            (
                "  adds on instance adds(demo.OtherTest)(demo.OtherTest): no",
                "demo.OtherTest.adds | no",
            ),
            ("Tests in error: ", "Other"),
            (chain, "RoundTest.trip | ->Base.convert:91 \u{bb} Runtime"),
            ("Tests run: 3, Failures: 2", "Outside"),
            ("  CalcTest.later:8 no", "Outside"),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
    }
}
