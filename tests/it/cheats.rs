//! Changes that satisfy a check without being right, and honest ones that look like them: `tests/cheats` and
//! `tests/honest`, judged by the gates and by the places that they flag.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use papayu_base::domain::{ActionKind, Allowance, RepoPath, Sha256};
use papayu_base::text::Masker;
use papayu_vet::suspicion::FailureEvidence;
use papayu_vet::{
    FileSides, PathFact, PathFacts, Policy, Snapshot, find_review_places, is_test, vet_files,
};

use crate::support::project_path;

/// A file of `tests/cheats` or `tests/honest`; their `README` describes the form.
#[derive(Default)]
struct Case {
    verdict: String,
    is_diagnostic: bool,
    before: BTreeMap<String, String>,
    after: BTreeMap<String, Option<String>>,
}

impl Case {
    fn read(text: &str) -> Self {
        let mut case = Self::default();
        let mut file: Option<&mut String> = None;
        for line in text.split_inclusive('\n').skip(1) {
            let title = line.trim_end().strip_prefix("-- ").and_then(|it| it.strip_suffix(" --"));
            if let Some(title) = title {
                file = if let Some(path) = title.strip_prefix("removed ") {
                    case.after.insert(path.to_owned(), None);
                    None
                } else if let Some(path) = title.strip_prefix("after ") {
                    case.after.entry(path.to_owned()).or_default().insert(String::new()).into()
                } else {
                    Some(case.before.entry(title.to_owned()).or_default())
                };
            } else if let Some(file) = &mut file {
                file.push_str(line);
            } else if let Some(verdict) = line.strip_prefix("! ") {
                verdict.trim_end().clone_into(&mut case.verdict);
            } else if line.trim_end() == "diagnostic" {
                case.is_diagnostic = true;
            }
        }
        case
    }

    /// Returns the kinds of files that the verdict allows.
    fn allowances(&self) -> BTreeSet<Allowance> {
        if self.verdict.ends_with("--allow-test-edits") {
            return Allowance::OF_TEST_EDITS.into();
        }
        let named = self.verdict.split_once("--allow ").map_or("", |(_, kinds)| kinds);
        Allowance::ALL
            .into_iter()
            .filter(|kind| named.split(',').any(|it| it == kind.name()))
            .collect()
    }

    /// Returns `refused`, `flagged`, `noted` or `passes`, and the reasons.
    fn judge(&self) -> (&'static str, String) {
        let policy =
            Policy { allow_delete: true, allowances: self.allowances(), ..Policy::default() };
        let bytes = |text: &String| text.clone().into_bytes();
        let files = self.after.iter().map(|(path, after)| FileSides {
            path: RepoPath::parse(path).unwrap(),
            before: self.before.get(path).map(bytes),
            after: after.as_ref().map(bytes),
        });
        let digest = |(path, text): (&String, &String)| {
            (RepoPath::parse(path).unwrap(), Sha256::of(text.as_bytes()))
        };
        let shown = self.before.iter().map(digest).collect();
        let masker = Masker::new([]);
        let snapshot = Snapshot { files: self, shown: &shown, earlier: None, masker: &masker };
        let change = match vet_files(files.collect(), &snapshot, &policy) {
            Ok(change) => change,
            Err(refusal) => return ("refused", refusal.to_string()),
        };
        let mut evidence =
            FailureEvidence { is_diagnostic: self.is_diagnostic, ..FailureEvidence::default() };
        for (path, text) in &self.before {
            if is_test(&RepoPath::parse(path).unwrap()) {
                evidence.add(path.clone(), text.clone());
            } else if let Some((_, tests)) = text.split_once("#[cfg(test)]") {
                evidence.add(path.clone(), tests.to_owned());
            }
        }
        let places = find_review_places(&change, &evidence, &|| false).unwrap();
        let verdict = match (places.flags.is_empty(), places.notes.is_empty()) {
            (false, _) => "flagged",
            (true, false) => "noted",
            (true, true) => "passes",
        };
        (verdict, format!("{places:?}"))
    }
}

impl PathFacts for Case {
    fn find(&self, path: &RepoPath, _: ActionKind) -> PathFact {
        let resolved = path.clone();
        match self.before.get(path.as_str()) {
            Some(text) => PathFact::File { resolved, bytes: text.clone().into_bytes() },
            None => PathFact::Missing { resolved, missing_parents: Vec::new() },
        }
    }
}

/// Returns every case below a folder of `tests`, by its path.
fn read_cases(folder: &str) -> Vec<(String, Case)> {
    let mut cases = Vec::new();
    for family in fs::read_dir(project_path(folder)).unwrap() {
        let family = family.unwrap().path();
        if !family.is_dir() {
            continue;
        }
        for file in fs::read_dir(family).unwrap() {
            let path = file.unwrap().path();
            let name = path.strip_prefix(project_path(folder)).unwrap().display().to_string();
            cases.push((name, Case::read(&fs::read_to_string(&path).unwrap())));
        }
    }
    cases.sort_by(|one, other| one.0.cmp(&other.0));
    cases
}

#[test]
fn each_cheat_has_its_grade_and_none_passes_unnoticed() {
    let cases = read_cases("tests/cheats");
    assert!(cases.len() >= 150, "{}", cases.len());
    let mut wrong = Vec::new();
    for (name, case) in &cases {
        let (verdict, reasons) = case.judge();
        if verdict != case.verdict.split(' ').next().unwrap() || verdict == "passes" {
            wrong.push(format!("{name}: {verdict}, not {}: {reasons}", case.verdict));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn honest_changes_that_look_like_cheats_pass() {
    let cases = read_cases("tests/honest");
    assert!(cases.len() >= 60, "{}", cases.len());
    let (mut wrong, mut noted) = (Vec::new(), 0);
    for (name, case) in &cases {
        let (verdict, reasons) = case.judge();
        noted += usize::from(verdict == "noted");
        if verdict != case.verdict.split(' ').next().unwrap() || verdict == "flagged" {
            wrong.push(format!("{name}: {verdict}: {reasons}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(noted * 10 <= cases.len(), "{noted} of {} are noted", cases.len());
}
