//! The summary as one page that needs nothing from elsewhere; results are linked, not copied.

use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};
use serde::Serialize;

use super::sum::{Summary, Totals};
use crate::batch::limits::Down;
use crate::batch::row::Row;

/// About as much as the page says of a task: a text that grows is there twice while it is moved.
const BYTES_OF_A_ROW: usize = 256;

/// What the page shows of a task.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    /// Where its results lie, as seen from the page.
    results: Option<String>,
    outcome: &'static str,
    good: bool,
    reason: &'a str,
    files: usize,
    tokens: u64,
    seconds: String,
    pull_request: Option<&'a str>,
}

/// Everything that the template names; the rows are HTML already.
#[derive(Serialize)]
struct Page<'a> {
    line: String,
    good: bool,
    started_at: &'a str,
    ended_at: &'a str,
    spent: Totals,
    left_alone: &'a [Down],
    rows: Value,
}

/// Returns the page, what went wrong first, with links to where `results` says that a task's results lie; an error of the template is the page's only text, since the
/// template is our own.
pub fn html(summary: &Summary, results: &dyn Fn(&Row) -> Option<String>) -> String {
    rendered(summary, results).unwrap_or_else(|error| error.to_string())
}

/// Row after row: what a template is given it turns into values of its own, which are large.
fn rendered(
    summary: &Summary,
    results: &dyn Fn(&Row) -> Option<String>,
) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.add_template("row.html", include_str!("batch_row.html"))?;
    environment.add_template("page.html", include_str!("batch.html"))?;
    let template = environment.get_template("row.html")?;
    let (bad, good): (Vec<&Row>, Vec<&Row>) = summary.tasks.iter().partition(|row| !row.is_good());
    let mut rows = String::with_capacity(summary.tasks.len() * BYTES_OF_A_ROW);
    for row in bad.into_iter().chain(good) {
        let task = line(row, results(row));
        rows += &template.render(context! { task => Serde(task) })?;
        rows.push('\n');
    }
    let page = Page {
        line: summary.line(),
        good: summary.exit_code == 0,
        started_at: &summary.started_at,
        ended_at: &summary.ended_at,
        spent: summary.spent,
        left_alone: &summary.left_alone,
        rows: Value::from_safe_string(rows),
    };
    environment.get_template("page.html")?.render(Serde(&page))
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
        // A link is only made of what is one.
        pull_request: row.pr_url.as_deref().filter(|url| url.starts_with("https://")),
    }
}
