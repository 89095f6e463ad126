//! Collects failures: merged with earlier reports of the same one, limited, and sorted.
//!
//! Runners report one failure several times (details, summary, a report file). Failures with the same test, or with the same
//! path, code and first line, are one; later reports only fill in what is missing.

use std::collections::{HashMap, HashSet};

use papayu_base::domain::{Failure, FailureKind, Location};

use super::draft::{FailureDraft, MAX_LOCATIONS, push_location, push_source};
use super::location;
use super::paths::{is_dependency, is_runtime};
use super::structure::find_place;

/// Most failures of a report.
pub(super) const MAX_FAILURES: usize = 200;
/// Most failures that no parser knows: a log full of `error:` must not displace real ones.
const MAX_UNKNOWN: usize = 20;
/// Most locations that belong to no failure.
pub(super) const MAX_MENTIONS: usize = 200;

/// Most fixes of a failure that occurs at several places.
const MAX_FIXES: usize = 200;

/// The failures of a log so far.
#[derive(Debug, Default)]
pub(super) struct LogFailures {
    /// In the order of the log.
    failures: Vec<Failure>,
    /// The index of each failure by [`failure_key`].
    by_key: HashMap<String, usize>,
    /// The failure that was added or completed last.
    last: Option<usize>,
    /// The number of failures of unknown kind.
    unknown: usize,
    /// The failures that were added, those that were known already included.
    added: usize,
    /// In the order of the log, each once.
    mentions: Vec<Location>,
    /// The mentions as a set.
    mentioned: HashSet<Location>,
}

impl LogFailures {
    /// Adds a failure, or adds its details to the same failure found before.
    pub(super) fn add(&mut self, failure: Failure) {
        self.added += 1;
        let same = failure_key(&failure);
        self.last = self.by_key.get(&same).copied();
        if let Some(known) = self.last.and_then(|at| self.failures.get_mut(at)) {
            merge_failure(known, failure);
            return;
        }
        // A log full of `error:` lines must not displace failures that a parser knows.
        let is_unknown = failure.kind == FailureKind::Unknown;
        if self.failures.len() == MAX_FAILURES || (is_unknown && self.unknown == MAX_UNKNOWN) {
            return;
        }
        self.unknown += usize::from(is_unknown);
        self.last = Some(self.failures.len());
        self.by_key.insert(same, self.failures.len());
        self.failures.push(failure);
    }

    /// Returns how often a failure was added.
    pub(super) fn count_added(&self) -> usize {
        self.added
    }

    /// Returns the number of failures.
    pub(super) fn len(&self) -> usize {
        self.failures.len()
    }

    /// Removes the failures that were found after the first ones.
    pub(super) fn truncate(&mut self, len: usize) {
        self.failures.truncate(len);
        self.by_key.retain(|_, at| *at < len);
        self.last = None;
        let unknown = |failure: &&Failure| failure.kind == FailureKind::Unknown;
        self.unknown = self.failures.iter().filter(unknown).count();
    }

    /// Removes the failures that are not wanted, by their index.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(usize, &Failure) -> bool) {
        if self.failures.iter().enumerate().all(|(at, failure)| is_wanted(at, failure)) {
            return;
        }
        let failures = std::mem::take(&mut self.failures);
        self.truncate(0);
        for (at, failure) in failures.into_iter().enumerate() {
            if is_wanted(at, &failure) {
                self.add(failure);
            }
        }
    }

    /// Returns `true` if something crashed that was no test.
    pub(super) fn has_crash(&self) -> bool {
        let is_crash = |it: &Failure| it.kind == FailureKind::Crash && it.test.is_none();
        self.failures.iter().any(is_crash)
    }

    /// Returns `true` if no parser knows a failure.
    pub(super) fn has_only_unknown(&self) -> bool {
        self.failures.iter().all(|failure| failure.kind == FailureKind::Unknown)
    }

    /// Returns `true` if all known failures are crashes without a test, which a failed test may explain.
    pub(super) fn has_no_test(&self) -> bool {
        let is_vague = |kind| matches!(kind, FailureKind::Unknown | FailureKind::Crash);
        self.failures.iter().all(|failure| is_vague(failure.kind) && failure.test.is_none())
    }

    /// Adds failures that were found by their form; errors without a place say the same as those with one.
    pub(super) fn add_found(&mut self, mut found: Vec<Failure>) {
        if let ([test], [crash]) = (found.as_mut_slice(), self.failures.as_mut_slice())
            && crash.kind == FailureKind::Crash
            && test.test.is_some()
        {
            crash.test = test.test.take();
            crash.kind = FailureKind::Test;
            return;
        }
        let is_placed = |it: &Failure| it.test.is_some() || !it.locations.is_empty();
        if found.iter().any(is_placed) {
            self.failures.retain(is_placed);
            self.by_key.clear();
            self.unknown = 0;
        }
        for failure in found {
            self.add(failure);
        }
    }

    /// Adds the failure under construction, if there is one.
    pub(super) fn close(&mut self, open: &mut Option<FailureDraft>) {
        if let Some(draft) = open.take() {
            self.add(draft.finish());
        }
    }

    /// Adds the location of a note to the diagnostic before it. Returns `false` if there is
    /// none, or if it is a test, because a note belongs to a compiler's message.
    pub(super) fn attach_location(&mut self, location: Location) -> bool {
        let last = self.last.and_then(|at| self.failures.get_mut(at));
        let Some(last) = last.filter(|failure| failure.test.is_none()) else { return false };
        let is_there = |at: &Location| (&at.path, at.line) == (&location.path, location.line);
        if !last.locations.iter().any(is_there) {
            push_location(&mut last.locations, location);
        }
        true
    }

    /// Adds a line of source that is printed below the failure before it.
    pub(super) fn add_source(&mut self, source: &str) {
        let last = self.last.and_then(|at| self.failures.get_mut(at));
        if let Some(last) = last {
            push_source(&mut last.quoted, source);
        }
    }

    /// Adds a location that belongs to no failure.
    pub(super) fn add_mention(&mut self, location: Location) {
        if self.wants_mentions()
            && !is_runtime(&location.path)
            && !is_dependency(&location.path)
            && self.mentioned.insert(location.clone())
        {
            self.mentions.push(location);
        }
    }

    /// Returns `true` if a failure of a toolchain was added.
    pub(super) fn has_failure_of(&self, toolchain: &str) -> bool {
        self.failures.iter().any(|failure| failure.toolchain == toolchain)
    }

    /// Returns `true` if no more failures can be added.
    pub(super) fn is_full(&self) -> bool {
        self.failures.len() == MAX_FAILURES
    }

    /// Returns `true` if more failures of unknown kind can be added.
    pub(super) fn wants_unknown(&self) -> bool {
        self.unknown < MAX_UNKNOWN
    }

    /// Returns `true` if more mentions can be added.
    pub(super) fn wants_mentions(&self) -> bool {
        self.mentions.len() < MAX_MENTIONS
    }

    /// Returns the failures, those that can be acted on first, and the mentions that belong to
    /// no failure.
    pub(super) fn finish(self) -> (Vec<Failure>, Vec<Location>) {
        let Self { mut failures, mut mentions, .. } = self;
        drop_parents(&mut failures);
        drop_echoes(&mut failures);
        if failures.iter().any(|failure| failure.kind != FailureKind::Unknown) {
            // Vague errors without a location repeat what the known failures report.
            failures.retain(|f| f.kind != FailureKind::Unknown || !f.locations.is_empty());
        } else {
            failures.iter_mut().for_each(find_own_places);
        }
        failures.sort_by_key(|failure| rank_kind(failure.kind));
        let claimed: HashSet<_> = failures.iter().flat_map(|failure| &failure.locations).collect();
        // The locations of failures are known already.
        mentions.retain(|place| !claimed.contains(place));
        (failures, mentions)
    }
}

/// Adds the places that the first line of a failure names, if it has no other.
fn find_own_places(failure: &mut Failure) {
    if failure.locations.is_empty() {
        let first_line = failure.message.lines().next().unwrap_or_default();
        location::find_locations(first_line, |at| push_location(&mut failure.locations, at));
        if failure.locations.is_empty()
            && let Some(place) = find_place(first_line)
        {
            push_location(&mut failure.locations, place.location);
        }
    }
}

/// Returns the rank of a kind. Code that does not compile precedes the tests that fail because of
/// it; a stack without a
/// test may only have been logged, so it follows them.
fn rank_kind(kind: FailureKind) -> u8 {
    match kind {
        FailureKind::Compile | FailureKind::Import => 0,
        FailureKind::Test => 1,
        FailureKind::Crash => 2,
        FailureKind::Lint => 3,
        FailureKind::Unknown => 4,
    }
}

/// Returns a text that is equal for two reports of the same failure: the test, else path, code
/// and first line.
fn failure_key(failure: &Failure) -> String {
    let path = failure.locations.first().map_or("", |place| place.path.as_str());
    if let Some(test) = &failure.test {
        return test.clone();
    }
    let code = failure.code.as_deref().unwrap_or("");
    format!("{path}: {code} {}", failure.message.lines().next().unwrap_or(""))
}

/// Adds to a known failure the parts that it lacks.
fn merge_failure(known: &mut Failure, more: Failure) {
    if known.message.is_empty() {
        known.message = more.message;
    }
    if known.code.is_none() {
        known.code = more.code;
    }
    if known.expected.is_none() && known.actual.is_none() {
        (known.expected, known.actual) = (more.expected, more.actual);
    }
    more.quoted.lines().for_each(|line| push_source(&mut known.quoted, line));
    // The missing module is the cause of the failed test.
    if known.kind == FailureKind::Test && more.kind == FailureKind::Import {
        known.kind = more.kind;
    }
    for place in more.locations.into_iter().take(MAX_LOCATIONS) {
        push_location(&mut known.locations, place);
    }
    let room = MAX_FIXES.saturating_sub(known.fixes.len());
    known.fixes.extend(more.fixes.into_iter().take(room));
}

/// Drops a crash that repeats the error of a failed test, as some runners print it where it
/// happens and again under the name of the test.
fn drop_echoes(failures: &mut Vec<Failure>) {
    let tests: Vec<Failure> = failures.iter().filter(|f| f.test.is_some()).cloned().collect();
    failures.retain(|failure| {
        let is_echo = |test: &Failure| {
            test.message == failure.message
                && failure.locations.first().is_none_or(|at| test.locations.contains(at))
        };
        failure.kind != FailureKind::Crash || failure.test.is_some() || !tests.iter().any(is_echo)
    });
}

/// Drops tests that failed only because a subtest did: Go reports the parent without a message.
fn drop_parents(failures: &mut Vec<Failure>) {
    let names: Vec<String> = failures.iter().filter_map(|failure| failure.test.clone()).collect();
    failures.retain(|failure| {
        let silent = failure.message.is_empty() && failure.locations.is_empty();
        let has_child = |test: &String| {
            names.iter().any(|name| {
                name.strip_prefix(test.as_str()).is_some_and(|rest| rest.starts_with('/'))
            })
        };
        !(silent && failure.test.as_ref().is_some_and(has_child))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::draft::FailureDraft;

    fn test_failure(name: &str, message: &str) -> Failure {
        FailureDraft::new("go", FailureKind::Test, message).for_test(name).finish()
    }

    #[test]
    fn the_same_failure_is_kept_once_and_completed() {
        let mut findings = LogFailures::default();
        findings.add(test_failure("a", ""));
        findings.add(test_failure("a", "why"));
        findings.add(test_failure("a", "again"));
        assert_eq!(findings.finish().0, [test_failure("a", "why")]);
    }

    #[test]
    fn compile_errors_come_first_and_parents_of_failed_subtests_go() {
        let mut findings = LogFailures::default();
        let compile = FailureDraft::new("rust", FailureKind::Compile, "broken").finish();
        for failure in [
            test_failure("T", ""),
            test_failure("T/sub", "why"),
            FailureDraft::new("generic", FailureKind::Unknown, "vague").finish(),
            compile.clone(),
        ] {
            findings.add(failure);
        }
        assert_eq!(findings.finish().0, [compile, test_failure("T/sub", "why")]);
    }

    #[test]
    fn a_flood_is_capped() {
        let mut findings = LogFailures::default();
        for n in 0..1000 {
            findings.add(
                FailureDraft::new("generic", FailureKind::Unknown, &format!("vague {n}")).finish(),
            );
        }
        for n in 0..1000 {
            findings.add(test_failure(&format!("t{n}"), "x"));
        }
        let unknown = findings.unknown;
        assert_eq!((unknown, findings.failures.len()), (MAX_UNKNOWN, MAX_FAILURES));
    }
}
