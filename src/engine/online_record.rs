//! The record of a run's online research.

use crate::research::Query;

/// The online research of a run.
#[derive(Debug, Default)]
pub(super) struct Online {
    /// The query that was offered first, and the reason.
    pub(super) offer: Option<(Query, &'static str)>,
    /// The query that was sent, with the addresses of the sources; at most one in a run.
    pub(super) sent: Option<(String, Vec<String>)>,
    /// `true` if the last provider did not answer in time.
    pub(super) timed_out: bool,
}

impl Online {
    /// Returns `true` after the research of the run.
    pub(super) fn is_done(&self) -> bool {
        self.sent.is_some()
    }

    /// Returns the reason of the offer.
    pub(super) fn reason(&self) -> Option<&'static str> {
        self.offer.as_ref().map(|(_, reason)| *reason)
    }

    /// Returns the hint of an outcome without a fix.
    pub(super) fn hint(&self) -> Option<String> {
        let (query, _) = self.offer.as_ref().filter(|_| !self.is_done())?;
        Some(format!(
            "online research may help: `papayu-batch research \"{}\"`; with PAPAYU_ONLINE_AUTO_USE_AS_CONTEXT=1 the run does it itself",
            query.as_str().replace(['"', '`', '$', '\\'], "")
        ))
    }
}
