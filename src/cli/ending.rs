//! The end of a run in words: what failed, how it ended, and the next command to type.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};

use crate::domain::outcome::{CheckRecord, ProofLevel};
use crate::domain::{ErrorCode, Failure, FailureReport, Outcome, OutcomeKind};

/// Most failures that are listed.
const MAX_FAILURES: usize = 3;
/// Longest message of a failure that is shown, in characters.
const MAX_MESSAGE: usize = 200;

/// The results of a run that its end is described from.
pub(super) struct Ending<'a> {
    pub(super) outcome: &'a Outcome,
    /// The failures before any change.
    pub(super) failure: &'a FailureReport,
    /// The change as a git patch; empty if there is none to use.
    pub(super) patch: &'a [u8],
    /// The plan file's text.
    pub(super) plan: Option<&'a str>,
    /// The folder of the results.
    pub(super) out: &'a Path,
    /// The repository, as written on the command line.
    pub(super) repo: &'a Path,
    /// The repository's folder below the top of the working tree of git, if it is not the top.
    pub(super) folder: Option<&'a Path>,
    /// `true` if the fix of an earlier run was published, and nothing else was done.
    pub(super) is_publication: bool,
    /// `true` if the change stays in the tree.
    pub(super) is_kept: bool,
}

impl Ending<'_> {
    /// Returns the failures before any change: the first ones with place and message. Empty if
    /// nothing failed.
    pub(super) fn failures(&self) -> String {
        let mut text = String::new();
        for check in [&self.outcome.verify.before, &self.outcome.verify.after] {
            if let Some(check) = check.as_ref().filter(|check| check.timed_out) {
                let seconds = check.ms / 1000;
                let _ = writeln!(text, "`{}` did not end within {seconds} s", check.command);
            }
        }
        let failures = &self.failure.failures;
        if !failures.is_empty() {
            let _ = writeln!(text, "{} before the change:", count_noun(failures.len(), "failure"));
        }
        for failure in failures.iter().take(MAX_FAILURES) {
            let _ = writeln!(text, "  {}", describe_failure(failure));
        }
        if failures.len() > MAX_FAILURES {
            let _ = writeln!(text, "  and {} more", failures.len() - MAX_FAILURES);
        }
        text
    }

    /// Returns the result in one line, the next step, and the folder of the results.
    pub(super) fn verdict(&self) -> String {
        let outcome = self.outcome;
        let (mark, color) = match outcome.outcome {
            OutcomeKind::Fixed | OutcomeKind::NothingToFix => ("✓", AnsiColor::Green),
            OutcomeKind::Planned => ("•", AnsiColor::Cyan),
            _ => ("✗", AnsiColor::Red),
        };
        let style = Style::new().bold().fg_color(Some(color.into()));
        let word = match outcome.outcome {
            OutcomeKind::Fixed if self.is_publication => "published",
            other => result_words(other),
        };
        let mut text = format!("{style}{mark} {word}{style:#}{}\n", self.details());
        for notice in &outcome.notices {
            let _ = writeln!(text, "Note: {notice}");
        }
        let next = self.next_steps();
        if !next.is_empty() {
            text.push_str("Next:\n");
            for step in next {
                let _ = writeln!(text, "  {step}");
            }
        }
        let _ = writeln!(text, "Results: {}", shorten(self.out).display());
        text
    }

    fn details(&self) -> String {
        let outcome = self.outcome;
        if outcome.outcome != OutcomeKind::Fixed || self.is_publication {
            return format!(": {}", outcome.reason);
        }
        let mut parts = Vec::new();
        let failures = self.failure.failures.len();
        let files = count_noun(outcome.changed_files.len(), "file");
        parts.push(match failures {
            0 => format!(" {files}"),
            _ => format!(" {} in {files}", count_noun(failures, "failure")),
        });
        if let Some(after) = &outcome.verify.after {
            let proof = describe_proof(after, outcome.proof.unwrap_or_default());
            parts.push(format!("proved by `{}` ({proof})", after.command));
        }
        parts.push(format_duration(outcome.timings_ms.total));
        parts.push(match outcome.cost_usd {
            Some(cost) => format!("${cost:.2}"),
            None => format!("{} tokens", outcome.tokens.total()),
        });
        parts.join(" · ")
    }

    /// Returns the commands and hints that follow from the result, the most useful one first.
    fn next_steps(&self) -> Vec<String> {
        let outcome = self.outcome;
        let mut steps = Vec::new();
        if let Some(url) = &outcome.pr_url {
            steps.push(url.clone());
        } else if let Some(branch) = &outcome.branch {
            steps.push(self.git(&format!("switch {branch}")));
        } else if self.is_kept && outcome.outcome == OutcomeKind::Fixed {
            steps.push(self.git("diff"));
            steps.push(format!("papayu-batch undo{}", self.repo_flag()));
        } else if let Some(plan) = &outcome.plan_path {
            let path = quote(&shorten(Path::new(plan)).display().to_string());
            steps.push(format!("papayu-batch apply --plan {path}{}", self.repo_flag()));
        } else if let Some(patch) = &outcome.patch_path {
            steps.push(self.apply_command(patch));
        }
        if let Some(patch) = &outcome.partial_patch_path {
            let command = self.apply_command(patch);
            steps.push(format!("{command}    (a partial fix: the rest still fails)"));
        }
        let code = outcome.error_code.as_deref();
        let flags = [
            (ErrorCode::TestEditNotAllowed, "--allow-test-edits"),
            (ErrorCode::DeleteNotAllowed, "--allow-delete"),
        ];
        for (_, flag) in flags.iter().filter(|(refused, _)| code == Some(refused.as_str())) {
            steps.push(format!("run the same command with `{flag}` to permit this change"));
        }
        steps.extend(outcome.hint.clone());
        steps
    }

    /// Returns a command of git in the repository.
    fn git(&self, words: &str) -> String {
        if self.is_here() {
            format!("git {words}")
        } else {
            format!("git -C {} {words}", quote(&self.repo.display().to_string()))
        }
    }

    /// Returns the command that applies a patch in the repository's folder.
    fn apply_command(&self, patch: &str) -> String {
        let path = if self.is_here() { shorten(Path::new(patch)) } else { PathBuf::from(patch) };
        let path = quote(&path.display().to_string());
        // In a folder below the top of its working tree, git would skip every file of the patch.
        match self.folder {
            Some(folder) => {
                let folder = quote(&folder.display().to_string());
                self.git(&format!("apply --directory={folder} {path}"))
            }
            None => self.git(&format!("apply {path}")),
        }
    }

    fn is_here(&self) -> bool {
        self.repo == Path::new(".")
    }

    fn repo_flag(&self) -> String {
        if self.is_here() {
            String::new()
        } else {
            format!(" --repo {}", quote(&self.repo.display().to_string()))
        }
    }
}

/// Returns a path relative to the current folder, where it is inside it.
fn shorten(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).to_owned()
}

fn result_words(outcome: OutcomeKind) -> &'static str {
    match outcome {
        OutcomeKind::Fixed => "fixed",
        OutcomeKind::NothingToFix => "nothing to fix",
        OutcomeKind::Planned => "planned",
        OutcomeKind::NotFixed => "not fixed",
        OutcomeKind::Rejected => "refused",
        OutcomeKind::ProviderError => "no answer from the model",
        OutcomeKind::OverBudget => "stopped at a limit",
        OutcomeKind::Conflict => "the files changed during the run",
        OutcomeKind::PublishFailed => "not published",
        OutcomeKind::Interrupted => "interrupted",
        OutcomeKind::UsageError => "not started",
        OutcomeKind::Internal => "internal error",
    }
}

/// Returns a failure on one line: place, test or code, message.
fn describe_failure(failure: &Failure) -> String {
    let place = failure.locations.first().map(|place| match place.line {
        Some(line) => format!("{}:{line}", place.path),
        None => place.path.clone(),
    });
    let first = failure.message.lines().next().unwrap_or_default().trim();
    let message: String = first.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE).collect();
    let name = failure.test.clone().or_else(|| failure.code.clone());
    let name = name.filter(|name| !message.contains(name.as_str()));
    let parts = [place, name, Some(message)];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    parts.join(": ")
}

fn describe_proof(after: &CheckRecord, proof: ProofLevel) -> String {
    let ran =
        after.tests.map(|tests| count_noun(usize::try_from(tests.ran()).unwrap_or(0), "test"));
    match (proof, ran) {
        (ProofLevel::Tests, Some(ran)) => ran,
        (ProofLevel::Counts, Some(ran)) => format!("{ran} by count"),
        (ProofLevel::Counts, None) => "no findings left".to_owned(),
        _ => "exit code only".to_owned(),
    }
}

fn format_duration(ms: u64) -> String {
    if ms < 60_000 {
        format!("{}.{} s", ms / 1000, ms % 1000 / 100)
    } else {
        format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000)
    }
}

fn count_noun(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns a word as a shell reads it.
fn quote(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}
