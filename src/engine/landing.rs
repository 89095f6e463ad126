//! Takes decoded actions through the gates into a preview, and the preview to disk.

use super::run::{Fatal, Run};
use super::state::Event;
use super::{layers, survey};
use crate::apply;
use crate::domain::event::{Event as Told, EventName};
use crate::domain::{ActionSet, ErrorCode, Kind, RepoPath};
use crate::patch::{self, preview};
use crate::protocol::{self, CheckedAction, CheckedActions, Facts, Refusal};
use crate::text::encoding;
use crate::weakening::{self, FileChange};

/// Weakenings that a refusal names at the most.
const MAX_NAMED: usize = 5;

/// Lands the actions that were given instead of asked for.
pub(super) fn given(run: &mut Run<'_>) -> Result<Event, Fatal> {
    let Some(set) = run.task.given.clone() else {
        return Err(Fatal::bug("no actions were given"));
    };
    // A person has seen them: the digests they name stand for what that person was shown.
    for action in &set.actions {
        let digest = action.base_sha256().and_then(crate::domain::Sha256::parse);
        let path = RepoPath::parse(&action.path).ok();
        run.shown.extend(path.zip(digest));
    }
    let (validated, version) = (set.validated.clone(), set.version);
    run.exchange_mut(|exchange| {
        exchange.versions = vec![version];
        exchange.answered = version;
        exchange.accept(validated, false);
    });
    Ok(land(run, set, ""))
}

/// Takes actions through every gate and lands them in memory.
pub(super) fn land(run: &mut Run<'_>, set: ActionSet, reply: &str) -> Event {
    if set.says_no_changes() {
        layers::take_summary(run, set.summary);
        return Event::NoChanges;
    }
    let summary = set.summary.clone();
    let checked = match gates(run, set) {
        Ok(checked) => checked,
        Err(refusal) => return run.refuse(refusal, reply.to_owned()),
    };
    let landed = match preview::preview(&checked, run.config.eol) {
        Ok(landed) => landed,
        Err(fault) => {
            let refusal = Refusal {
                code: fault.code,
                path: Some(fault.path.to_string()),
                action: None,
                reason: fault.reason,
            };
            return run.refuse_with(refusal, fault.hunk, reply.to_owned());
        }
    };
    if let Some(refusal) = copied_mark(run, &checked, &landed.preview) {
        return run.refuse(refusal, reply.to_owned());
    }
    let Some(whole) = run.layers.with(&landed.preview) else {
        let reason = "a path would be a file where a folder was, or the other way round".to_owned();
        let code = ErrorCode::ActionConflict;
        return run.refuse(Refusal { code, path: None, action: None, reason }, reply.to_owned());
    };
    if let Some(refusal) = weakens(run, &whole) {
        return run.refuse(refusal, reply.to_owned());
    }
    layers::take_summary(run, summary);
    run.patch = patch::render::render(&whole);
    run.exchange_mut(|exchange| {
        exchange.strategies = landed.strategies;
        exchange.error = None;
    });
    let only_folders = run.patch.is_empty() && !run.rules.keeps_tree;
    if landed.preview.changes().is_empty() || whole.changes().is_empty() || only_folders {
        // A patch carries no empty folders, so such a change would be handed over as nothing.
        "NO_CHANGES: its actions leave every file as it is".clone_into(&mut run.last_summary);
        return Event::NoChanges;
    }
    run.tell(Told::new(EventName::PreviewReady).with("changes", landed.preview.changes().len()));
    run.preview = Some(landed.preview);
    run.whole = Some(whole);
    if layers::is_free(run) && !run.free_landed.contains(&run.attempt_index) {
        run.free_landed.push(run.attempt_index);
    }
    Event::PreviewReady
}

/// Files are shown with their secrets masked; a reply that writes the marks back would destroy them.
fn copied_mark(
    run: &Run<'_>,
    checked: &CheckedActions,
    preview: &preview::Preview,
) -> Option<Refusal> {
    let code = |at: &RepoPath| {
        let edited = |action: &CheckedAction| action.path == *at && action.kind == Kind::EditFile;
        if checked.actions().iter().any(edited) {
            ErrorCode::EditApplyFailed
        } else {
            ErrorCode::PatchApplyFailed
        }
    };
    let text = encoding::shown;
    preview.changes().iter().find_map(|change| {
        let preview::Change::WriteFile { path, before, after } = change else { return None };
        run.world.masker.is_copied_mark(&text(before), &text(after)).then(|| Refusal {
            code: code(path),
            path: Some(path.to_string()),
            action: None,
            reason: "`***` stands for a secret that is not shown; leave its line as it is"
                .to_owned(),
        })
    })
}

/// What the change does to the tests and the linters that are to prove it: judged on what landed.
fn weakens(run: &Run<'_>, preview: &preview::Preview) -> Option<Refusal> {
    if run.config.policy.allow_test_edits {
        return None;
    }
    let none: &[u8] = &[];
    let sides = preview.changes().iter().filter_map(|change| match change {
        preview::Change::CreateFile { path, after } => Some((path, none, after.as_slice())),
        preview::Change::WriteFile { path, before, after } => {
            Some((path, before.as_slice(), after.as_slice()))
        }
        preview::Change::RemoveFile { path, before } => Some((path, before.as_slice(), none)),
        preview::Change::CreateDir { .. } | preview::Change::RemoveDir { .. } => None,
    });
    let texts: Vec<_> = sides
        .map(|(path, before, after)| {
            (path.as_str(), encoding::shown(before), encoding::shown(after))
        })
        .collect();
    let files: Vec<_> =
        texts.iter().map(|(path, before, after)| FileChange { path, before, after }).collect();
    let found = weakening::judge(&files);
    let first = found.first()?;
    let lines: Vec<String> = found
        .iter()
        .take(MAX_NAMED)
        .map(|it| {
            let side = if it.is_before { "old line" } else { "line" };
            format!("{} {side} {} {}", it.path, it.line, it.rule)
        })
        .collect();
    let reason = format!(
        "may not be changed so: {}; mend the code instead, and leave tests and checks as strict as they were",
        lines.join("; ")
    );
    let code = ErrorCode::TestEditNotAllowed;
    Some(Refusal { code, path: Some(first.path.clone()), action: None, reason })
}

fn gates(run: &Run<'_>, set: ActionSet) -> Result<CheckedActions, Refusal> {
    let screened = protocol::screen(set, &run.config.policy)?;
    let tree = run.world.tree;
    let mut facts = Facts::default();
    for (path, kind) in screened.paths() {
        let whole = kind == Kind::DeleteDir;
        facts.entries.insert(path.clone(), survey::fact(tree, path, whole));
    }
    protocol::check(screened, facts, &run.shown, &run.config.policy)
}

/// Writes the preview to disk in a transaction.
pub(super) fn commit(run: &mut Run<'_>) -> Result<Event, Fatal> {
    let Some(whole) = run.whole.clone() else {
        return Err(Fatal::bug("a commit without a preview"));
    };
    let tree = run.world.tree;
    // What helped before is part of the whole, which is a change of the tree as it was.
    if let Some(applied) = run.applied.take() {
        run.copies.extend(applied.roll_back().map_err(Fatal::apply)?);
    }
    match apply::commit(tree, run.world.system.clock, &whole, &run.id) {
        Ok(applied) => {
            run.applied = Some(applied);
            run.tell(Told::new(EventName::ApplySuccess).with("changes", whole.changes().len()));
            Ok(Event::Committed)
        }
        Err(error) if error.code() == Some(ErrorCode::BaseMismatch) => {
            let reason = error.to_string();
            let code = ErrorCode::BaseMismatch;
            layers::ground(run)?;
            let refusal = Refusal { code, path: None, action: None, reason };
            Ok(run.refuse(refusal, String::new()))
        }
        Err(error) => Err(Fatal::apply(error)),
    }
}
