//! The amount of text that a run prints about its steps.

/// The amount of text that a run prints about its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loudness {
    /// None.
    Quiet,
    /// A sentence for each important step.
    Normal,
    /// Every event with its fields.
    Verbose,
}
