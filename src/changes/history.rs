//! The commits since the green one: the lines that each of them has in the files as they are, and a guess at the culprit.

use std::collections::{BTreeMap, HashMap};

use super::diff::DiffedFile;
use papayu_base::domain::changes::{BlameCertainty, CulpritRecord, HunkRange};

/// The share of a commit in what changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitShare {
    /// The commit; empty for what is not committed.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
    /// The time at which it was made, in seconds since 1970.
    pub time: i64,
    /// `true` if its message speaks of a weakness in a package.
    pub is_security: bool,
    /// Its own changes.
    pub files: Vec<DiffedFile>,
    /// The lines that it has in the files as they are, by path now; for removed lines those before them.
    pub lines: BTreeMap<String, Vec<u32>>,
    /// Its hunks that no later change touches.
    pub placed: Vec<KeptHunk>,
}

/// Most lines of a file that count for a guess.
const MAX_LINES: usize = 20;

/// A change before its lines are followed; one that is not committed has no id.
#[derive(Default)]
pub(super) struct HistoryEntry {
    pub(super) commit: String,
    pub(super) subject: String,
    pub(super) time: i64,
    pub(super) is_security: bool,
    pub(super) files: Vec<DiffedFile>,
}

/// Returns the share of each change, the newest first; `count_lines` returns the number of lines of a file.
pub(super) fn share_lines(
    commits: Vec<HistoryEntry>,
    count_lines: &dyn Fn(&str) -> u32,
) -> Vec<CommitShare> {
    let mut origins = Origins { files: HashMap::new(), count_lines };
    let shares = commits.into_iter().map(|entry| {
        let HistoryEntry { commit, subject, time, is_security, files } = entry;
        let mut lines: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let mut placed = Vec::new();
        for file in &files {
            if let Some((path, own, whole)) = origins.take(file) {
                lines.entry(path).or_default().extend(own);
                placed.extend(whole);
            }
        }
        CommitShare { commit, subject, time, is_security, files, lines, placed }
    });
    shares.collect()
}

/// A hunk of a commit at its place in the files as they are; no later change touches its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptHunk {
    /// The file.
    pub path: String,
    /// The first of its lines, from 1; of removed lines, the line that they followed.
    pub first: u32,
    /// The number of its lines; 0 where lines were removed only.
    pub count: u32,
    /// The text before, with its line ends.
    pub old_text: String,
    /// The text of the lines now, with their line ends.
    pub new_text: String,
}

impl KeptHunk {
    /// Returns the text of a file with the hunks taken back; `None` if it has other lines at their places.
    pub fn take_back(hunks: &[&Self], text: &str) -> Option<String> {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut hunks = hunks.to_vec();
        hunks.sort_by_key(|hunk| std::cmp::Reverse(hunk.first));
        for hunk in hunks {
            let start = hunk.first as usize - usize::from(hunk.count > 0);
            let range = start..start + hunk.count as usize;
            if lines.get(range.clone())?.concat() != hunk.new_text {
                return None;
            }
            lines.splice(range, [hunk.old_text.as_str()]);
        }
        Some(lines.concat())
    }
}

/// The lines of files at a commit, as lines of the files as they are.
struct Origins<'c> {
    /// By path at the commit: the path now, and the lines.
    files: HashMap<String, (String, Vec<LineOrigin>)>,
    count_lines: &'c dyn Fn(&str) -> u32,
}

/// A line of a file at a commit.
#[derive(Clone, Copy)]
struct LineOrigin {
    /// Its number now, or that of the line before it where it was removed.
    now: u32,
    is_gone: bool,
}

impl Origins<'_> {
    /// Goes back over the change of a file. Returns its path now, the lines that the change has there, and its hunks that no
    /// later change touches; `None` for a deleted file.
    fn take(&mut self, file: &DiffedFile) -> Option<(String, Vec<u32>, Vec<KeptHunk>)> {
        let count_lines = self.count_lines;
        let fresh = || {
            let lines = (1..=count_lines(&file.path)).map(|now| LineOrigin { now, is_gone: false });
            (file.path.clone(), lines.collect())
        };
        let (path, mut lines): (String, Vec<LineOrigin>) =
            self.files.remove(&file.path).unwrap_or_else(fresh);
        let (mut own, mut placed) = (Vec::new(), Vec::new());
        for hunk in file.hunks.iter().rev() {
            let HunkRange { new_start, new_lines, old_lines, .. } = hunk.range;
            let start = new_start as usize - usize::from(new_lines > 0 && new_start > 0);
            let start = start.min(lines.len());
            let end = (start + new_lines as usize).min(lines.len());
            let before = start.checked_sub(1).and_then(|at| lines.get(at)).copied();
            let here = lines.get(start..end).unwrap_or_default();
            let mut following = here.iter().zip(here.iter().skip(1));
            let is_whole = here.len() == new_lines as usize
                && here.iter().all(|line| !line.is_gone)
                && following.all(|(one, next)| one.now + 1 == next.now);
            let anchor = before.map_or(0, |line| line.now);
            let has_anchor = new_lines > 0 || before.is_none_or(|line| !line.is_gone);
            if is_whole && has_anchor {
                let first = here.first().map_or(anchor, |line| line.now);
                let (old_text, new_text) = (hunk.old_text.clone(), hunk.new_text.clone());
                let (path, count) = (path.clone(), new_lines);
                placed.push(KeptHunk { path, first, count, old_text, new_text });
            }
            own.extend(here.iter().map(|line| line.now));
            if new_lines == 0 {
                own.push(anchor.max(1));
            }
            let gone = LineOrigin { now: anchor, is_gone: true };
            lines.splice(start..end, (0..old_lines).map(|_| gone));
        }
        let key = file.was.as_ref().unwrap_or(&file.path).clone();
        self.files.insert(key, (path.clone(), lines));
        own.sort_unstable();
        own.dedup();
        Some((path, own, placed)).filter(|(_, own, _)| !own.is_empty())
    }
}

impl CommitShare {
    /// Returns the suspicion against the commit, by its lines among those shown; 0 if it has no file of them.
    pub(super) fn weigh(&self, shown: &[(String, Vec<(u32, u32)>)]) -> f32 {
        let mut score = 0.0;
        for (rank, (path, windows)) in shown.iter().enumerate() {
            let Some(lines) = self.lines.get(path) else { continue };
            let is_shown = |line: &&u32| windows.iter().any(|it| it.0 <= **line && **line <= it.1);
            let count = lines.iter().filter(is_shown).count().min(MAX_LINES);
            #[expect(clippy::cast_precision_loss, reason = "both are small")]
            let (count, rank) = (count as f32, rank as f32);
            score += (1.0 + count / 5.0) / (1.0 + rank);
        }
        score
    }

    /// Returns the commit as a guess, with those of its files that are shown.
    pub(super) fn suspect(&self, shown: &[(String, Vec<(u32, u32)>)]) -> CulpritRecord {
        let files = shown.iter().map(|(path, _)| path.clone());
        CulpritRecord {
            commit: self.commit.clone(),
            subject: self.subject.clone(),
            files: files.filter(|path| self.lines.contains_key(path)).collect(),
            certainty: BlameCertainty::Guess,
            runs: 0,
            skipped: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::diff::parse_diff;

    fn commit(id: char, diff: &str) -> HistoryEntry {
        let (commit, subject) = (id.to_string().repeat(40), format!("commit {id}"));
        HistoryEntry { commit, subject, files: parse_diff(diff), ..HistoryEntry::default() }
    }

    #[test]
    fn lines_are_followed_through_later_commits_and_renames() {
        // a.py was `1..5`; `a` replaces 2, `b` renames and adds two lines on top, `c` removes the last line.
        let first = commit(
            'a',
            "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-2\n+two\n",
        );
        let second = commit(
            'b',
            "diff --git a/a.py b/b.py\nsimilarity index 80%\nrename from a.py\nrename to b.py\n--- a/a.py\n+++ b/b.py\n@@ -0,0 +1,2 @@\n+x\n+y\n",
        );
        let third =
            commit('c', "diff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n@@ -7 +6,0 @@\n-5\n");
        let shares = share_lines(vec![third, second, first], &|_| 6);
        let lines: Vec<_> = shares.iter().map(|it| it.lines["b.py"].clone()).collect();
        assert_eq!(lines, [vec![6], vec![1, 2], vec![4]]);
        let shown = vec![("z.py".to_owned(), vec![]), ("b.py".to_owned(), vec![(3, 5)])];
        let scores: Vec<f32> = shares.iter().map(|it| it.weigh(&shown)).collect();
        // `a` has a shown line, the others only the file, which is the second.
        assert_eq!(scores, [0.5, 0.5, 0.6]);
        assert!(shares[0].weigh(&[]) < f32::EPSILON);
        assert_eq!(shares[2].suspect(&shown).files, ["b.py"]);
        let taken_back = |share: &CommitShare| {
            let hunks: Vec<&KeptHunk> = share.placed.iter().collect();
            KeptHunk::take_back(&hunks, "x\ny\n1\ntwo\n3\n4\n")
        };
        assert_eq!(taken_back(&shares[0]).as_deref(), Some("x\ny\n1\ntwo\n3\n4\n5\n"));
        assert_eq!(taken_back(&shares[1]).as_deref(), Some("1\ntwo\n3\n4\n"));
        assert_eq!(taken_back(&shares[2]).as_deref(), Some("x\ny\n1\n2\n3\n4\n"));
        let other: Vec<&KeptHunk> = shares[2].placed.iter().collect();
        assert_eq!(KeptHunk::take_back(&other, "x\ny\n1\n3\n"), None);
    }
}
