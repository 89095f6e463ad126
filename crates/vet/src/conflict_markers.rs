//! Refuses a change that adds an unresolved merge conflict.

use std::collections::HashSet;

use super::decoded::decode_files;
use papayu_base::domain::ErrorCode;
use papayu_patch::preview::Preview;
use papayu_patch::protocol::Refusal;

/// Refuses a change after which a file has more merge conflicts than before. Those of a removed file are not counted,
/// because the file may have moved.
///
/// # Errors
///
/// Returns [`ErrorCode::ConflictMarkers`] with the first file and the line of its new conflict.
pub(super) fn check(preview: &Preview) -> Result<(), Refusal> {
    let files = decode_files(preview);
    let removed = files.iter().filter(|file| file.after.is_none());
    let mut moved: usize =
        removed.map(|file| find_conflicts(file.as_changed_text().before).len()).sum();
    for file in &files {
        let text = file.as_changed_text();
        let (old, new) = (find_conflicts(text.before), find_conflicts(text.after));
        let added = new.len().saturating_sub(old.len());
        if added <= moved {
            moved -= added;
            continue;
        }
        // A set, because a hostile file may have many conflicts.
        let known: HashSet<&str> = old.iter().map(|conflict| conflict.text).collect();
        let is_new = |conflict: &&Conflict<'_>| !known.contains(conflict.text);
        // A conflict that occurs twice is no new text, so the last one is named then.
        let Some(first) = new.iter().find(is_new).or(new.last()) else { continue };
        let reason = format!(
            "gets a merge conflict at line {}; write the merged text without `<<<<<<<`, `=======` and `>>>>>>>`",
            first.line
        );
        return Err(Refusal::of_file(ErrorCode::ConflictMarkers, file.path, reason));
    }
    Ok(())
}

/// Returns the line of the first unresolved merge conflict in a text, from 1; `None` if there is none.
///
/// ```
/// assert_eq!(papayu_vet::find_conflict("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n"), Some(2));
/// assert_eq!(papayu_vet::find_conflict("Title\n=======\n"), None);
/// ```
pub fn find_conflict(text: &str) -> Option<usize> {
    find_conflicts(text).first().map(|conflict| conflict.line)
}

/// An unresolved merge conflict in a text.
struct Conflict<'a> {
    /// The line of `<<<<<<<`, from 1.
    line: usize,
    /// From `<<<<<<<` to the end of the line of `>>>>>>>`.
    text: &'a str,
}

/// Returns the places where a text has the three markers in order, each at the start of a line, as git writes them.
fn find_conflicts(text: &str) -> Vec<Conflict<'_>> {
    let mut found = Vec::new();
    // Position and line of `<<<<<<<`, and whether `=======` has followed.
    let mut open: Option<(usize, usize)> = None;
    let mut is_divided = false;
    let mut end = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let start = end;
        end += line.len();
        if line.starts_with("<<<<<<< ") {
            open = Some((start, index + 1));
            is_divided = false;
        } else if line.trim_end() == "=======" {
            is_divided = true;
        } else if line.starts_with(">>>>>>> ")
            && is_divided
            && let Some((from, line)) = open.take()
        {
            found.extend(text.get(from..end).map(|text| Conflict { line, text }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::RepoPath;
    use papayu_patch::Change;

    const CONFLICT: &str = "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> topic\n";

    /// Checks files with their texts before and after, and returns the refusal.
    fn refusal(files: &[(&str, &str, &str)]) -> Option<String> {
        let changes = files.iter().map(|&(path, before, after)| {
            let path = RepoPath::parse(path).unwrap();
            match (before, after) {
                ("", after) => Change::CreateFile { path, after: after.into() },
                (before, "") => Change::RemoveFile { path, before: before.into() },
                (before, after) => {
                    Change::WriteFile { path, before: before.into(), after: after.into() }
                }
            }
        });
        check(&Preview::new(changes.collect())).err().map(|refusal| refusal.to_string())
    }

    fn assert_refused(files: &[(&str, &str, &str)], path: &str, line: usize) {
        let expected = format!(
            "ERR_CONFLICT_MARKERS: `{path}` gets a merge conflict at line {line}; write the merged text \
             without `<<<<<<<`, `=======` and `>>>>>>>`"
        );
        assert_eq!(refusal(files), Some(expected));
    }

    #[test]
    fn a_new_conflict_is_refused_at_its_line() {
        let old = CONFLICT;
        let twice = [old, "b\n", old].concat();
        let second = [old, "b\n", &old.replace('a', "c")].concat();
        let diff3 = "x\r\n<<<<<<< ours\r\n1\r\n||||||| base\r\n0\r\n=======\r\n2\r\n>>>>>>> theirs";
        assert_refused(&[("a.py", "a = 1\n", old)], "a.py", 1);
        assert_refused(&[("a.py", "", old)], "a.py", 1);
        assert_refused(&[("a.py", "x\n", diff3)], "a.py", 2);
        assert_refused(&[("a.py", old, &second)], "a.py", 7);
        assert_refused(&[("a.py", old, &twice)], "a.py", 7);
        // A conflict that another file loses does not pay for one, unless that file is removed.
        assert_refused(&[("a.py", old, "a = 1\n"), ("b.py", "b\n", old)], "b.py", 1);
        assert_refused(&[("a.py", old, ""), ("b.py", "", &twice)], "b.py", 1);
    }

    #[test]
    fn markers_that_are_no_new_conflict_pass() {
        let old = CONFLICT;
        let two = [old, "b\n", old].concat();
        let indented = ["    ", &old.replace('\n', "\n    ")].concat();
        for (before, after) in [
            (two.as_str(), old),
            (old, "a = 2\n"),
            (old, &old.replace("a = 2", "a = 3")),
            ("Title\n", "Title\n=======\n\ntext\n"),
            ("x\n", "<<<<<<< HEAD\n=======\n"),
            ("x\n", "=======\n>>>>>>> topic\n"),
            ("x\n", "<<<<<<< HEAD\n>>>>>>> topic\n=======\n"),
            ("x\n", "<<<<<<<< HEAD\n========\n>>>>>>>> topic\n"),
            ("x\n", &indented),
            ("x\n", "+<<<<<<< HEAD\n+=======\n+>>>>>>> topic\n"),
        ] {
            assert_eq!(refusal(&[("notes.md", before, after)]), None, "{after}");
        }
        assert_eq!(refusal(&[("a.py", old, ""), ("b.py", "", old)]), None);
    }
}
