//! Reads formatters that were only to check: which files they would change.

use std::sync::LazyLock;

use crate::domain::{FailureKind, Location};
use crate::failure::draft::Draft;
use crate::failure::excerpt::Claim;
use crate::failure::findings::Findings;
use crate::failure::toolchain::Parser;
use crate::text::Pattern;

/// One formatter's line about a file it would change.
struct Rule {
    toolchain: &'static str,
    tool: &'static str,
    /// In every line that it fits.
    cue: &'static str,
    /// Names `path` and perhaps `line`.
    pattern: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        toolchain: "rust",
        tool: "cargo fmt",
        cue: "Diff in ",
        // Before Rust 1.80 it was `at line 1:`.
        pattern: r"^Diff in (?P<path>\S.*?)(?::| at line )(?P<line>\d+):$",
    },
    Rule {
        toolchain: "go",
        tool: "gofmt",
        cue: ".orig ",
        pattern: r"^diff (?:-u )?\S+\.orig (?P<path>\S+\.go)$",
    },
    Rule {
        toolchain: "python",
        tool: "ruff format",
        cue: "Would reformat: ",
        pattern: r"^Would reformat: (?P<path>\S.*)$",
    },
    Rule {
        toolchain: "python",
        tool: "black",
        cue: "would reformat ",
        pattern: r"^would reformat (?P<path>\S.*\.(?:pyi?|ipynb))$",
    },
    Rule {
        toolchain: "node",
        tool: "prettier --write",
        cue: "[warn] ",
        pattern: r"^\[warn\] (?P<path>\S.*)$",
    },
];

/// What Prettier says after its list.
const PRETTIER_ENDS: &[&str] = &["Code style issues", "All matched files"];

static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| RULES.iter().map(|rule| Pattern::new(rule.pattern)).collect());

/// State between lines.
#[derive(Default)]
pub(in crate::failure::toolchain) struct Formatters {
    /// Prettier has begun its list; other tools warn in the same form.
    in_prettier: bool,
}

impl Parser for Formatters {
    fn cues(&self) -> &'static [&'static str] {
        const CUES: [&str; RULES.len() + 1] = {
            let mut cues = ["Checking formatting..."; RULES.len() + 1];
            let mut at = 0;
            while at < RULES.len() {
                cues[at] = RULES[at].cue;
                at += 1;
            }
            cues
        };
        &CUES
    }

    fn is_open(&self) -> bool {
        false
    }

    fn line(&mut self, text: &str, findings: &mut Findings) -> Claim {
        if text.ends_with("Checking formatting...") {
            self.in_prettier = true;
            return Claim::Known;
        }
        if let Some(said) = text.strip_prefix("[warn] ") {
            if !self.in_prettier {
                return Claim::None;
            }
            if PRETTIER_ENDS.iter().any(|end| said.starts_with(end)) {
                self.in_prettier = false;
                return Claim::Known;
            }
        }
        let mut rules = RULES.iter().zip(&*PATTERNS).filter(|(rule, _)| text.contains(rule.cue));
        let found = rules.find_map(|(rule, pattern)| {
            let found = pattern.captures(text)?;
            let at = Location {
                path: found.name("path")?.as_str().to_owned(),
                line: found.name("line").and_then(|line| line.as_str().parse().ok()),
                column: None,
            };
            Some((rule, at))
        });
        let Some((rule, at)) = found else { return Claim::None };
        let message = format!("not formatted as `{}` would format it", rule.tool);
        let mut draft = Draft::new(rule.toolchain, FailureKind::Lint, &message);
        draft.place(at);
        findings.add(draft.done());
        Claim::Fault
    }

    fn finish(&mut self, _findings: &mut Findings) {}
}
