//! The places of failures, relative to the repository.

use super::task::World;
use papayu_base::domain::{FailureReport, RepoPath};
use papayu_logs::failure::map_to_repo;

/// Makes the places of failures relative to the repository: logs have the paths of the machine that printed them, and
/// Node writes addresses (`file:///…`), both of which a forge cannot link to.
pub(super) fn place_in_repository(failure: &mut FailureReport, world: &World<'_>) {
    let root = world.tree.root().display().to_string();
    failure.place_below(&format!("{root}/"));
    let files = world.survey.files();
    let is_file = |path: &str| files.binary_search_by(|known| known.as_str().cmp(path)).is_ok();
    let places = failure.failures.iter_mut().flat_map(|failure| &mut failure.locations);
    for place in places.filter(|place| RepoPath::parse(&place.path).is_err()) {
        if let Some(path) = map_to_repo(&place.path, &is_file, Some(&root)) {
            place.path = path;
        }
    }
}
