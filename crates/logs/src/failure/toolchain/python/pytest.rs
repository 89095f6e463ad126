//! Reads the sections of pytest: failures in detail, then the summary with their full names.
//!
//! ```text
//! =================== FAILURES ===================
//! ___________________ test_adds __________________
//!
//! >       assert add(1, 2) == 4
//! E       assert 3 == 4
//!
//! tests/test_calc.py:5: AssertionError
//! =========== short test summary info ============
//! FAILED tests/test_calc.py::test_adds - assert 3 == 4
//! ```
//!
//! The details lack the path of the test, so they wait for the summary line with the same name.

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::{LogFailures, MAX_FAILURES};
use crate::failure::{location, quoted};
use papayu_base::domain::{FailureKind, Location};

use super::traceback::{NAME, kind_of, parse_frame, without_margin};

/// Endings of files that Python's tools name.
const ENDINGS: &[&str] = &[".py", ".pyi", ".pyx", ".rst", ".md"];

/// The maximal number of source lines that are kept in addition to those that failed.
const MAX_SOURCE_LINES: u8 = 24;

/// The least length of a headline that has its line on one side only.
const MIN_RULE: usize = 78;

/// State between lines.
#[derive(Default)]
pub(super) struct Pytest {
    section: PytestSection,
    open: Option<Detail>,
    /// Failures with details; their full names are in the summary.
    pending: Vec<Detail>,
    /// The line above is one of the summary about a failure with details.
    repeats: bool,
}

/// The section that is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum PytestSection {
    #[default]
    None,
    /// FAILURES or ERRORS.
    Details,
    /// Nothing in it is a failure.
    Warnings,
    Summary,
}

/// A failure of the details, without its path.
struct Detail {
    header: String,
    draft: FailureDraft,
    /// Output of the program under test follows; what it looks like means nothing.
    captured: bool,
    /// The place of a syntax error was read, and not its message.
    in_syntax_error: bool,
    source_lines: u8,
}

impl Pytest {
    /// Returns `true` if lines without a cue are needed too.
    pub(super) fn is_open(&self) -> bool {
        self.section != PytestSection::None
    }

    /// Reads one cleaned line and returns its claim.
    pub(super) fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if let Some(section) = parse_section(text) {
            self.end_detail();
            self.section = section;
            return LineImportance::Known;
        }
        match self.section {
            PytestSection::Details => self.read_detail_line(text),
            PytestSection::Warnings => LineImportance::Known,
            PytestSection::Summary | PytestSection::None => self.read_summary_line(text, findings),
        }
    }

    /// Adds failures for which no full name followed.
    pub(super) fn finish(&mut self, findings: &mut LogFailures) {
        self.end_detail();
        for detail in std::mem::take(&mut self.pending) {
            let path = detail.test_file();
            let name =
                detail.header.split_once('[').map_or(detail.header.as_str(), |(name, _)| name);
            let rest = detail.header.get(name.len()..).unwrap_or_default();
            // Plugins that test files of other kinds name the file.
            let name = if name.contains('/') { name.to_owned() } else { name.replace('.', "::") };
            let name = format!("{name}{rest}");
            let id = path.map_or_else(|| name.clone(), |path| format!("{path}::{name}"));
            let collected = detail.header.strip_prefix("ERROR collecting ").map(str::to_owned);
            let is_test = collected.is_none();
            let draft = if is_test { detail.draft.for_test(&id) } else { detail.draft };
            let mut failure = draft.finish_innermost_last();
            if let Some(collected) = collected {
                // Modules that fail for the same reason are different failures.
                failure.locations.retain(|at| !at.path.ends_with(&collected));
                failure.locations.insert(0, Location::file(&collected));
            }
            findings.add(failure);
        }
    }

    /// Reads a line of the details: headline, source, message (`E   …`) or location.
    fn read_detail_line(&mut self, text: &str) -> LineImportance {
        if let Some(header) = parse_header(text) {
            self.end_detail();
            let kind = if header.starts_with("ERROR collecting ") {
                FailureKind::Crash
            } else {
                FailureKind::Test
            };
            let draft = FailureDraft::new(NAME, kind, "");
            let header = header.to_owned();
            let (captured, in_syntax_error, source_lines) = (false, false, 0);
            self.open = Some(Detail { header, draft, captured, in_syntax_error, source_lines });
            return LineImportance::Fault;
        }
        let Some(open) = &mut self.open else { return LineImportance::Known };
        if text.starts_with("----") && text.ends_with("----") {
            open.captured = true;
        }
        // Captured output can contain tracebacks that the program only logged.
        if open.captured {
            return LineImportance::Known;
        }
        if let Some(content) = text.strip_prefix("E  ").map(str::trim_end) {
            open.read_message_line(content);
            return LineImportance::Part;
        }
        if let Some(content) = without_margin(text) {
            open.read_group_line(content);
            return LineImportance::Part;
        }
        if let Some(id) = crashed_test(text) {
            // The details of a lost worker have the file as their headline.
            id.split_once("::").map_or(id, |(_, name)| name).clone_into(&mut open.header);
            open.draft.add_line(text);
            return LineImportance::Part;
        }
        let place = parse_frame(text.trim_start())
            .or_else(|| location::split_location(text, ENDINGS).map(|(at, _)| at));
        match place {
            Some(at) if !text.starts_with("    ") => {
                open.draft.add_location(at);
                LineImportance::Part
            }
            _ => {
                // The line that failed is marked; those above it are the function's.
                let is_failing = text.starts_with("> ");
                let source = text.strip_prefix("> ").or_else(|| text.strip_prefix("    "));
                if let Some(source) = source.and_then(quoted::source_text)
                    && (is_failing || open.source_lines < MAX_SOURCE_LINES)
                {
                    open.source_lines += u8::from(!is_failing);
                    open.draft.add_source(source);
                }
                LineImportance::Known
            }
        }
    }

    /// Moves the open detail to those that wait for the summary.
    fn end_detail(&mut self) {
        if let Some(detail) = self.open.take()
            && self.pending.len() < MAX_FAILURES
        {
            self.pending.push(detail);
        }
    }

    /// `FAILED tests/test_x.py::test_y - AssertionError: …`, `ERROR tests/test_x.py`.
    fn read_summary_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        // The message goes on below the line, indented.
        let goes_on = text.is_empty() || text.starts_with("  ");
        if std::mem::take(&mut self.repeats) && goes_on {
            self.repeats = true;
            return LineImportance::Repeated;
        }
        let Some(rest) = text.strip_prefix("FAILED ").or_else(|| text.strip_prefix("ERROR "))
        else {
            return LineImportance::None;
        };
        let (id, message) = id_and_message(rest);
        let (path, name) = id.split_once("::").unwrap_or((id, ""));
        // Plugins test files of any kind.
        let is_file = !name.is_empty() || ENDINGS.iter().any(|ending| path.ends_with(ending));
        if !is_file || path.contains(char::is_whitespace) {
            return LineImportance::None;
        }
        let detail = self.take_pending(path, name);
        self.repeats = detail.is_some();
        let otherwise = if name.is_empty() { FailureKind::Crash } else { FailureKind::Test };
        let mut draft = match detail {
            Some(detail) => detail.draft,
            None => FailureDraft::new(NAME, kind_of(message, otherwise), message),
        };
        // With `--tb=no` the summary has the only message.
        if draft.has_no_message() {
            draft.add_line(message);
        }
        if !name.is_empty() {
            draft = draft.for_test(id);
        }
        let mut failure = draft.finish_innermost_last();
        if name.is_empty() && failure.message.is_empty() {
            failure.locations.insert(0, Location::file(path));
        } else if !failure.locations.iter().any(|at| at.path.ends_with(path)) {
            failure.locations.push(Location::file(path));
        }
        findings.add(failure);
        if self.repeats { LineImportance::Repeated } else { LineImportance::Part }
    }

    /// Removes and returns the detail of a test in the summary.
    fn take_pending(&mut self, path: &str, name: &str) -> Option<Detail> {
        // Two files can have a test of one name; the frames of a detail name its file.
        let mut pending = self.pending.iter();
        let best = pending.position(|it| it.is_of(path, name) && it.has_location_in(path));
        let at = best.or_else(|| self.pending.iter().position(|it| it.is_of(path, name)))?;
        Some(self.pending.remove(at))
    }
}

impl Detail {
    /// Reads a line of the message, without its mark `E`.
    fn read_message_line(&mut self, content: &str) {
        let frame = parse_frame(content.trim_start());
        // `File "x.py", line 7`, the source and a mark come before the message of a syntax error.
        let is_above = self.in_syntax_error && content.starts_with("     ");
        if self.draft.has_no_message() && (frame.is_some() || is_above) {
            self.in_syntax_error = true;
            if is_above && !content.trim_start().starts_with('^') {
                self.draft.add_source(content);
            }
            self.draft.add_locations(frame);
            return;
        }
        self.draft.add_locations(frame);
        if self.draft.has_no_message() {
            self.draft.failure.kind = kind_of(content, self.draft.failure.kind);
        }
        if let FailureKind::Crash = self.draft.failure.kind {
            // The last line of a module that cannot be collected has the reason.
            self.draft.failure.kind = kind_of(content, FailureKind::Crash);
        }
        self.draft.add_line(content.strip_prefix(' ').unwrap_or(content));
    }

    /// Reads a line of a group of exceptions, without its margin: a frame, or the name of an exception.
    fn read_group_line(&mut self, content: &str) {
        if let Some(at) = parse_frame(content.trim_start()) {
            self.draft.add_location(at);
        } else if content.starts_with(|c: char| c.is_ascii_alphabetic())
            && content.split_once(':').is_some_and(|(name, _)| !name.contains(' '))
        {
            self.draft.add_line(content);
        }
    }

    /// Returns `true` if the header is that of a test in the summary; modules that cannot be collected have no name.
    fn is_of(&self, path: &str, name: &str) -> bool {
        let header = self.header.replace("::", ".");
        if name.is_empty() {
            let collected = header.strip_prefix("ERROR collecting ");
            return collected.is_some_and(|collected| path.ends_with(collected));
        }
        let starts = ["ERROR at setup of ", "ERROR at teardown of ", "[doctest] "];
        let test = starts.iter().find_map(|start| header.strip_prefix(start)).unwrap_or(&header);
        // A plugin for other files may name only the file.
        test == name.replace("::", ".") || header.contains('/') && header.ends_with(path)
    }

    /// Returns the file of the test: the first with the name of a test file, else that of the outermost frame.
    fn test_file(&self) -> Option<String> {
        let places = &self.draft.failure.locations;
        let is_test = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.starts_with("test_") || name.ends_with("_test.py")
        };
        let test = places.iter().find(|at| is_test(&at.path));
        test.or(places.first()).map(|at| at.path.clone())
    }

    /// Returns `true` if a frame is in the file.
    fn has_location_in(&self, path: &str) -> bool {
        self.draft.failure.locations.iter().any(|at| at.path.ends_with(path))
    }
}

/// `worker 'gw3' crashed while running 'tests/test_x.py::test_y'`: returns the id of the test.
fn crashed_test(text: &str) -> Option<&str> {
    let (_, id) = text.strip_prefix("worker '")?.split_once("' crashed while running '")?;
    id.strip_suffix('\'')
}

/// `===== FAILURES =====` and its like; any other rule of the kind ends a section.
fn parse_section(text: &str) -> Option<PytestSection> {
    let title = text.strip_prefix("==")?.strip_suffix('=')?.trim_matches('=');
    let title = title.strip_prefix(' ')?.strip_suffix(' ')?;
    Some(match title {
        "FAILURES" | "ERRORS" => PytestSection::Details,
        "short test summary info" => PytestSection::Summary,
        _ if title.starts_with("warnings summary") => PytestSection::Warnings,
        _ => PytestSection::None,
    })
}

/// `____ TestClass.test_name[param] ____`.
fn parse_header(text: &str) -> Option<&str> {
    let (begins, ends) = (text.starts_with('_'), text.ends_with('_'));
    // A long name leaves no space for lines on both sides.
    let is_rule = begins && ends || (begins || ends) && text.chars().count() >= MIN_RULE;
    let name = text.trim_matches('_');
    let name = name.strip_prefix(' ')?.strip_suffix(' ').filter(|_| is_rule)?;
    // `_ _ _ _` separates the frames of one failure.
    (!name.is_empty() && !name.starts_with("_ ")).then_some(name)
}

/// Splits a test's id and its message; a parameter of the id may contain ` - `.
fn id_and_message(text: &str) -> (&str, &str) {
    if let Some((at, _)) = text.match_indices("] - ").next()
        && text.get(..at).is_some_and(|id| id.contains('['))
        && let (Some(id), Some(message)) = (text.get(..=at), text.get(at + 4..))
    {
        return (id, message);
    }
    if text.ends_with(']') && text.contains("::") && text.contains('[') && !text.contains("] ") {
        return (text, "");
    }
    text.split_once(" - ").unwrap_or((text, ""))
}
