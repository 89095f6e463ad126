//! Takes times off the start of lines, with the marks of streams and levels that follow them.
//!
//! ```text
//! [10:11:12] :     [Step 2/4] text                        TeamCity
//! 10:11:12  text                                          Jenkins
//! 2026-02-03T10:11:12.000000000Z stdout F text            Kubernetes
//! [   12s] text                                          Open Build Service, and seconds with a fraction
//! build\t03-Feb-2026 10:11:12\ttext                       Bamboo
//! [task 2026-02-03T10:11:12.000Z] 10:11:12  INFO -  text  Taskcluster
//! ```

/// The longest name of a stream before a date.
const MAX_COLUMN: usize = 12;
/// Most times at the start of one line.
const MAX_STAMPS: usize = 3;
/// The forms of dates; `d` is a digit, `M` a letter of the name of a month.
const DATES: &[&str] = &[
    "dddd-dd-dd", "dddd/dd/dd", "dd/dd/dddd", "dd.dd.dddd", "dd-dd-dddd", "dd/MMM/dddd",
    "dd-MMM-dddd", "MMM dd", "MMM  d",
];
/// The levels between a time and a dash.
const LEVELS: &[&str] =
    &["INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL", "DEBUG", "TRACE", "NOTICE"];

/// Takes stamps off the lines of one log.
#[derive(Debug)]
pub(in crate::failure) struct StampReader {
    /// The blanks that follow a clock without a date: two in Jenkins, else one.
    clock_gap: usize,
    /// The lines are those that `BuildKit` prints again when a step failed, which begin with its seconds.
    is_again: bool,
}

impl Default for StampReader {
    fn default() -> Self {
        Self { clock_gap: 2, is_again: false }
    }
}

impl StampReader {
    /// Returns a line without the times at its start.
    pub(in crate::failure) fn strip_stamps<'l>(&mut self, line: &'l str) -> &'l str {
        // A time with a zone is taken off when the line is cleaned.
        if line.starts_with(" > [") || line.starts_with("------") {
            self.is_again = line.starts_with(' ');
        }
        let line = after_step_seconds(line).filter(|_| self.is_again).unwrap_or(line);
        let mut rest = after_container(line).or_else(|| after_column(line)).unwrap_or(line);
        for _ in 0..MAX_STAMPS {
            let Some(stamp) = read_stamp(rest) else { break };
            // Only the dates of syslog have the name of a month first.
            let is_syslog = rest.starts_with(|c: char| c.is_ascii_uppercase());
            rest = self.after_gap(&stamp);
            if is_syslog {
                rest = after_process(rest).unwrap_or(rest);
            }
            rest = after_stream(rest).unwrap_or(rest);
            // Vercel: `10:11:12.000 | text`
            rest = rest
                .trim_start()
                .strip_prefix('|')
                .map_or(rest, |text| text.strip_prefix(' ').unwrap_or(text));
            rest = after_level(rest).unwrap_or(rest);
        }
        rest
    }

    /// Returns the text after a stamp and the blanks that belong to it.
    fn after_gap<'l>(&mut self, stamp: &LeadingTime<'l>) -> &'l str {
        let blanks = stamp.rest.len() - stamp.rest.trim_start_matches(' ').len();
        if stamp.is_bare_clock && blanks == 1 && stamp.rest.len() > 1 {
            self.clock_gap = 1;
        }
        let gap = if stamp.is_bare_clock { self.clock_gap } else { 1 };
        if let Some(rest) = stamp.rest.strip_prefix('\t') {
            return rest;
        }
        stamp.rest.get(gap.min(blanks)..).unwrap_or_default()
    }
}

/// Returns the text after `1.804 `.
fn after_step_seconds(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once(' ')?;
    let (whole, part) = number.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(whole) && is_number(part)).then_some(rest)
}

/// A time at the start of a line.
struct LeadingTime<'l> {
    /// The line after it.
    rest: &'l str,
    /// It is a clock without a date and without brackets.
    is_bare_clock: bool,
}

/// Reads a time at the start of a text.
fn read_stamp(text: &str) -> Option<LeadingTime<'_>> {
    let first = *text.as_bytes().first()?;
    // Most lines end here.
    if !(first.is_ascii_digit() || first.is_ascii_uppercase() || matches!(first, b'[' | b'(')) {
        return None;
    }
    let (close, inside) = match first {
        b'[' => (Some(']'), text.get(1..)?),
        b'(' => (Some(')'), text.get(1..)?),
        _ => (None, text),
    };
    if let Some(rest) = close.and_then(|close| after_seconds(inside)?.strip_prefix(close)) {
        let is_end = rest.is_empty() || rest.starts_with(' ');
        return is_end.then_some(LeadingTime { rest, is_bare_clock: false });
    }
    let inside =
        if close.is_some() { inside.strip_prefix("task ").unwrap_or(inside) } else { inside };
    let dated = after_date(inside);
    let rest = after_form(dated.unwrap_or(inside), "dd:dd:dd")?;
    let rest = after_zone(after_fraction(rest));
    let is_bare_clock = dated.is_none() && close.is_none();
    let rest = match close {
        Some(close) => rest.strip_prefix(close)?,
        None => rest,
    };
    let rest = rest.strip_prefix(':').filter(|after| after.starts_with(' ')).unwrap_or(rest);
    let is_end = rest.is_empty() || close.is_some() || rest.starts_with([' ', '\t', '|']);
    is_end.then_some(LeadingTime { rest, is_bare_clock })
}

/// Returns the text after seconds since a start: `   12s`, `0.512s`, `    1.204112`.
fn after_seconds(text: &str) -> Option<&str> {
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let text = text.trim_start_matches(' ');
    let whole = text.get(digits(text)..).filter(|rest| rest.len() < text.len())?;
    let (rest, is_exact) = match whole.strip_prefix('.') {
        Some(fraction) => (fraction.get(digits(fraction)..)?, digits(fraction) >= 6),
        None => (whole, false),
    };
    rest.strip_prefix('s').or_else(|| is_exact.then_some(rest))
}

/// Returns the text after the name of a stream and a tab, where a date follows.
fn after_column(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once('\t')?;
    let is_name = name.len() <= MAX_COLUMN && name.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_name && after_date(rest).is_some()).then_some(rest)
}

/// Returns the text after a date and what separates it from the time.
fn after_date(text: &str) -> Option<&str> {
    let rest = DATES.iter().find_map(|form| after_form(text, form))?;
    [" - ", "T", " ", "_", ":"].iter().find_map(|between| rest.strip_prefix(between))
}

/// Returns the text after a form of digits and letters.
fn after_form<'t>(text: &'t str, form: &str) -> Option<&'t str> {
    let head = text.as_bytes().get(..form.len())?;
    let fits = form.bytes().zip(head).all(|(form, byte)| match form {
        b'd' => byte.is_ascii_digit(),
        b'M' => byte.is_ascii_alphabetic(),
        other => other == *byte,
    });
    if fits { text.get(form.len()..) } else { None }
}

/// Returns the text after the fraction of a second, if there is one.
fn after_fraction(text: &str) -> &str {
    let digits = text.strip_prefix(['.', ',']);
    let rest = digits.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.filter(|rest| rest.len() + 1 < text.len()).unwrap_or(text)
}

/// Returns the text after a time zone, if there is one.
fn after_zone(text: &str) -> &str {
    let named = ["Z", " UTC", " GMT"].iter().find_map(|zone| text.strip_prefix(zone));
    let offset = || {
        let digits = text.strip_prefix(" +").or_else(|| text.strip_prefix(['+', '-']))?;
        after_form(digits, "dd:dd").or_else(|| after_form(digits, "dddd"))
    };
    named.or_else(offset).unwrap_or(text)
}

/// Returns the text after the mark of a stream: that of a container, or that of `TeamCity` with its level.
fn after_stream(text: &str) -> Option<&str> {
    if let Some(rest) = after_container(text) {
        return Some(rest);
    }
    let rest = text.strip_prefix(|c: char| c == ' ' || c.is_ascii_alphabetic()).unwrap_or(text);
    rest.strip_prefix(":\t").map(|rest| rest.strip_prefix(' ').unwrap_or(rest))
}

/// Returns the text after the host and the process of syslog: `builder7 ci[812]: `.
fn after_process(text: &str) -> Option<&str> {
    let (head, rest) = text.split_once("]:")?;
    let (host, process) = head.split_once(' ')?;
    let (name, id) = process.split_once('[')?;
    let are_names =
        [host, name].iter().all(|name| !name.is_empty() && !name.contains([' ', ':', '[', '(']));
    let is_id = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
    (are_names && is_id).then(|| rest.strip_prefix(' ').unwrap_or(rest))
}

/// Returns the text after the mark of a container's stream.
fn after_container(text: &str) -> Option<&str> {
    let marks = ["stdout F", "stderr F", "stdout P", "stderr P"];
    let rest = marks.iter().find_map(|mark| text.strip_prefix(mark))?;
    rest.strip_prefix(' ').or_else(|| rest.is_empty().then_some(rest))
}

/// Returns the text of a line that a container engine wrote as JSON: `{"log":"text\n","stream":"stdout","time":…}`.
pub(in crate::failure) fn read_container_line(line: &str) -> Option<String> {
    if !line.starts_with("{\"log\":\"") {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    value.get("time")?;
    Some(value.get("log")?.as_str()?.trim_end_matches('\n').to_owned())
}

/// Returns the text after a level and a dash.
fn after_level(text: &str) -> Option<&str> {
    let trimmed = text.trim_start().trim_start_matches("- ");
    let rest = LEVELS.iter().find_map(|level| trimmed.strip_prefix(level))?;
    let rest = rest.trim_start_matches(' ').strip_prefix('-')?;
    // The dash is followed by one or two blanks.
    let rest = rest.strip_prefix(' ').or_else(|| rest.is_empty().then_some(rest))?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_any_usual_form_are_taken_off() {
        for (line, text) in [
            ("2026-02-03 10:11:12,345 text", "text"),
            ("2026-02-03T10:11:12.1+01:00   text", "  text"),
            ("2026/02/03 10:11:12 text", "text"),
            ("[2026-02-03 10:11:12] text", "text"),
            ("[2026-02-03T10:11:12.5Z] text", "text"),
            ("Feb  3 10:11:12 text", "text"),
            ("Feb  3 10:11:12 host ci[8]:   text", "  text"),
            ("Feb  3 10:11:12 host ci[8]:", ""),
            ("Feb  3 10:11:12 a[0] is b[1]: text", "a[0] is b[1]: text"),
            ("[10:11:12] :\t [Step 2/4] text", "[Step 2/4] text"),
            ("[10:11:12]E:\t [Step 2/4]   text", "[Step 2/4]   text"),
            ("[10:11:12]W:\t text", "text"),
            ("10:11:12  text", "text"),
            ("10:11:12      text", "    text"),
            ("10:11:12", ""),
            ("2026-02-03T10:11:12.000000000Z stdout F   text", "  text"),
            ("2026-02-03T10:11:12.0Z stderr F", ""),
            ("[task 2026-02-03T10:11:12.0Z] 10:11:12     INFO -    text", "  text"),
            ("2026-02-03 10:11:12 - ERROR - text", "text"),
            ("[   12s]   text", "  text"),
            ("[0.512s] text", "text"),
            ("[    1.204112] text", "text"),
            ("[12] text", "[12] text"),
            ("[1.5] text", "[1.5] text"),
            ("build\t03-Feb-2026 10:11:12\t  text", "  text"),
            ("build\ttext", "build\ttext"),
            ("00:02 +3 -1: counts [E]", "00:02 +3 -1: counts [E]"),
            ("2026-02-03 is a day", "2026-02-03 is a day"),
            ("10:11:12.rs", "10:11:12.rs"),
            ("[10:11] text", "[10:11] text"),
            ("Makefile:3: x", "Makefile:3: x"),
        ] {
            assert_eq!(StampReader::default().strip_stamps(line), text, "{line}");
        }
    }

    #[test]
    fn one_blank_after_a_clock_is_learned() {
        let mut reader = StampReader::default();
        assert_eq!(reader.strip_stamps("10:11:12 text"), "text");
        assert_eq!(reader.strip_stamps("10:11:12   text"), "  text");
    }
}
