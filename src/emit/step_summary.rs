//! The Markdown summary on a job's page, below the megabyte that GitHub accepts.

use std::fmt::Write as _;

use papayu_base::domain::outcome::CheckRecord;
use papayu_base::domain::{FailureReport, Outcome, ReportedFinding, ReviewRecord};
use papayu_base::text::show_hidden;

/// Longest summary, in bytes; GitHub refuses a megabyte and more.
/// docs.github.com, Job summaries: a step may add 1 MiB; the distance covers what the job adds
/// itself.
const MAX_BYTES: usize = 900 * 1024;
/// Failures listed at the most.
const MAX_FAILURES: usize = 200;
/// Longest excerpt of the log, in characters.
const MAX_EXCERPT: usize = 12_000;

/// Returns the summary. Text of logs and models is always in code blocks, where Markdown is inert.
/// The sections are: the outcome, what to do next, notices, the facts, the failures, the change
/// and the excerpt. Only the change and the excerpt are shortened.
pub fn render_step_summary(outcome: &Outcome, failure: &FailureReport, patch: &[u8]) -> String {
    let mut out = format!(
        // The heading is the outcome's name, as in `outcome.json` and in the exit code's table.
        "## papayu-batch: {}\n\n{}\n\n",
        outcome.outcome.name(),
        inline_code(&outcome.reason)
    );
    if let Some(hint) = &outcome.hint {
        let _ = writeln!(out, "Next: {}\n", inline_code(hint));
    }
    for notice in &outcome.notices {
        let _ = writeln!(out, "> {}\n", inline_code(notice));
    }
    if let Some(url) = &outcome.pr_url {
        let _ = writeln!(out, "Pull request: {}\n", link_or_code(url));
    }
    out += &facts_table(outcome);
    out += &match &outcome.review {
        Some(review) => describe_review(review),
        None => list_failures("What failed", failure),
    };
    let beside = outcome.findings.iter().map(ReportedFinding::to_failure).collect();
    let beside = FailureReport { failures: beside, ..FailureReport::default() };
    out += &list_failures("Findings of scanners", &beside);
    if !patch.is_empty() {
        let text = String::from_utf8_lossy(patch);
        // The diff is what may be left out: it is in the result folder too.
        // Each character of the excerpt has up to four bytes, and a kilobyte is for the fences.
        let room = MAX_BYTES.saturating_sub(out.len() + MAX_EXCERPT * 4 + 1024);
        out += &fold_section("The change", &code_block("diff", &text, room));
    }
    if !failure.excerpt.trim().is_empty() {
        // GitHub drops a summary that is too long instead of truncating it.
        let text: String = failure.excerpt.chars().take(MAX_EXCERPT).collect();
        out += &fold_section("The log", &code_block("text", &text, MAX_EXCERPT * 4));
    }
    // The last guard: a fence that is cut here is closed by the end of the summary.
    cut_to_bytes(&out, MAX_BYTES)
}

/// Returns the facts of the outcome as a table.
/// Facts that are unknown have no row.
fn facts_table(outcome: &Outcome) -> String {
    let mut out = "| | |\n|---|---|\n".to_owned();
    // A table's row ends at the line's end, and inline code has no line breaks.
    let mut row = |name: &str, value: String| {
        if !value.is_empty() {
            let _ = writeln!(out, "| {name} | {value} |");
        }
    };
    // The check ran up to twice: on the untouched tree and with the change.
    let sides = [("before", &outcome.verify.before), ("after", &outcome.verify.after)];
    for (name, check) in sides.into_iter().filter_map(|(name, it)| Some((name, it.as_ref()?))) {
        row(
            name,
            // A bar inside of a cell ends the cell even in code (GitHub Flavored Markdown,
            // Tables).
            format!("{} {}", inline_code(&check.command).replace('|', "\\|"), describe_end(check)),
        );
    }
    row("proof", outcome.proof.map(|proof| inline_code(proof.name())).unwrap_or_default());
    let tests = outcome.proof_tests.map(|tests| format!("tests {}", inline_code(tests.name())));
    row("proof with", tests.unwrap_or_default());
    for flag in &outcome.review_flags {
        let place = inline_code(&format!("{}:{}", flag.path, flag.line));
        let reason = inline_code(&flag.reason);
        row("review", format!("{place} {reason}").replace('|', "\\|"));
    }
    for note in &outcome.review_notes {
        let place = inline_code(&format!("{}:{}", note.path, note.line));
        row("note", format!("{place} {}", inline_code(&note.reason)).replace('|', "\\|"));
    }
    let judge = outcome.judge.as_ref().map(|it| inline_code(&it.sentence()).replace('|', "\\|"));
    row("judge", judge.unwrap_or_default());
    if let Some(check) = &outcome.self_check {
        row("self-check", format!("{} of {} claims proved", check.proved, check.claims));
        for claim in &check.unproved {
            let place = inline_code(&format!("{}:{}", claim.path, claim.start_line));
            let claim_text = inline_code(&claim.claim);
            let reason = inline_code(&claim.reason);
            row("not proved", format!("{claim_text} {place} {reason}").replace('|', "\\|"));
        }
    }
    let checks = outcome.pr_checks.as_ref().map(|found| inline_code(&found.state));
    row("checks of the pull request", checks.unwrap_or_default());
    row("sandbox", outcome.sandbox.as_ref().map(|it| inline_code(&it.line())).unwrap_or_default());
    row("class", outcome.failure_class.as_deref().map(inline_code).unwrap_or_default());
    row("failure", outcome.fingerprint.as_deref().map(inline_code).unwrap_or_default());
    let changes = outcome.changes.as_ref().map(|changes| inline_code(&changes.line()));
    row("changes", changes.unwrap_or_default().replace('|', "\\|"));
    row("changed files", outcome.changed_files.len().to_string());
    // Cached tokens are part of the input already.
    let tokens = outcome.tokens.input + outcome.tokens.output;
    let cost =
        outcome.cost_usd.map_or("at an unknown price".to_owned(), |cost| format!("for ${cost:.4}"));
    row("cost", format!("{tokens} tokens in {} requests {cost}", outcome.requests));
    row("time", format!("{} s", outcome.timings_ms.total / 1000));
    row("run", inline_code(outcome.run_id.as_str()));
    out.push('\n');
    out
}

/// Returns the section on the failures before any change, or on other findings.
/// The test, `path:line` and the message's first line, each as code.
fn list_failures(title: &str, report: &FailureReport) -> String {
    if report.failures.is_empty() {
        return String::new();
    }
    let mut out = format!("### {title} ({})\n\n", report.failures.len());
    for failure in report.failures.iter().take(MAX_FAILURES) {
        let place = failure.locations.first();
        // The column is left out: it changes with every reformatting and adds little for a
        // reader.
        let place = place.map(|place| match place.line {
            Some(line) => format!("{}:{line}", place.path),
            None => place.path.clone(),
        });
        let first = failure.message.lines().next().unwrap_or_default();
        let parts = [failure.test.clone(), place, Some(first.to_owned())];
        let parts = parts.into_iter().flatten().filter(|part| !part.trim().is_empty());
        let parts: Vec<String> = parts.map(|part| inline_code(&part)).collect();
        let _ = writeln!(out, "- {}", parts.join(" "));
    }
    if report.failures.len() > MAX_FAILURES {
        let _ = writeln!(out, "- and {} more", report.failures.len() - MAX_FAILURES);
    }
    out.push('\n');
    out
}

/// Returns the sections of a review: its summary, and each remark with place and severity.
fn describe_review(review: &ReviewRecord) -> String {
    let mut out = String::new();
    if !review.summary.trim().is_empty() {
        let _ =
            writeln!(out, "### Review\n\n{}\n", code_block("text", &review.summary, MAX_EXCERPT));
    }
    let _ = writeln!(out, "### Remarks ({})\n", review.remarks.len());
    for remark in review.remarks.iter().take(MAX_FAILURES) {
        let place = inline_code(&format!("{}:{}", remark.path, remark.line));
        let _ =
            writeln!(out, "- {place} {}: {}", remark.severity.name(), inline_code(&remark.text));
    }
    if review.remarks.len() > MAX_FAILURES {
        let _ = writeln!(out, "- and {} more", review.remarks.len() - MAX_FAILURES);
    }
    out.push('\n');
    out
}

/// Returns how a run of the command ended.
/// A process that the time limit ends may have an exit code too.
fn describe_end(check: &CheckRecord) -> String {
    match check.exit_code {
        _ if check.timed_out => "did not end in time".to_owned(),
        Some(number) => format!("ended with exit code {number}"),
        None => "was ended by a signal".to_owned(),
    }
}

/// Returns a section that is folded at first.
/// `<details>` needs an empty line after the summary, otherwise Markdown in it is not rendered.
fn fold_section(title: &str, text: &str) -> String {
    format!("<details><summary>{title}</summary>\n\n{text}\n\n</details>\n\n")
}

/// Returns an address of a web page as a link, and any other text as code.
/// An address with other characters could close its link and open another.
fn link_or_code(url: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#@=&%+".contains(c);
    let is_address = url.starts_with("https://") || url.starts_with("http://");
    if is_address && url.chars().all(is_plain) { url.to_owned() } else { inline_code(url) }
}

/// Returns a text as inline code of Markdown.
fn inline_code(text: &str) -> String {
    // A line break would end the code.
    let line = text.replace(['\r', '\n'], " ");
    // Bidirectional controls and zero-width characters would show another text than there is.
    let text: String = show_hidden(&line).chars().take(500).collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    // A fence longer than any run of backticks inside cannot be closed by the text.
    let fence = "`".repeat(longest + 1);
    // A blank separates a backtick at the edge from the fence; Markdown removes the pair again.
    let pad = if longest > 0 || text.is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns a text as a fenced block of at most `room` bytes; GitHub refuses summaries over a mebibyte.
fn code_block(kind: &str, text: &str, room: usize) -> String {
    let cut = cut_to_bytes(&show_hidden(text), room);
    let longest = cut.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    // A fence has at least three backticks, and one more than the longest run in the text.
    let fence = "`".repeat((longest + 1).max(3));
    let more =
        if text.len() > room { "\n…cut here; the result folder has all of it" } else { "" };
    format!("{fence}{kind}\n{}{more}\n{fence}", cut.trim_end())
}

/// Cuts a text to so many bytes, at a character's end.
fn cut_to_bytes(text: &str, bytes: usize) -> String {
    // Walks back at most three bytes, the length of a cut character.
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or(0)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::outcome::ReviewFlag;
    use papayu_base::domain::{
        Failure, OutcomeKind, Remark, RunId, SelfCheckRecord, Severity, UnprovedClaim,
    };

    /// Checks that no line is hidden, and that outside of code there is only our own markup.
    fn assert_plain(page: &str) {
        let hidden = |c: char| c.is_control() && c != '\n' || papayu_base::text::is_invisible(c);
        assert!(!page.contains(hidden), "{page}");
        let mut open = None;
        for line in page.lines() {
            let fence: String = line.chars().take_while(|c| *c == '`').collect();
            let is_code = open.is_some() || fence.len() > 2;
            match &open {
                Some(known) if line == known => open = None,
                None if is_code => open = Some(fence),
                _ => {}
            }
            if is_code || line.starts_with("<details><summary>The ") {
                continue;
            }
            let mut plain = line.to_owned();
            while let Some((before, rest)) = plain.split_once('`') {
                let more = rest.chars().take_while(|c| *c == '`').count();
                let fence = "`".repeat(more + 1);
                let after = rest.get(more..).unwrap().split_once(&fence).expect(line).1;
                plain = format!("{before}{after}");
            }
            assert!(
                !plain.contains("<!--") && !plain.contains("script") && !plain.contains("]("),
                "{line}"
            );
        }
        assert_eq!(open, None, "{page}");
    }

    #[test]
    fn hostile_words_of_logs_paths_and_servers_hide_no_line() {
        let hostile = [
            "<!-- hidden",
            "<details><summary>x</summary>",
            "`code` <script>",
            "a | b | c",
            "\u{202e}reversed\u{2066}",
            "\u{1b}[8mconcealed\u{1b}[2K\u{1b}[1A",
            "over\rwritten",
            "zero\u{200b}width\u{ad}",
            "```\n# title\n```",
            "[link](javascript:x) ![i](http://x/y)",
        ];
        for text in hostile {
            let mut outcome = Outcome::new(RunId::new("r".to_owned()), OutcomeKind::Fixed, text);
            outcome.hint = Some(text.to_owned());
            outcome.notices = vec![text.to_owned()];
            outcome.pr_url = Some(format!("https://x/{text}"));
            outcome.review_flags =
                vec![ReviewFlag { path: text.to_owned(), line: 1, reason: text.to_owned() }];
            let unproved = UnprovedClaim {
                claim: text.to_owned(),
                path: text.to_owned(),
                start_line: 1,
                end_line: 1,
                reason: text.to_owned(),
            };
            outcome.self_check =
                Some(SelfCheckRecord { claims: 1, proved: 0, unproved: vec![unproved] });
            let failure = Failure {
                message: text.to_owned(),
                test: Some(text.to_owned()),
                ..Failure::default()
            };
            let report = FailureReport {
                failures: vec![failure],
                excerpt: text.to_owned(),
                ..FailureReport::default()
            };
            let mut page = render_step_summary(&outcome, &report, text.as_bytes());
            assert!(page.contains("| self-check | 0 of 1 claims proved |"), "{page}");
            let remark = Remark {
                path: text.to_owned(),
                line: 1,
                severity: Severity::Warning,
                text: text.to_owned(),
            };
            outcome.review = Some(ReviewRecord {
                summary: text.to_owned(),
                remarks: vec![remark],
                dropped: Vec::new(),
            });
            page += &render_step_summary(&outcome, &report, b"");
            assert_plain(&page);
        }
    }

    #[test]
    fn the_largest_change_and_log_stay_below_a_megabyte_and_close_what_they_open() {
        let outcome = Outcome::new(RunId::new("r".to_owned()), OutcomeKind::Fixed, "done");
        let failure = Failure { message: "`x` | y".repeat(5_000), ..Failure::default() };
        let report = FailureReport {
            failures: vec![failure; 5_000],
            excerpt: "````\nя".repeat(500_000),
            ..FailureReport::default()
        };
        let text = render_step_summary(&outcome, &report, "+я```\n".repeat(1_000_000).as_bytes());
        assert!(text.len() < 1024 * 1024, "{}", text.len());
        assert!(text.ends_with("</details>\n\n"));
        assert_eq!(text.matches("<details>").count(), 2);
        assert!(text.contains("- and 4800 more"));
    }
}
