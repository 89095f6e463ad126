//! Evidence that a file is relevant to a failure. Each file here implements one kind of evidence.

pub mod blocks;
pub mod changed;
pub mod file_lines;
pub mod frames;
pub mod imports;
pub mod inputs;
pub mod library;
pub mod names;
pub mod namesake;
pub mod near;
pub mod owners;
pub mod piece;
pub mod question;
pub mod reach;
pub mod terms;
pub mod tests_of;
pub mod uses;
pub mod words;
pub mod work;

pub use library::Library;
pub use piece::{EvidenceOrigin, Piece};
pub use question::Question;
