//! The graduation check: is the newest protocol good enough to remove the fallback?

use serde::Serialize;

use super::metrics::{Metrics, met};
use papayu_base::domain::ErrorCode;
use papayu_system::trace::TraceRecord;

/// The rate that fallbacks and patches that do not apply have to stay under.
const MOST: f64 = 0.01;

/// The verdict with its reasons.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Graduation {
    /// `true` when every criterion is met.
    pub holds: bool,
    /// In the order of protocol section 9.
    pub criteria: Vec<Criterion>,
}

/// A criterion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Criterion {
    /// The rule in words.
    pub rule: &'static str,
    /// The measured value.
    pub found: String,
    /// `true` when the criterion is met.
    pub holds: bool,
}

impl Graduation {
    /// Judges the metrics over the window `traces`, oldest first; a window of fewer than `last` traces fails.
    pub(super) fn of(metrics: &Metrics, traces: &[TraceRecord], last: usize) -> Self {
        let failed = metrics.patch_apply_failed;
        let failed_rate = super::metrics::share_of(failed.count, metrics.apply_count);
        let criteria = vec![
            Criterion {
                rule: "the window is full",
                found: format!("{} of {last} applies", metrics.apply_count),
                // A short window would pass by luck: of ten applies none has to fail.
                holds: traces.len() >= last,
            },
            rate_below(
                "fallbacks, text files only, are under 1 %",
                metrics.fallback_rate_excluding_non_utf8,
            ),
            rate_below("ERR_PATCH_APPLY_FAILED is under 1 %", failed_rate),
            Criterion {
                rule: "ERR_PATCH_APPLY_FAILED is fixed by repair more often than by fallback",
                found: format!(
                    "{} by repair, {} by fallback",
                    failed.by_repair, failed.by_fallback
                ),
                holds: failed.by_fallback == 0 || failed.by_repair > failed.by_fallback,
            },
            forbidden_updates(traces),
        ];
        Self { holds: criteria.iter().all(|criterion| criterion.holds), criteria }
    }
}

/// Returns the criterion that a rate is below [`MOST`].
fn rate_below(rule: &'static str, rate: Option<f64>) -> Criterion {
    let found = rate.map_or("nothing counted".to_owned(), |rate| format!("{:.1} %", rate * 100.0));
    // Nothing counted is no proof, so that it does not pass.
    Criterion { rule, found, holds: rate.is_some_and(|rate| rate < MOST) }
}

/// None, or fewer in the newer half of the window than in the older.
fn forbidden_updates(traces: &[TraceRecord]) -> Criterion {
    // A rising number of errors in the newer half blocks the graduation.
    let (older, newer) = traces.split_at(traces.len() / 2);
    let count = |half: &[TraceRecord]| {
        half.iter().filter(|trace| met(trace, ErrorCode::V2UpdateExistingForbidden)).count()
    };
    let (older, newer) = (count(older), count(newer));
    Criterion {
        rule: "ERR_V2_UPDATE_EXISTING_FORBIDDEN is 0 or falling",
        found: format!("{older} in the older half, {newer} in the newer"),
        holds: newer == 0 || newer < older,
    }
}
