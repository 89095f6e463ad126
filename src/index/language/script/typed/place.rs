//! Places in a text: rows of bytes, and where a declaration stands.

use oxc_span::Span;

use crate::index::language::complexity::is_space;

/// Where the lines of a text begin.
pub(super) struct Rows {
    starts: Vec<u32>,
}

impl Rows {
    /// Returns those of a text.
    pub(super) fn new(text: &str) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let after = ends.map(|end| u32::try_from(end + 1).unwrap_or(u32::MAX));
        Self { starts: std::iter::once(0).chain(after).collect() }
    }

    /// Returns the row of a byte.
    pub(super) fn row(&self, at: u32) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// Returns how many bytes stand before a byte on its row.
    pub(super) fn column(&self, at: u32) -> usize {
        let start = self.starts.get(self.row(at)).copied().unwrap_or(0);
        at.saturating_sub(start) as usize
    }

    /// Returns the first and the last row of a piece of text; a line ending belongs to the line it ends.
    pub(super) fn of(&self, span: Span) -> (usize, usize) {
        let first = self.row(span.start);
        let last = if span.end > span.start { self.row(span.end - 1) } else { first };
        (first, last)
    }
}

/// How far in a declaration stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Level {
    /// Straight in the file.
    File,
    /// Straight in a module or namespace of the file.
    Module,
    /// In a function, a block, a class.
    #[default]
    Inner,
}

/// Where the next declaration stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub(super) level: Level,
    /// The `export` statement around it.
    pub(super) export: Option<Span>,
}

impl Place {
    /// Whether it is one of a file or module.
    pub(super) fn is_top(self) -> bool {
        self.level != Level::Inner
    }
}

/// Returns a piece of text, empty for one that is not there.
pub(super) fn text(whole: &str, span: Span) -> &str {
    whole.get(span.start as usize..span.end as usize).unwrap_or_default()
}

/// Returns where the first thing that is no white space and no comment stands at or after a byte.
pub(super) fn skipped(whole: &str, at: u32) -> u32 {
    let all = whole.get(at as usize..).unwrap_or_default();
    let mut rest = all.trim_start_matches(is_space);
    loop {
        let after = if let Some(comment) = rest.strip_prefix("//") {
            comment.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else {
            return at + offset(all.len() - rest.len());
        };
        rest = after.trim_start_matches(is_space);
    }
}

/// Returns a length as the tree counts them.
pub(super) fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
