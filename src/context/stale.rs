//! Drops answers to earlier requests that nothing refers to any more, so that a conversation can begin again smaller.

use super::gathered::{Context, FileRank, TextKind};
use super::line_ranges::LineRange;
use super::shown::ShownTexts;
use papayu_base::domain::RepoPath;

/// Most dropped parts that are named.
const MAX_NAMED: usize = 30;

impl Context {
    /// Removes the files that the model asked for and was shown, unless it asked for them again since or `current` is
    /// their path, and the texts that were shown, except background. Returns a summary of what was removed, a line each.
    ///
    /// Files that the model asked for come first, with the lines that it asked for.
    pub fn drop_stale(&mut self, shown: &ShownTexts, current: Option<&RepoPath>) -> String {
        let mut dropped: Vec<String> = Vec::new();
        let asked = std::mem::take(&mut self.asked);
        self.files.retain_mut(|file| {
            let of_file = asked.iter().filter(|(path, _)| *path == file.path);
            let wanted: Vec<LineRange> = of_file.map(|(_, range)| *range).collect();
            let lines = shown.lines(&file.path, file.sha256);
            let is_current = file.rank != FileRank::Requested || current == Some(&file.path);
            if wanted.is_empty() && !is_current && !lines.is_empty() {
                dropped.push(format!("FILE[{}] lines {}", file.path, name_ranges(lines)));
                return false;
            }
            if !wanted.is_empty() {
                // The answer to the last request must not be cut for what is known already.
                file.rank = FileRank::Named;
                file.wanted = wanted;
            }
            true
        });
        self.files.sort_by_key(|file| !asked.iter().any(|(path, _)| *path == file.path));
        let mut at = 0;
        self.texts.retain(|text| {
            at += 1;
            let is_background =
                matches!(text.kind, TextKind::Description | TextKind::Env | TextKind::Graph);
            let is_kept = at > shown.texts() || is_background;
            // A note is about a request that was answered.
            if !is_kept && text.kind != TextKind::Note {
                dropped.push(text.title.clone());
            }
            is_kept
        });
        let more = dropped.len().saturating_sub(MAX_NAMED);
        dropped.truncate(MAX_NAMED);
        if more > 0 {
            dropped.push(format!("and {more} more"));
        }
        dropped.join("\n")
    }
}

fn name_ranges(ranges: &[LineRange]) -> String {
    let names: Vec<String> = ranges.iter().map(|(start, end)| format!("{start}–{end}")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{ContextFile, DietConfig, render_context};
    use papayu_base::domain::{NoEvents, Sha256};

    const WIDE: DietConfig = DietConfig {
        max_files: 8,
        max_file_chars: 20_000,
        max_total_chars: 120_000,
        max_log_chars: 12_000,
        is_hard: false,
    };

    fn path(name: &str) -> RepoPath {
        RepoPath::parse(name).unwrap()
    }

    fn file(name: &str, rank: FileRank) -> ContextFile {
        let text = "x\n".repeat(10);
        let sha256 = Sha256::of(text.as_bytes());
        let (wanted, why) = (Vec::new(), String::new());
        ContextFile { path: path(name), sha256, text, wanted, rank, why, share: None }
    }

    #[test]
    fn files_and_answers_that_nothing_refers_to_are_dropped_and_named() {
        let files = vec![
            file("named.py", FileRank::Named),
            file("old.py", FileRank::Requested),
            file("asked.py", FileRank::Requested),
            file("refused.py", FileRank::Requested),
            file("related.py", FileRank::Related),
        ];
        let mut context = Context { files, ..Context::default() };
        context.add_text(TextKind::Search, "SEARCH `x`", "hit");
        context.add_text(TextKind::Note, "ANSWERED ABOVE", "");
        context.add_text(TextKind::Description, "ARCHITECTURE", "layers");
        let shown = render_context(&context, "", &WIDE, &NoEvents).shown;
        context.asked.push((path("asked.py"), (2, 3)));
        context.add_text(TextKind::Search, "SEARCH `y`", "hit");
        let summary = context.drop_stale(&shown, Some(&path("refused.py")));
        assert_eq!(summary, "FILE[old.py] lines 1–10\nSEARCH `x`");
        let names: Vec<&str> = context.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, ["asked.py", "named.py", "refused.py", "related.py"]);
        assert_eq!(context.files[0].wanted, [(2, 3)]);
        let titles: Vec<&str> = context.texts.iter().map(|text| text.title.as_str()).collect();
        assert_eq!(titles, ["ARCHITECTURE", "SEARCH `y`"]);
    }
}
