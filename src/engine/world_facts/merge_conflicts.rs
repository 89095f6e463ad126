//! Merge conflicts in the files that failures are in.

use std::collections::BTreeSet;

use super::{MAX_LOCK, RULE, path_from_root};
use crate::engine::task::World;
use papayu_base::domain::{Evidence, FailureReport, RepoPath, Triage};
use papayu_vet::find_conflict;

/// Files that are read at the most.
const MAX_FILES: usize = 20;

/// Adds to the triage the first merge conflict in a file that a failure names, and the next step: tools report no more than a
/// syntax error there.
pub(in crate::engine) fn recognize_merge_conflicts(
    world: &World<'_>,
    report: &FailureReport,
    triage: Triage,
) -> Triage {
    let places = report.failures.iter().flat_map(|failure| &failure.locations);
    let mut seen = BTreeSet::new();
    let paths = places.map(|place| path_from_root(world, place));
    let mut paths = paths.filter(|path| seen.insert(*path)).take(MAX_FILES);
    let found = paths.find_map(|path| {
        let bytes = world.tree.read(&RepoPath::parse(path).ok()?, MAX_LOCK).ok()?;
        let line = find_conflict(&String::from_utf8_lossy(&bytes))?;
        Some((path.to_owned(), line))
    });
    let Some((path, number)) = found else { return triage };
    let line = format!("`{path}` has the markers of a merge conflict in line {number}");
    let step = format!("merge the two sides in `{path}`, and remove the lines with the markers");
    let mut evidence = triage.evidence;
    evidence.insert(0, Evidence { rule: RULE.to_owned(), line, number: None });
    Triage { evidence, next_step: Some(step.into()), ..triage }
}
