//! The summary as one HTML page without external parts; results are linked, not copied.

use super::sum::BatchSummary;
use crate::batch::row::TaskRow;
use papayu_base::domain::OutcomeKind;
use papayu_base::text::{Html, MASK};

/// The page's head and style, and the place of its body.
const PAGE: &str = include_str!("batch.html");

/// Returns the page, red repositories first; `results` returns the folder of a task's results, for links.
pub fn html(summary: &BatchSummary, results: &dyn Fn(&TaskRow) -> Option<String>) -> String {
    let mut body = Html::default();
    write_overview(&mut body, summary);
    for row in summary.worst_first() {
        // A masked path is not the path of the folder.
        let folder = results(row).filter(|path| !path.contains(MASK));
        write_row(&mut body, row, folder.as_deref());
    }
    body.markup("</table></div>\n");
    PAGE.replacen("{{ body }}", &body.into_string(), 1)
}

/// Writes everything above the table's first row.
fn write_overview(body: &mut Html, summary: &BatchSummary) {
    let spent = &summary.spent;
    body.markup("<p class=\"").markup(if summary.exit_code == 0 { "good" } else { "bad" });
    body.markup("\">").text(summary.line()).markup("</p>\n<p class=\"meta\">");
    body.text(&summary.started_at).markup(" to ").text(&summary.ended_at);
    let totals = format!(
        " · {} tokens · {} requests · ${:.2}",
        spent.tokens, spent.requests, spent.cost_usd
    );
    body.text(totals).markup("</p>\n");
    for down in &summary.left_alone {
        let line = format!(
            "{} did not answer ({}) and was left alone: {} requests were not sent to it.",
            down.host, down.reason, down.not_sent
        );
        body.markup("<p class=\"bad\">").text(line).markup("</p>\n");
    }
    for recipe in &summary.recipes {
        body.markup("<p class=\"meta\">").text(recipe.line()).markup("</p>\n");
    }
    write_filters(body, summary);
    body.markup("<div class=\"scroll\"><table><tr><th>task</th><th>outcome</th><th>why</th>");
    body.markup("<th>files</th><th>tokens</th><th>seconds</th><th></th></tr>\n");
}

/// Writes the buttons that show all tasks, or those with one result; the style sheet hides the others, so that
/// the page needs no script.
fn write_filters(body: &mut Html, summary: &BatchSummary) {
    let rows = || summary.worst_first();
    body.markup("<p class=\"filters\">");
    for (group, checked) in GROUPS.iter().zip([" checked", "", "", ""]) {
        let count = rows().filter(|row| group.contains(row)).count();
        body.markup("<input type=\"radio\" name=\"show\" id=\"").markup(group.id).markup("\"");
        body.markup(checked).markup("><label for=\"").markup(group.id).markup("\">");
        body.markup(group.label).markup(" ").text(count.to_string()).markup("</label> ");
    }
    body.markup("</p>\n");
}

/// Tasks that can be shown alone.
struct TaskGroup {
    /// The id of its button, which the style sheet names.
    id: &'static str,
    label: &'static str,
    /// The class of its rows; none for all.
    class: Option<&'static str>,
}

const GROUPS: [TaskGroup; 4] = [
    TaskGroup { id: "show-all", label: "all", class: None },
    TaskGroup { id: "show-fixed", label: "fixed", class: Some("fixed") },
    TaskGroup { id: "show-same", label: "nothing to fix", class: Some("same") },
    TaskGroup { id: "show-failed", label: "not fixed", class: Some("failed") },
];

impl TaskGroup {
    fn contains(&self, row: &TaskRow) -> bool {
        self.class.is_none_or(|class| class == class_of(row))
    }
}

/// Returns the class of a row of the table.
fn class_of(row: &TaskRow) -> &'static str {
    match row.outcome {
        OutcomeKind::Fixed => "fixed",
        OutcomeKind::NothingToFix => "same",
        _ => "failed",
    }
}

/// Writes the row of a task; `folder` has its results and is relative to the page.
fn write_row(body: &mut Html, row: &TaskRow, folder: Option<&str>) {
    body.markup("<tr class=\"").markup(class_of(row)).markup("\">").cell(&row.name);
    body.markup("<td class=\"");
    body.markup(if row.is_good() { "good" } else { "bad" }).markup("\">");
    body.text(row.outcome.words()).markup("</td>").cell(&row.reason);
    body.cell(row.changed_files.to_string()).cell(row.tokens.total().to_string());
    body.cell(format!("{}.{:01}", row.ms / 1000, row.ms % 1000 / 100)).markup("<td>");
    if let Some(folder) = folder {
        body.markup("<a href=\"").text(folder).markup("/outcome.json\">results</a>");
        if row.changed_files > 0 {
            body.markup(" <a href=\"").text(folder).markup("/papayu.patch\">patch</a>");
        }
    }
    // The text comes from a forge; other schemes, such as `javascript:`, are not linked.
    if let Some(url) = row.pr_url.as_ref().filter(|url| url.starts_with("https://")) {
        body.markup(" <a href=\"").text(url).markup("\" rel=\"noreferrer\">pull request</a>");
    }
    body.markup("</td></tr>\n");
}
