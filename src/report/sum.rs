//! Computes a report from traces and runs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::graduation::Graduation;
use super::metrics::{Metrics, RecordedRun, counts};
use super::proposals::{ReportProposal, propose_changes};
use super::week::{Week, weekly_metrics};
use papayu_base::domain::OutcomeKind;
use papayu_system::trace::TraceRecord;

/// The content of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Over the last APPLY traces.
    pub metrics: Metrics,
    /// The check whether the fallback can be removed.
    pub graduation: Graduation,
    /// Changes that may help, if that check did not pass.
    pub proposals: Vec<ReportProposal>,
    /// One entry a week that has traces, the oldest first.
    pub weeks: Vec<Week>,
    /// Runs by how they ended.
    pub runs_by_outcome: BTreeMap<&'static str, u64>,
    /// Failures that were fixed without a model.
    pub fixed_at_zero_tokens: u64,
    /// Tokens that a model would have cost for them, as the runs estimated.
    pub tokens_saved: u64,
    /// Every run, the newest last.
    #[serde(skip)]
    pub runs: Vec<RecordedRun>,
}

impl Report {
    /// Sums up traces and runs; of the APPLY traces of models the `last` newest count.
    pub fn new(mut traces: Vec<TraceRecord>, runs: Vec<RecordedRun>, last: usize) -> Self {
        // The files come in the order of their names, which are random; traces of one second need a fixed
        // order too.
        traces.sort_by(|one, two| {
            (&one.timestamp, one.trace_id.as_str()).cmp(&(&two.timestamp, two.trace_id.as_str()))
        });
        // Fixes without a model would hide the errors of models.
        traces.retain(counts);
        // Weeks cover all traces; the metrics only the last ones.
        let weeks = weekly_metrics(&traces);
        let recent = traces.split_off(traces.len().saturating_sub(last));
        let metrics = Metrics::over(&recent, &runs);
        let graduation = Graduation::of(&metrics, &recent, last);
        let proposals = propose_changes(&metrics, &graduation);
        let mut runs_by_outcome = BTreeMap::new();
        for run in &runs {
            *runs_by_outcome.entry(run.outcome.outcome.name()).or_default() += 1;
        }
        let fixed = runs.iter().filter(|run| run.outcome.outcome == OutcomeKind::Fixed);
        let zero = fixed.map(|run| run.outcome.zero_tokens);
        let (fixed_at_zero_tokens, tokens_saved) = zero.fold((0, 0), |(fixed, saved), free| {
            (fixed + u64::from(free.failures_fixed), saved + free.tokens_saved)
        });
        Self {
            metrics,
            graduation,
            proposals,
            weeks,
            runs_by_outcome,
            fixed_at_zero_tokens,
            tokens_saved,
            runs,
        }
    }
}
