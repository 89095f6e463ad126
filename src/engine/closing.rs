//! The requests that follow the end of a run: the remarks of a review, the self-check of a summary, and a recipe.

use super::code_review;
use super::fatal::Fatal;
use super::learn_step;
use super::run::Run;
use super::self_check;
use super::state::RunEnd;
use papayu_base::domain::goal::Route;

/// Makes the requests that follow an end, and returns the end of the run.
///
/// # Errors
///
/// [`Fatal`] for a state that the table excludes.
pub(super) fn close_run(run: &mut Run<'_>, end: RunEnd) -> Result<RunEnd, Fatal> {
    if run.inputs.rules.route == Route::Review {
        return if end == RunEnd::Planned { code_review::review(run) } else { Ok(end) };
    }
    self_check::check_summary(run, end);
    learn_step::learn_recipe(run, end);
    Ok(end)
}
