//! Reads Python tracebacks, alone or under the headline of a unittest.
//!
//! ```text
//! FAIL: test_adds (tests.test_calc.CalcTest.test_adds)
//! Traceback (most recent call last):
//!   File "/src/tests/test_calc.py", line 5, in test_adds
//!     self.assertEqual(add(1, 2), 4)
//! AssertionError: 3 != 4
//! ```

use std::collections::VecDeque;

use crate::failure::draft::{FailureDraft, MAX_LOCATIONS, MAX_QUOTED_CHARS};
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::{location, paths, quoted};
use papayu_base::domain::{Failure, FailureKind, Location};

use papayu_base::text::first_chars;

/// The toolchain of all failures of Python, whichever of its tools reports them.
pub(super) const NAME: &str = "python";

/// The lines between two tracebacks of one error.
const CHAINS: [&str; 2] = [
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
];

/// Lines below an exception that may belong to it.
const MAX_BELOW: u8 = 8;

/// Lines of source that are kept.
const MAX_SOURCE_LINES: usize = 12;

/// State between lines.
#[derive(Default)]
pub(super) struct Tracebacks {
    open: Option<Traceback>,
    /// The unittest of the next traceback.
    unittest: Option<String>,
    /// An exception in a library, which the next traceback may replace.
    cause: Option<LibraryError>,
}

/// An exception without a frame of the project.
struct LibraryError {
    failure: Failure,
    /// Lines below it in which the next traceback may be announced.
    left: u8,
    /// The next traceback is of the same error.
    is_chained: bool,
}

/// Returns a line of a group of exceptions without the margin that shows the group: `  | ValueError: no`,
/// `  + Exception Group Traceback (most recent call last):`. `None` for other lines.
pub(super) fn without_margin(text: &str) -> Option<&str> {
    let trimmed = text.trim_start();
    if let Some(rest) = trimmed.strip_prefix("+ ") {
        return rest.strip_prefix("Exception Group ").filter(|rest| rest.starts_with("Traceback"));
    }
    let rest = trimmed.strip_prefix('|').filter(|_| text.starts_with("  "))?;
    rest.strip_prefix(' ').or_else(|| rest.is_empty().then_some(rest))
}

/// The traceback that is being read.
struct Traceback {
    frames: Vec<Location>,
    /// The source under the frames of the project, the innermost last.
    source: VecDeque<String>,
    /// The indentation of its header and of the exception.
    indent: usize,
}

impl Tracebacks {
    /// Returns `true` if lines without a cue are needed too.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some() || self.unittest.is_some() || self.cause.is_some()
    }

    /// Reads one cleaned line and returns its claim.
    pub(super) fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        self.follow_cause(text, findings);
        if let Some(test) = unittest_name(text) {
            self.finish(findings);
            findings.add(FailureDraft::test(NAME, &test).finish());
            self.unittest = Some(test);
            return LineImportance::Fault;
        }
        let text = without_margin(text).unwrap_or(text);
        let trimmed = text.trim_start();
        let indent = text.len() - trimmed.len();
        if trimmed.starts_with("Traceback (most recent call last)") {
            self.end_traceback("", findings);
            self.open = Some(Traceback { frames: Vec::new(), source: VecDeque::new(), indent });
            return if self.unittest.is_some() {
                LineImportance::Part
            } else {
                LineImportance::Fault
            };
        }
        if let Some(at) = parse_frame(trimmed) {
            // A syntax error in the program's own file has no header.
            let claim =
                if self.open.is_some() { LineImportance::Part } else { LineImportance::Fault };
            let open = self.open.get_or_insert_with(|| Traceback {
                frames: Vec::new(),
                source: VecDeque::new(),
                indent: indent.saturating_sub(2),
            });
            open.frames.push(at);
            let surplus = open.frames.len().saturating_sub(MAX_LOCATIONS);
            // The innermost frames matter; an endless recursion has thousands.
            open.frames.drain(..surplus);
            return claim;
        }
        if let Some(open) = &mut self.open {
            // The exception is the first line that is not indented deeper than the headline.
            let is_exception =
                !trimmed.is_empty() && indent <= open.indent && !open.frames.is_empty();
            if is_exception {
                self.end_traceback(trimmed, findings);
            } else if let Some(source) = quoted::source_text(trimmed)
                && open.frames.last().is_some_and(|at| !paths::is_dependency(&at.path))
            {
                if open.source.len() == MAX_SOURCE_LINES {
                    open.source.pop_front();
                }
                open.source.push_back(first_chars(source, MAX_QUOTED_CHARS).to_owned());
            }
            return LineImportance::Part;
        }
        if self.unittest.is_some() && (text.starts_with("=====") || text.starts_with("Ran ")) {
            self.unittest = None;
        }
        LineImportance::None
    }

    /// Adds what is still open.
    pub(super) fn finish(&mut self, findings: &mut LogFailures) {
        self.end_traceback("", findings);
        self.add_cause(findings);
    }

    /// Looks for the announcement of the next traceback below an exception in a library.
    fn follow_cause(&mut self, text: &str, findings: &mut LogFailures) {
        let Some(cause) = self.cause.as_mut().filter(|cause| !cause.is_chained) else { return };
        cause.is_chained = CHAINS.contains(&text.trim());
        cause.left = cause.left.saturating_sub(1);
        if !cause.is_chained && cause.left == 0 {
            self.add_cause(findings);
        }
    }

    /// Adds the exception in a library.
    fn add_cause(&mut self, findings: &mut LogFailures) {
        self.cause.take().into_iter().for_each(|cause| findings.add(cause.failure));
    }

    /// Adds the open traceback with its exception, which is empty if the log ended before it.
    fn end_traceback(&mut self, exception: &str, findings: &mut LogFailures) {
        let Some(open) = self.open.take() else { return };
        if open.frames.is_empty() && exception.is_empty() {
            return;
        }
        let otherwise =
            if self.unittest.is_some() { FailureKind::Test } else { FailureKind::Crash };
        let mut draft = FailureDraft::new(NAME, kind_of(exception, otherwise), exception);
        if let Some(test) = &self.unittest {
            draft = draft.for_test(test);
        }
        let is_own =
            |at: &Location| !paths::is_dependency(&at.path) && !paths::is_runtime(&at.path);
        let has_own = open.frames.iter().any(is_own);
        for at in open.frames {
            draft.add_location(at);
        }
        open.source.iter().for_each(|source| draft.add_source(source));
        let failure = draft.finish_innermost_last();
        // Of one error, the traceback through the project is of use.
        let cause = self.cause.take().filter(|cause| !cause.is_chained || !has_own);
        if let Some(cause) = cause {
            findings.add(cause.failure);
        }
        if has_own || self.unittest.is_some() {
            findings.add(failure);
        } else {
            self.cause = Some(LibraryError { failure, left: MAX_BELOW, is_chained: false });
        }
    }
}

/// Reads a frame such as `File "x.py", line 3, in f`; `None` for any other line.
pub(super) fn parse_frame(trimmed: &str) -> Option<Location> {
    let (path, rest) = trimmed.strip_prefix("File \"")?.split_once("\", line ")?;
    let (line, _) = location::leading_number(rest)?;
    Some(Location { path: path.to_owned(), line: Some(line), column: None })
}

/// Returns the kind that an exception's name means; `otherwise` for ordinary ones.
pub(super) fn kind_of(exception: &str, otherwise: FailureKind) -> FailureKind {
    let name = exception.split(':').next().unwrap_or_default().trim();
    match name.rsplit('.').next().unwrap_or_default() {
        "ModuleNotFoundError" | "ImportError" => FailureKind::Import,
        "SyntaxError" | "IndentationError" | "TabError" => FailureKind::Compile,
        _ => otherwise,
    }
}

/// `FAIL: test_x (tests.test_parser.ParserTest.test_x)`; before 3.11 without the method at the end. nose names
/// functions by their module and doctests by what they document; green writes `Failure in tests.test_parser.ParserTest.test_x`.
fn unittest_name(text: &str) -> Option<String> {
    let mut starts = ["FAIL: ", "ERROR: ", "Failure in ", "Error in "].iter();
    let rest = starts.find_map(|start| text.strip_prefix(start))?;
    if let Some(documented) = rest.strip_prefix("Doctest: ") {
        return is_dotted(documented).then(|| documented.to_owned());
    }
    for (at, _) in rest.match_indices(" (") {
        let (method, after) = (rest.get(..at)?, rest.get(at + 2..)?);
        let Some((class, subtest)) = after.split_once(')') else { break };
        let is_method = !method.starts_with(|c: char| !(c.is_alphanumeric() || c == '_'));
        let bare = method.split('(').next().unwrap_or(method);
        if is_dotted(class) && is_method && !bare.contains(' ') {
            let ends_with_method = class.ends_with(&format!(".{method}"));
            let full =
                if ends_with_method { class.to_owned() } else { format!("{class}.{method}") };
            return Some(format!("{full}{subtest}"));
        }
    }
    let name = rest.split('(').next().unwrap_or(rest).trim_end();
    let is_test = |part: &str| {
        let part = part.to_ascii_lowercase();
        part.starts_with("test") || part.ends_with("_test") || part.ends_with("tests")
    };
    (is_dotted(name) && name.split('.').any(is_test)).then(|| rest.to_owned())
}

/// Returns `true` for names with dots between them.
fn is_dotted(text: &str) -> bool {
    let is_name =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    text.contains('.') && text.split('.').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_unittest_and_nose_are_read() {
        for (text, name) in [
            ("FAIL: test_x (tests.test_p.P.test_x)", Some("tests.test_p.P.test_x")),
            ("ERROR: test_x (tests.test_p.P) (i=1)", Some("tests.test_p.P.test_x (i=1)")),
            ("FAIL: test_x('./m.json', ...) (tests.P)", Some("tests.P.test_x('./m.json', ...)")),
            ("ERROR: test_a,_b (t.P)", Some("t.P.test_a,_b")),
            ("FAIL: Doctest: a.b.C", Some("a.b.C")),
            (
                "FAIL: pkg.tests.test_m.f('x', <class 'y'>)",
                Some("pkg.tests.test_m.f('x', <class 'y'>)"),
            ),
            ("Failure in tests.test_p.P.test_x (i=2)", Some("tests.test_p.P.test_x (i=2)")),
            ("Error in mod.function", None),
            ("ERROR: setup.py", None),
            ("ERROR: could not open (os.path)", None),
            ("ERROR: No matching distribution found", None),
        ] {
            assert_eq!(unittest_name(text).as_deref(), name, "{text}");
        }
    }
}
