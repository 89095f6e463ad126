//! The optional parts of a request that a model supports; each is dropped when the model refuses
//! it.

use std::collections::BTreeSet;

/// A part of a request that it can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Feature {
    /// The reply's schema.
    StructuredOutput,
    /// The reply's schema as the parameters of a tool, where the schema itself is not supported.
    Tools,
    /// `max_tokens`; its newer name takes its place.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
    /// `reasoning_effort`, or the vendor's own name of it.
    ReasoningEffort,
    /// `frequency_penalty`.
    FrequencyPenalty,
    /// `presence_penalty`.
    PresencePenalty,
    /// `top_p`.
    TopP,
    /// `temperature`; last, because a model that refuses it together with `top_p` may accept it
    /// alone.
    Temperature,
}

impl Feature {
    /// Returns the name used in events.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::StructuredOutput => "response_format",
            Self::Tools => "tools",
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
            Self::ReasoningEffort => "reasoning_effort",
            Self::FrequencyPenalty => "frequency_penalty",
            Self::PresencePenalty => "presence_penalty",
            Self::TopP => "top_p",
            Self::Temperature => "temperature",
        }
    }
}

/// A feature and the words by which a server's complaint names it, lowercase.
pub(crate) type Droppable = (Feature, &'static [&'static str]);

/// The features that are sent to one model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capabilities {
    refused: BTreeSet<Feature>,
}

impl Capabilities {
    /// Starts with everything but tools, which a server must announce, and without `strict` the schema.
    pub(crate) fn new(strict: bool) -> Self {
        let mut refused = BTreeSet::from([Feature::Tools]);
        if !strict {
            refused.insert(Feature::StructuredOutput);
        }
        Self { refused }
    }

    /// Sends a feature that the server announced.
    pub(crate) fn allow(&mut self, feature: Feature) {
        self.refused.remove(&feature);
    }

    /// Returns true when the feature is sent.
    pub(crate) fn is_supported(&self, feature: Feature) -> bool {
        !self.refused.contains(&feature)
    }

    /// Stops sending the first feature of `droppable` that is still sent and that the complaint names, and
    /// returns it. Each is dropped once, so that asking again is bounded. `None` if the complaint names no such
    /// feature, or is about the length of the request.
    pub(crate) fn learn_from(
        &mut self,
        droppable: &[Droppable],
        complaint: &str,
    ) -> Option<Feature> {
        let complaint = complaint.to_lowercase();
        if is_about_length(&complaint) {
            return None;
        }
        let named = droppable.iter().find(|(feature, words)| {
            self.is_supported(*feature) && words.iter().any(|word| names_feature(&complaint, word))
        });
        let (feature, _) = *named?;
        self.refused.insert(feature);
        // A limit refused for its size and not for its name is no better under another name.
        if feature == Feature::MaxTokens && !names_feature(&complaint, "max_completion_tokens") {
            self.refused.insert(Feature::MaxCompletionTokens);
        }
        Some(feature)
    }
}

/// Returns true when a lowercase message is about a prompt too long for the model: such messages
/// often name `max_tokens` as well, and dropping a parameter does not help.
fn is_about_length(complaint: &str) -> bool {
    ["context length", "context_length", "context window", "prompt is too long"]
        .iter()
        .any(|words| complaint.contains(words))
}

/// Returns true when `word` occurs in `text` as a whole name.
fn names_feature(text: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|tail| tail.chars().next());
        !before.is_some_and(part_of_name) && !after.is_some_and(part_of_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::openai::WIRE;

    fn dropped(complaint: &str) -> Vec<&'static str> {
        let mut capabilities = Capabilities::new(true);
        std::iter::from_fn(|| capabilities.learn_from(WIRE.droppable, complaint))
            .map(Feature::name)
            .collect()
    }

    #[test]
    fn real_complaints_name_what_is_dropped() {
        for (complaint, expected) in [
            (
                "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
                vec!["response_format"],
            ),
            (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                vec!["max_tokens", "max_completion_tokens"],
            ),
            (
                "max_tokens is too large: 16384. This model supports at most 4096 completion tokens",
                vec!["max_tokens"],
            ),
            (
                "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
                vec!["temperature"],
            ),
            ("`temperature` and `top_p` cannot both be specified", vec!["top_p", "temperature"]),
            (
                "This model's maximum context length is 8192 tokens. However, you requested 20000 (max_tokens 16384)",
                vec![],
            ),
            ("The model `my_temperature_model` does not exist", vec![]),
        ] {
            assert_eq!(dropped(complaint), expected, "{complaint}");
        }
    }

    #[test]
    fn what_was_never_sent_is_not_dropped() {
        let mut capabilities = Capabilities::new(false);
        assert_eq!(capabilities.learn_from(WIRE.droppable, "response_format is unknown"), None);
    }
}
