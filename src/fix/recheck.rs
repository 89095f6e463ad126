//! Compares a proved fix with its branch as it is now, just before it is published.

use crate::engine::{World, check_commit};
use crate::publish::{ProvedFix, PublishError, Rebased};
use crate::verify::VerifyConfig;
use papayu_base::domain::outcome::{CheckRecord, GuardRecord};
use papayu_base::text::Masker;
use papayu_forge::git::{self, CommitSpec, Git, Oid, Remote};
use papayu_vet::Policy;

/// Runs the command of a finished run again, on another commit.
pub(crate) struct Prover<'a> {
    /// The world of the run.
    pub(crate) world: World<'a>,
    /// The limits of the command.
    pub(crate) verify: &'a VerifyConfig,
    /// The command; `None` if the run had none.
    pub(crate) command: Option<String>,
    /// The gates, which the moved change passes again.
    pub(crate) policy: &'a Policy,
}

/// The branch that a fix is merged into.
#[derive(Clone, Copy)]
pub(crate) struct TargetBranch<'a> {
    /// The repository.
    pub(crate) git: &'a Git<'a>,
    /// The remote of the branch.
    pub(crate) remote: &'a Remote,
    /// Its name.
    pub(crate) name: &'a str,
}

/// A fix and its branch as it is now.
pub(crate) enum Rechecked {
    /// The fix can be published: on the commit that it was made on, or moved to a newer one and proved there.
    Current(Box<ProvedFix>),
    /// This newest commit of the branch does not have the failure.
    FixedThere(Oid),
}

/// Returns the fix on the newest commit of its branch.
///
/// # Errors
///
/// `BaseMoved` when the fix does not apply there or is not proved there; `Git` and `Forge` when these fail.
pub(crate) fn recheck(
    target: TargetBranch<'_>,
    fix: ProvedFix,
    prover: &Prover<'_>,
    masker: &Masker,
) -> Result<Rechecked, PublishError> {
    let Some(tip) = find_newer_commit(target, &fix)? else {
        return Ok(Rechecked::Current(Box::new(fix)));
    };
    let before = prover.run_on(&tip)?;
    if before.exit_code == Some(0) {
        return Ok(Rechecked::FixedThere(tip));
    }
    let Rebased::Moved(mut fix) = fix.rebase(target.git, &tip, prover.policy, masker)? else {
        return Ok(Rechecked::FixedThere(tip));
    };
    let spec = CommitSpec {
        base: &tip,
        entries: fix.files.base_entries(),
        files: fix.files.as_slice(),
        message: "The fix on the newest commit of its branch",
    };
    let commit = git::create_commit(target.git, &spec)?;
    let after = prover.run_on(&commit)?;
    if after.exit_code != Some(0) {
        let branch = target.name;
        let reason = format!("the command fails with the fix on {tip}, the newest of `{branch}`");
        return Err(PublishError::BaseMoved(reason));
    }
    fix.outcome.verify.newer_base = Some(GuardRecord { before, after });
    Ok(Rechecked::Current(fix))
}

/// Returns the newest commit of the branch, which is here afterwards; `None` if that is the commit of the fix, or the fix
/// is on top of it.
fn find_newer_commit(
    target: TargetBranch<'_>,
    fix: &ProvedFix,
) -> Result<Option<Oid>, PublishError> {
    let TargetBranch { git, remote, name } = target;
    let Some(tip) = remote.commit_of(git, name)?.filter(|tip| *tip != fix.base) else {
        return Ok(None);
    };
    let is_new = !git.has_commit(&tip);
    remote.fetch_commit(git, name, &tip)?;
    // A shallow clone does not know which of the two is the older one; what was not here is the newer one.
    let is_unknown = is_new && git.is_shallow()?;
    if !is_unknown && remote.describe_unpushed(git, name, &fix.base)?.is_some() {
        return Ok(None);
    }
    Ok(Some(tip))
}

impl Prover<'_> {
    /// Runs the command on a commit.
    fn run_on(&self, commit: &Oid) -> Result<CheckRecord, PublishError> {
        let moved =
            |reason: String| PublishError::BaseMoved(format!("it is not proved again: {reason}"));
        let command = self.command.as_deref();
        let command = command.ok_or_else(|| moved("there is no command".to_owned()))?;
        check_commit(&self.world, self.verify, command, commit.as_str()).map_err(moved)
    }
}
