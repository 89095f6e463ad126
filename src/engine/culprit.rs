//! Names the commit that made the command fail: a guess from the changed lines, or a proof by running earlier commits.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::base::copy_commit;
use super::bisect::{Bisect, ProbeResult};
use super::run::Run;
use super::run_check::{Checked, check_in};
use super::state::StepEvent;
use crate::changes::{Changes, CommitShare};
use crate::context::TextKind;
use papayu_base::domain::changes::{BlameCertainty, CulpritSearch, FileChangeKind};
use papayu_base::domain::normalize_identity;
use papayu_base::domain::outcome::TestCounts;
use papayu_base::domain::{CulpritRecord, Event, EventName, FailureClass, FailureReport};
use papayu_lang as lang;
use papayu_logs::test_results::{TestResults, TestStatus};
use papayu_system::End;

/// Suspects that are run before the rest is halved.
const MAX_GUESSES: usize = 2;

/// Looks for the culprit of the failure, once. Without changes, and for a failure that is not of the code, there is none.
pub(super) fn find_culprit(run: &mut Run<'_>) {
    let search = run.inputs.config.culprit;
    let is_red = run.checks.was_red() && !run.checks.has_passing_rerun();
    let is_outside = run.failure.triage.class.is_outside()
        || matches!(run.failure.triage.class, FailureClass::TestFlake | FailureClass::RedOnBase);
    if run.blame.is_done || search == CulpritSearch::Off || !is_red || is_outside {
        return;
    }
    run.blame.is_done = true;
    run.blame.record = run.gathered.context.suspects.first().cloned();
    let changes = run.inputs.task.changes.clone().filter(|it| !it.commits.is_empty());
    if let Some(changes) = changes.filter(|_| search == CulpritSearch::Prove) {
        // A guess that the runs contradict is no guess any more.
        (run.blame.record, run.blame.note) = match prove(run, &changes) {
            Ok(record) => (Some(record), None),
            Err(reason) => (None, Some(format!("no commit is proved to be the cause: {reason}"))),
        };
    }
    let line = run.blame.record.as_ref().map(CulpritRecord::line).or(run.blame.note.clone());
    let Some(line) = line else { return };
    let line = run.inputs.world.masker.mask(&line).into_owned();
    run.inputs.emit_event(Event::new(EventName::Notice).with("text", line.as_str()));
    if run.blame.record.as_ref().is_some_and(|it| it.certainty == BlameCertainty::Proved) {
        run.gathered.context.add_text(TextKind::Changes, "CULPRIT (proved by runs)", line);
    }
}

/// Runs the command on commits until one fails and the one before it passes.
///
/// # Errors
///
/// The reason why none is proved.
fn prove(run: &mut Run<'_>, changes: &Changes) -> Result<CulpritRecord, String> {
    let count = changes.commits.len();
    // The commits are listed from the newest.
    let number = |commit: &str| {
        let at = changes.commits.iter().position(|it| it.commit == commit)?;
        Some(count - at)
    };
    let suspects = run.gathered.context.suspects.iter().take(MAX_GUESSES);
    let guesses: Vec<usize> = suspects.filter_map(|it| number(&it.commit)).collect();
    let mut bisect = Bisect::new(count, guesses, changes.uncommitted.is_none());
    let (mut runs, limit) = (0, run.inputs.config.culprit_runs);
    while let Some(at) = bisect.next().filter(|_| runs < limit) {
        let commit = count.checked_sub(at).and_then(|at| changes.commits.get(at));
        let commit =
            commit.map_or_else(|| changes.green.commit.to_string(), |it| it.commit.clone());
        let Some(verdict) = probe(run, &commit) else { break };
        runs += 1;
        bisect.record(at, verdict);
    }
    let found = bisect.found().and_then(|at| changes.commits.get(count - at));
    let skipped = u32::try_from(bisect.count_skipped()).unwrap_or(u32::MAX);
    let Some(share) = found else {
        return Err(if bisect.is_flaky() {
            "the command does not end in the same way twice on the same commit".to_owned()
        } else {
            format!(
                "{runs} runs on earlier commits, of which {skipped} neither pass nor fail in this way"
            )
        });
    };
    let CommitShare { commit, subject, files, .. } = share;
    if let Some(moved) = changes.moved_after(commit, &run.failure.original().excerpt) {
        let short = commit.get(..12).unwrap_or(commit);
        let moved = moved.line();
        return Err(format!(
            "it fails since commit {short} ({subject}) with the packages that are installed now, but later changes have {moved}"
        ));
    }
    Ok(CulpritRecord {
        commit: commit.clone(),
        subject: subject.clone(),
        files: files.iter().map(|file| file.path.clone()).collect(),
        certainty: BlameCertainty::Proved,
        runs,
        skipped,
    })
}

/// Runs the command on a commit with the tests as they are now; `None` after a signal and if the time is over.
///
/// A commit that cannot be laid out, or lacks the program, shows neither.
fn probe(run: &mut Run<'_>, commit: &str) -> Option<ProbeResult> {
    let check = run.inputs.task.check.clone()?;
    let tests = list_tests(run);
    let Ok(copy) = copy_commit(&run.inputs.world, commit.to_owned(), &tests) else {
        return Some(ProbeResult::Skip);
    };
    let purpose = format!("on commit {}", commit.get(..12).unwrap_or(commit));
    let checked = check_in(run, &copy.root, &check.command, Some(&purpose), Duration::MAX);
    let Ok(checked) = checked else { return Some(ProbeResult::Skip) };
    if checked.event() == StepEvent::Interrupted {
        return None;
    }
    let here = identify(run.failure.original(), run.inputs.world.tree.root());
    let there = identify(&checked.report, &copy.root);
    Some(judge(run, &checked, here.first(), &there))
}

/// Compares the first failure of the run, as its name and message, with the failures of a commit: each of several failures
/// may have a culprit of its own.
fn judge(
    run: &Run<'_>,
    checked: &Checked,
    first: Option<&Identity>,
    there: &[Identity],
) -> ProbeResult {
    if first.is_some_and(|failure| there.contains(failure)) {
        return ProbeResult::Bad;
    }
    if first.is_none() && there.is_empty() && checked.event() == StepEvent::CheckRed {
        // Without a failure that is read, the exit code is all there is to compare.
        let before = run.checks.before.as_ref().and_then(|before| before.exit_code);
        let is_same = matches!(checked.ran.end, End::Code(code) if Some(code) == before);
        return if is_same { ProbeResult::Bad } else { ProbeResult::Skip };
    }
    let ran_before = run.checks.tests_before.as_ref().is_some_and(has_counted);
    let ran_tests = !ran_before || has_counted(&checked.tests);
    let is_passed = if checked.event() == StepEvent::CheckGreen {
        ran_tests && !checked.tests.ran_nothing()
    } else {
        // Other tests fail there; that of the failure is seen passing by name, or all that fail are named and it is not.
        let test = run.failure.original().failures.first().and_then(|it| it.test.as_deref());
        let names: BTreeSet<&str> = there.iter().map(|it| it.0.as_str()).collect();
        let is_complete = checked.tests.totals.is_some_and(|totals| {
            let before = run.checks.tests_before.as_ref().and_then(|it| it.totals);
            usize::try_from(totals.failed) == Ok(names.len())
                && before.is_some_and(|before| before.ran() <= totals.ran())
        });
        test.is_some_and(|test| is_complete || has_passed(&checked.tests, test))
    };
    // Another message of the same test is another failure.
    let is_named = first.is_some_and(|failure| there.iter().any(|it| it.0 == failure.0));
    if is_passed && !is_named { ProbeResult::Good } else { ProbeResult::Skip }
}

/// Returns whether a runner counted tests that ran.
fn has_counted(tests: &TestResults) -> bool {
    tests.totals.map_or(0, TestCounts::ran) > 0
}

fn has_passed(tests: &TestResults, name: &str) -> bool {
    tests.tests.get(&normalize_identity(name.trim())) == Some(&TestStatus::Passed)
}

/// The name of a failure and the first line of its message.
type Identity = (String, String);

fn identify(report: &FailureReport, root: &Path) -> Vec<Identity> {
    let root = format!("{}/", root.display());
    let identity = |failure: &papayu_base::domain::Failure| {
        let message = normalize_identity(&failure.headline().replace(&root, ""));
        (failure.identity_below(&root), message)
    };
    report.failures.iter().map(identity).collect()
}

/// Returns the changed tests with their data, and the files of the failing tests: without them, most earlier commits
/// do not have the failing test.
fn list_tests(run: &Run<'_>) -> Vec<String> {
    let changes = run.inputs.task.changes.iter().flat_map(|changes| &changes.files);
    let mut tests: Vec<String> = Vec::new();
    for file in changes.filter(|file| lang::is_test(&file.path)) {
        tests.push(file.path.clone());
        tests.extend(file.was.clone().filter(|_| file.kind == FileChangeKind::Renamed));
    }
    let root = format!("{}/", run.inputs.world.tree.root().display());
    let places = run.failure.original().failures.iter().flat_map(|failure| &failure.locations);
    let places = places.map(|place| place.path.trim_start_matches(&root).trim_start_matches("./"));
    let files = run.inputs.world.survey.files();
    let is_own = |path: &&str| files.binary_search_by(|known| known.as_str().cmp(path)).is_ok();
    tests.extend(places.filter(|path| lang::is_test(path)).filter(is_own).map(str::to_owned));
    tests.sort();
    tests.dedup();
    tests
}
