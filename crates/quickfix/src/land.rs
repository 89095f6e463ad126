//! Applies fixes in memory to the files that they edit. Of two fixes that overlap, the first
//! one is kept.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rustfix::{CodeFix, LinePosition, LineRange, Replacement, Snippet, Solution};

use super::findings::{TextEdit, ToolFindings, ToolFix};
use super::proposal::FileFix;
use papayu_base::domain::RepoPath;

/// Most files of a change (protocol section 4, gate `count`).
const MAX_FILES: usize = 200;

/// Most bytes of the files of a change. With the added text it must be below the 5 MiB of gate
/// `size`.
const MAX_BYTES: usize = 4 << 20;

/// Fixes that were applied together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PlacedFixes {
    /// Every file that differs, in order of path.
    pub(super) files: Vec<FileFix>,
    /// The notes of the applied fixes, in order.
    pub(super) notes: Vec<String>,
    /// One line for each fix that was left out, with the reason.
    pub(super) left_out: Vec<String>,
}

/// Applies fixes to the texts that were found, each completely or not at all.
pub(super) fn land(findings: &ToolFindings, fixes: &[ToolFix]) -> PlacedFixes {
    let mut texts: BTreeMap<RepoPath, CodeFix> = BTreeMap::new();
    let mut made: HashSet<&TextEdit> = HashSet::new();
    let mut rewritten: HashSet<&RepoPath> = HashSet::new();
    let mut placed = PlacedFixes::default();
    for fix in fixes {
        // The tool that rewrote a whole file did there what it suggests one by one.
        if fix.edits.iter().all(|edit| rewritten.contains(&edit.path)) {
            continue;
        }
        // Two uses of one missing name suggest the same import twice.
        if fix.edits.iter().all(|edit| made.contains(edit)) {
            continue;
        }
        match apply_fix(&texts, &rewritten, findings, fix) {
            Ok(changed) => {
                // The edits were applied to copies, so a fix that fails halfway leaves nothing behind.
                texts.extend(changed);
                let whole = fix.edits.iter().filter(|edit| is_whole(findings, edit));
                rewritten.extend(whole.map(|edit| &edit.path));
                made.extend(&fix.edits);
                placed.notes.push(fix.note.clone());
            }
            Err(reason) => placed.left_out.push(format!("{} (left out: {reason})", fix.note)),
        }
    }
    for (path, text) in texts {
        let before = findings.texts.get(&path).cloned().unwrap_or_default();
        let after = text.finish().ok().filter(|after| *after != before);
        placed.files.extend(after.map(|after| FileFix { path, before, after }));
    }
    placed
}

/// Returns the files of a fix with its edits applied. The error is the reason why an edit
/// cannot be combined with earlier ones.
fn apply_fix(
    texts: &BTreeMap<RepoPath, CodeFix>,
    rewritten: &HashSet<&RepoPath>,
    findings: &ToolFindings,
    fix: &ToolFix,
) -> Result<BTreeMap<RepoPath, CodeFix>, &'static str> {
    const OVERLAPS: &str = "it overlaps another suggestion";
    let mut changed: BTreeMap<RepoPath, CodeFix> = BTreeMap::new();
    for edit in &fix.edits {
        let before = findings.texts.get(&edit.path).ok_or("its file was not read")?;
        before.get(edit.range.clone()).ok_or("its place is not in the file")?;
        // Insertions at its ends would not overlap it.
        let is_touched = is_whole(findings, edit) && texts.contains_key(&edit.path);
        if is_touched || rewritten.contains(&edit.path) {
            return Err(OVERLAPS);
        }
        let text = changed.entry(edit.path.clone()).or_insert_with(|| {
            texts.get(&edit.path).cloned().unwrap_or_else(|| CodeFix::new(before))
        });
        text.apply_solution(&to_solution(edit)).map_err(|_| OVERLAPS)?;
    }
    let new = changed.keys().filter(|path| !texts.contains_key(*path)).count();
    if texts.len() + new > MAX_FILES {
        return Err("the change would have too many files");
    }
    let paths: BTreeSet<&RepoPath> = texts.keys().chain(changed.keys()).collect();
    let sizes = paths.into_iter().filter_map(|path| findings.texts.get(path)).map(String::len);
    if sizes.sum::<usize>() > MAX_BYTES {
        return Err("the changed files would be too large together");
    }
    Ok(changed)
}

/// Returns `true` if an edit replaces a whole file, as formatters do.
fn is_whole(findings: &ToolFindings, edit: &TextEdit) -> bool {
    let before = findings.texts.get(&edit.path).map_or(0, String::len);
    before > 0 && edit.range == (0..before)
}

/// Returns an edit in the form of `rustfix`: its `replace` applies several edits to one text and
/// detects overlaps.
fn to_solution(edit: &TextEdit) -> Solution {
    let snippet = Snippet {
        file_name: edit.path.to_string(),
        // Only the bytes are used for landing.
        line_range: LineRange { start: NOWHERE, end: NOWHERE },
        range: edit.range.clone(),
    };
    let replacement = Replacement { snippet, replacement: edit.text.clone() };
    Solution { message: String::new(), replacements: vec![replacement] }
}

/// A position that `rustfix` does not read.
const NOWHERE: LinePosition = LinePosition { line: 0, column: 0 };

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    fn path(name: &str) -> RepoPath {
        RepoPath::parse(name).unwrap()
    }

    fn edit(name: &str, range: Range<usize>, text: &str) -> TextEdit {
        TextEdit { path: path(name), range, text: text.to_owned() }
    }

    fn fix(note: &str, edits: &[TextEdit]) -> ToolFix {
        ToolFix { note: note.to_owned(), edits: edits.to_vec() }
    }

    fn placed(fixes: &[ToolFix]) -> (Vec<(String, String)>, Vec<String>, Vec<String>) {
        let texts = [("a", "one two"), ("b", "three")];
        let texts = texts.map(|(name, text)| (path(name), text.to_owned())).into();
        let findings = ToolFindings { texts, ..ToolFindings::default() };
        let placed = land(&findings, fixes);
        let files = placed.files.into_iter().map(|fix| (fix.path.to_string(), fix.after));
        (files.collect(), placed.notes, placed.left_out)
    }

    fn text(name: &str, after: &str) -> (String, String) {
        (name.to_owned(), after.to_owned())
    }

    #[test]
    fn a_fix_of_two_files_lands_in_both_or_in_neither() {
        let both = fix("both", &[edit("a", 0..3, "1"), edit("b", 0..5, "3")]);
        let other = fix("other", &[edit("a", 4..7, "2"), edit("b", 0..1, "T")]);
        assert_eq!(
            placed(&[both, other]),
            (
                vec![text("a", "1 two"), text("b", "3")],
                vec!["both".to_owned()],
                vec!["other (left out: it overlaps another suggestion)".to_owned()]
            )
        );
    }

    #[test]
    fn a_rewritten_file_takes_nothing_more_and_a_touched_one_is_not_rewritten() {
        let whole = fix("whole", &[edit("a", 0..7, "1 2\n")]);
        let end = fix("end", &[edit("a", 7..7, "\n")]);
        let both = fix("both", &[edit("a", 7..7, "\n"), edit("b", 0..1, "T")]);
        let overlaps = |note: &str| format!("{note} (left out: it overlaps another suggestion)");
        assert_eq!(
            placed(&[whole.clone(), end.clone(), both]),
            (vec![text("a", "1 2\n")], vec!["whole".to_owned()], vec![overlaps("both")])
        );
        assert_eq!(
            placed(&[end, whole]),
            (vec![text("a", "one two\n")], vec!["end".to_owned()], vec![overlaps("whole")])
        );
    }

    #[test]
    fn the_same_edit_twice_lands_once_and_one_outside_the_text_never() {
        let import = fix("import", &[edit("a", 0..0, "zero ")]);
        let beyond = fix("beyond", &[edit("a", 5..99, "")]);
        let unknown = fix("unknown", &[edit("c", 0..0, "x")]);
        let (files, notes, left_out) = placed(&[import.clone(), import, beyond, unknown]);
        assert_eq!(files, [text("a", "zero one two")]);
        assert_eq!((notes.len(), left_out.len()), (1, 2));
    }
}
