//! Reads what no other parser claims: `path:line` anywhere, and lines that say "error".

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use crate::domain::{FailureKind, Location};
use crate::failure::draft::Draft;
use crate::failure::excerpt::Claim;
use crate::failure::findings::Findings;
use crate::failure::place;

use super::rust;

const NAME: &str = "generic";

/// Parts of words that say that something failed.
pub(in crate::failure) const CUES: &[&str] = &["rror", "ERR", "atal", "FATAL"];

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
    "A complete log of this run can be found",
    "Job failed",
    "make: ***",
    "Error: Process completed",
    "script returned exit code",
    "exit status",
];

struct Rule {
    pattern: &'static str,
    kind: FailureKind,
}

/// In order; the first that fits a line reads it.
const RULES: &[Rule] = &[
    // gcc, clang, mypy, swiftc, …: `x.c:1:2: error: message [code]`
    Rule {
        pattern: r"^(?P<path>[^\s:][^:]*\.\w+):(?P<line>\d+)(?::(?P<column>\d+))?:? (?:fatal )?error:? (?P<message>.+?)(?:  ?\[(?P<code>[\w-]+)\])?$",
        kind: FailureKind::Compile,
    },
    // ruff, flake8, pylint: `x.py:1:2: F821 message`
    Rule {
        pattern: r"^(?P<path>[^\s:][^:]*\.\w+):(?P<line>\d+)(?::(?P<column>\d+))?:? (?P<code>[A-Z]{1,4}\d{2,5}):? (?P<message>.+)$",
        kind: FailureKind::Lint,
    },
    Rule {
        pattern: r"^\s*(?:\[?(?:fatal |FATAL )?(?:error|Error|ERROR|FATAL|fatal)\]?(?:\[\w+\])?[:!]?|npm ERR!|npm error)\s+(?P<message>\S.*)$",
        kind: FailureKind::Unknown,
    },
];

static PATTERNS: LazyLock<Vec<Option<Regex>>> =
    LazyLock::new(|| RULES.iter().map(|rule| Regex::new(rule.pattern).ok()).collect());

static QUIET: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::new(WARNINGS.iter().chain(CONSEQUENCES).chain(rust::CONSEQUENCES)).ok()
});

/// Reads one cleaned line that no other parser claims; `has_error` tells whether it has one of the cues.
pub(in crate::failure) fn line(text: &str, has_error: bool, findings: &mut Findings) -> Claim {
    let has_place = place::is_in(text);
    if !has_place && !has_error {
        return Claim::None;
    }
    if QUIET.as_ref().is_some_and(|quiet| quiet.is_match(text)) {
        return Claim::Known;
    }
    let starts_with_place = has_place && place::begins(text);
    let rules = RULES.iter().zip(&*PATTERNS).filter(|(rule, _)| match rule.kind {
        FailureKind::Unknown => has_error && findings.wants_unknown(),
        _ => starts_with_place,
    });
    for (rule, pattern) in rules {
        if let Some(draft) = pattern.as_ref().and_then(|pattern| read(text, rule, pattern)) {
            findings.add(draft.done());
            return if rule.kind == FailureKind::Unknown { Claim::Vague } else { Claim::Fault };
        }
    }
    if has_place && findings.wants_mentions() {
        place::scan(text, |at| findings.mention(at));
    }
    Claim::None
}

fn read(text: &str, rule: &Rule, pattern: &Regex) -> Option<Draft> {
    let found = pattern.captures(text)?;
    let get = |name| found.name(name).map(|part| part.as_str());
    let mut draft = Draft::new(NAME, rule.kind, get("message")?);
    if let Some(code) = get("code") {
        draft = draft.with_code(code);
    }
    match get("path") {
        Some(path) => draft.place(Location {
            path: path.to_owned(),
            line: get("line").and_then(|n| n.parse().ok()),
            column: get("column").and_then(|n| n.parse().ok()),
        }),
        None => place::scan(text, |at| draft.place(at)),
    }
    Some(draft)
}
