//! The state of a run, and small operations on it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::confirmation::Confirmation;
use super::conversation::Conversation;
use super::exchange::Exchange;
use super::kept_changes::KeptChanges;
use super::rules::{Check, Rules, Seat};
use super::shares::Shares;
use super::spend::Spend;
use super::state;
use super::task::{EngineConfig, Model, Task, World, find_second_model};
use super::tracked_files::TrackedFiles;
use super::world_facts;
use crate::apply::{Applied, ApplyError};
use crate::context::{self, Cache, Context};
use crate::domain::event::{Event as RunEvent, EventName};
use crate::domain::hunk::HunkFault;
use crate::domain::outcome::{
    CheckRecord, OutcomeKind, ProofLevel, ProofTests, ReviewFlag, VerifyRecord,
};
use crate::domain::{
    ErrorCode, Failure, FailureReport, Fingerprint, Plan, RepoPath, RunId, Sha256, Triage, Version,
};
use crate::memory::Memory;
use crate::prompts::FailedAttempt;
use crate::protocol::Refusal;
use crate::quickfix::FixBatches;
use crate::test_results::TestResults;
use crate::text::mask::Masker;
use crate::vet::VettedChange;

/// Most rounds of a free provider: tools that show one kind of error at a time need several.
const FREE_ROUNDS: u32 = 8;

/// A reply that was refused, kept for the repair request.
#[derive(Clone, Debug)]
pub(super) struct RefusedReply {
    pub(super) code: ErrorCode,
    pub(super) reason: String,
    pub(super) path: Option<String>,
    pub(super) hunk: Option<Box<HunkFault>>,
    pub(super) digests: Vec<(String, Sha256)>,
    pub(super) fallback: Option<Version>,
}

/// An environment failure outside the state machine, such as a disk error, which ends the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fatal {
    pub(super) kind: OutcomeKind,
    pub(super) code: Option<ErrorCode>,
    pub(super) reason: String,
    pub(super) hint: Option<String>,
}

impl Fatal {
    pub(super) fn new(kind: OutcomeKind, reason: impl Into<String>, hint: &str) -> Self {
        Self { kind, code: None, reason: reason.into(), hint: Some(hint.to_owned()) }
    }

    /// Returns the error of a state that the table excludes.
    pub(super) fn bug(reason: impl std::fmt::Display) -> Self {
        let reason = format!("internal error: {reason}");
        Self::new(OutcomeKind::NotFixed, reason, "please report it with the trace")
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is the form of `map_err`")]
    pub(super) fn apply(error: ApplyError) -> Self {
        Self { code: error.code(), ..Self::new(error.outcome(), error.to_string(), error.hint()) }
    }
}

/// Everything a run knows.
pub(super) struct Run<'a> {
    pub(super) world: World<'a>,
    pub(super) config: &'a EngineConfig,
    pub(super) task: Task,
    pub(super) rules: Rules,
    pub(super) id: RunId,
    pub(super) report: FailureReport,
    /// The failures before any change; set before a change is first requested.
    pub(super) first_report: Option<FailureReport>,
    /// The identity of the failure across runs.
    pub(super) fingerprint: Option<Fingerprint>,
    /// The class of the failure.
    pub(super) triage: Triage,
    /// The command again, with nothing changed.
    pub(super) reruns: Vec<CheckRecord>,
    pub(super) before: Option<CheckRecord>,
    pub(super) after: Option<CheckRecord>,
    /// The control run before a model was asked.
    pub(super) control: Option<CheckRecord>,
    /// The runs that confirm a fix.
    pub(super) confirmed: Confirmation,
    /// The reason why the failure was not compared with the base commit.
    pub(super) base_note: Option<String>,
    /// `true` if the command gives the same results without the network, and runs without it from now on.
    pub(super) is_offline: bool,
    /// The tests that ran before any change.
    pub(super) tests_before: Option<TestResults>,
    /// The level of proof that the last success reached.
    pub(super) proof: ProofLevel,
    /// The tests that the last success ran with.
    pub(super) proof_tests: ProofTests,
    /// Places of the last change that a person should read.
    pub(super) review_flags: Vec<ReviewFlag>,
    /// Output of the last check after a change, for the next attempt.
    pub(super) failure_after: String,
    /// Facts of the command's output that contradict its exit code 0.
    pub(super) contradictions: Vec<String>,
    /// The values that replies asked to remember.
    pub(super) remembered: Memory,
    pub(super) context: Context,
    pub(super) gathered: bool,
    pub(super) cache: Cache,
    /// All messages of the run.
    pub(super) conversation: Conversation,
    /// Context rounds answered in the PLAN under way.
    pub(super) round: u32,
    pub(super) plan: Option<Plan>,
    /// The change of a plan that the tools propose, as a patch.
    pub(super) plan_diff: Option<String>,
    pub(super) last_summary: String,
    /// The last proposed change, in one line.
    pub(super) last_change: String,
    /// Findings of the quickfix stage without a safe fix, one on each line, for the next request.
    pub(super) hints: String,
    /// Fixes that the quickfix stage proposed before.
    pub(super) batches: FixBatches,
    pub(super) refusal: Option<RefusedReply>,
    pub(super) shown: BTreeMap<RepoPath, Sha256>,
    pub(super) stats: context::ContextStats,
    /// The last change that passed `vet`.
    pub(super) change: Option<VettedChange>,
    pub(super) patch: Vec<u8>,
    /// Changes that helped and are on disk.
    pub(super) kept: KeptChanges,
    /// Report of the last check after a change.
    pub(super) report_after: Option<FailureReport>,
    pub(super) applied: Option<Applied<'a>>,
    /// Versions that the command made of changed files which were then reverted.
    pub(super) copies: Vec<RepoPath>,
    /// The tracked files before the command, and those that it changed.
    pub(super) tracked: TrackedFiles,
    /// Paths whose change the command removed although it passed.
    pub(super) vanished: Vec<RepoPath>,
    pub(super) failed_attempts: Vec<FailedAttempt>,
    /// Failed changes, one line each.
    pub(super) tries: Vec<String>,
    /// Names at the root before the command ran.
    pub(super) found: Vec<String>,
    pub(super) attempt_index: usize,
    /// Free attempts whose change was applied; attempts without a proposal do not count.
    pub(super) free_landed: Vec<usize>,
    /// `true` after any provider was asked.
    pub(super) asked: bool,
    pub(super) exchange: Option<Exchange>,
    pub(super) last_apply: Option<Exchange>,
    pub(super) trace_paths: Vec<String>,
    pub(super) spend: Spend,
    /// The part of each provider.
    pub(super) shares: Shares,
    /// The reason why a provider gave no reply or which budget is used up, and a hint.
    pub(super) stop_reason: Option<(String, Option<String>)>,
}

impl<'a> Run<'a> {
    pub(super) fn new(world: World<'a>, config: &'a EngineConfig, task: Task, id: RunId) -> Self {
        let read = masked_triage(world.masker, task.log_triage.clone());
        Self {
            report: masked(world.masker, task.log.clone().unwrap_or_default()),
            triage: world_facts::recognize_own_modules(&world, read),
            rules: rules(&world, config, &task),
            world,
            config,
            task,
            id,
            first_report: None,
            fingerprint: None,
            reruns: Vec::new(),
            before: None,
            after: None,
            control: None,
            confirmed: Confirmation::default(),
            base_note: None,
            is_offline: false,
            tests_before: None,
            proof: ProofLevel::default(),
            proof_tests: ProofTests::AsTheyWere,
            review_flags: Vec::new(),
            failure_after: String::new(),
            contradictions: Vec::new(),
            remembered: Memory::default(),
            context: Context::default(),
            gathered: false,
            cache: Cache::default(),
            conversation: Conversation::default(),
            round: 0,
            plan: None,
            plan_diff: None,
            last_summary: String::new(),
            last_change: String::new(),
            hints: String::new(),
            batches: FixBatches::default(),
            refusal: None,
            shown: BTreeMap::new(),
            stats: context::ContextStats::default(),
            change: None,
            patch: Vec::new(),
            kept: KeptChanges::default(),
            report_after: None,
            applied: None,
            copies: Vec::new(),
            tracked: TrackedFiles::default(),
            vanished: Vec::new(),
            failed_attempts: Vec::new(),
            tries: Vec::new(),
            found: Vec::new(),
            attempt_index: 0,
            free_landed: Vec::new(),
            asked: false,
            exchange: None,
            last_apply: None,
            trace_paths: Vec::new(),
            spend: Spend::default(),
            shares: Shares::default(),
            stop_reason: None,
        }
    }

    /// Emits an event of the run.
    pub(super) fn emit_event(&self, event: RunEvent) {
        self.world.events.emit(event);
    }

    /// Returns milliseconds since the start of the run.
    pub(super) fn now_ms(&self) -> u64 {
        u64::try_from(self.world.system.clock.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the runs of the command so far.
    pub(super) fn verify_record(&self) -> VerifyRecord {
        VerifyRecord {
            before: self.before.clone(),
            after: self.after.clone(),
            control: self.control.clone(),
            ..self.confirmed.record()
        }
    }

    /// Returns the time that the run has left.
    pub(super) fn time_left(&self) -> Duration {
        self.config.budget.timeout.saturating_sub(self.world.system.clock.elapsed())
    }

    /// Adds the milliseconds since `started_ms` to the time spent on requests.
    pub(super) fn add_llm_time(&mut self, started_ms: u64) {
        let ms = self.now_ms().saturating_sub(started_ms);
        self.spend.llm_ms += ms;
        self.exchange_mut(|exchange| exchange.llm_ms += ms);
    }

    /// Returns `true` if the attempt under way asks no model.
    pub(super) fn is_free(&self) -> bool {
        self.rules.attempts.get(self.attempt_index) == Some(&Seat::Quickfix)
    }

    /// Returns the model of the attempt under way; `None` in an attempt without one.
    pub(super) fn model(&self) -> Option<Model<'a>> {
        let before = self.rules.attempts.iter().take_while(|seat| **seat != Seat::Model).count();
        self.world.models.get(self.attempt_index.checked_sub(before)?).copied()
    }

    /// Keeps the summary of a model's reply.
    pub(super) fn set_summary(&mut self, summary: String) {
        summary.lines().next().unwrap_or_default().clone_into(&mut self.last_change);
        self.last_summary = summary;
    }

    /// Keeps the summary of actions; that of a quickfix proposal is kept already.
    pub(super) fn set_reply_summary(&mut self, summary: String) {
        if !self.is_free() {
            self.set_summary(summary);
        }
    }

    /// Returns a reason and a hint if earlier runs have tried to fix this failure too often.
    pub(super) fn check_attempt_history(&mut self) -> Option<(String, String)> {
        let root = format!("{}/", self.world.tree.root().display());
        let fingerprint = Fingerprint::of(&self.report, &root, self.task.goal.as_deref());
        self.first_report = Some(self.report.clone());
        let refused = self.world.history.and_then(|history| history.refuses(&fingerprint));
        self.fingerprint = Some(fingerprint);
        refused
    }

    /// Checks the plan's base: an accepted plan is valid only for the files it has read.
    pub(super) fn hold_to_plan(&mut self) -> Result<(), Fatal> {
        for (path, digest) in &self.task.reads {
            let bytes = self.world.tree.read(path, u64::MAX).ok();
            if bytes.is_none_or(|bytes| Sha256::of(&bytes) != *digest) {
                let code = ErrorCode::BaseMismatch;
                let reason = format!("{code}: `{path}` changed since the plan was made");
                let hint = "make a new plan";
                let fatal = Fatal::new(code.row().outcome, reason, hint);
                return Err(Fatal { code: Some(code), ..fatal });
            }
        }
        Ok(())
    }

    /// Returns the absolute path of the repository with a `/` at its end.
    pub(super) fn root_prefix(&self) -> String {
        self.world.tree.root().to_string_lossy().into_owned() + "/"
    }

    /// Remembers a refusal for the repair request and turns it into the table's event.
    pub(super) fn refuse(&mut self, refusal: Refusal) -> state::Event {
        let code = refusal.code;
        let reason = match &refusal.path {
            Some(path) => format!("`{path}` {}", refusal.reason),
            None => refusal.reason,
        };
        self.emit_event(
            RunEvent::new(EventName::ValidationFailed)
                .with("code", code.as_str())
                .with("reason", self.world.masker.mask(&reason).into_owned()),
        );
        self.exchange_mut(|exchange| exchange.error = Some((code, reason.clone())));
        self.refusal = Some(RefusedReply {
            code,
            reason,
            path: refusal.path,
            hunk: refusal.hunk,
            digests: Vec::new(),
            fallback: None,
        });
        state::Event::Refused(code)
    }

    /// Records a repair, and reads the file concerned for its digest (protocol section 5).
    pub(super) fn note_repair(&mut self, code: ErrorCode) {
        self.inject_digest(context::Want::Any);
        let injected: Vec<String> =
            self.refusal.iter().flat_map(|r| r.digests.iter().map(|d| d.0.clone())).collect();
        self.emit_event(RunEvent::new(EventName::ProtocolRepair).with("reason", code.as_str()));
        self.exchange_mut(|exchange| exchange.note_repair(code, injected));
    }

    /// Marks a fallback. A file that changed since it was read is read again first.
    pub(super) fn note_fallback(&mut self, code: ErrorCode, to: Version) {
        if code == ErrorCode::EditBaseMismatch {
            self.context.refresh(self.world.tree);
            self.cache.forget();
        }
        // v1 writes whole files, so the model must see the whole file.
        self.inject_digest(if to == Version::V1 {
            context::Want::Whole
        } else {
            context::Want::Any
        });
        let last = self.exchange.as_ref().and_then(|exchange| exchange.versions.last());
        let from = last.copied().unwrap_or(self.config.version);
        self.emit_event(
            RunEvent::new(EventName::ProtocolFallback)
                .with("from", from.to_string())
                .with("to", to.to_string())
                .with("reason", code.as_str()),
        );
        if let Some(refusal) = &mut self.refusal {
            refusal.fallback = Some(to);
        }
        self.exchange_mut(|exchange| exchange.note_fallback(code, to));
    }

    /// Reads the file of the refusal again, so that the repair request has its right digest
    /// (protocol section 5).
    fn inject_digest(&mut self, want: context::Want) {
        let Some(path) = self.refusal.as_ref().and_then(|refusal| refusal.path.clone()) else {
            return;
        };
        let Ok(path) = RepoPath::parse(&path) else { return };
        let why = "the refused change concerns it";
        let rank = context::Rank::Requested;
        if self
            .context
            .add_file(self.world.tree, &path, want, context::Reason::new(rank, why))
            .is_err()
        {
            return;
        }
        let resolved = self.world.tree.resolve(&path).unwrap_or(path);
        let found = self.context.files.iter().find(|file| file.path == resolved);
        if let (Some(file), Some(refusal)) = (found, &mut self.refusal) {
            refusal.digests.push((file.path.to_string(), file.sha256));
        }
    }

    /// Changes the exchange under way, if there is one.
    pub(super) fn exchange_mut(&mut self, change: impl FnOnce(&mut Exchange)) {
        if let Some(exchange) = &mut self.exchange {
            change(exchange);
        }
    }
}

/// Returns paths for messages: `` `a.rs`, `b.rs` ``.
pub(super) fn named(paths: &[RepoPath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}

/// Masks secrets in a report: it becomes part of requests, recordings, plans and outcomes.
pub(super) fn masked(masker: &Masker, mut report: FailureReport) -> FailureReport {
    let mask = |text: &mut String| *text = masker.mask(text).into_owned();
    for failure in &mut report.failures {
        mask(&mut failure.message);
        mask(&mut failure.quoted);
        let Failure { test, expected, actual, .. } = failure;
        [test, expected, actual].into_iter().flatten().for_each(mask);
    }
    report.command.iter_mut().for_each(mask);
    mask(&mut report.excerpt);
    mask(&mut report.raw);
    report
}

/// Masks secrets in the lines of evidence of a class.
pub(super) fn masked_triage(masker: &Masker, mut triage: Triage) -> Triage {
    for evidence in &mut triage.evidence {
        evidence.line = masker.mask(&evidence.line).into_owned();
    }
    triage
}

/// Returns the rules of the table for this run.
fn rules(world: &World<'_>, config: &EngineConfig, task: &Task) -> Rules {
    let attempts = if task.given.is_some() {
        vec![Seat::Given]
    } else {
        let quickfix = world.quickfix.map(|_| Seat::Quickfix);
        quickfix.into_iter().chain(world.models.iter().map(|_| Seat::Model)).collect()
    };
    let tools = attempts.iter().take_while(|seat| **seat == Seat::Quickfix).count();
    let check = match &task.check {
        None => Check::None,
        Some(_) if task.goal.is_some() || task.given.is_some() => Check::Goal,
        // Without a log, the command found in the project is all that shows a failure.
        Some(check) if check.by_user || task.log.is_none() => Check::Failure,
        Some(_) => Check::Guessed,
    };
    Rules {
        route: task.route,
        version: config.version,
        fallback: config.fallback,
        direct: config.direct,
        rounds: config.max_rounds,
        flake_reruns: config.flake_reruns,
        control_run: config.control_run,
        fixes_flakes: config.prove_runs > 0,
        confirms: config.control_run || !task.guards.is_empty() || config.prove_runs > 0,
        check,
        keeps_tree: config.keep_tree,
        attempts,
        second_model_from: find_second_model(world.models).map(|at| at + tools),
        on_error: config.on_error,
        free_rounds: FREE_ROUNDS,
        researches: config.research.as_ref().is_some_and(|it| it.is_automatic),
        on_conflict: config.on_conflict,
    }
}
