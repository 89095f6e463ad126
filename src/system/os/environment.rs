//! The process's own environment, read once.

use std::path::PathBuf;

/// Returns every variable whose name and value are UTF-8.
pub fn snapshot() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Returns the folder of the user's own settings: `$XDG_CONFIG_HOME/papayu-batch`, else
/// `$HOME/.config/papayu-batch`; `None` when neither variable holds an absolute path.
pub fn config_folder(environment: &[(String, String)]) -> Option<PathBuf> {
    let folder = |name: &str| {
        let (_, value) = environment.iter().find(|(known, _)| known == name)?;
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let base = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(base.join("papayu-batch"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_folder_follows_the_xdg_rules() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let (home, xdg) = (pair("HOME", "/home/u"), pair("XDG_CONFIG_HOME", "/cfg"));
        let of = |environment: &[_]| config_folder(environment);
        assert_eq!(of(&[home.clone(), xdg]), Some("/cfg/papayu-batch".into()));
        assert_eq!(
            of(&[home, pair("XDG_CONFIG_HOME", "relative")]),
            Some("/home/u/.config/papayu-batch".into())
        );
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn the_snapshot_holds_the_search_path() {
        assert!(snapshot().iter().any(|(name, value)| name == "PATH" && !value.is_empty()));
    }
}
