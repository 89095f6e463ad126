//! Settings from the environment: every `PAPAYU_*` variable, and the path of the user's own file.

use std::path::{Path, PathBuf};

use super::error::{SettingsProblem, SettingsProblemKind};
use super::keys::KEYS;
use super::layers::{LayerEntry, Layers};
use super::origin::ValueOrigin;
use super::raw::RawValue;
use papayu_base::text::spelling::find_nearest_within;

/// Prefix of the variables of this program.
const PREFIX: &str = "PAPAYU_";

/// Returns the settings in the environment, and a problem for each variable that resembles a
/// setting and is none. The stronger variable of a key comes first.
pub(super) fn read_variables(environment: &[(String, String)]) -> Layers {
    let mut entries = Vec::new();
    for key in KEYS {
        // The first variable of a key is the stronger one.
        for name in key.env {
            if let Some((_, value)) = environment.iter().find(|(variable, _)| variable == name) {
                let origin = ValueOrigin::Env((*name).to_owned());
                let raw = RawValue::Words(value.trim().to_owned());
                entries.push(LayerEntry { key: key.name, raw, origin });
            }
        }
    }
    let problems = unknown_variables(environment).filter_map(|name| {
        let nearest = Some(nearest_variable(name)?);
        let kind = SettingsProblemKind::Unknown { name: name.to_owned(), nearest };
        Some(SettingsProblem { place: ValueOrigin::Env(name.to_owned()), kind })
    });
    Layers { entries, problems: problems.collect() }
}

/// Returns the variables with our prefix that are no settings and resemble none: those of other programs.
pub fn foreign_variables(environment: &[(String, String)]) -> Vec<&str> {
    unknown_variables(environment).filter(|name| nearest_variable(name).is_none()).collect()
}

/// Returns the variables with the prefix that are no settings.
fn unknown_variables(environment: &[(String, String)]) -> impl Iterator<Item = &str> {
    let names = environment.iter().map(|(name, _)| name.as_str());
    names.filter(|name| name.starts_with(PREFIX) && variables().all(|known| known != *name))
}

/// Returns the names of all variables that are settings.
fn variables() -> impl Iterator<Item = &'static str> {
    KEYS.iter().flat_map(|key| key.env.iter().copied())
}

/// Returns the variable that a misspelled name was meant to be: one with few other letters, or
/// with one more word in front.
fn nearest_variable(name: &str) -> Option<&'static str> {
    let rest = name.strip_prefix(PREFIX)?;
    let known = || variables().filter_map(|known| known.strip_prefix(PREFIX));
    // `PAPAYU_MODEL` is meant as `PAPAYU_LLM_MODEL`, which is too far by letters alone.
    let longer = known().find(|known| known.split_once('_').is_some_and(|(_, end)| end == rest));
    let limit = rest.chars().count() / 4 + 1;
    let near = longer.or_else(|| find_nearest_within(rest, known(), limit))?;
    variables().find(|known| known.strip_prefix(PREFIX) == Some(near))
}

/// Returns the path of the user's own settings file: `papayu/papayu.toml` in the configuration
/// folder of the platform.
///
/// Returns `None` if the environment names no such folder. The file need not exist.
pub fn user_file(environment: &[(String, String)]) -> Option<PathBuf> {
    let configuration = platform_folder(environment, "XDG_CONFIG_HOME", ".config");
    configuration.map(|folder| folder.join("papayu").join("papayu.toml"))
}

/// Returns the folder of what the program remembers for the user: `papayu-batch` in the platform's
/// data folder; `None` where the environment names no such folder.
pub fn data_folder(environment: &[(String, String)]) -> Option<PathBuf> {
    let data = platform_folder(environment, "XDG_DATA_HOME", ".local/share");
    data.map(|folder| folder.join("papayu-batch"))
}

/// Returns the platform's folder for files of applications: that of the XDG variable, else the one in the home.
fn platform_folder(
    environment: &[(String, String)],
    variable: &str,
    in_home: &str,
) -> Option<PathBuf> {
    let folder = |name: &str| {
        let (_, value) = environment.iter().find(|(variable, _)| variable == name)?;
        // The XDG specification requires absolute paths; others are ignored.
        Path::new(value).is_absolute().then(|| PathBuf::from(value))
    };
    if cfg!(windows) {
        folder("APPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        folder(variable).or_else(|| folder("HOME").map(|home| home.join(in_home)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_of_another_program_is_told_from_a_misspelt_one() {
        for (name, nearest) in [
            ("PAPAYU_LLM_MODLE", Some("PAPAYU_LLM_MODEL")),
            ("PAPAYU_MODEL", Some("PAPAYU_LLM_MODEL")),
            ("PAPAYU_API_KEY", Some("PAPAYU_LLM_API_KEY")),
            ("PAPAYU_MAX_TOKEN", Some("PAPAYU_MAX_TOKENS")),
            ("PAPAYU_RUNS", Some("PAPAYU_RUN")),
            ("PAPAYU_HOME", None),
            ("PAPAYU_FOO", None),
            ("PAPAYU_URL", None),
            ("PAPAYU_DATABASE_PASSWORD", None),
        ] {
            assert_eq!(nearest_variable(name), nearest, "{name}");
            let environment = [(name.to_owned(), String::new())];
            assert_eq!(foreign_variables(&environment).len(), usize::from(nearest.is_none()));
        }
    }

    #[cfg(all(unix, not(target_os = "macos")))]
    #[test]
    fn the_users_file_follows_the_xdg_rules() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let (home, xdg) = (pair("HOME", "/home/u"), pair("XDG_CONFIG_HOME", "/cfg"));
        assert_eq!(user_file(&[home.clone(), xdg]), Some("/cfg/papayu/papayu.toml".into()));
        assert_eq!(
            user_file(&[home, pair("XDG_CONFIG_HOME", "relative")]),
            Some("/home/u/.config/papayu/papayu.toml".into())
        );
        assert_eq!(user_file(&[]), None);
    }
}
