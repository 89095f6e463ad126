//! Writes the settings of a user as a file that another machine can take.

use std::path::Path;

use serde_json::Value;

use super::keys::{KEYS, Settings};
use super::kind::{PathSetting, ValueKind as _};
use super::origin::{FileOwner, ValueOrigin};

/// Returns the settings that the user changed, in the form of a `papayu.toml`. Left out are secrets, values of the
/// repository's file, and paths that are not absolute, because they begin at another folder in another file.
///
/// # Errors
///
/// The error of TOML for a value that it cannot express, which the kinds of settings exclude.
pub fn export_settings(settings: &Settings) -> Result<String, toml::ser::Error> {
    let values = settings.snapshot();
    let mut document = toml::Table::new();
    for row in settings.rows().filter(|row| is_of_user(row.origin)) {
        let key = KEYS.iter().find(|key| key.name == row.key && !key.secret);
        let (Some(key), Some((section, name))) = (key, row.key.split_once('.')) else { continue };
        let value = values.get(row.key).unwrap_or(&Value::Null);
        let is_path = (key.expected)() == PathSetting::expected_text();
        let is_relative = value.as_str().is_some_and(|path| !Path::new(path).is_absolute());
        if value.is_null() || is_path && is_relative {
            continue;
        }
        let value = toml::Value::try_from(value)?;
        let empty = || toml::Value::Table(toml::Table::new());
        if let Some(table) = document.entry(section).or_insert_with(empty).as_table_mut() {
            table.insert(name.to_owned(), value);
        }
    }
    toml::to_string(&document)
}

/// Returns `true` for a value that the user answers for.
fn is_of_user(origin: &ValueOrigin) -> bool {
    match origin {
        ValueOrigin::Flag(_) | ValueOrigin::Env(_) => true,
        ValueOrigin::File { owner, .. } => *owner == FileOwner::User,
        ValueOrigin::Profile(_) | ValueOrigin::Default => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{RepositoryFile, SettingsSources, load};

    #[test]
    fn an_exported_file_reads_back_without_secrets_and_without_the_repositorys_values() {
        let repository = RepositoryFile {
            path: Path::new("/r/papayu.toml"),
            text: "[run]\ncommand = \"make evil\"\n",
            root: Path::new("/r"),
            prefix: "",
            can_be_trusted: false,
        };
        let user = "[llm]\nprovider = \"openai\"\napi_key = \"sk-secret-1\"\nstrict_json = \"auto\"\n\
            [budget]\nmax_cost = 0.5\n[run]\nemit = [\"patch\", \"worktree\"]\nguard = \"a \\\"b\\\"\"\n\
            [trace]\ndir = \"relative\"\n[batch]\ncache_dir = \"/var/cache\"\n";
        let environment = [
            ("PAPAYU_TAVILY_API_KEY".to_owned(), "tvly-secret-2".to_owned()),
            ("PAPAYU_ONLINE_DOMAINS".to_owned(), "docs.rs,crates.io".to_owned()),
            ("PAPAYU_LLM_API_URL".to_owned(), "https://u:pw@models.example/v1".to_owned()),
        ];
        let settings = load(SettingsSources {
            environment: &environment,
            above: &[],
            repository: Some(repository),
            user: Some((Path::new("/u/papayu.toml"), user)),
            flags: &[("protocol.version", "3".to_owned(), "--protocol")],
            profile: None,
        })
        .unwrap();
        let exported = export_settings(&settings).unwrap();
        for left_out in ["secret", "evil", "relative", "pw@"] {
            assert!(!exported.contains(left_out), "{exported}");
        }
        let user = Some((Path::new("/other/papayu.toml"), exported.as_str()));
        let read = load(SettingsSources { user, ..SettingsSources::default() }).unwrap();
        let (mut before, after) = (settings.snapshot(), read.snapshot());
        let defaults = load(SettingsSources::default()).unwrap().snapshot();
        for key in ["llm.api_key", "online.tavily_api_key", "run.command", "trace.dir"] {
            before[key] = defaults[key].clone();
        }
        assert_eq!(after, before);
        assert_eq!(export_settings(&load(SettingsSources::default()).unwrap()).unwrap(), "");
    }
}
