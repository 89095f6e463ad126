//! The same numbers week over week.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::metrics::{is_ok, share_of};
use papayu_system::trace::TraceRecord;

/// One week of APPLY traces.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Week {
    /// Year and week as ISO 8601 writes them: `2026-W47`.
    pub week: String,
    /// Traces.
    pub apply_count: u64,
    /// Of them, those that ended in a valid plan.
    pub ok_count: u64,
    /// The share of those that stepped down to an older protocol, from 0 to 1.
    pub fallback_rate: Option<f64>,
    /// Tokens sent and written.
    pub tokens: u64,
    /// `fallback_rate` less that of the week before, in shares of 1.
    pub fallback_change: Option<f64>,
}

/// Returns the weeks that have traces, the oldest first; traces without a readable time are left out.
pub(super) fn weekly_metrics(traces: &[TraceRecord]) -> Vec<Week> {
    let mut by_week: BTreeMap<String, Vec<&TraceRecord>> = BTreeMap::new();
    for trace in traces {
        if let Some(week) = week_name(&trace.timestamp) {
            by_week.entry(week).or_default().push(trace);
        }
    }
    let mut weeks: Vec<Week> = Vec::new();
    for (week, traces) in by_week {
        let apply_count = traces.len() as u64;
        let fallbacks = traces.iter().filter(|trace| trace.protocol_fallback_attempted).count();
        let fallback_rate = share_of(fallbacks as u64, apply_count);
        // The week before that has traces, which may be several weeks back.
        let before = weeks.last().and_then(|week| week.fallback_rate);
        weeks.push(Week {
            week,
            apply_count,
            ok_count: traces.iter().filter(|trace| is_ok(trace)).count() as u64,
            fallback_rate,
            tokens: traces.iter().map(|trace| trace.token_usage.total()).sum(),
            fallback_change: fallback_rate.zip(before).map(|(now, before)| now - before),
        });
    }
    weeks
}

/// Returns the ISO week of a timestamp in UTC, `2026-W47`.
fn week_name(timestamp: &str) -> Option<String> {
    let at: Timestamp = timestamp.parse().ok()?;
    // ISO weeks make years comparable.
    let date = at.to_zoned(jiff::tz::TimeZone::UTC).date().iso_week_date();
    Some(format!("{:04}-W{:02}", date.year(), date.week()))
}
