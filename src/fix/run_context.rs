//! The values that every stage of one run works with.

use super::runtime::Runtime;
use super::session::Session;
use crate::domain::EventSink;

/// A repository with its settings, the access to the system, and the receiver of events.
#[derive(Clone, Copy)]
pub(crate) struct RunContext<'a> {
    /// The repository and the settings.
    pub(crate) session: &'a Session,
    /// Processes, network, clock, and the secrets to mask.
    pub(crate) runtime: &'a Runtime,
    /// The receiver of events.
    pub(crate) events: &'a dyn EventSink,
}
