//! Reads PHPUnit.
//!
//! Only the sections of failures and errors count; those of skipped and risky tests have the same form:
//!
//! ```text
//! There was 1 failure:
//!
//! 1) CalcTest::testAdds
//! Failed asserting that 4 matches expected 3.
//!
//! /src/tests/CalcTest.php:12
//! ```

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::location;

use super::Parser;

const NAME: &str = "php";

/// State between lines.
#[derive(Default)]
pub(super) struct Php {
    section: PhpunitSection,
    open: Option<FailureDraft>,
}

/// The section that is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum PhpunitSection {
    #[default]
    None,
    /// Failures or errors.
    Failed,
    /// Skipped, incomplete and risky tests.
    Other,
}

impl Parser for Php {
    fn cues(&self) -> &'static [&'static str] {
        &["There was 1 ", "There were "]
    }

    fn is_open(&self) -> bool {
        self.section != PhpunitSection::None
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if let Some(section) = parse_section(text) {
            self.finish(findings);
            self.section = section;
            return LineImportance::Known;
        }
        if matches!(text, "--" | "ERRORS!" | "FAILURES!") || text.starts_with("Tests: ") {
            self.finish(findings);
            return LineImportance::Known;
        }
        // Skipped and risky tests are not failures.
        if self.section != PhpunitSection::Failed {
            return LineImportance::None;
        }
        if let Some(name) = parse_title(text) {
            self.finish(findings);
            self.section = PhpunitSection::Failed;
            self.open = Some(FailureDraft::test(NAME, name));
            return LineImportance::Fault;
        }
        let Some(draft) = &mut self.open else { return LineImportance::None };
        match location::parse_location(text).filter(|at| location::has_extension(&at.path, "php")) {
            Some(at) => draft.add_location(at),
            None => draft.add_line(text),
        }
        LineImportance::Part
    }

    fn finish(&mut self, findings: &mut LogFailures) {
        findings.close(&mut self.open);
        self.section = PhpunitSection::None;
    }
}

/// `There were 2 failures:`
fn parse_section(text: &str) -> Option<PhpunitSection> {
    let rest = text.strip_prefix("There was ").or_else(|| text.strip_prefix("There were "))?;
    let (_, what) = location::leading_number(rest)?;
    let what = what.strip_suffix(':')?;
    let failed = [" failure", " failures", " error", " errors"].contains(&what);
    Some(if failed { PhpunitSection::Failed } else { PhpunitSection::Other })
}

/// `1) CalcTest::testAdds with data set "one" (1, 2)`
fn parse_title(text: &str) -> Option<&str> {
    let (_, rest) = location::leading_number(text)?;
    rest.strip_prefix(") ").filter(|name| name.contains("::"))
}
