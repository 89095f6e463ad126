//! Proposals: what to change when the graduation check does not pass.

use std::collections::BTreeMap;

use serde::Serialize;

use super::graduation::Graduation;
use super::metrics::Metrics;
use papayu_base::domain::ErrorCode;

/// A change that may help, with the number that suggests it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportProposal {
    /// The error code or criterion, and how often it was counted.
    pub reason: String,
    /// The change.
    pub change: &'static str,
}

/// The change for the errors of exchanges, the most specific first.
const ROWS: &[(ErrorCode, &str)] = &[
    (
        ErrorCode::PatchApplyFailed,
        "ask for anchored edits in place of diffs (`protocol.version = 3`), or name a stronger model for later attempts (`llm.second_model`)",
    ),
    (
        ErrorCode::V2UpdateExistingForbidden,
        "the model rewrites whole files: use `protocol.version = 3`, or another model",
    ),
    (
        ErrorCode::EditAnchorNotFound,
        "the model quotes lines that are not there: raise `context.max_file_chars`, so that files are shown whole",
    ),
    (
        ErrorCode::EditAmbiguous,
        "the model's anchors fit several places: use another model, or `protocol.version = 2`",
    ),
    (
        ErrorCode::BaseSha256NotFromContext,
        "the model changes files that it was not shown: raise `context.max_files` and `context.max_rounds`",
    ),
    (
        ErrorCode::BaseMismatch,
        "files change during the runs: run no other writer in the repository, and no `--watch`",
    ),
    (
        ErrorCode::JsonParse,
        "the replies are no JSON: set `llm.strict_json = true` if the server supports it",
    ),
    (
        ErrorCode::SchemaValidation,
        "the replies do not follow the schema: set `llm.strict_json = true` if the server supports it",
    ),
    (
        ErrorCode::NonUtf8File,
        "files that are not UTF-8 cannot be patched: convert them, or protect them (`paths.protected`)",
    ),
];

/// Returns the proposals for a check that did not pass, the most frequent reason first; none for one that did.
pub(super) fn propose_changes(metrics: &Metrics, graduation: &Graduation) -> Vec<ReportProposal> {
    if graduation.holds {
        return Vec::new();
    }
    let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
    for (code, count) in metrics.fallback_by_reason.iter().chain(&metrics.errors_by_code) {
        *counted.entry(code).or_default() += count;
    }
    let known = ROWS.iter().filter_map(|(code, change)| {
        let count = *counted.get(code.as_str())?;
        Some((
            count,
            ReportProposal { reason: format!("{} ({count} times)", code.as_str()), change },
        ))
    });
    let mut known: Vec<(u64, ReportProposal)> = known.collect();
    known.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let mut proposals: Vec<ReportProposal> =
        known.into_iter().map(|(_, proposal)| proposal).collect();
    let window = graduation.criteria.first().filter(|window| !window.holds);
    proposals.extend(window.map(|window| ReportProposal {
        reason: format!("{}: {}", window.rule, window.found),
        change: "run more tasks with the model, or judge fewer exchanges (`report --last N`)",
    }));
    proposals
}
