//! Collects the lines of a log that are evidence of a class, in bounded memory.
//!
//! Only lines near the end of the failing step count: earlier ones were retried, or the job would have ended there.

use std::collections::VecDeque;
use std::sync::LazyLock;

use super::rules::{RULES, SignalRule, WENT_WELL, find_cued};
use papayu_base::domain::FailureClass;
use papayu_base::text::Pattern;
use papayu_base::text::WordFinder;

/// Lines that are kept at the most; the latest stay.
/// The class depends on few lines; more would only cost memory.
const MAX_HITS: usize = 64;
/// Longest kept line, in characters.
const MAX_LINE_CHARS: usize = 300;
/// The number of lines above the end of the failing part that still count.
/// Runners print some hundred lines of cleanup and of summaries.
const REACH: u64 = 400;

/// The lines at which a step ends because it failed; later lines are cleanup.
const STEP_ENDS: [&str; 4] = [
    "##[error]Process completed with exit code",
    "ERROR: Job failed",
    "npm ERR! A complete log of this run",
    "npm error A complete log of this run",
];

/// The lines of all test runners about failed tests.
const FAILED_TESTS: &str = r"(?x)
    (?-u:\b)[1-9]\d*\ (?:tests?|examples?|specs?|assertions?|scenarios?|suites?)?\ ?(?:failed|failing|failures?)(?-u:\b)
  | (?-u:\b)(?:Failed|Failures|failures|Errors|failed)\s*[:=]\ ?[1-9]
  | ^(?:ℹ|\#)\ fail\ [1-9] | ^not\ ok\ \d | ^---\ FAIL | ^FAIL(?-u:\b) | (?-u:\b)FAILED(?-u:\b) | ^✗\ | ^✕\ | ^\s+[✗✕✘×]\ ";

// Gradle and Maven print them for a build step of any kind.
/// Lines of build tools that look like [`FAILED_TESTS`] and name no test.
const FAILED_STEPS: [&str; 4] =
    ["BUILD FAILED", "INSTALLATION FAILED", "> Task ", "Execution failed for task "];

/// The lines of all test runners about passed tests.
const PASSED_TESTS: &str = r"(?x)
    (?-u:\b)[1-9]\d*\ (?:tests?\ )?(?:passed|passing)(?-u:\b) | ^\s*[✓✔√]\ | ^\s*---\ PASS | \.\.\.\ ok$ | \ PASSED(?-u:\b)
  | ^(?:ℹ|\#)\ pass\ [1-9] | ^ok\ \d";

/// Parts of which one is in every line that [`FAILED_TESTS`] fits.
const FAILED_CUES: [&str; 8] = ["ail", "FAIL", "Errors", "not ok", "✗", "✕", "✘", "×"];
/// The same of [`PASSED_TESTS`].
const PASSED_CUES: [&str; 6] = ["pass", "PASS", "ok", "✓", "✔", "√"];

/// The meaning of a part of a line.
#[derive(Clone, Copy)]
enum Cue {
    /// The end of a step.
    StepEnd,
    /// The place of an entry of [`WENT_WELL`].
    WentWell(usize),
    /// The place of a rule.
    SignalRule(usize),
    Failed,
    Passed,
}

/// All parts that mean something, found in one pass over a line.
// One automaton for all cues, so that a line is read once.
static CUES: LazyLock<(WordFinder, Vec<Cue>)> = LazyLock::new(|| {
    let well = WENT_WELL.iter().enumerate().map(|(at, (_, part))| (*part, Cue::WentWell(at)));
    let rules = RULES.iter().enumerate().map(|(at, rule)| (rule.cue.as_str(), Cue::SignalRule(at)));
    let ends = STEP_ENDS.into_iter().map(|end| (end, Cue::StepEnd));
    let failed = FAILED_CUES.into_iter().map(|part| (part, Cue::Failed));
    let passed = PASSED_CUES.into_iter().map(|part| (part, Cue::Passed));
    let all = ends.chain(well).chain(rules).chain(failed).chain(passed);
    let (parts, cues): (Vec<&str>, Vec<Cue>) = all.unzip();
    (WordFinder::new(parts), cues)
});
static FAILED: Pattern = Pattern::new(FAILED_TESTS);
static PASSED: Pattern = Pattern::new(PASSED_TESTS);

/// A line that fits a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SignalLine {
    /// The index of its rule in the table, from 0.
    pub(super) rule: usize,
    /// The number of the line in the log, from 1.
    pub(super) number: u64,
    pub(super) line: String,
    /// A parser knows the line as part of a failure.
    pub(super) is_claimed: bool,
}

/// Listens; memory does not grow with the log.
#[derive(Debug, Default)]
pub struct SignalCollector {
    /// The number of lines so far.
    lines: u64,
    /// The latest lines that match a rule.
    hits: VecDeque<SignalLine>,
    /// The number of the line at which the last failing step ended.
    step_end: Option<u64>,
    failed_tests: Option<(u64, String)>,
    saw_passed_tests: bool,
}

/// The signals of one log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// Lines of the failing part that fit a rule, in order.
    pub(super) hits: Vec<SignalLine>,
    /// The last line of a test runner about failed tests, with its number.
    pub(super) failed_tests: Option<(u64, String)>,
    /// Some test passed.
    pub(super) saw_passed_tests: bool,
}

impl SignalCollector {
    /// Reads the next cleaned line; `is_claimed` is `true` if a parser knows it as part of a
    /// failure.
    pub fn push_line(&mut self, line: &str, is_claimed: bool) {
        // Empty lines count: numbers are those of the log.
        self.lines += 1;
        if line.is_empty() {
            return;
        }
        let (finder, meanings) = &*CUES;
        // Without an automaton no line means anything.
        let Some(cues) = finder.for_text(line) else { return };
        let (mut cued, mut may_fail, mut may_pass) = (Vec::new(), false, false);
        for found in cues.find_overlapping_iter(line) {
            match meanings.get(found.pattern().as_usize()) {
                // Only at the start of a line: a test may print the same words.
                Some(Cue::StepEnd) if found.start() == 0 => self.step_end = Some(self.lines),
                Some(Cue::WentWell(at)) => self.note_success(line, *at),
                Some(Cue::SignalRule(at)) => cued.push(*at),
                Some(Cue::Failed) => may_fail = true,
                Some(Cue::Passed) => may_pass = true,
                Some(Cue::StepEnd) | None => {}
            }
        }
        // Rules for flakes apply to the messages of tests only.
        let is_wanted = |rule: &SignalRule| rule.class != FailureClass::TestFlake;
        if let Some(rule) = find_cued(line, cued, is_wanted) {
            // The latest lines are the nearest to the failure.
            if self.hits.len() == MAX_HITS {
                self.hits.pop_front();
            }
            self.hits.push_back(SignalLine {
                rule,
                number: self.lines,
                line: cut_line(line),
                is_claimed,
            });
        }
        self.saw_passed_tests |= may_pass && !self.saw_passed_tests && PASSED.is_match(line);
        // Asked last, because most lines do not come this far.
        let is_step = || FAILED_STEPS.iter().any(|part| line.contains(part));
        if may_fail && FAILED.is_match(line) && !is_step() {
            self.failed_tests = Some((self.lines, cut_line(line)));
        }
    }

    /// Returns what was kept of the failing part.
    pub fn finish(self) -> Signals {
        // A log that was cut off has no end of a step.
        let end = self.step_end.unwrap_or(self.lines);
        // A lost runner is reported after the step, or instead of its end.
        let is_near = |number: u64| number + REACH >= end;
        Signals {
            hits: self.hits.into_iter().filter(|hit| is_near(hit.number)).collect(),
            failed_tests: self.failed_tests.filter(|(number, _)| is_near(*number)),
            saw_passed_tests: self.saw_passed_tests,
        }
    }

    /// Drops the signals of a tool if the line is its message of success.
    fn note_success(&mut self, line: &str, at: usize) {
        if let Some((tool, part)) = WENT_WELL.get(at)
            && line.trim_start().starts_with(part)
        // A message of success begins its line.
        {
            self.take_back(tool);
        }
    }

    /// Removes the signals of a tool that succeeded on a later try.
    fn take_back(&mut self, tool: &str) {
        self.hits.retain(|hit| {
            RULES.get(hit.rule).is_none_or(|rule| rule.tool.as_deref() != Some(tool))
        });
    }
}

/// Returns at most the first characters of a line.
/// In characters, so that no character is cut.
pub(super) fn cut_line(line: &str) -> String {
    line.chars().take(MAX_LINE_CHARS).collect()
}
