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

impl Loudness {
    /// Returns the loudness that two flags ask for; `--quiet` is the stronger one.
    pub(super) fn new(quiet: bool, verbose: bool) -> Self {
        match (quiet, verbose) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Verbose,
            (false, false) => Self::Normal,
        }
    }
}
