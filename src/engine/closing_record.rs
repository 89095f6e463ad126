//! The results of the requests that follow the end of a run.

use papayu_base::domain::{ReviewRecord, SelfCheckRecord};
use papayu_recipes::Recipe;

/// The results of these requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Closing {
    /// The remarks of the review.
    pub(super) review: Option<ReviewRecord>,
    /// The self-check of the summary.
    pub(super) self_check: Option<SelfCheckRecord>,
    /// The reason why there is no self-check although the user wants one.
    pub(super) notice: Option<String>,
    /// The recipe of the change without its origin, or the reason why there is none; `None` if the run teaches none.
    pub(super) recipe: Option<Result<Recipe, String>>,
}
