//! The report for a terminal.

use std::fmt::Write as _;

use super::facts::{WEEK_HEADS, breakdowns, describe_runs, facts, verdict, week_cells};
use crate::report::{Report, ReportProposal};

/// Returns the report as aligned lines.
pub fn text(report: &Report) -> String {
    let mut out = format!("{}\n\n", describe_runs(report));
    for (name, value) in facts(report) {
        let _ = writeln!(out, "{name:28}{value}");
    }
    for (title, counts) in breakdowns(report) {
        let _ = writeln!(out, "\n{title}");
        for (name, count) in counts {
            let _ = writeln!(out, "  {count:6}  {name}");
        }
    }
    if !report.weeks.is_empty() {
        let row = |cells: [&str; 6]| {
            let [week, applies, valid, fallbacks, change, tokens] = cells;
            format!("{week:10}{applies:>9}{valid:>7}{fallbacks:>11}{change:>14}{tokens:>12}\n")
        };
        out.push('\n');
        out.push_str(&row(WEEK_HEADS));
        for week in &report.weeks {
            out.push_str(&row(week_cells(week).each_ref().map(String::as_str)));
        }
    }
    let _ = writeln!(out, "\n{}", verdict(report));
    for criterion in &report.graduation.criteria {
        let mark = if criterion.holds { "yes" } else { "no" };
        let _ = writeln!(out, "  {mark:4}{}: {}", criterion.rule, criterion.found);
    }
    if !report.proposals.is_empty() {
        out.push_str("\nproposals\n");
    }
    for ReportProposal { reason, change } in &report.proposals {
        let _ = writeln!(out, "  {reason}: {change}");
    }
    out
}
