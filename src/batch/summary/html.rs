//! The summary as one page that needs nothing from elsewhere; results are linked, not copied.

use std::io::{self, Write};

use minijinja::value::Serde;
use minijinja::{Environment, context};
use serde::Serialize;

use super::sum::{Summary, Totals};
use crate::batch::limits::Down;
use crate::batch::row::{Row, Rows};
use crate::text::MASK;

/// Where the rows stand in the page.
const ROWS: &str = "{{ rows }}";

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

/// What the page says around its rows.
#[derive(Serialize)]
struct Page<'a> {
    line: String,
    good: bool,
    started_at: &'a str,
    ended_at: &'a str,
    spent: Totals,
    left_alone: &'a [Down],
}

/// Writes the page, what went wrong first, with links to where `results` says that a task's results lie. Row after
/// row: what a template is given it turns into values of its own, which are large.
pub fn html(
    out: &mut dyn Write,
    summary: &Summary<&dyn Rows>,
    results: &dyn Fn(&Row) -> Option<String>,
) -> io::Result<()> {
    let whole = include_str!("batch.html");
    let (head, foot) = whole.split_once(ROWS).unwrap_or((whole, ""));
    let mut environment = Environment::new();
    let parts =
        [("head.html", head), ("row.html", include_str!("batch_row.html")), ("foot.html", foot)];
    for (name, text) in parts {
        environment.add_template(name, text).map_err(io::Error::other)?;
    }
    let page = Page {
        line: summary.line(),
        good: summary.exit_code == 0,
        started_at: &summary.started_at,
        ended_at: &summary.ended_at,
        spent: summary.spent,
        left_alone: &summary.left_alone,
    };
    let get = |name: &str| environment.get_template(name).map_err(io::Error::other);
    let (head, template, foot) = (get("head.html")?, get("row.html")?, get("foot.html")?);
    let text = head.render(Serde(&page)).map_err(io::Error::other)?;
    writeln!(out, "{text}")?;
    summary.worst_first(&mut |row| {
        // A folder whose name had a secret is not to be found by what is left of it.
        let task = line(row, results(row).filter(|path| !path.contains(MASK)));
        let text = template.render(context! { task => Serde(task) }).map_err(io::Error::other)?;
        writeln!(out, "{text}")
    })?;
    writeln!(out, "{}", foot.render(()).map_err(io::Error::other)?)
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
