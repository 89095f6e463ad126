//! Remembers the lines of a log of a run that passed, so that they are left out of the log of one that failed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};

use super::successor::{find_replacement, is_advice};
use papayu_base::domain::FailureReport;
use papayu_base::domain::changes::ToolMove;
use papayu_base::text::is_word_char;

/// Most lines that are remembered.
const MAX_LINES: usize = 2_000_000;

/// Most lines that name something in place of another name.
const MAX_ADVICE: usize = 500;

/// Most such lines that are shown.
const MAX_SHOWN: usize = 3;

/// Words after a number that make it no version.
const UNITS: [&str; 11] = ["%", "s", "sec", "secs", "seconds", "ms", "min", "kB", "KB", "MB", "GB"];

/// The lines of a log without their digits, because times, durations and counts differ between runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GreenLines {
    hashes: HashSet<u64>,
    /// The versions in lines by their other text; `None` where several lines differ in them alone.
    versions: HashMap<String, Option<String>>,
    /// Lines that name something in place of another name, each after the line before it.
    advice: Vec<String>,
    last: String,
}

impl GreenLines {
    /// Returns `true` if the green log contains the line, apart from digits.
    pub(super) fn contains(&self, line: &str) -> bool {
        self.hashes.contains(&hash_letters(line))
    }

    /// Adds a line, up to the limit.
    pub(super) fn push_line(&mut self, line: &str) {
        if self.hashes.len() < MAX_LINES {
            let is_new = self.hashes.insert(hash_letters(line));
            if is_new && self.advice.len() < MAX_ADVICE && is_advice(line) {
                self.advice.push(format!("{}\n{}", self.last.trim(), line.trim()));
            }
            if let Some((text, versions)) = split_versions(line) {
                let known = self.versions.entry(text).or_insert_with(|| Some(versions.clone()));
                if known.as_ref() != Some(&versions) {
                    *known = None;
                }
            }
            line.clone_into(&mut self.last);
        }
    }

    /// Adds to the excerpt of a report the lines that name what takes the place of a name in its failures.
    pub(super) fn add_advice(&self, report: &mut FailureReport) {
        let messages = report.failures.iter().map(|failure| failure.message.as_str());
        let words = messages.flat_map(|text| text.split(|c: char| !is_word_char(c)));
        let names: BTreeSet<&str> = words.filter(|word| !word.is_empty()).collect();
        let is_about =
            |text: &&str| names.iter().any(|name| find_replacement(text, name).is_some());
        let lines = self.advice.iter().filter_map(|two| {
            let (_, line) = two.split_once('\n')?;
            [line, two].into_iter().find(is_about)
        });
        let lines: Vec<&str> = lines.take(MAX_SHOWN).collect();
        for line in lines {
            report.excerpt.push_str("\nthe run that passed printed: ");
            report.excerpt.push_str(line);
        }
    }

    /// Returns a line that differs from one of the green log in its version alone: another tool or machine.
    pub(super) fn find_move(&self, line: &str) -> Option<ToolMove> {
        let (text, to) = split_versions(line)?;
        let from = self.versions.get(&text)?.clone().filter(|from| *from != to)?;
        Some(ToolMove { line: line.trim().to_owned(), from, to })
    }
}

/// Returns a line without its versions, and the versions; `None` for a line without any or without words.
fn split_versions(line: &str) -> Option<(String, String)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let (mut text, mut versions) = (String::new(), Vec::new());
    let mut rest = line.trim();
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let unit =
            after.trim_start().split(|c: char| c.is_whitespace() || ",;)".contains(c)).next();
        let is_measure = unit.is_some_and(|unit| UNITS.contains(&unit) || unit.starts_with('%'));
        if is_version(word) && !is_measure {
            versions.push(word);
            text.push('\u{0}');
        } else {
            text.push_str(word);
        }
        let mark = after.chars().next().map_or(0, char::len_utf8);
        text.push_str(after.get(..mark).unwrap_or_default());
        rest = after.get(mark..).unwrap_or_default();
    }
    let has_words = text.chars().any(char::is_alphabetic) && line.len() < 500;
    (has_words && !versions.is_empty()).then(|| (text, versions.join(", ")))
}

/// Returns whether a word is a version such as `3.11.4`, `v20.1.0` or `22.04`, and no address of a network.
fn is_version(word: &str) -> bool {
    let number = word.trim_start_matches(['v', 'V']).trim_end_matches('.');
    let parts: Vec<&str> = number.split('.').collect();
    let is_number =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_address = parts.len() == 4 && parts.iter().all(|part| part.parse::<u8>().is_ok());
    parts.len() >= 2 && parts.iter().all(is_number) && !is_address
}

/// Returns a hash of a line without its digits and the blanks around it.
fn hash_letters(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.trim().split(|c: char| c.is_ascii_digit()).for_each(|part| hasher.write(part.as_bytes()));
    hasher.finish()
}
