//! The text that edits are placed in: its lines, and the views in which texts are searched.

use super::EditStrategy;
use papayu_base::text::lines::{dominant_ending, split};

/// The position of one line, in bytes of [`Document::text`].
/// The line ending is not part of the line's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineSpan {
    pub(super) start: usize,
    /// The start of the line ending.
    pub(super) text_end: usize,
    /// The end of the line ending, at which the next line starts.
    pub(super) end: usize,
}

/// A text in which every line has an ending.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) text: String,
    pub(super) lines: Vec<LineSpan>,
    // `None` for a text that ends with a line ending.
    /// The ending added to the last line.
    added: Option<&'static str>,
    /// The text has a `\r` without a `\n` after it.
    pub(super) has_lone_return: bool,
    // Exact, then without blanks at the ends of lines.
    views: [SearchView; 2],
}

/// The lines as a search sees them: each ends with `\n`, whatever its ending is.
/// A text of the reply is searched in it as one string, so that a match may span lines.
#[derive(Debug)]
pub(super) struct SearchView {
    /// The strategy of a match in this view.
    pub(super) strategy: EditStrategy,
    pub(super) text: String,
    /// The byte offset of every line.
    pub(super) starts: Vec<usize>,
}

/// A position in a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct DocumentPosition {
    /// 0-based.
    pub(super) line: usize,
    /// In bytes of [`Document::text`].
    pub(super) offset: usize,
}

impl Document {
    /// Makes the document and its two views.
    pub(super) fn new(before: &str) -> Self {
        // Every line has an ending then, so that a match of whole lines needs no exception for
        // the last one.
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
        // Both views have one line for each line of the document.
        let texts: Vec<&str> = split(&text).iter().map(|line| line.text).collect();
        let exact = SearchView::new(EditStrategy::Exact, &texts);
        let trimmed: Vec<&str> =
            texts.iter().map(|line| line.trim_end_matches([' ', '\t'])).collect();
        let views = [exact, SearchView::new(EditStrategy::TrailingSpace, &trimmed)];
        // The original text is asked: the added ending is not part of the file.
        Self { text, lines, added, has_lone_return: has_lone_return(before), views }
    }

    /// Returns the views of the text, the strictest first.
    pub(super) fn views(&self) -> &[SearchView] {
        &self.views
    }

    /// Returns the text between two byte offsets.
    pub(super) fn text_between(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Returns a line without its ending, or an empty string past the end.
    pub(super) fn line_text(&self, index: usize) -> &str {
        self.lines.get(index).map_or("", |line| self.text_between(line.start, line.text_end))
    }

    /// Returns the ending of a line, or `\n` past the end.
    pub(super) fn line_ending(&self, index: usize) -> &str {
        self.lines.get(index).map_or("\n", |line| self.text_between(line.text_end, line.end))
    }

    /// Returns the 0-based line of a byte offset.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        // The number of lines that end at or before the offset.
        self.lines.partition_point(|line| line.end <= offset)
    }

    /// Returns `true` if the file has no final newline.
    pub(super) fn lacks_final_newline(&self) -> bool {
        self.added.is_some()
    }

    /// Removes the final newline from a new text if the file has none. `ends_as_document` says that
    /// the new text ends with the end of the document, and not with new lines.
    pub(super) fn restore_final_newline(
        &self,
        mut after: String,
        ends_as_document: bool,
    ) -> String {
        // New lines at the end bring their own ending, which is removed instead.
        let kept = match self.added {
            None => None,
            Some(ending) if ends_as_document => after.strip_suffix(ending),
            Some(_) => after.strip_suffix("\r\n").or(after.strip_suffix('\n')),
        };
        if let Some(kept) = kept.map(str::len) {
            after.truncate(kept);
        }
        after
    }
}

impl SearchView {
    /// Joins the lines with `\n`.
    fn new(strategy: EditStrategy, lines: &[&str]) -> Self {
        let mut view = Self { strategy, text: String::new(), starts: Vec::new() };
        for line in lines {
            view.starts.push(view.text.len());
            view.text.push_str(line);
            view.text.push('\n');
        }
        view
    }

    /// Returns the offset of a line, or of the end of the view.
    pub(super) fn start_of(&self, line: usize) -> usize {
        // The end of the view is a valid end of a match.
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// Converts an offset in this view to a position in the document.
    pub(super) fn to_document(&self, at: usize, document: &Document) -> DocumentPosition {
        // `starts` begins with 0, so that there is always a line before.
        let line = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        // The views only shorten lines at their ends, so that columns are equal in both texts.
        let column = at - self.starts.get(line).copied().unwrap_or_default();
        let start = document.lines.get(line).map_or(0, |line| line.start);
        DocumentPosition { line, offset: start + column }
    }
}

/// Returns `true` if a text has a `\r` without a `\n` after it.
pub(super) fn has_lone_return(text: &str) -> bool {
    // `skip(1)`: the first piece has no carriage return before it.
    text.split('\r').skip(1).any(|rest| !rest.starts_with('\n'))
}
