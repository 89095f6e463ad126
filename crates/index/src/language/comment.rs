//! Comments: notes such as TODO, and the start of the documentation of the next symbol.

use crate::facts::Todo;

/// Words that mark a note, in upper case only.
const TAGS: [&str; 5] = ["TODO", "FIXME", "HACK", "XXX", "BUG"];
/// Most characters of a note.
const MAX_TEXT: usize = 200;
/// Most notes of one file.
const MAX_TODOS: usize = 1_000;

/// Documentation comments, decorators and attributes on consecutive lines before a symbol.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CommentRun {
    /// The row of its first line, and that of its last.
    rows: Option<(usize, usize)>,
}

impl CommentRun {
    /// Adds rows, from 0, the last included. Rows that do not touch the run start a new one.
    pub(super) fn add(&mut self, first: usize, last: usize) {
        let start = self.start_before(first);
        self.rows = Some((start, last));
    }

    /// Returns the first row of a symbol that starts on `row`: that of the run that touches it,
    /// which is used up.
    pub(super) fn take_before(&mut self, row: usize) -> usize {
        let start = self.start_before(row);
        if start < row {
            self.rows = None;
        }
        start
    }

    /// Returns the start of the run if it touches the row, else the row.
    fn start_before(&self, row: usize) -> usize {
        match self.rows {
            Some((start, last)) if last <= row && row <= last + 1 => start,
            _ => row,
        }
    }
}

/// Adds the notes of a comment that starts on `first_line` (from 1).
pub(super) fn find_todos(comment: &str, first_line: u32, todos: &mut Vec<Todo>) {
    for (line, number) in comment.lines().zip(first_line..) {
        if todos.len() >= MAX_TODOS {
            return;
        }
        if let Some((tag, text)) = read_note(line) {
            todos.push(Todo { line: number, tag: tag.into(), text: text.into() });
        }
    }
}

/// Returns the tag and the text of a note. The tag starts the line, or is followed by `:` or
/// `(`: a word in prose is no note.
fn read_note(line: &str) -> Option<(&'static str, String)> {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '_' && c != '$';
    let start = line.trim_start_matches(is_mark);
    let leads = TAGS.iter().find_map(|tag| Some((*tag, start.strip_prefix(tag)?)));
    let leads = leads.filter(|(_, rest)| rest.chars().next().is_none_or(is_mark));
    let (tag, rest) = leads.or_else(|| TAGS.iter().find_map(|tag| find_inside(start, tag)))?;
    let rest = rest.trim().trim_end_matches("*/").trim_end_matches("-->");
    let rest = rest.trim_start_matches([':', '-', ' ']).trim();
    Some((tag, rest.chars().take(MAX_TEXT).collect()))
}

/// Returns the tag and the text after it inside a line.
fn find_inside<'t>(line: &'t str, tag: &'static str) -> Option<(&'static str, &'t str)> {
    let (before, rest) = line.split_once(tag)?;
    let apart = before.ends_with(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    (apart && rest.starts_with([':', '('])).then_some((tag, rest))
}

#[cfg(test)]
mod tests {
    use super::{CommentRun, find_todos};

    #[test]
    fn only_marked_notes_are_taken() {
        let comment = "/* a debugging TODOLIST, BUGS and a TODO in prose\n * TODO(ann): one */\r\n\
                       // see XXX: two\n# FIXME\n# myTODO: no\n// TODO - three -->";
        let mut found = Vec::new();
        find_todos(comment, 7, &mut found);
        let found: Vec<_> = found.iter().map(|todo| (todo.line, &*todo.tag, &*todo.text)).collect();
        let expected = [
            (8, "TODO", "(ann): one"),
            (9, "XXX", "two"),
            (10, "FIXME", ""),
            (12, "TODO", "three"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_run_is_broken_by_a_line_between() {
        let mut run = CommentRun::default();
        assert_eq!(run.start_before(4), 4);
        run.add(1, 2);
        assert_eq!(run.start_before(4), 4);
        run.add(4, 4);
        run.add(5, 6);
        assert_eq!((run.start_before(6), run.start_before(5)), (4, 5));
        assert_eq!((run.take_before(7), run.take_before(7)), (4, 7));
    }
}
