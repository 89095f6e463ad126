//! The text that edits are placed in: whole lines, and what a search sees of them.

use super::EditStrategy;
use super::rules::lone_return;
use crate::text::lines::{dominant_ending, split};

/// Where one line is, in bytes of [`Page::text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineSpan {
    pub(super) start: usize,
    /// Where its ending begins.
    pub(super) text_end: usize,
    pub(super) end: usize,
}

/// A file's text in which every line has an ending.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) text: String,
    pub(super) lines: Vec<LineSpan>,
    /// The ending that the last line had not.
    added: Option<&'static str>,
    /// Whether a `\r` stands anywhere that no `\n` follows.
    pub(super) lone_return: bool,
    views: [SearchView; 2],
}

/// The lines as a search sees them: each ends with `\n`, whatever its ending is.
#[derive(Debug)]
pub(super) struct SearchView {
    pub(super) strategy: EditStrategy,
    pub(super) text: String,
    /// Where each line begins.
    pub(super) starts: Vec<usize>,
}

impl Document {
    pub(super) fn new(before: &str) -> Self {
        let added =
            (!before.is_empty() && !before.ends_with('\n')).then(|| dominant_ending(before));
        let text = before.to_owned() + added.unwrap_or_default();
        let mut lines = Vec::new();
        let mut start = 0;
        for line in split(&text) {
            let text_end = start + line.text.len();
            let end = text_end + line.ending.len();
            lines.push(LineSpan { start, text_end, end });
            start = end;
        }
        let texts = || lines.iter().map(|line| text.get(line.start..line.text_end));
        let exact = SearchView::new(EditStrategy::Exact, texts().flatten());
        let trimmed = texts().flatten().map(|line| line.trim_end_matches([' ', '\t']));
        let views = [exact, SearchView::new(EditStrategy::TrailingSpace, trimmed)];
        Self { text, lines, added, lone_return: lone_return(before), views }
    }

    /// Returns what searches see, the strictest view first.
    pub(super) fn views(&self) -> &[SearchView] {
        &self.views
    }

    /// Returns a piece of the text.
    pub(super) fn text_between(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Returns a line without its ending; nothing for one that is not there.
    pub(super) fn line_text(&self, index: usize) -> &str {
        self.lines.get(index).map_or("", |line| self.text_between(line.start, line.text_end))
    }

    /// Returns a line's ending, or `\n` for one that is not there.
    pub(super) fn line_ending(&self, index: usize) -> &str {
        self.lines.get(index).map_or("\n", |line| self.text_between(line.text_end, line.end))
    }

    /// Tells whether the file had no newline at its end.
    pub(super) fn is_unfinished(&self) -> bool {
        self.added.is_some()
    }

    /// Takes the newline that the file had not off a new text, which still ends as the page does or
    /// else with a line's own ending.
    pub(super) fn match_final_newline(&self, mut after: String, ends_as_page: bool) -> String {
        let kept = match self.added {
            None => None,
            Some(ending) if ends_as_page => after.strip_suffix(ending),
            Some(_) => after.strip_suffix("\r\n").or(after.strip_suffix('\n')),
        };
        if let Some(kept) = kept.map(str::len) {
            after.truncate(kept);
        }
        after
    }
}

impl SearchView {
    fn new<'a>(strategy: EditStrategy, lines: impl Iterator<Item = &'a str>) -> Self {
        let mut view = Self { strategy, text: String::new(), starts: Vec::new() };
        for line in lines {
            view.starts.push(view.text.len());
            view.text.push_str(line);
            view.text.push('\n');
        }
        view
    }

    /// Returns the line that holds a place, and where in the page that is.
    pub(super) fn in_page(&self, at: usize, page: &Document) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let column = at - self.starts.get(line).copied().unwrap_or_default();
        (line, page.lines.get(line).map_or(0, |line| line.start) + column)
    }
}
