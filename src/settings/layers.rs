//! Values of settings by precedence, before their names and kinds are known.

use super::error::{Problem, ProblemKind};
use super::kind::Read;
use super::origin::{Origin, Setting};
use super::raw::Raw;

/// One value in one place.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The setting's dotted name.
    pub(super) key: &'static str,
    /// The value.
    pub(super) raw: Raw,
    /// The place of the value.
    pub(super) origin: Origin,
}

/// Values by precedence, and the problems found while they were read.
#[derive(Default)]
pub(super) struct Layers {
    /// The strongest first.
    pub(super) entries: Vec<Entry>,
    pub(super) problems: Vec<Problem>,
}

impl Layers {
    /// Returns the strongest value of a setting that is not empty.
    pub(super) fn strongest(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key && !entry.raw.is_empty())
    }

    /// Appends a weaker layer.
    pub(super) fn add(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.problems.extend(other.problems);
    }

    /// Returns the value with the highest precedence that is not empty, and records every wrong
    /// one.
    pub(super) fn pick<K: Read>(&mut self, name: &'static str) -> Option<Setting<K::Value>> {
        let mut strongest = None;
        let mut empty = None;
        for entry in self.entries.iter().filter(|entry| entry.key == name) {
            // CI systems set variables to the empty text when an input is not given.
            if entry.raw.is_empty() && entry.origin != Origin::Default {
                continue;
            }
            let slot = if entry.raw.is_empty() { &mut empty } else { &mut strongest };
            match K::read_raw(&entry.raw) {
                Some(value) if slot.is_none() => {
                    *slot = Some(Setting { value, origin: entry.origin.clone() });
                }
                Some(_) => {}
                // Wrong values in weaker sources are reported too: they would take effect later.
                None => self.problems.push(wrong_value::<K>(name, entry)),
            }
        }
        strongest.or(empty)
    }
}

/// Returns the problem of a value of another type. A secret is not shown, not even in part.
fn wrong_value<K: Read>(key: &'static str, entry: &Entry) -> Problem {
    let got = if K::SECRET { "not text".into() } else { entry.raw.describe() };
    let kind = ProblemKind::WrongValue { key, got, expected: K::expected_text() };
    Problem { place: entry.origin.clone(), kind }
}
