//! Delivers a fix at the pull request that failed: as suggestions, as a commit on its branch, as a comment.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use diffy::{DiffOptions, Line};

use super::error::PublishError;
use super::fix::ProvedFix;
use super::pull_request_body::FixDescription;
use super::quoting::{code_block_of, inline_code};
use papayu_base::domain::{FailureReport, Outcome, OutcomeKind};
use papayu_forge::git::{self, CommitSpec, FileChange, Git, Lease, Oid, Remote};
use papayu_forge::{Forge, PullFile, PullRequest, ReviewSpec, StickyText, Suggestion};

/// The first line of our one comment at a pull request.
const COMMENT: &str = "<!-- papayu-batch-comment -->";
/// The start of the first line of an issue; the failure's name follows.
const ISSUE: &str = "<!-- papayu-batch-issue: ";
/// Longest diff in a comment, in characters.
const MAX_DIFF: usize = 30_000;

/// Suggests a fix at the lines of a pull request and returns the address of the review.
///
/// # Errors
///
/// A sentence when a part of the fix is outside the lines that the pull request shows, or the forge refuses it; nothing
/// is suggested then.
pub fn suggest_fix(
    forge: &dyn Forge,
    git: &Git<'_>,
    pull: &PullRequest,
    fix: &ProvedFix,
) -> Result<String, String> {
    if let Some(reason) = forge.lacks_suggestions() {
        return Err(reason.to_owned());
    }
    check_head(pull, fix)?;
    let shown = forge.changed_files(pull.number).map_err(|error| error.to_string())?;
    let mut suggestions = Vec::new();
    for file in fix.files.as_slice() {
        let outside =
            || format!("`{}` has changes outside the lines of the pull request", file.path);
        let (before, after) = read_sides(git, file).ok_or_else(outside)?;
        let shown = shown.iter().find(|shown| shown.path == file.path.as_str());
        let every_line = || vec![1..=u32::MAX];
        let visible = match shown {
            Some(_) if forge.suggests_at_any_line() => every_line(),
            shown => shown.map(visible_lines).unwrap_or_default(),
        };
        for suggestion in suggestions_of(file.path.as_str(), &before, &after) {
            let (start, end) = (suggestion.start_line, suggestion.end_line);
            // The forge refuses the whole review for one comment outside.
            if !visible.iter().any(|lines| lines.contains(&start) && lines.contains(&end)) {
                return Err(outside());
            }
            suggestions.push(suggestion);
        }
    }
    let body = format!(
        "papayu-batch suggests a fix of failure `{}`: {}\n",
        fix.fingerprint,
        inline_code(&fix.outcome.reason)
    );
    let review = ReviewSpec { commit: pull.head_commit.clone(), body, suggestions };
    forge.suggest(pull.number, &review).map_err(|error| error.to_string())
}

/// Adds a commit with the fix to the branch of a pull request.
///
/// # Errors
///
/// `BaseMoved` when the branch is at another commit than the fix, `BadBranch` for a name that git refuses, `Git` when the
/// push fails; a commit of somebody else is never overwritten.
pub fn commit_to_pull_request(
    git: &Git<'_>,
    remote: &Remote,
    pull: &PullRequest,
    fix: &ProvedFix,
) -> Result<Oid, PublishError> {
    check_head(pull, fix).map_err(PublishError::BaseMoved)?;
    let branch = super::parse_branch(&pull.head)?;
    let description = FixDescription { fix, attempt: 1, max_attempts: 0, runs: Vec::new() };
    let spec = CommitSpec {
        base: &fix.base,
        entries: fix.files.base_entries(),
        files: fix.files.as_slice(),
        message: &description.message(),
    };
    let commit = git::create_commit(git, &spec)?;
    git::push_branch(git, remote, branch.as_str(), &commit, &Lease::At(fix.base.clone()))?;
    Ok(commit)
}

/// A result and what to say about its delivery.
pub struct WorkReport<'a> {
    /// The outcome of the run.
    pub outcome: &'a Outcome,
    /// The failures.
    pub failure: &'a FailureReport,
    /// The change as a patch, secrets masked; empty if there is none.
    pub patch: &'a str,
    /// Sentences about the delivery.
    pub remarks: &'a [String],
}

/// Writes our comment at a pull request, or brings it up to date; there is never a second one.
///
/// # Errors
///
/// Those of the forge.
pub fn comment_result(
    forge: &dyn Forge,
    number: u64,
    report: &WorkReport<'_>,
) -> Result<String, PublishError> {
    let body = format!("{COMMENT}\n{}", describe_result(report));
    Ok(forge.comment(number, StickyText { marker: COMMENT, body: &body })?.url)
}

/// Opens an issue about a failure that is none of the code, or brings it up to date.
///
/// # Errors
///
/// Those of the forge.
pub fn report_infrastructure(
    forge: &dyn Forge,
    report: &WorkReport<'_>,
) -> Result<String, PublishError> {
    let class = report.outcome.failure_class.as_deref().unwrap_or("unknown");
    let name = report.outcome.fingerprint.as_deref().unwrap_or(class);
    let marker = format!("{ISSUE}{name} -->");
    let body = format!("{marker}\n{}", describe_result(report));
    let title = format!("CI fails because of its {class}");
    Ok(forge.report_issue(&title, StickyText { marker: &marker, body: &body })?.url)
}

/// Returns the Markdown about a result. All text of logs, models and people is code in it.
fn describe_result(report: &WorkReport<'_>) -> String {
    let WorkReport { outcome, failure, patch, remarks } = report;
    let mut text = format!("### papayu-batch: {}\n\n", outcome.outcome.words());
    let _ = writeln!(text, "{}\n", inline_code(&outcome.reason));
    let shown = failure.failures.iter().take(10);
    for failure in shown {
        let _ = writeln!(text, "- {}", inline_code(&failure.headline()));
    }
    if let Some(url) = &outcome.pr_url {
        let _ = writeln!(text, "\nThe fix is in {url}.");
    }
    for remark in *remarks {
        let _ = writeln!(text, "\n{}", inline_code(remark));
    }
    if !patch.is_empty() {
        let proof = match (outcome.outcome, outcome.proof) {
            (OutcomeKind::Fixed, Some(proof)) => format!("Proof: `{}`.", proof.name()),
            _ => "**This change is not proved: no command passed with it.**".to_owned(),
        };
        let diff = code_block_of("diff", patch, MAX_DIFF);
        let _ = writeln!(
            text,
            "\n{proof}\n\n<details><summary>The change</summary>\n\n{diff}\n</details>"
        );
    }
    let cost =
        outcome.cost_usd.map_or_else(|| "an unknown price".to_owned(), |it| format!("${it:.4}"));
    let _ = writeln!(
        text,
        "\n---\nRun `{}`, {} requests for {cost}.",
        outcome.run_id, outcome.requests
    );
    text
}

/// Returns a sentence if the lines of the pull request are not those of the fix.
fn check_head(pull: &PullRequest, fix: &ProvedFix) -> Result<(), String> {
    if pull.head_commit == fix.base.as_str() {
        return Ok(());
    }
    let (head, base) = (&pull.head_commit, &fix.base);
    Err(format!("the pull request is at {head}, and the fix is for {base}"))
}

/// Returns the texts of a file before and after; `None` for a new, removed or binary one.
fn read_sides(git: &Git<'_>, file: &FileChange) -> Option<(String, String)> {
    let before = git.read_blob(file.before.as_ref()?).ok()?;
    let after = file.after.clone()?;
    Some((String::from_utf8(before).ok()?, String::from_utf8(after).ok()?))
}

/// Returns the lines of a pull request's version that the forge shows, and takes comments at.
fn visible_lines(file: &PullFile) -> Vec<RangeInclusive<u32>> {
    // The forge sends hunks without the header of a file.
    let text = format!(
        "--- a\n+++ b\n{}\n",
        file.patch.as_deref().unwrap_or_default().trim_end_matches('\n')
    );
    let Ok(patch) = diffy::Patch::from_str(&text) else { return Vec::new() };
    let lines = patch.hunks().iter().map(|hunk| {
        let range = hunk.new_range();
        number(range.start())..=number((range.start() + range.len()).saturating_sub(1))
    });
    lines.collect()
}

/// Returns the replaced lines of a file, at least one line each.
fn suggestions_of(path: &str, before: &str, after: &str) -> Vec<Suggestion> {
    let mut options = DiffOptions::new();
    // An insertion needs a neighbouring line that is replaced by itself.
    options.set_context_len(1);
    let patch = options.create_patch(before, after);
    patch.hunks().iter().map(|hunk| suggestion_of(path, hunk)).collect()
}

/// Returns the replaced lines of one hunk. The lines around a change are left out while one old line remains.
fn suggestion_of(path: &str, hunk: &diffy::Hunk<'_, str>) -> Suggestion {
    let lines = hunk.lines();
    let is_old = |line: &&Line<'_, str>| !matches!(line, Line::Insert(_));
    let mut kept: &[Line<'_, str>] = lines;
    let mut start = hunk.old_range().start();
    while let [Line::Context(_), rest @ ..] = kept
        && rest.iter().any(|line| is_old(&line))
    {
        kept = rest;
        start += 1;
    }
    while let [rest @ .., Line::Context(_)] = kept
        && rest.iter().any(|line| is_old(&line))
    {
        kept = rest;
    }
    let old = kept.iter().filter(is_old).count();
    let new = kept.iter().filter_map(|line| match line {
        Line::Context(text) | Line::Insert(text) => Some(*text),
        Line::Delete(_) => None,
    });
    Suggestion {
        path: path.to_owned(),
        start_line: number(start),
        end_line: number((start + old).saturating_sub(1)),
        replacement: new.collect(),
    }
}

fn number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(before: &str, after: &str) -> Vec<(u32, u32, String)> {
        let all = suggestions_of("a", before, after);
        all.into_iter().map(|it| (it.start_line, it.end_line, it.replacement)).collect()
    }

    #[test]
    fn a_suggestion_replaces_the_changed_lines_and_no_others() {
        let lines = "a\nb\nc\nd\n";
        assert_eq!(suggested(lines, "a\nB\nc\nd\n"), [(2, 2, "B\n".to_owned())]);
        assert_eq!(suggested(lines, "a\nd\n"), [(2, 3, String::new())]);
        assert_eq!(suggested(lines, "a\nb\nx\nc\nd\n"), [(3, 3, "x\nc\n".to_owned())]);
        assert_eq!(suggested(lines, "a\nb\nc\nd\ne\n"), [(4, 4, "d\ne\n".to_owned())]);
        assert_eq!(suggested(lines, "x\na\nb\nc\nd\n"), [(1, 1, "x\na\n".to_owned())]);
        assert_eq!(suggested(lines, lines), []);
    }

    #[test]
    fn only_lines_of_the_hunks_are_shown() {
        let patch = "@@ -1,2 +1,3 @@\n a\n+b\n c\n@@ -9 +10 @@\n-x\n+y";
        let file = PullFile { path: "a".to_owned(), patch: Some(patch.to_owned()) };
        assert_eq!(visible_lines(&file), [1..=3, 10..=10]);
        let hostile =
            PullFile { patch: Some("@@ -1 +1,999999999 @@\n x".to_owned()), ..file.clone() };
        assert_eq!(visible_lines(&hostile), []);
        assert_eq!(visible_lines(&PullFile { patch: None, ..file }), []);
    }
}
