//! A git patch read for people: which words of a line changed, and what each piece of code is.

mod lines;
mod spans;

use serde::Serialize;

pub use lines::read;

/// The change of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileDiff {
    /// The file; both names when it has another one now.
    pub path: String,
    /// In the order of the patch.
    pub lines: Vec<DiffLine>,
}

/// One line of a patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiffLine {
    /// The kind of the line.
    pub kind: LineKind,
    /// Its text in pieces, without its mark and its line end.
    pub spans: Vec<LinePiece>,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// A header of a hunk or a file.
    Head,
    /// It stays.
    Context,
    /// It goes.
    Deleted,
    /// It comes.
    Added,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinePiece {
    /// Its text.
    pub text: String,
    /// `true` where the counterpart of the line differs.
    pub changed: bool,
    /// `plain`, `keyword`, `string`, `number` or `comment`.
    pub ink: &'static str,
}

#[cfg(test)]
mod tests;
