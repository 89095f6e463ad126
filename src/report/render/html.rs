//! The report as one HTML page that loads nothing: no script, no font, no picture.

use super::facts::{
    WEEK_HEADS, breakdowns, describe_runs, describe_work, facts, run_cost, run_time, verdict,
    week_cells,
};
use crate::report::diff::{self, FileDiff, LineKind};
use crate::report::{Report, ReportProposal};
use papayu_base::domain::{Outcome, OutcomeKind};
use papayu_base::text::{Html, mask};

/// Runs shown, the newest first.
const MOST_RUNS: usize = 200;
/// Runs shown with their diff.
const MOST_DIFFS: usize = 50;

/// The page's head and style, and the place of its body.
const PAGE: &str = include_str!("page.html");

/// Returns the page as UTF-8 HTML.
pub fn html(report: &Report) -> String {
    let mut body = Html::default();
    write_runs(&mut body, report);
    body.markup("\n<h2>Protocol statistics</h2>\n");
    write_facts(&mut body, report);
    write_graduation(&mut body, report);
    write_weeks(&mut body, report);
    write_breakdowns(&mut body, report);
    PAGE.replacen("{{ body }}", &body.into_string(), 1)
}

/// Writes the numbers at the top of the page.
fn write_facts(body: &mut Html, report: &Report) {
    body.markup("<dl class=\"grid\">");
    for (name, value) in facts(report) {
        body.markup("<div><dt>").text(name).markup("</dt><dd>").text(value).markup("</dd></div>");
    }
    body.markup("</dl>\n");
}

/// Writes the verdict of the graduation check and its criteria.
fn write_graduation(body: &mut Html, report: &Report) {
    let class = if report.graduation.holds { "good" } else { "bad" };
    body.markup("\n<h3>Graduation</h3>\n<p class=\"").markup(class).markup("\">");
    body.text(verdict(report)).markup("</p>\n<div class=\"scroll\"><table>");
    body.markup("<tr><th>rule</th><th>found</th><th>met</th></tr>\n");
    for criterion in &report.graduation.criteria {
        let holds = if criterion.holds { "yes" } else { "no" };
        body.markup("<tr>").cell(criterion.rule).cell(&criterion.found);
        body.markup("<td class=\"").markup(holds).markup("\">").markup(holds);
        body.markup("</td></tr>\n");
    }
    body.markup("</table></div>\n");
    if report.proposals.is_empty() {
        return;
    }
    body.markup("<h3>Proposals</h3>\n<div class=\"scroll\"><table>");
    body.markup("<tr><th>reason</th><th>change</th></tr>\n");
    for ReportProposal { reason, change } in &report.proposals {
        body.markup("<tr>").cell(reason).cell(change).markup("</tr>\n");
    }
    body.markup("</table></div>\n");
}

/// Writes the numbers of each week as bars and as a table.
fn write_weeks(body: &mut Html, report: &Report) {
    if report.weeks.is_empty() {
        return;
    }
    let applies: Vec<(String, u64)> =
        report.weeks.iter().map(|week| (week.week.clone(), week.apply_count)).collect();
    body.markup("\n<h3>Week over week</h3>\n<div class=\"cards\"><div>");
    write_bars(body, &applies);
    body.markup("</div></div>\n<div class=\"scroll\"><table><tr>");
    for head in WEEK_HEADS {
        body.markup("<th>").text(head).markup("</th>");
    }
    body.markup("</tr>\n");
    for week in &report.weeks {
        body.markup("<tr>");
        for cell in week_cells(week) {
            body.cell(cell);
        }
        body.markup("</tr>\n");
    }
    body.markup("</table></div>\n");
}

/// Writes the counts by code, stage, kind and rung, a card for each.
fn write_breakdowns(body: &mut Html, report: &Report) {
    body.markup("\n<div class=\"cards\">");
    for (title, counts) in breakdowns(report) {
        body.markup("<section><h3>").text(title).markup("</h3>\n");
        write_bars(body, &counts);
        body.markup("</section>");
    }
    body.markup("</div>\n");
}

/// Writes one bar a count, the largest at full width.
fn write_bars(body: &mut Html, counts: &[(String, u64)]) {
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
    for (name, count) in counts {
        let percent = (count * 100 / most).to_string();
        body.markup("<div class=\"bar\"><span>").text(name);
        body.markup("</span><i style=\"width: ").text(percent).markup("%\"></i><b>");
        body.text(count.to_string()).markup("</b></div>\n");
    }
}

/// Writes the newest runs, the first of them with their changes: the page stays of bounded size.
fn write_runs(body: &mut Html, report: &Report) {
    let runs = &report.runs;
    body.markup("<h2>Runs</h2>\n");
    if runs.is_empty() {
        body.markup("<p class=\"meta\">no runs yet</p>\n");
        return;
    }
    body.markup("<p>").text(describe_runs(report)).markup("</p>\n");
    for (index, run) in runs.iter().rev().take(MOST_RUNS).enumerate() {
        let files = if index < MOST_DIFFS { diff::read(&mask(&run.patch)) } else { Vec::new() };
        let is_open = index == 0 && !files.is_empty();
        write_run(body, &run.outcome, &files, is_open);
    }
    let more = runs.len().saturating_sub(MOST_RUNS);
    if more > 0 {
        body.markup("<p class=\"meta\">and ").text(more.to_string()).markup(" earlier runs</p>");
    }
}

/// Writes a run: how it ended, what and where, at what cost; its details and its change open on a click.
fn write_run(body: &mut Html, outcome: &Outcome, files: &[FileDiff], is_open: bool) {
    body.markup("<details class=\"run\"").markup(if is_open { " open" } else { "" });
    body.markup("><summary><span class=\"").markup(class_of(outcome));
    body.markup("\">").text(outcome.outcome.words()).markup("</span> ");
    body.text(describe_work(outcome)).markup("\n<span class=\"meta\">");
    let day = outcome.started_at.get(..16).unwrap_or_default().replacen('T', " ", 1);
    let cost = Some(run_cost(outcome)).filter(|cost| cost != "-");
    body.text(
        [Some(day), cost, Some(run_time(outcome))]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" · "),
    );
    body.markup("</span></summary>\n<p>").text(&outcome.reason).markup("</p>\n");
    if let Some(hint) = &outcome.hint {
        body.markup("<p>Next: ").text(hint).markup("</p>\n");
    }
    body.markup("<p class=\"meta\">run ").text(outcome.run_id.as_str());
    if let Some(class) = outcome.failure_class.as_deref() {
        body.markup(" · cause: ").text(class.replace('_', " "));
    }
    // Any other scheme, `javascript:` above all, would run in the reader's browser.
    if let Some(url) = outcome.pr_url.as_ref().filter(|url| url.starts_with("https://")) {
        body.markup(" · <a href=\"").text(url).markup("\" rel=\"noreferrer\">pull request</a>");
    }
    body.markup("</p>\n");
    if files.is_empty() {
        body.markup("<p class=\"meta\">no change was kept</p>\n");
    }
    for file in files {
        write_diff(body, file);
    }
    body.markup("</details>\n");
}

/// Returns the class of CSS that colours an outcome.
fn class_of(outcome: &Outcome) -> &'static str {
    match outcome.outcome {
        OutcomeKind::Fixed | OutcomeKind::NothingToFix => "mark good",
        OutcomeKind::Planned => "mark",
        _ => "mark bad",
    }
}

/// Writes the changed lines of a file, coloured by syntax and by change.
fn write_diff(body: &mut Html, file: &FileDiff) {
    body.markup("<div class=\"file\"><h3>").text(&file.path).markup("</h3><div class=\"code\">");
    for line in &file.lines {
        body.markup(match line.kind {
            LineKind::Head => "<div class=\"head\">",
            LineKind::Context => "<div class=\"context\"> ",
            LineKind::Deleted => "<div class=\"deleted\">-",
            LineKind::Added => "<div class=\"added\">+",
        });
        for span in &line.spans {
            body.markup(if span.changed { "<mark>" } else { "" });
            if span.ink == "plain" {
                body.text(&span.text);
            } else {
                body.markup("<span class=\"").markup(span.ink).markup("\">");
                body.text(&span.text).markup("</span>");
            }
            body.markup(if span.changed { "</mark>" } else { "" });
        }
        body.markup("</div>");
    }
    body.markup("</div></div>\n");
}
