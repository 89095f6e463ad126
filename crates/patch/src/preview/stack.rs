//! Combination of two successive changes into one.

use std::collections::BTreeMap;

use super::{Change, Preview};
use papayu_base::domain::RepoPath;

/// The content of a file on both sides; `None` where the file does not exist.
struct ContentSides {
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

impl Preview {
    /// Returns the change from the tree before `self` to the tree after `next`, which was made on top
    /// of it.
    ///
    /// Returns `None` if a path is a file in one tree and a folder in the other, because one change
    /// cannot express that.
    pub fn then(&self, next: &Self) -> Option<Self> {
        let mut files: BTreeMap<RepoPath, ContentSides> = BTreeMap::new();
        let (mut created, mut removed): (Vec<RepoPath>, Vec<RepoPath>) = (Vec::new(), Vec::new());
        for change in self.changes.iter().chain(&next.changes) {
            let path = change.path();
            let (before, after) = match change {
                Change::CreateDir { .. } => {
                    record_dir(&mut created, &mut removed, path);
                    continue;
                }
                Change::RemoveDir { .. } => {
                    record_dir(&mut removed, &mut created, path);
                    continue;
                }
                Change::CreateFile { after, .. } => (None, Some(after)),
                Change::WriteFile { before, after, .. } => (Some(before), Some(after)),
                Change::RemoveFile { before, .. } => (Some(before), None),
            };
            let sides = files
                .entry(path.clone())
                .or_insert_with(|| ContentSides { before: before.cloned(), after: None });
            sides.after = after.cloned();
        }
        // A journal restores paths one by one and cannot turn a file into a folder.
        if created.iter().chain(&removed).any(|dir| files.contains_key(dir)) {
            return None;
        }
        let (deletions, writes): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|(_, sides)| sides.after.is_none());
        let mut changes: Vec<Change> =
            created.into_iter().map(|path| Change::CreateDir { path }).collect();
        for (path, sides) in writes.into_iter().chain(deletions) {
            changes.extend(build_change(path, sides));
        }
        changes.extend(removed.into_iter().map(|path| Change::RemoveDir { path }));
        Some(Self::new(changes))
    }
}

/// Records a created or removed folder, or cancels the opposite change of the same folder.
fn record_dir(list: &mut Vec<RepoPath>, opposite: &mut Vec<RepoPath>, path: &RepoPath) {
    let count = opposite.len();
    opposite.retain(|dir| dir != path);
    if opposite.len() == count {
        list.push(path.clone());
    }
}

/// Returns the change between two contents of a path; `None` if the actions cancel each other out.
fn build_change(path: RepoPath, sides: ContentSides) -> Option<Change> {
    match (sides.before, sides.after) {
        (None, Some(after)) => Some(Change::CreateFile { path, after }),
        (Some(before), Some(after)) if before != after => {
            Some(Change::WriteFile { path, before, after })
        }
        (Some(before), None) => Some(Change::RemoveFile { path, before }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    fn write(name: &str, before: &str, after: &str) -> Change {
        Change::WriteFile { path: path(name), before: before.into(), after: after.into() }
    }

    fn create(name: &str, after: &str) -> Change {
        Change::CreateFile { path: path(name), after: after.into() }
    }

    fn remove(name: &str, before: &str) -> Change {
        Change::RemoveFile { path: path(name), before: before.into() }
    }

    fn make(name: &str) -> Change {
        Change::CreateDir { path: path(name) }
    }

    fn drop_dir(name: &str) -> Change {
        Change::RemoveDir { path: path(name) }
    }

    fn stacked(first: &[Change], next: &[Change]) -> Option<Vec<Change>> {
        let preview = |changes: &[Change]| Preview::new(changes.to_vec());
        preview(first).then(&preview(next)).map(|whole| whole.changes)
    }

    #[test]
    fn a_file_goes_from_its_first_text_to_its_last() {
        let first = [write("a", "1", "2"), write("b", "1", "2"), create("new", "x")];
        let next = [write("a", "2", "3"), write("c", "1", "2"), write("new", "x", "y")];
        let whole =
            [write("a", "1", "3"), write("b", "1", "2"), write("c", "1", "2"), create("new", "y")];
        assert_eq!(stacked(&first, &next), Some(whole.to_vec()));
    }

    #[test]
    fn what_is_taken_back_is_no_change() {
        let first = [make("d"), write("a", "1", "2"), create("d/f", "x"), remove("gone", "g")];
        let next = [write("a", "2", "1"), create("gone", "g"), remove("d/f", "x"), drop_dir("d")];
        assert_eq!(stacked(&first, &next), Some(vec![]));
    }

    #[test]
    fn folders_are_made_before_what_they_hold_and_dropped_after() {
        let first = [make("d"), remove("old/f", "x"), drop_dir("old")];
        let next = [make("d/e"), create("d/e/f", "y")];
        let whole =
            [make("d"), make("d/e"), create("d/e/f", "y"), remove("old/f", "x"), drop_dir("old")];
        assert_eq!(stacked(&first, &next), Some(whole.to_vec()));
    }

    #[test]
    fn a_file_in_the_place_of_a_folder_cannot_be_said() {
        assert_eq!(stacked(&[remove("a", "x")], &[make("a"), create("a/b", "y")]), None);
        let first = [remove("d/f", "x"), drop_dir("d")];
        assert_eq!(stacked(&first, &[create("d", "y")]), None);
    }
}
