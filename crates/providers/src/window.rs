//! The windows of known models: the tokens that each takes, prompt and reply together.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::config::{ProviderConfig, ProviderKind};
use super::{anthropic, gemini, ollama, openai, responses};

const BUILTIN: &str = include_str!("window.toml");

static WINDOWS: LazyLock<Windows> = LazyLock::new(|| {
    // The test below reads the same text, so the error does not occur in a release.
    toml::from_str(BUILTIN).unwrap_or_default()
});

/// The list, by the beginnings of names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Windows {
    windows: BTreeMap<String, u32>,
}

/// Returns the window of a model, in tokens; `None` if it is not known.
///
/// ```
/// use papayu_providers::known_window;
///
/// assert_eq!(known_window("qwen2.5-coder:7b-instruct"), Some(131_072));
/// assert_eq!(known_window("a-model-of-mine"), None);
/// ```
pub fn known_window(model: &str) -> Option<u32> {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let rows = WINDOWS.windows.iter().filter(|(row, _)| name.starts_with(row.as_str()));
    rows.max_by_key(|(row, _)| row.len()).map(|(_, tokens)| *tokens)
}

impl ProviderConfig {
    /// Returns the window of the model, in tokens; `None` if it is not known.
    pub fn known_window(&self) -> Option<u32> {
        let default = match self.kind {
            ProviderKind::OpenAi => openai::DEFAULT_MODEL,
            ProviderKind::Responses => responses::DEFAULT_MODEL,
            ProviderKind::Anthropic => anthropic::DEFAULT_MODEL,
            ProviderKind::Gemini => gemini::DEFAULT_MODEL,
            ProviderKind::Ollama => ollama::DEFAULT_MODEL,
            // The program decides which model answers.
            ProviderKind::Command => return self.model.as_deref().and_then(known_window),
        };
        known_window(self.model.as_deref().unwrap_or(default))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_row_of_the_list_decides() {
        let read: Windows = toml::from_str(BUILTIN).unwrap();
        assert!(read.windows.values().all(|tokens| *tokens >= 8_192));
        assert!(read.windows.len() > 20 && read.windows.len() == WINDOWS.windows.len());
        for (model, tokens) in [
            ("gpt-4o-mini-2024-07-18", Some(128_000)),
            ("openai/gpt-4.1", Some(1_047_576)),
            ("Claude-Sonnet-4-5", Some(200_000)),
            ("llama3:8b", Some(8_192)),
            ("llama3.1:8b", Some(131_072)),
            ("scripted", None),
        ] {
            assert_eq!(known_window(model), tokens, "{model}");
        }
    }
}
