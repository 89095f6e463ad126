//! The report as one page that needs nothing from elsewhere: no script, no font, no picture.

use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;

use super::facts::{Fact, WEEK_HEADS, breakdowns, facts, verdict, week_cells};
use crate::domain::OutcomeKind;
use crate::report::diff::{self, FileDiff};
use crate::report::{Criterion, Report, Run};

/// Runs shown, the newest first.
const MOST_RUNS: usize = 200;
/// Runs shown with their diff.
const MOST_DIFFS: usize = 50;

/// A run as the page shows it.
#[derive(Serialize)]
struct Row {
    id: String,
    outcome: &'static str,
    good: bool,
    reason: String,
    class: String,
    tokens: u64,
    cost: String,
    seconds: String,
    pull_request: Option<String>,
    files: Vec<FileDiff>,
}

/// A bar of a chart.
#[derive(Serialize)]
struct Bar {
    name: String,
    count: u64,
    percent: u64,
}

/// Everything that the template names.
#[derive(Serialize)]
struct Page<'a> {
    facts: Vec<Fact>,
    breakdowns: Vec<(&'static str, Vec<Bar>)>,
    week_heads: [&'static str; 6],
    weeks: Vec<[String; 6]>,
    trend: Vec<Bar>,
    verdict: &'static str,
    holds: bool,
    criteria: &'a [Criterion],
    runs: Vec<Row>,
    more: usize,
}

/// Returns the page; an error of the template is the page's only text, since the template is our own.
pub fn html(report: &Report) -> String {
    let page = Page {
        facts: facts(report),
        breakdowns: breakdowns(report).into_iter().map(bars).collect(),
        week_heads: WEEK_HEADS,
        weeks: report.weeks.iter().map(week_cells).collect(),
        trend: trend(report),
        verdict: verdict(report),
        holds: report.graduation.holds,
        criteria: &report.graduation.criteria,
        runs: rows(&report.runs),
        more: report.runs.len().saturating_sub(MOST_RUNS),
    };
    let mut environment = Environment::new();
    let text = environment
        .add_template("page.html", include_str!("page.html"))
        .and_then(|()| environment.get_template("page.html")?.render(Serde(&page)));
    text.unwrap_or_else(|error| error.to_string())
}

fn rows(runs: &[Run]) -> Vec<Row> {
    runs.iter().rev().take(MOST_RUNS).enumerate().map(|(index, run)| row(index, run)).collect()
}

fn row(index: usize, run: &Run) -> Row {
    let outcome = &run.outcome;
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of one run")]
    let seconds = outcome.timings_ms.total as f64 / 1000.0;
    Row {
        id: outcome.run_id.to_string(),
        outcome: outcome.outcome.name(),
        good: matches!(outcome.outcome, OutcomeKind::Fixed | OutcomeKind::NothingToFix),
        reason: outcome.reason.clone(),
        class: outcome.failure_class.clone().unwrap_or_else(|| "-".to_owned()),
        tokens: outcome.tokens.total(),
        cost: outcome.cost_usd.map_or_else(|| "-".to_owned(), |cost| format!("{cost:.4}")),
        seconds: format!("{seconds:.1}"),
        // A link is only made of what is one.
        pull_request: outcome.pr_url.clone().filter(|url| url.starts_with("https://")),
        files: if index < MOST_DIFFS { diff::read(&run.patch) } else { Vec::new() },
    }
}

fn bars((title, counts): (&'static str, Vec<(String, u64)>)) -> (&'static str, Vec<Bar>) {
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
    let bar = |(name, count): (String, u64)| Bar { name, count, percent: count * 100 / most };
    (title, counts.into_iter().map(bar).collect())
}

/// Applies a week as bars.
fn trend(report: &Report) -> Vec<Bar> {
    let weeks = report.weeks.iter().map(|week| (week.week.clone(), week.apply_count));
    bars(("", weeks.collect())).1
}
