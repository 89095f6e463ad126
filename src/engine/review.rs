//! Judges a change that the command accepts: the tests that it needs, and the places that a person should read.

use super::engine_inputs::EngineInputs;
use super::failure_places::place_in_repository;
use super::fatal::Fatal;
use super::known_failure::KnownFailure;
use super::run::Run;
use super::run_check::{Checked, check};
use papayu_base::domain::outcome::ProofTests;
use papayu_base::domain::{FailureKind, FailureReport, Location, RepoPath};
use papayu_system::{End, Tree};
use papayu_vet::suspicion::{FailureEvidence, read_literals};
use papayu_vet::{ReviewPlaces, TestPart, VettedChange, find_review_places, separate_tests};

/// Lines before and after a location of the failure that are searched for literals.
const NEAR_LINES: usize = 15;

/// Largest test file that is searched for literals, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Most files that are searched for literals.
const MAX_FILES: usize = 8;

/// Runs the command on the change without its new and changed tests. A fix is proved by the
/// tests as they were, not by tests that came with it.
///
/// Returns the failed check if that run fails and the settings allow no test edits; `None` if
/// it passes, or if tests and code cannot be separated. Afterwards the whole change is on disk
/// again.
pub(super) fn check_without_tests(run: &mut Run<'_>) -> Result<Option<Checked>, Fatal> {
    run.assessment.proof_tests = ProofTests::AsTheyWere;
    let Some(change) = run.changes.vetted.clone() else { return Ok(None) };
    let rest = match separate_tests(&change, &run.policy()) {
        TestPart::Nothing => return Ok(None),
        TestPart::Inseparable => {
            run.assessment.proof_tests = ProofTests::Changed;
            return Ok(None);
        }
        TestPart::Rest(rest) => rest,
    };
    run.changes.replace(run.inputs, &rest)?;
    let checked = check(run, None);
    // Written back before the result is looked at, so that every end finds the whole change on
    // disk.
    run.changes.replace(run.inputs, &change)?;
    let checked = checked?;
    if checked.ran.end == End::Code(0) {
        return Ok(None);
    }
    run.assessment.proof_tests = ProofTests::Changed;
    let is_interrupted = checked.ran.end == End::Interrupted;
    Ok(Some(checked).filter(|_| is_interrupted || !run.inputs.policy.allows_other_tests()))
}

/// Returns the places of the change that a person should review, such as an expected value of a
/// test that appears as a constant; `None` if a signal interrupted the search.
pub(super) fn find_places(
    inputs: &EngineInputs<'_>,
    failure: &KnownFailure,
    change: &VettedChange,
) -> Option<ReviewPlaces> {
    // The first report: later ones lack the failures that kept changes have fixed.
    let mut report = failure.original().clone();
    // The paths of a traceback may be absolute.
    place_in_repository(&mut report, &inputs.world);
    let mut evidence = collect_evidence(&report, inputs.world.tree);
    // Without literals in the failure itself, those of the tests are the next best evidence.
    if evidence.literals.is_empty() {
        for path in tests_of(inputs, change) {
            if let Ok(bytes) = inputs.world.tree.read(&path, MAX_BYTES) {
                evidence.add(path.to_string(), String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    let clock = inputs.world.system.clock;
    find_review_places(change, &evidence, &|| clock.interrupted())
}

/// Returns up to eight test files that the command names, or that contain the name of a
/// changed file (`test_slug.py` for `slug.py`).
pub(super) fn tests_of(inputs: &EngineInputs<'_>, change: &VettedChange) -> Vec<RepoPath> {
    let command = inputs.task.check.as_ref().map_or("", |check| check.command.as_str());
    let changed = change.whole().changes().iter().map(|it| stem_of(it.path().as_str()));
    // Stems of one or two letters, as of `a.py`, occur in nearly every name.
    let stems: Vec<String> = changed.filter(|stem| stem.len() > 2).collect();
    let files = inputs.world.survey.files().iter().filter(|path| {
        command.contains(path.as_str()) || stems.iter().any(|stem| stem_of(path).contains(stem))
    });
    files
        .filter_map(|path| RepoPath::parse(path).ok())
        .filter(|path| {
            papayu_vet::is_test(path) && change.whole().changes().iter().all(|it| it.path() != path)
        })
        .take(MAX_FILES)
        .collect()
}

/// Returns the name of a file before its first `.`, in lower case: `src/Slug.test.js` → `slug`.
fn stem_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name).to_lowercase()
}

/// Returns the literals of the failing tests, from the output and from the lines that it names.
/// Compilers and linters have no expected values, so their failures give none.
fn collect_evidence(report: &FailureReport, tree: &dyn Tree) -> FailureEvidence {
    let mut evidence = FailureEvidence::default();
    let mut files = 0;
    for failure in &report.failures {
        evidence.is_diagnostic |= matches!(failure.kind, FailureKind::Compile | FailureKind::Lint);
        if matches!(failure.kind, FailureKind::Compile | FailureKind::Lint) {
            continue;
        }
        let texts = [Some(&failure.message), failure.expected.as_ref(), Some(&failure.quoted)];
        for text in texts.into_iter().flatten() {
            evidence.literals.extend(read_literals(text));
        }
        for place in failure.locations.iter().take(MAX_FILES) {
            if files < MAX_FILES
                && let Some(text) = read_near(place, tree)
            {
                files += 1;
                evidence.add(place.path.clone(), text);
            }
        }
    }
    evidence
}

/// Returns the lines around a location in a test; `None` if the location is not in a test.
fn read_near(place: &Location, tree: &dyn Tree) -> Option<String> {
    let path = RepoPath::parse(&place.path).ok()?;
    // Rust keeps unit tests in the file of the code, below `#[cfg(test)]`.
    let is_inline = place.path.rsplit('.').next() == Some("rs");
    if !is_inline && !papayu_vet::is_test(&path) {
        return None;
    }
    let bytes = tree.read(&path, MAX_BYTES).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let at = usize::try_from(place.line?).ok()?;
    let is_of_tests = !is_inline
        || papayu_vet::is_test(&path)
        || text.lines().take(at).any(|line| line.contains("#[cfg(test)]"));
    if !is_of_tests {
        return None;
    }
    let first = at.saturating_sub(NEAR_LINES);
    Some(text.lines().skip(first).take(2 * NEAR_LINES).collect::<Vec<_>>().join("\n"))
}
