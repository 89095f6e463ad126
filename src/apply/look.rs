//! Looks what became of a change while the user's command ran.

use crate::domain::RepoPath;
use crate::system::{Entry, Tree};

use super::ApplyError;
use super::step::{Image, Side, Standing, Step, What};

/// What became of a change that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Paths that hold their old bytes again, or nothing, or no file any more.
    pub gone: Vec<RepoPath>,
    /// Paths that hold other bytes, as after a formatter.
    pub altered: Vec<RepoPath>,
}

/// Compares every path with what was written there. A folder that was to go and is there again is
/// let pass: what commands leave in it is theirs.
pub(super) fn look(tree: &dyn Tree, steps: &[Step]) -> Result<Seen, ApplyError> {
    let mut seen = Seen::default();
    for step in steps {
        let path = || step.path.clone();
        match (step.standing(tree)?, &step.what) {
            (Standing::At(Side::After), _) | (Standing::At(Side::Before), What::DropDir) => {}
            (Standing::Changed, _) if image(tree, step)?.is_some() => seen.altered.push(path()),
            _ => seen.gone.push(path()),
        }
    }
    Ok(seen)
}

/// Returns the steps with what really stands at the paths that were altered.
pub(super) fn real(tree: &dyn Tree, steps: &[Step], seen: &Seen) -> Result<Vec<Step>, ApplyError> {
    let real = |step: &Step| match &step.what {
        What::File { before, .. } if seen.altered.contains(&step.path) => {
            let what = What::File { before: before.clone(), after: image(tree, step)? };
            Ok(Step { path: step.path.clone(), what })
        }
        _ => Ok(step.clone()),
    };
    steps.iter().map(real).collect()
}

fn image(tree: &dyn Tree, step: &Step) -> Result<Option<Image>, ApplyError> {
    let path = &step.path;
    let Entry::File { len, mode, owner, .. } = tree.entry(path).map_err(ApplyError::read(path))?
    else {
        return Ok(None);
    };
    let bytes = tree.read(path, len).map_err(ApplyError::read(path))?;
    Ok(Some(Image { bytes, mode, owner }))
}
