//! Vets the actions of a reply, and commits the vetted change.

use std::collections::{BTreeMap, BTreeSet};

use super::all_faults;
use super::change_state::LeftOut;
use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::formatting;
use super::kept_changes::KeptChanges;
use super::left_out;
use super::run::Run;
use super::state::StepEvent;
use crate::project;
use papayu_base::domain::event::{Event as RunEvent, EventName};
use papayu_base::domain::{
    ActionSet, Allowance, ErrorCode, Mode, OnConflict, Op, RepoPath, Sha256,
};
use papayu_patch::protocol::{Refusal, Repairs};
use papayu_patch::render;
use papayu_vet::{self as vet, VettedChange};

/// Vets the actions of `apply`, which the user passed instead of a reply.
///
/// A refused change is an event, not an error. Fails with [`Fatal`] (an internal error) if the task has no
/// actions.
pub(super) fn given(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    let Some(set) = run.inputs.task.given.clone() else {
        return Err(Fatal::bug("no actions were given"));
    };
    if !run.changes.kept.is_empty() {
        // They are for the files as they were.
        run.changes.revert()?;
        run.changes.kept = KeptChanges::default();
    }
    // The user has seen the files: the digests in the actions count as shown.
    for action in &set.actions {
        let digest = action.base_sha256().and_then(Sha256::parse);
        let path = RepoPath::parse(&action.path).ok();
        run.dialogue.shown.extend(path.zip(digest));
    }
    let (validated, version) = (set.validated.clone(), set.version);
    run.exchanges.update(|exchange| {
        exchange.versions = vec![version];
        exchange.answered = version;
        exchange.accept(validated, Repairs::default());
    });
    Ok(land(run, set))
}

/// Vets the actions in the reply to a PLAN request. The trace records the exchange as a direct one.
///
/// A refused change is an event, not an error. Fails with [`Fatal`] (an internal error) if the reply had no
/// actions.
pub(super) fn direct(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    let Some(set) = run.dialogue.conversation.direct.take() else {
        return Err(Fatal::bug("the reply had no actions"));
    };
    run.exchanges.update(|exchange| exchange.mode = Mode::Direct);
    Ok(land(run, set))
}

/// Vets the actions of the last reply again, on the files as they are now. A part without a place in them is refused as in
/// any other file.
pub(super) fn reapply(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    let Some(mut set) = run.dialogue.conversation.last_actions.take() else {
        return Err(Fatal::bug("no actions are kept to apply again"));
    };
    for action in &mut set.actions {
        let Ok(path) = RepoPath::parse(&action.path) else { continue };
        // Only a file that the model was shown: of another one it has never seen any state.
        let Some(shown) = run.dialogue.shown.get_mut(&path) else { continue };
        let Ok(bytes) = run.inputs.world.tree.read(&path, u64::MAX) else { continue };
        *shown = Sha256::of(&bytes);
        if let Op::PatchFile { base_sha256, .. }
        | Op::ReplaceRange { base_sha256, .. }
        | Op::EditFile { base_sha256, .. } = &mut action.op
        {
            *base_sha256 = Some(shown.to_string());
        }
    }
    Ok(land(run, set))
}

/// Vets the actions of a reply and keeps the result in `run.changes.vetted`; nothing is written.
///
/// Returns [`StepEvent::PreviewReady`], [`StepEvent::NoChanges`] for a reply without an effect,
/// [`StepEvent::Refused`] with the code of the gate, or [`StepEvent::Interrupted`].
pub(super) fn land(run: &mut Run<'_>, set: ActionSet) -> StepEvent {
    // The model may explain why nothing has to change; that is no refusal.
    if set.says_no_changes() {
        run.attempts.set_reply_summary(set.summary);
        return StepEvent::NoChanges;
    }
    let summary = set.summary.clone();
    let edits = u32::try_from(set.actions.len()).unwrap_or(u32::MAX);
    let keeps = run.inputs.rules.on_conflict == OnConflict::Apply && !run.attempts.is_free();
    run.dialogue.conversation.last_actions = keeps.then(|| set.clone());
    let clock = run.inputs.world.system.clock;
    let stop = || clock.interrupted();
    let landed = match vet_reply(run, &set) {
        Ok(Some(landed)) => landed,
        Ok(None) => return StepEvent::Interrupted,
        Err(refusal) => {
            run.attempts.activity.edits_refused += edits;
            run.changes.refused = render_refused(run, set);
            return run.refuse(refusal);
        }
    };
    let LandedReply { change, left_out, missing } = landed;
    let paths = left_out.actions.iter().filter_map(|it| RepoPath::parse(&it.path).ok());
    run.changes.left_out = LeftOut { paths: paths.collect(), missing };
    run.changes.refused = render_refused(run, left_out);
    // After the gates, so that the summary of a refused reply is not shown for an older change.
    run.attempts.set_reply_summary(summary);
    let Some(patch) = render::render_until(change.whole(), &stop) else {
        return StepEvent::Interrupted;
    };
    run.changes.patch = patch;
    run.exchanges.update(|exchange| {
        exchange.strategies.clone_from(change.strategies());
        exchange.error = None;
    });
    let (step, whole) = (change.step().changes().len(), change.whole().changes().len());
    // A patch carries no empty folders, so a change of folders alone would be delivered as nothing.
    let is_only_folders = run.changes.patch.is_empty() && !run.inputs.rules.keeps_tree;
    if step == 0 || whole == 0 || is_only_folders {
        "NO_CHANGES: its actions leave every file as it is"
            .clone_into(&mut run.attempts.last_summary);
        return StepEvent::NoChanges;
    }
    run.attempts.activity.edits_applied += edits;
    run.changes.vetted = Some(change);
    run.inputs.emit_event(RunEvent::new(EventName::PreviewReady).with("changes", step));
    run.attempts.note_landed();
    StepEvent::PreviewReady
}

/// Records the files of a reply that are tests by their names only. Returns `true` if there is a new one.
// Only after a refusal, because the imports of all files are resolved for it.
fn find_product_files(run: &mut Run<'_>, set: &ActionSet) -> bool {
    let Some(known) = run.inputs.world.survey.known() else { return false };
    let paths: Vec<RepoPath> =
        set.actions.iter().filter_map(|it| RepoPath::parse(&it.path).ok()).collect();
    let command = run.inputs.task.check.as_ref().map_or("", |check| check.command.as_str());
    let tree = run.inputs.world.tree;
    let policy = &run.inputs.policy;
    let found = project::find_product_files(known.index, tree, &paths, command, policy);
    let count = run.changes.product.len();
    run.changes.product.extend(found);
    run.changes.product.len() > count
}

/// A reply that passed the gates.
struct LandedReply {
    change: VettedChange,
    /// The actions that were left out.
    left_out: ActionSet,
    /// The allowances that they need.
    missing: BTreeSet<Allowance>,
}

/// Takes the actions of a reply through the gates. Edits that only an allowance permits are left out if the rest passes without them.
///
/// Returns `None` if a signal ended the check.
///
/// # Errors
///
/// The refusal, with all faults of the reply.
fn vet_reply(run: &mut Run<'_>, set: &ActionSet) -> Result<Option<LandedReply>, Refusal> {
    let mut vetted = vet_whole(run, set);
    // Before edits are left out: one of these files may have the fix.
    if matches!(&vetted, Err(refusal) if refusal.code == ErrorCode::TestEditNotAllowed)
        && find_product_files(run, set)
    {
        vetted = vet_whole(run, set);
    }
    let refusal = match vetted {
        Ok(change) => {
            let (left_out, missing) = (set.with_actions(Vec::new()), BTreeSet::new());
            return Ok(change.map(|change| LandedReply { change, left_out, missing }));
        }
        Err(refusal) => refusal,
    };
    let snapshot = run.inputs.snapshot(&run.dialogue.shown, run.changes.kept.kept());
    let clock = run.inputs.world.system.clock;
    let stop = || clock.interrupted();
    let policy = &run.policy();
    // The user's own actions are applied as they are, or not at all.
    let may_split = !run.attempts.is_given() || run.inputs.task.given_by_recipe;
    if may_split
        && let Some(split) = left_out::split_reply(set, &snapshot, policy, &stop)
        && let Ok(change) = vet::vet_until(split.rest, &snapshot, policy, &stop)
    {
        let (left_out, missing) = (split.left_out, split.missing);
        return Ok(change.map(|change| LandedReply { change, left_out, missing }));
    }
    Err(all_faults::collect_faults(refusal, set, &snapshot, policy, &stop))
}

/// Takes the actions of a reply through the gates as they are.
fn vet_whole(run: &Run<'_>, set: &ActionSet) -> Result<Option<VettedChange>, Refusal> {
    let snapshot = run.inputs.snapshot(&run.dialogue.shown, run.changes.kept.kept());
    let clock = run.inputs.world.system.clock;
    vet::vet_until(set.clone(), &snapshot, &run.policy(), &|| clock.interrupted())
}

/// Returns the patch of actions that are not applied; empty if a gate refuses them whatever the run allows.
fn render_refused(run: &Run<'_>, set: ActionSet) -> Vec<u8> {
    if set.actions.is_empty() {
        return Vec::new();
    }
    let snapshot = run.inputs.snapshot(&run.dialogue.shown, run.changes.kept.kept());
    let clock = run.inputs.world.system.clock;
    let stop = || clock.interrupted();
    let open = run.inputs.policy.with_all_allowances();
    let change = vet::preview_refused(set, &snapshot, &open, &stop);
    change.as_ref().and_then(|change| render::render_until(change, &stop)).unwrap_or_default()
}

/// Returns the patch of actions that are not applied, for `plan`; `None` if they are refused or
/// change nothing.
pub(super) fn render_unlanded(
    inputs: &EngineInputs<'_>,
    set: ActionSet,
    shown: &BTreeMap<RepoPath, Sha256>,
) -> Option<String> {
    let clock = inputs.world.system.clock;
    let stop = || clock.interrupted();
    let snapshot = inputs.snapshot(shown, None);
    let change = vet::vet_until(set, &snapshot, &inputs.policy, &stop).ok()??;
    let patch = render::render_until(change.whole(), &stop)?;
    Some(String::from_utf8_lossy(&patch).into_owned()).filter(|patch| !patch.is_empty())
}

/// Writes the vetted change to disk in a transaction, and formats its files if the project's
/// formatter kept them formatted.
///
/// # Errors
///
/// Returns [`Fatal`] if a file cannot be written or restored. A file that changed since it was
/// vetted is no error but [`StepEvent::Refused`].
pub(super) fn commit(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    let event = commit_once(run)?;
    if event != StepEvent::Committed {
        return Ok(event);
    }
    // Formatters read files on disk, so the change is written first, and again if a text
    // differs.
    let texts = formatting::format_written(run);
    if !texts.is_empty() {
        run.changes.revert()?;
        formatting::accept_formatted(run, texts);
        let event = commit_once(run)?;
        if event != StepEvent::Committed {
            return Ok(event);
        }
    }
    let changes = run.changes.vetted.as_ref().map_or(0, |change| change.whole().changes().len());
    run.inputs.emit_event(RunEvent::new(EventName::ApplySuccess).with("changes", changes));
    Ok(StepEvent::Committed)
}

/// Writes the vetted change to disk without formatting.
fn commit_once(run: &mut Run<'_>) -> Result<StepEvent, Fatal> {
    let Some(change) = run.changes.vetted.clone() else {
        return Err(Fatal::bug("a commit without a vetted change"));
    };
    // The vetted change contains the earlier one and applies to the tree before both.
    run.changes.revert()?;
    match run.changes.write(run.inputs, &change) {
        Ok(()) => Ok(StepEvent::Committed),
        Err(error) if error.code() == Some(ErrorCode::BaseMismatch) => {
            let reason = error.to_string();
            // The kept changes were reverted for this commit and must be on disk for the next
            // attempt.
            run.changes.write_kept(run.inputs)?;
            Ok(run.refuse(Refusal::of_reply(ErrorCode::BaseMismatch, reason)))
        }
        Err(error) => Err(Fatal::apply(error)),
    }
}
