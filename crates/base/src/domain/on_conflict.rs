//! The treatment of a file that changed while a reply was generated.

/// The treatment of a file that changed while a reply was generated (`--on-conflict`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnConflict {
    /// The change is requested again, for the file as it is now.
    Regenerate,
    /// The change is dropped.
    Skip,
    /// The change is applied to the file as it is now, if every part of it still has its place.
    Apply,
}
