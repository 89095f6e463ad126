//! The metrics of protocol section 9, over APPLY traces.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use papayu_base::domain::{ErrorCode, Outcome, Usage};
use papayu_system::trace::TraceRecord;

/// The words that mark traces of runs without a model, which no protocol version can fail; the second
/// is that of older traces.
const FREE: [&str; 3] = ["quickfix", "recipe", "suggestions"];

/// Most paths listed.
const MOST_PATHS: usize = 20;

/// A run, from its `outcome.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordedRun {
    /// The whole outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Its change as a git patch; empty when there is none.
    #[serde(skip)]
    pub patch: String,
}

/// Numbers over a window of APPLY traces; rates are shares of 1, `null` where nothing was counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// Traces counted.
    pub apply_count: u64,
    /// Of them, those that ended in a valid plan.
    pub ok_count: u64,
    /// Those that stepped down to an older protocol.
    pub fallback_count: u64,
    /// `fallback_count / apply_count`, from 0 to 1.
    pub fallback_rate: Option<f64>,
    /// The same without those for a file that is not text, which no protocol could patch.
    pub fallback_rate_excluding_non_utf8: Option<f64>,
    /// Fallbacks by error code.
    pub fallback_by_reason: BTreeMap<String, u64>,
    /// Fallbacks by the stage that found the error.
    pub fallback_by_stage: BTreeMap<String, u64>,
    /// Exchanges that sent a repair request.
    pub repair_count: u64,
    /// The share of them that ended well without a fallback, from 0 to 1.
    pub repair_success_rate: Option<f64>,
    /// The share of them that sent the right hashes to the model, from 0 to 1.
    pub sha_injection_rate: Option<f64>,
    /// Files with hashes that were sent to the model, with the count, the most frequent first.
    pub top_repair_paths: Vec<(String, u64)>,
    /// Exchanges in which a patch did not apply, by how that ended.
    pub patch_apply_failed: Recoveries,
    /// Codes that ended an exchange.
    pub errors_by_code: BTreeMap<String, u64>,
    /// Actions that were asked for, by kind.
    pub actions_by_kind: BTreeMap<String, u64>,
    /// Hunks that landed, by rung.
    pub hunks_by_rung: BTreeMap<String, u64>,
    /// Tokens.
    pub tokens: Usage,
    /// Dollars of the runs that the traces belong to; `null` when no run knows its price.
    pub cost_usd: Option<f64>,
    /// Waiting for the provider, in milliseconds.
    pub latency_ms: Option<Percentiles>,
}

/// The count of an error, and of its recoveries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recoveries {
    /// Exchanges that had it.
    pub count: u64,
    /// Recovered by the repair request.
    pub by_repair: u64,
    /// Recovered by the older protocol.
    pub by_fallback: u64,
}

/// Of a list of numbers, those that so many are no greater than.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Percentiles {
    /// The median: half of them are no greater.
    pub p50: u64,
    /// Nine in ten are no greater.
    pub p90: u64,
    /// Ninety-nine in a hundred are no greater.
    pub p99: u64,
}

/// Returns whether a trace is an exchange with a model that brings a change.
pub(super) fn counts(trace: &TraceRecord) -> bool {
    trace.mode.brings_change() && !FREE.contains(&trace.provider.as_str())
}

/// Returns whether a trace ended in a valid plan.
pub(super) fn is_ok(trace: &TraceRecord) -> bool {
    trace.event == papayu_base::domain::EventName::LlmPlanOk.as_str()
}

/// Returns whether an exchange had an error, recovered or not.
pub(super) fn met(trace: &TraceRecord, code: ErrorCode) -> bool {
    let codes = [&trace.protocol_repair_reason, &trace.protocol_fallback_reason, &trace.error_code];
    codes.into_iter().any(|met| met.as_deref() == Some(code.as_str()))
}

impl Metrics {
    /// Counts over traces, all of which [`counts`].
    pub(super) fn over(traces: &[TraceRecord], runs: &[RecordedRun]) -> Self {
        let mut out = Self { apply_count: traces.len() as u64, ..Self::default() };
        let (mut repaired, mut injected) = (0, 0);
        let mut paths: BTreeMap<String, u64> = BTreeMap::new();
        let mut waits = Vec::new();
        for trace in traces {
            out.ok_count += u64::from(is_ok(trace));
            out.count_fallback(trace);
            if trace.protocol_repair_attempt > 0 {
                out.repair_count += 1;
                repaired += u64::from(is_ok(trace) && !trace.protocol_fallback_attempted);
                injected += u64::from(trace.repair_injected_sha256);
            }
            for path in &trace.repair_injected_paths {
                *paths.entry(path.clone()).or_default() += 1;
            }
            out.count_actions(trace);
            out.tokens += trace.token_usage;
            // Replays and traces of old versions have no such time.
            waits.extend(trace.timings_ms.get("llm").copied());
            if let Some(code) = &trace.error_code {
                *out.errors_by_code.entry(code.clone()).or_default() += 1;
            }
        }
        // No protocol can patch a file that is not text.
        let non_utf8 = out.fallback_by_reason.get(ErrorCode::NonUtf8File.as_str());
        let non_utf8 = non_utf8.copied().unwrap_or_default();
        out.fallback_rate = share_of(out.fallback_count, out.apply_count);
        out.fallback_rate_excluding_non_utf8 =
            share_of(out.fallback_count - non_utf8, out.apply_count);
        out.repair_success_rate = share_of(repaired, out.repair_count);
        out.sha_injection_rate = share_of(injected, out.repair_count);
        out.patch_apply_failed = count_recoveries(traces, ErrorCode::PatchApplyFailed);
        out.top_repair_paths = most_frequent(paths);
        out.cost_usd = total_cost(traces, runs);
        out.latency_ms = percentiles(waits);
        out
    }

    /// Counts the fallback of an exchange by its reason and its stage.
    fn count_fallback(&mut self, trace: &TraceRecord) {
        if !trace.protocol_fallback_attempted {
            return;
        }
        self.fallback_count += 1;
        let named = |word: &Option<String>| word.clone().unwrap_or_else(|| "unknown".into());
        *self.fallback_by_reason.entry(named(&trace.protocol_fallback_reason)).or_default() += 1;
        *self.fallback_by_stage.entry(named(&trace.protocol_fallback_stage)).or_default() += 1;
    }

    /// Counts the actions that a reply asked for, and the rungs on which its hunks landed.
    fn count_actions(&mut self, trace: &TraceRecord) {
        let actions = trace.validated_json.as_ref().and_then(|json| json["actions"].as_array());
        for kind in actions.into_iter().flatten().filter_map(|action| action["kind"].as_str()) {
            *self.actions_by_kind.entry(kind.to_owned()).or_default() += 1;
        }
        for strategy in trace.patch_strategy.values().flatten() {
            *self.hunks_by_rung.entry(strategy.clone()).or_default() += 1;
        }
    }
}

/// Returns `part` as a share of `whole`, from 0 to 1; `None` if `whole` is 0.
pub(super) fn share_of(part: u64, whole: u64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "no folder has 2^52 traces")]
    let share = || part as f64 / whole as f64;
    (whole > 0).then(share)
}

/// Counts the exchanges with an error, and how they recovered.
fn count_recoveries(traces: &[TraceRecord], code: ErrorCode) -> Recoveries {
    let mut out = Recoveries::default();
    for trace in traces.iter().filter(|trace| met(trace, code)) {
        out.count += 1;
        match (is_ok(trace), trace.protocol_fallback_attempted) {
            // A fallback follows a repair that failed, so that it gets the credit of both.
            (true, true) => out.by_fallback += 1,
            (true, false) => out.by_repair += 1,
            (false, _) => {}
        }
    }
    out
}

/// Returns the most frequent paths; equal counts in the order of the paths.
fn most_frequent(paths: BTreeMap<String, u64>) -> Vec<(String, u64)> {
    let mut top: Vec<(String, u64)> = paths.into_iter().collect();
    top.sort_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
    top.truncate(MOST_PATHS);
    top
}

/// Returns the cost of the runs that the traces belong to. A run has several traces and one price.
fn total_cost(traces: &[TraceRecord], runs: &[RecordedRun]) -> Option<f64> {
    let wanted: BTreeSet<&str> = traces.iter().map(|trace| trace.run_id.as_str()).collect();
    let mine = runs.iter().filter(|run| wanted.contains(run.outcome.run_id.as_str()));
    // `reduce` and not `sum`: without any price the cost is unknown, not 0.
    mine.filter_map(|run| run.outcome.cost_usd).reduce(|sum, cost| sum + cost)
}

/// Returns the nearest-rank percentiles; `None` of nothing.
fn percentiles(mut values: Vec<u64>) -> Option<Percentiles> {
    values.sort_unstable();
    let at = |percent: usize| {
        // Nearest rank: the result is always a measured value.
        let rank = (values.len() * percent).div_ceil(100);
        values.get(rank.checked_sub(1)?).copied()
    };
    Some(Percentiles { p50: at(50)?, p90: at(90)?, p99: at(99)? })
}
