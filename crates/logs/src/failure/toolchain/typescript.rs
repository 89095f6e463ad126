//! Reads the TypeScript compiler, plain and pretty.
//!
//! ```text
//! src/a.ts(1,2): error TS2304: Cannot find name 'x'.
//! src/a.ts:1:2 - error TS2304: Cannot find name 'x'.
//!
//! 1 let y = x;
//!           ~
//! ```

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

/// State between lines.
#[derive(Default)]
pub(super) struct TypeScript {
    open: Option<FailureDraft>,
}

impl Parser for TypeScript {
    fn cues(&self) -> &'static [&'static str] {
        &["error TS"]
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
        findings.close(&mut self.open);
    }
}

/// Returns the error of a headline in any of the three forms.
fn parse_headline(text: &str) -> Option<FailureDraft> {
    let found = HEADLINE.captures(text)?;
    let code = group(&found, "code")?;
    let kind =
        if IMPORT_CODES.contains(&code) { FailureKind::Import } else { FailureKind::Compile };
    let mut draft =
        FailureDraft::new("typescript", kind, group(&found, "message")?).with_code(code);
    draft.add_locations(location::captured_location(&found));
    Some(draft)
}
