//! Every gate that a change went through, once more, on the files as the base commit has them.

use std::collections::{BTreeMap, HashMap};

use super::Fix;
use super::error::PublishError;
use crate::domain::{Action, ActionSet, ErrorCode, Op, RepoPath, Sha256, Version};
use crate::git::{Entry, Git};
use crate::protocol::{self, Fact, Facts, Policy, Refusal};
use crate::text::encoding;
use crate::weakening::{self, FileChange as Sides};

/// Passes when each file stands in the base as the fix says and every gate lets the change through.
/// The text of a file in another encoding is judged as it is shown, its bytes are handed over as they
/// are.
pub fn check(git: &Git<'_>, fix: &Fix, policy: &Policy) -> Result<(), PublishError> {
    let entries = git.entries(&fix.base)?;
    let names = Names::new(&entries);
    let mut facts = Facts::default();
    let mut shown = BTreeMap::new();
    let mut sides = Vec::new();
    for file in &fix.files {
        let entry = names.exact.get(file.path.as_str()).copied();
        if entry.map(|entry| &entry.oid) != file.before.as_ref() {
            let said = format!("`{}` stands otherwise in {}", file.path, fix.base);
            return Err(PublishError::Tampered(said));
        }
        let before = file.before.as_ref().map(|oid| git.blob(oid)).transpose()?;
        if let Some(before) = &before {
            shown.insert(file.path.clone(), Sha256::of(before));
        }
        facts.entries.insert(file.path.clone(), names.fact(&file.path, entry, before.as_ref()));
        sides.push((&file.path, before.unwrap_or_default(), file.after.as_deref()));
    }
    let actions = fix.files.iter().map(|file| {
        let content = file.after.as_deref().map(|bytes| encoding::shown(bytes).into_owned());
        let op = match (&file.before, content) {
            (_, None) => Op::DeleteFile,
            (None, content) => Op::CreateFile { content },
            (Some(_), content) => Op::UpdateFile { content },
        };
        Action { path: file.path.to_string(), op }
    });
    let set = ActionSet {
        version: Version::V1,
        actions: actions.collect(),
        summary: fix.summary.clone(),
        validated: serde_json::Value::Null,
    };
    let screened = protocol::screen(set, policy).map_err(PublishError::Gate)?;
    protocol::check(screened, facts, &shown, policy).map_err(PublishError::Gate)?;
    if policy.allow_test_edits { Ok(()) } else { weakens(&sides) }
}

/// A path with what stands there before and after.
type Side<'f> = (&'f RepoPath, Vec<u8>, Option<&'f [u8]>);

fn weakens(sides: &[Side<'_>]) -> Result<(), PublishError> {
    let texts: Vec<_> = sides
        .iter()
        .map(|(path, before, after)| {
            (path.as_str(), encoding::shown(before), encoding::shown(after.unwrap_or_default()))
        })
        .collect();
    let files: Vec<_> =
        texts.iter().map(|(path, before, after)| Sides { path, before, after }).collect();
    let Some(found) = weakening::judge(&files).into_iter().next() else { return Ok(()) };
    Err(PublishError::Gate(Refusal {
        code: ErrorCode::TestEditNotAllowed,
        path: Some(found.path.clone()),
        action: None,
        reason: format!("line {} {}", found.line, found.rule),
    }))
}

/// The base's files by name, and by what a file system that folds case takes a name for.
struct Names<'e> {
    exact: HashMap<&'e str, &'e Entry>,
    folded: HashMap<String, &'e str>,
}

impl<'e> Names<'e> {
    fn new(entries: &'e [(String, Entry)]) -> Self {
        let exact = entries.iter().map(|(path, entry)| (path.as_str(), entry)).collect();
        let mut folded = HashMap::new();
        for (name, _) in entries {
            // Folders have names, too.
            let ends = name.match_indices('/').map(|(at, _)| at).chain([name.len()]);
            for part in ends.filter_map(|end| name.get(..end)) {
                if let Ok(path) = RepoPath::parse(part) {
                    folded.entry(path.identity()).or_insert(part);
                }
            }
        }
        Self { exact, folded }
    }

    fn fact(&self, path: &RepoPath, entry: Option<&Entry>, before: Option<&Vec<u8>>) -> Fact {
        let resolved = path.clone();
        if let (Some(entry), Some(bytes)) = (entry, before) {
            return match entry.mode.as_str() {
                "100644" | "100755" => Fact::File { resolved, bytes: bytes.clone() },
                _ => Fact::Unusable { reason: "is no regular file".to_owned() },
            };
        }
        let mut above = Vec::new();
        let mut next = path.parent();
        while let Some(folder) = next {
            next = folder.parent();
            above.push(folder);
        }
        if let Some(by) = above.iter().find(|folder| self.exact.contains_key(folder.as_str())) {
            return Fact::Blocked { by: by.clone() };
        }
        for part in above.iter().rev().chain([path]) {
            let known = self.folded.get(&part.identity());
            let other = known.filter(|known| **known != part.as_str());
            if let Some(existing) = other.and_then(|name| RepoPath::parse(name).ok()) {
                return Fact::OtherSpelling { existing };
            }
        }
        Fact::Missing { resolved, missing_parents: Vec::new() }
    }
}
