//! Delivers the result of a run at the pull request that failed, and issues about failures that are none of the code.

use super::delivery::{Delivery, record_failure, variable};
use super::forge_access::Away;
use super::session::Session;
use crate::engine::Finished;
use crate::publish::{self, ProvedFix, PublishError, WorkReport};
use crate::settings::Emit;
use papayu_base::domain::{FailureClass, Outcome, OutcomeKind};
use papayu_base::text::Masker;
use papayu_forge::git::Remote;
use papayu_forge::{Forge, PullRequest};

/// Delivers the forms that the settings name, and records each in the outcome. A suggestion or a commit that is not
/// possible becomes a comment with the reason.
pub(crate) fn deliver_forms(delivery: &Delivery<'_>, finished: &mut Finished, masker: &Masker) {
    match write_forms(delivery, finished, masker) {
        Ok(()) => {}
        Err(error) if finished.outcome.outcome == OutcomeKind::Fixed => {
            record_failure(&mut finished.outcome, &error);
        }
        // The run itself ended without a fix, which its outcome has to say.
        Err(error) => finished.outcome.notices.push(error.to_string()),
    }
}

fn write_forms(
    delivery: &Delivery<'_>,
    finished: &mut Finished,
    masker: &Masker,
) -> Result<(), PublishError> {
    let session = delivery.session();
    let wants = |emit: Emit| session.settings.run_emit.value.contains(&emit);
    let Some(Away { forge, .. }) = &delivery.away else { return Ok(()) };
    let patch = masker.mask(&String::from_utf8_lossy(&finished.patch)).into_owned();
    if wants(Emit::Issue) && is_infrastructure(&finished.outcome) {
        let report = work_report(finished, "", &[]);
        let url = publish::report_infrastructure(&**forge, &report)?;
        finished.outcome.notices.push(format!("the failure is reported in {url}"));
    }
    if ![Emit::Suggest, Emit::Commit, Emit::Comment].into_iter().any(wants) {
        return Ok(());
    }
    let Some(pull) = find_work_pull(session, &**forge, delivery)? else {
        let text = "there is no open pull request of the checked-out branch to write to";
        finished.outcome.notices.push(text.to_owned());
        return Ok(());
    };
    let mut remarks = Vec::new();
    let is_sent = wants(Emit::Suggest) || wants(Emit::Commit);
    let fix = if is_sent && finished.outcome.outcome == OutcomeKind::Fixed {
        Some(delivery.checked_fix(finished)?)
    } else {
        None
    };
    let mut is_done = false;
    if let Some(fix) = fix.as_ref().filter(|_| wants(Emit::Suggest)) {
        match publish::suggest_fix(&**forge, &delivery.git, &pull, fix) {
            Ok(url) => {
                is_done = true;
                remarks.push(format!("the change is suggested in {url}"));
            }
            Err(reason) => remarks.push(format!("the change is not suggested: {reason}")),
        }
    }
    if let Some(fix) = fix.as_ref().filter(|_| wants(Emit::Commit) && !is_done) {
        match commit(delivery, &pull, fix) {
            Ok(commit) => {
                is_done = true;
                remarks.push(format!("the change is commit {commit} of this pull request"));
            }
            Err(reason) => remarks.push(format!("no commit is added: {reason}")),
        }
    }
    if wants(Emit::Comment) || !is_done {
        let patch = if is_done { "" } else { patch.as_str() };
        let report = work_report(finished, patch, &remarks);
        let url = publish::comment_result(&**forge, pull.number, &report)?;
        remarks.push(format!("the comment is {url}"));
    }
    finished.outcome.notices.extend(remarks);
    Ok(())
}

fn work_report<'a>(
    finished: &'a Finished,
    patch: &'a str,
    remarks: &'a [String],
) -> WorkReport<'a> {
    WorkReport { outcome: &finished.outcome, failure: &finished.failure, patch, remarks }
}

/// Returns true for a failure that no change of the code can fix.
fn is_infrastructure(outcome: &Outcome) -> bool {
    let class = outcome.failure_class.as_deref();
    [FailureClass::Infrastructure, FailureClass::Environment]
        .into_iter()
        .any(|outside| class == Some(outside.name()))
}

/// Returns the open pull request of the work: that of the job's event, else that of the checked-out branch.
fn find_work_pull(
    session: &Session,
    forge: &dyn Forge,
    delivery: &Delivery<'_>,
) -> Result<Option<PullRequest>, PublishError> {
    // `refs/pull/NUMBER/merge` in a job for a pull request; that of a fork is found by no branch.
    let reference = variable(session, "GITHUB_REF").unwrap_or_default();
    let number = reference.strip_prefix("refs/pull/").and_then(|rest| rest.split('/').next());
    let known = match (number.and_then(|number| number.parse().ok()), &delivery.base_branch) {
        (Some(number), _) => Some(forge.pull_request(number)?),
        (None, Some(branch)) => {
            let pulls = forge.pull_requests(branch.as_str())?;
            pulls.into_iter().find(|pull| pull.is_open)
        }
        (None, None) => None,
    };
    Ok(known.filter(|pull| pull.is_open))
}

/// Adds the fix to the branch of a pull request, where its author and the forge allow it.
fn commit(delivery: &Delivery<'_>, pull: &PullRequest, fix: &ProvedFix) -> Result<String, String> {
    let Some(Away { remote, git_token, .. }) = &delivery.away else {
        return Err("the remote is not known".to_owned());
    };
    let is_own = remote.place().path.eq_ignore_ascii_case(&pull.head_repository);
    let made = if is_own {
        publish::commit_to_pull_request(&delivery.git, remote, pull, fix)
    } else if pull.can_modify && !pull.head_address.is_empty() {
        // The token goes to the forge's own host only, whatever address the answer names.
        let fork = Remote::at_address(&pull.head_address).give_token(git_token.as_ref());
        publish::commit_to_pull_request(&delivery.git, &fork, pull, fix)
    } else {
        return Err("the branch is of a fork, and its author does not allow commits".to_owned());
    };
    made.map(|commit| commit.to_string()).map_err(|error| error.to_string())
}
