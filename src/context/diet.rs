//! Cuts the context to its budget.
//!
//! Texts of the web are removed first, then search hits, the imports around the files, notes and the description of the architecture, logs, and files
//! of low rank. A file that the failure names keeps at least [`NAMED_FLOOR`] characters (protocol section 6).

use serde::{Deserialize, Serialize};

use super::file_block::file_block;
use super::gathered::{Context, ContextFile, FileRank, TextKind};
use super::line_ranges::{count_chars, fit_ranges, shorten_lines, write_ranges};
use super::shown::ShownTexts;
use papayu_base::domain::{Event, EventName, EventSink};
use papayu_base::text::lines::truncation_mark;

/// Fewest characters of a file that the failure names.
pub const NAMED_FLOOR: usize = 4_000;

/// Texts that are removed before anything else, in this order.
const CUT_FIRST: [TextKind; 4] =
    [TextKind::Online, TextKind::Search, TextKind::Graph, TextKind::Description];

/// Fewest characters of the log.
const LOG_FLOOR: usize = 2_000;

/// The budget (`PAPAYU_CONTEXT_MAX_*`), in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DietConfig {
    /// Maximum number of files.
    pub max_files: usize,
    /// Maximum characters of one file.
    pub max_file_chars: usize,
    /// Maximum characters of the whole context.
    pub max_total_chars: usize,
    /// Maximum characters of the log of the failure.
    pub max_log_chars: usize,
    /// True if nothing may exceed `max_total_chars`: then files that the failure names are cut below
    /// [`NAMED_FLOOR`] too, and structure and texts are left out first.
    pub is_hard: bool,
}

impl DietConfig {
    /// Returns the budget for a small window: at most `chars` for everything, of which one file takes at most
    /// half and the log at most a quarter.
    #[must_use]
    pub fn limited_to(self, chars: usize) -> Self {
        Self {
            max_files: self.max_files,
            max_file_chars: self.max_file_chars.min(chars / 2),
            max_total_chars: self.max_total_chars.min(chars),
            max_log_chars: self.max_log_chars.min(chars / 4),
            // A window larger than the budget needs no cut of what the failure names.
            is_hard: self.is_hard || chars < self.max_total_chars,
        }
    }
}

/// The result of cutting, for the trace.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct ContextStats {
    /// Files shown.
    pub context_files_count: usize,
    /// Files and texts that are left out.
    pub context_files_dropped_count: usize,
    /// Characters of the whole context.
    pub context_total_chars: usize,
    /// Characters of the log.
    pub context_logs_chars: usize,
    /// Files of which less is shown than was chosen.
    pub context_truncated_files_count: usize,
}

impl ContextStats {
    /// Adds the counts of a later message.
    pub fn add_message(&mut self, more: Self) {
        self.context_files_count += more.context_files_count;
        self.context_files_dropped_count += more.context_files_dropped_count;
        self.context_total_chars += more.context_total_chars;
        self.context_truncated_files_count += more.context_truncated_files_count;
    }
}

/// The context as part of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Structure, files and other texts: the prefix of the request.
    pub prefix: String,
    /// The shortened log of the failure.
    pub log: String,
    /// The files and texts shown.
    pub shown: ShownTexts,
    /// The result of cutting.
    pub stats: ContextStats,
}

/// Renders the context of the first message within its budget, in the order in which it was added.
pub fn render_context(
    context: &Context,
    log: &str,
    config: &DietConfig,
    events: &dyn EventSink,
) -> Rendered {
    let kept = choose_files(&context.files, config.max_files);
    let mut sizes: Vec<usize> = kept
        .iter()
        .map(|file| {
            // Chosen lines keep to their share already; a file that is wanted to its end is cut to it.
            let is_chosen =
                file.wanted.iter().map(|lines| lines.1).max().is_some_and(|end| end < u32::MAX);
            let share = file.share.filter(|_| !is_chosen).unwrap_or(usize::MAX);
            let share = share.min(config.max_file_chars);
            let text = shorten_lines(&file.text, share);
            count_chars(&text, &fit_ranges(&text, &file.wanted, share))
        })
        .collect();
    let mut log_size = log.chars().count().min(config.max_log_chars);
    let mut texts: Vec<&super::ContextText> = context.texts.iter().collect();
    let text_size = |texts: &[&super::ContextText]| -> usize {
        texts.iter().map(|text| text.text.chars().count() + text.title.chars().count()).sum()
    };
    // 120 characters per file are reserved for the line with its path and digest.
    let fixed = context.structure.chars().count() + kept.len() * 120;
    let total = |sizes: &[usize], texts: &[&super::ContextText], log_size| {
        fixed + sizes.iter().sum::<usize>() + text_size(texts) + log_size
    };
    let over = |all: usize| -> usize { all.saturating_sub(config.max_total_chars) };
    while over(total(&sizes, &texts, log_size)) > 0 {
        let of_kind = |kind| texts.iter().rposition(|text| text.kind == kind);
        let Some(last) = CUT_FIRST.into_iter().find_map(of_kind) else { break };
        texts.remove(last);
    }
    let excess = over(total(&sizes, &texts, log_size));
    log_size -= excess.min(log_size.saturating_sub(LOG_FLOOR));
    // First the files of low rank down to nothing, then those that the failure names down to
    // their minimum.
    for floor_of in [
        |rank| if rank == FileRank::Named { usize::MAX } else { 0 },
        |rank| {
            if rank == FileRank::Named { NAMED_FLOOR } else { 0 }
        },
    ] {
        for (index, file) in kept.iter().enumerate().rev() {
            let excess = over(total(&sizes, &texts, log_size));
            if let Some(size) = sizes.get_mut(index) {
                *size -= excess.min(size.saturating_sub(floor_of(file.rank)));
            }
        }
    }
    let mut structure = context.structure.as_str();
    if config.is_hard && over(total(&sizes, &texts, log_size)) > 0 {
        // The failure and the first windows matter more than folders and answers of searches.
        let room = config.max_total_chars.saturating_sub(log_size + kept.len() * 120);
        structure = "";
        texts.clear();
        fit_by_rank(&kept, &mut sizes, room);
    }
    let log = cut_log(log, log_size);
    let rendered = write_out(context, &KeptParts { structure, files: &kept, sizes, texts, log });
    emit_stats(&rendered.stats, events);
    rendered
}

/// Cuts the sizes of files so that their sum is at most the limit. Files of a high rank keep
/// theirs.
fn fit_by_rank(files: &[&ContextFile], sizes: &mut [usize], mut room: usize) {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|at| (files.get(*at).map(|file| file.rank), *at));
    for at in order {
        if let Some(size) = sizes.get_mut(at) {
            *size = (*size).min(room);
            room -= *size;
        }
    }
}

/// The parts of a context that are written, with the sizes that the diet left.
struct KeptParts<'c> {
    structure: &'c str,
    files: &'c [&'c ContextFile],
    sizes: Vec<usize>,
    texts: Vec<&'c super::ContextText>,
    log: String,
}

/// Returns the files of the highest ranks, in the order in which they were added.
fn choose_files(files: &[ContextFile], max: usize) -> Vec<&ContextFile> {
    let mut ranked: Vec<(usize, &ContextFile)> = files.iter().enumerate().collect();
    ranked.sort_by_key(|(index, file)| (file.rank, *index));
    ranked.truncate(max);
    ranked.sort_by_key(|(index, _)| *index);
    ranked.into_iter().map(|(_, file)| file).collect()
}

/// Returns the end of a log, because the failure is usually printed last.
fn cut_log(log: &str, size: usize) -> String {
    let all = log.chars().count();
    if all <= size {
        return log.to_owned();
    }
    let tail: String = log.chars().skip(all - size).collect();
    format!("{}\n{tail}", truncation_mark(all - size))
}

/// Writes the context within the sizes that the diet left.
fn write_out(context: &Context, selection: &KeptParts<'_>) -> Rendered {
    let KeptParts { structure, files, sizes, texts, log } = selection;
    let mut rendered = Rendered { log: log.clone(), ..Rendered::default() };
    let stats = &mut rendered.stats;
    if !structure.is_empty() {
        rendered.prefix = format!("STRUCTURE:\n{structure}\n");
    }
    for (file, size) in files.iter().zip(sizes) {
        let text = shorten_lines(&file.text, *size);
        let fitting = fit_ranges(&text, &file.wanted, *size);
        if fitting.is_empty() {
            stats.context_files_dropped_count += 1;
            continue;
        }
        let (cut, written) = write_ranges(&text, &fitting, &[]);
        // Windows that were chosen are no cut.
        let is_cut = fitting != fit_ranges(&text, &file.wanted, usize::MAX)
            || count_chars(&text, &fitting) != count_chars(&file.text, &fitting);
        stats.context_truncated_files_count += usize::from(is_cut);
        stats.context_files_count += 1;
        rendered.prefix.push_str(&file_block(&file.path, file.sha256, &cut));
        rendered.shown.add_lines(file, &written);
    }
    for text in texts {
        let block = format!("{}:\n{}\n\n", text.title, text.text.trim_end());
        rendered.prefix.push_str(&block);
    }
    stats.context_files_dropped_count += context.files.len() - files.len();
    stats.context_files_dropped_count += context.texts.len() - texts.len();
    stats.context_logs_chars = rendered.log.chars().count();
    stats.context_total_chars = rendered.prefix.chars().count() + stats.context_logs_chars;
    rendered.shown.count_message(context.texts.len(), stats.context_total_chars);
    rendered
}

/// Reports files that were dropped or cut.
pub(super) fn emit_stats(stats: &ContextStats, events: &dyn EventSink) {
    if stats.context_files_dropped_count + stats.context_truncated_files_count > 0 {
        events.emit(
            Event::new(EventName::ContextDietApplied)
                .with("files", stats.context_files_count)
                .with("dropped", stats.context_files_dropped_count)
                .with("truncated", stats.context_truncated_files_count)
                .with("total_chars", stats.context_total_chars),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::event::NoEvents;
    use papayu_base::domain::{RepoPath, Sha256};

    const WIDE: DietConfig = DietConfig {
        max_files: 8,
        max_file_chars: 20_000,
        max_total_chars: 120_000,
        max_log_chars: 12_000,
        is_hard: false,
    };

    fn file(name: &str, chars: usize, rank: FileRank) -> ContextFile {
        let text = "x\n".repeat(chars / 2);
        let path = RepoPath::parse(name).unwrap();
        let sha256 = Sha256::of(text.as_bytes());
        ContextFile {
            path,
            sha256,
            text,
            wanted: Vec::new(),
            rank,
            why: String::new(),
            share: None,
        }
    }

    fn shown(context: &Context, log: &str, config: &DietConfig) -> (Vec<String>, Rendered) {
        let rendered = render_context(context, log, config, &NoEvents);
        (rendered.shown.digests().map(|(path, _)| path.to_string()).collect(), rendered)
    }

    #[test]
    fn what_fits_is_shown_whole_with_the_digest_of_the_file() {
        let files = vec![file("a.py", 100, FileRank::Named)];
        let digest = files[0].sha256;
        let context = Context { files, ..Context::default() };
        let (_, rendered) = shown(&context, "log", &WIDE);
        assert!(rendered.prefix.starts_with(&format!("FILE[a.py] (sha256={digest}):\nx\n")));
        assert_eq!(rendered.stats.context_truncated_files_count, 0);
        // A window is a choice and no cut.
        let window = ContextFile { wanted: vec![(2, 5)], ..file("b.py", 100, FileRank::Related) };
        let context = Context { files: vec![window], ..Context::default() };
        let (_, rendered) = shown(&context, "log", &WIDE);
        assert!(rendered.prefix.contains("[lines 6–50 left out]"), "{}", rendered.prefix);
        assert_eq!(rendered.stats.context_truncated_files_count, 0);
        let (_, rendered) = shown(&context, "log", &DietConfig { max_file_chars: 4, ..WIDE });
        assert_eq!(rendered.stats.context_truncated_files_count, 1);
    }

    #[test]
    fn the_weakest_files_go_first_and_the_order_of_arrival_stays() {
        let files = vec![
            file("related.py", 10, FileRank::Related),
            file("named.py", 10, FileRank::Named),
            file("asked.py", 10, FileRank::Requested),
        ];
        let context = Context { files, ..Context::default() };
        let (names, rendered) = shown(&context, "", &DietConfig { max_files: 2, ..WIDE });
        assert_eq!(names, ["asked.py", "named.py"]);
        assert!(rendered.prefix.find("named.py") < rendered.prefix.find("asked.py"));
        assert_eq!(rendered.stats.context_files_dropped_count, 1);
    }

    #[test]
    fn search_goes_before_the_log_the_log_before_files_and_a_named_file_keeps_its_floor() {
        let files = vec![
            file("named.py", 18_000, FileRank::Named),
            file("other.py", 18_000, FileRank::Related),
        ];
        let mut context = Context { files, ..Context::default() };
        context.add_text(TextKind::Search, "SEARCH", "hit\n".repeat(1_000));
        let log = "l\n".repeat(5_000);
        let sizes = |max_total_chars| {
            let (names, rendered) = shown(&context, &log, &DietConfig { max_total_chars, ..WIDE });
            let search = rendered.prefix.contains("SEARCH");
            (names.len(), search, rendered.stats.context_logs_chars > 9_000)
        };
        assert_eq!(sizes(60_000), (2, true, true));
        assert_eq!(sizes(47_000), (2, false, true));
        assert_eq!(sizes(40_000), (2, false, false));
        assert_eq!(sizes(20_000), (1, false, false));
        let (_, rendered) = shown(&context, &log, &DietConfig { max_total_chars: 1_000, ..WIDE });
        let kept = rendered.prefix.matches("x\n").count() * 2;
        assert!((NAMED_FLOOR - 100..=NAMED_FLOOR).contains(&kept), "{kept}");
    }

    #[test]
    fn a_file_of_which_no_line_is_shown_is_counted_as_dropped() {
        let files =
            vec![file("a.py", 4_000, FileRank::Named), file("b.py", 4_000, FileRank::Named)];
        let context = Context { files, ..Context::default() };
        // 240 characters are reserved for the heads of the blocks, and `b.py` has 1 character left.
        let hard = DietConfig { max_total_chars: 4_241, is_hard: true, ..WIDE };
        let (names, rendered) = shown(&context, "", &hard);
        assert_eq!(names, ["a.py"]);
        let stats = rendered.stats;
        assert_eq!((stats.context_files_count, stats.context_files_dropped_count), (1, 1));
        assert_eq!(stats.context_truncated_files_count, 0);
    }

    #[test]
    fn a_hard_budget_keeps_the_log_and_the_first_files_and_nothing_exceeds_it() {
        let files =
            vec![file("a.py", 10_000, FileRank::Named), file("b.py", 10_000, FileRank::Named)];
        let structure = "src/\n".repeat(400);
        let context = Context { structure, files, ..Context::default() };
        let log = "FAIL\n".repeat(2_000);
        for chars in [6_000, 12_000, 24_000] {
            let rendered = render_context(&context, &log, &WIDE.limited_to(chars), &NoEvents);
            let size = rendered.prefix.chars().count() + rendered.log.chars().count();
            assert!(size <= chars + 100, "{size} of {chars}");
            assert!(rendered.prefix.contains("FILE[a.py]") && rendered.log.ends_with("FAIL\n"));
        }
    }
}
