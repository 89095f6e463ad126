//! The summary as one HTML page without external parts; results are linked, not copied.

use std::io;

use minijinja::value::Serde;
use minijinja::{Environment, context};
use serde::Serialize;

use super::sum::Summary;
use crate::batch::row::Row;
use crate::text::MASK;

/// A task as the page shows it.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    /// The folder of its results, relative to the page.
    results: Option<String>,
    outcome: &'static str,
    good: bool,
    reason: &'a str,
    files: usize,
    tokens: u64,
    seconds: String,
    pull_request: Option<&'a str>,
}

/// Returns the page, red repositories first; `results` returns the folder of a task's results, for links.
///
/// # Errors
///
/// When the template cannot be rendered.
pub fn html(summary: &Summary, results: &dyn Fn(&Row) -> Option<String>) -> io::Result<String> {
    let mut lines = Vec::new();
    for row in summary.worst_first() {
        // A masked path is not the path of the folder.
        lines.push(line(row, results(row).filter(|path| !path.contains(MASK))));
    }
    let page = context! {
        line => summary.line(),
        good => summary.exit_code == 0,
        started_at => &summary.started_at,
        ended_at => &summary.ended_at,
        spent => Serde(summary.spent),
        left_alone => Serde(&summary.left_alone),
        tasks => Serde(lines),
    };
    let mut environment = Environment::new();
    let added = environment.add_template("batch.html", include_str!("batch.html"));
    let rendered = added.and_then(|()| environment.get_template("batch.html")?.render(page));
    rendered.map(|text| text + "\n").map_err(io::Error::other)
}

fn line(row: &Row, results: Option<String>) -> Line<'_> {
    Line {
        name: &row.name,
        results,
        outcome: row.outcome.name(),
        good: row.is_good(),
        reason: &row.reason,
        files: row.changed_files,
        tokens: row.tokens.total(),
        seconds: format!("{}.{:01}", row.ms / 1000, row.ms % 1000 / 100),
        // The text comes from a forge; other schemes, such as `javascript:`, are not linked.
        pull_request: row.pr_url.as_deref().filter(|url| url.starts_with("https://")),
    }
}
