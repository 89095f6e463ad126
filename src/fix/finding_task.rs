//! A run that fixes one finding of a scanner: the update is planned first, and the engine proves it.

use serde_json::json;

use super::error::FixError;
use super::request::Request;
use super::run_context::RunContext;
use super::session::Session;
use crate::bump::{
    Bump, BumpConfig, BumpTools, BumpedFile, ScanResult, Unbumped, UpdatedText, plan_bump,
    scan_again,
};
use crate::engine::Finished;
use papayu_base::domain::goal::Route;
use papayu_base::domain::{
    Action, ActionSet, FailureReport, FindingFile, FindingProof, FindingRecord, Goal, Op, Outcome,
    OutcomeKind, RunId, Sha256, Version,
};
use papayu_base::text::line_diff;
use papayu_logs::findings::Finding;
use papayu_system::memory::Memory;
use papayu_system::{CommandNetwork, NetworkMode, System};

/// The state of the task before the engine runs.
pub(super) enum FindingTask {
    /// The request has the change, and the outcome gets this record.
    Planned(Box<Request>, Box<FindingRecord>),
    /// There is nothing to carry out.
    Ended(Box<Finished>),
}

/// Plans the update of a finding, and checks it with the user's scanner if there is one.
///
/// # Errors
///
/// [`FixError::Interrupted`] after a signal. A finding that cannot be updated is an ended task with the reason,
/// not an error.
pub(super) fn plan_finding(
    context: RunContext<'_>,
    finding: &Finding,
    request: Request,
    id: &RunId,
) -> Result<FindingTask, FixError> {
    let session = context.session;
    let config = bump_config(session);
    let process = context.runtime.open_process(session);
    let system = System { process: &process, ..context.runtime.system() };
    let tree = session.tree.as_ref();
    let tools = BumpTools::new(system, tree, &config);
    let mut record = start_record(finding);
    let bump = match plan_bump(tools, finding) {
        Ok(bump) => bump,
        Err(error) => return end_without_change(session, record, &error, id),
    };
    record.file = Some(bump.first.file.to_string());
    record.from = Some(bump.first.from.clone());
    let (kind, reason) = match prove_bump(tools, session, finding, &bump) {
        Ok(Ok(proof)) => {
            record.to = Some(bump.first.to.clone());
            record.updated_by = Some(bump.first.by.clone());
            record.other_files = bump.others.iter().map(record_file).collect();
            record.proof = Some(proof);
            let request = with_change(request, finding, &bump);
            return Ok(FindingTask::Planned(Box::new(request), Box::new(record)));
        }
        Ok(Err(end)) => end,
        Err(error) => return end_without_change(session, record, &error, id),
    };
    Ok(FindingTask::Ended(Box::new(ended_task(id, kind, reason, record))))
}

/// Completes the outcome of a run with the record of its finding.
pub(super) fn record_finding(finished: &mut Finished, mut record: FindingRecord) {
    let outcome = &mut finished.outcome;
    if outcome.outcome == OutcomeKind::Fixed {
        let proof = record.proof.map(FindingProof::words).unwrap_or_default();
        let (from, to) = (record.from.as_deref(), record.to.as_deref());
        let more = match record.other_files.len() {
            0 => String::new(),
            count => format!(", in {} files", count + 1),
        };
        outcome.reason = format!(
            "{} {} → {}{more}; {proof}; {}",
            record.package,
            from.unwrap_or_default(),
            to.unwrap_or_default(),
            outcome.reason
        );
    } else {
        record.proof = None;
    }
    outcome.finding = Some(record);
}

/// Returns the limits and the network of package managers.
fn bump_config(session: &Session) -> BumpConfig {
    let settings = &session.settings;
    BumpConfig {
        timeout: settings.run_verify_timeout_sec.value,
        max_output: settings.run_max_output_bytes.value,
        keep_env: settings.run_keep_env.value.clone(),
        // A package manager needs its registry and nothing else.
        network: match settings.run_network.value {
            NetworkMode::Off => CommandNetwork::Off,
            NetworkMode::Deps => CommandNetwork::Deps,
            NetworkMode::Auto | NetworkMode::On => CommandNetwork::On,
        },
    }
}

/// Returns the record of a finding before its update.
fn start_record(finding: &Finding) -> FindingRecord {
    FindingRecord {
        advisory: finding.advisory.clone(),
        ecosystem: finding.ecosystem.name().to_owned(),
        package: finding.package.to_string(),
        severity: finding.severity.name().to_owned(),
        title: finding.title.clone(),
        file: None,
        from: None,
        to: None,
        updated_by: None,
        other_files: Vec::new(),
        proof: None,
    }
}

/// Returns the record of one updated file.
fn record_file(updated: &BumpedFile) -> FindingFile {
    FindingFile {
        file: updated.file.to_string(),
        from: updated.from.clone(),
        to: updated.to.clone(),
        updated_by: updated.by.clone(),
    }
}

/// Returns the proof that the update removes the finding, or how the task ends without one.
fn prove_bump(
    tools: BumpTools<'_>,
    session: &Session,
    finding: &Finding,
    bump: &Bump,
) -> Result<Result<FindingProof, (OutcomeKind, String)>, Unbumped> {
    let Some(command) = session.settings.findings_scan.value.as_deref() else {
        return Ok(Ok(FindingProof::Version));
    };
    let unread = |reason: &str| {
        let reason = format!("the report of `{command}` cannot be read: {reason}");
        Ok(Err((OutcomeKind::NotFixed, reason)))
    };
    // A scanner that does not report it now would prove nothing by its silence.
    match scan_again(tools, command, finding, None)? {
        ScanResult::Reported => {}
        ScanResult::Unreadable(reason) => return unread(&reason),
        ScanResult::NotReported => {
            let reason = format!("`{command}` does not report {}", finding.key());
            return Ok(Err((OutcomeKind::NothingToFix, reason)));
        }
    }
    match scan_again(tools, command, finding, Some(bump))? {
        ScanResult::NotReported => Ok(Ok(FindingProof::Scanner)),
        ScanResult::Unreadable(reason) => unread(&reason),
        ScanResult::Reported => {
            let (key, to) = (finding.key(), &bump.first.to);
            let reason = format!("`{command}` still reports {key} with version {to}");
            Ok(Err((OutcomeKind::NotFixed, reason)))
        }
    }
}

fn end_without_change(
    session: &Session,
    record: FindingRecord,
    error: &Unbumped,
    id: &RunId,
) -> Result<FindingTask, FixError> {
    let kind = match error {
        Unbumped::Interrupted => {
            return Err(FixError::Interrupted { path: session.repo.clone() });
        }
        Unbumped::NotAffected { .. } => OutcomeKind::NothingToFix,
        _ => OutcomeKind::NotFixed,
    };
    Ok(FindingTask::Ended(Box::new(ended_task(id, kind, error.to_string(), record))))
}

/// Returns the end of a run without a change.
pub(super) fn ended_run(id: &RunId, kind: OutcomeKind, reason: String) -> Finished {
    Finished {
        outcome: Outcome::new(id.clone(), kind, reason),
        patch: Vec::new(),
        partial: Vec::new(),
        refused: Vec::new(),
        judge_packet: String::new(),
        plan: None,
        log: String::new(),
        failure: FailureReport::default(),
        summary: String::new(),
        change: None,
        recipes: Vec::new(),
        learned: None,
        remembered: Memory::default(),
        failed_attempts: Vec::new(),
    }
}

/// Returns the end of a run without a change, with the record of its finding.
fn ended_task(id: &RunId, kind: OutcomeKind, reason: String, record: FindingRecord) -> Finished {
    let mut finished = ended_run(id, kind, reason);
    finished.outcome.finding = Some(record);
    finished
}

/// Returns the request with the update as given actions. The goal names advisory and package, so that the fingerprint
/// stays when the versions change.
fn with_change(request: Request, finding: &Finding, bump: &Bump) -> Request {
    let (advisory, package) = (&finding.advisory, &finding.package);
    let ecosystem = finding.ecosystem.name();
    let text =
        format!("fix {advisory} in the {ecosystem} package {package} of {}", bump.first.file);
    let title =
        if finding.title.is_empty() { String::new() } else { format!(": {}", finding.title) };
    let more = bump.others.iter().map(|it| {
        let BumpedFile { file, from, to, by } = it;
        format!("\n`{file}`: {from} → {to}, made by `{by}`.")
    });
    let summary = format!(
        "Update {package} from {} to {}\n\n{advisory} ({}){title}\nMade by `{}`.{}",
        bump.first.from,
        bump.first.to,
        finding.severity.name(),
        bump.first.by,
        more.collect::<String>()
    );
    let actions: Vec<Action> = bump.files.iter().map(change_text).collect();
    let traced: Vec<_> = actions
        .iter()
        .map(|action| json!({ "kind": action.kind().name(), "path": action.path, "base_sha256": action.base_sha256() }))
        .collect();
    let validated = json!({ "actions": traced, "summary": summary });
    let given = Some(ActionSet { version: Version::V2, actions, summary, validated });
    let mut input = request.input;
    input.goal = Some(Goal { text, route: Route::ApplyOnly });
    Request { input, given, ..request }
}

/// Returns a patch of an existing file: a lock file may be longer than a whole text of an action.
pub(super) fn change_text(file: &UpdatedText) -> Action {
    let op = match &file.before {
        None => Op::CreateFile { content: Some(file.after.clone()) },
        Some(before) => {
            let patch = line_diff::unified_hunks(before.as_bytes(), file.after.as_bytes());
            Op::PatchFile {
                base_sha256: Some(Sha256::of(before.as_bytes()).to_string()),
                patch: Some(String::from_utf8_lossy(&patch).into_owned()),
            }
        }
    };
    Action { path: file.path.to_string(), op }
}
