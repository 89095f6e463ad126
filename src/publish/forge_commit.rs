//! Has the forge make and sign the commit of a fix, where git has no key to sign it with.

use super::fix::ProvedFix;
use super::target::PublishTarget;
use papayu_forge::ForgeCommit;
use papayu_forge::git::{self, Lease, Oid};

/// Makes the commit on a branch of its own, compares it with the commit that git made, and returns it. It is in the
/// object store afterwards, and no branch of the remote names it.
///
/// # Errors
///
/// A sentence with the reason; nothing is left on the remote then.
pub(super) fn create_signed_commit(
    target: &PublishTarget<'_>,
    fix: &ProvedFix,
    message: &str,
    local: &Oid,
) -> Result<Oid, String> {
    let PublishTarget { git, remote, .. } = target;
    let commit = describe_commit(target, fix, message)?;
    let branch = commit.branch.clone();
    let known = remote.commit_of(git, &branch).map_err(|error| error.to_string())?;
    let lease = known.map_or(Lease::Absent, Lease::At);
    // The API commits on an existing branch only. Ours must not be at the base in between: the forge would close its pull
    // request as one without a change.
    git::push_branch(git, remote, &branch, &fix.base, &lease).map_err(|error| error.to_string())?;
    let made = make_and_compare(target, &commit, local);
    let removed = match remote.commit_of(git, &branch) {
        Ok(Some(last)) => git::delete_branch(git, remote, &branch, &last),
        found => found.map(drop),
    };
    match (made, removed) {
        (Ok(made), _) => Ok(made),
        (Err(reason), Ok(())) => Err(reason),
        (Err(reason), Err(left)) => Err(format!("{reason}; `{branch}` is left: {left}")),
    }
}

/// Returns the commit in the words of the API.
fn describe_commit(
    target: &PublishTarget<'_>,
    fix: &ProvedFix,
    message: &str,
) -> Result<ForgeCommit, String> {
    let files = fix.files.as_slice();
    // The API has no modes: it would drop the executable bit of a script.
    if let Some(file) = files.iter().find(|file| file.after.is_some() && file.mode != "100644") {
        return Err(format!("the API cannot store the mode of `{}`", file.path));
    }
    let repository = target.remote.place().path;
    let message = target.git.masked(message);
    let (headline, rest) = message.split_once('\n').unwrap_or((&message, ""));
    let additions = files.iter().filter_map(|file| {
        let bytes = file.after.as_ref()?;
        Some((file.path.to_string(), bytes.clone()))
    });
    let deletions = files.iter().filter(|file| file.after.is_none());
    Ok(ForgeCommit {
        repository,
        branch: format!("papayu/stage-{}", fix.fingerprint),
        parent: fix.base.to_string(),
        headline: headline.to_owned(),
        message: rest.trim().to_owned(),
        additions: additions.collect(),
        deletions: deletions.map(|file| file.path.to_string()).collect(),
    })
}

/// Makes the commit and compares its files with those of the commit that git made of the checked change.
fn make_and_compare(
    target: &PublishTarget<'_>,
    commit: &ForgeCommit,
    local: &Oid,
) -> Result<Oid, String> {
    let PublishTarget { git, remote, forge, .. } = target;
    let made = forge.commit_on_branch(commit).map_err(|error| error.to_string())?;
    let made = Oid::parse(&made).ok_or("the forge named no commit")?;
    remote.fetch_commit(git, &commit.branch, &made).map_err(|error| error.to_string())?;
    let tree = |commit: &Oid| git.tree_of(commit).map_err(|error| error.to_string());
    if tree(&made)? != tree(local)? || !git.read_trailers(&made).is_ours() {
        return Err("the commit of the forge is not the checked change".to_owned());
    }
    Ok(made)
}
