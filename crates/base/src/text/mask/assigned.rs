//! A value that is assigned, and the way in which it is written.

use std::ops::Range;

/// The way in which a value is written. A word after `: ` may be a type, a quoted one is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueStyle {
    /// In quotes.
    Quoted,
    /// Directly after `=`.
    Bare,
    /// After `=` and a blank.
    Spaced,
    /// After a colon, with more in the line.
    Colon,
    /// The rest of a line that begins with the name, or a block below it.
    Line,
    /// The numbers of bytes.
    Numbers,
    /// Between two tags.
    Element,
    /// After an option of a command line.
    Argument,
    /// After a sign, in a record that a program printed: a name can be no value there.
    Record,
    /// After a blank, as in commands.
    Word,
    /// The same in quotes.
    QuotedWord,
}

/// A value that is assigned.
#[derive(Clone, Debug)]
pub(super) struct AssignedValue {
    pub(super) place: Range<usize>,
    pub(super) style: ValueStyle,
}
