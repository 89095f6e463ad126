//! The failure that a run works on: its report, its class and its identity.

use super::engine_inputs::EngineInputs;
use super::world_facts::recognize_own_modules;
use papayu_base::domain::event::{Event, EventName};
use papayu_base::domain::{
    Evidence, Failure, FailureClass, FailureReport, Fingerprint, ReportedFinding, Triage,
};
use papayu_base::text::mask::Masker;

/// Most findings of scanners that choose files of the context.
const CONTEXT_FINDINGS: usize = 3;

/// The failure that a run works on.
pub(super) struct KnownFailure {
    /// The failures to fix; those of the log until the command has run.
    pub(super) report: FailureReport,
    /// The failures before any change; set before a change is first requested.
    pub(super) first_report: Option<FailureReport>,
    /// The identity of the failure across runs.
    pub(super) fingerprint: Option<Fingerprint>,
    /// The class of the failure.
    pub(super) triage: Triage,
    /// Findings of scanners in addition to the failure, masked.
    pub(super) findings: Vec<ReportedFinding>,
}

impl KnownFailure {
    /// Returns the failure that the log of the task shows.
    pub(super) fn read_log(inputs: &EngineInputs<'_>) -> Self {
        let EngineInputs { world, task, .. } = inputs;
        let triage = masked_triage(world.masker, task.log_triage.clone());
        Self {
            report: masked(world.masker, task.log.clone().unwrap_or_default()),
            first_report: None,
            fingerprint: None,
            triage: recognize_own_modules(world, triage),
            findings: masked_findings(world.masker, task.findings.clone()),
        }
    }

    /// Takes the failures of the command in place of those of the given log. Findings of a scanner in the log are not
    /// about the command, so they are kept.
    pub(super) fn replace_report(&mut self, report: FailureReport) {
        let log = std::mem::replace(&mut self.report, report);
        let repeats = |finding: &&Failure| {
            self.report.failures.iter().any(|failure| failure.identity() == finding.identity())
        };
        let is_scanner = |failure: &&Failure| ReportedFinding::is_scanner(&failure.toolchain);
        let of_scanner = log.failures.iter().filter(is_scanner);
        let findings =
            of_scanner.filter(|finding| !repeats(finding)).map(ReportedFinding::of_failure);
        self.findings.extend(findings);
    }

    /// Returns the findings of scanners as a report.
    pub(super) fn list_findings(&self) -> FailureReport {
        let failures = self.findings.iter().map(ReportedFinding::to_failure).collect();
        FailureReport { failures, ..FailureReport::default() }
    }

    /// Returns the failure with the first findings of scanners, which choose files of the context after its own.
    pub(super) fn with_findings(&self) -> FailureReport {
        let mut report = self.report.clone();
        let findings = self.findings.iter().take(CONTEXT_FINDINGS);
        report.failures.extend(findings.map(ReportedFinding::to_failure));
        report
    }

    /// Returns the failures before any change.
    pub(super) fn original(&self) -> &FailureReport {
        self.first_report.as_ref().unwrap_or(&self.report)
    }

    /// Returns the first failure in the words of the tool, else the goal; empty without both.
    pub(super) fn describe(&self, goal: Option<&str>) -> String {
        let failure = self.report.failures.first().map(Failure::headline);
        failure.or_else(|| goal.map(str::to_owned)).unwrap_or_default()
    }

    /// Returns a reason and a hint if earlier runs have tried to fix this failure too often.
    pub(super) fn check_attempt_history(
        &mut self,
        inputs: &EngineInputs<'_>,
    ) -> Option<(String, String)> {
        let root = format!("{}/", inputs.world.tree.root().display());
        let fingerprint = Fingerprint::of(&self.report, &root, inputs.task.goal.as_deref());
        self.first_report = Some(self.report.clone());
        let refused = inputs.world.history.and_then(|history| history.refuses(&fingerprint));
        self.fingerprint = Some(fingerprint);
        refused
    }

    /// Returns the failures for a request.
    ///
    /// While the files are unchanged, failures of the given log that propose a fix are added if the output of the
    /// command does not repeat them. After a change their line numbers are outdated.
    pub(super) fn report_for_request(
        &self,
        inputs: &EngineInputs<'_>,
        is_unchanged: bool,
    ) -> FailureReport {
        let mut report = self.report.clone();
        if let Some(log) = inputs.task.log.as_ref().filter(|_| is_unchanged) {
            let proposing = log.failures.iter().filter(|failure| !failure.fixes.is_empty());
            let known = |failure: &&Failure| {
                report.failures.iter().any(|known| known.fixes == failure.fixes)
            };
            let more = proposing.filter(|failure| !known(failure)).cloned().collect();
            let more = FailureReport { failures: more, ..FailureReport::default() };
            report.failures.extend(masked(inputs.world.masker, more).failures);
        }
        report
    }

    /// Gives a suspected flake the class `code` if `count`, its re-runs that failed, is the number that the
    /// settings allow: a test that fails every time is no flake.
    pub(super) fn count_flake_reruns(&mut self, inputs: &EngineInputs<'_>, count: usize) {
        if u32::try_from(count).unwrap_or(u32::MAX) < inputs.rules.flake_reruns {
            return;
        }
        let line = format!("looked like a flake, and failed again in each of {count} more runs");
        self.triage.class = FailureClass::Code;
        self.triage.next_step = None;
        let evidence = Evidence { rule: "reruns".to_owned(), line, number: None };
        self.triage.evidence.insert(0, evidence);
    }

    /// Emits the class of the failure with the rules that decided it.
    pub(super) fn emit_triage(&self, inputs: &EngineInputs<'_>) {
        let rules: Vec<&str> = self.triage.evidence.iter().map(|it| it.rule.as_str()).collect();
        inputs.emit_event(
            Event::new(EventName::FailureTriaged)
                .with("class", self.triage.class.name())
                .with("rules", rules.join(" ")),
        );
    }
}

/// Masks secrets in a report: it becomes part of requests, recordings, plans and outcomes.
pub(super) fn masked(masker: &Masker, mut report: FailureReport) -> FailureReport {
    let mask = |text: &mut String| *text = masker.mask(text).into_owned();
    for failure in &mut report.failures {
        mask(&mut failure.message);
        mask(&mut failure.quoted);
        let Failure { test, expected, actual, .. } = failure;
        [test, expected, actual].into_iter().flatten().for_each(mask);
    }
    report.command.iter_mut().for_each(mask);
    mask(&mut report.excerpt);
    mask(&mut report.raw);
    report
}

/// Masks secrets in findings.
fn masked_findings(masker: &Masker, mut findings: Vec<ReportedFinding>) -> Vec<ReportedFinding> {
    for finding in &mut findings {
        finding.message = masker.mask(&finding.message).into_owned();
    }
    findings
}

/// Masks secrets in the lines of evidence of a class.
pub(super) fn masked_triage(masker: &Masker, mut triage: Triage) -> Triage {
    for evidence in &mut triage.evidence {
        evidence.line = masker.mask(&evidence.line).into_owned();
    }
    triage
}
