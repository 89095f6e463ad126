//! Finds lines of a patch that lost their indentation and could be in more than one block of the file.

use papayu_base::domain::RepoPath;
use papayu_base::domain::hunk::HunkStrategy;
use papayu_base::text::line_diff::{ChangedLines, changed_lines};
use papayu_lang::Language;

/// The strategies that place a hunk by its own lines, except for blanks at the ends of lines.
const CERTAIN: [HunkStrategy; 3] =
    [HunkStrategy::Exact, HunkStrategy::Offset, HunkStrategy::TrailingSpace];

/// Endings of files with blocks by indentation, in languages without a grammar here.
const INDENTED: [&str; 14] = [
    "coffee", "elm", "fs", "fsi", "fsx", "haml", "hs", "nim", "pug", "purs", "sass", "slim",
    "styl", "gd",
];

/// Returns the line, from 1, of the first new line with a block that neither the patch nor the lines around it show, in a file
/// with blocks by indentation. `strategies` are those of the hunks, in order.
///
/// The patch of `a\n    b` that is written as ` a\n b` shows no blocks; a new line between two lines of one block is of that block.
pub(super) fn find_uncertain_block(
    path: &RepoPath,
    before: &str,
    after: &str,
    patch: &str,
    strategies: &[String],
) -> Option<usize> {
    let ending = path.as_str().rsplit_once('.').map_or("", |(_, ending)| ending);
    let has_blocks = match Language::of_path(path.as_str()) {
        Some(language) => matches!(language, Language::Python | Language::Yaml),
        None => INDENTED.contains(&ending),
    };
    if !has_blocks {
        return None;
    }
    // A patch can begin with its first hunk.
    let patch = format!("\n{patch}");
    let hunks = patch.split("\n@@").skip(1).zip(strategies);
    let guessed = hunks.filter(|(_, name)| !is_certain(name)).map(|(hunk, _)| hunk);
    let inserted: Vec<&str> = guessed.flat_map(flat_lines).collect();
    if inserted.is_empty() {
        return None;
    }
    let lines: Vec<&str> = after.lines().collect();
    let runs = changed_lines(before.as_bytes(), after.as_bytes());
    runs.iter().find_map(|run| {
        let new = lines.get(run.after.clone()).unwrap_or_default();
        let is_inserted = new.iter().any(|line| inserted.contains(&line.trim()));
        let first = new.iter().position(|line| !line.trim().is_empty())?;
        (is_inserted && is_uncertain(&lines, run)).then_some(run.after.start + first + 1)
    })
}

/// Returns `true` for the name of a strategy that places a hunk by its own lines.
pub(super) fn is_certain(name: &str) -> bool {
    CERTAIN.iter().any(|strategy| strategy.name() == name)
}

/// Returns the new lines of a hunk that adds lines and has at most one blank before each line; none otherwise.
fn flat_lines(hunk: &str) -> Vec<&str> {
    // The first line is the rest of the header.
    let rows = hunk.lines().skip(1).filter(|row| row.len() > 1);
    let rows: Vec<(&str, &str)> = rows.filter_map(|row| row.split_at_checked(1)).collect();
    // A tab shows a block.
    let is_flat = rows.iter().all(|(_, text)| depth(text) <= 1 && !text.starts_with('\t'));
    let of_mark = |mark| rows.iter().filter(move |row| row.0 == mark).map(|row| row.1.trim());
    if is_flat && of_mark("+").count() > of_mark("-").count() {
        of_mark("+").collect()
    } else {
        Vec::new()
    }
}

/// Returns `true` if a new line of the run could be in another block: a line before one opens a block, or the line before or after
/// the run is in another block.
fn is_uncertain(lines: &[&str], run: &ChangedLines) -> bool {
    let is_text = |line: &&&str| !line.trim().is_empty();
    let new = lines.get(run.after.clone()).unwrap_or_default();
    let Some(own) = new.iter().find(is_text).map(|line| depth(line)).filter(|own| *own > 0) else {
        return false;
    };
    let before = lines.get(..run.after.start).and_then(|lines| lines.iter().rfind(is_text));
    let after = lines.get(run.after.end..).and_then(|lines| lines.iter().find(is_text));
    let opens = |line: &&&str| line.trim_end().ends_with(':');
    let is_inside = before.is_some_and(|line| line.trim_end().ends_with([',', '(', '[', '{']));
    if is_inside {
        return false;
    }
    let of_own = |line: Option<&&str>| line.is_some_and(|line| depth(line) == own);
    before.into_iter().chain(new).any(|line| opens(&line)) || !of_own(before) || !of_own(after)
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str =
        "def f(a):\n    total = 0\n    for x in a:\n        total += x\n    return total\n";
    const SETTINGS: &str =
        "web:\n  web:\n    image: nginx\n    ports:\n      - 80\n  db:\n    image: pg\n";

    /// Returns the uncertain line after the hunk `rows`, with which `old` becomes `new`.
    fn uncertain(path: &str, text: &str, (old, new): (&str, &str), rows: &str) -> Option<usize> {
        let (path, after) = (RepoPath::parse(path).unwrap(), text.replacen(old, new, 1));
        let hunk = format!("@@ -1,2 +1,3 @@\n{rows}");
        let patch = format!("--- a/{path}\n+++ b/{path}\n{hunk}");
        let strategies = ["indent".to_owned()];
        let found = find_uncertain_block(&path, text, &after, &patch, &strategies);
        assert_eq!(find_uncertain_block(&path, text, &after, &hunk, &strategies), found);
        found
    }

    #[test]
    fn a_new_line_that_could_be_in_two_blocks_is_found() {
        let inner = ("        total += x\n", "        total += x\n        total *= 2\n");
        let rows = "- total += x\n+ total += x\n+ total *= 2\n";
        assert_eq!(uncertain("a.py", CODE, inner, rows), Some(5));
        assert_eq!(uncertain("a.rs", CODE, inner, rows), None);
        let last = ("    return", "    total += 1\n    return");
        assert_eq!(uncertain("a.py", CODE, last, "+total += 1\n return total\n"), Some(5));
        let spaced = ("        total += x\n", "        total += x\n\n        total *= 2\n");
        assert_eq!(uncertain("a.py", CODE, spaced, " total += x\n+\n+total *= 2\n"), Some(6));
        let service = ("nginx\n", "nginx\n    env:\n    A: 1\n");
        assert_eq!(
            uncertain("a.yml", SETTINGS, service, "  image: nginx\n+ env:\n+ A: 1\n"),
            Some(4)
        );
    }

    #[test]
    fn a_line_between_two_lines_of_a_block_and_a_replaced_line_are_certain() {
        let between = ("    for", "    count = 0\n    for");
        assert_eq!(
            uncertain("a.py", CODE, between, " total = 0\n+count = 0\n for x in a:\n"),
            None
        );
        let replaced = ("total += x", "total -= x");
        assert_eq!(uncertain("a.py", CODE, replaced, "-total += x\n+total -= x\n"), None);
        let items = ("\"b\",\n", "\"b\",\n    \"c\",\n");
        let list = "x = [\n    \"a\",\n    \"b\",\n]\n";
        assert_eq!(uncertain("a.py", list, items, " \"b\",\n+\"c\",\n"), None);
        assert_eq!(uncertain("a.toml", list, items, " \"b\",\n+\"c\",\n"), None);
        // The patch shows the blocks.
        let shown = ("    return", "    total += 1\n    return");
        let rows = "   total += x\n+ total += 1\n return total\n";
        assert_eq!(uncertain("a.py", CODE, shown, rows), None);
        let block = ("nginx\n", "nginx\n    env:\n      A: 1\n");
        assert_eq!(uncertain("a.yml", SETTINGS, block, " image: nginx\n+env:\n+  A: 1\n"), None);
    }
}
