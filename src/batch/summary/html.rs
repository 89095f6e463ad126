//! The summary as one page that needs nothing from elsewhere; results are linked, not copied.

use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;

use super::sum::Summary;
use crate::batch::row::Row;

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

/// Everything that the template names.
#[derive(Serialize)]
struct Page<'a> {
    line: String,
    good: bool,
    summary: &'a Summary,
    tasks: Vec<Line<'a>>,
}

/// Returns the page, what went wrong first, with links to where `results` says that a task's results lie; an error of the template is the page's only text, since the
/// template is our own.
pub fn html(summary: &Summary, results: &dyn Fn(&Row) -> Option<String>) -> String {
    let (bad, good): (Vec<&Row>, Vec<&Row>) = summary.tasks.iter().partition(|row| !row.is_good());
    let page = Page {
        line: summary.line(),
        good: summary.exit_code == 0,
        summary,
        tasks: bad.into_iter().chain(good).map(|row| line(row, results(row))).collect(),
    };
    let mut environment = Environment::new();
    let text = environment
        .add_template("batch.html", include_str!("batch.html"))
        .and_then(|()| environment.get_template("batch.html")?.render(Serde(&page)));
    text.unwrap_or_else(|error| error.to_string())
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
