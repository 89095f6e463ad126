//! Reads what changed since a green commit.

use std::collections::BTreeSet;

use super::definitions::find_definition_moves;
use super::dependencies::{find_dependency_moves, find_submodule_move};
use super::diff::{DiffedFile, parse_diff};
use super::history::{CommitShare, HistoryEntry, share_lines};
use crate::bump::names_installed;
use papayu_base::domain::RepoPath;
use papayu_base::domain::changes::{
    ChangeRecord, CulpritRecord, DependencyMove, FileChangeKind, FileMove, GreenSource, ToolMove,
};
use papayu_base::text::first_chars;
use papayu_forge::git::{Git, GitError, Oid};
use papayu_lang::PathClass;
use papayu_system::Tree;

/// Most files and dependencies that a record lists.
const MAX_LISTED: usize = 200;

/// Most files in which definitions are compared.
const MAX_PARSED: usize = 30;

/// Longest text that is compared by definitions or dependencies, in bytes.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Most characters of the first line of a commit's message.
const MAX_SUBJECT: usize = 100;

/// Most commits that are looked through.
const MAX_COMMITS: usize = 200;

/// A commit on which the command passed, or is taken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Green {
    /// The commit.
    pub commit: Oid,
    /// The reason why it is taken to be green.
    pub source: GreenSource,
    /// `true` if the clone has all commits between it and the one that is checked out.
    pub is_connected: bool,
}

/// The changes since the green commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The green commit.
    pub green: Green,
    /// The changed files, in the order of paths.
    pub files: Vec<DiffedFile>,
    /// The packages, actions and images that moved.
    pub dependencies: Vec<DependencyMove>,
    /// The commits since the green one, newest first, at most 200; none where the clone lacks some.
    pub commits: Vec<CommitShare>,
    /// Changes that are not committed; `None` without any.
    pub uncommitted: Option<CommitShare>,
}

/// Reads the changes up to the files of the commit `head`, which is checked out; `None` if nothing changed.
///
/// # Errors
///
/// The error of git if it cannot compare.
pub fn read_changes(
    git: &Git<'_>,
    tree: &dyn Tree,
    green: Green,
    head: &Oid,
) -> Result<Option<Changes>, GitError> {
    let mut files = parse_diff(&git.diff_since(&green.commit)?);
    if files.is_empty() {
        return Ok(None);
    }
    let (mut dependencies, mut parsed) = (Vec::new(), 0);
    for file in &mut files {
        dependencies.extend(find_submodule_move(file));
        let is_hidden = RepoPath::parse(&file.path).is_ok_and(|path| papayu_vet::is_hidden(&path));
        let now = read_text(tree, &file.path).filter(|_| !is_hidden);
        let old = now.as_deref().and_then(|now| file.old_text(now));
        // Texts of protected files are nowhere shown.
        let (Some(now), Some(old)) = (now, old) else {
            file.hunks.iter_mut().filter(|_| is_hidden).for_each(|hunk| {
                hunk.old_text.clear();
                hunk.new_text.clear();
            });
            continue;
        };
        dependencies.extend(find_dependency_moves(&file.path, &old, &now));
        if parsed < MAX_PARSED {
            file.definitions = find_definition_moves(&file.path, &old, &now, &file.hunks);
            parsed += usize::from(!file.definitions.is_empty());
        }
    }
    let is_declared = |it: &&DependencyMove| PathClass::of_path(&it.path) != PathClass::Generated;
    let declared = dependencies.iter().filter(is_declared).map(|it| it.name.clone());
    let declared: BTreeSet<String> = declared.collect();
    // The packages that manifests name come first, and then those that they bring.
    dependencies.sort_by_key(|it: &DependencyMove| {
        (!declared.contains(&it.name), it.from.is_none() || it.to.is_none())
    });
    let mut commits =
        if green.is_connected { read_commits(git, tree, &green, head)? } else { Vec::new() };
    let is_dirty = commits.first().is_some_and(|it| it.commit.is_empty());
    let uncommitted = is_dirty.then(|| commits.remove(0));
    Ok(Some(Changes { green, files, dependencies, commits, uncommitted }))
}

/// Returns the commits since the green one, before them what is not committed, with their lines in the files as they are.
fn read_commits(
    git: &Git<'_>,
    tree: &dyn Tree,
    green: &Green,
    head: &Oid,
) -> Result<Vec<CommitShare>, GitError> {
    let commits = git.list_range(&green.commit, head, MAX_COMMITS)?;
    let commits = commits.into_iter().map(|it| HistoryEntry {
        is_security: speaks_of_weakness(&it.subject) || speaks_of_weakness(&it.body),
        commit: it.commit.to_string(),
        subject: first_chars(&it.subject, MAX_SUBJECT).to_owned(),
        time: it.time,
        files: parse_diff(&it.diff),
    });
    let files = parse_diff(&git.diff_since(head)?);
    let uncommitted =
        (!files.is_empty()).then(|| HistoryEntry { files, ..HistoryEntry::default() });
    let count = |path: &str| {
        let lines = read_text(tree, path).map_or(0, |text| text.lines().count());
        u32::try_from(lines).unwrap_or(u32::MAX)
    };
    Ok(share_lines(uncommitted.into_iter().chain(commits).collect(), &count))
}

/// Returns `true` if a message speaks of a weakness, in words or by the id of an advisory.
fn speaks_of_weakness(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let words = ["security", "vulnerab", "cve-", "ghsa-", "rustsec-", "pysec-", "osv-"];
    words.into_iter().any(|word| message.contains(word))
}

/// Returns the text of a file now; empty for a deleted one, `None` for one that is too large.
fn read_text(tree: &dyn Tree, path: &str) -> Option<String> {
    let path = RepoPath::parse(path).ok()?;
    match tree.read(&path, MAX_BYTES) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) if tree.entry(&path).is_ok_and(|it| it == papayu_system::Entry::Missing) => {
            Some(String::new())
        }
        Err(_) => None,
    }
}

/// Returns the changes as results show them, with the tools that moved between two logs; `None` if nothing is known.
pub fn record_changes(changes: Option<&Changes>, environment: &[ToolMove]) -> Option<ChangeRecord> {
    let known = changes.map(Changes::record);
    let record = known.or_else(|| (!environment.is_empty()).then(ChangeRecord::default))?;
    Some(ChangeRecord { environment: environment.to_vec(), ..record })
}

impl Changes {
    /// Returns the changes as results show them.
    pub fn record(&self) -> ChangeRecord {
        let files = self.files.iter().take(MAX_LISTED).map(|file| FileMove {
            path: file.path.clone(),
            change: file.kind,
            was: file.was.clone(),
            hunks: file.hunks.iter().map(|hunk| hunk.range).collect(),
            definitions: file.definitions.clone(),
        });
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let green = &self.green;
        ChangeRecord {
            green: Some(green.commit.to_string()),
            source: Some(green.source),
            commits: green.is_connected.then(|| number(self.commits.len())),
            files: files.collect(),
            more_files: number(self.files.len().saturating_sub(MAX_LISTED)),
            dependencies: self.dependencies.iter().take(MAX_LISTED).cloned().collect(),
            environment: Vec::new(),
        }
    }

    /// Returns the suspicion against each commit and against what is not committed, the strongest first. `shown` are the
    /// files of the context with their lines, best first.
    pub fn weigh_commits(&self, shown: &[(String, Vec<(u32, u32)>)]) -> Vec<(f32, &CommitShare)> {
        let shares = self.uncommitted.iter().chain(&self.commits);
        let mut weighed: Vec<_> = shares.map(|it| (it.weigh(shown), it)).collect();
        weighed.retain(|(score, _)| *score > 0.0);
        // Equal ones stay in order: the newest first.
        weighed.sort_by(|one, other| other.0.total_cmp(&one.0));
        weighed
    }

    /// Returns the commits that may have made the command fail, the most likely first; none if what is not committed is
    /// more likely.
    pub fn suspects(&self, shown: &[(String, Vec<(u32, u32)>)]) -> Vec<CulpritRecord> {
        let weighed = self.weigh_commits(shown);
        let is_committed = weighed.first().is_some_and(|(_, it)| !it.commit.is_empty());
        let records = weighed.iter().map(|(_, it)| it.suspect(shown));
        records.filter(|it| is_committed && !it.commit.is_empty()).collect()
    }

    /// Returns a package that a change newer than this commit installs in another version, and that the commit or the text of
    /// the failure names; the runs on earlier commits use what is installed now.
    pub fn moved_after(&self, commit: &str, failure: &str) -> Option<&DependencyMove> {
        let at = self.commits.iter().position(|it| it.commit == commit)?;
        let (newer, rest) = self.commits.split_at(at);
        let newer = || self.uncommitted.iter().chain(newer).flat_map(|it| &it.files);
        let own = rest.iter().take(1).flat_map(|it| &it.files).flat_map(|it| &it.hunks);
        let texts = own.map(|hunk| hunk.new_text.as_str()).chain([failure]);
        let text = texts.collect::<String>().to_lowercase();
        let is_named = |moved: &&DependencyMove| {
            // The name of an import is often that of the package without its language.
            let name = moved.name.rsplit(['/', ':']).next().unwrap_or_default().to_lowercase();
            let name = name.trim_start_matches("python-").trim_start_matches("py");
            text.contains(name) || text.contains(&name.replace('-', "_"))
        };
        let installed = self.dependencies.iter().filter(|it| names_installed(&it.path));
        installed.filter(is_named).find(|moved| newer().any(|file| file.path == moved.path))
    }

    /// Returns the change of a file that exists now; `None` for any other.
    pub fn file(&self, path: &str) -> Option<&DiffedFile> {
        let exists = |file: &&DiffedFile| file.kind != FileChangeKind::Deleted;
        self.files.iter().filter(exists).find(|file| file.path == path)
    }
}
