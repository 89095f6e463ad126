//! `papayu-batch debug vet`: the checks of a change without a repository and without a run, for the measurement of false
//! alarms.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use papayu_base::domain::{ActionKind, RepoPath, Sha256};
use papayu_base::text::Masker;
use papayu_vet::suspicion::{FailureEvidence, TestText};
use papayu_vet::{FileSides, PathFact, PathFacts, Policy, Snapshot, find_review_places, vet_files};

/// A change of complete files.
#[derive(Deserialize)]
struct VetCase {
    #[serde(default)]
    id: Value,
    files: Vec<VetFile>,
    /// The failing tests, or lines of them.
    #[serde(default)]
    tests: Vec<TestText>,
    /// `true` if a compiler, a type checker or a linter failed.
    #[serde(default)]
    is_diagnostic: bool,
}

/// A file of a change.
#[derive(Deserialize)]
struct VetFile {
    path: String,
    before: Option<String>,
    after: Option<String>,
}

/// The files before the change.
struct VetFiles(BTreeMap<RepoPath, Vec<u8>>);

impl PathFacts for VetFiles {
    fn find(&self, path: &RepoPath, _: ActionKind) -> PathFact {
        let resolved = path.clone();
        match self.0.get(path) {
            Some(bytes) => PathFact::File { resolved, bytes: bytes.clone() },
            None => PathFact::Missing { resolved, missing_parents: Vec::new() },
        }
    }
}

/// Vets the change of one line of JSON, and returns its grade with the refusal, the flags and the notes.
pub(super) fn answer_vet(line: &[u8]) -> Value {
    let case: VetCase = match serde_json::from_slice(line) {
        Ok(case) => case,
        Err(error) => return json!({"id": null, "error": format!("not a case: {error}")}),
    };
    let bytes = |text: Option<&String>| text.map(|text| text.clone().into_bytes());
    let mut files = Vec::new();
    let mut known = BTreeMap::new();
    for VetFile { path, before, after } in &case.files {
        let path = match RepoPath::parse(path) {
            Ok(path) => path,
            Err(fault) => return json!({"id": case.id, "error": fault.to_string()}),
        };
        let (before, after) = (bytes(before.as_ref()), bytes(after.as_ref()));
        known.extend(before.clone().map(|before| (path.clone(), before)));
        files.push(FileSides { path, before, after });
    }
    let shown = known.iter().map(|(path, bytes)| (path.clone(), Sha256::of(bytes))).collect();
    let (masker, facts) = (Masker::new([]), VetFiles(known));
    let snapshot = Snapshot { files: &facts, shown: &shown, earlier: None, masker: &masker };
    let change = match vet_files(files, &snapshot, &Policy::default()) {
        Ok(change) => change,
        Err(refusal) => {
            let (code, reason) = (refusal.code.as_str(), refusal.reason.clone());
            return json!({"id": case.id, "grade": "refused", "code": code, "reason": reason});
        }
    };
    let mut evidence =
        FailureEvidence { is_diagnostic: case.is_diagnostic, ..FailureEvidence::default() };
    case.tests.into_iter().for_each(|it| evidence.add(it.path, it.text));
    let places = find_review_places(&change, &evidence, &|| false).unwrap_or_default();
    let grade = match (places.flags.is_empty(), places.notes.is_empty()) {
        (false, _) => "flag",
        (true, false) => "note",
        (true, true) => "none",
    };
    json!({"id": case.id, "grade": grade, "flags": places.flags, "notes": places.notes})
}
