//! Finds the likely failure in the output of tools that no row and no parser knows, by the form of its lines.
//!
//! A place with a text, or a level of an error with a text, is a failure only if the log ends like that of a failed
//! command and nothing else is known.

use crate::failure::draft::FailureDraft;
use crate::failure::location;
use papayu_base::domain::{Failure, FailureKind};
use papayu_base::text::{Pattern, group};

/// Most failures that are found by their form.
const MAX_FOUND: usize = 20;
/// Lines at the end of a log that are searched for the words of a failure.
const END_LINES: usize = 60;

/// A place at the start of a line, and a text.
const PLACED: &str = r#"^\s{0,4}(?P<path>(?:[A-Za-z]:[\\/])?[^\s:()\[\]"'=<>|,;]*?(?:[^\s:()\[\]"'=<>|,;.]\.[A-Za-z]\w{0,9}|Dockerfile|Makefile|Rakefile|Gemfile|Jenkinsfile|Vagrantfile|Justfile|BUILD))(?::(?P<line>\d{1,6})(?:[:.](?P<column>\d{1,5})(?:-\d+)?)?|\((?P<line2>\d{1,6})(?:[,:] ?(?P<column2>\d{1,5}))?\)):?\s+(?:[-•|]\s+)?(?P<message>\S.*)$"#;

/// Texts after a place that are no errors: milder severities, calls of a stack.
const MILD: &str = r"^(?i:\[?(?:warning|warn|info|information|note|hint|debug|notice|remark|trace|ok|passed|success)\b|in [`'‘]?[a-z_<]|at [a-z]|[\d.]+ ?%|W\d|I\d)";

/// Endings of the names of hosts.
const HOSTS: &[&str] =
    &["com", "org", "net", "io", "dev", "local", "internal", "svc", "arpa", "de", "cloud"];

/// A level of an error in the middle or at the start of a line, and a text.
const LEVELLED: &str = r#"(?x)
    \blevel=(?:error|fatal|panic|crit(?:ical)?)\b.*?\bmsg=(?:"(?P<message>(?:[^"\\]|\\.)+)"|(?P<message2>\S+))
  | "(?:level|severity|lvl)"\s*:\s*"(?i:error|fatal|panic|critical)".*?"(?:msg|message|error)"\s*:\s*"(?P<message3>(?:[^"\\]|\\.)+)"
  | ^.{0,80}?(?:^|[\s\[|(])(?:ERROR|FATAL|CRITICAL|SEVERE)(?:\]|\)|:|\s-|\s\||\s\[)+\s*(?P<message4>\S.*)$
  | ^\s*(?:\[(?:error|ERR|E|fatal)\]|E:|ERR!|✖|✘|❌|‼|Failed:|FAILED:)\s+(?P<message5>\S.*)$"#;

/// Words of a failure at the end of a log; the level of a message is none, because programs that go on
/// print it too.
const FAILED_END: &str = r"(?i)\bfail(?:ed|ure|ures|s)?\b|(?:^|[\s(])[1-9]\d* (?:\w+ ){0,2}(?:errors?|problems?|issues?|violations?|offenses?|findings?|diagnostics?)\b|exit(?:ed)?(?: with)?(?: code| status| value):? [1-9]|\baborted\b";
/// Words of a success at the end of a log.
const GOOD_END: &str = r"(?i)^(?:job succeeded|finished: success|build success(?:ful)?\b|\[info\] build success)|\b(?:0|no) (?:\w+ )?(?:failures?|failed|errors?|problems?|issues?|violations?|offenses?|findings?)\b";

/// Beginnings of lines of [`LEVELLED`] that have no word of the generic reader.
const STARTS: &[&str] = &["E:", "✖", "✘", "❌", "‼", "Failed:", "FAILED:"];

static PLACED_LINE: Pattern = Pattern::new(PLACED);
static MILD_TEXT: Pattern = Pattern::new(MILD);
static LEVELLED_LINE: Pattern = Pattern::new(LEVELLED);
static FAILED_LINE: Pattern = Pattern::new(FAILED_END);
static GOOD_LINE: Pattern = Pattern::new(GOOD_END);

/// The result of reading the form of lines.
#[derive(Debug, Default)]
pub(super) struct LineShapes {
    found: Vec<Failure>,
}

impl LineShapes {
    /// Reads a line that no reader knows and returns whether it may be a failure; `has_error` is `true` if it has a word
    /// of the generic reader.
    pub(super) fn read_line(&mut self, text: &str, has_error: bool) -> bool {
        // The patterns cost more than the other readers, and more failures would not be shown.
        if self.found.len() == MAX_FOUND {
            return false;
        }
        let draft = read_placed(text).or_else(|| read_levelled(text, has_error));
        let Some(draft) = draft else { return false };
        let failure = draft.finish();
        if !self.found.contains(&failure) {
            self.found.push(failure);
        }
        true
    }

    /// Returns the failures if a log with this end is that of a failed command; `is_failed` is `true` if a CI system reports
    /// so.
    pub(super) fn finish(self, end: &str, is_failed: bool) -> Vec<Failure> {
        let says_failed = |line: &str| FAILED_LINE.is_match(line) && !GOOD_LINE.is_match(line);
        let is_failed = is_failed || end.lines().rev().take(END_LINES).any(says_failed);
        if is_failed { self.found } else { Vec::new() }
    }
}

/// Reads a place with a text.
fn read_placed(text: &str) -> Option<FailureDraft> {
    // Most lines have no number after a colon or a bracket.
    let is_place = |at: usize| text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit);
    if !memchr::memchr2_iter(b':', b'(', text.as_bytes()).take(8).any(is_place) {
        return None;
    }
    let found = PLACED_LINE.captures(text)?;
    let (path, message) = (group(&found, "path")?, group(&found, "message")?);
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_host = HOSTS.contains(&ending) || path.contains("//");
    let has_words = message.split_whitespace().filter(|word| word.len() > 1).count() > 1;
    if is_host || !has_words || MILD_TEXT.is_match(message) {
        return None;
    }
    let mut draft = FailureDraft::new("generic", FailureKind::Unknown, message);
    draft.add_locations(location::captured_location(&found));
    (!draft.failure.locations.is_empty()).then_some(draft)
}

/// Reads a level of an error with a text.
fn read_levelled(text: &str, has_error: bool) -> Option<FailureDraft> {
    if !has_error && !STARTS.iter().any(|start| text.trim_start().starts_with(start)) {
        return None;
    }
    let found = LEVELLED_LINE.captures(text)?;
    let names = ["message", "message2", "message3", "message4", "message5"];
    let message = names.iter().find_map(|name| group(&found, name))?;
    let mut draft = FailureDraft::new("generic", FailureKind::Unknown, message);
    location::find_locations(message, |at| draft.add_location(at));
    Some(draft)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(log: &str) -> Vec<(String, Option<u32>)> {
        let mut structure = LineShapes::default();
        for line in log.lines() {
            structure.read_line(line, line.contains("rror") || line.contains("ERR"));
        }
        let found = structure.finish(log, false);
        found
            .into_iter()
            .map(|it| (it.message, it.locations.first().and_then(|at| at.line)))
            .collect()
    }

    #[test]
    fn lines_with_a_place_or_a_level_are_failures_of_a_log_that_failed() {
        for (line, message, number) in [
            ("src/a.qq:3:4: no such thing", "no such thing", Some(3)),
            ("  src/a.qq(3,4): no such thing", "no such thing", Some(3)),
            ("Dockerfile:3 no such thing", "no such thing", Some(3)),
            ("time=x level=error msg=\"no such thing\"", "no such thing", None),
            (r#"{"level":"error","msg":"no such thing"}"#, "no such thing", None),
            ("app.main ERROR: no such thing", "no such thing", None),
            ("✖ no such thing", "no such thing", None),
        ] {
            let log = format!("{line}\n1 problem\n");
            assert_eq!(read(&log), [(message.to_owned(), number)], "{line}");
        }
    }

    #[test]
    fn milder_lines_and_logs_that_did_not_fail_have_none() {
        for log in [
            "src/a.qq:3:4: no such thing\n0 problems\n",
            "src/a.qq:3:4: warning: no such thing\n1 problem\n",
            "example.com:443 is not there\nfailed\n",
            "10:30:12 no such thing\nfailed\n",
            "a.rb:3:in `f' no such\nfailed\n",
            "app ERROR: no such thing\nlistening\n",
            "10:11:12,345 ERROR app: no such thing\nlistening\n",
        ] {
            assert_eq!(read(log), [], "{log}");
        }
    }
}
