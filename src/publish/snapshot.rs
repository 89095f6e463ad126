//! A commit's files as the gates look them up.

use std::collections::{BTreeMap, HashMap};

use papayu_base::domain::{ActionKind, RepoPath};
use papayu_forge::git::CommitEntry;
use papayu_vet::{PathFact, PathFacts};

/// The files of a commit: their modes and names, and the bytes of those that a change touches.
pub(super) struct CommitFacts<'e> {
    entries: HashMap<&'e str, &'e CommitEntry>,
    /// The spelling of each name, by the name that a file system sees that folds case.
    spellings: HashMap<String, &'e str>,
    bytes: BTreeMap<RepoPath, Vec<u8>>,
}

impl<'e> CommitFacts<'e> {
    /// Takes the entries of a commit and the bytes of the files that the gates will ask for.
    pub(super) fn new(
        entries: &'e [(String, CommitEntry)],
        bytes: BTreeMap<RepoPath, Vec<u8>>,
    ) -> Self {
        let mut spellings = HashMap::new();
        for (name, _) in entries {
            // Git lists files only, so each name brings those of its folders.
            let ends = name.match_indices('/').map(|(at, _)| at).chain([name.len()]);
            for part in ends.filter_map(|end| name.get(..end)) {
                if let Ok(path) = RepoPath::parse(part) {
                    spellings.entry(path.identity()).or_insert(part);
                }
            }
        }
        let entries = entries.iter().map(|(path, entry)| (path.as_str(), entry)).collect();
        Self { entries, spellings, bytes }
    }

    /// Returns another spelling of a path, or of a folder above it, that the commit has.
    fn other_spelling(&self, path: &RepoPath) -> Option<RepoPath> {
        let known = self.spellings.get(&path.identity())?;
        RepoPath::parse(known).ok().filter(|known| known != path)
    }
}

impl PathFacts for CommitFacts<'_> {
    fn find(&self, path: &RepoPath, _: ActionKind) -> PathFact {
        let resolved = path.clone();
        if let Some(entry) = self.entries.get(path.as_str()) {
            return match (entry.mode.as_str(), self.bytes.get(path)) {
                ("100644" | "100755", Some(bytes)) => {
                    PathFact::File { resolved, bytes: bytes.clone() }
                }
                _ => PathFact::Unusable { reason: "is no regular file".to_owned() },
            };
        }
        let mut above: Vec<RepoPath> =
            std::iter::successors(path.parent(), RepoPath::parent).collect();
        if let Some(by) = above.iter().find(|folder| self.entries.contains_key(folder.as_str())) {
            return PathFact::Blocked { by: by.clone() };
        }
        above.reverse();
        match above.iter().chain([path]).find_map(|part| self.other_spelling(part)) {
            Some(existing) => PathFact::OtherSpelling { existing },
            // Git makes the folders of a new file itself.
            None => PathFact::Missing { resolved, missing_parents: Vec::new() },
        }
    }
}
