//! Finds out what a test printed that passed: it is no failure of a run in which others fail.

use super::findings::LogFailures;
use super::structure::{KeptLines, TestOutput, read_failed, read_test};

/// Parts of which each line about the output of one test has one.
pub(super) const CUES: &[&str] = &[
    "[ RUN ", "    OK ] ", "=== RUN", "=== PAUSE", "=== CONT", "--- PASS", "--- SKIP", "--- FAIL",
    "FAILED  ]", " Test Case ", "Test Case '", " Test ", "    Start ", " Test #", ".py::",
    ") ... ", " ... ok", "PASS [", "FAIL [", "LEAK [", "OUT [", "Summary [", " PASSES =", " =====",
    " flaky", "Flakes:", "# Subtest: ",
];

/// The output that follows, and what was known before it.
#[derive(Debug, Default)]
pub(super) struct PassedTest {
    running: Option<RunningOutput>,
    /// The lines of a list name tests that passed on a later try.
    is_flaky: bool,
}

/// The output of a test.
#[derive(Debug)]
struct RunningOutput {
    output: TestOutput,
    /// The number of failures before it.
    found: usize,
    /// The lines since it began.
    lines: usize,
}

impl PassedTest {
    /// Takes back the failures of a test in a list of those that passed on a later try.
    pub(super) fn read_flaky(&mut self, line: &str, findings: &mut LogFailures) {
        if !self.is_flaky {
            return;
        }
        let name = line.trim_end_matches(['─', ' ']);
        self.is_flaky = name.contains(char::is_alphabetic) && read_failed(line, false).is_none();
        if self.is_flaky {
            let is_named = |test: &str| name.ends_with(test);
            findings.retain(|_, failure| !failure.test.as_deref().is_some_and(is_named));
        }
    }

    /// Reads a line; `is_cued` is `true` if it has one of the cues.
    pub(super) fn read_line(&mut self, line: &str, is_cued: bool) -> [Option<TestOutput>; 2] {
        if let Some(running) = &mut self.running {
            running.lines += 1;
        }
        if is_cued { read_test(line) } else { [None, None] }
    }

    /// Notes where the output of a test begins, and takes back what a test printed that passed.
    pub(super) fn note_output(
        &mut self,
        output: TestOutput,
        findings: &mut LogFailures,
        kept: [&mut KeptLines; 2],
    ) {
        match output {
            TestOutput::Passed(passed) => {
                let Some(running) = self.running.take_if(|it| it.output.is_ended_by(&passed))
                else {
                    return;
                };
                findings.truncate(running.found);
                for kept in kept {
                    kept.remove_last(running.lines);
                }
            }
            TestOutput::PassedLate(test) => {
                findings.retain(|_, failure| failure.test.as_ref() != Some(&test));
            }
            TestOutput::BeginsFlaky => self.is_flaky = true,
            // The output of tests that run at the same time is mixed.
            TestOutput::Failed => self.running = None,
            TestOutput::Begins(_) | TestOutput::BeginsHere | TestOutput::BeginsPassed => {
                if !self.running.as_ref().is_some_and(|it| it.output.has_part(&output)) {
                    self.running = Some(RunningOutput { output, found: findings.len(), lines: 0 });
                }
            }
        }
    }
}
