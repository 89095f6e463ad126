//! The texts about a fix: commit message, title and body of the pull request.
//!
//! Much of the content comes from logs and models. It is quoted as code, so that it cannot notify
//! people, link to pages or pass for text of this program.

use std::fmt::Write as _;

use super::ProvedFix;
use super::marker::Marker;
use super::quoting::{clean_line, code_block, inline_code, quiet_line, wrap_line};
use papayu_base::domain::outcome::{CheckRecord, ProofLevel, ProofTests};
use papayu_base::domain::{Failure, FailureReport, Outcome, SelfCheckRecord};
use papayu_forge::git::{Oid, Trailers};

/// Longest title and longest line of a commit message, in characters.
const MAX_TITLE: usize = 72;
/// Most failures listed, and most lines of other lists.
const MAX_LISTED: usize = 10;

/// A fix with its place in the series of attempts.
pub(super) struct FixDescription<'a> {
    /// The fix.
    pub(super) fix: &'a ProvedFix,
    /// Number of this attempt, from 1.
    pub(super) attempt: u32,
    /// Most attempts; 0 is no limit.
    pub(super) max_attempts: u32,
    /// Runs before this one.
    pub(super) runs: Vec<String>,
}

impl FixDescription<'_> {
    /// Returns one line that names the fixed failure.
    pub(super) fn title(&self) -> String {
        let failures = &self.fix.failure.failures;
        let command = main_check(self.fix).map(|check| check.command.as_str());
        let what = match (failures.as_slice(), command) {
            ([one], _) => failure_name(one),
            ([], Some(command)) => format!("`{command}`"),
            ([], None) => "the build".to_owned(),
            ([one, ..], _) => format!("{} and {} more", failure_name(one), failures.len() - 1),
        };
        quiet_line(&format!("Fix {what}"), MAX_TITLE)
    }

    /// Returns the commit's message, trailers at its end.
    pub(super) fn message(&self) -> String {
        let Self { fix, attempt, .. } = self;
        let reason = quiet_line(&fix.outcome.reason, 400);
        let trailers = Trailers::format_trailers(&fix.run_id, &fix.fingerprint, *attempt);
        format!("{}\n\n{}\n\n{trailers}", self.title(), wrap_line(&reason, MAX_TITLE))
    }

    /// Returns the text of the pull request into the branch `target`, the marker on its first line.
    pub(super) fn body(&self, commit: &Oid, target: &str) -> String {
        let fix = self.fix;
        let runs = self.runs.iter().filter(|run| *run != fix.run_id.as_str()).cloned();
        let marker = Marker {
            fingerprint: fix.fingerprint.clone(),
            attempts: self.attempt,
            runs: runs.chain([fix.run_id.to_string()]).collect(),
            commit: commit.to_string(),
            base: fix.base.to_string(),
            target: target.to_owned(),
            is_withdrawn: false,
        };
        let of = match self.max_attempts {
            0 => String::new(),
            max => format!(" of {max}"),
        };
        let parts = [
            marker.to_line(),
            failures_section(&fix.outcome, &fix.failure),
            reason_section(fix),
            changes_section(fix),
            proof_section(fix),
            unchecked_section(&fix.outcome),
            cost_section(&fix.outcome),
            reproduce_section(fix, commit),
            undo_section(commit),
            format!(
                "---\nMade by papayu-batch: run `{}`, failure `{}`, attempt {}{of}, on commit {}.\n",
                fix.run_id, fix.fingerprint, self.attempt, fix.base
            ),
        ];
        parts.join("\n\n")
    }
}

/// Returns the run of the command that the title names.
fn main_check(fix: &ProvedFix) -> Option<&CheckRecord> {
    fix.outcome.verify.before.as_ref().or(fix.outcome.verify.after.as_ref())
}

/// Returns the section on the failures before the fix.
fn failures_section(outcome: &Outcome, report: &FailureReport) -> String {
    let mut text = "### What failed\n\n".to_owned();
    match &outcome.verify.before {
        Some(before) if before.exit_code != Some(0) => {
            let _ = writeln!(text, "{} {}.\n", inline_code(&before.command), describe_end(before));
        }
        _ => text.push_str("The log that the run was given.\n\n"),
    }
    for failure in report.failures.iter().take(MAX_LISTED) {
        let place = failure.locations.first();
        let place = place.map(|place| match place.line {
            Some(line) => format!(" at {}", inline_code(&format!("{}:{line}", place.path))),
            None => format!(" at {}", inline_code(&place.path)),
        });
        let first = failure.message.lines().next().unwrap_or_default();
        // A failure without a test is named by its message, which would appear twice.
        let message = if failure.test.is_some() && !first.is_empty() {
            format!(": {}", inline_code(first))
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "- {}{}{message}",
            inline_code(&failure_name(failure)),
            place.unwrap_or_default()
        );
    }
    push_more(&mut text, report.failures.len());
    text
}

/// Returns the section on the cause: the class of the failure with its evidence, and the summary.
fn reason_section(fix: &ProvedFix) -> String {
    let mut text = "### Why\n\n".to_owned();
    if let Some(class) = &fix.outcome.failure_class {
        let _ = writeln!(text, "The failure is one of {}.", inline_code(class));
    }
    for evidence in fix.outcome.failure_evidence.iter().take(3) {
        let _ = writeln!(text, "- {}", inline_code(evidence.line.trim()));
    }
    if let Some(changes) = &fix.outcome.changes {
        let _ = writeln!(text, "- {}", inline_code(&changes.line()));
    }
    if let Some(culprit) = &fix.outcome.culprit {
        let _ = writeln!(text, "- {}", inline_code(&culprit.line()));
    }
    if !fix.summary.trim().is_empty() {
        let who = fix.outcome.model.as_deref().filter(|model| !model.is_empty());
        let who = who.map_or_else(|| "the tools".to_owned(), inline_code);
        let _ = writeln!(text, "\nIn the words of {who}:\n\n{}", code_block(&fix.summary));
    }
    if let Some(check) = &fix.outcome.self_check {
        push_self_check(&mut text, check);
    }
    text
}

/// Adds the result of the self-check, with the claims that are not proved.
fn push_self_check(text: &mut String, check: &SelfCheckRecord) {
    let SelfCheckRecord { claims, proved, unproved } = check;
    let _ = writeln!(
        text,
        "\nSelf-check: the lines that the model cites prove {proved} of {claims} claims."
    );
    if !unproved.is_empty() {
        text.push_str("Not proved:\n\n");
    }
    for claim in unproved.iter().take(MAX_LISTED) {
        let place = inline_code(&format!("{}:{}", claim.path, claim.start_line));
        let reason = inline_code(&claim.reason);
        let _ = writeln!(text, "- {} ({place}): {reason}", inline_code(&claim.claim));
    }
    push_more(text, unproved.len());
}

/// Returns the section that lists the changed files.
fn changes_section(fix: &ProvedFix) -> String {
    let mut text = "### What changed\n\n".to_owned();
    for file in fix.files.as_slice().iter().take(MAX_LISTED) {
        let how = match (&file.before, &file.after) {
            (None, _) => " (new)",
            (_, None) => " (removed)",
            _ => "",
        };
        let _ = writeln!(text, "- {}{how}", inline_code(file.path.as_str()));
    }
    push_more(&mut text, fix.files.as_slice().len());
    text
}

/// Returns the section on the proof: each failing test and the command, before and after, as a table.
fn proof_section(fix: &ProvedFix) -> String {
    let outcome = &fix.outcome;
    let mut text = "### Proof\n\n| test | before | after |\n|---|---|---|\n".to_owned();
    let is_seen = outcome.proof == Some(ProofLevel::Tests);
    let after = if is_seen { "passed" } else { "not seen" };
    let tests: Vec<&str> =
        fix.failure.failures.iter().filter_map(|failure| failure.test.as_deref()).collect();
    for test in tests.iter().take(MAX_LISTED) {
        let _ = writeln!(text, "| {} | failed | {after} |", table_code(test));
    }
    if tests.len() > MAX_LISTED {
        let _ = writeln!(text, "| and {} more | failed | {after} |", tests.len() - MAX_LISTED);
    }
    let sides = [&outcome.verify.before, &outcome.verify.after];
    let ends = sides.map(|side| side.as_ref().map_or("not run".to_owned(), describe_side));
    let command = main_check(fix).map(|check| table_code(&check.command)).unwrap_or_default();
    let [before, after] = ends;
    let _ = writeln!(text, "| the command {command} | {before} | {after} |");
    if let Some(proof) = outcome.proof {
        let _ = writeln!(text, "\n{}", describe_proof(proof));
    }
    if outcome.verify.newer_base.is_some() {
        let _ = writeln!(
            text,
            "\nThe branch moved during the run, so the command ran again on {} with and without the change.",
            fix.base
        );
    }
    if outcome.proof_tests == Some(ProofTests::Changed) {
        text.push_str(
            "\nThe command passes only with the tests or settings that this change makes; with those before it, it fails.\n",
        );
    }
    if !outcome.review_flags.is_empty() || !outcome.review_notes.is_empty() {
        text.push_str("\nPlaces to read before merging:\n\n");
    }
    for flag in outcome.review_flags.iter().chain(&outcome.review_notes) {
        let place = inline_code(&format!("{}:{}", flag.path, flag.line));
        let _ = writeln!(text, "- {place} {}", inline_code(&flag.reason));
    }
    if let Some(judge) = outcome.judge.as_ref().filter(|judge| judge.verdict.is_some()) {
        let _ = writeln!(text, "\nSecond opinion: {}", inline_code(&judge.sentence()));
    }
    text
}

/// Returns code in a cell of a table, which a `|` would end.
fn table_code(text: &str) -> String {
    inline_code(text).replace('|', "\\|")
}

/// Returns the end of a run of the command with its totals.
fn describe_side(check: &CheckRecord) -> String {
    let totals = check.tests.map(|tests| {
        format!("; {} passed, {} failed, {} skipped", tests.passed, tests.failed, tests.skipped)
    });
    describe_end(check) + &totals.unwrap_or_default()
}

/// Returns the section on the checks that were not made.
fn unchecked_section(outcome: &Outcome) -> String {
    let verify = &outcome.verify;
    let missing = [
        (verify.before.is_none(), "The command did not run before the change."),
        (
            outcome.proof != Some(ProofLevel::Tests),
            "The failing tests were not seen passing by name.",
        ),
        (
            verify.repeated.is_empty() && verify.flake.is_none(),
            "The command did not run a second time with and without the change.",
        ),
        (verify.guard.is_none(), "No wider command ran, such as the whole test suite."),
        (verify.type_check.is_none(), "No type checker ran."),
    ];
    let mut text = "### Not checked\n\n".to_owned();
    if let Some(judge) = outcome.judge.as_ref().filter(|judge| judge.verdict.is_none()) {
        let _ = writeln!(text, "- {}", inline_code(&judge.sentence()));
    }
    for (_, line) in missing.iter().filter(|(is_missing, _)| *is_missing) {
        let _ = writeln!(text, "- {line}");
    }
    text.push_str("- Other systems, versions and jobs than that of the run.\n");
    text
}

/// Returns the section with the commands that show the failure and the fix.
fn reproduce_section(fix: &ProvedFix, commit: &Oid) -> String {
    let Some(check) = main_check(fix) else { return String::new() };
    let command = clean_line(&check.command, 500);
    let (base, branch) = (&fix.base, fix.fingerprint.branch());
    let lines = format!(
        "git fetch origin {branch}\ngit checkout {base}    # fails\n{command}\ngit checkout {commit}    # passes\n{command}"
    );
    format!("### Reproduce\n\n{}", code_block(&lines))
}

/// Returns what a level of proof means.
fn describe_proof(proof: ProofLevel) -> &'static str {
    match proof {
        ProofLevel::Tests => {
            "Proof: `tests`. Each test that failed is seen passing, and each that passed passes still."
        }
        ProofLevel::Counts => {
            "Proof: `counts`. The totals show that as many tests ran as before and none failed; the tests are not known by name."
        }
        ProofLevel::ExitCode => {
            "Proof: `exit_code`. The output shows no test results that can be read."
        }
    }
}

/// Returns the section on tokens, price and time.
fn cost_section(outcome: &Outcome) -> String {
    let tokens = outcome.tokens.input + outcome.tokens.output;
    let price = match outcome.cost_usd {
        Some(cost) => format!("${cost:.4}"),
        None => "an unknown price".to_owned(),
    };
    let seconds = outcome.timings_ms.total / 1000;
    format!(
        "### Cost\n\n{tokens} tokens in {} for {price}, {seconds} s.\n",
        count_noun(outcome.requests, "request")
    )
}

/// Returns the section on how to take the fix back.
fn undo_section(commit: &Oid) -> String {
    format!(
        "### Undo\n\nClose this pull request: it stays closed. Once merged, `git revert {commit}` takes it \
         back (`git revert -m 1 MERGE` where it was merged with a merge commit).\n"
    )
}

/// Returns how a run of the command ended.
fn describe_end(check: &CheckRecord) -> String {
    match check.exit_code {
        _ if check.timed_out => "did not end in time".to_owned(),
        Some(code) => format!("ended with exit code {code}"),
        None => "was ended by a signal".to_owned(),
    }
}

/// Returns the name of a failure in one line: its test, else its code and message.
fn failure_name(failure: &Failure) -> String {
    let first = failure.message.lines().next().unwrap_or_default().trim();
    match (&failure.test, &failure.code) {
        (Some(test), _) => test.clone(),
        (None, Some(code)) if !first.contains(code.as_str()) => format!("{code}: {first}"),
        _ => first.to_owned(),
    }
}

/// Adds the number of items that are not listed.
fn push_more(text: &mut String, all: usize) {
    if all > MAX_LISTED {
        let _ = writeln!(text, "- and {} more", all - MAX_LISTED);
    }
}

/// Returns a number with its noun.
fn count_noun(number: u32, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests;
