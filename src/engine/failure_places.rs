//! The places of failures, relative to the repository.

use super::task::World;
use papayu_base::domain::FailureReport;
use papayu_logs::failure;

/// Makes the places of failures relative to the repository: a forge cannot link to others.
pub(super) fn place_in_repository(report: &mut FailureReport, world: &World<'_>) {
    let root = world.tree.root().display().to_string();
    failure::place_in_repository(report, &root, world.survey.files());
}
