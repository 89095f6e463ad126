//! Takes back the commit that made the command fail, where the user allows it and nothing better was found.

use serde_json::json;

use super::finding_task::change_text;
use super::run_context::RunContext;
use crate::bump::UpdatedText;
use crate::changes::KeptHunk;
use crate::engine::{Finished, GuardKind, Task};
use papayu_base::domain::changes::BlameCertainty;
use papayu_base::domain::goal::Route;
use papayu_base::domain::{
    ActionSet, CulpritRecord, Event, EventName, OutcomeKind, RepoPath, Version,
};
use papayu_lang::FileRole;
use papayu_system::Tree;

/// Most single hunks that are tried before all of them.
const MAX_HUNKS: usize = 3;

/// Largest file that is changed back, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Returns the end of a run that failed, with the sources of the proved culprit taken back if the user allows that and the
/// command passes then: one hunk, else all. Otherwise the outcome offers it. `run` carries out a task.
pub(super) fn undo_culprit(
    context: RunContext<'_>,
    task: &Task,
    mut finished: Finished,
    run: &mut dyn FnMut(Task) -> Finished,
) -> Finished {
    let is_open = finished.outcome.outcome == OutcomeKind::NotFixed;
    let culprit = finished.outcome.culprit.clone();
    let culprit = culprit.filter(|it| is_open && it.certainty == BlameCertainty::Proved);
    let Some(culprit) = culprit else { return finished };
    let hunks = list_hunks(task, &culprit);
    if hunks.is_empty() {
        return finished;
    }
    let name = format!("commit {}", culprit.commit.get(..12).unwrap_or(&culprit.commit));
    let is_allowed = context.session.settings.run_allow_undo.value;
    let has_tests = changes_tests(task, &culprit);
    let has_guard = task.guards.iter().any(|guard| guard.kind != GuardKind::TypeCheck);
    if !is_allowed || has_tests && !has_guard {
        let missing = if is_allowed {
            "`--allow-undo` with `--guard CMD`, which runs the tests of the commit,"
        } else {
            "`--allow-undo`"
        };
        let offer =
            format!("{missing} tries to take back the sources of {name}, which made it fail");
        let hint = finished.outcome.hint.take().into_iter().chain([offer]);
        finished.outcome.hint = Some(hint.collect::<Vec<_>>().join("; "));
        return finished;
    }
    let single = hunks.iter().take(MAX_HUNKS).map(std::slice::from_ref);
    let single = single.filter(|_| hunks.len() > 1);
    for candidate in single.chain([hunks.as_slice()]) {
        let Some(given) = take_back(context.session.tree.as_ref(), candidate, &name) else {
            continue;
        };
        // The goal names the commit, so that the fingerprint is not that of a fix.
        let goal = Some(format!("take back {name}"));
        let route = Route::ApplyOnly;
        let undone = run(Task {
            goal,
            route,
            given: Some(given),
            after_recipe: None,
            changes: None,
            ..task.clone()
        });
        // A guard that fails with and without the change has not run those tests.
        let guard = undone.outcome.verify.guard.as_ref();
        let is_guarded = !has_tests || guard.is_some_and(|it| it.after.exit_code == Some(0));
        let reason = match undone.outcome.outcome {
            OutcomeKind::Fixed if is_guarded => return mark_undone(undone, &finished, &name),
            OutcomeKind::Fixed => "the guard, which runs the tests of the commit, does not pass",
            _ => &undone.outcome.reason,
        };
        let text = format!("taking back a part of {name} did not help: {reason}");
        context.events.emit(Event::new(EventName::Notice).with("text", text));
    }
    finished
}

/// Returns the end of the run that took the commit back, with the cost and the facts of the run before it.
fn mark_undone(mut undone: Finished, first: &Finished, name: &str) -> Finished {
    let (outcome, before) = (&mut undone.outcome, &first.outcome);
    outcome.outcome = OutcomeKind::Undone;
    outcome.reason =
        format!("a part of {name} is taken back, which made the command fail; this is no fix");
    outcome.hint = Some("read what the commit was for before you use the change".to_owned());
    outcome.changes.clone_from(&before.changes);
    outcome.culprit.clone_from(&before.culprit);
    outcome.notices.extend(before.notices.iter().cloned());
    outcome.tokens = before.tokens;
    outcome.requests = before.requests;
    outcome.cost_usd = before.cost_usd;
    undone
}

/// Returns `true` if the culprit changes tests, which the proof then has to run: without them it would not show what is lost.
fn changes_tests(task: &Task, culprit: &CulpritRecord) -> bool {
    let commits = task.changes.iter().flat_map(|changes| &changes.commits);
    let mut own = commits.filter(|it| it.commit == culprit.commit).flat_map(|it| &it.files);
    own.any(|file| papayu_lang::is_test(&file.path))
}

/// Returns the hunks of the culprit in sources that no later change touches; none if a later one touches any. Tests,
/// documents, migrations and lock files stay.
fn list_hunks(task: &Task, culprit: &CulpritRecord) -> Vec<KeptHunk> {
    let Some(changes) = &task.changes else { return Vec::new() };
    let Some(share) = changes.commits.iter().find(|it| it.commit == culprit.commit) else {
        return Vec::new();
    };
    let is_source = |path: &str| {
        let is_migration = path.split('/').any(|part| part.starts_with("migrat"));
        FileRole::of_path(path) == FileRole::Source && !is_migration
    };
    let files = share.files.iter().filter(|file| is_source(&file.path));
    let all: usize = files.map(|file| file.hunks.len()).sum();
    let placed: Vec<KeptHunk> =
        share.placed.iter().filter(|hunk| is_source(&hunk.path)).cloned().collect();
    if placed.len() == all { placed } else { Vec::new() }
}

/// Returns the actions that put the old lines in the place of the new ones; `None` if a file cannot be read or has other
/// lines.
fn take_back(tree: &dyn Tree, hunks: &[KeptHunk], name: &str) -> Option<ActionSet> {
    let mut paths: Vec<&str> = hunks.iter().map(|hunk| hunk.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut actions = Vec::new();
    for path in paths {
        let own: Vec<&KeptHunk> = hunks.iter().filter(|hunk| hunk.path == path).collect();
        let path = RepoPath::parse(path).ok()?;
        let before = String::from_utf8(tree.read(&path, MAX_BYTES).ok()?).ok()?;
        let after = KeptHunk::take_back(&own, &before)?;
        actions.push(change_text(&UpdatedText { path, before: Some(before), after }));
    }
    let summary = format!("Take back a part of {name}");
    let paths: Vec<_> = actions.iter().map(|it| json!({ "path": it.path })).collect();
    let validated = json!({ "actions": paths, "summary": summary });
    Some(ActionSet { version: Version::V2, actions, summary, validated })
}
