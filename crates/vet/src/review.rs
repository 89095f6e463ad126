//! The places of a vetted change that a person should read.

use super::decoded::{DecodedFile, decode_files};
use super::gate::unattended::{Touched, describe_reader};
use super::rules::{RuleGrade, grade_of};
use super::{Policy, StopCheck, VettedChange};
use crate::basis::find_touched;
use crate::suspicion::{FailureEvidence, find_suspicious};
use crate::weakening;
use papayu_base::domain::Allowance;
use papayu_base::domain::outcome::ReviewFlag;
use papayu_lang::{ChangedText, Family, PathClass};
use papayu_patch::preview::Change;

/// The places of a change that a person should read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewPlaces {
    /// Those for which the fix counts only if flags are accepted.
    pub flags: Vec<ReviewFlag>,
    /// Those that are only named.
    pub notes: Vec<ReviewFlag>,
}

impl ReviewPlaces {
    /// Adds a place.
    fn add(&mut self, grade: RuleGrade, path: String, line: usize, reason: String) {
        let line = u64::try_from(line).unwrap_or(u64::MAX);
        let place = ReviewFlag { path, line, reason };
        match grade {
            RuleGrade::Note => self.notes.push(place),
            RuleGrade::Flag | RuleGrade::Refused => self.flags.push(place),
        }
    }
}

/// Returns the places of a change that a person should read: code that may have been written to satisfy the
/// check, and weakened tests where the run allowed to edit them. `None` if `stop` asked to end before all were found.
pub fn find_review_places(
    change: &VettedChange,
    evidence: &FailureEvidence,
    stop: StopCheck<'_>,
) -> Option<ReviewPlaces> {
    // The whole change, not the last step: an earlier step may have prepared a special case.
    let files = decode_files(change.whole());
    let texts: Vec<_> = files.iter().map(DecodedFile::as_changed_text).collect();
    let mut places = ReviewPlaces::default();
    // Comparing large files takes long enough for a signal to arrive.
    if stop() {
        return None;
    }
    for it in find_suspicious(&texts, evidence) {
        places.add(it.grade, it.path, it.line, it.message);
    }
    if stop() {
        return None;
    }
    for it in weakening::judge(&list_tests(&texts)) {
        places.add(grade_of("weakened_test"), it.path, it.line, it.rule);
    }
    Some(places)
}

/// Returns a note on each file that a change touches only because the run allows its kind: what the proof means after it.
pub fn find_allowed(change: &VettedChange, policy: &Policy) -> Vec<ReviewFlag> {
    let touched = find_touched(change.whole(), policy).into_iter();
    let of_basis = touched.map(|it| (it.path, it.reason, it.allowance));
    let of_ci = change.whole().changes().iter().filter_map(|it| {
        let is_new = matches!(it, Change::CreateFile { .. });
        let is_file = !matches!(it, Change::CreateDir { .. } | Change::RemoveDir { .. });
        let reason = describe_reader(&it.path().identity(), Touched { is_new, is_file })?;
        let reason = reason.split("; ").next().unwrap_or_default().to_owned();
        Some((it.path().to_string(), reason, Allowance::Ci))
    });
    let note = |(path, reason, kind): (String, String, Allowance)| {
        let (name, meaning) = (kind.name(), kind.proof_meaning());
        ReviewFlag { path, line: 1, reason: format!("{reason}, which `{name}` allows: {meaning}") }
    };
    of_basis.chain(of_ci).map(note).collect()
}

/// Returns the files in which a runner looks for tests: a function of the product may have the name of a test.
fn list_tests<'a>(texts: &[ChangedText<'a>]) -> Vec<ChangedText<'a>> {
    let has_tests = |it: &&ChangedText<'_>| {
        let text = if it.before.is_empty() { it.after } else { it.before };
        let class = PathClass::of_file(it.path, text);
        let is_inline = Family::of_path(it.path) == Family::Rust && class == PathClass::Source;
        is_inline || matches!(class, PathClass::Test | PathClass::TestSupport)
    };
    texts.iter().filter(has_tests).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::RepoPath;
    use papayu_patch::preview::Change;

    #[test]
    fn a_function_of_the_product_with_the_name_of_a_test_is_none() {
        let text = "class Table:\n    def test_for_row(self, row):\n        assert row\n        return 1\n";
        let places = |path: &str| {
            let path = RepoPath::parse(path).unwrap();
            let after = "class Table:\n    pass\n".into();
            let change = Change::WriteFile { path, before: text.into(), after };
            let change = VettedChange::for_test(vec![change]);
            find_review_places(&change, &FailureEvidence::default(), &|| false).unwrap()
        };
        assert_eq!(places("pkg/table.py"), ReviewPlaces::default());
        assert_eq!(places("tests/test_table.py").flags.len(), 1);
    }
}
