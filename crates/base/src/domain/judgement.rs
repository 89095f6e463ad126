//! The second opinion on a change, by a model that sees the change and none of the reasoning behind it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The effect of a change on the failure, in the opinion of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FixVerdict {
    /// It corrects the cause.
    Cause,
    /// It hides the symptom: the check passes, and the fault is still there.
    Symptom,
    /// It answers the tested input alone.
    SpecialCase,
    /// It also changes behavior that has nothing to do with the failure.
    UnrelatedChange,
    /// The material does not show it.
    Unsure,
}

impl FixVerdict {
    /// Returns the word used in replies and in `outcome.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cause => "cause",
            Self::Symptom => "symptom",
            Self::SpecialCase => "special_case",
            Self::UnrelatedChange => "unrelated_change",
            Self::Unsure => "unsure",
        }
    }

    /// Returns the verdict as the end of a sentence about the change.
    pub fn words(self) -> &'static str {
        match self {
            Self::Cause => "corrects the cause of the failure",
            Self::Symptom => "hides the symptom and leaves the cause",
            Self::SpecialCase => "is a special case for the tested input",
            Self::UnrelatedChange => {
                "also changes behavior that has nothing to do with the failure"
            }
            Self::Unsure => "may or may not correct the cause",
        }
    }

    /// Returns `true` for a change that is no fix.
    pub fn is_doubt(self) -> bool {
        matches!(self, Self::Symptom | Self::SpecialCase)
    }
}

/// The certainty of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// It guesses.
    Low,
    /// It is rather sure.
    Medium,
    /// It is sure.
    High,
}

/// A line that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedLine {
    /// The file.
    pub path: String,
    /// The line after the change, from 1.
    pub line: u64,
}

/// The second opinion on the last change that passed the command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// The verdict; `null` if no model judged the change.
    pub verdict: Option<FixVerdict>,
    /// The certainty of the model.
    #[serde(default)]
    pub confidence: Option<Confidence>,
    /// The reason in at most 20 words; without a verdict the reason why there is none.
    pub why: String,
    /// The lines that it rests on.
    #[serde(default)]
    pub lines: Vec<JudgedLine>,
    /// The model that was asked; `null` if none was.
    #[serde(default)]
    pub model: Option<String>,
}

impl Judgement {
    /// Returns the record of a change that no model judged.
    pub fn missing(why: impl Into<String>) -> Self {
        Self { why: why.into(), ..Self::default() }
    }

    /// Returns the opinion in one sentence without a final period.
    pub fn sentence(&self) -> String {
        match self.verdict {
            None => format!("no model judged the change: {}", self.why),
            Some(verdict) => {
                let who = self.model.as_deref().unwrap_or("the judge");
                format!("{who}: the change {}: {}", verdict.words(), self.why)
            }
        }
    }
}
