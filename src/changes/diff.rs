//! The changed files and lines of a diff of git.

use diffy::Line;
use diffy::patch_set::{FileOperation, ParseOptions, PatchSet};

use papayu_base::domain::changes::{DefinitionMove, FileChangeKind, HunkRange};

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffedFile {
    /// Its path; of a deleted file, the path that it had.
    pub path: String,
    /// The path that it had before, where that is another one.
    pub was: Option<String>,
    /// The kind of change.
    pub kind: FileChangeKind,
    /// The changed lines in order; none for a binary file.
    pub hunks: Vec<ChangedHunk>,
    /// The definitions that changed, where they were looked for.
    pub definitions: Vec<DefinitionMove>,
}

/// Lines of a file that were replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedHunk {
    /// The lines before and now.
    pub range: HunkRange,
    /// The text of the lines before, with their line ends.
    pub old_text: String,
    /// The text of the lines now, with their line ends.
    pub new_text: String,
}

impl ChangedHunk {
    /// Returns the first and last line now, from 1; of removed lines, those around them.
    pub fn lines(&self) -> (u32, u32) {
        let HunkRange { new_start, new_lines, .. } = self.range;
        let last = new_start.saturating_add(new_lines.max(2) - 1);
        if new_lines == 0 {
            (new_start.max(1), last)
        } else {
            (new_start, new_start + new_lines - 1)
        }
    }
}

impl DiffedFile {
    /// Returns the text of the file before, from its text now; `None` if the hunks do not fit it.
    pub fn old_text(&self, now: &str) -> Option<String> {
        let lines: Vec<&str> = now.split_inclusive('\n').collect();
        let (mut old, mut at) = (String::new(), 0);
        for hunk in &self.hunks {
            let HunkRange { new_start, new_lines, .. } = hunk.range;
            // A range without lines names the line before it.
            let start = new_start as usize - usize::from(new_lines > 0 && new_start > 0);
            old.extend(lines.get(at..start)?.iter().copied());
            old.push_str(&hunk.old_text);
            at = start + new_lines as usize;
        }
        old.extend(lines.get(at..)?.iter().copied());
        Some(old)
    }
}

/// Returns the files of a diff without context lines. Files that cannot be read are left out.
pub(super) fn parse_diff(diff: &str) -> Vec<DiffedFile> {
    let patches = PatchSet::parse(diff, ParseOptions::gitdiff()).filter_map(Result::ok);
    let files = patches.map(|file| {
        let (path, was, kind) = read_operation(file.operation());
        let hunks =
            file.patch().as_text().map(|patch| patch.hunks().iter().map(read_hunk).collect());
        DiffedFile { path, was, kind, hunks: hunks.unwrap_or_default(), definitions: Vec::new() }
    });
    files.collect()
}

/// Returns the path now, another path before, and the kind of change.
fn read_operation(operation: &FileOperation<'_, str>) -> (String, Option<String>, FileChangeKind) {
    // The lines that name a rename have no prefix.
    if let FileOperation::Rename { from, to } | FileOperation::Copy { from, to } = operation {
        return (to.to_string(), Some(from.to_string()), FileChangeKind::Renamed);
    }
    let (path, kind) = match operation.strip_prefix(1) {
        FileOperation::Create(path) => (path.to_string(), FileChangeKind::Added),
        FileOperation::Delete(path) => (path.to_string(), FileChangeKind::Deleted),
        FileOperation::Modify { modified: path, .. }
        | FileOperation::Rename { to: path, .. }
        | FileOperation::Copy { to: path, .. } => (path.to_string(), FileChangeKind::Changed),
    };
    (path, None, kind)
}

fn read_hunk(hunk: &diffy::Hunk<'_, str>) -> ChangedHunk {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (old, new) = (hunk.old_range(), hunk.new_range());
    let range = HunkRange {
        old_start: number(old.start()),
        old_lines: number(old.len()),
        new_start: number(new.start()),
        new_lines: number(new.len()),
    };
    let (mut old_text, mut new_text) = (String::new(), String::new());
    for line in hunk.lines() {
        match line {
            Line::Delete(text) => old_text.push_str(text),
            Line::Insert(text) => new_text.push_str(text),
            Line::Context(_) => {}
        }
    }
    ChangedHunk { range, old_text, new_text }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/a b.py b/a b.py\nindex 1..2 100644\n--- a/a b.py\t\n+++ b/a b.py\t\n@@ -2 +2,2 @@ def f():\n-two\n+TWO\n+more\n@@ -4,1 +4,0 @@\n-four\ndiff --git a/old/x.py b/new/x.py\nsimilarity index 90%\nrename from old/x.py\nrename to new/x.py\nindex 1..2 100644\n--- a/old/x.py\n+++ b/new/x.py\n@@ -1,0 +1 @@\n+first\ndiff --git a/gone b/gone\ndeleted file mode 100644\nindex 1..0\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\ndiff --git a/logo.png b/logo.png\nindex 1..2 100644\nBinary files a/logo.png and b/logo.png differ\n";

    #[test]
    fn a_diff_gives_the_files_before_and_now() {
        let files = parse_diff(DIFF);
        let named: Vec<_> =
            files.iter().map(|it| (it.path.as_str(), it.was.as_deref(), it.kind)).collect();
        let expected = [
            ("a b.py", None, FileChangeKind::Changed),
            ("new/x.py", Some("old/x.py"), FileChangeKind::Renamed),
            ("gone", None, FileChangeKind::Deleted),
            ("logo.png", None, FileChangeKind::Changed),
        ];
        assert_eq!(named, expected);
        let old = files[0].old_text("one\nTWO\nmore\nthree\nfive\n");
        assert_eq!(old.as_deref(), Some("one\ntwo\nthree\nfour\nfive\n"));
        assert_eq!(files[0].old_text("one\n"), None);
        assert_eq!(files[1].old_text("first\nrest"), Some("rest".to_owned()));
        assert_eq!(files[2].old_text(""), Some("x".to_owned()));
        assert_eq!(
            files[0].hunks.iter().map(ChangedHunk::lines).collect::<Vec<_>>(),
            [(2, 3), (4, 5)]
        );
        assert_eq!(parse_diff("no diff"), []);
    }
}
