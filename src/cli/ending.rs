//! The end of a run in words: what failed, how it ended, and the next command to type.

use std::fmt::Write as _;
use std::path::Path;

use anstyle::{AnsiColor, Style};

use super::terminal;
use super::wording::{count_noun, format_cost, format_duration, quote, shorten_path};
use papayu_base::domain::outcome::{CheckRecord, ProofLevel};
use papayu_base::domain::{ErrorCode, Failure, FailureReport, Outcome, OutcomeKind};

/// Most failures that are listed.
const MAX_FAILURES: usize = 3;
/// Most remarks of a review that are listed.
const MAX_REMARKS: usize = 20;
/// Longest message of a failure that is shown, in characters.
const MAX_MESSAGE: usize = 200;

/// The results of a run that its end is described from.
pub(super) struct RunSummary<'a> {
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
    /// `true` if the repository has the remote that a pull request needs.
    pub(super) has_remote: bool,
    /// The remote that alone has the branch of the fix.
    pub(super) remote_of_branch: Option<String>,
}

/// A suggestion of what to do after a run.
enum NextStep {
    /// A command to type, or an address to open; never broken into lines.
    Command(String),
    /// Words.
    Advice(String),
}

impl RunSummary<'_> {
    /// Returns the failures before any change: the first ones with place and message, wrapped at `width`
    /// columns if there is a width. Empty if nothing failed.
    pub(super) fn failures(&self, width: Option<usize>) -> String {
        let mut text = String::new();
        for check in [&self.outcome.verify.before, &self.outcome.verify.after] {
            if let Some(check) = check.as_ref().filter(|check| check.timed_out) {
                let seconds = check.ms / 1000;
                let line = format!("`{}` did not end within {seconds} s", check.command);
                let _ = writeln!(text, "{}", terminal::wrap(&line, width, "  "));
            }
        }
        let failures = &self.failure.failures;
        let count = failures.len();
        let (most, title) = if self.outcome.review.is_some() {
            (MAX_REMARKS, format!("{}:", count_noun(count, "remark")))
        } else {
            (MAX_FAILURES, format!("{} before the change:", count_noun(count, "failure")))
        };
        if !failures.is_empty() {
            let _ = writeln!(text, "{title}");
        }
        for failure in failures.iter().take(most) {
            let line = format!("  {}", describe_failure(failure));
            let _ = writeln!(text, "{}", terminal::wrap(&line, width, "    "));
        }
        if failures.len() > most {
            let _ = writeln!(text, "  and {} more", failures.len() - most);
        }
        text
    }

    /// Returns the result in one line, the next step, and the folder of the results.
    pub(super) fn verdict(&self, invocation: &str, width: Option<usize>) -> String {
        let outcome = self.outcome;
        let (mark, color) = match outcome.outcome {
            OutcomeKind::Fixed | OutcomeKind::NothingToFix => ("✓", AnsiColor::Green),
            OutcomeKind::Planned => ("•", AnsiColor::Cyan),
            _ => ("✗", AnsiColor::Red),
        };
        let style = Style::new().bold().fg_color(Some(color.into()));
        let word = match outcome.outcome {
            OutcomeKind::Fixed if self.is_publication => "published",
            other => other.words(),
        };
        let plain = format!("{mark} {word}");
        let line = terminal::wrap(&format!("{plain}{}", self.details()), width, "  ");
        let details = line.strip_prefix(&plain).unwrap_or(&line);
        let mut text = format!("{style}{plain}{style:#}{details}\n");
        let places = outcome.review_flags.iter().chain(&outcome.review_notes);
        let places = places.map(|it| format!("Note: {}:{} {}", it.path, it.line, it.reason));
        // A doubt is among the places; a model that was asked in vain is not.
        let judge = outcome.judge.iter().filter(|it| it.model.is_some() && it.verdict.is_none());
        for note in places.chain(judge.map(|it| format!("Note: {}", it.sentence()))) {
            let _ = writeln!(text, "{}", terminal::wrap(&note, width, "  "));
        }
        for notice in &outcome.notices {
            let _ = writeln!(text, "{}", terminal::wrap(&format!("Note: {notice}"), width, "  "));
        }
        let next = self.next_steps(invocation);
        if !next.is_empty() {
            text.push_str("Next:\n");
        }
        for step in next {
            let line = match step {
                NextStep::Command(command) => format!("  {command}"),
                NextStep::Advice(words) => terminal::wrap(&format!("  {words}"), width, "  "),
            };
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "Results: {}", shorten_path(self.out).display());
        text
    }

    /// Returns the rest of the verdict: for a fix the number of files, the proof, the time and the cost, else
    /// the reason.
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
        parts.push(format_cost(outcome));
        parts.join(" · ")
    }

    /// Returns the commands and hints that follow from the result, the most useful one first.
    fn next_steps(&self, invocation: &str) -> Vec<NextStep> {
        let outcome = self.outcome;
        let mut steps = Vec::new();
        let mut commands = Vec::new();
        if let Some(url) = &outcome.pr_url {
            commands.push(url.clone());
        } else if let Some(branch) = &outcome.branch {
            let switch = self.git(&format!("switch {branch}"));
            commands.push(match &self.remote_of_branch {
                Some(remote) => {
                    let fetch = self.git(&format!("fetch {remote} {branch}:{branch}"));
                    format!("{fetch} && {switch}")
                }
                None => switch,
            });
        } else if self.is_kept
            && matches!(outcome.outcome, OutcomeKind::Fixed | OutcomeKind::Undone)
        {
            commands.push(self.git("diff"));
            commands.push(format!("papayu-batch undo{}", self.repo_flag()));
        } else if let Some(plan) = &outcome.plan_path {
            let path = quote(&shorten_path(Path::new(plan)).display().to_string());
            commands.push(format!("papayu-batch apply --plan {path}{}", self.repo_flag()));
        } else if let Some(patch) = &outcome.patch_path {
            commands.push(self.apply_command(patch));
        }
        if let Some(bundle) = outcome.bundle_path.as_ref().filter(|_| !self.is_publication) {
            let path = quote(&shorten_path(Path::new(bundle)).display().to_string());
            let emit = if self.has_remote { "" } else { " --emit branch" };
            commands.push(format!("papayu-batch publish {path}{emit}{}", self.repo_flag()));
        }
        if let Some(patch) = &outcome.partial_patch_path {
            let command = self.apply_command(patch);
            commands.push(format!("{command}  # a partial fix; the rest still fails"));
        }
        let code = outcome.error_code.as_deref();
        steps.extend(commands.into_iter().map(NextStep::Command));
        // The hint of a plan is the command that is listed already.
        let hint = outcome.hint.clone().filter(|_| outcome.plan_path.is_none());
        let hint = hint.map(NextStep::Advice);
        let refused = outcome.refused_patch_path.as_deref();
        let refused = refused.map(|patch| describe_refused(outcome, patch));
        let has_passed = outcome.outcome == OutcomeKind::Fixed || is_judged(outcome);
        // A change that passed is worth more than a general hint.
        let ordered = if has_passed { [refused, hint] } else { [hint, refused] };
        steps.extend(ordered.into_iter().flatten());
        // Last, because it removes a protection.
        if code == Some(ErrorCode::DeleteNotAllowed.as_str()) {
            let command = format!("{invocation} --allow-delete  # removes this protection");
            steps.push(NextStep::Command(command));
        }
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
        // `git -C` reads paths from the repository's folder.
        let path = if self.is_here() {
            shorten_path(Path::new(patch))
        } else {
            std::path::absolute(patch).unwrap_or_else(|_| patch.into())
        };
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

    /// Returns the flag for a repository in another folder, with a blank before it.
    fn repo_flag(&self) -> String {
        if self.is_here() {
            String::new()
        } else {
            format!(" --repo {}", quote(&self.repo.display().to_string()))
        }
    }
}

/// Returns `true` if a model gave an opinion on the change.
fn is_judged(outcome: &Outcome) -> bool {
    outcome.judge.as_ref().is_some_and(|judge| judge.verdict.is_some())
}

/// Returns the step about the patch of a change that was not kept: to be read and not applied, because it was refused for a
/// reason.
fn describe_refused(outcome: &Outcome, patch: &str) -> NextStep {
    let what = match outcome.outcome {
        OutcomeKind::Fixed => "has the edits that were left out",
        _ if is_judged(outcome) => "has the change that passes the command and was doubted",
        _ => "has the change that was not kept",
    };
    let path = shorten_path(Path::new(patch));
    NextStep::Advice(format!("`{}` {what}; read it first", path.display()))
}

/// Returns a failure on one line: place, test or code, message.
fn describe_failure(failure: &Failure) -> String {
    let place = failure.locations.first().map(|place| match place.line {
        Some(line) => format!("{}:{line}", place.path),
        None => place.path.clone(),
    });
    let first = failure.headline();
    let shown = first.chars().map(|c| if c.is_control() { ' ' } else { c });
    let message: String = shown.take(MAX_MESSAGE).collect();
    let name = failure.test.clone().or_else(|| failure.code.clone());
    let name = name.filter(|name| !message.contains(name.as_str()));
    let parts = [place, name, Some(message)];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    parts.join(": ")
}

/// Returns the proof in words: the number of tests, or that only the exit code proves it.
fn describe_proof(after: &CheckRecord, proof: ProofLevel) -> String {
    let ran =
        after.tests.map(|tests| count_noun(usize::try_from(tests.ran()).unwrap_or(0), "test"));
    match (proof, ran) {
        (ProofLevel::Tests | ProofLevel::Counts, Some(ran)) => ran,
        (ProofLevel::Counts, None) => "no findings left".to_owned(),
        _ => "exit code only".to_owned(),
    }
}
