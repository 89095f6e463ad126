//! Metrics, verdict and pages over made traces, the nasty ones first.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use papayu_base::domain::{Mode, Outcome, OutcomeKind, RunId, TraceId, Usage, Version};
use papayu_system::trace::TraceRecord;

fn trace(number: usize, change: impl FnOnce(&mut TraceRecord)) -> TraceRecord {
    let run = RunId::new("r".to_owned());
    let id = TraceId::new(format!("{number:04}"));
    let mut trace = TraceRecord::new(id, run, Mode::Apply, Version::V2);
    trace.event = "LLM_PLAN_OK".to_owned();
    trace.provider = "openai".to_owned();
    trace.timestamp = format!("2026-11-{:02}T10:00:00Z", 1 + number % 28);
    change(&mut trace);
    trace
}

fn repaired(trace: &mut TraceRecord, code: &str) {
    trace.protocol_repair_attempt = 1;
    trace.protocol_repair_reason = Some(code.to_owned());
}

fn fell_back(trace: &mut TraceRecord, code: &str) {
    trace.protocol_fallback_attempted = true;
    trace.protocol_fallback_reason = Some(code.to_owned());
    trace.protocol_fallback_stage = Some("preview".to_owned());
}

#[test]
fn an_empty_folder_has_no_rates_and_does_not_graduate() {
    let report = Report::new(Vec::new(), Vec::new(), 100);
    assert_eq!(report.metrics, Metrics::default());
    assert!(!report.graduation.holds && report.weeks.is_empty());
    for page in [render::text(&report), render::markdown(&report), render::html(&report)] {
        assert!(page.contains("graduation not passed yet"), "{page}");
    }
    assert!(render::openmetrics(&report).ends_with("# EOF\n"));
}

#[test]
fn plans_and_traces_of_the_free_provider_are_not_counted_and_only_the_newest_are() {
    let mut traces = vec![
        trace(1, |trace| trace.mode = Mode::Plan),
        trace(2, |trace| trace.provider = "quickfix".to_owned()),
        trace(6, |trace| trace.provider = "suggestions".to_owned()),
        trace(3, |trace| fell_back(trace, "ERR_PATCH_APPLY_FAILED")),
        trace(4, |_| {}),
        trace(5, |_| {}),
    ];
    traces.reverse();
    let report = Report::new(traces, Vec::new(), 2);
    assert_eq!((report.metrics.apply_count, report.metrics.fallback_count), (2, 0));
    assert_eq!(report.weeks.iter().map(|week| week.apply_count).sum::<u64>(), 3);
}

#[test]
fn every_number_of_the_contract_is_counted() {
    let mut traces: Vec<_> = (0..6).map(|number| trace(number, |_| {})).collect();
    traces.push(trace(10, |trace| {
        repaired(trace, "ERR_PATCH_APPLY_FAILED");
        trace.repair_injected_sha256 = true;
        trace.repair_injected_paths = vec!["b".to_owned(), "a".to_owned()];
        trace.patch_strategy =
            [("a".to_owned(), vec!["exact".to_owned(), "offset".to_owned()])].into();
        trace.validated_json =
            Some(json!({"actions": [{"kind": "PATCH_FILE"}, {"kind": "CREATE_FILE"}]}));
        trace.token_usage = Usage { input: 5, output: 2, cached: 1 };
        trace.timings_ms = [("llm".to_owned(), 70)].into();
    }));
    traces.push(trace(11, |trace| {
        repaired(trace, "ERR_PATCH_APPLY_FAILED");
        fell_back(trace, "ERR_PATCH_APPLY_FAILED");
        trace.repair_injected_paths = vec!["a".to_owned()];
        trace.timings_ms = [("llm".to_owned(), 30)].into();
    }));
    traces.push(trace(12, |trace| fell_back(trace, "ERR_NON_UTF8_FILE")));
    traces.push(trace(13, |trace| {
        trace.event = "LLM_PLAN_FAILED".to_owned();
        trace.error_code = Some("ERR_SCHEMA_VALIDATION".to_owned());
    }));
    let mut outcome = Outcome::new(RunId::new("r".to_owned()), OutcomeKind::Fixed, "green");
    outcome.cost_usd = Some(0.25);
    outcome.zero_tokens.failures_fixed = 3;
    outcome.zero_tokens.tokens_saved = 900;
    let other = Outcome::new(RunId::new("other".to_owned()), OutcomeKind::NotFixed, "red");
    let runs = [outcome, other].map(|outcome| RecordedRun { outcome, patch: String::new() });
    let report = Report::new(traces, runs.into(), 100);
    let count = |entries: &[(&str, u64)]| -> BTreeMap<String, u64> {
        entries.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    let expected = Metrics {
        apply_count: 10,
        ok_count: 9,
        fallback_count: 2,
        fallback_rate: Some(0.2),
        fallback_rate_excluding_non_utf8: Some(0.1),
        fallback_by_reason: count(&[("ERR_NON_UTF8_FILE", 1), ("ERR_PATCH_APPLY_FAILED", 1)]),
        fallback_by_stage: count(&[("preview", 2)]),
        repair_count: 2,
        repair_success_rate: Some(0.5),
        sha_injection_rate: Some(0.5),
        top_repair_paths: vec![("a".to_owned(), 2), ("b".to_owned(), 1)],
        patch_apply_failed: metrics::Recoveries { count: 2, by_repair: 1, by_fallback: 1 },
        errors_by_code: count(&[("ERR_SCHEMA_VALIDATION", 1)]),
        actions_by_kind: count(&[("CREATE_FILE", 1), ("PATCH_FILE", 1)]),
        hunks_by_rung: count(&[("exact", 1), ("offset", 1)]),
        tokens: Usage { input: 5, output: 2, cached: 1 },
        cost_usd: Some(0.25),
        latency_ms: Some(Percentiles { p50: 30, p90: 70, p99: 70 }),
    };
    assert_eq!(report.metrics, expected);
    assert_eq!((report.fixed_at_zero_tokens, report.tokens_saved), (3, 900));
    let holds: Vec<bool> = report.graduation.criteria.iter().map(|one| one.holds).collect();
    assert_eq!(holds, [false, false, false, false, true]);
    insta::assert_snapshot!(render::text(&report));
    insta::assert_snapshot!(render::openmetrics(&report));
}

#[test]
fn graduation_holds_over_a_full_window_without_faults_and_while_forbidden_updates_fall() {
    let holds = |bad: &[usize]| {
        let traces = (0..200).map(|number| {
            let mut trace = trace(0, |_| {});
            trace.trace_id = TraceId::new(format!("{number:04}"));
            if bad.contains(&number) {
                repaired(&mut trace, "ERR_V2_UPDATE_EXISTING_FORBIDDEN");
            }
            trace
        });
        Report::new(traces.collect(), Vec::new(), 200).graduation.holds
    };
    assert!(holds(&[]) && holds(&[3, 7, 150]) && holds(&[3]));
    assert!(!holds(&[150]) && !holds(&[3, 150]));
}

#[test]
fn what_strangers_chose_cannot_break_out_of_a_page_a_table_or_a_label() {
    let nasty = "a\"|\n<script>alert(1)</script>@team`".to_owned();
    let traces = vec![trace(1, |trace| {
        trace.error_code = Some(nasty.clone());
        trace.repair_injected_paths = vec![nasty.clone()];
    })];
    let mut outcome =
        Outcome::new(RunId::new("r".to_owned()), OutcomeKind::NotFixed, nasty.clone());
    outcome.pr_url = Some("javascript:alert(1)".to_owned());
    let patch = format!("diff --git a/x.rs b/x.rs\n@@ -1 +1 @@\n-{0}\n+{0}b\n", "<b>\"x\"</b>");
    let report = Report::new(traces, vec![RecordedRun { outcome, patch }], 100);
    let page = render::html(&report);
    assert!(!page.contains("<script") && !page.contains("javascript:") && !page.contains("<b>\""));
    let markdown = render::markdown(&report);
    assert!(!markdown.contains("<script") && !markdown.contains("@team"), "{markdown}");
    assert!(markdown.contains("a\"\\| &lt;script&gt;"), "{markdown}");
    let metrics = render::openmetrics(&report);
    assert!(metrics.contains("{code=\"a\\\"|\\n<script>"), "{metrics}");
}

#[test]
fn a_secret_in_a_patch_is_not_shown_on_the_page() {
    let outcome = Outcome::new(RunId::new("r".to_owned()), OutcomeKind::Fixed, String::new());
    let patch = "diff --git a/x.rs b/x.rs\n@@ -1,2 +1,2 @@\n-password = \"hunter22lane\"\n+host = 2\n port = 1\n";
    let run = RecordedRun { outcome, patch: patch.to_owned() };
    let page = render::html(&Report::new(Vec::new(), vec![run], 100));
    assert!(page.contains(" port = ") && !page.contains("hunter22lane"), "{page}");
}

#[test]
fn what_keeps_the_check_from_passing_has_a_proposal_in_every_form() {
    let mut traces: Vec<_> = (0..10).map(|number| trace(number, |_| {})).collect();
    for number in 10..13 {
        traces.push(trace(number, |trace| fell_back(trace, "ERR_PATCH_APPLY_FAILED")));
    }
    traces.push(trace(13, |trace| fell_back(trace, "ERR_V2_UPDATE_EXISTING_FORBIDDEN")));
    traces.push(trace(14, |trace| fell_back(trace, "ERR_OF_ANOTHER_VERSION")));
    let report = Report::new(traces, Vec::new(), 100);
    let reasons: Vec<&str> = report.proposals.iter().map(|it| it.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "ERR_PATCH_APPLY_FAILED (3 times)",
            "ERR_V2_UPDATE_EXISTING_FORBIDDEN (1 times)",
            "the window is full: 15 of 100 applies",
        ]
    );
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["proposals"][0]["reason"], "ERR_PATCH_APPLY_FAILED (3 times)");
    for page in [render::text(&report), render::markdown(&report), render::html(&report)] {
        assert!(page.contains("anchored edits in place of diffs"), "{page}");
    }
    let good = (0..100).map(|number| trace(number, |_| {})).collect();
    let report = Report::new(good, Vec::new(), 100);
    assert!(report.graduation.holds && report.proposals.is_empty());
    assert!(!render::text(&report).contains("proposals"));
}
