//! Words and numbers as every command prints them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use papayu_base::domain::Outcome;

/// Returns a duration in seconds or minutes.
pub(super) fn format_duration(ms: u64) -> String {
    if ms < 60_000 {
        format!("{}.{} s", ms / 1000, ms % 1000 / 100)
    } else {
        format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000)
    }
}

/// Returns the cost in dollars, the tokens where the price is not known, `-` where nothing was asked.
pub(super) fn format_cost(outcome: &Outcome) -> String {
    match outcome.cost_usd {
        Some(cost) if cost > 0.0 && cost < 0.005 => "<$0.01".to_owned(),
        Some(cost) => format!("${cost:.2}"),
        None if outcome.requests == 0 => "-".to_owned(),
        // A program as the model does not say what it used.
        None if outcome.tokens.total() == 0 => "cost unknown".to_owned(),
        None => format!("{} tokens", outcome.tokens.total()),
    }
}

/// Returns the age of a time in RFC 3339: `now`, `5 min ago`, `3 h ago`, `2 days ago`; the text itself if it is
/// no time or in the future.
pub(super) fn format_age(time: &str, now: &str) -> String {
    let parse = |text: &str| text.parse::<Timestamp>().ok();
    let (Some(then), Some(now)) = (parse(time), parse(now)) else { return time.to_owned() };
    let minutes = (now.as_second() - then.as_second()) / 60;
    match minutes {
        ..0 => time.to_owned(),
        0 => "now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        1440..2880 => "1 day ago".to_owned(),
        _ => format!("{} days ago", minutes / 1440),
    }
}

/// Returns a number with its noun, in the plural where it is not 1.
pub(super) fn count_noun(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns a word as a shell reads it.
pub(super) fn quote(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}

/// Returns a path relative to the current folder, where it is inside it.
pub(super) fn shorten_path(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).to_owned()
}

/// Returns a call of this program as a shell reads it.
pub(super) fn quote_command(arguments: &[OsString]) -> String {
    let rest = arguments.iter().skip(1).map(|word| quote(&word.to_string_lossy()));
    ["papayu-batch".to_owned()].into_iter().chain(rest).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_in_the_largest_unit_that_fits() {
        let now = "2026-03-10T12:00:00Z";
        for (time, age) in [
            ("2026-03-10T11:59:31Z", "now"),
            ("2026-03-10T11:55:00Z", "5 min ago"),
            ("2026-03-10T09:00:00Z", "3 h ago"),
            ("2026-03-09T11:00:00Z", "1 day ago"),
            ("2026-02-28T12:00:00Z", "10 days ago"),
            ("2026-03-11T12:00:00Z", "2026-03-11T12:00:00Z"),
            ("", ""),
        ] {
            assert_eq!(format_age(time, now), age, "{time}");
        }
    }
}
