//! The outcome of a run: the contents of `outcome.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::{ChangeRecord, CulpritRecord};
use super::citations::{ReviewRecord, SelfCheckRecord};
use super::exit_code::ExitCode;
use super::failure_class::Evidence;
use super::finding_record::{FindingRecord, ReportedFinding};
use super::id::RunId;
use super::judgement::Judgement;
pub use super::pull_checks::{PullCheck, PullChecks};
use super::sandbox::SandboxRecord;
pub use super::usage::FreeRecord;
use super::usage::{MergeConflict, ProviderRecord, ReplyActivity, Usage};

pub use super::verify_record::{CheckRecord, FlakeRecord, GuardRecord, TestCounts, VerifyRecord};

/// The outcome of a run, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// The command failed before the change and passes after it.
    Fixed,
    /// The command passes because a part of the commit that made it fail is taken back, which is no fix.
    Undone,
    /// The command passes as it is.
    NothingToFix,
    /// A plan or an unproved patch; nothing was verified.
    Planned,
    /// The command still fails, or nothing was changed.
    NotFixed,
    /// The reply broke a rule of the protocol.
    Rejected,
    /// The provider could not be used.
    ProviderError,
    /// A limit on tokens, money, requests or time was reached.
    OverBudget,
    /// The files changed during the run.
    Conflict,
    /// The change was made but could not be published.
    PublishFailed,
    /// A signal ended the run.
    Interrupted,
    /// The command line, a setting or an input file is wrong.
    UsageError,
    /// The program itself failed because of a bug; only a batch, which continues, reports it.
    Internal,
}

impl OutcomeKind {
    /// Every outcome.
    pub const ALL: [Self; 13] = [
        Self::Fixed,
        Self::Undone,
        Self::NothingToFix,
        Self::Planned,
        Self::NotFixed,
        Self::Rejected,
        Self::ProviderError,
        Self::OverBudget,
        Self::Conflict,
        Self::PublishFailed,
        Self::Interrupted,
        Self::UsageError,
        Self::Internal,
    ];

    /// Returns the word used in `outcome.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Undone => "undone",
            Self::NothingToFix => "nothing_to_fix",
            Self::Planned => "planned",
            Self::NotFixed => "not_fixed",
            Self::Rejected => "rejected",
            Self::ProviderError => "provider_error",
            Self::OverBudget => "over_budget",
            Self::Conflict => "conflict",
            Self::PublishFailed => "publish_failed",
            Self::Interrupted => "interrupted",
            Self::UsageError => "usage_error",
            Self::Internal => "internal",
        }
    }

    /// Returns how the run ended in words, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Undone => "undone",
            Self::NothingToFix => "nothing to fix",
            Self::Planned => "planned",
            Self::NotFixed => "not fixed",
            Self::Rejected => "refused",
            Self::ProviderError => "no answer from the model",
            Self::OverBudget => "stopped at a limit",
            Self::Conflict => "conflict",
            Self::PublishFailed => "not published",
            Self::Interrupted => "interrupted",
            Self::UsageError => "not started",
            Self::Internal => "internal error",
        }
    }

    /// Returns the exit code that goes with the word.
    pub fn exit_code(self) -> ExitCode {
        match self {
            Self::Fixed | Self::Undone | Self::NothingToFix => ExitCode::Ok,
            Self::Planned | Self::NotFixed | Self::Internal => ExitCode::NotFixed,
            Self::UsageError => ExitCode::Usage,
            Self::ProviderError | Self::OverBudget => ExitCode::Provider,
            Self::Rejected => ExitCode::Rejected,
            Self::Conflict => ExitCode::Conflict,
            Self::PublishFailed => ExitCode::Publish,
            Self::Interrupted => ExitCode::Interrupted,
        }
    }
}

/// The part of a fix that is seen in the command's output, the weakest first (`docs/proof.md`).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ProofLevel {
    /// The exit code alone: the output shows no result that can be read.
    #[default]
    ExitCode,
    /// Totals: as many tests ran as before and none failed, or a checker reports no finding.
    Counts,
    /// Tests by name: each that failed is seen passing, and each that passed passes still.
    Tests,
}

impl ProofLevel {
    /// Every level, the weakest first.
    pub const ALL: [Self; 3] = [Self::ExitCode, Self::Counts, Self::Tests];

    /// Returns the word used in settings and in `outcome.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ExitCode => "exit_code",
            Self::Counts => "counts",
            Self::Tests => "tests",
        }
    }
}

/// The tests that a proof ran with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProofTests {
    /// The tests, their data and settings as they were before the change.
    #[default]
    AsTheyWere,
    /// Only with the tests, their data or settings as the change makes them.
    Changed,
}

impl ProofTests {
    /// Returns the word used in `outcome.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsTheyWere => "as_they_were",
            Self::Changed => "changed",
        }
    }
}

/// A place of the change that a person should read before the fix counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewFlag {
    /// The file.
    pub path: String,
    /// From 1.
    pub line: u64,
    /// A predicate of the change.
    pub reason: String,
}

/// Repair and fallback of the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProtocolRecord {
    /// Versions asked in the last APPLY, in order: `["v2"]`, `["v2", "v1"]`.
    pub attempts: Vec<String>,
    /// `true` if a repair request was sent.
    pub repair: bool,
    /// The code that was repaired.
    pub repair_reason: Option<String>,
    /// `true` if an older protocol was used.
    pub fallback: bool,
    /// The code that made it.
    pub fallback_reason: Option<String>,
}

/// Wall times in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Timings {
    /// The whole run.
    pub total: u64,
    /// Waiting for providers.
    pub llm: u64,
    /// Running the user's command.
    pub verify: u64,
    /// Installing what the project needs.
    #[serde(default)]
    pub setup: u64,
    /// Running the project's own tools, such as linters, before a model is asked.
    #[serde(default)]
    pub tools: u64,
}

/// The part of a recipe in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecipeResult {
    /// Its change is part of the proved fix.
    Healed,
    /// Its change did not make the command pass, and was taken back.
    Failed,
    /// The proved fix taught it.
    Learned,
}

/// A recipe of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeRecord {
    /// Its id.
    pub id: String,
    /// Its part in the run.
    pub result: RecipeResult,
}

/// The contents of `outcome.json`; unknown fields are ignored on reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Version of this form: 1.
    pub schema_version: u32,
    /// The run.
    pub run_id: RunId,
    /// When it began, RFC 3339 in UTC; empty where the results are of an earlier version.
    #[serde(default)]
    pub started_at: String,
    /// The outcome in one word.
    pub outcome: OutcomeKind,
    /// The process's exit code.
    pub exit_code: u8,
    /// Why, in one sentence.
    pub reason: String,
    /// The typed code behind the reason, where there is one.
    pub error_code: Option<String>,
    /// The next step for the user, if there is one.
    pub hint: Option<String>,
    /// `code`, `test_flake`, `infrastructure`, `environment`, `dependency`, `formatting`, `red_on_base` or `unknown`; `null`
    /// when nothing failed.
    pub failure_class: Option<String>,
    /// The lines that show the class, the strongest first.
    #[serde(default)]
    pub failure_evidence: Vec<Evidence>,
    /// The command again, with nothing changed, because the failure looked like a flake.
    #[serde(default)]
    pub flake_reruns: Vec<CheckRecord>,
    /// The changes since the command last passed; `null` if no green commit is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangeRecord>,
    /// The commit that made the command fail; `null` if none is suspected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub culprit: Option<CulpritRecord>,
    /// Paths changed, sorted.
    pub changed_files: Vec<String>,
    /// The patch file, where one was written.
    pub patch_path: Option<String>,
    /// The patch file of a part of the failures, where the run fixed only some of them.
    #[serde(default)]
    pub partial_patch_path: Option<String>,
    /// The patch file of the last change that passed the command and does not count, where the run has no other.
    #[serde(default)]
    pub refused_patch_path: Option<String>,
    /// The plan file, where one was written.
    pub plan_path: Option<String>,
    /// `true` if the command passed on the changed tree; `verify.before` shows that it failed
    /// before, except for a goal in words.
    pub verified: bool,
    /// The proof.
    pub verify: VerifyRecord,
    /// The part of the fix that the command's output shows; `null` unless `verified` is `true`.
    #[serde(default)]
    pub proof: Option<ProofLevel>,
    /// The tests that the proof ran with; `null` unless `verified` is `true`.
    #[serde(default)]
    pub proof_tests: Option<ProofTests>,
    /// Places of the last change that a person should read; a fix that has some needs `--accept-flags`.
    #[serde(default)]
    pub review_flags: Vec<ReviewFlag>,
    /// Places of the last change that are worth a look; they do not change the result, and stop an automatic merge.
    #[serde(default)]
    pub review_notes: Vec<ReviewFlag>,
    /// The second opinion on the last change that passed the command; `null` without such a change.
    #[serde(default)]
    pub judge: Option<Judgement>,
    /// The self-check of the summary, with `--self-check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_check: Option<SelfCheckRecord>,
    /// The remarks of a review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewRecord>,
    /// Attempts made.
    pub attempts: u32,
    /// The run that this one continues (`runs continue`); `null` for a new one.
    #[serde(default)]
    pub continues: Option<RunId>,
    /// Attempts made by that run and those before it.
    #[serde(default)]
    pub attempts_before: u32,
    /// Repair and fallback.
    pub protocol: ProtocolRecord,
    /// The provider of the last attempt.
    pub provider: Option<String>,
    /// The model of the last attempt.
    pub model: Option<String>,
    /// Tokens of the whole run.
    pub tokens: Usage,
    /// Requests sent to providers.
    pub requests: u32,
    /// The answered requests and the edits of the replies.
    #[serde(default)]
    pub activity: ReplyActivity,
    /// The fixes without a model.
    #[serde(default)]
    pub zero_tokens: FreeRecord,
    /// The recipes that were tried or learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipes: Vec<RecipeRecord>,
    /// Dollars of the whole run; `null` when no price is known.
    pub cost_usd: Option<f64>,
    /// The part of each provider, where several were asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<ProviderRecord>,
    /// The actions that were left out because two providers change the same place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merge_conflicts: Vec<MergeConflict>,
    /// Wall times.
    pub timings_ms: Timings,
    /// Trace files written.
    pub trace_paths: Vec<String>,
    /// Branch pushed, if any.
    pub branch: Option<String>,
    /// Pull request opened or updated, if any.
    pub pr_url: Option<String>,
    /// Its number.
    #[serde(default)]
    pub pr_number: Option<u64>,
    /// The checks of its commit; `null` without `--wait-checks`.
    #[serde(default)]
    pub pr_checks: Option<PullChecks>,
    /// The fingerprint of the failure, equal in every run; `null` if there is no request for one.
    #[serde(default)]
    pub fingerprint: Option<String>,
    /// The number of this attempt at the failure, earlier runs included, if it was published.
    #[serde(default)]
    pub attempt_total: Option<u32>,
    /// The bundle's folder, where one was written.
    #[serde(default)]
    pub bundle_path: Option<String>,
    /// The digest of its manifest, for `publish --digest`.
    #[serde(default)]
    pub bundle_digest: Option<String>,
    /// The scanner's finding of the task; `null` for other tasks.
    #[serde(default)]
    pub finding: Option<FindingRecord>,
    /// The findings of scanners in addition to the failures of the command, at most 200.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<ReportedFinding>,
    /// The keys of the engineering memory that were saved, in their dotted form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_saved: Vec<String>,
    /// The sandbox of the commands; `null` if none ran.
    #[serde(default)]
    pub sandbox: Option<SandboxRecord>,
    /// Remarks for the user about the delivery of the change.
    #[serde(default)]
    pub notices: Vec<String>,
}

impl Outcome {
    /// Returns the code that the process exits with: that of the outcome's kind, or 0 for a plan that was asked for.
    pub fn process_code(&self) -> ExitCode {
        if self.exit_code == ExitCode::Ok.number() {
            ExitCode::Ok
        } else {
            self.outcome.exit_code()
        }
    }

    /// Starts an outcome with everything empty.
    pub fn new(run_id: RunId, kind: OutcomeKind, reason: impl Into<String>) -> Self {
        Self {
            schema_version: 1,
            run_id,
            started_at: String::new(),
            outcome: kind,
            exit_code: kind.exit_code().number(),
            reason: reason.into(),
            error_code: None,
            hint: None,
            failure_class: None,
            failure_evidence: Vec::new(),
            flake_reruns: Vec::new(),
            changes: None,
            culprit: None,
            changed_files: Vec::new(),
            patch_path: None,
            partial_patch_path: None,
            refused_patch_path: None,
            plan_path: None,
            verified: false,
            verify: VerifyRecord::default(),
            proof: None,
            proof_tests: None,
            review_flags: Vec::new(),
            review_notes: Vec::new(),
            judge: None,
            self_check: None,
            review: None,
            attempts: 0,
            continues: None,
            attempts_before: 0,
            protocol: ProtocolRecord::default(),
            provider: None,
            model: None,
            tokens: Usage::default(),
            requests: 0,
            activity: ReplyActivity::default(),
            zero_tokens: FreeRecord::default(),
            recipes: Vec::new(),
            cost_usd: None,
            providers: Vec::new(),
            merge_conflicts: Vec::new(),
            timings_ms: Timings::default(),
            trace_paths: Vec::new(),
            branch: None,
            pr_url: None,
            pr_number: None,
            pr_checks: None,
            fingerprint: None,
            attempt_total: None,
            bundle_path: None,
            bundle_digest: None,
            finding: None,
            findings: Vec::new(),
            memory_saved: Vec::new(),
            sandbox: None,
            notices: Vec::new(),
        }
    }
}
