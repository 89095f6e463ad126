//! The texts about a fix: commit message, title and body of the pull request.
//!
//! Much of the content comes from logs and models. It is quoted as code, so that it cannot notify
//! people, link to pages or pass for text of this program.

use std::fmt::Write as _;

use super::Fix;
use super::marker::Marker;
use crate::domain::outcome::{CheckRecord, ProofLevel, ProofTests};
use crate::domain::{Failure, FailureReport, Outcome};
use crate::git::{Oid, Trailers};
use crate::text::is_invisible;

/// Longest title, in characters.
const MAX_TITLE: usize = 72;
/// Most failures listed, and most lines of other lists.
const MAX_LISTED: usize = 10;
/// Longest quote of untrusted text, in characters.
const MAX_QUOTED: usize = 4_000;

/// A fix with its place in the series of attempts.
pub(super) struct FixDescription<'a> {
    /// The fix.
    pub(super) fix: &'a Fix,
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
        clean_line(&format!("Fix {what}"), MAX_TITLE)
    }

    /// Returns the commit's message, trailers at its end.
    pub(super) fn message(&self) -> String {
        let Self { fix, attempt, .. } = self;
        let reason = clean_line(&fix.outcome.reason, 400);
        let trailers = Trailers::format_trailers(&fix.run_id, &fix.fingerprint, *attempt);
        format!("{}\n\n{}\n\n{trailers}", self.title(), wrap_line(&reason))
    }

    /// Returns the pull request's text, the marker on its first line.
    pub(super) fn body(&self, commit: &Oid) -> String {
        let fix = self.fix;
        let runs = self.runs.iter().filter(|run| *run != fix.run_id.as_str()).cloned();
        let marker = Marker {
            fingerprint: fix.fingerprint.clone(),
            attempts: self.attempt,
            runs: runs.chain([fix.run_id.to_string()]).collect(),
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
            proof_section(&fix.outcome),
            cost_section(&fix.outcome),
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
fn main_check(fix: &Fix) -> Option<&CheckRecord> {
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
fn reason_section(fix: &Fix) -> String {
    let mut text = "### Why\n\n".to_owned();
    if let Some(class) = &fix.outcome.failure_class {
        let _ = writeln!(text, "The failure is one of {}.", inline_code(class));
    }
    for evidence in fix.outcome.failure_evidence.iter().take(3) {
        let _ = writeln!(text, "- {}", inline_code(evidence.line.trim()));
    }
    if !fix.summary.trim().is_empty() {
        let who = fix.outcome.model.as_deref().filter(|model| !model.is_empty());
        let who = who.map_or_else(|| "the tools".to_owned(), inline_code);
        let _ = writeln!(text, "\nIn the words of {who}:\n\n{}", code_block(&fix.summary));
    }
    text
}

/// Returns the section that lists the changed files.
fn changes_section(fix: &Fix) -> String {
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

/// Returns the section on the command before and after, as a table. A `|` in a command would end
/// its cell, so it is escaped.
fn proof_section(outcome: &Outcome) -> String {
    let mut text = "### Proof\n\n| | command | ended | failures |\n|---|---|---|---|\n".to_owned();
    let sides = [("before", &outcome.verify.before), ("after", &outcome.verify.after)];
    for (side, check) in sides.into_iter().filter_map(|(side, check)| Some((side, check.as_ref()?)))
    {
        let (command, count) =
            (inline_code(&check.command).replace('|', "\\|"), check.failures.len());
        let _ = writeln!(text, "| {side} | {command} | {} | {count} |", describe_end(check));
    }
    if let Some(proof) = outcome.proof {
        let _ = writeln!(text, "\n{}", describe_proof(proof));
    }
    if outcome.proof_tests == Some(ProofTests::Changed) {
        text.push_str(
            "\nThe command passes only with the tests or settings that this change makes; with those before it, it fails.\n",
        );
    }
    if !outcome.review_flags.is_empty() {
        text.push_str("\nPlaces to read before merging:\n\n");
    }
    for flag in &outcome.review_flags {
        let place = inline_code(&format!("{}:{}", flag.path, flag.line));
        let _ = writeln!(text, "- {place} {}", inline_code(&flag.reason));
    }
    text
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

/// Returns untrusted text as one line without control characters or characters that reorder or
/// hide text, cut to `limit`.
pub(super) fn clean_line(text: &str, limit: usize) -> String {
    // Invisible characters could show a reviewer other text than the bytes are.
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !is_invisible(*c))
        .collect();
    let clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if clean.chars().count() <= limit {
        return clean;
    }
    clean.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}

/// Returns untrusted text as code within a line.
fn inline_code(text: &str) -> String {
    let text = clean_line(text, 300);
    // A fence longer than any run of backticks in the text cannot be closed by it.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad =
        if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns untrusted text as a block of code.
fn code_block(text: &str) -> String {
    let is_shown = |c: &char| !is_invisible(*c) && (!c.is_control() || *c == '\n');
    let text: String = text.chars().filter(is_shown).take(MAX_QUOTED).collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}

/// Wraps a line to the width of commit messages.
fn wrap_line(text: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let long = word.chars().count();
        if width > 0 && width + 1 + long > MAX_TITLE {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += long;
    }
    out
}

#[cfg(test)]
mod tests;
