//! Reads the TypeScript compiler, plain and pretty.
//!
//! ```text
//! src/a.ts(1,2): error TS2304: Cannot find name 'x'.
//! src/a.ts:1:2 - error TS2304: Cannot find name 'x'.
//!
//! 1 let y = x;
//!           ~
//!
//! TS2304 [ERROR]: Cannot find name 'x'.
//! let y = x;
//!         ~
//!     at file:///src/a.ts:1:9
//! ```
//!
//! The last form is that of Deno.

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::location;
use papayu_base::domain::FailureKind;

use super::Parser;
use papayu_base::text::{Pattern, group};

/// "Cannot find module", with and without its types.
const IMPORT_CODES: &[&str] = &["TS2307", "TS7016", "TS2688", "TS2792"];

/// `a.ts(1,2): error TS1: …`, `a.ts:1:2 - error TS1: …` and, for a whole project, `error TS1: …`.
static HEADLINE: Pattern = Pattern::new(
    r"^(?:(?P<path>\S[^()]*?)(?:\((?P<line>\d+),(?P<column>\d+)\): |:(?P<line2>\d+):(?P<column2>\d+) - ))?error (?P<code>TS\d+): (?P<message>.*)$",
);

/// Deno's form.
static DENO_HEADLINE: Pattern =
    Pattern::new(r"^(?:error: )?(?P<code>TS\d+) \[ERROR\]: (?P<message>.*)$");

/// Deno's last line about errors of types.
const DENO_END: &str = "error: Type checking failed.";

/// Most lines between Deno's headline and its place.
const MAX_DENO_LINES: usize = 12;

/// State between lines.
#[derive(Default)]
pub(super) struct TypeScript {
    open: Option<FailureDraft>,
    /// The number of lines below a headline of Deno that may still have its place; `None` for the other forms.
    deno_lines: Option<usize>,
}

impl Parser for TypeScript {
    fn cues(&self) -> &'static [&'static str] {
        &["error TS", " [ERROR]: ", DENO_END]
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if text.contains("error TS")
            && let Some(draft) = parse_headline(text.trim_start())
        {
            self.finish(findings);
            self.open = Some(draft);
            return LineImportance::Fault;
        }
        if let Some(draft) = parse_deno_headline(text) {
            self.finish(findings);
            self.open = Some(draft);
            self.deno_lines = Some(MAX_DENO_LINES);
            return LineImportance::Fault;
        }
        if text == DENO_END {
            self.finish(findings);
            return LineImportance::Known;
        }
        if self.deno_lines.is_some() {
            return self.read_deno_line(text, findings);
        }
        let Some(open) = &mut self.open else { return LineImportance::None };
        if text.is_empty() {
            return LineImportance::Known;
        }
        if !text.starts_with("  ") {
            // The pretty form's source line follows with its number; everything else ends it.
            if let Some((_, source)) = location::leading_number(text)
                && source.starts_with(' ')
            {
                open.add_source(source);
                return LineImportance::Part;
            }
            self.finish(findings);
            return LineImportance::None;
        }
        let trimmed = text.trim();
        if let Some(at) = location::parse_location(trimmed) {
            open.add_location(at);
        // Marks and numbered source lines are not part of the message.
        } else if !trimmed.starts_with('~') && !trimmed.starts_with(|c: char| c.is_ascii_digit()) {
            open.add_line(text);
        }
        LineImportance::Part
    }

    fn finish(&mut self, findings: &mut LogFailures) {
        self.deno_lines = None;
        findings.close(&mut self.open);
    }
}

impl TypeScript {
    /// Reads a line below a headline of Deno, up to the line with its place.
    fn read_deno_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let Some((open, left)) = self.open.as_mut().zip(self.deno_lines.as_mut()) else {
            return LineImportance::None;
        };
        let trimmed = text.trim();
        if let Some(at) = trimmed.strip_prefix("at ").and_then(location::parse_location) {
            open.add_location(at);
            self.finish(findings);
            return LineImportance::Part;
        }
        *left = left.saturating_sub(1);
        if trimmed.is_empty() || *left == 0 {
            self.finish(findings);
            return LineImportance::None;
        }
        if !trimmed.starts_with(['~', '^']) {
            open.add_source(trimmed);
        }
        LineImportance::Part
    }
}

/// Returns the error of a headline of Deno.
fn parse_deno_headline(text: &str) -> Option<FailureDraft> {
    let found = DENO_HEADLINE.captures(text)?;
    let code = group(&found, "code")?;
    Some(FailureDraft::new("typescript", kind_of(code), group(&found, "message")?).with_code(code))
}

/// Returns the kind of a failure with this code.
fn kind_of(code: &str) -> FailureKind {
    if IMPORT_CODES.contains(&code) { FailureKind::Import } else { FailureKind::Compile }
}

/// Returns the error of a headline in any of the three forms.
fn parse_headline(text: &str) -> Option<FailureDraft> {
    let found = HEADLINE.captures(text)?;
    let code = group(&found, "code")?;
    let message = group(&found, "message")?;
    let mut draft = FailureDraft::new("typescript", kind_of(code), message).with_code(code);
    draft.add_locations(location::captured_location(&found));
    Some(draft)
}
