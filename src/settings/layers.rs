//! Merges the sources of settings by their precedence.

use std::path::Path;

use super::environment;
use super::error::{Problem, ProblemKind, SettingsError};
use super::file::{self, Owner};
use super::keys::{KEYS, Settings};
use super::kind::Read;
use super::origin::{Origin, Setting};
use super::raw::Raw;
use super::suggest::nearest;

/// The compiled-in layer.
const DEFAULTS: &str = include_str!("defaults.toml");

/// A value of the command line: the setting's dotted name, the words, the flag.
pub type FlagValue = (&'static str, String, &'static str);

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
    pub(super) entries: Vec<Entry>,
    pub(super) problems: Vec<Problem>,
}

/// Resolves every setting. `repo_file` and `user_file` are a path, for messages, and its text.
/// All errors of all layers are returned together.
pub fn load(
    flags: &[FlagValue],
    environment: &[(String, String)],
    repo_file: Option<(&Path, &str)>,
    user_file: Option<(&Path, &str)>,
) -> Result<Settings, SettingsError> {
    let mut layers = Layers { entries: flag_entries(flags), problems: unknown_flags(flags) };
    layers.add(environment::read_variables(environment));
    if let Some((path, text)) = repo_file {
        layers.add(file::read_file(path, text, Owner::Repository));
    }
    if let Some((path, text)) = user_file {
        layers.add(file::read_file(path, text, Owner::User));
    }
    let mut defaults = file::read_file(Path::new("defaults.toml"), DEFAULTS, Owner::User);
    for entry in &mut defaults.entries {
        entry.origin = Origin::Default;
    }
    layers.add(defaults);
    Settings::resolve(layers)
}

/// Returns the values of `defaults.toml`.
pub(super) fn default_values() -> Vec<(&'static str, Raw)> {
    let defaults = file::read_file(Path::new("defaults.toml"), DEFAULTS, Owner::User);
    defaults.entries.into_iter().map(|entry| (entry.key, entry.raw)).collect()
}

/// Returns flags that name no setting: callers of the library may mistype one.
fn unknown_flags(flags: &[FlagValue]) -> Vec<Problem> {
    let unknown = flags.iter().filter(|(name, ..)| !KEYS.iter().any(|key| key.name == *name));
    let mut problems = Vec::new();
    for (name, _, flag) in unknown {
        let nearest = nearest(name, KEYS.iter().map(|key| key.name));
        let kind = ProblemKind::Unknown { name: (*name).to_owned(), nearest };
        problems.push(Problem { place: Origin::Flag(flag), kind });
    }
    problems
}

/// A flag that was given several times is one list.
fn flag_entries(flags: &[FlagValue]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (key, words, flag) in flags {
        match entries.iter_mut().find(|entry| entry.key == *key) {
            // A flag that is given several times forms one list.
            Some(Entry { raw: Raw::Words(before), .. }) => {
                before.push('\n');
                before.push_str(words);
            }
            _ => entries.push(Entry {
                key,
                raw: Raw::Words(words.clone()),
                origin: Origin::Flag(flag),
            }),
        }
    }
    entries
}

impl Layers {
    fn add(&mut self, other: Self) {
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

fn wrong_value<K: Read>(key: &'static str, entry: &Entry) -> Problem {
    let got = if K::SECRET { "not text".into() } else { entry.raw.describe() };
    let kind = ProblemKind::WrongValue { key, got, expected: K::expected_text() };
    Problem { place: entry.origin.clone(), kind }
}
