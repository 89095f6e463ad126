//! Merges the sources of settings by their precedence.

use std::path::Path;
use std::sync::LazyLock;

use super::environment;
use super::error::{SettingsError, SettingsProblem, SettingsProblemKind};
use super::file;
use super::key::SettingKey;
use super::keys::{KEYS, Settings};
use super::kind::{List, ReadValue, Switch, text_of};
use super::layers::{LayerEntry, Layers};
use super::origin::{FileOwner, ValueOrigin};
use super::raw::RawValue;
use super::trust::{Narrowing, Trust, is_listed, output_path, words_of};
use crate::project::{KindLimits, ProjectKind};
use papayu_base::text::spelling::find_nearest;

/// The values of `defaults.toml`, read once for all tasks of a batch.
static DEFAULTS: LazyLock<Layers> = LazyLock::new(|| {
    // Read like a user's file, so that one parser checks the defaults too; they differ by their origin.
    let text = include_str!("defaults.toml");
    let mut defaults = file::read_file(Path::new("defaults.toml"), text, FileOwner::User);
    for entry in &mut defaults.entries {
        entry.origin = ValueOrigin::Default;
    }
    defaults
});

/// A value of the command line: the dotted name of the setting, the text, and the flag as
/// messages name it.
pub type FlagValue = (&'static str, String, &'static str);

/// The repository's settings file.
#[derive(Clone, Copy, Debug)]
pub struct RepositoryFile<'a> {
    /// The file as messages name it.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a str,
    /// The canonical path of the file's folder, which the user's list of trusted repositories names.
    pub root: &'a Path,
    /// The same from the top of the repository, with a `/` at its end; empty at the top.
    pub prefix: &'a str,
    /// `false` if the text may come from the change that is repaired, so that no list trusts it.
    pub can_be_trusted: bool,
}

/// Every source of settings but the defaults.
#[derive(Clone, Copy, Debug, Default)]
pub struct SettingsSources<'a> {
    /// Values of the command line.
    pub flags: &'a [FlagValue],
    /// The environment.
    pub environment: &'a [(String, String)],
    /// The files of the folders above that of the run, from the top of the repository.
    pub above: &'a [RepositoryFile<'a>],
    /// The file of the run's folder.
    pub repository: Option<RepositoryFile<'a>>,
    /// The user's file: its path, for messages, and its text.
    pub user: Option<(&'a Path, &'a str)>,
    /// The kind of project, which has defaults of its own; `None` is the general ones.
    pub profile: Option<ProjectKind>,
}

/// Resolves every setting.
///
/// # Errors
///
/// [`SettingsError`] with all problems of all sources together, so that a user corrects them in one pass.
pub fn load(sources: SettingsSources<'_>) -> Result<Settings, SettingsError> {
    let flags = sources.flags;
    let mut stronger = Layers { entries: flag_entries(flags), problems: unknown_flags(flags) };
    stronger.add(environment::read_variables(sources.environment));
    let mut weaker = Layers::default();
    if let Some((path, text)) = sources.user {
        weaker.add(file::read_file(path, text, FileOwner::User));
    }
    weaker.entries.extend(sources.profile.into_iter().flat_map(profile_entries));
    weaker.add(DEFAULTS.clone());
    let above = sources.above.iter().map(|file| (file, true));
    let own = sources.repository.iter().map(|file| (file, false));
    for (number, (file, is_above)) in above.chain(own).enumerate() {
        let mut read = file::read_file(file.path, file.text, FileOwner::Repository);
        if is_above {
            name_from_top(&mut read, file.prefix);
        }
        let is_trusted = file.can_be_trusted && is_trusted(&stronger, &weaker, file.root);
        let standing = FileStanding { is_trusted, is_lower: number > 0 };
        restrict_file(&mut read, &mut stronger, &weaker, standing);
        // It is stronger than the files above it, and can only narrow what they permit.
        read.add(weaker);
        weaker = read;
    }
    // The repository's file comes between: below flags and variables, above the user's file and all
    // defaults. What it may not set was taken out before.
    stronger.add(weaker);
    Settings::resolve(stronger)
}

impl Settings {
    /// Returns `true` if the user trusts the repository in this folder, which is canonical.
    pub fn trusts_repository(&self, root: &Path) -> bool {
        self.trust_this_repository.value || is_listed(&self.trust_repositories.value, root)
    }
}

/// Returns `true` if the user trusts the repository, by a flag, a variable or the list of the file.
fn is_trusted(stronger: &Layers, weaker: &Layers, root: &Path) -> bool {
    let own = |key: &str| stronger.strongest(key).or_else(|| weaker.strongest(key));
    let switch = own("trust.this_repository").and_then(|entry| Switch::read_raw(&entry.raw));
    let list = own("trust.repositories").and_then(|entry| List::read_raw(&entry.raw));
    switch == Some(true) || list.is_some_and(|list| is_listed(&list, root))
}

/// Returns the defaults that a kind of project has in place of the general ones.
fn profile_entries(kind: ProjectKind) -> impl Iterator<Item = LayerEntry> {
    let KindLimits { verify_timeout_sec, timeout_sec, max_files } = kind.limits();
    let values = [
        ("run.verify_timeout_sec", verify_timeout_sec),
        ("run.timeout_sec", timeout_sec),
        ("context.max_files", max_files),
    ];
    values.into_iter().filter_map(move |(key, value)| {
        let raw = RawValue::Integer(value?.into());
        Some(LayerEntry { key, raw, origin: ValueOrigin::Profile(kind.name()) })
    })
}

/// Returns the values of `defaults.toml`.
pub(super) fn default_values() -> Vec<(&'static str, RawValue)> {
    DEFAULTS.entries.iter().map(|entry| (entry.key, entry.raw.clone())).collect()
}

/// Returns flags that name no setting: callers of the library may mistype one.
fn unknown_flags(flags: &[FlagValue]) -> Vec<SettingsProblem> {
    let unknown = flags.iter().filter(|(name, ..)| !KEYS.iter().any(|key| key.name == *name));
    let mut problems = Vec::new();
    for (name, _, flag) in unknown {
        let nearest = find_nearest(name, KEYS.iter().map(|key| key.name));
        let kind = SettingsProblemKind::Unknown { name: (*name).to_owned(), nearest };
        problems.push(SettingsProblem { place: ValueOrigin::Flag(flag), kind });
    }
    problems
}

/// Returns the values of flags. A flag that is given several times forms one list.
fn flag_entries(flags: &[FlagValue]) -> Vec<LayerEntry> {
    let mut entries: Vec<LayerEntry> = Vec::new();
    for (key, words, flag) in flags {
        match entries.iter_mut().find(|entry| entry.key == *key) {
            // A flag that is given several times forms one list.
            Some(LayerEntry { raw: RawValue::Words(before), .. }) => {
                before.push('\n');
                before.push_str(words);
            }
            _ => entries.push(LayerEntry {
                key,
                raw: RawValue::Words(words.clone()),
                origin: ValueOrigin::Flag(flag),
            }),
        }
    }
    entries
}

/// The part that a settings file of the repository has in the settings.
#[derive(Clone, Copy)]
struct FileStanding {
    /// `true` if the user trusts the repository.
    is_trusted: bool,
    /// `true` if another file is above it; it may only narrow the limits of that.
    is_lower: bool,
}

/// Marks the protected paths of a file above the run's folder as paths from the top of the repository.
fn name_from_top(file: &mut Layers, prefix: &str) {
    for entry in file.entries.iter_mut().filter(|entry| entry.key == "paths.protected") {
        entry.raw.change_items(|pattern| {
            // A pattern without `/` counts in every folder.
            if !pattern.contains('/') || pattern.starts_with("//") {
                return pattern.to_owned();
            }
            format!("//{prefix}{}", pattern.trim_start_matches('/'))
        });
    }
}

/// Removes the values that the repository may not set, and adds a problem for each. A list that
/// may only grow is joined with the user's.
fn restrict_file(
    file: &mut Layers,
    stronger: &mut Layers,
    weaker: &Layers,
    standing: FileStanding,
) {
    let FileStanding { is_trusted, is_lower } = standing;
    for mut entry in std::mem::take(&mut file.entries) {
        if let ValueOrigin::File { owner, .. } = &mut entry.origin
            && is_trusted
        {
            *owner = FileOwner::User;
        }
        let Some(key) = KEYS.iter().find(|key| key.name == entry.key) else { continue };
        let set = stronger.strongest(key.name);
        let own = set.or_else(|| weaker.strongest(key.name));
        let is_bound = is_lower && matches!(key.trust, Trust::Narrow(_));
        let is_grown = key.trust == Trust::Narrow(Narrowing::Grow) && (!is_trusted || is_lower);
        if is_grown && let Some(raw) = own.and_then(|own| entry.raw.joined(&own.raw)) {
            // The list that is in force otherwise is part of it, so it is stronger than that.
            stronger.entries.insert(0, LayerEntry { raw, ..entry });
            continue;
        }
        // A value that a flag or a variable overrides has no effect.
        let is_free = (is_trusted && !is_bound || set.is_some()) && key.trust != Trust::Never;
        let own = own.map(|own| &own.raw);
        match if is_free { Ok(()) } else { check_value(key, &entry.raw, own) } {
            Ok(()) => file.entries.push(entry),
            Err(kind) => file.problems.push(SettingsProblem { place: entry.origin, kind }),
        }
    }
}

/// Checks a value of the repository's file against the trust column of the table. `own` is the value that applies without that file.
fn check_value(
    key: &SettingKey,
    asked: &RawValue,
    own: Option<&RawValue>,
) -> Result<(), SettingsProblemKind> {
    let env = key.env.first().copied().unwrap_or_default();
    let is_own = own.is_some_and(|own| words_of(own) == words_of(asked));
    match key.trust {
        Trust::Repository => Ok(()),
        // An empty text is no value.
        _ if asked.is_empty() => Ok(()),
        Trust::Never => Err(SettingsProblemKind::UsersOwn { key: key.name, env }),
        _ if is_own => Ok(()),
        Trust::User => Err(SettingsProblemKind::Untrusted { key: key.name, env }),
        Trust::Narrow(narrowing) if narrowing.permits(asked, own) => Ok(()),
        Trust::Narrow(narrowing) => {
            let (got, rule) = (asked.describe(), narrowing.rule(own));
            Err(SettingsProblemKind::Wider { key: key.name, env, got, rule })
        }
        Trust::Inside(output) => {
            let Some(text) = text_of(asked) else { return Ok(()) };
            let checked = output_path(text, output);
            checked.map(drop).map_err(|reason| SettingsProblemKind::Outside {
                key: key.name,
                env,
                reason,
            })
        }
    }
}
