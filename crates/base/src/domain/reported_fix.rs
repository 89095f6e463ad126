//! A fix that a report proposes, with unchecked positions in the units of the report.

use super::location::Location;

/// A fix of one location, which is applied as a whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedFix {
    /// The location of the failure.
    pub at: Location,
    /// The tool's description of the fix; may be empty.
    pub description: String,
    /// Replacements in one file or several; none where the tool names alternatives.
    pub changes: Vec<ReportedChange>,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedChange {
    /// The file as the report spells it, without a scheme.
    pub path: String,
    /// The region to replace.
    pub region: Region,
    /// The current text of the region, if the report contains it.
    pub snippet: Option<String>,
    /// The new text.
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
        /// The unit of columns.
        unit: ColumnUnit,
    },
    /// Characters from the beginning, and how many.
    Chars {
        /// The first character, from 0.
        offset: usize,
        /// The number of characters.
        length: usize,
        /// The unit of both numbers.
        unit: ColumnUnit,
    },
    /// Bytes from the beginning, and how many.
    Bytes {
        /// The first byte, from 0.
        offset: usize,
        /// The number of bytes.
        length: usize,
    },
}

/// The unit of columns and offsets in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Units of UTF-16.
    Utf16,
    /// Characters of Unicode.
    CodePoint,
    /// The report does not say.
    Unsaid,
}
