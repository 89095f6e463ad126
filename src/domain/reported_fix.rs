//! A fix that came with a report: places as the report counts them, checked by nobody.

use super::failure::Location;

/// What to do about one place, whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedFix {
    /// Where the failure is.
    pub at: Location,
    /// What it does, in the tool's words; may be empty.
    pub description: String,
    /// Replacements in one file or several; none where the tool names alternatives.
    pub changes: Vec<ReportedChange>,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedChange {
    /// The file as the report spells it, without a scheme.
    pub path: String,
    /// What is replaced.
    pub region: Region,
    /// What the report says stands there, where it does.
    pub snippet: Option<String>,
    /// What takes its place.
    pub text: String,
}

/// A stretch of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Lines and columns, counted from 1; the end is not part of it, and without a column it is that of
    /// its line.
    Lines {
        /// Line and column.
        start: (usize, usize),
        /// The last line.
        end_line: usize,
        /// The column behind it.
        end_column: Option<usize>,
        /// What columns count.
        unit: ColumnUnit,
    },
    /// Characters from the beginning, and how many.
    Chars {
        /// The first.
        offset: usize,
        /// How many.
        length: usize,
        /// What is counted.
        unit: ColumnUnit,
    },
    /// Bytes from the beginning, and how many.
    Bytes {
        /// The first.
        offset: usize,
        /// How many.
        length: usize,
    },
}

/// What a report's columns and offsets count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Units of UTF-16.
    Utf16,
    /// Characters of Unicode.
    CodePoint,
    /// The report does not say.
    Unsaid,
}
