//! The words and numbers that every form of a report shows.

use std::collections::BTreeMap;

use crate::report::{Report, Week};
use papayu_base::domain::Outcome;

/// A name and what was counted, as every form shows it.
pub(super) type Fact = (&'static str, String);

/// The numbers that every form shows, in order.
pub(super) fn facts(report: &Report) -> Vec<Fact> {
    let metrics = &report.metrics;
    let failed = metrics.patch_apply_failed;
    let latency = metrics.latency_ms.map(|ms| format!("{} / {} / {} ms", ms.p50, ms.p90, ms.p99));
    vec![
        ("applies", format!("{} ({} with a valid plan)", metrics.apply_count, metrics.ok_count)),
        ("fallbacks", format!("{} ({})", metrics.fallback_count, share(metrics.fallback_rate))),
        ("fallbacks, text files only", share(metrics.fallback_rate_excluding_non_utf8)),
        ("repairs", metrics.repair_count.to_string()),
        ("repairs that helped", share(metrics.repair_success_rate)),
        ("repairs that sent hashes", share(metrics.sha_injection_rate)),
        (
            "patches that did not apply",
            format!(
                "{} ({} fixed by repair, {} by fallback)",
                failed.count, failed.by_repair, failed.by_fallback
            ),
        ),
        (
            "tokens",
            format!(
                "{} in ({} cached), {} out",
                metrics.tokens.input, metrics.tokens.cached, metrics.tokens.output
            ),
        ),
        ("cost", metrics.cost_usd.map_or_else(no_value, |cost| format!("{cost:.4} USD"))),
        ("latency p50 / p90 / p99", latency.unwrap_or_else(no_value)),
        ("fixed at zero tokens", report.fixed_at_zero_tokens.to_string()),
        ("tokens saved (estimate)", report.tokens_saved.to_string()),
    ]
}

/// Counts by name that every form shows, with their titles; empty ones are left out.
pub(super) fn breakdowns(report: &Report) -> Vec<(&'static str, Vec<(String, u64)>)> {
    let metrics = &report.metrics;
    let listed = |map: &BTreeMap<String, u64>| {
        map.iter().map(|(name, count)| (name.clone(), *count)).collect::<Vec<_>>()
    };
    let runs = report.runs_by_outcome.iter().map(|(name, count)| (name.replace('_', " "), *count));
    let all = vec![
        ("fallbacks by reason", listed(&metrics.fallback_by_reason)),
        ("fallbacks by stage", listed(&metrics.fallback_by_stage)),
        ("errors by code", listed(&metrics.errors_by_code)),
        ("actions by kind", listed(&metrics.actions_by_kind)),
        ("hunks by rung", listed(&metrics.hunks_by_rung)),
        ("files repaired most", metrics.top_repair_paths.clone()),
        ("runs by outcome", runs.collect()),
    ];
    all.into_iter().filter(|(_, counts)| !counts.is_empty()).collect()
}

/// Returns how many runs there are, how they ended, and what they cost.
pub(super) fn describe_runs(report: &Report) -> String {
    if report.runs.is_empty() {
        return "no runs".to_owned();
    }
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    for run in &report.runs {
        *ends.entry(run.outcome.outcome.words()).or_default() += 1;
    }
    let ends: Vec<String> = ends.iter().map(|(end, count)| format!("{count} {end}")).collect();
    let costs = report.runs.iter().filter_map(|run| run.outcome.cost_usd);
    // The sum of no costs is -0.0.
    let total = costs.fold(0.0, |sum, cost| sum + cost);
    let runs = report.runs.len();
    let noun = if runs == 1 { "run" } else { "runs" };
    format!("{runs} {noun}: {} · ${total:.2}", ends.join(", "))
}

/// Returns the first failure that a run had and the files that it changed, else its reason.
pub(super) fn describe_work(outcome: &Outcome) -> String {
    let before = outcome.verify.before.as_ref();
    let failures = before.map_or(&[] as &[String], |check| check.failures.as_slice());
    let more = match failures.len() {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let place = match outcome.changed_files.as_slice() {
        [] => String::new(),
        files => format!(" in {}", files.join(", ")),
    };
    match failures.first() {
        Some(first) => format!("{first}{more}{place}"),
        None if place.is_empty() => outcome.reason.lines().next().unwrap_or_default().to_owned(),
        None => place.trim_start().to_owned(),
    }
}

/// Returns the cost of a run: dollars, tokens where no price is known, `-` where no model was asked.
pub(super) fn run_cost(outcome: &Outcome) -> String {
    match outcome.cost_usd {
        Some(cost) if cost > 0.0 && cost < 0.005 => "<$0.01".to_owned(),
        Some(cost) => format!("${cost:.2}"),
        None if outcome.requests == 0 => "-".to_owned(),
        None => format!("{} tokens", outcome.tokens.total()),
    }
}

/// Returns the time of a run in seconds.
pub(super) fn run_time(outcome: &Outcome) -> String {
    let ms = outcome.timings_ms.total;
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}

pub(super) const WEEK_HEADS: [&str; 6] =
    ["week", "applies", "valid", "fallbacks", "change", "tokens"];

/// Returns the cells of a week's row.
pub(super) fn week_cells(week: &Week) -> [String; 6] {
    let change = week.fallback_change.map(|change| format!("{:+.1} points", change * 100.0));
    [
        week.week.clone(),
        week.apply_count.to_string(),
        week.ok_count.to_string(),
        share(week.fallback_rate),
        change.unwrap_or_else(no_value),
        week.tokens.to_string(),
    ]
}

/// Returns a share as per cent.
fn share(rate: Option<f64>) -> String {
    rate.map_or_else(no_value, |rate| format!("{:.1} %", rate * 100.0))
}

/// Returns the mark of a value that is not known.
fn no_value() -> String {
    "-".to_owned()
}

/// Returns the verdict of the graduation check.
pub(super) fn verdict(report: &Report) -> &'static str {
    if report.graduation.holds {
        "graduation passed: the fallback can be switched off"
    } else {
        "graduation not passed yet"
    }
}
