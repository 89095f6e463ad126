//! The inputs of a run: the task, its environment and its limits.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::context_window::ContextWindow;
use super::rules::DirectReply;
use crate::changes::Changes;
use crate::context::{DietConfig, RepositoryIndex};
use crate::project::{Installation, Profile};
use crate::recipes::RecipeStage;
use crate::verify::VerifyConfig;
use papayu_base::domain::goal::Route;
use papayu_base::domain::outcome::ProofLevel;
use papayu_base::domain::{
    ActionSet, Compression, CulpritSearch, EventSink, FailureReport, Fingerprint, OnConflict,
    RepoPath, ReportedFinding, Sha256, Triage, Version,
};
use papayu_base::text::mask::Masker;
use papayu_index::notes::NoteBook;
use papayu_logs::failure::{GreenLines, Matchers};
use papayu_patch::prompts::FailedAttempt;
use papayu_providers::research::ResearchConfig;
use papayu_providers::{OnError, Prices, Provider};
use papayu_quickfix::{Formatter, Quickfix};
use papayu_system::memory::MemoryBlock;
use papayu_system::{CommandNetwork, Confinement, System, Tree};
use papayu_vet::Policy;

/// The command that proves a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckCommand {
    /// As the user wrote it, or as the project's kind suggests it.
    pub command: String,
    /// `true` for a command named by the user. A detected command proves a fix, but if it passes there may
    /// still be something to fix.
    pub by_user: bool,
}

/// A command that must not get worse by a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// As the user wrote it, or found in the command or the project.
    pub command: String,
    /// The kind of command.
    pub kind: GuardKind,
}

/// The kinds of commands that must not get worse by a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardKind {
    /// Named by the user: it runs however long it takes.
    Named,
    /// The user's own command without its selection of tests.
    WholeCheck,
    /// The type checker of the project, compared only if it passes without the fix.
    TypeCheck,
}

/// The task of a run.
#[derive(Clone, Debug)]
pub struct Task {
    /// The goal in words, without its prefix.
    pub goal: Option<String>,
    /// Texts in addition to the failure.
    pub background: Background,
    /// The exchanges that the task requires.
    pub route: Route,
    /// A failure that is already known from a log.
    pub log: Option<FailureReport>,
    /// The class of that failure.
    pub log_triage: Triage,
    /// Findings of scanners in addition to the failure.
    pub findings: Vec<ReportedFinding>,
    /// The command that proves the fix; `None` if there is none.
    pub check: Option<CheckCommand>,
    /// The branch or commit that the work is based on. A failure that is there too is not
    /// fixed.
    pub base: Option<String>,
    /// The changes since the command last passed; `None` if that is not known.
    pub changes: Option<Arc<Changes>>,
    /// Commands in which a fix must not break anything.
    pub guards: Vec<Guard>,
    /// The summary of a plan that was accepted earlier.
    pub accepted_plan: Option<String>,
    /// Files that the accepted plan was made from, with their digests.
    pub reads: Vec<(RepoPath, Sha256)>,
    /// Actions given by the caller; no provider is asked.
    pub given: Option<ActionSet>,
    /// `true` if recipes made them: edits that the run does not allow are left out then.
    pub given_by_recipe: bool,
    /// The places that a recipe leaves to the models, which go on with the goal after it; `None` if they do not.
    pub after_recipe: Option<Vec<String>>,
    /// The failed attempts of the runs that this one continues.
    pub earlier_attempts: Vec<FailedAttempt>,
}

/// Texts that the model gets in addition to the failure. The texts of the repository are from a revision that the change
/// under test cannot alter.
#[derive(Clone, Debug, Default)]
pub struct Background {
    /// The issue that the task is about; untrusted.
    pub issue: Option<String>,
    /// The repository's notes for agents; untrusted.
    pub agents: Option<String>,
    /// The repository's description of its architecture; untrusted.
    pub architecture: Option<String>,
    /// The engineering memory.
    pub memory: Option<MemoryBlock>,
    /// The notes on the repository's earlier failures.
    pub notes: NoteBook,
}

/// The model that answers in an attempt.
pub type Model<'a> = &'a dyn Provider;

/// Returns the position of the first model with another name or provider than the first one. `None` if all are
/// one model.
pub(super) fn find_second_model(models: &[Model<'_>]) -> Option<usize> {
    let first = models.first()?;
    models.iter().position(|it| (it.model(), it.name()) != (first.model(), first.name()))
}

/// The record of earlier runs on a failure.
pub trait AttemptHistory: Sync {
    /// Returns the reason against a further attempt and a hint for the user; `None` if the run
    /// may continue.
    fn refuses(&self, fingerprint: &Fingerprint) -> Option<(String, String)>;
}

/// The repository's files: their paths, known before the first command runs, and their content,
/// read while it runs.
pub trait FilesSurvey: Sync {
    /// Returns definitions and words of the files once they are read, or `None` if they cannot be
    /// read, which ends the run.
    fn known(&self) -> Option<RepositoryIndex<'_>>;

    /// Returns the paths, separated by `/` and sorted; none if the folder cannot be read.
    fn files(&self) -> &[String];
}

/// The git repository that the tree is in.
pub trait GitState: Sync {
    /// Returns the tracked files of the tree, as they were listed before the first command ran.
    fn tracked(&self) -> &[RepoPath];

    /// Returns the commit and the branch that are checked out now, for a comparison; `None` if
    /// the repository no longer exists.
    ///
    /// It reads files below `.git` and starts no program, because the command may have replaced
    /// `git` in `PATH`.
    fn head(&self) -> Option<String>;
}

/// The environment of a run. The engine reaches disk, processes, network and clock only through
/// it.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// Processes, clock and disk outside the repository.
    pub system: System<'a>,
    /// The repository.
    pub tree: &'a dyn Tree,
    /// The repository's files.
    pub survey: &'a dyn FilesSurvey,
    /// The git repository; `None` outside of one.
    pub git: Option<&'a dyn GitState>,
    /// Problem matchers, as they were at the start of the run: the command cannot add one.
    pub matchers: &'a Matchers,
    /// The lines of a run that passed, which excerpts leave out.
    pub green: Option<&'a Arc<GreenLines>>,
    /// The detected kind of project.
    pub profile: &'a Profile,
    /// The fixes without a model; `None` if they are switched off. They are tried before the
    /// models.
    pub quickfix: Option<&'a Quickfix<'a>>,
    /// The recipes; `None` if there are no folders of them. They are tried before everything else.
    pub recipes: Option<&'a RecipeStage<'a>>,
    /// The formatters of the project; `None` if they are switched off.
    pub formatter: Option<&'a Formatter<'a>>,
    /// The models, one for each further attempt.
    pub models: &'a [Model<'a>],
    /// The model that judges changes; `None` is the model of the attempt.
    pub judge_model: Option<Model<'a>>,
    /// The model that summarizes the findings of online research; `None` shows their texts.
    pub research_model: Option<Model<'a>>,
    /// Receiver of events.
    pub events: &'a dyn EventSink,
    /// Replaces secrets in every text that leaves the run.
    pub masker: &'a Masker,
    /// The network of tools that run in the repository in addition to the command.
    pub network: CommandNetwork,
    /// The attempts of earlier runs; asked once, before a change is first requested.
    pub history: Option<&'a dyn AttemptHistory>,
}

impl World<'_> {
    /// Returns the limits of a tool that runs in the repository in addition to the command.
    pub(super) fn confinement(&self) -> Confinement {
        Confinement {
            tree: self.tree.root().to_owned(),
            is_read_only: false,
            network: self.network,
        }
    }
}

/// Limits on what a run may spend; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Input and output tokens together.
    pub max_tokens: Option<u64>,
    /// US dollars.
    pub max_cost: Option<f64>,
    /// Requests to providers.
    pub max_requests: Option<u32>,
    /// Duration of the whole run.
    pub timeout: Duration,
}

/// Destination of traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceConfig {
    /// The folder; `None` writes none.
    pub dir: Option<PathBuf>,
    /// `true` if the raw reply is kept, masked.
    pub raw: bool,
}

/// One step of the preparation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupStep {
    /// A command of the user, which always runs.
    Command(String),
    /// The usual installation of the project, unless it is current.
    Usual(Installation),
}

/// The preparation of the repository before the first run of the command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetupPlan {
    /// The steps in their order.
    pub steps: Vec<SetupStep>,
    /// The user's home, which has the caches of package managers; `None` if it is not known.
    pub home: Option<PathBuf>,
    /// Time limit of each command.
    pub timeout: Duration,
}

/// The treatment of a fix with places that are flagged for review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlaggedFix {
    /// It does not count.
    Refuse,
    /// It counts, and the outcome lists the places.
    Accept,
}

/// The treatment of what a reply asks to remember.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPatch {
    /// All of it is dropped.
    Drop,
    /// The values that pass the filter may be saved.
    Accept,
}

/// The limits and choices of a run.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of the user")]
pub struct EngineConfig {
    /// The protocol of the first APPLY.
    pub version: Version,
    /// `true` if an APPLY may fall back to v1; the fallback from v3 to v2 is always allowed.
    pub fallback: bool,
    /// The treatment of a reply to a PLAN request that brings the change itself.
    pub direct: DirectReply,
    /// The treatment of a file that changed while the reply was generated.
    pub on_conflict: OnConflict,
    /// Online research; `None` while it is off.
    pub research: Option<ResearchConfig>,
    /// The reaction to a request that brought no reply.
    pub on_error: OnError,
    /// `true` if the model has to cite the lines that show the claims of its last summary.
    pub self_check: bool,
    /// `true` if the model is asked for a recipe of its proved change where none could be learned.
    pub asks_recipe: bool,
    /// `true` if a model judges each proved change, where there is a model.
    pub judges: bool,
    /// Context rounds in a PLAN.
    pub max_rounds: u32,
    /// Most repetitions of a suspected flake before anything is changed.
    pub flake_reruns: u32,
    /// `true` if the command runs once more, with only a comment added, before a model is asked.
    pub control_run: bool,
    /// The way in which the commit that made the command fail is looked for.
    pub culprit: CulpritSearch,
    /// Most runs of the command on earlier commits.
    pub culprit_runs: u32,
    /// Most runs that prove the fix of a flaky test; 0 fixes none.
    pub prove_runs: u32,
    /// The weakest proof of a fix that is accepted.
    pub require_proof: ProofLevel,
    /// The treatment of a fix with places that are flagged for review.
    pub flagged: FlaggedFix,
    /// The context's budget.
    pub diet: DietConfig,
    /// `true` if the first request names the imports around its files.
    pub graph: bool,
    /// The summary of a conversation near the limit of the window.
    pub compress: Compression,
    /// The window of the model if it is known.
    pub window: Option<ContextWindow>,
    /// Maximum tokens of a reply to a request of more than 80,000 characters, if the user set it.
    pub long_input_tokens: Option<u32>,
    /// The run's budget.
    pub budget: Budget,
    /// Limits on a change.
    pub policy: Policy,
    /// Limits on the user's command.
    pub verify: VerifyConfig,
    /// The preparation before its first run.
    pub setup: SetupPlan,
    /// Traces.
    pub trace: TraceConfig,
    /// The treatment of what a reply asks to remember.
    pub memory_patch: MemoryPatch,
    /// `true` if a proved change stays in the tree (`--emit worktree`).
    pub keep_tree: bool,
    /// Prices of tokens.
    pub prices: Prices,
    /// The settings without secrets, as the traces contain them.
    pub snapshot: Value,
}
