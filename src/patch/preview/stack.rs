//! Two changes made one after the other, as one change of the tree before both.

use std::collections::BTreeMap;

use super::{Change, Preview};
use crate::domain::RepoPath;

/// A file's bytes on both sides; `None` where there is none.
type Sides = (Option<Vec<u8>>, Option<Vec<u8>>);

impl Preview {
    /// Returns the change that leads from where this one began to where `next`, made on top of it,
    /// ends. `None` where a path is a file on one side and a folder on the other: one change
    /// cannot say that.
    pub fn then(&self, next: &Self) -> Option<Self> {
        let mut files: BTreeMap<RepoPath, Sides> = BTreeMap::new();
        let (mut made, mut dropped): (Vec<RepoPath>, Vec<RepoPath>) = (Vec::new(), Vec::new());
        for change in self.changes.iter().chain(&next.changes) {
            let path = change.path();
            let (before, after) = match change {
                Change::CreateDir { .. } => {
                    cross(&mut made, &mut dropped, path);
                    continue;
                }
                Change::RemoveDir { .. } => {
                    cross(&mut dropped, &mut made, path);
                    continue;
                }
                Change::CreateFile { after, .. } => (None, Some(after)),
                Change::WriteFile { before, after, .. } => (Some(before), Some(after)),
                Change::RemoveFile { before, .. } => (Some(before), None),
            };
            let sides = files.entry(path.clone()).or_insert_with(|| (before.cloned(), None));
            sides.1 = after.cloned();
        }
        if made.iter().chain(&dropped).any(|folder| files.contains_key(folder)) {
            return None;
        }
        let (removed, written): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|(_, (_, after))| after.is_none());
        let mut changes: Vec<Change> =
            made.into_iter().map(|path| Change::CreateDir { path }).collect();
        changes.extend(written.into_iter().chain(removed).filter_map(change_of));
        changes.extend(dropped.into_iter().map(|path| Change::RemoveDir { path }));
        Some(Self::new(changes))
    }
}

/// Notes a folder in `into`, unless the first change did the contrary: then nothing is left to do.
fn cross(into: &mut Vec<RepoPath>, contrary: &mut Vec<RepoPath>, path: &RepoPath) {
    let count = contrary.len();
    contrary.retain(|folder| folder != path);
    if contrary.len() == count {
        into.push(path.clone());
    }
}

fn change_of((path, sides): (RepoPath, Sides)) -> Option<Change> {
    match sides {
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
