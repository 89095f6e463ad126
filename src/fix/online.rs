//! Translates a session's settings into those of online research.

use std::ffi::OsString;

use super::session::Session;
use papayu_index::store;
use papayu_providers::research::{
    DomainLists, PrivateNames, ResearchConfig, ResearchLimits, SearchEngine,
};

/// Variables of the environment with names that do not leave the machine.
const NAMES: [&str; 7] = [
    "USER", "LOGNAME", "USERNAME", "HOSTNAME", "GITHUB_REPOSITORY", "GITHUB_ACTOR",
    "GITHUB_REPOSITORY_OWNER",
];

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

/// Returns the names that no query contains: of the repository, its owner, the user and the machine.
fn private_names(session: &Session) -> PrivateNames {
    let root = session.tree.root().file_name().map(|name| name.to_string_lossy().into_owned());
    let repository = session.settings.github_repository.value.clone();
    let variables = session.environment.iter();
    let variables = variables.filter(|(name, _)| NAMES.contains(&name.as_str()));
    let variables = variables.map(|(_, value)| value.clone());
    let names: Vec<String> = root.into_iter().chain(repository).chain(variables).collect();
    PrivateNames::new(names.iter().map(String::as_str))
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
