//! The settings with a value from a closed set of words.

use papayu_base::domain::outcome::ProofLevel;
use papayu_base::domain::{Allowance, Compression, CulpritSearch, OnConflict};
use papayu_base::text::lines::LineEndings;
use papayu_forge::ForgeKind;
use papayu_providers::{OnError, ProviderKind, ReasoningEffort};
use papayu_system::trace::ConsoleForm;
use papayu_system::{NetworkMode, SandboxMode};

/// A closed set of words.
pub trait Word: Copy + PartialEq + 'static {
    /// Every word with its meaning, in the order shown to people.
    const ALL: &'static [(&'static str, Self)];

    /// Returns the meaning of a word; case does not matter.
    fn from_word(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, word)| *word)
    }

    /// Returns the word itself.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, word)| *word == self).map_or("", |(name, _)| name)
    }

    /// Returns all words.
    fn all_words() -> Vec<&'static str> {
        Self::ALL.iter().map(|(name, _)| *name).collect()
    }

    /// Returns the words as a message lists them.
    fn list_words() -> String {
        let quoted: Vec<_> = Self::all_words().iter().map(|name| format!("`{name}`")).collect();
        quoted.join(" or ")
    }
}

/// A result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// A patch file, and its text on stdout.
    Patch,
    /// The change, in the working tree.
    Worktree,
    /// A folder that `publish` takes, in a job that may write.
    Bundle,
    /// A local branch; nothing is pushed.
    Branch,
    /// A branch that is pushed, and its pull request.
    Pr,
    /// Suggestions at the lines of the pull request that failed.
    Suggest,
    /// A commit on the branch of the pull request that failed.
    Commit,
    /// A comment at the pull request that failed, also for a change that is not proved.
    Comment,
    /// An issue about a failure that is none of the code.
    Issue,
}

/// The forge that a person chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForgeChoice {
    /// The one that other settings, the CI job or the remote name.
    Auto,
    /// This one.
    Is(ForgeKind),
}

impl ForgeChoice {
    /// Returns the forge; `None` for `auto`.
    pub fn kind(self) -> Option<ForgeKind> {
        match self {
            Self::Auto => None,
            Self::Is(kind) => Some(kind),
        }
    }
}

impl Word for ForgeChoice {
    const ALL: &'static [(&'static str, Self)] = &FORGE_WORDS;
}

/// `auto`, and the word of every forge.
const FORGE_WORDS: [(&str, ForgeChoice); ForgeKind::ALL.len() + 1] = {
    let mut words = [("auto", ForgeChoice::Auto); ForgeKind::ALL.len() + 1];
    let mut index = 0;
    // A constant cannot use iterators.
    while index < ForgeKind::ALL.len() {
        let kind = ForgeKind::ALL[index];
        index += 1;
        words[index] = (kind.word(), ForgeChoice::Is(kind));
    }
    words
};

impl Emit {
    /// Returns its word if the output stays in the repository's own folder; `None` for any other.
    pub fn staying(self) -> Option<&'static str> {
        matches!(self, Self::Worktree | Self::Branch).then(|| self.name())
    }

    /// Returns true for a text or commit at the pull request that failed, or an issue.
    pub fn is_at_work(self) -> bool {
        matches!(self, Self::Suggest | Self::Commit | Self::Comment | Self::Issue)
    }
}

impl Word for Emit {
    const ALL: &'static [(&'static str, Self)] = &[
        ("patch", Self::Patch),
        ("worktree", Self::Worktree),
        ("bundle", Self::Bundle),
        ("branch", Self::Branch),
        ("pr", Self::Pr),
        ("suggest", Self::Suggest),
        ("commit", Self::Commit),
        ("comment", Self::Comment),
        ("issue", Self::Issue),
    ];
}

impl Word for Allowance {
    const ALL: &'static [(&'static str, Self)] = &[
        (Self::Tests.name(), Self::Tests),
        (Self::Snapshots.name(), Self::Snapshots),
        (Self::Settings.name(), Self::Settings),
        (Self::Packaging.name(), Self::Packaging),
        (Self::Build.name(), Self::Build),
        (Self::Ci.name(), Self::Ci),
    ];
}

impl Word for LineEndings {
    const ALL: &'static [(&'static str, Self)] = &[("keep", Self::Keep), ("lf", Self::Lf)];
}

impl Word for OnConflict {
    const ALL: &'static [(&'static str, Self)] =
        &[("regenerate", Self::Regenerate), ("skip", Self::Skip), ("apply", Self::Apply)];
}

impl Word for CulpritSearch {
    const ALL: &'static [(&'static str, Self)] =
        &[("off", Self::Off), ("guess", Self::Guess), ("prove", Self::Prove)];
}

impl Word for ProofLevel {
    const ALL: &'static [(&'static str, Self)] =
        &[("exit_code", Self::ExitCode), ("counts", Self::Counts), ("tests", Self::Tests)];
}

impl Word for SandboxMode {
    const ALL: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("required", Self::Required), ("off", Self::Off)];
}

impl Word for NetworkMode {
    const ALL: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("off", Self::Off), ("deps", Self::Deps), ("on", Self::On)];
}

impl Word for ConsoleForm {
    const ALL: &'static [(&'static str, Self)] = &[("human", Self::Human), ("json", Self::Json)];
}

impl Word for ProviderKind {
    const ALL: &'static [(&'static str, Self)] = &[
        ("openai", Self::OpenAi),
        ("openai-responses", Self::Responses),
        ("anthropic", Self::Anthropic),
        ("gemini", Self::Gemini),
        ("ollama", Self::Ollama),
        ("command", Self::Command),
    ];
}

impl Word for Compression {
    const ALL: &'static [(&'static str, Self)] = &[("facts", Self::Facts), ("model", Self::Model)];
}

impl Word for OnError {
    const ALL: &'static [(&'static str, Self)] =
        &[("abort", Self::Abort), ("retry", Self::Retry), ("skip", Self::Skip)];
}

impl Word for ReasoningEffort {
    const ALL: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("none", Self::None),
        ("minimal", Self::Minimal),
        ("low", Self::Low),
        ("medium", Self::Medium),
        ("high", Self::High),
        ("xhigh", Self::ExtraHigh),
    ];
}
