//! The report for a step summary or an issue.

use std::fmt::Write as _;

use super::facts::{
    WEEK_HEADS, breakdowns, describe_runs, describe_work, facts, run_cost, run_time, verdict,
    week_cells,
};
use crate::report::{RecordedRun, Report, ReportProposal};

/// Runs listed, the newest first.
const MOST_RUNS: usize = 50;

/// Returns the report as GitHub-flavoured Markdown.
pub fn markdown(report: &Report) -> String {
    let mut out = format!("# papayu-batch report\n\n{}\n", describe_runs(report));
    if !report.runs.is_empty() {
        out.push_str("\n| run | result | work | cost | time |\n|---|---|---|---|---|\n");
    }
    for RecordedRun { outcome, .. } in report.runs.iter().rev().take(MOST_RUNS) {
        let id: String = outcome.run_id.as_str().chars().take(8).collect();
        let (work, cost, time) = (describe_work(outcome), run_cost(outcome), run_time(outcome));
        push_row(&mut out, &[&id, outcome.outcome.words(), &work, &cost, &time]);
    }
    out.push_str("\n## Protocol statistics\n\n| what | value |\n|---|---|\n");
    for (name, value) in facts(report) {
        push_row(&mut out, &[name, &value]);
    }
    for (title, counts) in breakdowns(report) {
        let _ = write!(out, "\n### {title}\n\n| name | count |\n|---|---|\n");
        for (name, count) in counts {
            push_row(&mut out, &[&name, &count.to_string()]);
        }
    }
    if !report.weeks.is_empty() {
        out.push_str("\n### Weeks\n\n");
        push_row(&mut out, &WEEK_HEADS);
        push_row(&mut out, &["---"; 6]);
        for week in &report.weeks {
            push_row(&mut out, &week_cells(week).each_ref().map(String::as_str));
        }
    }
    let _ = write!(
        out,
        "\n### Graduation\n\n{}\n\n| rule | found | passed |\n|---|---|---|\n",
        verdict(report)
    );
    for criterion in &report.graduation.criteria {
        let mark = if criterion.holds { "yes" } else { "no" };
        push_row(&mut out, &[criterion.rule, &criterion.found, mark]);
    }
    if !report.proposals.is_empty() {
        out.push_str("\n### Proposals\n\n| reason | change |\n|---|---|\n");
    }
    for ReportProposal { reason, change } in &report.proposals {
        push_row(&mut out, &[reason, change]);
    }
    out
}

/// Appends a row; what would end a cell, or begin a tag, is escaped: paths are chosen by strangers.
fn push_row(out: &mut String, cells: &[&str]) {
    for cell in cells {
        out.push_str("| ");
        for char in cell.chars() {
            match char {
                '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' if cell != &"---" => {
                    out.push('\\');
                    out.push(char);
                }
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '&' => out.push_str("&amp;"),
                '@' => out.push_str("@\u{200b}"),
                char if char.is_control() => out.push(' '),
                char => out.push(char),
            }
        }
        out.push(' ');
    }
    out.push_str("|\n");
}
