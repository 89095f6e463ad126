//! Reads formatters in check mode: the files that they would change.
//!
//! ```text
//! Diff in /src/lib.rs:3:
//! would reformat src/x.py
//! [warn] src/x.js
//! ```

use std::sync::LazyLock;

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::location;
use crate::failure::toolchain::Parser;
use papayu_base::domain::FailureKind;
use papayu_base::text::Pattern;

/// One formatter's line about a file it would change.
struct FormatterLine {
    toolchain: &'static str,
    tool: &'static str,
    /// In every line that it fits.
    cue: &'static str,
    /// Names `path` and perhaps `line`.
    pattern: &'static str,
}

const LINES: &[FormatterLine] = &[
    FormatterLine {
        toolchain: "rust",
        tool: "cargo fmt",
        cue: "Diff in ",
        // Before Rust 1.80 it was `at line 1:`.
        pattern: r"^Diff in (?P<path>\S.*?)(?::| at line )(?P<line>\d+):$",
    },
    FormatterLine {
        toolchain: "go",
        tool: "gofmt",
        cue: ".orig ",
        pattern: r"^diff (?:-u )?\S+\.orig (?P<path>\S+\.go)$",
    },
    FormatterLine {
        toolchain: "python",
        tool: "ruff format",
        cue: "Would reformat: ",
        pattern: r"^Would reformat: (?P<path>\S.*)$",
    },
    FormatterLine {
        toolchain: "python",
        tool: "black",
        cue: "would reformat ",
        pattern: r"^would reformat (?P<path>\S.*\.(?:pyi?|ipynb))$",
    },
    FormatterLine {
        toolchain: "node",
        tool: "prettier --write",
        cue: "[warn] ",
        pattern: r"^\[warn\] (?P<path>\S.*)$",
    },
    FormatterLine {
        toolchain: "node",
        tool: "deno fmt",
        cue: "from /",
        pattern: r"^from (?P<path>/\S.*\.(?:[cm]?[jt]sx?|jsonc?|md|css|html|ya?ml)):$",
    },
];

/// The lines after Prettier's list.
const PRETTIER_ENDS: &[&str] = &["Code style issues", "All matched files"];

static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| LINES.iter().map(|rule| Pattern::new(rule.pattern)).collect());

/// State between lines.
#[derive(Default)]
pub(in crate::failure::toolchain) struct Formatters {
    /// Prettier has begun its list; other tools warn in the same form.
    in_prettier: bool,
}

impl Parser for Formatters {
    fn cues(&self) -> &'static [&'static str] {
        const CUES: [&str; LINES.len() + 1] = {
            let mut cues = ["Checking formatting..."; LINES.len() + 1];
            let mut at = 0;
            while at < LINES.len() {
                cues[at] = LINES[at].cue;
                at += 1;
            }
            cues
        };
        &CUES
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if text.ends_with("Checking formatting...") {
            self.in_prettier = true;
            return LineImportance::Known;
        }
        if let Some(warning) = text.strip_prefix("[warn] ") {
            // Other tools print `[warn]` lines too.
            if !self.in_prettier {
                return LineImportance::None;
            }
            if PRETTIER_ENDS.iter().any(|end| warning.starts_with(end)) {
                self.in_prettier = false;
                return LineImportance::Known;
            }
        }
        let mut rules = LINES.iter().zip(&*PATTERNS).filter(|(rule, _)| text.contains(rule.cue));
        let found = rules.find_map(|(rule, pattern)| {
            Some((rule, location::captured_location(&pattern.captures(text)?)?))
        });
        let Some((rule, at)) = found else { return LineImportance::None };
        let message = format!("not formatted as `{}` would format it", rule.tool);
        let mut draft = FailureDraft::new(rule.toolchain, FailureKind::Lint, &message);
        draft.add_location(at);
        findings.add(draft.finish());
        LineImportance::Fault
    }
}
