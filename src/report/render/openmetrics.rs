//! The report for Prometheus and its kin: OpenMetrics text 1.0.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::report::Report;

/// Returns the report as OpenMetrics text; every number is a gauge, since a window slides.
pub fn openmetrics(report: &Report) -> String {
    let metrics = &report.metrics;
    let mut out = Exposition(String::new());
    out.plain("applies", "APPLY traces in the window.", metrics.apply_count);
    out.plain("applies_valid", "APPLY traces that ended in a valid plan.", metrics.ok_count);
    out.plain(
        "fallbacks",
        "Exchanges that stepped down to an older protocol.",
        metrics.fallback_count,
    );
    out.share("fallback_ratio", "Fallbacks by applies.", metrics.fallback_rate);
    out.share(
        "fallback_text_ratio",
        "Fallbacks by applies, without those for files that are not text.",
        metrics.fallback_rate_excluding_non_utf8,
    );
    out.labelled("fallbacks_by_reason", "Fallbacks.", "reason", &metrics.fallback_by_reason);
    out.labelled("fallbacks_by_stage", "Fallbacks.", "stage", &metrics.fallback_by_stage);
    out.plain("repairs", "Exchanges that sent a repair request.", metrics.repair_count);
    out.share("repair_success_ratio", "Repairs that helped.", metrics.repair_success_rate);
    out.share("sha_injection_ratio", "Repairs that sent hashes.", metrics.sha_injection_rate);
    out.plain(
        "patch_apply_failed",
        "Exchanges with a patch that did not apply.",
        metrics.patch_apply_failed.count,
    );
    out.labelled("errors", "Codes that ended an exchange.", "code", &metrics.errors_by_code);
    out.labelled("actions", "Actions asked for.", "kind", &metrics.actions_by_kind);
    out.labelled("hunks", "Hunks that landed.", "rung", &metrics.hunks_by_rung);
    let tokens = [
        ("cached", metrics.tokens.cached),
        ("input", metrics.tokens.input),
        ("output", metrics.tokens.output),
    ];
    let tokens = tokens.map(|(name, count)| (name.to_owned(), count)).into();
    out.labelled("tokens", "Tokens; cached ones are part of the input.", "direction", &tokens);
    out.share("cost_usd", "Dollars, where prices are known.", metrics.cost_usd);
    if let Some(ms) = metrics.latency_ms {
        let ms = [("0.5", ms.p50), ("0.9", ms.p90), ("0.99", ms.p99)];
        let ms = ms.map(|(name, value)| (name.to_owned(), value)).into();
        out.labelled("latency_milliseconds", "Waiting for the provider.", "percentile", &ms);
    }
    let runs = report.runs_by_outcome.iter().map(|(name, count)| ((*name).to_owned(), *count));
    out.labelled("runs", "Runs.", "outcome", &runs.collect());
    out.plain(
        "fixed_at_zero_tokens",
        "Failures fixed without a model.",
        report.fixed_at_zero_tokens,
    );
    out.plain(
        "tokens_saved",
        "Tokens that a model would have cost for them, estimated.",
        report.tokens_saved,
    );
    out.plain(
        "graduation",
        "Whether every graduation criterion is met.",
        u64::from(report.graduation.holds),
    );
    out.0.push_str("# EOF\n");
    out.0
}

struct Exposition(String);

impl Exposition {
    /// Writes the head of a family. OpenMetrics requires its samples directly behind it.
    fn family(&mut self, name: &str, help: &str) {
        let _ = write!(self.0, "# TYPE papayu_{name} gauge\n# HELP papayu_{name} {help}\n");
    }

    /// Writes a family with one number.
    fn plain(&mut self, name: &str, help: &str, value: u64) {
        self.family(name, help);
        let _ = writeln!(self.0, "papayu_{name} {value}");
    }

    /// Writes a family with one share of 1, left out if it is not known: 0 would mean something
    /// else.
    fn share(&mut self, name: &str, help: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.family(name, help);
            let _ = writeln!(self.0, "papayu_{name} {value}");
        }
    }

    /// Writes a family with a sample for each label value.
    fn labelled(&mut self, name: &str, help: &str, label: &str, counts: &BTreeMap<String, u64>) {
        if counts.is_empty() {
            return;
        }
        self.family(name, help);
        for (value, count) in counts {
            // The three characters that the OpenMetrics format escapes.
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = writeln!(self.0, "papayu_{name}{{{label}=\"{value}\"}} {count}");
        }
    }
}
