//! Translates a session's settings into those of online research.

use std::ffi::OsString;
use std::path::Path;

use super::session::Session;
use papayu_base::config_text::{self, ConfigFormat, ConfigValue, Node, ParsedConfig};
use papayu_base::domain::RepoPath;
use papayu_index::store;
use papayu_providers::research::{
    DomainLists, PrivateNames, ResearchConfig, ResearchLimits, SearchEngine,
};
use papayu_system::Tree;

/// Variables of the environment with names that do not leave the machine.
const NAMES: [&str; 5] = ["USER", "LOGNAME", "USERNAME", "HOSTNAME", "GITHUB_ACTOR"];

/// Manifests, and the keys that lead to the name of the project.
const MANIFESTS: [(&str, ConfigFormat, &[&str]); 3] = [
    ("package.json", ConfigFormat::StrictJson, &["name"]),
    ("Cargo.toml", ConfigFormat::Toml, &["package", "name"]),
    ("pyproject.toml", ConfigFormat::Toml, &["project", "name"]),
];

/// The longest manifest that is read, in bytes.
const MAX_MANIFEST: u64 = 256 * 1024;

/// Returns the choices for online research; `None` while it is off.
pub(crate) fn research_config(session: &Session) -> Option<ResearchConfig> {
    let settings = &session.settings;
    if !settings.online_research.value {
        return None;
    }
    let tavily = settings.online_tavily_api_key.value.clone();
    let tavily = tavily.zip(settings.online_tavily_api_url.value.clone());
    let tavily = tavily.map(|(key, url)| SearchEngine::Tavily { url, key });
    // A server of the user's own comes first: the query goes to no third party then.
    let own = settings.online_searxng_url.value.clone().map(|url| SearchEngine::SearXng { url });
    Some(ResearchConfig {
        engine: own.or(tavily),
        limits: ResearchLimits {
            max_sources: as_count(settings.online_max_sources.value),
            max_pages: as_count(settings.online_max_pages.value),
            page_max_bytes: settings.online_page_max_bytes.value,
            timeout: settings.online_timeout_sec.value,
        },
        domains: DomainLists {
            allowed: settings.online_domains.value.clone(),
            denied: settings.online_denied_domains.value.clone(),
        },
        private_names: private_names(session),
        is_automatic: settings.online_auto_use_as_context.value,
        cache_folder: cache_folder(session),
    })
}

/// Returns the names that no query contains: of the repository, its owner, the user and the machine, and those that its
/// manifests give it.
fn private_names(session: &Session) -> PrivateNames {
    let folders = [session.tree.root(), session.top().root()];
    let folders = folders.into_iter().filter_map(Path::file_name);
    let folders = folders.map(|name| name.to_string_lossy().into_owned());
    let repository = session.settings.github_repository.value.clone();
    let variables = session.environment.iter();
    let variables = variables.flat_map(|(name, value)| match name.as_str() {
        name if NAMES.contains(&name) => vec![value.clone()],
        // Each CI system has another variable for the repository; all but one have this in their names.
        name if name.contains("REPO") || name == "CI_PROJECT_PATH" => last_parts(value),
        _ => Vec::new(),
    });
    let mut names: Vec<String> =
        folders.chain(repository).chain(variables).chain(remote_names(session)).collect();
    for tree in [session.tree.as_ref(), session.top()] {
        for (file, format, keys) in MANIFESTS {
            let Some(parsed) = read_config(tree, file, format) else { continue };
            let name = keys.iter().try_fold(parsed.root(), |node, key| node.get(key));
            names.extend(name.and_then(Node::as_str).map(str::to_owned));
        }
    }
    PrivateNames::new(names.iter().map(String::as_str))
}

/// Returns owner and name of each remote: the last two parts of its address.
fn remote_names(session: &Session) -> Vec<String> {
    let Some(config) = read_config(session.top(), ".git/config", ConfigFormat::Ini) else {
        return Vec::new();
    };
    let ConfigValue::Table(sections) = &config.root().value else { return Vec::new() };
    let remotes = sections.iter().filter(|section| section.name.starts_with("remote "));
    let addresses = remotes.filter_map(|section| section.value.get("url")?.as_str());
    addresses.flat_map(last_parts).collect()
}

/// Returns the last two parts of the address of a repository, which are its name and its owner.
fn last_parts(address: &str) -> Vec<String> {
    let path = address.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    // `git@host:owner/name` has a colon before the owner.
    path.rsplit(['/', ':']).take(2).map(str::to_owned).collect()
}

/// Returns a configuration of the repository; `None` if it is no file, too long or not UTF-8.
fn read_config(tree: &dyn Tree, path: &str, format: ConfigFormat) -> Option<ParsedConfig> {
    let bytes = tree.read(&RepoPath::parse(path).ok()?, MAX_MANIFEST).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    // Keys of git's own file are indented, which other INI files mean as the continuation of a value.
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let text = if format == ConfigFormat::Ini { lines.join("\n") } else { text };
    Some(config_text::parse(format, &text))
}

/// Returns a number of the settings as a length.
fn as_count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the folder of cached results, in the user's cache folder.
fn cache_folder(session: &Session) -> Option<std::path::PathBuf> {
    let variable = |name: &str| {
        let found = session.environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| OsString::from(value))
    };
    let folder = store::cache_folder(session.top().root(), &variable)?;
    Some(folder.join("research"))
}
