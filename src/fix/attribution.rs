//! Asks the forge whether a failed workflow run is the fault of the work, before anything is run or spent.

use super::delivery::base_branch;
use super::failure_input::CiRun;
use super::run_context::RunContext;
use papayu_base::domain::{Event, EventName, Evidence, FailureClass, Outcome, OutcomeKind, RunId};
use papayu_forge::{CheckConclusion, CommitCheck, Forge, ForgeError};

/// The base that the work of a failed run goes into.
struct ComparedBase {
    branch: String,
    /// Its newest commit.
    newest: String,
    /// The commit of it that the forge compared the work with; empty if unknown.
    compared: String,
}

/// Returns the outcome of a run with a failure that the base has or had too; `None` if the failure is the work's own, or the
/// forge does not know. No command runs for it and no model is asked.
pub(crate) fn attribute_failure(
    context: RunContext<'_>,
    run: &CiRun<'_>,
    id: &RunId,
) -> Option<Outcome> {
    if context.session.settings.run_fix_base.value {
        return None;
    }
    let forge = run.forge();
    let found = find_base(context, forge).and_then(|base| match base {
        Some(base) => judge(forge, &base, &run.failed_names(), id),
        None => Ok(None),
    });
    found.unwrap_or_else(|error| {
        let text = format!("the failure is not compared with the checks of its base: {error}");
        context.events.emit(Event::new(EventName::Notice).with("text", text));
        None
    })
}

/// Returns the base that the settings name, or else that of the open pull request of the checked-out branch.
fn find_base(
    context: RunContext<'_>,
    forge: &dyn Forge,
) -> Result<Option<ComparedBase>, ForgeError> {
    let RunContext { session, .. } = context;
    let settings = &session.settings;
    let head = context.open_git().ok().and_then(|git| base_branch(session, &git));
    let named = settings.run_base.value.clone().or_else(|| settings.pr_base.value.clone());
    let pulls = match &head {
        Some(head) => forge.pull_requests(head.as_str())?,
        None => Vec::new(),
    };
    let pull = pulls.into_iter().find(|pull| pull.is_open);
    let (of_pull, compared) = pull.map(|pull| (pull.base, pull.base_commit)).unzip();
    // The commit is only that of the pull request's own base.
    let compared = compared.filter(|_| named.is_none() || named == of_pull).unwrap_or_default();
    let Some(branch) = named.or(of_pull) else { return Ok(None) };
    // A failure of the base branch itself is what the run is to fix.
    if head.is_some_and(|head| head.as_str() == branch) {
        return Ok(None);
    }
    let state = forge.branch_state(&branch)?;
    Ok(state.map(|state| ComparedBase { branch, newest: state.commit, compared }))
}

/// Returns the outcome where every failed check fails on the base too, or failed there and passes on its newest commit.
fn judge(
    forge: &dyn Forge,
    base: &ComparedBase,
    failed: &[String],
    id: &RunId,
) -> Result<Option<Outcome>, ForgeError> {
    let newest = forge.commit_checks(&base.newest)?;
    let is_moved = !base.compared.is_empty() && base.compared != base.newest;
    let compared = if is_moved { forge.commit_checks(&base.compared)? } else { Vec::new() };
    let names: Vec<String> = failed.iter().map(|name| format!("`{name}`")).collect();
    let names = names.join(", ");
    let shown = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
    let ComparedBase { branch, .. } = base;
    if have(&compared, failed, CheckConclusion::Failure)
        && have(&newest, failed, CheckConclusion::Success)
    {
        let commit = shown(&base.newest);
        let reason =
            format!("fixed on `{branch}` by {commit}: {names} failed there and passes now");
        let mut outcome = Outcome::new(id.clone(), OutcomeKind::NothingToFix, reason);
        outcome.hint = Some(format!("merge `{branch}` into this branch"));
        return Ok(Some(outcome));
    }
    let red = [(&base.newest, &newest), (&base.compared, &compared)]
        .into_iter()
        .find(|(_, checks)| have(checks, failed, CheckConclusion::Failure));
    let Some((commit, _)) = red else { return Ok(None) };
    let line = format!("{names} fails on `{branch}` ({}) too", shown(commit));
    let reason = format!("the failure is not one of this change: {line}; nothing was changed");
    let mut outcome = Outcome::new(id.clone(), OutcomeKind::NotFixed, reason);
    outcome.failure_class = Some(FailureClass::RedOnBase.name().to_owned());
    outcome.failure_evidence = vec![Evidence { rule: "base".to_owned(), line, number: None }];
    outcome.hint = Some("fix it there first, or use `--fix-base`".to_owned());
    Ok(Some(outcome))
}

/// Returns true if every named check has that conclusion. A name with several checks needs it in each of them.
fn have(checks: &[CommitCheck], names: &[String], wanted: CheckConclusion) -> bool {
    !names.is_empty()
        && names.iter().all(|name| {
            let mut of_name = checks.iter().filter(|check| check.name == *name).peekable();
            of_name.peek().is_some() && of_name.all(|check| check.conclusion == wanted)
        })
}
