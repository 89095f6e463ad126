//! The summary as Markdown, for a CI system's page.

use std::io::{self, Write};

use super::sum::Summary;
use crate::batch::row::Rows;

/// Rows shown at the most: CI systems cut pages that are longer.
const MOST_ROWS: usize = 500;

/// Writes the page: what went wrong first.
pub fn markdown(out: &mut dyn Write, summary: &Summary<&dyn Rows>) -> io::Result<()> {
    let spent = &summary.spent;
    write!(
        out,
        "# papayu-batch: {}\n\n{} tokens, {} requests, {:.4} USD\n",
        summary.line(),
        spent.tokens,
        spent.requests,
        spent.cost_usd
    )?;
    for down in &summary.left_alone {
        writeln!(
            out,
            "\n`{}` did not answer ({}) and was left alone: {} requests were not sent to it.",
            down.host,
            cell(&down.reason),
            down.not_sent
        )?;
    }
    out.write_all(b"\n| task | outcome | why | pull request |\n|---|---|---|---|\n")?;
    let mut count = 0_usize;
    summary.worst_first(&mut |row| {
        count += 1;
        if count > MOST_ROWS {
            return Ok(());
        }
        let link = row.pr_url.as_deref().unwrap_or_default();
        let (name, reason) = (cell(&row.name), cell(&row.reason));
        writeln!(out, "| {name} | {} | {reason} | {} |", row.outcome.name(), cell(link))
    })?;
    match count.saturating_sub(MOST_ROWS) {
        0 => Ok(()),
        more => writeln!(out, "\nand {more} more"),
    }
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
