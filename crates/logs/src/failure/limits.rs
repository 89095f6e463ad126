//! The limits of a report.

use std::sync::Arc;

use super::green::GreenLines;

/// The limits of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportLimits {
    /// Most characters of the excerpt.
    pub excerpt_chars: usize,
    /// The lines of a run that passed; of these the excerpt has only the ones that belong to a failure.
    pub green: Option<Arc<GreenLines>>,
}

impl Default for ReportLimits {
    /// Returns the protocol's default for logs, 12,000 characters (protocol section 6).
    fn default() -> Self {
        Self { excerpt_chars: 12_000, green: None }
    }
}
