//! Earlier runs as text: a table of them, and one of them in full.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::terminal;
use super::wording::{count_noun, format_age, format_cost, format_duration};
use papayu_base::domain::outcome::{CheckRecord, ReviewFlag};
use papayu_base::domain::{Judgement, Outcome, OutcomeKind, ReplyActivity, ReportedFinding};

/// Shortest form of a run id.
const SHORT_ID: usize = 8;

/// Narrowest column of reasons.
const MIN_REASON: usize = 16;

/// Failures of a run that are listed.
const MAX_FAILURES: usize = 10;

/// Returns the runs as a table, fitted to `width` columns if there is a width. `now` is the time that ages are
/// counted to, in RFC 3339.
pub(super) fn list_runs(runs: &[Outcome], now: &str, width: Option<usize>) -> String {
    if runs.is_empty() {
        return "no runs yet\n".to_owned();
    }
    let length = short_id_length(runs);
    let mut rows = vec![["RUN", "WHEN", "RESULT", "COST", "REASON"].map(str::to_owned)];
    for outcome in runs {
        rows.push([
            outcome.run_id.as_str().chars().take(length).collect(),
            format_age(&outcome.started_at, now),
            outcome.outcome.words().to_owned(),
            format_cost(outcome),
            outcome.reason.lines().next().unwrap_or_default().to_owned(),
        ]);
    }
    let columns = [0, 1, 2, 3].map(|column| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| textwrap::core::display_width(cell)).max().unwrap_or(0)
    });
    let used: usize = columns.iter().map(|width| width + 2).sum();
    let mut text = String::new();
    for (index, [run, when, result, cost, reason]) in rows.iter().enumerate() {
        let [run_width, when_width, result_width, cost_width] = columns;
        let style = match index.checked_sub(1).and_then(|index| runs.get(index)) {
            Some(outcome) => result_style(outcome.outcome),
            None => Style::new().dimmed(),
        };
        let padding = " ".repeat(result_width.saturating_sub(result.chars().count()));
        let head = format!(
            "{run:run_width$}  {when:when_width$}  {style}{result}{style:#}{padding}  {cost:>cost_width$}"
        );
        let reason = match width {
            None => format!("  {reason}"),
            Some(width) if width >= used + MIN_REASON => {
                format!("  {}", terminal::shorten(reason, width - used))
            }
            // Too narrow for a column of reasons: `runs show` has them.
            Some(_) => String::new(),
        };
        let _ = writeln!(text, "{}", format!("{head}{reason}").trim_end());
    }
    text
}

/// Returns the shortest length at which no two ids are equal.
fn short_id_length(runs: &[Outcome]) -> usize {
    let mut ids: Vec<&str> = runs.iter().map(|run| run.run_id.as_str()).collect();
    ids.sort_unstable();
    let common = |pair: &[&str]| match pair {
        [one, other] => one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    ids.windows(2).map(|pair| common(pair) + 1).max().unwrap_or(0).max(SHORT_ID)
}

/// Returns the style of a result: green for a success, cyan for a plan, red for anything else.
fn result_style(kind: OutcomeKind) -> Style {
    let color = match kind {
        OutcomeKind::Fixed | OutcomeKind::NothingToFix => AnsiColor::Green,
        OutcomeKind::Planned => AnsiColor::Cyan,
        _ => AnsiColor::Red,
    };
    Style::new().fg_color(Some(color.into()))
}

/// Returns a run in full, a line for each fact that there is.
pub(super) fn show_run(outcome: &Outcome, now: &str, width: Option<usize>) -> String {
    let style = result_style(outcome.outcome).bold();
    let mut text = format!("{style}{}{style:#}: ", outcome.outcome.words());
    text.push_str(&terminal::wrap(&outcome.reason, width, "  "));
    text.push_str("\n\n");
    let age = format_age(&outcome.started_at, now);
    let is_old = age == outcome.started_at;
    let started = if is_old { age } else { format!("{}, {age}", outcome.started_at) };
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            let line = format!("{name:11}{value}");
            let _ = writeln!(text, "{}", terminal::wrap(&line, width, "           "));
        }
    };
    row("run", outcome.run_id.as_str());
    row("started", &started);
    row("next step", outcome.hint.as_deref().unwrap_or_default());
    row("error", outcome.error_code.as_deref().unwrap_or_default());
    row("cause", &outcome.failure_class.as_deref().unwrap_or_default().replace('_', " "));
    if let Some(evidence) = outcome.failure_evidence.first() {
        row("", &evidence.line);
    }
    row("before", &outcome.verify.before.as_ref().map(describe_check).unwrap_or_default());
    let failures = outcome.verify.before.iter().flat_map(|check| &check.failures);
    for failure in failures.take(MAX_FAILURES) {
        row("", failure);
    }
    for finding in outcome.findings.iter().take(MAX_FAILURES) {
        row("finding", &describe_finding(finding));
    }
    row("after", &outcome.verify.after.as_ref().map(describe_check).unwrap_or_default());
    row("changed", &outcome.changed_files.join(", "));
    row("proof", &outcome.proof.map(|proof| proof.name().replace('_', " ")).unwrap_or_default());
    for (name, text) in list_places(outcome) {
        row(name, &text);
    }
    row("judge", &outcome.judge.as_ref().map(Judgement::sentence).unwrap_or_default());
    let model = match (outcome.provider.as_deref(), outcome.model.as_deref()) {
        (Some("suggestions"), _) => "none; the tools' own fixes".to_owned(),
        (Some(provider), Some(model)) => format!("{model} ({provider})"),
        _ => String::new(),
    };
    row("model", &model);
    row("activity", &describe_activity(outcome.activity));
    row("cost", &cost_line(outcome));
    row("time", &format_duration(outcome.timings_ms.total));
    row("branch", outcome.branch.as_deref().unwrap_or_default());
    row("pull", outcome.pr_url.as_deref().unwrap_or_default());
    row("patch", outcome.patch_path.as_deref().unwrap_or_default());
    for (name, path) in list_files(outcome) {
        row(name, path.as_deref().unwrap_or_default());
    }
    for trace in &outcome.trace_paths {
        row("trace", trace);
    }
    for notice in &outcome.notices {
        row("note", notice);
    }
    text
}

/// Returns the patches and other files of a run.
fn list_files(outcome: &Outcome) -> [(&'static str, &Option<String>); 4] {
    [
        ("partial", &outcome.partial_patch_path),
        ("refused", &outcome.refused_patch_path),
        ("plan", &outcome.plan_path),
        ("bundle", &outcome.bundle_path),
    ]
}

/// Returns the places that a person should read, flags first.
fn list_places(outcome: &Outcome) -> Vec<(&'static str, String)> {
    let describe = |it: &ReviewFlag| format!("{}:{}: {}", it.path, it.line, it.reason);
    let flags = outcome.review_flags.iter().map(|it| ("review", describe(it)));
    flags.chain(outcome.review_notes.iter().map(|it| ("look at", describe(it)))).collect()
}

/// Returns a finding in one line: place, rule, message.
fn describe_finding(finding: &ReportedFinding) -> String {
    let ReportedFinding { code, message, path, line, .. } = finding;
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    let place = path.as_ref().map(|path| format!("{path}{line}"));
    let first = message.lines().next().unwrap_or_default();
    let parts = [place.as_deref(), Some(code.as_str()), Some(first)];
    let parts: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    parts.join(": ")
}

/// Returns the numbers of answered requests and of edits that are not 0; empty if there were none.
pub(super) fn describe_activity(activity: ReplyActivity) -> String {
    let ReplyActivity { requests_answered, edits_applied, edits_refused } = activity;
    let parts = [
        (requests_answered, "request", "answered"),
        (edits_applied, "edit", "applied"),
        (edits_refused, "edit", "refused"),
    ];
    let parts = parts.into_iter().filter(|(number, ..)| *number > 0);
    let parts: Vec<String> = parts
        .map(|(number, noun, verb)| {
            format!("{} {verb}", count_noun(usize::try_from(number).unwrap_or(usize::MAX), noun))
        })
        .collect();
    parts.join(", ")
}

/// Returns the cost in US dollars, where it is known, with tokens and requests.
fn cost_line(outcome: &Outcome) -> String {
    let requests = usize::try_from(outcome.requests).unwrap_or(usize::MAX);
    let requests = count_noun(requests, "request");
    match outcome.cost_usd {
        Some(_) => {
            format!("{}, {} tokens, {requests}", format_cost(outcome), outcome.tokens.total())
        }
        None => format!("{} tokens, {requests}", outcome.tokens.total()),
    }
}

/// Returns a run of the command in one line: its end, its tests and its time.
pub(super) fn describe_check(check: &CheckRecord) -> String {
    let end = match check.exit_code {
        _ if check.timed_out => "reached its time limit".to_owned(),
        Some(code) => format!("exit code {code}"),
        None => "ended by a signal".to_owned(),
    };
    let tests = check.tests.map(|tests| {
        format!(", {} passed, {} failed, {} skipped", tests.passed, tests.failed, tests.skipped)
    });
    format!(
        "`{}`: {end}{} in {}",
        check.command,
        tests.unwrap_or_default(),
        format_duration(check.ms)
    )
}
