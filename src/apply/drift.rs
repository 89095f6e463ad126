//! Looks what became of a change while the user's command ran.

use crate::domain::RepoPath;
use crate::system::{Entry, Tree};

use super::ApplyError;
use super::step::{Image, PathState, Side, Step, What};

/// What became of a change that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// Paths that hold their old bytes again, or nothing, or no file any more.
    pub gone: Vec<RepoPath>,
    /// Paths that hold other bytes, as after a formatter.
    pub altered: Vec<RepoPath>,
}

/// Compares every path with what was written there. A folder that was to go and is there again is
/// let pass: what commands leave in it is theirs.
pub(super) fn detect_drift(tree: &dyn Tree, steps: &[Step]) -> Result<Drift, ApplyError> {
    let mut drift = Drift::default();
    for step in steps {
        let path = || step.path.clone();
        match (step.find_state(tree)?, &step.what) {
            (PathState::At(Side::After), _) | (PathState::At(Side::Before), What::DropDir) => {}
            (PathState::Changed, _) if read_image(tree, step)?.is_some() => {
                drift.altered.push(path());
            }
            _ => drift.gone.push(path()),
        }
    }
    Ok(drift)
}

/// Returns the steps with what really stands at the paths that were altered.
pub(super) fn find_altered_steps(
    tree: &dyn Tree,
    steps: &[Step],
    drift: &Drift,
) -> Result<Vec<Step>, ApplyError> {
    let mut found = steps.to_vec();
    for step in found.iter_mut().filter(|step| drift.altered.contains(&step.path)) {
        let now = read_image(tree, step)?;
        if let What::File { after, .. } = &mut step.what {
            *after = now;
        }
    }
    Ok(found)
}

fn read_image(tree: &dyn Tree, step: &Step) -> Result<Option<Image>, ApplyError> {
    let path = &step.path;
    let Entry::File { len, mode, owner, .. } =
        tree.entry(path).map_err(ApplyError::read_failed(path))?
    else {
        return Ok(None);
    };
    let bytes = tree.read(path, len).map_err(ApplyError::read_failed(path))?;
    Ok(Some(Image { bytes, mode, owner }))
}
