//! The summary as Markdown, for a CI system's page.

use std::fmt::Write as _;

use super::sum::Summary;
use crate::batch::row::Row;

/// Rows shown at the most: CI systems cut pages that are longer.
const MOST_ROWS: usize = 500;

/// Returns the page: what went wrong first.
pub fn markdown(summary: &Summary) -> String {
    let spent = &summary.spent;
    let mut out = format!(
        "# papayu-batch: {}\n\n{} tokens, {} requests, {:.4} USD\n",
        summary.line(),
        spent.tokens,
        spent.requests,
        spent.cost_usd
    );
    for down in &summary.left_alone {
        let _ = writeln!(
            out,
            "\n`{}` did not answer ({}) and was left alone: {} requests were not sent to it.",
            down.host,
            cell(&down.reason),
            down.not_sent
        );
    }
    out += "\n| task | outcome | why | pull request |\n|---|---|---|---|\n";
    let (bad, good): (Vec<&Row>, Vec<&Row>) = summary.tasks.iter().partition(|row| !row.is_good());
    for row in bad.iter().chain(&good).take(MOST_ROWS) {
        let link = row.pr_url.as_deref().unwrap_or_default();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            cell(&row.name),
            row.outcome.name(),
            cell(&row.reason),
            cell(link)
        );
    }
    if let Some(more) = summary.tasks.len().checked_sub(MOST_ROWS).filter(|more| *more > 0) {
        let _ = writeln!(out, "\nand {more} more");
    }
    out
}

/// A cell is one line, and what stands in it is no markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '|' | '<' | '>' | '`' | '*' | '_' | '[' | ']' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
