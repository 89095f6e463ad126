//! A check run on the commit that a run was made for.

use super::handover;
use super::outside::Outside;
use super::session::Session;
use crate::domain::{EventSink, FailureReport, Outcome};
use crate::emit::step_summary;
use crate::forge::{Forge as _, ForgeError};
use crate::publish;

/// Creates the check run if the settings request one; a failure to do so is a notice. `told` contains the
/// failures and the change as a patch.
pub(crate) fn leave(
    session: &Session,
    outside: &Outside,
    events: &dyn EventSink,
    outcome: &mut Outcome,
    told: (&FailureReport, &[u8]),
) {
    if !session.settings.pr_check_run.value {
        return;
    }
    let (failure, patch) = told;
    let left = || -> Result<String, String> {
        let (head, name) =
            handover::commit_and_repository(session, outside).map_err(|error| error.to_string())?;
        let words = |error: ForgeError| error.to_string();
        let forge = handover::forge(session, outside, name, events).map_err(words)?;
        let summary = step_summary::render_step_summary(outcome, failure, patch);
        let summary = outside.masker.mask(&summary).into_owned();
        let check = publish::check_run(outcome, failure, &head, summary);
        forge.check_run(&check).map_err(words)
    };
    if let Err(said) = left() {
        outcome.notices.push(said);
    }
}
