//! Settings from the environment: every `PAPAYU_*` variable, and the path of the user's own file.

use std::path::{Path, PathBuf};

use super::error::{Problem, ProblemKind};
use super::keys::KEYS;
use super::layers::{Entry, Layers};
use super::origin::Origin;
use super::raw::Raw;
use super::suggest::nearest;

/// Returns the settings in the environment, a key's stronger variable first, and the variables
/// that look like ours and are not.
pub(super) fn read_variables(environment: &[(String, String)]) -> Layers {
    let mut entries = Vec::new();
    for key in KEYS {
        // The first variable of a key is the stronger one.
        for name in key.env {
            if let Some((_, value)) = environment.iter().find(|(variable, _)| variable == name) {
                let origin = Origin::Env((*name).to_owned());
                let raw = Raw::Words(value.trim().to_owned());
                entries.push(Entry { key: key.name, raw, origin });
            }
        }
    }
    let known = || KEYS.iter().flat_map(|key| key.env.iter().copied());
    let problems = environment
        .iter()
        .map(|(name, _)| name)
        .filter(|name| name.starts_with("PAPAYU_") && !known().any(|known| known == *name))
        .map(|name| {
            let kind = ProblemKind::Unknown { name: name.clone(), nearest: nearest(name, known()) };
            Problem { place: Origin::Env(name.clone()), kind }
        })
        .collect();
    Layers { entries, problems }
}

/// Returns where the user's own settings file is looked for: `papayu/papayu.toml` in the
/// platform's configuration folder; `None` where the environment names no such folder.
pub fn user_file(environment: &[(String, String)]) -> Option<PathBuf> {
    let folder = |name: &str| {
        let (_, value) = environment.iter().find(|(variable, _)| variable == name)?;
        // The XDG specification requires absolute paths; others are ignored.
        Path::new(value).is_absolute().then(|| PathBuf::from(value))
    };
    let configuration = if cfg!(windows) {
        folder("APPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        folder("XDG_CONFIG_HOME").or_else(|| folder("HOME").map(|home| home.join(".config")))
    };
    configuration.map(|folder| folder.join("papayu").join("papayu.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
