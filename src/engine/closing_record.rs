//! The results of the requests that follow the end of a run.

use papayu_base::domain::{ReviewRecord, SelfCheckRecord};

/// The results of these requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Closing {
    /// The remarks of the review.
    pub(super) review: Option<ReviewRecord>,
    /// The self-check of the summary.
    pub(super) self_check: Option<SelfCheckRecord>,
    /// The reason why there is no self-check although the user wants one.
    pub(super) notice: Option<String>,
}
