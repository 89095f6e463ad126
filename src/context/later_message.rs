//! The part of a later message that shows more of the repository.

use std::fmt::Write as _;

use super::diet::{ContextStats, DietConfig, NAMED_FLOOR, emit_stats};
use super::file_block::file_block;
use super::gathered::{Context, ContextFile};
use super::line_ranges::{
    LineRange, count_chars, fit_ranges, join_ranges, last_line, new_ranges, shorten_lines,
    write_ranges,
};
use super::shown::ShownTexts;
use papayu_base::domain::EventSink;

/// The part of a later message that shows more of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// The blocks, and a line for each request that shows nothing new.
    pub text: String,
    /// The files and texts that the conversation shows with them.
    pub shown: ShownTexts,
    /// The counts of this message.
    pub stats: ContextStats,
}

/// Returns the lines and texts that were requested since the last message, without what is shown
/// already, cut to the limits of one file and to the number of files. A changed file is shown again.
pub fn render_answers(
    context: &mut Context,
    shown: &ShownTexts,
    config: &DietConfig,
    events: &dyn EventSink,
) -> Answers {
    let floor = if config.is_hard { 0 } else { NAMED_FLOOR };
    let left = config.max_total_chars.saturating_sub(shown.chars()).max(floor);
    let mut message = MessageDraft {
        shown: shown.clone(),
        left,
        limit: config.max_total_chars,
        out: String::new(),
        stats: ContextStats::default(),
    };
    let asked = std::mem::take(&mut context.asked);
    for file in &context.files {
        let again = shown.outdated_lines(&file.path, file.sha256);
        let ranges = asked.iter().filter(|(path, _)| *path == file.path).map(|(_, range)| *range);
        let ranges: Vec<LineRange> = ranges.chain(again.iter().copied()).collect();
        message.add_file(file, &ranges, config);
    }
    for text in context.texts.iter().skip(shown.texts()) {
        let block = format!("{}:\n{}\n\n", text.title, text.text.trim_end());
        message.add_text(&text.title, &block);
    }
    let MessageDraft { mut shown, out, mut stats, .. } = message;
    stats.context_total_chars = out.chars().count();
    shown.count_message(context.texts.len(), stats.context_total_chars);
    emit_stats(&stats, events);
    Answers { text: out, shown, stats }
}

/// A message that is being written.
struct MessageDraft {
    shown: ShownTexts,
    left: usize,
    limit: usize,
    out: String,
    stats: ContextStats,
}

impl MessageDraft {
    /// Adds the new lines of a file, as far as the limit of characters permits; for lines that were shown
    /// before, only their numbers are named.
    fn add_file(&mut self, file: &ContextFile, ranges: &[LineRange], config: &DietConfig) {
        if ranges.is_empty() {
            return;
        }
        let last = last_line(&file.text);
        let wanted = join_ranges(ranges.to_vec(), last);
        let known = self.shown.lines(&file.path, file.sha256).to_vec();
        let new = new_ranges(&wanted, &known);
        let path = &file.path;
        if new.is_empty() {
            let _ = writeln!(self.out, "FILE[{path}]: {} shown above.\n", name_lines(&wanted));
            return;
        }
        if self.stats.context_files_count >= config.max_files {
            self.stats.context_files_dropped_count += 1;
            let most = config.max_files;
            let why = format!("an answer has at most {most} files, ask again");
            let _ = writeln!(self.out, "FILE[{path}]: {} not shown: {why}.\n", name_lines(&new));
            return;
        }
        let is_total_reached = self.left < config.max_file_chars;
        let budget = self.left.min(config.max_file_chars);
        let short = shorten_lines(&file.text, budget);
        let fitting = fit_ranges(&short, &new, budget);
        if !fitting.is_empty() {
            let (text, written) = write_ranges(&short, &fitting, &known);
            self.left = self.left.saturating_sub(count_chars(&short, &written));
            self.out.push_str(&file_block(path, file.sha256, &text));
            self.shown.add_lines(file, &written);
            self.stats.context_files_count += 1;
        }
        let missing = new_ranges(&new, &fitting);
        // A line over the limit is shown without its middle.
        let is_cut = count_chars(&short, &fitting) != count_chars(&file.text, &fitting);
        if missing.is_empty() && is_cut {
            self.stats.context_truncated_files_count += 1;
        }
        if !missing.is_empty() {
            let stats = &mut self.stats;
            if fitting.is_empty() {
                stats.context_files_dropped_count += 1;
            } else {
                stats.context_truncated_files_count += 1;
            }
            let why = if fitting.is_empty() || is_total_reached {
                format!("the limit of {} characters is reached", self.limit)
            } else {
                format!(
                    "at most {} characters of a file are shown, ask for the range that you need",
                    config.max_file_chars
                )
            };
            let _ =
                writeln!(self.out, "FILE[{path}]: {} not shown: {why}.\n", name_lines(&missing));
        }
    }

    /// Adds a block of text if the limit of characters permits, or a sentence that it is not shown.
    fn add_text(&mut self, title: &str, block: &str) {
        let size = block.chars().count();
        if size <= self.left {
            self.left -= size;
            self.out.push_str(block);
        } else {
            let limit = self.limit;
            self.stats.context_files_dropped_count += 1;
            let _ = writeln!(
                self.out,
                "{title}: not shown: the limit of {limit} characters is reached.\n"
            );
        }
    }
}

/// Returns the ranges in words with the verb that fits.
fn name_lines(ranges: &[LineRange]) -> String {
    let name = |range: &LineRange| match range {
        (start, end) if start == end => start.to_string(),
        (start, end) => format!("{start}–{end}"),
    };
    let names: Vec<String> = ranges.iter().map(name).collect();
    match ranges {
        [(start, end)] if start == end => format!("line {start} is"),
        _ => format!("lines {} are", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{FileRank, TextKind};
    use papayu_base::domain::event::NoEvents;
    use papayu_base::domain::{RepoPath, Sha256};

    const CONFIG: DietConfig = DietConfig {
        max_files: 8,
        max_file_chars: 2_000,
        max_total_chars: 12_000,
        max_log_chars: 1_000,
        is_hard: false,
    };

    fn file(lines: u32) -> ContextFile {
        let text = (1..=lines)
            .fold(String::new(), |text, line| text + &format!("line {line} of the file\n"));
        ContextFile {
            path: RepoPath::parse("a.py").unwrap(),
            sha256: Sha256::of(text.as_bytes()),
            text,
            wanted: Vec::new(),
            rank: FileRank::Requested,
            why: String::new(),
            share: None,
        }
    }

    fn ask(file: &ContextFile, ranges: &[LineRange]) -> Context {
        let asked = ranges.iter().map(|range| (file.path.clone(), *range)).collect();
        Context { files: vec![file.clone()], asked, ..Context::default() }
    }

    #[test]
    fn a_range_is_answered_with_that_range_and_nothing_twice() {
        let file = file(1_000);
        let answers = render_answers(
            &mut ask(&file, &[(500, 549)]),
            &ShownTexts::default(),
            &CONFIG,
            &NoEvents,
        );
        let digest = file.sha256;
        let head =
            format!("FILE[a.py] (sha256={digest}):\n...[lines 1–499 left out]...\nline 500 ");
        assert!(answers.text.starts_with(&head), "{}", answers.text);
        assert_eq!(answers.text.matches("of the file").count(), 50);
        let more =
            render_answers(&mut ask(&file, &[(540, 552)]), &answers.shown, &CONFIG, &NoEvents);
        assert!(more.text.contains("...[lines 1–549 shown above or left out]...\nline 550 "));
        assert_eq!(more.text.matches("of the file").count(), 3);
        let again = render_answers(&mut ask(&file, &[(501, 552)]), &more.shown, &CONFIG, &NoEvents);
        assert_eq!(again.text, "FILE[a.py]: lines 501–552 are shown above.\n\n");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let file = file(1_000);
        let whole = render_answers(
            &mut ask(&file, &[(1, 1_000)]),
            &ShownTexts::default(),
            &CONFIG,
            &NoEvents,
        );
        assert!(whole.text.chars().count() < 2_400, "{}", whole.text.chars().count());
        let why = "are not shown: at most 2000 characters of a file are shown, ask for the range that you need.";
        assert!(whole.text.contains(why) && whole.text.contains("line 1000 of"), "{}", whole.text);
        let large = render_answers(
            &mut ask(&file, &[(2, 900)]),
            &ShownTexts::default(),
            &CONFIG,
            &NoEvents,
        );
        assert!(large.text.chars().count() < 2_400 && large.text.contains(why), "{}", large.text);
        assert!(large.text.contains("line 900 of the file"), "{}", large.text);
        // The limit that is reached is named: here the one of all files.
        let total = DietConfig { max_total_chars: 1_000, is_hard: true, ..CONFIG };
        let cut = render_answers(
            &mut ask(&file, &[(1, 1_000)]),
            &ShownTexts::default(),
            &total,
            &NoEvents,
        );
        let why = "are not shown: the limit of 1000 characters is reached.";
        assert!(cut.text.contains(why) && cut.text.contains("line 1000 of"), "{}", cut.text);
        let mut context = Context::default();
        context.add_text(TextKind::Search, "SEARCH `x`", "hit\n".repeat(4_000));
        let search = render_answers(&mut context, &ShownTexts::default(), &CONFIG, &NoEvents);
        assert_eq!(
            search.text,
            "SEARCH `x`: not shown: the limit of 12000 characters is reached.\n\n"
        );
        assert_eq!(search.stats.context_files_dropped_count, 1);
        let (text, long) = (format!("{}\n", "x".repeat(4_000)), file.clone());
        let long = ContextFile { text, ..long };
        let cut =
            render_answers(&mut ask(&long, &[(1, 1)]), &ShownTexts::default(), &CONFIG, &NoEvents);
        assert_eq!(cut.stats.context_truncated_files_count, 1, "{}", cut.text);
    }

    #[test]
    fn a_file_beyond_the_limit_of_characters_is_counted_as_dropped() {
        let (first, second) =
            (file(1_000), ContextFile { path: RepoPath::parse("b.py").unwrap(), ..file(1_000) });
        let asked = [&first, &second].map(|file| (file.path.clone(), (1, 10))).to_vec();
        let mut context = Context { files: vec![first, second], asked, ..Context::default() };
        let mut shown = ShownTexts::default();
        shown.count_message(0, CONFIG.max_total_chars);
        let hard =
            DietConfig { max_total_chars: CONFIG.max_total_chars + 200, is_hard: true, ..CONFIG };
        let answers = render_answers(&mut context, &shown, &hard, &NoEvents);
        let stats = answers.stats;
        assert!(
            answers.text.contains("FILE[b.py]: lines 1–10 are not shown: the limit"),
            "{}",
            answers.text
        );
        let counts = (
            stats.context_files_count,
            stats.context_files_dropped_count,
            stats.context_truncated_files_count,
        );
        assert_eq!(counts, (1, 1, 0));
    }

    #[test]
    fn a_changed_file_is_shown_again() {
        let before = file(10);
        let first = render_answers(
            &mut ask(&before, &[(3, 5)]),
            &ShownTexts::default(),
            &CONFIG,
            &NoEvents,
        );
        let text = before.text.replace("line 4", "row 4");
        let sha256 = Sha256::of(text.as_bytes());
        let after = ContextFile { sha256, text, ..before };
        let again = render_answers(&mut ask(&after, &[]), &first.shown, &CONFIG, &NoEvents);
        assert!(again.text.contains(&sha256.to_string()) && again.text.contains("row 4"));
        assert_eq!(again.shown.lines(&after.path, sha256).len(), 1);
    }
}
