//! The summary as Markdown, for the page of a CI job.

use std::fmt::Write as _;

use super::sum::BatchSummary;

/// Maximum number of rows shown: CI systems cut long pages.
const MAX_ROWS: usize = 500;

/// Returns the page, red repositories first.
pub fn markdown(summary: &BatchSummary) -> String {
    let spent = &summary.spent;
    let mut out = format!(
        "# papayu-batch: {}\n\n{} tokens, {} requests, {:.4} USD\n",
        summary.line(),
        spent.tokens,
        spent.requests,
        spent.cost_usd
    );
    // Writing to a string cannot fail.
    for down in &summary.left_alone {
        let _ = writeln!(
            out,
            "\n`{}` did not answer ({}) and was left alone: {} requests were not sent to it.",
            down.host,
            escape_cell(&down.reason),
            down.not_sent
        );
    }
    for recipe in &summary.recipes {
        let _ = writeln!(out, "\n{}", escape_cell(&recipe.line()));
    }
    out.push_str("\n| task | outcome | why | pull request |\n|---|---|---|---|\n");
    for row in summary.worst_first().take(MAX_ROWS) {
        let (name, reason) = (escape_cell(&row.name), escape_cell(&row.reason));
        let link = escape_cell(row.pr_url.as_deref().unwrap_or_default());
        let _ = writeln!(out, "| {name} | {} | {reason} | {link} |", row.outcome.name());
    }
    let hidden = summary.tasks.len().saturating_sub(MAX_ROWS);
    if hidden > 0 {
        let _ = writeln!(out, "\nand {hidden} more");
    }
    out
}

/// Returns the text as one line without markup.
fn escape_cell(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            // These characters are Markdown or HTML markup.
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
