//! Turns the end of a run into its result.

use std::collections::BTreeSet;

use super::change_state::quote_paths;
use super::code_review;
use super::costs::Costs;
use super::end_text::{EndText, describe_end};
use super::engine_inputs::EngineInputs;
use super::exchange::OpenExchange;
use super::failure_places::place_in_repository;
use super::fatal::Fatal;
use super::judge;
use super::judge_packet::write_packet;
use super::plan_file::PlanFile;
use super::run::Run;
use super::state::RunEnd;
use super::tracked_files::{COPIES, TrackedFiles};
use crate::recipes::RecipeTries;
use papayu_base::domain::outcome::{
    OutcomeKind, ProtocolRecord, RecipeRecord, RecipeResult, Timings,
};
use papayu_base::domain::{
    CulpritRecord, ExitCode, FailureReport, Outcome, RepoPath, ReportedFinding,
};
use papayu_patch::prompts::FailedAttempt;
use papayu_patch::render;
use papayu_recipes::Recipe;
use papayu_system::memory::Memory;
use papayu_vet::VettedChange;

/// Most findings of scanners in the outcome.
const MAX_FINDINGS: usize = 200;

/// Most keys of the memory that a notice names.
const MAX_NOT_REMEMBERED: usize = 5;

/// Most restored files that the hint names.
const MAX_REWRITTEN: usize = 5;

/// The result of a run, for reports and outputs.
pub struct Finished {
    /// The outcome, as `outcome.json` contains it.
    pub outcome: Outcome,
    /// The same as a git patch, secrets and all: it is the user's own text.
    pub patch: Vec<u8>,
    /// The changes that fixed only a part of the failures, as a git patch.
    pub partial: Vec<u8>,
    /// The last change that was refused or did not help, as a git patch; empty if the change is delivered.
    pub refused: Vec<u8>,
    /// The packet by which the last change that passed can be judged, masked; empty without one.
    pub judge_packet: String,
    /// The plan file's text, when a plan was what the goal wanted.
    pub plan: Option<String>,
    /// The failure's excerpt, masked.
    pub log: String,
    /// The failures before any change, masked.
    pub failure: FailureReport,
    /// The description of the change by its author, masked.
    pub summary: String,
    /// The change itself, of the tree as it was.
    pub change: Option<VettedChange>,
    /// The recipes that helped, and those that did not.
    pub recipes: Vec<RecipeRecord>,
    /// The recipe of the change without its origin, or the reason why there is none; `None` if the run teaches none.
    pub learned: Option<Result<Recipe, String>>,
    /// The values that replies asked to remember and that may be saved.
    pub remembered: Memory,
    /// The attempts that did not make the command pass, those of continued runs included.
    pub failed_attempts: Vec<FailedAttempt>,
}

/// Returns the result of a run from its end.
pub(super) fn finish(run: Run<'_>, end: Result<RunEnd, Fatal>) -> Finished {
    let outcome = outcome(&run, end);
    let plan = plan_text(&run, &outcome);
    let Run { inputs, failure, changes, dialogue, attempts, closing, assessment, checks, .. } = run;
    let judge_packet = if assessment.judge_packet.is_empty() && outcome.verified && checks.was_red()
    {
        // Others may judge what this run did not.
        write_packet(inputs, &failure, &changes)
    } else {
        assessment.judge_packet
    };
    let partial = match changes.kept.kept() {
        Some(kept) if outcome.outcome == OutcomeKind::NotFixed => render::render(kept.whole()),
        _ => Vec::new(),
    };
    let mut first = match &closing.review {
        // CI systems show remarks as they show failures.
        Some(review) => code_review::report_of(review),
        None => failure.original().clone(),
    };
    place_in_repository(&mut first, &inputs.world);
    let is_delivered = matches!(
        outcome.outcome,
        OutcomeKind::Fixed | OutcomeKind::Planned | OutcomeKind::PublishFailed
    );
    let refused = match is_delivered {
        true if changes.left_out.paths.is_empty() => Vec::new(),
        false if changes.refused.is_empty() => changes.patch.clone(),
        _ => changes.refused,
    };
    Finished {
        outcome,
        patch: changes.patch,
        partial,
        refused,
        judge_packet,
        plan,
        log: failure.report.excerpt,
        failure: first,
        summary: inputs.world.masker.mask(&attempts.last_summary).into_owned(),
        change: changes.vetted,
        recipes: list_recipes(&attempts.recipes),
        learned: closing.recipe,
        remembered: dialogue.remembered,
        failed_attempts: attempts.failed,
    }
}

/// Returns the recipes with a change that was checked.
fn list_recipes(tries: &RecipeTries) -> Vec<RecipeRecord> {
    let record = |ids: &BTreeSet<String>, result| -> Vec<RecipeRecord> {
        ids.iter().map(|id| RecipeRecord { id: id.clone(), result }).collect()
    };
    let helped = record(&tries.helped, RecipeResult::Healed);
    let failed = tries.failed.difference(&tries.helped).cloned().collect();
    [helped, record(&failed, RecipeResult::Failed)].concat()
}

/// Returns the outcome of a run from its end.
///
/// The outcome is masked, but nothing is written here: `emit` and `report` write the files.
fn outcome(run: &Run<'_>, end: Result<RunEnd, Fatal>) -> Outcome {
    let is_wanted_plan = matches!(end, Ok(RunEnd::Planned));
    let EndText { kind, code, reason, hint } =
        end.map_or_else(EndText::from, |finish| describe_end(run, finish));
    let masker = run.inputs.world.masker;
    let reason = masker.mask(&reason).into_owned();
    let mut outcome = Outcome::new(run.inputs.id.clone(), kind, reason);
    if is_wanted_plan {
        // `plan` succeeded. An unproved change has the same outcome, but was not requested as
        // such.
        outcome.exit_code = ExitCode::Ok.number();
    }
    outcome.error_code = code.map(|code| code.as_str().to_owned());
    let hint = hint.or_else(|| code.map(|code| code.row().hint.to_owned()));
    outcome.hint = hint
        .into_iter()
        .chain(list_copies(&run.changes.copies))
        .chain(list_rewritten(run.inputs, &run.changes.tracked))
        .chain(list_changed_locks(run))
        .chain(run.checks.base_note.clone())
        .chain(run.dialogue.conversation.online.hint().filter(|_| kind != OutcomeKind::Fixed))
        .reduce(|all, hint| all + "; " + &hint);
    let landed = matches!(kind, OutcomeKind::Fixed | OutcomeKind::Planned);
    if let Some(change) = run.changes.vetted.as_ref().filter(|_| landed) {
        // Only delivered changes are listed; a reverted one is in the trace.
        outcome.changed_files = crate::emit::changed_files(change.whole());
    }
    // `verified` follows from the outcome alone, so the two can never contradict each other.
    outcome.verified = kind == OutcomeKind::Fixed;
    outcome.verify = run.checks.record();
    add_assessment(&mut outcome, run, kind);
    // An empty report of a passing command has no class.
    if run.checks.was_red() || run.checks.is_unprepared || run.inputs.task.log.is_some() {
        outcome.failure_class = Some(run.failure.triage.class.name().to_owned());
        outcome.failure_evidence.clone_from(&run.failure.triage.evidence);
    }
    outcome.flake_reruns.clone_from(&run.checks.reruns);
    outcome.attempts = run.attempts.count_all(run.inputs);
    outcome.protocol = protocol(run.exchanges.last_apply.as_ref());
    // A run that ended before the first request has no provider.
    if run.attempts.asked {
        // The outcome names the stage as the setting that chooses it.
        let (provider, model) = run
            .attempts
            .model(run.inputs)
            .map_or((free_provider(run), "none"), |model| (model.name(), model.model()));
        outcome.provider = Some(provider.to_owned());
        outcome.model = Some(model.to_owned());
    }
    add_records(&mut outcome, run);
    outcome.findings = list_findings(run);
    outcome.activity = run.attempts.activity;
    add_costs(&mut outcome, &run.costs);
    outcome.notices.extend(run.checks.confirmed.not_compared.iter().cloned());
    add_closing(&mut outcome, run);
    outcome.timings_ms = Timings {
        total: run.inputs.now_ms(),
        llm: run.costs.spend.llm_ms,
        verify: run.costs.spend.verify_ms,
        setup: run.checks.setup.iter().map(|it| it.ms).sum(),
        tools: run.costs.spend.tools_ms,
    };
    outcome.recipes = list_recipes(&run.attempts.recipes);
    outcome.zero_tokens = run.changes.kept.record(kind == OutcomeKind::Fixed);
    outcome.trace_paths.clone_from(&run.exchanges.trace_paths);
    outcome
}

/// Returns the source of a run without a model, as the setting that chooses it names the tools.
fn free_provider(run: &Run<'_>) -> &'static str {
    let is_recipe = run.attempts.is_given() && run.inputs.task.given_by_recipe;
    let is_recipe = is_recipe || run.attempts.free_name() == Some("recipe");
    if is_recipe { "recipe" } else { "suggestions" }
}

/// Adds the requests to models with their tokens and costs.
fn add_costs(outcome: &mut Outcome, costs: &Costs) {
    let spend = &costs.spend;
    outcome.tokens = spend.usage;
    outcome.requests = spend.requests;
    // Without a paid request the cost is known to be zero.
    outcome.cost_usd = if spend.paid { spend.cost } else { Some(0.0) };
    outcome.providers = costs.shares.several();
    outcome.merge_conflicts.clone_from(&costs.shares.conflicts);
    outcome.notices.extend(costs.shares.notices());
}

/// Adds the proof, and the places that a person should read.
fn add_assessment(outcome: &mut Outcome, run: &Run<'_>, kind: OutcomeKind) {
    outcome.proof = outcome.verified.then_some(run.assessment.proof);
    outcome.proof_tests = outcome.verified.then_some(run.assessment.proof_tests);
    outcome.review_flags.clone_from(&run.assessment.review_flags);
    outcome.review_notes.clone_from(&run.assessment.review_notes);
    outcome.judge = judge::describe_judgement(run, kind);
}

/// Adds the identity of the failure, the changes since the command last passed, and the commit that made it fail.
fn add_records(outcome: &mut Outcome, run: &Run<'_>) {
    outcome.fingerprint = run.failure.fingerprint.as_ref().map(ToString::to_string);
    outcome.changes = run.inputs.record_changes();
    outcome.culprit.clone_from(&run.blame.record);
    outcome.notices.extend(outcome.culprit.as_ref().map(CulpritRecord::line));
    outcome.notices.extend(run.blame.note.clone());
}

/// Returns the findings of scanners, with their places relative to the repository.
fn list_findings(run: &Run<'_>) -> Vec<ReportedFinding> {
    let mut report = run.failure.list_findings();
    place_in_repository(&mut report, &run.inputs.world);
    report.failures.iter().take(MAX_FINDINGS).map(ReportedFinding::of_failure).collect()
}

/// Returns a sentence with what the replies asked to remember and what is not saved, at most five keys; `None` if
/// there is nothing.
fn list_not_remembered(run: &Run<'_>) -> Option<String> {
    let dropped = &run.dialogue.not_remembered;
    let keys = dropped.iter().take(MAX_NOT_REMEMBERED);
    let keys: Vec<String> = keys.map(|(key, reason)| format!("`{key}` ({reason})")).collect();
    let more = dropped.len().saturating_sub(keys.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let text = format!("the reply asked to remember what is not saved: {}{more}", keys.join(", "));
    (!keys.is_empty()).then(|| run.inputs.world.masker.mask(&text).into_owned())
}

/// Adds what is not saved of the replies, and the results of the requests after the end.
fn add_closing(outcome: &mut Outcome, run: &Run<'_>) {
    let closing = &run.closing;
    outcome.notices.extend(list_not_remembered(run));
    outcome.notices.extend(closing.notice.clone());
    outcome.notices.extend(closing.review.iter().flat_map(code_review::notices));
    outcome.self_check.clone_from(&closing.self_check);
    outcome.review.clone_from(&closing.review);
}

/// Returns a hint with the copies of files that the command wrote into; `None` if there are
/// none.
fn list_copies(copies: &[RepoPath]) -> Option<String> {
    let what = "what the command wrote into changed files is kept in";
    (!copies.is_empty()).then(|| format!("{what} {}", quote_paths(copies)))
}

/// Returns a hint with the tracked files that the command changed, at most five by name; `None`
/// if there are none.
fn list_rewritten(inputs: &EngineInputs<'_>, tracked: &TrackedFiles) -> Option<String> {
    let paths: Vec<RepoPath> = tracked.rewritten.iter().cloned().collect();
    let more = paths.len().saturating_sub(MAX_REWRITTEN);
    let named = quote_paths(paths.get(..MAX_REWRITTEN).unwrap_or(&paths));
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let what = "files changed while the command ran, and were restored after each run:";
    let kept = format!("those versions, and edits of yours, are in `{COPIES}/{}`", inputs.id);
    (!paths.is_empty()).then(|| format!("{what} {named}{more}; {kept}"))
}

/// Returns a hint with the lock files that the command changed; `None` if there are none.
fn list_changed_locks(run: &Run<'_>) -> Option<String> {
    let paths = run.changes.tracked.find_changed_locks(run.inputs.world.tree);
    let named = quote_paths(&paths);
    (!paths.is_empty()).then(|| {
        format!(
            "the command itself changed {named}: the folder has its version, and the patch has not"
        )
    })
}

/// Returns the protocol versions, repair and fallback of the last APPLY exchange; empty if
/// there was none.
fn protocol(last_apply: Option<&OpenExchange>) -> ProtocolRecord {
    let Some(exchange) = last_apply else { return ProtocolRecord::default() };
    ProtocolRecord {
        attempts: exchange.versions.iter().map(ToString::to_string).collect(),
        repair: exchange.repair.is_some(),
        repair_reason: exchange.repair.map(|code| code.as_str().to_owned()),
        fallback: exchange.fallback.is_some(),
        fallback_reason: exchange.fallback.map(|code| code.as_str().to_owned()),
    }
}

/// Returns the text of the plan file, as indented JSON; `None` if the run did not end with a
/// plan.
fn plan_text(run: &Run<'_>, outcome: &Outcome) -> Option<String> {
    let plan = run.dialogue.plan.as_ref()?;
    let is_plan = outcome.outcome == OutcomeKind::Planned && run.closing.review.is_none();
    if !is_plan || run.changes.vetted.is_some() {
        return None;
    }
    let check = run.inputs.task.check.as_ref().map(|check| check.command.clone());
    let shown = run.dialogue.shown.iter().map(|(path, digest)| (path.clone(), *digest));
    let summary = run.inputs.world.masker.mask(&plan.summary).into_owned();
    let mut file = PlanFile::new(
        run.inputs.task.goal.clone(),
        check,
        summary,
        shown,
        run.failure.report.clone(),
    );
    file.changes = run.inputs.record_changes();
    file.diff = run
        .dialogue
        .plan_diff
        .as_deref()
        .map(|diff| run.inputs.world.masker.mask(diff).into_owned());
    serde_json::to_string_pretty(&file).ok().map(|text| text + "\n")
}
