//! Collects the lines of a log that are evidence of a class, in bounded memory.
//!
//! Only lines near the end of the failing step count: earlier ones were retried, or the job would have ended there.

use std::collections::VecDeque;
use std::sync::LazyLock;

use super::rules::{RULES, SignalRule, WENT_WELL, find_cued};
use crate::cue_finder::CueFinder;
use crate::failure::{StepState, StepTracker, is_expected_failure, is_passing};
use papayu_base::domain::FailureClass;
use papayu_base::text::Pattern;

/// Lines that are kept at the most; the latest stay.
/// The class depends on few lines; more would only cost memory.
const MAX_HITS: usize = 64;
/// Longest kept line, in characters.
const MAX_LINE_CHARS: usize = 300;
/// The number of lines above the end of the failing part that still count.
/// Runners print some hundred lines of cleanup and of summaries.
const REACH: u64 = 400;

/// The end of a tool that printed a summary of its failure; evidence is near it.
const TOOL_ENDS: [&str; 2] =
    ["npm ERR! A complete log of this run", "npm error A complete log of this run"];

/// Lines of test runners that count failed tests, or name one in a form that nothing else has.
const FAILED_TESTS: &str = r"(?x)
    (?:^|[\s(,\[])[1-9]\d*\ (?:tests?|examples?|specs?|assertions?|scenarios?|suites?)?\ ?(?:failed|failing|failures?)(?-u:\b)
  | (?-u:\b)(?:Failed|Failures|failures|Errors|failed)\s*[:=]\ ?[1-9]
  | ^(?:ℹ|\#)\ fail\ [1-9] | ^not\ ok\ \d | ^---\ FAIL ";

/// Words by which a line may be one of a failed test; scripts print them about anything.
const FAILED_WORDS: &str = r"^FAIL(?-u:\b)|(?-u:\b)FAILED(?-u:\b)|^✗ |^✕ |^\s+[✗✕✘×] ";

// Gradle and Maven print them for a build step of any kind.
/// Lines of build tools that look like [`FAILED_TESTS`] and name no test.
const FAILED_STEPS: [&str; 4] =
    ["BUILD FAILED", "INSTALLATION FAILED", "> Task ", "Execution failed for task "];

/// The lines of all test runners about passed tests.
const PASSED_TESTS: &str = r"(?x)
    (?-u:\b)[1-9]\d*\ (?:tests?\ )?(?:passed|passing)(?-u:\b) | ^\s*[✓✔√]\ | ^\s*---\ PASS | \.\.\.\ ok$ | \ PASSED(?-u:\b)
  | ^(?:ℹ|\#)\ pass\ [1-9] | ^ok\ \d";

/// Parts of which one is in every line that [`FAILED_TESTS`] or [`FAILED_WORDS`] fits.
const FAILED_CUES: [&str; 8] = ["ail", "FAIL", "Errors", "not ok", "✗", "✕", "✘", "× "];
/// The same of [`PASSED_TESTS`].
const PASSED_CUES: [&str; 7] = ["pass", "PASS", "ok ", "... ok", "✓", "✔", "√"];

/// The meaning of a part of a line.
#[derive(Clone, Copy)]
enum Cue {
    /// The end of a tool.
    ToolEnd,
    /// The place of an entry of [`WENT_WELL`].
    WentWell(usize),
    /// The place of a rule.
    SignalRule(usize),
    Failed,
    Passed,
}

/// All parts that mean something, found in one pass over a line.
static CUES: LazyLock<(CueFinder, Vec<Cue>)> = LazyLock::new(|| {
    let well = WENT_WELL.iter().enumerate().map(|(at, (_, part))| (*part, Cue::WentWell(at)));
    let rules = RULES.iter().enumerate().flat_map(|(at, rule)| {
        rule.cues.iter().map(move |cue| (cue.as_str(), Cue::SignalRule(at)))
    });
    let ends = TOOL_ENDS.into_iter().map(|end| (end, Cue::ToolEnd));
    let failed = FAILED_CUES.into_iter().map(|part| (part, Cue::Failed));
    let passed = PASSED_CUES.into_iter().map(|part| (part, Cue::Passed));
    let all = ends.chain(well).chain(rules).chain(failed).chain(passed);
    let (parts, cues): (Vec<&str>, Vec<Cue>) = all.unzip();
    (CueFinder::new(parts), cues)
});
static FAILED: Pattern = Pattern::new(FAILED_TESTS);
static PERHAPS_FAILED: Pattern = Pattern::new(FAILED_WORDS);
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
    steps: StepTracker,
    state: StepState,
    /// The number of the line at which the last failing step or tool ended.
    step_end: Option<u64>,
    /// A step has failed, and its lines are evidence of the cause.
    is_decided: bool,
    /// A line is evidence so far.
    has_evidence: bool,
    /// The number of the first line of the steps that run although one failed; `None` once one of them fails too.
    later_from: Option<u64>,
    failed_tests: Option<(u64, String)>,
    perhaps_failed: Option<(u64, String)>,
    saw_passed_tests: bool,
}

/// The signals of one log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// Lines of the failing part that fit a rule, in order.
    pub(super) hits: Vec<SignalLine>,
    /// The last line of a test runner about failed tests, with its number.
    pub(super) failed_tests: Option<(u64, String)>,
    /// The last line with a word for a failed test.
    pub(super) perhaps_failed: Option<(u64, String)>,
    /// Some test passed.
    pub(super) saw_passed_tests: bool,
}

impl SignalCollector {
    /// Reads the next cleaned line with its mark, such as `##[error]`; `is_claimed` is `true` if a parser knows it as
    /// part of a failure.
    pub fn push_line(&mut self, line: &str, is_claimed: bool) {
        // Empty lines count: numbers are those of the log.
        self.lines += 1;
        // A warning of the CI system fails no job.
        if line.is_empty() || line.starts_with("##[warning]") {
            return;
        }
        self.follow_steps(line);
        let (finder, meanings) = &*CUES;
        let (mut cued, mut may_fail, mut may_pass) = (Vec::new(), false, false);
        finder.find_cues(line, |cue, start| match meanings.get(cue) {
            // Only at the start of a line: a test may print the same words.
            Some(Cue::ToolEnd) if start == 0 => self.step_end = Some(self.lines),
            Some(Cue::WentWell(at)) => self.note_success(line, *at),
            Some(Cue::SignalRule(at)) => cued.push(*at),
            Some(Cue::Failed) => may_fail = true,
            Some(Cue::Passed) => may_pass = true,
            Some(Cue::ToolEnd) | None => {}
        });
        let is_over = self.is_over();
        self.has_evidence |= is_claimed && !is_over;
        self.match_rules(line, cued, is_claimed);
        self.saw_passed_tests |= may_pass && !self.saw_passed_tests && PASSED.is_match(line);
        if may_fail && !is_over {
            self.note_failed_tests(line);
        }
    }

    /// Follows the steps of the job: the evidence of the step that failed first decides.
    fn follow_steps(&mut self, line: &str) {
        let before = self.steps.state();
        // The line at which a step ends belongs to it.
        self.state = self.steps.read_line(line);
        if before == StepState::Running && self.steps.state() == StepState::Ended {
            self.step_end = Some(self.lines);
            self.later_from = None;
        }
        if before != StepState::Running && self.state == StepState::Running {
            self.is_decided |= self.has_evidence;
            self.later_from = self.later_from.or(Some(self.lines));
        }
    }

    /// Returns `true` if the step that decides is over, so that only the CI system's own lines count.
    fn is_over(&self) -> bool {
        self.is_decided || self.state != StepState::Running
    }

    /// Keeps the line if it matches a rule.
    fn match_rules(&mut self, line: &str, cued: Vec<usize>, is_claimed: bool) {
        if cued.is_empty() {
            return;
        }
        let is_over = self.is_over();
        // Rules for flakes apply to the messages of tests only.
        let is_wanted =
            |rule: &SignalRule| rule.class != FailureClass::TestFlake && (rule.after || !is_over);
        // Some rules need the mark, and most know the line without it.
        let bare = line.strip_prefix("##[error]");
        let found =
            find_cued(line, cued.clone(), is_wanted).or_else(|| find_cued(bare?, cued, is_wanted));
        let Some(rule) = found else { return };
        self.has_evidence |= !is_over;
        // The latest lines are the nearest to the failure.
        if self.hits.len() == MAX_HITS {
            self.hits.pop_front();
        }
        let shown = cut_line(line);
        self.hits.push_back(SignalLine { rule, number: self.lines, line: shown, is_claimed });
    }

    /// Keeps the line if it is one of a test runner about failed tests.
    fn note_failed_tests(&mut self, line: &str) {
        if is_expected_failure(line)
            || is_passing(line)
            || FAILED_STEPS.iter().any(|part| line.contains(part))
        {
            return;
        }
        if FAILED.is_match(line) {
            self.has_evidence = true;
            self.failed_tests = Some((self.lines, cut_line(line)));
        } else if PERHAPS_FAILED.is_match(line) {
            self.perhaps_failed = Some((self.lines, cut_line(line)));
        }
    }

    /// Returns what was kept of the failing part.
    pub fn finish(self) -> Signals {
        // A log that was cut off has no end of a step.
        let end = self.step_end.unwrap_or(self.lines);
        // A lost runner is reported after the step, or instead of its end.
        // Steps that ran although one failed, and passed, decide nothing.
        let later = self.later_from.unwrap_or(u64::MAX);
        let is_near = |number: u64| number + REACH >= end && number < later;
        let is_after = |hit: &SignalLine| RULES.get(hit.rule).is_some_and(|rule| rule.after);
        Signals {
            hits: self
                .hits
                .into_iter()
                .filter(|hit| is_near(hit.number) || is_after(hit))
                .collect(),
            failed_tests: self.failed_tests.filter(|(number, _)| is_near(*number)),
            perhaps_failed: self.perhaps_failed.filter(|(number, _)| is_near(*number)),
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
