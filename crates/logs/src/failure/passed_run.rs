//! Finds out whether the last tests of a log passed: the errors that they printed before are output of their own.

use papayu_base::domain::FailureKind;

use super::findings::LogFailures;
use super::structure::{KeptLines, RunVerdict, read_failed, read_passed};

/// The toolchain of coverage below its limit.
const COVERAGE: &str = "coverage";

/// The last words of jobs that succeeded, of GitLab, Jenkins and Travis.
const SUCCESSES: [&str; 3] =
    ["Job succeeded", "Finished: SUCCESS", "Done. Your build exited with 0."];

/// Returns `true` if the last line of a log is that of a job that succeeded.
pub(crate) fn ends_in_success(log: &str) -> bool {
    let last = log.lines().rev().map(str::trim_end).find(|line| !line.is_empty());
    last.is_some_and(|line| SUCCESSES.iter().any(|end| line.ends_with(end)))
}

/// The runs of a log so far.
#[derive(Debug, Default)]
pub(super) struct PassedRun {
    /// The number of lines so far, and of those until the last run passed.
    lines: u64,
    passed_until: u64,
    /// The failures that were found until the last run passed; `None` if none passed.
    found_before: Option<usize>,
    /// A run failed.
    has_failed_run: bool,
    /// If only the mark of a test shows that the run has begun, the number of failures before the last one; scripts print
    /// such marks, too.
    last_mark: Option<usize>,
    /// The run that is under way may have failed.
    has_perhaps_failed: bool,
    /// A command failed, or something failed after the last run.
    has_failed_command: bool,
    /// The lines after the last run that passed.
    after: KeptLines,
    /// The number of failures and the lines before the run that is under way.
    start: Option<(usize, KeptLines)>,
    /// The number of failures before the first run.
    first: Option<usize>,
}

impl PassedRun {
    /// Reads the next line; `is_cued` is `true` if it may be about a failure, and `is_run` if it may be about a run that
    /// passes. Returns the verdict of the start or the success of a run.
    pub(super) fn read_line(
        &mut self,
        line: &str,
        is_cued: bool,
        is_run: bool,
    ) -> Option<RunVerdict> {
        let passed = is_run.then(|| read_passed(line)).flatten();
        let verdict = passed.or_else(|| {
            // After a run that failed, only the end of another one is of interest.
            let is_open = is_cued && (!self.has_failed_run() || self.start.is_some());
            is_open.then(|| read_failed(line, self.found_before.is_some())).flatten()
        });
        match verdict {
            // The total of the run that is under way decides.
            Some(RunVerdict::PerhapsFailed) if self.start.is_some() && self.last_mark.is_none() => {
                self.has_perhaps_failed = true;
            }
            Some(RunVerdict::Failed | RunVerdict::PerhapsFailed) => {
                self.has_failed_run = true;
                self.start = None;
            }
            Some(RunVerdict::Exited | RunVerdict::Ended) => self.has_failed_command = true,
            // Each test of a run has such a line.
            Some(RunVerdict::StartedTest) => return verdict.filter(|_| self.start.is_none()),
            Some(RunVerdict::Started | RunVerdict::PassedTest | RunVerdict::Passed) => {
                return verdict;
            }
            None => {}
        }
        if self.found_before.is_some() {
            self.after.push_line(line, is_cued);
        }
        None
    }

    /// Notes the failures and the lines before a run that starts, and takes back those of a run that passed; `is_alone` is `true`
    /// if they are those of one job.
    pub(super) fn note_verdict(
        &mut self,
        verdict: RunVerdict,
        findings: &mut LogFailures,
        kept: &mut KeptLines,
        is_alone: bool,
    ) {
        let is_passed = verdict == RunVerdict::Passed && self.start.is_some();
        self.has_failed_run |= std::mem::take(&mut self.has_perhaps_failed) && !is_passed;
        if verdict != RunVerdict::Passed {
            self.first.get_or_insert(findings.len());
            if verdict != RunVerdict::PassedTest {
                self.last_mark = None;
            } else if self.start.is_none() || self.last_mark.is_some() {
                self.last_mark = Some(findings.len());
            }
            if verdict != RunVerdict::PassedTest || self.start.is_none() {
                self.start = Some((findings.len(), kept.clone()));
            }
            return;
        }
        match (self.start.take().filter(|_| is_alone), self.last_mark.take()) {
            // Between two marks are failures that tests expected.
            (Some((found, _)), Some(last)) => findings.retain(|at, _| at < found || at >= last),
            (Some((found, before)), None) => {
                findings.truncate(found);
                *kept = before;
            }
            (None, _) => {}
        }
        self.after = KeptLines::default();
        self.passed_until = self.lines;
        self.found_before = Some(findings.count_added());
    }

    /// Counts a line of the log.
    pub(super) fn count_line(&mut self) {
        self.lines += 1;
    }

    /// Returns the number of the last line of the runs that passed.
    pub(super) fn passed_until(&self) -> u64 {
        self.passed_until
    }

    /// Returns the lines after the last run that passed.
    pub(super) fn after_mut(&mut self) -> &mut KeptLines {
        &mut self.after
    }

    fn has_failed_run(&self) -> bool {
        self.has_failed_run || self.has_perhaps_failed
    }

    /// Returns `true` if a run passed and none failed: crashes that were printed may be those of its tests.
    pub(super) fn has_only_passed(&self) -> bool {
        self.found_before.is_some() && !self.has_failed_run()
    }

    /// Removes the failures of runs that passed. Programs that crashed before the first run were none of their tests, and no
    /// test prints the coverage.
    ///
    /// None is left if the job `has_succeeded`: a failure that the CI system ignored is none of the job.
    pub(super) fn take_back(&self, findings: &mut LogFailures, has_succeeded: bool) {
        let first = self.first.unwrap_or_default();
        findings.retain(|at, failure| {
            let is_earlier =
                at < first && failure.kind == FailureKind::Crash && failure.test.is_none();
            !has_succeeded && (is_earlier || failure.toolchain == COVERAGE)
        });
    }

    /// Returns the lines after the last run if all runs passed and no failure was found since.
    pub(super) fn lines_after(&self, found: usize) -> Option<&KeptLines> {
        let has_passed = !self.has_failed_run() && !self.has_failed_command;
        (has_passed && self.found_before == Some(found)).then_some(&self.after)
    }
}
