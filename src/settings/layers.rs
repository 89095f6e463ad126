//! Values of settings by precedence, before their names and kinds are known.

use super::error::{SettingsProblem, SettingsProblemKind};
use super::kind::ReadValue;
use super::origin::{Setting, ValueOrigin};
use super::raw::RawValue;

/// One value in one place.
#[derive(Clone, Debug)]
pub(super) struct LayerEntry {
    /// The setting's dotted name.
    pub(super) key: &'static str,
    /// The value.
    pub(super) raw: RawValue,
    /// The place of the value.
    pub(super) origin: ValueOrigin,
}

/// Values by precedence, and the problems found while they were read.
#[derive(Clone, Default)]
pub(super) struct Layers {
    /// The strongest first.
    pub(super) entries: Vec<LayerEntry>,
    pub(super) problems: Vec<SettingsProblem>,
}

impl Layers {
    /// Returns the strongest value of a setting that is not empty. `None` if no source sets it.
    pub(super) fn strongest(&self, key: &str) -> Option<&LayerEntry> {
        self.entries.iter().find(|entry| entry.key == key && !entry.raw.is_empty())
    }

    /// Appends a weaker layer.
    pub(super) fn add(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.problems.extend(other.problems);
    }

    /// Returns the value with the highest precedence that is not empty, and records every wrong one. `None` if
    /// all are wrong.
    pub(super) fn pick<K: ReadValue>(&mut self, name: &'static str) -> Option<Setting<K::Value>> {
        let mut strongest = None;
        let mut empty = None;
        for entry in self.entries.iter().filter(|entry| entry.key == name) {
            // CI systems set variables to the empty text when an input is not given.
            if entry.raw.is_empty() && entry.origin != ValueOrigin::Default {
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
fn wrong_value<K: ReadValue>(key: &'static str, entry: &LayerEntry) -> SettingsProblem {
    let got = if K::SECRET { "not text".into() } else { entry.raw.describe() };
    let kind = SettingsProblemKind::WrongValue { key, got, expected: K::expected_text() };
    SettingsProblem { place: entry.origin.clone(), kind }
}
