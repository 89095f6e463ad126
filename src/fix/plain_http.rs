//! Notices about keys that travel to another machine without encryption.

use url::Url;

use crate::settings::Settings;
use papayu_system::is_own_machine;

/// Returns a notice for each key that is sent to another machine over plain HTTP.
pub(super) fn find_plain_http(settings: &Settings) -> Vec<String> {
    let model = settings.llm_api_key.value.as_ref().map(|_| "the model's key");
    let second = settings.llm_second_api_key.value.as_ref().map(|_| "the second model's key");
    let combining = settings.llm_aggregator_key.value.as_ref().map(|_| "the aggregator's key");
    let github = settings.github_token.value.as_ref().map(|_| "the token of the forge");
    let forge = settings.forge_token.value.as_ref().map(|_| "the token of the forge");
    let snyk = settings.snyk_token.value.as_ref().map(|_| "the token of Snyk");
    let search = settings.online_tavily_api_key.value.as_ref().map(|_| "the key of Tavily");
    let keys = [
        (model, settings.llm_api_url.value.as_deref(), "llm.api_url"),
        (second, settings.llm_second_api_url.value.as_deref(), "llm.second_api_url"),
        (combining, settings.llm_aggregator_url.value.as_deref(), "llm.aggregator_url"),
        (forge, settings.forge_api_url.value.as_deref(), "forge.api_url"),
        (github, settings.github_api_url.value.as_deref(), "github.api_url"),
        (snyk, settings.snyk_api_url.value.as_deref(), "snyk.api_url"),
        (search, settings.online_tavily_api_url.value.as_deref(), "online.tavily_api_url"),
    ];
    let members = settings.llm_providers.value.iter().map(|member| {
        let key = member.api_key.as_ref().map(|_| "a model's key");
        (key, Some(member.url.as_str()), "llm.providers")
    });
    keys.into_iter()
        .chain(members)
        .filter_map(|(key, address, setting)| describe(key?, address?, setting))
        .collect()
}

/// Returns a warning about an address of http on another machine, to which `key` would be sent unencrypted;
/// `None` for any other address.
fn describe(key: &str, address: &str, setting: &str) -> Option<String> {
    let url = Url::parse(address.trim()).ok()?;
    (url.scheme() == "http" && !is_own_machine(&url)).then(|| {
        format!(
            "`{setting}` is not https: {key} is sent to `{}` where anyone on the way can read it",
            url.host_str().unwrap_or_default()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_http_to_another_machine_is_named() {
        for (address, named) in [
            ("http://models.example:8080/v1", true),
            ("HTTP://10.0.0.7/", true),
            ("http://user:pass@host.example/", true),
            ("https://models.example/v1", false),
            ("http://localhost:11434", false),
            ("http://127.0.0.1:8000/v1", false),
            ("http://[::1]:8000/v1", false),
            ("not an address", false),
        ] {
            let warning = describe("the key", address, "llm.api_url");
            assert_eq!(warning.is_some(), named, "{address}");
            assert!(warning.is_none_or(|warning| !warning.contains("pass@")), "{address}");
        }
    }
}
