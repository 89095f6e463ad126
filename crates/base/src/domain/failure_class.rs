//! The cause of a failure, and the lines that show it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The cause of a failure: the code, or something outside the repository.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The repository's own text: what does not compile, a test that fails, a linter's finding.
    Code,
    /// A test that would perhaps pass if it ran again. Only suspected until it does.
    TestFlake,
    /// The platform of the job: runner, memory, disk, network, registries, forge.
    Infrastructure,
    /// The inputs of the job: a secret, a tool, a permission, a version.
    Environment,
    /// Manifest and lockfile, or what the registries have of it.
    Dependency,
    /// A formatter that was only to check.
    Formatting,
    /// The commit that the work is based on, which fails in the same way.
    RedOnBase,
    /// The log gives no evidence.
    #[default]
    Unknown,
}

impl FailureClass {
    /// Returns the word used in `outcome.json`.
    /// It is part of the contract and equal to the serialized form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::TestFlake => "test_flake",
            Self::Infrastructure => "infrastructure",
            Self::Environment => "environment",
            Self::Dependency => "dependency",
            Self::Formatting => "formatting",
            Self::RedOnBase => "red_on_base",
            Self::Unknown => "unknown",
        }
    }

    /// Returns `true` if no change of the repository's files can be expected to help.
    /// Such a run ends before a model is asked, since only a person can act.
    pub fn is_outside(self) -> bool {
        matches!(self, Self::Infrastructure | Self::Environment)
    }
}

/// One line that speaks for a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// The rule it fits, by name.
    pub rule: String,
    /// The line without colors and CI timestamps, cut to a readable length; for a parsed failure
    /// its first line.
    pub line: String,
    /// Its 1-based number among the lines of the log; `null` where only the failure is known.
    pub number: Option<u64>,
}

/// A class with the lines that say so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triage {
    /// The class of the failure.
    pub class: FailureClass,
    /// Why, the strongest first, at most a few; empty for `unknown`.
    pub evidence: Vec<Evidence>,
    /// The next step for a person, for classes that no change of code helps with.
    pub next_step: Option<Cow<'static, str>>,
}

impl Triage {
    /// The name in [`Evidence::rule`] of a class that was estimated from the words of a message.
    pub const ESTIMATED: &'static str = "similar";

    /// Returns `true` if no rule knows the failure, so that its class is likely and not certain.
    pub fn is_estimated(&self) -> bool {
        self.evidence.iter().any(|evidence| evidence.rule == Self::ESTIMATED)
    }
}
