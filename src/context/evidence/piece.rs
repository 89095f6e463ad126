//! One reason for one file.

use papayu_index::FileId;

/// The origin of evidence, in descending strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceOrigin {
    /// It changed since the command last passed.
    Change,
    /// The log names the place.
    Frame,
    /// The file contains the failing test.
    Test,
    /// The failing test is named after it.
    Namesake,
    /// The failing test imports it.
    Import,
    /// The failing test reaches it by calls.
    Reach,
    /// It defines a name of the failure.
    Name,
    /// It shares words with the failure.
    Words,
    /// It is bound to a file that ranks high.
    Near,
}

/// One reason for one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The file.
    pub file: FileId,
    /// The lines it speaks for, where it speaks for some.
    pub lines: Option<(u32, u32)>,
    /// The kind of evidence.
    pub origin: EvidenceOrigin,
    /// Its strength within its origin, 0 to 1.
    pub weight: f32,
    /// The reason in words.
    pub why: String,
}
