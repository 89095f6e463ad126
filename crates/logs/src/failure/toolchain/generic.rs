//! Reads lines that no other parser claims: one-line diagnostics, `path:line` anywhere, and lines with an error word.
//!
//! The order of the attempts is the order of their reliability: a row of [`super::one_line`], a note that belongs to the
//! diagnostic before it, a vague error, and locations without any message.

use std::sync::LazyLock;

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::location;
use papayu_base::domain::{FailureKind, Location};
use papayu_base::text::{Pattern, WordFinder, group};

use super::one_line::{Begins, FORMS, OneLineForm};
use super::rust;

/// Parts of words that say that something failed.
pub(in crate::failure) const CUES: &[&str] =
    &["rror", "ERR", "atal", "FATAL", "*** ", " recorded an issue "];

/// The toolchain of npm's own errors.
const NPM: &str = "npm";

/// A line with one of these is no failure.
const WARNINGS: &[&str] = &["warning", "Warning", "WARN"];

/// Lines that only say that something failed before them.
const CONSEQUENCES: &[&str] = &[
    "Process completed with exit code",
    "Command failed with exit code",
    "command failed with exit code",
    "ELIFECYCLE",
    "npm error code",
    "npm error path",
    "npm error command",
    "JSON.parse Note: ",
    "A complete log of this run can be found",
    "Job failed: exit code",
    "Job failed: command terminated with exit code",
    "make: ***",
    "FAILED - RETRYING: ",
    "Error: Process completed",
    "script returned exit code",
    "exit status",
    "ld returned 1",
    "linker command failed",
    "Errors while running CTest",
    "occurred when checking code style",
    "To see the full stack trace of the errors",
    "Re-run Maven using",
    "For more information about the errors",
    "[Help 1] http",
    "[Help 2] http",
    "[ERROR] -> [Help ",
    "After correcting the problems, you can resume the build",
    "mvn <goals> -rf",
    "mvn <args> -rf",
    "] realm =    ",
    "] strategy = ",
    "] urls[",
    "] import: Entry[",
    "] -----------",
];

/// Messages that mean a header, module or package that is not there.
const IMPORT_MESSAGES: &[&str] = &[
    "No such file or directory",
    "file not found",
    "Cannot find implementation or library stub",
    "no such module",
];

/// Codes that mean the same.
const IMPORT_CODES: &[&str] = &["CS0234", "CS0246", "NU1101", "NU1102", "NU1103"];

static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| FORMS.iter().map(|rule| Pattern::new(rule.pattern)).collect());

static CONSEQUENCE_WORDS: LazyLock<WordFinder> =
    LazyLock::new(|| WordFinder::new(CONSEQUENCES.to_vec()));

/// Returns `true` for a line that only points to a failure before it, or to a place with more words about it.
pub(in crate::failure) fn is_consequence(line: &str) -> bool {
    CONSEQUENCE_WORDS.is_in(line)
}

static QUIET: LazyLock<WordFinder> = LazyLock::new(|| {
    let lists = WARNINGS.iter().chain(CONSEQUENCES).chain(rust::CONSEQUENCES);
    WordFinder::new(lists.copied())
});

/// Reads one cleaned line that no other parser claims; `has_error` is `true` if it has one of the
/// cues.
pub(in crate::failure) fn read_line(
    text: &str,
    has_error: bool,
    findings: &mut LogFailures,
) -> LineImportance {
    let has_place = location::has_location(text);
    if !has_place && !has_error {
        return LineImportance::None;
    }
    // Rows that start with a location are tried only on such lines, which most are not.
    let place_first = has_place && location::starts_with_location(text);
    if let Some((draft, claim)) = read_diagnostic(text, has_error, place_first) {
        findings.add(draft.finish());
        return claim;
    }
    if place_first && let Some(at) = read_note(text) {
        return if findings.attach_location(at) {
            LineImportance::Part
        } else {
            LineImportance::Known
        };
    }
    if QUIET.is_in(text) {
        return LineImportance::Known;
    }
    let is_npm = text.starts_with("npm error") || text.starts_with("npm ERR!");
    if is_npm && findings.has_failure_of(NPM) {
        // The lines below npm's first one explain it.
        return LineImportance::Part;
    }
    if has_error
        && findings.wants_unknown()
        && let Some(draft) = read_vague_line(text)
    {
        findings.add(draft.finish());
        return LineImportance::Vague;
    }
    if has_place && findings.wants_mentions() {
        location::find_locations(text, |at| findings.add_mention(at));
    }
    LineImportance::None
}

/// Returns the failure that the line is by itself, as one of the table's tools prints it.
fn read_diagnostic(
    text: &str,
    has_error: bool,
    place_first: bool,
) -> Option<(FailureDraft, LineImportance)> {
    // A workflow command often contains the line of the tool itself.
    if let Some((_, own)) = text.strip_prefix("::error ").and_then(|rest| rest.split_once("::"))
        && let Some(own) = own.split("%0A").next()
        && let Some(found) = read_diagnostic(own, true, location::starts_with_location(own))
    {
        return Some(found);
    }
    FORMS.iter().zip(&*PATTERNS).find_map(|(rule, pattern)| {
        let may_be = match rule.begins {
            Begins::Place => place_first,
            Begins::With(start) => has_error && text.starts_with(start),
            Begins::Holding(part) => has_error && text.contains(part),
        };
        let found = Some(pattern).filter(|_| may_be)?.captures(text)?;
        Some((read_form(rule, &found)?, LineImportance::Fault))
    })
}

/// Returns the failure of a row's match.
fn read_form(form: &OneLineForm, found: &regex::Captures<'_>) -> Option<FailureDraft> {
    let message = group(found, "message")?;
    let code = group(found, "code");
    let is_import = IMPORT_MESSAGES.iter().any(|known| message.contains(known))
        || code.is_some_and(|code| IMPORT_CODES.contains(&code));
    let kind = match (form.kind, code) {
        (FailureKind::Compile, _) if is_import => FailureKind::Import,
        // Linters report what they cannot parse without a rule, or under one of these.
        (FailureKind::Lint, None | Some("E999" | "E902" | "invalid-syntax" | "SyntaxError")) => {
            FailureKind::Compile
        }
        (kind, _) => kind,
    };
    let mut draft = FailureDraft::new(form.toolchain, kind, message).with_code(code);
    if let Some(test) = group(found, "test") {
        draft = draft.for_test(test);
    }
    draft.add_locations(location::captured_location(found));
    Some(draft)
}

/// `x.h:1:2: note: message`: a place that belongs to the error above it.
fn read_note(text: &str) -> Option<Location> {
    let (at, _) = text.split_once(": note: ")?;
    location::parse_location(at)
}

static VAGUE: Pattern = Pattern::new(
    r"^\s*(?:\[?(?:fatal |FATAL )?(?:error|Error|ERROR|FATAL|fatal)\]?(?:\[\w+\])?[:!]?|npm ERR!|npm error)\s+(?P<message>\S.*)$",
);

/// A line that begins with "error" in some spelling.
fn read_vague_line(text: &str) -> Option<FailureDraft> {
    let found = VAGUE.captures(text)?;
    let message = found.name("message")?;
    let head = text.get(..message.start()).unwrap_or_default().trim();
    // `Error handling` is the name of a suite, and `error: 84 tests passed` reports no error.
    let is_title = head == "Error" || message.as_str().starts_with(':');
    if is_title || message.as_str().ends_with(" passed") {
        return None;
    }
    let toolchain = if text.starts_with("npm ") { NPM } else { "generic" };
    let mut draft = FailureDraft::new(toolchain, FailureKind::Unknown, message.as_str());
    location::find_locations(text, |at| draft.add_location(at));
    Some(draft)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_sums_of_passing_tests_are_no_errors() {
        let read = |line| read_vague_line(line).map(|draft| draft.finish().message);
        for line in ["  Error handling", "error : handling", "Error: 84 tests passed", "errors 3"] {
            assert_eq!(read(line), None, "{line}");
        }
        assert_eq!(read("Error: no such host").as_deref(), Some("no such host"));
        assert_eq!(read("error Command failed.").as_deref(), Some("Command failed."));
    }
}
