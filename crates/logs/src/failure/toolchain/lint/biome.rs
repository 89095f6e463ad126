//! Reads the reports of Biome.
//!
//! ```text
//! src/x.js:1:2 lint/style/noVar  FIXABLE  ━━━━━━━━━━
//!
//!   ✖ Use let or const instead of var.
//!
//!   > 1 │ var x = 1;
//!       │ ^^^^^^^^^^
//! ```

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::toolchain::Parser;
use crate::failure::{location, quoted};
use papayu_base::domain::{FailureKind, Location};

/// Begins the message of an error, with and without a terminal that has the sign.
const ERROR_MARKS: &[&str] = &["✖ ", "× "];
/// Begin what is no error, or only explains one.
const OTHER_MARKS: &[&str] = &["⚠ ", "! ", "ℹ ", "i "];

/// The messages for an unformatted file: alone, and in CI.
const UNFORMATTED: [&str; 2] = [
    "Formatter would have printed the following content:",
    "File content differs from formatting output",
];
/// The same as all formatters say it here.
const UNFORMATTED_SAID: &str = "not formatted as `biome format` would format it";

/// State between lines.
#[derive(Default)]
pub(in crate::failure::toolchain) struct Biome {
    open: Option<BiomeReport>,
}

/// One report, from its headline to the next.
struct BiomeReport {
    at: Location,
    category: String,
    draft: Option<FailureDraft>,
    /// Its first words have been read; what follows explains.
    is_complete: bool,
}

impl Parser for Biome {
    fn cues(&self) -> &'static [&'static str] {
        &["━━━━"]
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if text.ends_with("━━━━") {
            self.finish(findings);
            self.open = parse_headline(text);
            return if self.open.is_some() { LineImportance::Known } else { LineImportance::None };
        }
        let Some(open) = &mut self.open else { return LineImportance::None };
        if !text.is_empty() && !text.starts_with("  ") {
            self.finish(findings);
            return LineImportance::None;
        }
        let trimmed = text.trim();
        if let (Some(draft), Some(source)) = (&mut open.draft, quoted::strip_gutter(trimmed))
            && !source.contains('·')
        {
            // In its diffs spaces are dots.
            draft.add_source(source);
        }
        if open.is_complete {
            return if open.draft.is_some() { LineImportance::Part } else { LineImportance::Known };
        }
        if let Some(draft) = &mut open.draft {
            if trimmed.is_empty() {
                open.is_complete = true;
            } else {
                draft.add_line(trimmed);
            }
            return LineImportance::Part;
        }
        if let Some(message) = ERROR_MARKS.iter().find_map(|mark| trimmed.strip_prefix(mark)) {
            let kind =
                if open.category == "parse" { FailureKind::Compile } else { FailureKind::Lint };
            let mut draft = if UNFORMATTED.contains(&message) {
                FailureDraft::new("node", kind, UNFORMATTED_SAID)
            } else {
                FailureDraft::new("node", kind, message).with_code(open.category.as_str())
            };
            draft.add_location(open.at.clone());
            // The rest of the report of such a file is the formatted text.
            open.is_complete = UNFORMATTED.contains(&message);
            open.draft = Some(draft);
            return LineImportance::Fault;
        }
        open.is_complete = OTHER_MARKS.iter().any(|mark| trimmed.starts_with(mark));
        LineImportance::Known
    }

    fn finish(&mut self, findings: &mut LogFailures) {
        if let Some(draft) = self.open.take().and_then(|report| report.draft) {
            // A file that does not parse cannot be formatted either.
            // The parse error of the file is reported too.
            if !draft.failure.message.starts_with("Code formatting aborted") {
                findings.add(draft.finish());
            }
        }
    }
}

/// `src/x.js:1:2 lint/style/noVar  FIXABLE  ━━━━` or `src/x.js format ━━━━`.
fn parse_headline(text: &str) -> Option<BiomeReport> {
    let words = text.trim_end_matches('━').trim_end();
    let (path, category) = words.trim_end_matches("FIXABLE").trim_end().rsplit_once(' ')?;
    let is_category = category.split('/').all(|part| {
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    });
    let at = location::parse_location(path).unwrap_or_else(|| Location {
        path: path.to_owned(),
        line: None,
        column: None,
    });
    (is_category && at.path.contains('.') && !at.path.contains(' ')).then(|| BiomeReport {
        at,
        category: category.to_owned(),
        draft: None,
        is_complete: false,
    })
}
