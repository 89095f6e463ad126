//! The words and numbers that every form of a report shows.

use std::collections::BTreeMap;

use crate::report::{Report, Week};

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
    let runs = report.runs_by_outcome.iter().map(|(name, count)| ((*name).to_owned(), *count));
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

pub(super) const WEEK_HEADS: [&str; 6] =
    ["week", "applies", "valid", "fallbacks", "change", "tokens"];

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

fn share(rate: Option<f64>) -> String {
    rate.map_or_else(no_value, |rate| format!("{:.1} %", rate * 100.0))
}

fn no_value() -> String {
    "-".to_owned()
}

pub(super) fn verdict(report: &Report) -> &'static str {
    if report.graduation.holds {
        "graduation passed: the fallback can be switched off"
    } else {
        "graduation not passed yet"
    }
}
