//! Compares the collected signals with the failures that the parsers found.
//!
//! The order of evidence is: failed tests, decisive lines, messages of compilers and linters, other lines, a signal that
//! killed the command.

use std::borrow::Cow;

use super::packages::triage_packages;
use super::rules::{RULES, SignalRule, find_rule};
use super::signals::{SignalLine, Signals, cut_line};
use super::similar::estimate_class;
use crate::failure::paths::is_dependency;
use crate::failure::{ends_in_success, has_failure_word};
use papayu_base::domain::{Evidence, Failure, FailureClass, FailureKind, FailureReport, Triage};

/// Lines of evidence that are handed over at the most.
const MAX_EVIDENCE: usize = 5;

/// Tests that may run into a time limit at once and still look like bad luck.
// More tests at once point to a common cause.
const MAX_FLAKES: usize = 2;

/// The first lines of a test's message, in which a sign of a flake counts.
const SIGN_LINES: usize = 4;

/// Lines of a message that are compared with rules.
const MESSAGE_LINES: usize = 8;

/// Toolchains with errors that are often those of a service, at the place of the configuration that asks for it.
const REMOTE_TOOLS: [&str; 4] = ["terraform", "ansible", "helm", "docker"];

/// The beginnings of paths of files that no repository has.
const OUTSIDE: [&str; 8] =
    ["/usr/", "/etc/", "/opt/", "/var/", "/proc/", "/tmp/", "/dev/", "/root/."];

/// Ends of the words in the names of commands that check code.
const CHECKS: [&str; 9] =
    ["test", "tests", "lint", "check", "spec", "specs", "verify", "unit", "typecheck"];

/// The probability from which the words of a message decide where nothing else does, and against other evidence.
pub(super) const LIKELY: f32 = 0.7;
const SURE: f32 = 0.8;

/// The exit code of a shell for a command that is not found.
const NOT_FOUND: i32 = 127;

/// The lowest exit code of a command that could not run, or that a signal ended.
const MIN_SIGNAL: i32 = 126;

/// The classes by strength, if lines give evidence for several: an unreachable registry looks to a resolver
/// like a version that does not exist.
const STRENGTH: [FailureClass; 5] = [
    FailureClass::Infrastructure,
    FailureClass::Environment,
    FailureClass::Dependency,
    FailureClass::Formatting,
    FailureClass::Code,
];

/// The end of the command that printed the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// It is a log from elsewhere.
    Unknown,
    /// With this code.
    Code(i32),
    /// A signal of this number ended it.
    Signal(i32),
}

impl CommandEnd {
    /// Returns `true` for SIGKILL, as a signal or as a shell's exit code.
    // A shell reports 128 plus the number of the signal.
    fn is_kill(self) -> bool {
        matches!(self, Self::Code(137) | Self::Signal(9))
    }
}

/// Returns the cause of a failure.
///
/// Failures that are all packages which are not there have the class `dependency`. Any other failed test means that
/// the code is the cause. So does the message of a compiler, interpreter or linter,
/// unless a rule matches the message itself or a decisive line. Other lines count only if no parser found a
/// failure.
pub fn classify(signals: &Signals, report: &FailureReport, ending: CommandEnd) -> Triage {
    // A failure that the CI system ignored is none of the job.
    if ending == CommandEnd::Unknown && ends_in_success(&report.raw) {
        return Triage::default();
    }
    // All tests passed, so that only something after them can have failed.
    if ending == CommandEnd::Unknown && report.passed {
        let is_later = |hit: &SignalLine| !hit.is_claimed && hit.number > report.passed_until;
        return triage_lines(signals, |_, hit| is_later(hit)).unwrap_or_default();
    }
    let (tests, others): (Vec<_>, Vec<_>) = report
        .failures
        .iter()
        .filter(|failure| failure.kind != FailureKind::Unknown)
        .partition(|failure| failure.kind == FailureKind::Test || failure.test.is_some());
    // Tests first: they are the evidence of an outcome's class.
    let all: Vec<&Failure> = tests.iter().chain(&others).copied().collect();
    // Missing packages are asked first, because they make every test fail.
    if let Some(triage) = triage_packages(&all) {
        return triage;
    }
    if !tests.is_empty() {
        // A compiler error next to a failed test means that the code is broken, not that the test is flaky.
        let flakes = triage_flakes(&tests, signals).filter(|_| others.is_empty());
        let flakes = flakes.or_else(|| triage_machine(&tests));
        return flakes.unwrap_or_else(|| triage_code(&tests));
    }
    // A decisive line outweighs messages of compilers, which may be its consequence.
    if let Some(triage) = triage_lines(signals, |rule, _| rule.decisive) {
        return triage;
    }
    if !others.is_empty() {
        let triage = triage_messages(&others);
        let is_code = triage.class == FailureClass::Code;
        // Compilers and build tools report packages that they cannot find, too.
        let packages = triage_similar(report, SURE)
            .filter(|similar| is_code && similar.class == FailureClass::Dependency);
        return packages.unwrap_or(triage);
    }
    if let Some((number, line)) = &signals.failed_tests {
        return triage_failed_tests(*number, line);
    }
    // Lines that belong to a parsed failure are evidence of the code.
    if let Some(triage) = triage_lines(signals, |_, hit| !hit.is_claimed) {
        return triage;
    }
    // A lock file of the repository may be the place of an error about packages.
    if let Some(triage) =
        triage_similar(report, SURE).filter(|found| found.class != FailureClass::Code)
    {
        return triage;
    }
    // Scripts use the same words about deployments and installations, so other lines are asked first.
    if let Some((number, line)) = &signals.perhaps_failed {
        return triage_failed_tests(*number, line);
    }
    let triage = triage_missing(report, ending).or_else(|| triage_places(report));
    let triage = triage.or_else(|| triage_command(report));
    if let Some(triage) = triage.or_else(|| triage_similar(report, LIKELY)) {
        return triage;
    }
    // The weakest evidence: only the way in which the command ended.
    if ending.is_kill() {
        return triage_kill();
    }
    Triage::default()
}

/// Returns the class `code` with the failures as evidence.
fn triage_code(failures: &[&Failure]) -> Triage {
    let evidence =
        failures.iter().take(MAX_EVIDENCE).map(|failure| failure_evidence("code", failure));
    Triage { class: FailureClass::Code, evidence: evidence.collect(), next_step: None }
}

/// Returns the first line of a failure as evidence.
fn failure_evidence(rule: &str, failure: &Failure) -> Evidence {
    let message = failure.message.lines().next().unwrap_or_default();
    // The test's name is the evidence if its message is empty.
    let line = match &failure.test {
        Some(test) if message.is_empty() => test.clone(),
        Some(test) => format!("{test}: {message}"),
        None => message.to_owned(),
    };
    Evidence { rule: rule.to_owned(), line: cut_line(&line), number: None }
}

/// Returns the class `code` for a runner's line about failed tests.
fn triage_failed_tests(number: u64, line: &str) -> Triage {
    let evidence =
        Evidence { rule: "failed-tests".to_owned(), line: line.to_owned(), number: Some(number) };
    Triage { class: FailureClass::Code, evidence: vec![evidence], next_step: None }
}

/// Returns the class `code` for errors of unknown tools, if they are at places in files of source.
fn triage_places(report: &FailureReport) -> Option<Triage> {
    let is_here = |failure: &&Failure| {
        let place = failure.locations.first();
        place.is_some_and(|at| {
            // A path alone may be that of a user's own settings.
            (at.line.is_some() || !at.path.contains("/.")) && is_of_code(&at.path)
        })
    };
    let placed = report.failures.iter().filter(is_here).take(MAX_EVIDENCE);
    let evidence: Vec<_> = placed.map(|failure| failure_evidence("structure", failure)).collect();
    (!evidence.is_empty()).then_some(Triage {
        class: FailureClass::Code,
        evidence,
        next_step: None,
    })
}

/// Returns the class `code` if the command that failed checks code, as its name shows, and printed a reason.
fn triage_command(report: &FailureReport) -> Option<Triage> {
    let command = report.command.as_deref().filter(|_| !report.failures.is_empty())?;
    let is_ended = report.exit_code.is_some_and(|code| (1..MIN_SIGNAL).contains(&code));
    let mut words = command.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let is_check = words.any(|word| CHECKS.iter().any(|check| word.ends_with(check)));
    (is_ended && is_check).then(|| Triage {
        class: FailureClass::Code,
        evidence: vec![Evidence {
            rule: "checker".to_owned(),
            line: cut_line(command),
            number: None,
        }],
        next_step: None,
    })
}

/// Returns the class of messages that have the same words. `None` if an error has a line of the code as its place, or
/// the class has a lower probability.
fn triage_similar(report: &FailureReport, probability: f32) -> Option<Triage> {
    let failures = &report.failures;
    if failures.iter().any(is_at_code) {
        return None;
    }
    let found = estimate_class(failures).filter(|found| found.probability >= probability)?;
    // The last line of any step may name a machine.
    let mut lines = failures.iter().filter_map(|failure| failure.message.lines().next());
    if found.class.is_outside() && !lines.any(has_failure_word) {
        return None;
    }
    let first = failures.first().map(|failure| failure_evidence(Triage::ESTIMATED, failure));
    let next_step = match found.class {
        FailureClass::Environment => Some("give the job what the message names"),
        FailureClass::Infrastructure => {
            Some("look at the machine or service that the message names, and run the job again")
        }
        _ => None,
    };
    let evidence = first.into_iter().collect();
    Some(Triage { class: found.class, evidence, next_step: next_step.map(Into::into) })
}

/// Returns the class `environment` if a shell did not find the command, whatever the language of its message.
fn triage_missing(report: &FailureReport, ending: CommandEnd) -> Option<Triage> {
    let code = match ending {
        CommandEnd::Code(code) => Some(code),
        CommandEnd::Unknown => report.exit_code,
        CommandEnd::Signal(_) => None,
    };
    let line = report.failures.last().and_then(|failure| failure.message.lines().next());
    code.filter(|code| *code == NOT_FOUND).map(|_| Triage {
        class: FailureClass::Environment,
        evidence: vec![Evidence {
            rule: "command-not-found".to_owned(),
            line: cut_line(line.unwrap_or("exit code 127")),
            number: None,
        }],
        next_step: Some("install the command that is missing, or correct its name".into()),
    })
}

/// Returns the class `infrastructure` for a killed command.
/// Linux kills the largest process when memory runs out, which is the usual cause of SIGKILL.
fn triage_kill() -> Triage {
    let line = "signal 9 (SIGKILL) ended the command".to_owned();
    Triage {
        class: FailureClass::Infrastructure,
        evidence: vec![Evidence { rule: "killed".to_owned(), line, number: None }],
        next_step: Some("give the job more memory, or run fewer processes at once".into()),
    }
}

/// Returns the class of the machine or of a service if each test failed for such a reason: the browser is not installed.
fn triage_machine(tests: &[&Failure]) -> Option<Triage> {
    let is_machine = |rule: &SignalRule| {
        let of_machine =
            matches!(rule.class, FailureClass::Environment | FailureClass::Infrastructure);
        rule.decisive && of_machine
    };
    let mut rules = tests.iter().map(|test| {
        // A test that compares texts may print any words.
        let is_compared = test.expected.is_some() || test.actual.is_some();
        let mut signs = test.message.lines().take(if is_compared { 0 } else { SIGN_LINES });
        signs.find_map(|line| Some((find_rule(&without_quotes(line.trim()), is_machine)?, line)))
    });
    let (first, line) = rules.next().flatten()?;
    let is_same = rules.all(|found| found.is_some_and(|(rule, _)| rule.class == first.class));
    let evidence = tests.iter().take(MAX_EVIDENCE).map(|test| failure_evidence(&first.name, test));
    is_same.then(|| Triage {
        class: first.class,
        evidence: evidence.collect(),
        next_step: Some(first.next_step(line).into()),
    })
}

/// Returns a line without the texts in double quotes, of which a test has several if it compares them.
fn without_quotes(line: &str) -> Cow<'_, str> {
    if line.matches('"').count() < 4 {
        return line.into();
    }
    line.split('"').step_by(2).collect::<Vec<_>>().join("\"\"").into()
}

/// Every failing test shows a sign, few enough of them, and others have passed.
fn triage_flakes(tests: &[&Failure], signals: &Signals) -> Option<Triage> {
    let mut evidence = Vec::new();
    let mut next_step = None;
    // One test without a sign is enough for the code to be the cause.
    for test in tests {
        let is_flake = |rule: &SignalRule| rule.class == FailureClass::TestFlake;
        let mut signs = test.message.lines().take(SIGN_LINES);
        let rule = signs.find_map(|line| find_rule(line.trim(), is_flake))?;
        next_step = Some(rule.next_step(&test.message).into());
        evidence.push(failure_evidence(&rule.name, test));
    }
    // Without a passed test the whole suite is broken.
    (tests.len() <= MAX_FLAKES && signals.saw_passed_tests).then_some(Triage {
        class: FailureClass::TestFlake,
        evidence,
        next_step,
    })
}

/// The class of failures without a test: the code's, unless each is a formatter's or a rule's line.
fn triage_messages(failures: &[&Failure]) -> Triage {
    let mut evidence = Vec::new();
    let mut class: Option<(FailureClass, Option<String>)> = None;
    // All failures must agree; otherwise the code is the cause.
    for failure in failures {
        let (own, rule, next) = match message_rule(failure) {
            Some(rule) => (rule.class, rule.name.as_str(), Some(rule.next_step(&failure.message))),
            None if is_formatting(failure) => (FailureClass::Formatting, "formatter", None),
            None => return triage_code(failures),
        };
        if class.as_ref().is_some_and(|(class, _)| *class != own) {
            return triage_code(failures);
        }
        class = Some((own, next));
        evidence.push(failure_evidence(rule, failure));
    }
    // A few lines convince a reader; the report has all failures.
    evidence.truncate(MAX_EVIDENCE);
    let (class, next_step) = class.unwrap_or_default();
    Triage { class, evidence, next_step: next_step.map(Into::into) }
}

/// Returns the rule of a failure's first line, or of a later line about the machine or a service.
fn message_rule(failure: &Failure) -> Option<&'static SignalRule> {
    // Signs of a flake count in messages of tests only.
    // An error that the code raises may have any words.
    let is_of_code = is_at_code(failure) && !REMOTE_TOOLS.contains(&failure.toolchain.as_str());
    let wanted =
        |rule: &SignalRule| rule.class != FailureClass::TestFlake && !(rule.words && is_of_code);
    let of_machine = |rule: &SignalRule| {
        !rule.words
            && matches!(rule.class, FailureClass::Infrastructure | FailureClass::Environment)
    };
    let mut lines = failure.message.lines().take(MESSAGE_LINES);
    let first_line = lines.next().unwrap_or_default();
    // Parsers remove the prefix.
    find_rule(first_line, wanted)
        .or_else(|| find_rule(&format!("error: {first_line}"), wanted))
        .or_else(|| find_rule(&format!("Error: {first_line}"), wanted))
        .or_else(|| lines.find_map(|line| find_rule(line, of_machine)))
}

/// Returns `true` for an error at a line of a file of the repository.
fn is_at_code(failure: &Failure) -> bool {
    failure.locations.iter().any(|at| at.line.is_some() && is_of_code(&at.path))
}

/// Returns `true` for a path that may be one of the repository.
fn is_of_code(path: &str) -> bool {
    !OUTSIDE.iter().any(|start| path.starts_with(start)) && !is_dependency(path)
}

/// Returns `true` for the finding of a formatter.
// The parsers give these codes to findings of formatters.
fn is_formatting(failure: &Failure) -> bool {
    failure.kind == FailureKind::Lint
        && (failure.message.starts_with("not formatted as ")
            || matches!(
                failure.code.as_deref(),
                Some("unformatted" | "format" | "prettier/prettier")
            ))
}

/// The strongest class that a wanted line speaks for.
fn triage_lines(
    signals: &Signals,
    wanted: impl Fn(&SignalRule, &SignalLine) -> bool,
) -> Option<Triage> {
    let hits: Vec<(&SignalLine, &'static SignalRule)> = signals
        .hits
        .iter()
        .filter_map(|hit| Some((hit, RULES.get(hit.rule)?)))
        .filter(|(hit, rule)| wanted(rule, hit))
        .collect();
    // One class must win, and its lines are the evidence.
    let class = STRENGTH.into_iter().find(|class| hits.iter().any(|(_, r)| r.class == *class))?;
    let speaking: Vec<_> = hits.into_iter().filter(|(_, rule)| rule.class == class).collect();
    // The last line is the nearest to the failure.
    let next_step = speaking.last().map(|(hit, rule)| rule.next_step(&hit.line).into());
    // The latest lines first.
    let evidence = speaking.iter().rev().take(MAX_EVIDENCE).map(|(hit, rule)| Evidence {
        rule: rule.name.clone(),
        line: hit.line.clone(),
        number: Some(hit.number),
    });
    Some(Triage { class, evidence: evidence.collect(), next_step })
}
