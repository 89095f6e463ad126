//! Restores the tracked files that a run of the command changed.

use std::io;

use super::run::{Fatal, Run};
use super::task::GitState;
use super::tracked_files::{MAX_COPIES, OwnFiles, keep_copy, write_content};
use crate::domain::RepoPath;
use crate::domain::outcome::OutcomeKind;

/// Restores the tracked files that the command changed, and records their paths in the run.
///
/// # Errors
///
/// Returns [`Fatal`] if the command made a commit or removed the repository, or if a file
/// cannot be restored.
pub(super) fn restore(run: &mut Run<'_>, own: OwnFiles) -> Result<(), Fatal> {
    let tree = run.world.tree;
    let changed = run.tracked.find_changed(tree, own);
    for (number, (path, before)) in changed.iter().enumerate() {
        let restore = || {
            // The command may have produced something useful, so a limited number of its
            // versions is kept.
            if number < MAX_COPIES {
                keep_copy(tree, &run.id, path)?;
            }
            write_content(tree, path, before.as_ref())
        };
        restore().map_err(|error| unrestored(path, &error))?;
        // Its stamp is no longer the one from before.
        run.tracked.add_own([path.clone()]);
    }
    run.tracked.rewritten.extend(changed.into_iter().map(|(path, _)| path));
    // Compared after the files are restored, so that the tree is clean whatever git shows.
    let now = run.world.git.and_then(GitState::head);
    match (&run.tracked.head, now) {
        (Some(_), None) => Err(harmful(run, "removes the folder of git")),
        (Some(before), Some(now)) if *before != now => Err(harmful(run, "moves `HEAD` of git")),
        _ => Ok(()),
    }
}

/// Returns the error of a command that changes more than files: it moved `HEAD` or removed
/// `.git`. Neither can be undone safely by this program.
fn harmful(run: &Run<'_>, what: &str) -> Fatal {
    let check = run.task.check.as_ref().map_or("the command", |check| check.command.as_str());
    let reason = format!("`{check}` {what}, so it cannot prove a fix");
    let hint = "name a command that only checks; the tracked files are as before the run";
    Fatal::new(OutcomeKind::NotFixed, reason, hint)
}

/// Returns the error of a file that cannot be restored.
fn unrestored(path: &RepoPath, error: &io::Error) -> Fatal {
    let reason = format!("the command changed `{path}`, which cannot be restored: {error}");
    let hint = "restore it with git; name a command that only checks";
    Fatal::new(OutcomeKind::NotFixed, reason, hint)
}
