//! Splits lines of a log to which several jobs or packages print into the name of the job and the text.
//!
//! Each job gets its own parsers, because interleaved lines of two failures would be read as one.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use papayu_base::text::Pattern;

/// Most bytes of a prefix that names a job or package.
const MAX_PREFIX: usize = 120;

/// The prefixes of runners: a cue in every line with the prefix, and its pattern. The first group
/// is the name of the job.
const FORMS: &[(&str, &str)] = &[
    // act: `[CI/test]   | text`
    ("/", r"^\[([A-Za-z][^\]/]*/[^\]/]+)\] +(?:\| ?)?"),
    // docker compose: `web-1  | text`
    (" | ", r"^([A-Za-z][\w.]*[-_]\d{1,3}) +\| ?"),
    // Woodpecker: `[test:L12:3s] text`
    (":L", r"^\[([^\]]+):L\d+:\d+s\] ?"),
    // Tekton: `[task : step] text`
    (" : ", r"^\[([\w.-]+ : [\w.-]+)\] ?"),
    // Drone: `[test:12] text`
    (":", r"^\[([A-Za-z][\w-]*):\d+\] "),
    // BuildKit: `#12 3.456 text`
    ("#", r"^#(\d+) \d+\.\d+ "),
    // Dagger: `12 : [0.5s] | text`
    (" : ", r"^(\d+) +: +\[[\d.]+m?s\] \| ?"),
    // turbo: `web:test: text`
    (
        ": ",
        r"^((?:@[\w.-]+/)?[\w.-]+:(?:test|build|lint|typecheck|type-check|check)(?::[\w-]+)*): ",
    ),
    // pnpm -r: `packages/a test: text`
    (": ", r"^([\w@./-]+ (?:test|build|lint|typecheck|type-check|check)(?::[\w-]+)*): "),
];

/// The last place in a raw line at which a mark can begin.
const MAX_MARK_START: usize = 160;

/// Words before the name of a script that are no packages: `run test: error: …` is a line of Zig.
const COMMANDS: &[&str] = &["run ", "zig ", "cargo ", "go ", "npm "];

/// The compiled form of [`FORMS`].
static PATTERNS: LazyLock<Vec<(Finder<'static>, Pattern)>> = LazyLock::new(|| {
    FORMS.iter().map(|(cue, form)| (Finder::new(*cue), Pattern::new(form))).collect()
});

/// Returns the columns of job and step of a raw line of `gh run view --log`; `None` for any
/// other line. The cleaning of lines removes them.
pub(super) fn find_columns(raw: &str) -> Option<&str> {
    let head = raw.as_bytes().get(..MAX_PREFIX.min(raw.len()))?;
    let job = memchr::memchr(b'\t', head)?;
    let step = memchr::memchr(b'\t', head.get(job + 1..)?)?;
    // The third column begins with a date, `2026-08-07T…`, which distinguishes the columns from any
    // line with two tabs.
    let is_dated = |rest: &str| {
        let rest = rest.strip_prefix('\u{feff}').unwrap_or(rest).as_bytes();
        rest.get(..5)
            .is_some_and(|year| year.ends_with(b"-") && year.iter().take(4).all(u8::is_ascii_digit))
    };
    let (lane, rest) = raw.split_at_checked(job + 1 + step)?;
    rest.strip_prefix('\t').filter(|rest| is_dated(rest)).map(|_| lane)
}

/// Finds the start of all marks.
static MARK_START: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("##["));

/// Returns the mark that GitHub or Azure puts before the text of a raw line; empty without one.
pub(super) fn find_mark(raw: &str) -> &'static str {
    let head = raw.as_bytes().get(..MAX_MARK_START + 2).unwrap_or(raw.as_bytes());
    let Some(at) = MARK_START.find(head) else { return "" };
    // Only times and columns precede a mark.
    let is_first =
        at < MAX_MARK_START && !raw.get(..at).unwrap_or_default().ends_with(['"', '\'', '`']);
    let marks = ["##[error]", "##[warning]", "##[group]", "##[section]"];
    let rest = raw.get(at..).filter(|_| is_first).unwrap_or_default();
    marks.into_iter().find(|mark| rest.starts_with(mark)).unwrap_or_default()
}

/// Splits a cleaned line into the name of its job and the text. The name is empty for a line
/// without a prefix.
pub(super) fn split_line(line: &str) -> (&str, &str) {
    let head = line.as_bytes().get(..MAX_PREFIX.min(line.len())).unwrap_or_default();
    // Most lines have no prefix; this test costs less than a pattern.
    let may_be = memchr::memchr2(b'|', b':', head).is_some()
        || head.starts_with(b"[")
        || head.starts_with(b"#");
    if !may_be {
        return ("", line);
    }
    let found = PATTERNS.iter().filter(|(cue, _)| cue.find(head).is_some());
    for (_, form) in found {
        // Nearly no line fits, and a search without groups allocates nothing.
        if form.is_match(line)
            && let Some(found) = form.captures(line)
            && let (Some(mark), Some(lane)) = (found.get(0), found.get(1))
            // A colon far to the right is part of the text.
            && mark.end() <= MAX_PREFIX
            && !ends_with_number(lane.as_str())
            && !COMMANDS.iter().any(|command| lane.as_str().starts_with(command))
        {
            return (lane.as_str(), line.get(mark.end()..).unwrap_or_default());
        }
    }
    ("", line)
}

/// Returns `true` for `src/a.proto:12:5`, which is the place of a message.
fn ends_with_number(lane: &str) -> bool {
    lane.rsplit_once(':').is_some_and(|(_, end)| end.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_names_the_lane_and_is_taken_off() {
        for (line, lane, text) in [
            ("[CI/test]   | not ok", "CI/test", "not ok"),
            ("[CI/test (18)] ❌  Failure", "CI/test (18)", "❌  Failure"),
            ("web-1  | error: x", "web-1", "error: x"),
            ("@a/web:test: FAIL x.test.ts", "@a/web:test", "FAIL x.test.ts"),
            ("packages/a test: FAIL x.test.ts", "packages/a test", "FAIL x.test.ts"),
            ("#12 3.456   --> src/a.rs:1:2", "12", "  --> src/a.rs:1:2"),
            ("14 : [0.1s] |   text", "14", "  text"),
            ("#1 0x55e in main a.c:3", "", "#1 0x55e in main a.c:3"),
            ("[ERROR] /a/X.java:[3,5] no", "", "[ERROR] /a/X.java:[3,5] no"),
            ("12 | let x: u8", "", "12 | let x: u8"),
            ("src/a.c:1:2: error: x", "", "src/a.c:1:2: error: x"),
            ("error: test failed", "", "error: test failed"),
            ("run test: error: x", "", "run test: error: x"),
            ("[test:L12:3s]   text", "test", "  text"),
            ("[build : run-tests] + make", "build : run-tests", "+ make"),
        ] {
            assert_eq!(split_line(line), (lane, text), "{line}");
        }
    }

    #[test]
    fn github_columns_are_a_lane_only_before_a_time() {
        assert_eq!(find_columns("a b\tRun x\t2026-01-01T00:00:00Z text"), Some("a b\tRun x"));
        assert_eq!(find_columns("a b\tRun x\t\u{feff}2026-01-01T00:00:00Z"), Some("a b\tRun x"));
        assert_eq!(find_columns("a\tb\tc"), None);
        assert_eq!(find_columns(&"ß\t".repeat(200)), None);
    }
}
