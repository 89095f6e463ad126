//! Describes the end of a run: the outcome, its reason and a hint.

use std::fmt::Write as _;

use super::attempts::Attempts;
use super::change_state::quote_paths;
use super::check_log::CheckLog;
use super::costs::Costs;
use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::run::Run;
use super::state::RunEnd;
use super::world_facts::misplaced_fact;
use super::{code_review, flake, left_out, triage_step};
use crate::verify;
use papayu_base::domain::outcome::OutcomeKind;
use papayu_base::domain::{ErrorCode, Failure, FailureClass, FailureReport, RepoPath};
use papayu_logs::test_results::TestResults;
use papayu_system::Entry;

/// Most failed changes that the reason lists.
const MAX_TRIED: usize = 5;

/// Most characters of a failed change in the reason.
const MAX_TRIED_CHARS: usize = 300;

/// The settings of a model.
const MODEL_SETTINGS: &str = "`--provider ollama --model NAME` for one on this machine, or PAPAYU_LLM_API_URL, PAPAYU_LLM_API_KEY and PAPAYU_LLM_MODEL (docs/models.md)";

/// The next step where no test ran.
pub(super) const HINT_FOR_TESTS: &str = "name a command that runs tests, or one that only builds, with `--run`; or correct the names and folders that the test runner looks for";

/// The next step where the output shows too little of a success.
pub(super) const HINT_FOR_PROOF: &str =
    "name a command that prints its tests with `--run`, or require less with `--require-proof`";

/// The end of a run in words.
pub(super) struct EndText {
    pub(super) kind: OutcomeKind,
    /// Most ends have no error code.
    pub(super) code: Option<ErrorCode>,
    /// Shown to the user in one line.
    pub(super) reason: String,
    pub(super) hint: Option<String>,
}

impl EndText {
    fn new(kind: OutcomeKind, reason: impl Into<String>) -> Self {
        Self { kind, code: None, reason: reason.into(), hint: None }
    }

    fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl From<Fatal> for EndText {
    fn from(fatal: Fatal) -> Self {
        let Fatal { kind, code, reason, hint } = fatal;
        Self { kind, code, reason, hint }
    }
}

/// Returns outcome, code, reason and hint of an end.
pub(super) fn describe_end(run: &Run<'_>, finish: RunEnd) -> EndText {
    use OutcomeKind::{Fixed, Interrupted, NotFixed, NothingToFix, OverBudget, Planned};
    let check = run.inputs.command_name();
    match finish {
        RunEnd::NothingToFix => EndText::new(NothingToFix, passes_as_it_is(run, check)),
        RunEnd::NotReproduced => not_reproduced(run, check),
        RunEnd::NotOurs => {
            let (reason, hint) = triage_step::not_ours(&run.failure.triage);
            EndText { hint, ..EndText::new(NotFixed, reason) }
        }
        RunEnd::Flaky => {
            let reruns = &run.checks.reruns;
            let (reason, hint) = triage_step::flaky(check, &run.failure.triage, reruns);
            EndText::new(NotFixed, reason).with_hint(hint)
        }
        RunEnd::FlakyCommand => flaky_command(run.inputs, &run.checks),
        RunEnd::FailuresHidden => failures_hidden(run, check),
        RunEnd::NothingRan => nothing_ran(&run.checks, check),
        RunEnd::Planned if run.closing.review.is_some() => reviewed(run),
        RunEnd::Planned => EndText::new(Planned, "the plan is ready; nothing was changed")
            .with_hint("`papayu-batch apply --plan` carries it out"),
        RunEnd::Unproved => {
            let reason = "a change is ready, but there is no command that proves it";
            EndText::new(Planned, reason).with_hint("name one with `--run`")
        }
        RunEnd::Fixed => EndText::new(Fixed, fixed_reason(check, run)),
        RunEnd::NoChanges => no_changes(run),
        RunEnd::StillRed => {
            EndText::new(NotFixed, still_red(run, check)).with_hint(hint_for_more(run))
        }
        RunEnd::Refused(code) => {
            let refusal = run.dialogue.refusal.as_ref();
            let reason = refusal.map_or_else(String::new, |refusal| refusal.reason.clone());
            EndText { code: Some(code), ..EndText::new(code.row().outcome, reason) }
        }
        RunEnd::ProviderFailed => {
            let end = stopped(&run.costs, OutcomeKind::ProviderError);
            let doctor = "`papayu-batch doctor`, with the same `--provider` and `--model`, shows what is configured and reachable";
            EndText { hint: end.hint.or_else(|| Some(doctor.to_owned())), ..end }
        }
        RunEnd::OverBudget => stopped(&run.costs, OverBudget),
        RunEnd::Exhausted => stopped(&run.costs, NotFixed),
        RunEnd::Interrupted => {
            let tree = describe_tree(run.inputs, &run.checks);
            EndText::new(Interrupted, format!("a signal ended the run; {tree}"))
        }
    }
}

/// Returns the reason of a run with nothing to fix. A command that corrects files itself passes on any tree.
fn passes_as_it_is(run: &Run<'_>, check: &str) -> String {
    let tests = run.checks.tests_before.as_ref();
    let has_passed = tests.is_some_and(TestResults::has_run);
    // The exit codes of a pipe were seen.
    let hiding = verify::hiding_operator(check).filter(|it| *it != "|" && !has_passed);
    let hidden = hiding.map_or_else(String::new, |operator| {
        format!("; a failure before `{operator}` does not change its exit code")
    });
    let log = run.inputs.task.log.as_ref().map_or("", |_| ", and the log shows no failure");
    match run.changes.tracked.rewritten_before() {
        changed if changed.is_empty() => format!("`{check}` passes as it is{log}{hidden}"),
        changed => {
            let names = quote_paths(&changed);
            format!("`{check}` passes, and changes {names} itself; these changes are not kept")
        }
    }
}

/// Returns the end of a run with a command that passes although a log shows failures.
fn not_reproduced(run: &Run<'_>, check: &str) -> EndText {
    let shown = first_failure(run).map_or_else(String::new, |shown| format!(": {shown}"));
    let reason = format!("`{check}` passes here and does not show the failure of the log{shown}");
    EndText::new(OutcomeKind::NotFixed, reason).with_hint(
        "name the command that failed in the log with `--run`, on its commit; if it is this one, versions of tools, \
        environment variables, files outside of git, or the order and the timing of tests differ",
    )
}

/// Returns the first failure with the number of others, else the line that shows the cause; `None` if neither is known.
fn first_failure(run: &Run<'_>) -> Option<String> {
    let (failures, triage) = (&run.failure.report.failures, &run.failure.triage);
    let root = run.inputs.root_prefix();
    let described = failures.first().map(|first| describe_failures(first, failures.len(), &root));
    described.or_else(|| triage.evidence.first().map(|it| it.line.trim().to_owned()))
}

/// Returns the end of a review. Without remarks there is nothing to do.
fn reviewed(run: &Run<'_>) -> EndText {
    let review = run.closing.review.as_ref();
    let has_remarks = review.is_some_and(|review| !review.remarks.is_empty());
    let kind = if has_remarks { OutcomeKind::Planned } else { OutcomeKind::NothingToFix };
    EndText::new(kind, review.map(code_review::describe).unwrap_or_default())
}

/// Returns the end of a run with a command that gives another result when it runs again.
fn flaky_command(inputs: &EngineInputs<'_>, checks: &CheckLog) -> EndText {
    let reason = format!(
        "flaky_command: `{}` failed, and {}; {}",
        inputs.command_name(),
        checks.confirmed.unreliable.as_deref().unwrap_or("passed when it ran again"),
        describe_tree(inputs, checks)
    );
    let hint =
        "make the command give the same result each time; `--no-control-run` skips these runs";
    EndText::new(OutcomeKind::NotFixed, reason).with_hint(hint)
}

/// Returns the end of a run with a command that hides failures.
fn failures_hidden(run: &Run<'_>, check: &str) -> EndText {
    let hint = match (verify::hiding_operator(check), verify::with_pipefail(check)) {
        (Some("|"), Some(strict)) => format!(
            "a pipe has the exit code of its last command; leave out `|`, or name the command `{strict}`"
        ),
        (Some("||"), _) => {
            "`||` replaces the exit code of the command before it; leave it out".to_owned()
        }
        (Some(_), _) => {
            "a list has the exit code of its last command; join its commands with `&&`".to_owned()
        }
        (None, _) => "name a command that fails when a test fails".to_owned(),
    };
    // A tool that is missing is a failure without a place.
    let why = first_failure(run).map_or_else(
        || "a command in its pipe fails".to_owned(),
        |described| format!("its output shows failures: {described}"),
    );
    let reason = format!("`{check}` ends with exit code 0 although {why}; it cannot prove a fix");
    EndText::new(OutcomeKind::NotFixed, reason).with_hint(hint)
}

/// Returns the end of a run with a command that passes without a test.
fn nothing_ran(checks: &CheckLog, check: &str) -> EndText {
    let tests = checks.tests_before.as_ref();
    if !tests.is_some_and(TestResults::ran_nothing) {
        let reason =
            format!("`{check}` ends with exit code 0 after any failure, and prints nothing");
        let hint = "leave out the last command of the list, and let the command print what fails";
        return EndText::new(OutcomeKind::NotFixed, reason).with_hint(hint);
    }
    let totals = tests.and_then(|tests| tests.totals);
    let skipped = totals.map_or(0, |totals| totals.skipped);
    let skipped = if skipped > 0 { format!(" ({skipped} skipped)") } else { String::new() };
    let reason = format!("`{check}` ends with exit code 0, but no test ran{skipped}");
    EndText::new(OutcomeKind::NotFixed, reason).with_hint(HINT_FOR_TESTS)
}

/// Returns the end of a run that the provider or a budget stopped; the reason was recorded at
/// that moment.
fn stopped(costs: &Costs, kind: OutcomeKind) -> EndText {
    let (reason, hint) = costs.stop_reason.clone().unwrap_or_default();
    EndText { hint, ..EndText::new(kind, reason) }
}

/// Returns the reason of a run in which the command still fails: the number of tries, the state
/// of the tree, and a line for each of the first changes.
fn still_red(run: &Run<'_>, check: &str) -> String {
    let timed_out = run.checks.after.as_ref().is_some_and(|after| after.timed_out);
    let tree = describe_tree(run.inputs, &run.checks);
    let tries = count_tries(&run.attempts);
    let vanished = &run.changes.vanished;
    // The time limit is the better explanation, so it comes before contradictions.
    let how = match run.assessment.contradictions.first() {
        _ if timed_out => "does not end in time",
        _ if !vanished.is_empty() => {
            let names = quote_paths(vanished);
            return format!(
                "`{check}` ends with exit code 0 but has taken the change of {names} back itself; {tree}"
            );
        }
        None => "still fails",
        Some(first) => {
            return format!(
                "`{check}` ends with exit code 0 but does not prove the fix after {tries}: {first}; {tree}"
            );
        }
    };
    let mut reason = format!("`{check}` {how} after {tries}; {tree}");
    // The tools propose more than what is certain.
    let left_out = run.attempts.hints.lines().find(|_| run.inputs.has_only_tools());
    if let Some(hint) = left_out.filter(|hint| reason_of_hint(hint).is_some()) {
        let _ = write!(reason, "\n- not tried: {}", hint.trim_start_matches("- "));
    }
    for tried in run.attempts.tries.iter().filter(|tried| !tried.is_empty()).take(MAX_TRIED) {
        reason.push_str("\n- tried: ");
        reason.extend(tried.chars().take(MAX_TRIED_CHARS));
    }
    reason
}

/// Returns a sentence about the state of the tree. Files that the command itself created are
/// named; they are not removed.
fn describe_tree(inputs: &EngineInputs<'_>, checks: &CheckLog) -> String {
    let (tree, before) = (inputs.world.tree, &checks.root_names);
    let is_made = |name: &String| {
        // Only new regular files: caches and folders of tools are no results.
        let path = RepoPath::parse(name);
        let is_file = path.is_ok_and(|path| matches!(tree.entry(&path), Ok(Entry::File { .. })));
        is_file && !before.contains(name)
    };
    // Without a list from before the run, every file would look new.
    let now = if before.is_empty() { Vec::new() } else { tree.list(None).unwrap_or_default() };
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
fn hint_for_more(run: &Run<'_>) -> String {
    if !run.changes.vanished.is_empty() {
        "name a command that leaves the changed files alone".to_owned()
    } else if let Some(hint) = run.assessment.hint {
        hint.to_owned()
    } else if run.inputs.has_only_tools() {
        format!("a model may find the rest: {MODEL_SETTINGS}")
    } else {
        "the traces have each attempt; `--max-attempts` and `--second-model` allow more".to_owned()
    }
}

/// Returns `one try`, `3 tries` or, for none, a sentence about the tools.
fn count_tries(attempts: &Attempts) -> String {
    match attempts.tries.len() {
        0 => "all certain fixes of the tools".to_owned(),
        1 => "one try".to_owned(),
        count => format!("{count} tries"),
    }
}

/// Returns the reason of a fixed run, which names the evidence: what failed before, and what
/// passes now.
fn fixed_reason(check: &str, run: &Run<'_>) -> String {
    let checks = &run.checks;
    let reason = if let Some(record) = &checks.confirmed.flake {
        format!("`{check}` is flaky: {}", flake::describe(record))
    } else if checks.was_red() {
        let evidence = &run.assessment.evidence;
        format!("`{check}` failed before the change and passes after it: {evidence}")
    } else {
        format!("the goal's change is in place and `{check}` passes, as it did before")
    };
    let left_out = left_out::describe(&run.changes.left_out);
    if left_out.is_empty() { reason } else { format!("{reason}; {left_out}") }
}

/// Returns the first failure in the tool's own words with its place and the number of others,
/// such as `E0425: cannot find value (src/lib.rs:3) and 2 more`.
fn describe_failures(failure: &Failure, count: usize, root: &str) -> String {
    // Tools print the folder of the repository, which the reader knows.
    let first = failure.headline().replace(&format!("file://{root}"), "").replace(root, "");
    let place = failure.locations.first().map(|place| {
        let path = place.path.strip_prefix("file://").unwrap_or(&place.path);
        let path = path.strip_prefix(root).unwrap_or(path);
        place.line.map_or_else(|| format!(" ({path})"), |line| format!(" ({path}:{line})"))
    });
    let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
    format!("{first}{}{more}", place.unwrap_or_default())
}

/// Returns the end of a run in which no change was proposed.
fn no_changes(run: &Run<'_>) -> EndText {
    let only_tools = run.inputs.has_only_tools();
    let stated = run.attempts.last_summary.strip_prefix("NO_CHANGES:");
    let explanation = stated.unwrap_or(&run.attempts.last_summary).trim();
    // The goal is reached already, as far as the model and the command can say.
    if run.checks.is_green && !only_tools && stated.is_some() {
        let check = run.inputs.command_name();
        let reason =
            format!("`{check}` passes as it is, and no change was proposed: {explanation}");
        return EndText::new(OutcomeKind::NothingToFix, reason);
    }
    let report = &run.failure.report;
    let count = report.failures.len();
    let root = run.inputs.root_prefix();
    let described = report.failures.first().map(|failure| describe_failures(failure, count, &root));
    let mut hint = only_tools.then(|| hint_without_model(run));
    let reason = if run.failure.triage.class == FailureClass::Dependency {
        let answer = if only_tools { "" } else { explanation };
        let first = described.unwrap_or_default();
        let (reason, step) = triage_step::dependency(&run.failure.triage, &first, answer);
        hint = step.or(hint);
        reason
    } else if only_tools && fails_without_tests(run) {
        hint = Some(HINT_FOR_TESTS.to_owned());
        format!("`{}` fails because no test ran", run.inputs.command_name())
    } else if let Some(described) = described.filter(|_| only_tools) {
        let left_out = || run.attempts.hints.lines().next().and_then(reason_of_hint);
        let why = misplaced_fact(&run.failure.triage).or_else(left_out);
        let why = why.map_or_else(String::new, |why| format!("; {why}"));
        format!("no automatic fix for: {described}{why}")
    } else if let Some(line) = last_error_line(report).filter(|_| only_tools) {
        format!("no automatic fix, and no known form of error in the output: {line}")
    } else if only_tools && run.checks.was_red() && report.excerpt.trim().is_empty() {
        hint = Some("name a command that prints what fails with `--run`".to_owned());
        format!("`{}` fails and prints nothing", run.inputs.command_name())
    } else if explanation.is_empty() {
        "no change was proposed".to_owned()
    } else {
        format!("no change was proposed: {explanation}")
    };
    match time_limit_reached(&run.checks) {
        Some(limit) => EndText::new(OutcomeKind::NotFixed, format!("{limit}; {reason}"))
            .with_hint("`--verify-timeout SECONDS` gives the command more time"),
        None => EndText { hint, ..EndText::new(OutcomeKind::NotFixed, reason) },
    }
}

/// Returns the next step of a run that only tools worked on: that of the failure, and a model.
fn hint_without_model(run: &Run<'_>) -> String {
    let triage = &run.failure.triage;
    let step = triage.next_step.as_deref().filter(|_| triage.class == FailureClass::Code);
    // A model has nothing to change without a file at fault.
    let has_place = run.failure.report.failures.iter().any(|it| !it.locations.is_empty());
    if let Some(step) = step.filter(|_| !has_place || misplaced_fact(triage).is_some()) {
        return step.to_owned();
    }
    let step = step.map_or_else(String::new, |step| format!("{step}; or "));
    format!("{step}configure a model for what the tools cannot fix themselves: {MODEL_SETTINGS}")
}

/// Returns `true` if the command failed because its runner found no test, and names no place of an error.
fn fails_without_tests(run: &Run<'_>) -> bool {
    let ran_nothing = run.checks.tests_before.as_ref().is_some_and(TestResults::ran_nothing);
    let has_place = |failure: &Failure| !failure.locations.is_empty();
    ran_nothing && run.checks.was_red() && !run.failure.report.failures.iter().any(has_place)
}

/// Returns the reason that a hint has at its end: `unused import (left out: two fixes overlap)`
/// → `two fixes overlap`.
fn reason_of_hint(hint: &str) -> Option<&str> {
    hint.split_once("(left out: ")?.1.strip_suffix(')')
}

/// Returns the last line of the output that contains a word for an error, else its last line;
/// `None` if there is no output.
fn last_error_line(report: &FailureReport) -> Option<&str> {
    let lines = || report.excerpt.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["error", "fail", "fatal", "cannot"].iter().any(|word| line.contains(word))
    };
    lines().rfind(is_error).or_else(|| lines().next_back())
}

/// Returns a sentence if the time limit ended the command before any change.
fn time_limit_reached(checks: &CheckLog) -> Option<String> {
    let before = checks.before.as_ref().filter(|before| before.timed_out)?;
    Some(format!("`{}` did not end within {} s", before.command, before.ms / 1000))
}
