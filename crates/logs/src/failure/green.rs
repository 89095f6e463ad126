//! Remembers the lines of a log of a run that passed, so that they are left out of the log of one that failed.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};

/// Most lines that are remembered.
const MAX_LINES: usize = 2_000_000;

/// The lines of a log without their digits, because times, durations and counts differ between runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GreenLines {
    hashes: HashSet<u64>,
}

impl GreenLines {
    /// Returns `true` if the green log contains the line, apart from digits.
    pub(super) fn contains(&self, line: &str) -> bool {
        self.hashes.contains(&hash_letters(line))
    }

    /// Adds a line, up to the limit.
    pub(super) fn push_line(&mut self, line: &str) {
        if self.hashes.len() < MAX_LINES {
            self.hashes.insert(hash_letters(line));
        }
    }
}

/// Returns a hash of a line without its digits and the blanks around it.
fn hash_letters(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.trim().split(|c: char| c.is_ascii_digit()).for_each(|part| hasher.write(part.as_bytes()));
    hasher.finish()
}
