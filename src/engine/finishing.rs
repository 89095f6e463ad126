//! Turns the end of a run into its outcome, in words.

use super::flake;
use super::plan_file::PlanFile;
use super::run::{Fatal, Run, named};
use super::state::{Finish, Seat};
use super::tracked_files::COPIES;
use super::triage_step;
use crate::domain::outcome::{OutcomeKind, ProtocolRecord, Timings};
use crate::domain::{ErrorCode, ExitCode, Failure, FailureClass, Outcome, RepoPath};
use crate::system::Entry;

/// Most failed changes that the reason lists.
const MAX_TRIED: usize = 5;

/// Most restored files that the hint names.
const MAX_REWRITTEN: usize = 5;

/// Most characters of a failed change in the reason.
const MAX_TRIED_CHARS: usize = 300;

/// Returns the outcome of a run from its end.
///
/// The outcome is masked, but nothing is written here: `emit` and `report` write the files.
pub(super) fn outcome(run: &Run<'_>, end: Result<Finish, Fatal>) -> Outcome {
    let is_wanted_plan = matches!(end, Ok(Finish::Planned));
    let (kind, code, reason, hint) = match end {
        Ok(finish) => describe_end(run, finish),
        Err(fatal) => (fatal.kind, fatal.code, fatal.reason, fatal.hint),
    };
    let masker = run.world.masker;
    let reason = masker.mask(&reason).into_owned();
    let mut outcome = Outcome::new(run.id.clone(), kind, reason);
    if is_wanted_plan {
        // An unproved change is `planned`, too, and not what was asked for.
        // `plan` succeeded. An unproved change has the same outcome, but was not requested as
        // such.
        outcome.exit_code = ExitCode::Ok.number();
    }
    outcome.error_code = code.map(|code| code.as_str().to_owned());
    let hint = hint.or_else(|| code.map(|code| code.row().hint.to_owned()));
    outcome.hint = hint
        .into_iter()
        .chain(copies(run))
        .chain(rewritten(run))
        .chain(run.base_note.clone())
        .chain(run.conversation.online.hint().filter(|_| kind != OutcomeKind::Fixed))
        .reduce(|all, hint| all + "; " + &hint);
    let landed = matches!(kind, OutcomeKind::Fixed | OutcomeKind::Planned);
    if let Some(change) = run.change.as_ref().filter(|_| landed) {
        // Only delivered changes are listed; a reverted one is in the trace.
        outcome.changed_files = crate::emit::changed_files(change.whole());
    }
    // `verified` follows from the outcome alone, so the two can never contradict each other.
    outcome.verified = kind == OutcomeKind::Fixed;
    outcome.verify = run.verify_record();
    outcome.proof = outcome.verified.then_some(run.proof);
    outcome.proof_tests = outcome.verified.then_some(run.proof_tests);
    outcome.review_flags.clone_from(&run.review_flags);
    let was_red = run.before.as_ref().is_some_and(|before| before.exit_code != Some(0));
    // An empty report of a passing command has no class.
    if was_red || run.task.log.is_some() {
        outcome.failure_class = Some(run.triage.class.name().to_owned());
        outcome.failure_evidence.clone_from(&run.triage.evidence);
    }
    outcome.flake_reruns.clone_from(&run.reruns);
    outcome.attempts = attempts(run);
    outcome.protocol = protocol(run);
    // A run that ended before the first request has no provider.
    if run.asked {
        // The outcome names the stage as the setting that chooses it.
        let (provider, model) =
            run.model().map_or(("suggestions", "none"), |model| (model.name(), model.model()));
        outcome.provider = Some(provider.to_owned());
        outcome.model = Some(model.to_owned());
    }
    outcome.tokens = run.spend.usage;
    outcome.requests = run.spend.requests;
    // Without a paid request the cost is known to be zero.
    outcome.cost_usd = if run.spend.paid { run.spend.cost } else { Some(0.0) };
    outcome.providers = run.shares.several();
    outcome.merge_conflicts.clone_from(&run.shares.conflicts);
    outcome.notices.extend(run.shares.notices());
    outcome.timings_ms =
        Timings { total: run.now_ms(), llm: run.spend.llm_ms, verify: run.spend.verify_ms };
    outcome.zero_tokens = run.kept.record(kind == OutcomeKind::Fixed);
    outcome.fingerprint = run.fingerprint.as_ref().map(ToString::to_string);
    outcome.trace_paths.clone_from(&run.trace_paths);
    outcome
}

/// Returns a hint with the copies of files that the command wrote into; `None` if there are
/// none.
fn copies(run: &Run<'_>) -> Option<String> {
    let what = "what the command wrote into changed files is kept in";
    (!run.copies.is_empty()).then(|| format!("{what} {}", named(&run.copies)))
}

/// Returns a hint with the tracked files that the command changed, at most five by name; `None`
/// if there are none.
fn rewritten(run: &Run<'_>) -> Option<String> {
    let paths: Vec<RepoPath> = run.tracked.rewritten.iter().cloned().collect();
    let more = paths.len().saturating_sub(MAX_REWRITTEN);
    let named = named(paths.get(..MAX_REWRITTEN).unwrap_or(&paths));
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let what = "the command changes files of the repository, which were restored after each run:";
    let kept = format!("its versions are in `{COPIES}/{}`", run.id);
    (!paths.is_empty()).then(|| format!("{what} {named}{more}; {kept}"))
}

/// Returns the number of attempts. A quickfix attempt counts only if a change of it was
/// applied; a run without a request made none.
fn attempts(run: &Run<'_>) -> u32 {
    // `given` actions count as an attempt although no provider is asked.
    if !run.asked && run.task.given.is_none() {
        return 0;
    }
    let begun = run.rules.attempts.iter().take(run.attempt_index + 1);
    let paid = begun.filter(|seat| **seat != Seat::Quickfix).count();
    u32::try_from((paid + run.free_landed.len()).max(1)).unwrap_or(u32::MAX)
}

/// Returns the protocol versions, repair and fallback of the last APPLY exchange; empty if
/// there was none.
fn protocol(run: &Run<'_>) -> ProtocolRecord {
    let Some(exchange) = &run.last_apply else { return ProtocolRecord::default() };
    ProtocolRecord {
        attempts: exchange.versions.iter().map(ToString::to_string).collect(),
        repair: exchange.repair.is_some(),
        repair_reason: exchange.repair.map(|code| code.as_str().to_owned()),
        fallback: exchange.fallback.is_some(),
        fallback_reason: exchange.fallback.map(|code| code.as_str().to_owned()),
    }
}

/// Outcome, code, reason and hint of an end.
type EndText = (OutcomeKind, Option<ErrorCode>, String, Option<String>);

/// Returns outcome, code, reason and hint of an end. The reason is shown to the user in one
/// line.
fn describe_end(run: &Run<'_>, finish: Finish) -> EndText {
    let check = run.task.check.as_ref().map_or("the command", |check| check.command.as_str());
    let plain =
        // Most ends have no error code.
        |kind, reason: String, hint: Option<&str>| (kind, None, reason, hint.map(str::to_owned));
    match finish {
        Finish::NothingToFix => {
            plain(OutcomeKind::NothingToFix, format!("`{check}` passes as it is"), None)
        }
        Finish::NotReproduced => plain(
            OutcomeKind::NotFixed,
            format!("`{check}` passes here, so it cannot prove that the log's failure is fixed"),
            Some("name the command that fails with `--run`"),
        ),
        Finish::NotOurs => {
            let (reason, hint) = triage_step::not_ours(&run.triage);
            (OutcomeKind::NotFixed, None, reason, hint)
        }
        Finish::Flaky => {
            let (reason, hint) = triage_step::flaky(check, &run.triage, &run.reruns);
            (OutcomeKind::NotFixed, None, reason, Some(hint))
        }
        Finish::FlakyCommand | Finish::FailuresHidden => unreliable(run, check, finish),
        Finish::Planned => plain(
            OutcomeKind::Planned,
            "the plan is ready; nothing was changed".to_owned(),
            Some("`papayu-batch apply --plan` carries it out"),
        ),
        Finish::Unproved => plain(
            OutcomeKind::Planned,
            "a change is ready, but there is no command that proves it".to_owned(),
            Some("name one with `--run`"),
        ),
        Finish::Fixed => plain(OutcomeKind::Fixed, fixed_reason(run, check), None),
        Finish::NoChanges => no_changes(run),
        Finish::StillRed => plain(OutcomeKind::NotFixed, still_red(run, check), Some(more(run))),
        Finish::Refused(code) => {
            let reason =
                run.refusal.as_ref().map_or_else(String::new, |refusal| refusal.reason.clone());
            (code.row().outcome, Some(code), reason, None)
        }
        Finish::ProviderFailed => {
            let (reason, hint) = run.stop_reason.clone().unwrap_or_default();
            (
                OutcomeKind::ProviderError,
                None,
                reason,
                hint.or_else(|| {
                    Some("`papayu-batch doctor` shows what is configured and reachable".to_owned())
                }),
            )
        }
        Finish::OverBudget => stopped(run, OutcomeKind::OverBudget),
        Finish::Exhausted => stopped(run, OutcomeKind::NotFixed),
        Finish::Interrupted => plain(
            OutcomeKind::Interrupted,
            format!("a signal ended the run; {}", as_it_was(run)),
            None,
        ),
    }
}

/// Returns the end of a run if the command gives no reliable result: it is flaky, or hides
/// failures.
fn unreliable(run: &Run<'_>, check: &str, finish: Finish) -> EndText {
    let (reason, hint) = if finish == Finish::FlakyCommand {
        (
            format!(
                "flaky_command: `{check}` failed, and {}; {}",
                run.confirmed.unreliable.as_deref().unwrap_or("passed when it ran again"),
                as_it_was(run)
            ),
            "make the command give the same result each time; `--no-control-run` skips these runs",
        )
    } else {
        let hint = if check.contains('|') {
            "a pipe has the exit code of its last command; leave out `|`, or start with `set -o pipefail;` in a shell that knows it"
        } else {
            "name a command that fails when a test fails"
        };
        (
            format!(
                "`{check}` ends with exit code 0 although its output shows failures, so it cannot prove a fix"
            ),
            hint,
        )
    };
    (OutcomeKind::NotFixed, None, reason, Some(hint.to_owned()))
}

/// Returns the end of a run that the provider or a budget stopped; the reason was recorded at
/// that moment.
fn stopped(run: &Run<'_>, kind: OutcomeKind) -> EndText {
    let (reason, hint) = run.stop_reason.clone().unwrap_or_default();
    (kind, None, reason, hint)
}

/// Returns the reason of a run in which the command still fails: the number of tries, the state
/// of the tree, and a line for each of the first changes.
// The time limit is the better explanation, so it comes before contradictions.
fn still_red(run: &Run<'_>, check: &str) -> String {
    let timed_out = run.after.as_ref().is_some_and(|after| after.timed_out);
    let how = match run.contradictions.as_slice() {
        _ if timed_out => "does not end in time",
        _ if !run.vanished.is_empty() => {
            let names = named(&run.vanished);
            return format!(
                "`{check}` ends with exit code 0 but has taken the change of {names} back itself; {}",
                as_it_was(run)
            );
        }
        [] => "still fails",
        [first, ..] => {
            return format!(
                "`{check}` ends with exit code 0 but does not prove the fix after {}: {first}; {}",
                tries(run),
                as_it_was(run)
            );
        }
    };
    let mut reason = format!("`{check}` {how} after {}; {}", tries(run), as_it_was(run));
    for tried in run.tries.iter().filter(|tried| !tried.is_empty()).take(MAX_TRIED) {
        reason.push_str("\n- tried: ");
        reason.extend(tried.chars().take(MAX_TRIED_CHARS));
    }
    reason
}

/// Returns a sentence about the state of the tree. Files that the command itself created are
/// named; they are not removed.
fn as_it_was(run: &Run<'_>) -> String {
    let tree = run.world.tree;
    let is_made = |name: &String| {
        // Only new regular files: caches and folders of tools are no results.
        let path = RepoPath::parse(name);
        let is_file = path.is_ok_and(|path| matches!(tree.entry(&path), Ok(Entry::File { .. })));
        is_file && !run.found.contains(name)
    };
    // Without a list from before the run, every file would look new.
    let now = if run.found.is_empty() { Vec::new() } else { tree.list(None).unwrap_or_default() };
    let made: Vec<String> = now.into_iter().filter(is_made).collect();
    match made.as_slice() {
        [] => "no file is changed".to_owned(),
        made => {
            let made = made.join(", ");
            format!("the change is reverted; files that the command itself created stay: {made}")
        }
    }
}

/// Returns the hint for a run that used all its attempts.
fn more(run: &Run<'_>) -> &'static str {
    if !run.vanished.is_empty() {
        "name a command that leaves the changed files alone"
    } else if only_free(run) {
        "a model may find the rest: PAPAYU_LLM_API_URL, PAPAYU_LLM_API_KEY, PAPAYU_LLM_MODEL"
    } else {
        "the traces have each attempt; `--max-attempts` and `--second-model` allow more"
    }
}

/// Returns `true` if the run has the quickfix stage and no model.
fn only_free(run: &Run<'_>) -> bool {
    run.world.quickfix.is_some() && run.world.models.is_empty()
}

/// Returns `one try`, `3 tries` or, for none, a sentence about the tools.
fn tries(run: &Run<'_>) -> String {
    match run.tries.len() {
        0 => "all fixes that the tools propose".to_owned(),
        1 => "one try".to_owned(),
        count => format!("{count} tries"),
    }
}

/// Returns the reason of a fixed run, which names the evidence: what failed before, and what
/// passes now.
fn fixed_reason(run: &Run<'_>, check: &str) -> String {
    let red = run.before.as_ref().is_some_and(|before| before.exit_code != Some(0));
    if let Some(record) = &run.confirmed.flake {
        format!("`{check}` is flaky: {}", flake::describe(record))
    } else if red {
        format!("`{check}` failed before the change and passes after it")
    } else {
        format!("the goal's change is in place and `{check}` passes, as it did before")
    }
}

/// Returns the first failure in the tool's own words with its place and the number of others,
/// such as `E0425: cannot find value (src/lib.rs:3) and 2 more`.
fn describe_failures(failure: &Failure, count: usize, root: &str) -> String {
    let first = failure.headline();
    let place = failure.locations.first().map(|place| {
        let path = place.path.strip_prefix(root).unwrap_or(&place.path);
        place.line.map_or_else(|| format!(" ({path})"), |line| format!(" ({path}:{line})"))
    });
    let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
    format!("{first}{}{more}", place.unwrap_or_default())
}

/// Returns the end of a run in which no change was proposed.
fn no_changes(run: &Run<'_>) -> EndText {
    let said = run.last_summary.trim_start_matches("NO_CHANGES:").trim();
    let is_dependency = run.triage.class == FailureClass::Dependency;
    let count = run.report.failures.len();
    let root = format!("{}/", run.world.tree.root().display());
    let described =
        run.report.failures.first().map(|failure| describe_failures(failure, count, &root));
    let mut hint = only_free(run).then(|| {
        "configure a model for what the tools cannot fix themselves: PAPAYU_LLM_API_URL, PAPAYU_LLM_API_KEY, PAPAYU_LLM_MODEL".to_owned()
    });
    let reason = if is_dependency {
        let answer = if only_free(run) { "" } else { said };
        let first = described.unwrap_or_default();
        let (reason, step) = triage_step::dependency(&run.triage, &first, answer);
        hint = step.or(hint);
        reason
    } else if let Some(described) = described.filter(|_| only_free(run)) {
        let why = run.hints.lines().next().and_then(reason_of_hint);
        let why = why.map_or_else(String::new, |why| format!("; {why}"));
        format!("no automatic fix for: {described}{why}")
    } else if let Some(line) = last_error_line(run).filter(|_| only_free(run)) {
        format!("no automatic fix, and no known form of error in the output: {line}")
    } else if said.is_empty() {
        "no change was proposed".to_owned()
    } else {
        format!("no change was proposed: {said}")
    };
    match time_limit_reached(run) {
        Some(limit) => {
            let hint = "`--verify-timeout SECONDS` gives the command more time".to_owned();
            (OutcomeKind::NotFixed, None, format!("{limit}; {reason}"), Some(hint))
        }
        None => (OutcomeKind::NotFixed, None, reason, hint),
    }
}

/// Returns the reason that a hint has at its end: `unused import (left out: two fixes overlap)`
/// → `two fixes overlap`.
fn reason_of_hint(hint: &str) -> Option<&str> {
    hint.split_once("(left out: ")?.1.strip_suffix(')')
}

/// Returns the last line of the output that contains a word for an error, else its last line;
/// `None` if there is no output.
fn last_error_line<'r>(run: &'r Run<'_>) -> Option<&'r str> {
    let lines = || run.report.excerpt.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["error", "fail", "fatal", "cannot"].iter().any(|word| line.contains(word))
    };
    lines().rfind(is_error).or_else(|| lines().next_back())
}

/// Returns a sentence if the time limit ended the command before any change.
fn time_limit_reached(run: &Run<'_>) -> Option<String> {
    let before = run.before.as_ref().filter(|before| before.timed_out)?;
    Some(format!("`{}` did not end within {} s", before.command, before.ms / 1000))
}

/// Returns the text of the plan file, as indented JSON; `None` if the run did not end with a
/// plan.
pub(super) fn plan_text(run: &Run<'_>, outcome: &Outcome) -> Option<String> {
    let plan = run.plan.as_ref()?;
    if outcome.outcome != OutcomeKind::Planned || run.change.is_some() {
        return None;
    }
    let check = run.task.check.as_ref().map(|check| check.command.clone());
    let shown = run.shown.iter().map(|(path, digest)| (path.clone(), *digest));
    let summary = run.world.masker.mask(&plan.summary).into_owned();
    let mut file = PlanFile::new(run.task.goal.clone(), check, summary, shown, run.report.clone());
    file.diff = run.plan_diff.as_deref().map(|diff| run.world.masker.mask(diff).into_owned());
    serde_json::to_string_pretty(&file).ok().map(|text| text + "\n")
}
