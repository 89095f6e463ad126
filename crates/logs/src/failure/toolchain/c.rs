//! Reads the output of CMake, ctest and linkers that takes several lines; compilers are rows of the one-line table.
//!
//! ```text
//! CMake Error at CMakeLists.txt:13 (find_package):
//!   Could not find a package configuration file provided by "fmt"
//!
//! 2/4 Test #2: parses ......***Failed    0.00 sec
//! link.c:(.text+0xa): undefined reference to `other'
//! ```

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::location;
use papayu_base::domain::{FailureKind, Location};

use super::Parser;

const NAME: &str = "c";

/// The words of linkers about missing and duplicate symbols.
const LINKER_WORDS: &[&str] = &["undefined reference to ", "multiple definition of "];

/// State between lines.
#[derive(Default)]
pub(super) struct C {
    open: Option<OpenFailure>,
    /// The list of failed tests at the end of a ctest run.
    in_summary: bool,
}

/// The failure that is being read.
enum OpenFailure {
    /// Its message is on indented lines.
    CMake(FailureDraft),
    /// A failed test's output, to the next test.
    Test(FailureDraft),
    /// An error of lld, which prints locations on `>>>` lines.
    Lld(FailureDraft),
}

impl Parser for C {
    fn cues(&self) -> &'static [&'static str] {
        &[
            "CMake Error", "***Failed", "***Exception", "***Timeout", "***Not Run",
            "The following tests FAILED:", "undefined reference to ", "multiple definition of ",
            "lld: error: ",
        ]
    }

    fn is_open(&self) -> bool {
        self.open.is_some() || self.in_summary
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if let Some(open) =
            cmake_error(text).or_else(|| failed_test(text)).or_else(|| lld_error(text))
        {
            self.finish(findings);
            self.open = Some(open);
            return LineImportance::Fault;
        }
        if text == "The following tests FAILED:" {
            self.finish(findings);
            self.in_summary = true;
            return LineImportance::Known;
        }
        if self.in_summary {
            self.in_summary = false;
            let Some(name) = summary_name(text) else { return LineImportance::None };
            self.in_summary = true;
            findings.add(FailureDraft::test(NAME, name).finish());
            return LineImportance::Part;
        }
        if let Some(draft) = linker_line(text) {
            findings.add(draft.finish());
            return LineImportance::Fault;
        }
        self.read_detail(text, findings)
    }

    fn finish(&mut self, findings: &mut LogFailures) {
        let Some(open) = self.open.take() else { return };
        let (OpenFailure::CMake(mut draft)
        | OpenFailure::Test(mut draft)
        | OpenFailure::Lld(mut draft)) = open;
        if draft.failure.code.as_deref() == Some("find_package") {
            draft.failure.kind = FailureKind::Import;
        }
        findings.add(draft.finish());
    }
}

impl C {
    /// Reads a line under a headline; the first other line ends the failure.
    fn read_detail(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        match &mut self.open {
            Some(OpenFailure::CMake(draft)) if text.is_empty() || text.starts_with("  ") => {
                draft.add_line(text.trim());
                LineImportance::Part
            }
            Some(OpenFailure::Lld(draft)) if text.starts_with(">>> ") => {
                location::find_locations(text, |at| draft.add_location(at));
                LineImportance::Part
            }
            Some(OpenFailure::Test(draft)) if !is_next_test(text) => {
                draft.add_line(text.trim());
                location::find_locations(text, |at| draft.add_location(at));
                LineImportance::Part
            }
            _ => {
                self.finish(findings);
                LineImportance::None
            }
        }
    }
}

/// `CMake Error at CMakeLists.txt:13 (find_package):` or `CMake Error: message`.
fn cmake_error(text: &str) -> Option<OpenFailure> {
    let rest = text.strip_prefix("CMake Error")?;
    if let Some(message) = rest.strip_prefix(": ") {
        return Some(OpenFailure::CMake(FailureDraft::new(NAME, FailureKind::Compile, message)));
    }
    let place = rest.strip_prefix(" at ")?.strip_suffix(':')?;
    let (place, command) = place.rsplit_once(" (").unwrap_or((place, ""));
    let mut draft = FailureDraft::new(NAME, FailureKind::Compile, "");
    draft.add_locations(location::parse_location(place));
    let command = command.trim_end_matches(')');
    Some(OpenFailure::CMake(if command.is_empty() { draft } else { draft.with_code(command) }))
}

/// `2/4 Test #2: name ......***Failed    0.00 sec`.
fn failed_test(text: &str) -> Option<OpenFailure> {
    let (head, verdict) = text.split_once("***")?;
    let (_, name) = head.split_once(" Test ")?;
    let (_, name) = name.trim_start().strip_prefix('#')?.split_once(": ")?;
    // Dots fill the space between them, and some verdicts have words before: `...Subprocess
    // aborted***Exception`.
    let name = name.split(" ..").next().unwrap_or(name);
    let mut draft = FailureDraft::test(NAME, name);
    if verdict.starts_with("Timeout") {
        draft.add_line("timed out");
    }
    Some(OpenFailure::Test(draft))
}

/// The next test begins, or the run is over.
fn is_next_test(text: &str) -> bool {
    let trimmed = text.trim_start();
    trimmed.starts_with("Start ")
        || text.contains("% tests passed")
        || location::leading_number(trimmed)
            .is_some_and(|(_, rest)| rest.starts_with('/') && rest.contains(" Test "))
}

/// `2 - name (Failed)`, indented.
fn summary_name(text: &str) -> Option<&str> {
    let (_, rest) = location::leading_number(text.trim_start())?;
    let (name, _) = rest.strip_prefix(" - ")?.rsplit_once(" (")?;
    Some(name)
}

/// `link.c:(.text+0xa): undefined reference to …`; with debug information it is a row of the table.
fn linker_line(text: &str) -> Option<FailureDraft> {
    let at = LINKER_WORDS.iter().find_map(|words| text.find(words))?;
    let (before, message) = text.split_at_checked(at)?;
    let (path, section) = before.trim_end().trim_end_matches(':').rsplit_once(":(")?;
    // The linker's own name precedes the object: `/usr/bin/ld: link.o`.
    let path = path.rsplit(": ").next().unwrap_or(path);
    let mut draft = FailureDraft::new(NAME, FailureKind::Compile, message);
    if section.ends_with(')') && !path.is_empty() {
        draft.add_location(Location::file(path));
    }
    Some(draft)
}

/// `ld.lld: error: undefined symbol: other`.
fn lld_error(text: &str) -> Option<OpenFailure> {
    let (program, message) = text.split_once("lld: error: ")?;
    (!program.contains(' '))
        .then(|| OpenFailure::Lld(FailureDraft::new(NAME, FailureKind::Compile, message)))
}
