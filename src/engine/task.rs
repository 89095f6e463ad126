//! What a run is given: the task, the world it happens in, and the limits it keeps.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::context::{DietConfig, Known};
use crate::domain::goal::Route;
use crate::domain::{
    ActionSet, EventSink, FailureReport, Fingerprint, RepoPath, Sha256, Triage, Version,
};
use crate::failure::Matchers;
use crate::project::Profile;
use crate::providers::{Prices, Provider};
use crate::quickfix::Quickfix;
use crate::system::{System, Tree};
use crate::text::mask::Masker;
use crate::verify::VerifyConfig;
use crate::vet::Policy;

/// The command that proves a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckCommand {
    /// As the user wrote it, or as the project's kind suggests it.
    pub command: String,
    /// Whether the user named it; a detected one proves a fix, but its green does not mean that
    /// there was nothing to fix.
    pub by_user: bool,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Task {
    /// In words, prefix taken off.
    pub goal: Option<String>,
    /// An issue that it is about; untrusted.
    pub issue: Option<String>,
    /// Which exchanges it means.
    pub route: Route,
    /// A failure that is already known from a log.
    pub log: Option<FailureReport>,
    /// Whose fault that is.
    pub log_triage: Triage,
    /// The proof.
    pub check: Option<CheckCommand>,
    /// The summary of a plan that was accepted earlier.
    pub accepted_plan: Option<String>,
    /// Files that plan rests on, with the digests it read.
    pub reads: Vec<(RepoPath, Sha256)>,
    /// Actions that are given; nobody is asked.
    pub given: Option<ActionSet>,
}

/// The model that answers in an attempt.
pub type Model<'a> = &'a dyn Provider;

/// What earlier runs did about a failure.
pub trait Ledger: Sync {
    /// Returns why there is no further attempt, and what a person can do; `None` lets the run go on.
    fn refuses(&self, fingerprint: &Fingerprint) -> Option<(String, String)>;
}

/// What is known of the repository's files: which there are before the first command runs, and what they hold,
/// which may be read while it does.
pub trait Survey: Sync {
    /// Returns what they define and which words they hold, when it is there; `None` where they cannot be read, and
    /// the run ends.
    fn known(&self) -> Option<Known<'_>>;

    /// Returns their paths, `/`-separated, sorted; none where they cannot be read.
    fn files(&self) -> &[String];
}

/// The world a run happens in.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The outside.
    pub system: System<'a>,
    /// The repository.
    pub tree: &'a dyn Tree,
    /// What is known of the repository's files.
    pub survey: &'a dyn Survey,
    /// Problem matchers, as of the run's beginning.
    pub matchers: &'a Matchers,
    /// Its kind.
    pub profile: &'a Profile,
    /// The fixes without a model, which come first where they are wanted.
    pub quickfix: Option<&'a Quickfix<'a>>,
    /// The models, one for each further attempt.
    pub models: &'a [Model<'a>],
    /// Where events go.
    pub events: &'a dyn EventSink,
    /// Hides secrets.
    pub masker: &'a Masker,
    /// Asked once, when it is known what fails and before anybody is asked about it.
    pub ledger: Option<&'a dyn Ledger>,
}

/// Limits on what a run may spend; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Input plus output tokens.
    pub max_tokens: Option<u64>,
    /// Dollars.
    pub max_cost: Option<f64>,
    /// Requests to providers.
    pub max_requests: Option<u32>,
    /// The whole run.
    pub timeout: Duration,
}

/// Where traces go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceConfig {
    /// The folder; `None` writes none.
    pub dir: Option<PathBuf>,
    /// Whether the raw reply is kept, masked.
    pub raw: bool,
}

/// The limits and choices of a run.
pub struct EngineConfig {
    /// The protocol of the first APPLY.
    pub version: Version,
    /// Whether an APPLY may fall back to v1; that from v3 to v2 needs no leave.
    pub fallback: bool,
    /// Context rounds in a PLAN.
    pub max_rounds: u32,
    /// How often a suspected flake is run again before anything is changed.
    pub flake_reruns: u32,
    /// The context's budget.
    pub diet: DietConfig,
    /// The run's budget.
    pub budget: Budget,
    /// What a change may touch.
    pub policy: Policy,
    /// Limits on the user's command.
    pub verify: VerifyConfig,
    /// Traces.
    pub trace: TraceConfig,
    /// Whether a good change stays in the tree (`--emit worktree`).
    pub keep_tree: bool,
    /// What tokens cost.
    pub prices: Prices,
    /// The settings without secrets, for traces.
    pub snapshot: Value,
}
