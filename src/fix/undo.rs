//! Takes back the commit that made the command fail, where the user allows it and nothing better was found.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;

use super::finding_task::change_text;
use super::run_context::RunContext;
use crate::bump::{UpdatedText, names_packages};
use crate::changes::{Changes, CommitShare, DiffedFile, KeptHunk};
use crate::engine::{Finished, GuardKind, Task};
use papayu_base::domain::changes::{BlameCertainty, DependencyMove, FileChangeKind};
use papayu_base::domain::goal::Route;
use papayu_base::domain::{
    ActionSet, Allowance, Event, EventName, FailureReport, OutcomeKind, RepoPath, Version,
};
use papayu_lang::{FileRole, PathClass};
use papayu_system::Tree;

/// Most single hunks that are tried before all of them.
const MAX_HUNKS: usize = 3;

/// Largest file that is changed back, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Longest time since a commit that is taken back: later ones may build on an older one without touching its lines.
const MAX_AGE: Duration = Duration::from_hours(7 * 24);

/// Most places of a failure that are read for the names of packages.
const MAX_PLACES: usize = 20;

/// Most commits of which the packages are pinned back.
const MAX_PINS: usize = 3;

/// A way back that may be tried.
struct WayBack<'c> {
    commit: &'c CommitShare,
    /// The change in words, after "to": `pin jinja2 back to 3.0.3`.
    aim: String,
    /// `true` for packages, which have to be installed again.
    is_pin: bool,
    /// `true` if the repository has the sources of the packages, which are settings of the run.
    is_vendored: bool,
    /// The parts of the commit that are tried, one after the other.
    parts: Vec<Vec<KeptHunk>>,
}

/// Returns the end of a run that failed, with a part of the commit that made it fail taken back if the user allows that and
/// the command passes then: one hunk of its sources, all of them, or the packages that it moved. Otherwise the outcome
/// offers it. `run` carries out a task.
pub(super) fn undo_culprit(
    context: RunContext<'_>,
    task: &Task,
    mut finished: Finished,
    run: &mut dyn FnMut(Task) -> Finished,
) -> Finished {
    let changes = task.changes.clone();
    let is_open = finished.outcome.outcome == OutcomeKind::NotFixed;
    let Some(changes) = changes.filter(|_| is_open) else { return finished };
    let now = context.runtime.system().clock.timestamp().parse::<Timestamp>();
    let Ok(now) = now else { return finished };
    let is_young = |commit: &CommitShare| {
        i64::try_from(MAX_AGE.as_secs()).is_ok_and(|age| now.as_second() - commit.time <= age)
    };
    let text = read_failure(context.session.tree.as_ref(), &finished.failure);
    let ways = list_ways(&changes, &finished, &text).into_iter().filter(|way| is_young(way.commit));
    for way in ways.collect::<Vec<_>>() {
        let settings = &context.session.settings;
        let is_writable = !way.is_vendored || settings.allowances().contains(&Allowance::Settings);
        let is_allowed = settings.run_allow_undo.value && is_writable;
        let has_guard = task.guards.iter().any(|guard| guard.kind != GuardKind::TypeCheck);
        if is_allowed && (has_guard || !has_tests(way.commit)) {
            match try_way(context, task, &way, run) {
                Some(undone) => return mark_undone(undone, &finished, &way),
                None => continue,
            }
        }
        let missing = if is_allowed {
            "`--allow-undo` with `--guard CMD`, which runs the tests of the commit,"
        } else if !is_writable {
            "`--allow-undo` with `--allow settings`, for what is in `vendor`,"
        } else if way.is_pin && !way.is_vendored && !installs_packages(context) {
            "`--allow-undo` with `--setup auto`, which installs the packages again,"
        } else {
            "`--allow-undo`"
        };
        let offer = format!("{missing} tries to {}", way.describe());
        let hint = finished.outcome.hint.take().into_iter().chain([offer]);
        finished.outcome.hint = Some(hint.collect::<Vec<_>>().join("; "));
    }
    finished
}

/// Returns `true` if the run installs the packages that the manifests name.
fn installs_packages(context: RunContext<'_>) -> bool {
    !context.session.settings.run_setup.value.is_empty()
}

/// Returns the excerpt of a failure with the files that it names.
fn read_failure(tree: &dyn Tree, failure: &FailureReport) -> String {
    let paths = failure.locations().into_iter().take(MAX_PLACES);
    let paths = paths.filter_map(|it| RepoPath::parse(it.path.trim_start_matches("./")).ok());
    let texts = paths.filter_map(|path| tree.read(&path, MAX_BYTES).ok());
    let texts = texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    [failure.excerpt.clone()].into_iter().chain(texts).collect()
}

/// Returns the ways back from the proved culprit; without one, from the packages that the text of the failure names.
fn list_ways<'c>(changes: &'c Changes, finished: &Finished, text: &str) -> Vec<WayBack<'c>> {
    let culprit = finished.outcome.culprit.as_ref();
    let proved = culprit.filter(|it| it.certainty == BlameCertainty::Proved);
    if let Some(proved) = proved {
        let commit = changes.commits.iter().find(|it| it.commit == proved.commit);
        let ways = |commit| {
            let sources = WayBack::sources(commit);
            sources.into_iter().chain(WayBack::pin(changes, commit, |_| true))
        };
        return commit.into_iter().flat_map(ways).collect();
    }
    let is_suspected =
        |commit: &CommitShare| culprit.is_some_and(|culprit| culprit.commit == commit.commit);
    // Nothing else changed, whatever the packages are called in the sources.
    let is_only = changes.commits.len() == 1;
    let pins = changes.commits.iter().filter_map(|commit| {
        let is_named = |moved: &DependencyMove| {
            let last = moved.name.rsplit(['/', ':']).next().unwrap_or(&moved.name);
            let is_in_text = text.contains(last) || text.contains(&last.replace('-', "_"));
            is_only || is_suspected(commit) || is_in_text
        };
        WayBack::pin(changes, commit, is_named)
    });
    pins.take(MAX_PINS).collect()
}

/// Carries out a way back. `None` if no part of it is proved.
fn try_way(
    context: RunContext<'_>,
    task: &Task,
    way: &WayBack<'_>,
    run: &mut dyn FnMut(Task) -> Finished,
) -> Option<Finished> {
    let name = way.name();
    for part in &way.parts {
        let Some(given) = take_back(context.session.tree.as_ref(), part, &name) else { continue };
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
        let passes = guard.is_some_and(|it| it.after.exit_code == Some(0));
        let reason = match undone.outcome.outcome {
            OutcomeKind::Fixed if passes || !has_tests(way.commit) => return Some(undone),
            OutcomeKind::Fixed => "the guard, which runs the tests of the commit, does not pass",
            _ => &undone.outcome.reason,
        };
        let text = if !way.is_pin || way.is_vendored || installs_packages(context) {
            format!("it did not help to {}: {reason}", way.aim)
        } else {
            format!("to {} needs `--setup auto`, which installs the packages again", way.aim)
        };
        context.events.emit(Event::new(EventName::Notice).with("text", text));
    }
    None
}

/// Returns the end of the run that took the commit back, with the cost and the facts of the run before it.
fn mark_undone(mut undone: Finished, first: &Finished, way: &WayBack<'_>) -> Finished {
    let (outcome, before) = (&mut undone.outcome, &first.outcome);
    outcome.outcome = OutcomeKind::Undone;
    outcome.reason = format!("the command passes after this: {}; it is no fix", way.describe());
    outcome.hint = Some("read what the commit was for before you use the change".to_owned());
    outcome.changes.clone_from(&before.changes);
    outcome.culprit.clone_from(&before.culprit);
    outcome.notices.extend(before.notices.iter().cloned());
    outcome.tokens = before.tokens;
    outcome.requests = before.requests;
    outcome.cost_usd = before.cost_usd;
    undone
}

/// Returns `true` if a commit changes tests, which the proof then has to run: without them it would not show what is lost.
fn has_tests(commit: &CommitShare) -> bool {
    commit.files.iter().any(|file| papayu_lang::is_test(&file.path))
}

impl<'c> WayBack<'c> {
    /// Returns the way back from the sources of a commit: each hunk alone, then all. Tests, documents, migrations and lock
    /// files stay.
    fn sources(commit: &'c CommitShare) -> Option<Self> {
        let is_source = |path: &str| {
            let is_migration = path.split('/').any(|part| part.starts_with("migrat"));
            FileRole::of_path(path) == FileRole::Source && !is_migration && !names_packages(path)
        };
        let hunks = list_hunks(commit, is_source)?;
        let single = hunks.iter().take(MAX_HUNKS).filter(|_| hunks.len() > 1);
        let parts = single.map(|hunk| vec![hunk.clone()]).chain([hunks.clone()]).collect();
        let aim = "take back its sources".to_owned();
        Some(Self { commit, aim, is_pin: false, is_vendored: false, parts })
    }

    /// Returns the way back to the packages before a commit, of which at least one is suspected; `None` for a commit about
    /// a weakness, and for one that adds or removes packages.
    fn pin(
        changes: &Changes,
        commit: &'c CommitShare,
        is_suspected: impl Fn(&DependencyMove) -> bool,
    ) -> Option<Self> {
        let is_own = |path: &str| commit.files.iter().any(|file| file.path == path);
        let moved = || {
            let all = changes.dependencies.iter();
            all.filter(|it| is_own(&it.path) && names_packages(&it.path))
        };
        // The lock file has what the packages need in turn.
        let is_declared =
            |it: &DependencyMove| PathClass::of_path(&it.path) != PathClass::Generated;
        let is_whole = |it: &DependencyMove| it.from.is_some() && it.to.is_some();
        let is_pin =
            moved().any(&is_suspected) && moved().filter(|it| is_declared(it)).all(is_whole);
        if commit.is_security || !is_pin {
            return None;
        }
        // The sources of the packages themselves, where the repository has them, go back with their versions.
        let is_vendored = |path: &str| {
            path.rsplit_once("vendor/").is_some_and(|(_, inner)| {
                let is_own = |it: &DependencyMove| {
                    inner.strip_prefix(&it.name).is_some_and(|it| it.starts_with('/'))
                };
                inner == "modules.txt" || moved().any(is_own)
            })
        };
        let is_new =
            |file: &DiffedFile| file.kind != FileChangeKind::Changed && is_vendored(&file.path);
        if commit.files.iter().any(is_new) {
            return None;
        }
        let is_wanted = |path: &str| is_vendored(path) || moved().any(|it| it.path == path);
        let hunks = list_hunks(commit, is_wanted)?;
        let mut suspects: Vec<_> = moved().filter(|it| is_suspected(it)).collect();
        // Direct dependencies come before those that they bring.
        suspects.sort_by_key(|it| !is_declared(it));
        let mut names: Vec<&DependencyMove> = Vec::new();
        for it in suspects {
            if names.len() < MAX_PINS && names.iter().all(|known| known.name != it.name) {
                names.push(it);
            }
        }
        let pin = |it: &&DependencyMove| Some(format!("{} back to {}", it.name, it.from.as_ref()?));
        let aim = format!("pin {}", names.iter().filter_map(pin).collect::<Vec<_>>().join(" and "));
        let is_vendored = hunks.iter().any(|hunk| is_vendored(&hunk.path));
        Some(Self { commit, aim, is_pin: true, is_vendored, parts: vec![hunks] })
    }

    /// Returns the commit as it is named.
    fn name(&self) -> String {
        let commit = &self.commit.commit;
        format!("commit {}", commit.get(..12).unwrap_or(commit))
    }

    /// Returns the aim with the commit: `pin jinja2 back to 3.0.3 (commit 0123456789ab, Bump jinja2)`.
    fn describe(&self) -> String {
        let CommitShare { subject, .. } = self.commit;
        format!("{} ({}, {subject})", self.aim, self.name())
    }
}

/// Returns the hunks of a commit in the files of a kind; `None` without any, and if a later change touches one.
fn list_hunks(commit: &CommitShare, is_wanted: impl Fn(&str) -> bool) -> Option<Vec<KeptHunk>> {
    let files = commit.files.iter().filter(|file| is_wanted(&file.path));
    let all: usize = files.map(|file| file.hunks.len()).sum();
    let placed: Vec<KeptHunk> =
        commit.placed.iter().filter(|hunk| is_wanted(&hunk.path)).cloned().collect();
    (all > 0 && placed.len() == all).then_some(placed)
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
