//! The report as one HTML page that loads nothing: no script, no font, no picture.

use super::facts::{WEEK_HEADS, breakdowns, facts, verdict, week_cells};
use crate::domain::OutcomeKind;
use crate::report::diff::{self, FileDiff, LineKind};
use crate::report::{Report, Run};
use crate::text::Html;

/// Runs shown, the newest first.
const MOST_RUNS: usize = 200;
/// Runs shown with their diff.
const MOST_DIFFS: usize = 50;

/// The page's head and style, and the place of its body.
const PAGE: &str = include_str!("page.html");

/// Returns the page as UTF-8 HTML.
pub fn html(report: &Report) -> String {
    let mut body = Html::default();
    write_facts(&mut body, report);
    write_graduation(&mut body, report);
    write_weeks(&mut body, report);
    write_breakdowns(&mut body, report);
    write_runs(&mut body, &report.runs);
    PAGE.replacen("{{ body }}", &body.into_string(), 1)
}

fn write_facts(body: &mut Html, report: &Report) {
    body.markup("<dl class=\"grid\">");
    for (name, value) in facts(report) {
        body.markup("<div><dt>").text(name).markup("</dt><dd>").text(value).markup("</dd></div>");
    }
    body.markup("</dl>\n");
}

fn write_graduation(body: &mut Html, report: &Report) {
    let class = if report.graduation.holds { "good" } else { "bad" };
    body.markup("\n<h2>Graduation</h2>\n<p class=\"").markup(class).markup("\">");
    body.text(verdict(report)).markup("</p>\n<div class=\"scroll\"><table>");
    body.markup("<tr><th>rule</th><th>found</th><th>holds</th></tr>\n");
    for criterion in &report.graduation.criteria {
        let holds = if criterion.holds { "yes" } else { "no" };
        body.markup("<tr>").cell(criterion.rule).cell(&criterion.found);
        body.markup("<td class=\"").markup(holds).markup("\">").markup(holds);
        body.markup("</td></tr>\n");
    }
    body.markup("</table></div>\n");
}

fn write_weeks(body: &mut Html, report: &Report) {
    if report.weeks.is_empty() {
        return;
    }
    let applies: Vec<(String, u64)> =
        report.weeks.iter().map(|week| (week.week.clone(), week.apply_count)).collect();
    body.markup("\n<h2>Week over week</h2>\n<div class=\"cards\"><div>");
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

fn write_breakdowns(body: &mut Html, report: &Report) {
    body.markup("\n<div class=\"cards\">");
    for (title, counts) in breakdowns(report) {
        body.markup("<section><h2>").text(title).markup("</h2>\n");
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

fn write_runs(body: &mut Html, runs: &[Run]) {
    if runs.is_empty() {
        return;
    }
    body.markup("\n<h2>Runs</h2>\n");
    for (index, run) in runs.iter().rev().take(MOST_RUNS).enumerate() {
        let files = if index < MOST_DIFFS { diff::read(&run.patch) } else { Vec::new() };
        write_run(body, run, &files);
    }
    let more = runs.len().saturating_sub(MOST_RUNS);
    if more > 0 {
        body.markup("<p class=\"meta\">and ").text(more.to_string()).markup(" earlier runs</p>");
    }
}

fn write_run(body: &mut Html, run: &Run, files: &[FileDiff]) {
    let outcome = &run.outcome;
    let good = matches!(outcome.outcome, OutcomeKind::Fixed | OutcomeKind::NothingToFix);
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of one run")]
    let seconds = outcome.timings_ms.total as f64 / 1000.0;
    let cost = outcome.cost_usd.map_or_else(|| "-".to_owned(), |cost| format!("{cost:.4}"));
    body.markup("<details class=\"run\"><summary><span class=\"");
    body.markup(if good { "good" } else { "bad" }).markup("\">").text(outcome.outcome.name());
    body.markup("</span> ").text(&outcome.reason).markup("\n<span class=\"meta\">");
    body.text(outcome.failure_class.as_deref().unwrap_or("-"));
    let spent = format!(" · {} tokens · {cost} USD · {seconds:.1} s", outcome.tokens.total());
    body.text(spent).markup("</span></summary>\n<p class=\"meta\">").text(outcome.run_id.as_str());
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
