//! Compares the tree with a written change after the user's command has run.

use papayu_base::domain::RepoPath;
use papayu_system::{Entry, Tree};

use super::ApplyError;
use super::step::{ChangeSide, Image, PathChange, PathState, What};

/// The paths of a written change that the user's command changed again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// Paths with their old bytes again, without a file, or with something that is no file.
    pub gone: Vec<RepoPath>,
    /// Paths with other bytes, as after a formatter.
    pub altered: Vec<RepoPath>,
}

/// Compares every path of a written change with the bytes written there. A removed folder that
/// exists again is no drift: commands create files of their own in it.
///
/// # Errors
///
/// Returns [`ApplyError::Read`] for a path that cannot be read.
pub(super) fn detect_drift(tree: &dyn Tree, steps: &[PathChange]) -> Result<Drift, ApplyError> {
    let mut drift = Drift::default();
    for step in steps {
        match (step.find_state(tree)?, &step.what) {
            // A folder is as expected if it exists or not: it has no bytes that could be lost.
            (PathState::At(ChangeSide::After), _)
            | (PathState::At(ChangeSide::Before), What::DropDir) => {}
            // Other bytes in a regular file are kept as an alteration; a missing file means
            // that the change is lost.
            (PathState::Changed, _) if read_image(tree, step)?.is_some() => {
                drift.altered.push(step.path.clone());
            }
            _ => drift.gone.push(step.path.clone()),
        }
    }
    Ok(drift)
}

/// Returns the steps with the bytes that are on disk now at the altered paths.
///
/// Fails with [`ApplyError::Read`] if a file exists and cannot be read.
pub(super) fn find_altered_steps(
    tree: &dyn Tree,
    steps: &[PathChange],
    drift: &Drift,
) -> Result<Vec<PathChange>, ApplyError> {
    let mut found = steps.to_vec();
    for step in found.iter_mut().filter(|step| drift.altered.contains(&step.path)) {
        // Read again, because the drift only has the paths.
        let now = read_image(tree, step)?;
        if let What::File { after, .. } = &mut step.what {
            *after = now;
        }
    }
    Ok(found)
}

/// Returns the present content, mode and owner of a step's file; `None` if it is not a regular
/// file.
fn read_image(tree: &dyn Tree, step: &PathChange) -> Result<Option<Image>, ApplyError> {
    let path = &step.path;
    let Entry::File { len, mode, owner, .. } =
        tree.entry(path).map_err(ApplyError::read_failed(path))?
    else {
        return Ok(None);
    };
    let bytes = tree.read(path, len).map_err(ApplyError::read_failed(path))?;
    Ok(Some(Image { bytes, mode, owner }))
}
