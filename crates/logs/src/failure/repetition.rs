//! The lines that an excerpt leaves out once a failure is shown: warnings, and failures with the same lines.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Most groups of lines that are remembered.
const MAX_GROUPS: usize = 10_000;

/// The importance of a line; a stronger claim wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LineImportance {
    /// No parser knows it.
    None,
    /// It belongs to a warning, which matters only if nothing failed.
    Warning,
    /// A parser knows it, and it is no failure (a heading, a passing test).
    Known,
    /// It repeats a failure that was printed in full.
    Repeated,
    /// It belongs to the failure above it.
    Part,
    /// Something failed; no parser knows what.
    Vague,
    /// A failure begins.
    Fault,
}

/// The numbers of the first and the last line of a group.
type LineNumbers = (u64, u64);

/// The failures of a log so far, by their lines.
#[derive(Debug, Default)]
pub(super) struct Repetition {
    open: Option<PrintedFailure>,
    /// The lines of the first failure of each fingerprint.
    first: HashMap<u64, LineNumbers>,
    /// The lines of the failures with the fingerprint of an earlier one, and the last line of that one.
    repeated: Vec<(LineNumbers, u64)>,
    /// The lines of warnings.
    warnings: Vec<LineNumbers>,
}

/// A failure that the next lines may belong to.
#[derive(Debug)]
struct PrintedFailure {
    lines: LineNumbers,
    body: FailureBody,
}

/// A hash of the first line of a failure, and of the others with their number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FailureBody {
    head: u64,
    rest: u64,
    count: u32,
}

impl FailureBody {
    /// Fewest lines after the first one from which two failures count as one, whatever their first lines are.
    const MIN_EQUAL_LINES: u32 = 2;

    /// Adds a line.
    pub(super) fn add_line(&mut self, line: &str) {
        let hash = hash_line(line.trim());
        if self.head == 0 {
            self.head = hash.max(1);
        } else {
            self.rest = self.rest.rotate_left(5) ^ hash;
            self.count += 1;
        }
    }

    /// Returns a number that is equal for failures with the same lines. A failure of few lines is also compared by its first
    /// one.
    pub(super) fn fingerprint(&self) -> u64 {
        let is_long = self.count >= Self::MIN_EQUAL_LINES;
        if is_long { self.rest } else { self.head ^ self.rest.rotate_left(1) }
    }
}

impl Repetition {
    /// Adds a line.
    pub(super) fn push_line(&mut self, number: u64, line: &str, claim: LineImportance) {
        if claim == LineImportance::Fault {
            self.close_failure();
            self.open =
                Some(PrintedFailure { lines: (number, number), body: FailureBody::default() });
        }
        match &mut self.open {
            Some(open) if claim >= LineImportance::Part => {
                open.lines.1 = number;
                open.body.add_line(line);
            }
            _ if claim == LineImportance::Warning => {
                let last = self.warnings.last_mut().filter(|last| last.1 + 1 == number);
                if let Some(last) = last {
                    last.1 = number;
                } else if self.warnings.len() < MAX_GROUPS {
                    self.warnings.push((number, number));
                }
            }
            _ => {}
        }
    }

    /// Forgets the lines from a number on, which other lines get.
    pub(super) fn forget_from(&mut self, number: u64) {
        while let Some((first, last)) = self.warnings.pop_if(|lines| lines.1 >= number) {
            if first < number {
                self.warnings.push((first, last.min(number - 1)));
            }
        }
    }

    fn close_failure(&mut self) {
        let Some(open) = self.open.take() else { return };
        if self.first.len() >= MAX_GROUPS || self.repeated.len() >= MAX_GROUPS {
            return;
        }
        match self.first.get(&open.body.fingerprint()) {
            Some((_, last)) => self.repeated.push((open.lines, *last)),
            None => {
                self.first.insert(open.body.fingerprint(), open.lines);
            }
        }
    }

    /// Returns the lines that need not be shown, first to last: `is_shown` is asked for the last line of the failure that a
    /// group repeats.
    pub(super) fn finish(mut self, is_shown: impl Fn(u64) -> bool) -> BTreeMap<u64, u64> {
        self.close_failure();
        let repeated = self.repeated.into_iter().filter(|(_, first)| is_shown(*first));
        let warnings = if self.first.is_empty() { Vec::new() } else { self.warnings };
        repeated.map(|(lines, _)| lines).chain(warnings).collect()
    }
}

/// Returns a hash of a line, so that repeated lines are found without their texts.
pub(super) fn hash_line(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}
