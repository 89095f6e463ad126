//! Mixes the changed lines of the chosen files with the lines that other evidence names, about half and half.

use std::collections::BTreeMap;

use super::evidence::{EvidenceOrigin, Library};
use super::line_ranges::{LineRange, count_chars, fit_ranges, join_ranges, last_line, new_ranges};
use super::select::Chosen;
use crate::changes::Changes;
use papayu_index::FileId;
use papayu_lang::FileRole;

/// Characters of all files together: what changed needs less than a search among everything.
const MAX_CHARS: usize = 20_000;

/// Lines that are shown around a changed one.
const AROUND: u32 = 5;

/// Changed lines that are shown anyway and count for the worth of a hunk.
const MAX_SHOWN: u32 = 20;

/// The worth of such a line, of which an unshown hunk has 1.
const LINE_WORTH: f32 = 0.2;

/// Lines of a file, in the order in which they matter.
pub(super) type FilePart = (FileId, LineRange);

/// Returns the chosen files with those lines that fit, and all lines in the order in which they matter.
pub(super) fn mix_changes(
    library: &Library<'_>,
    changes: &Changes,
    chosen: Vec<Chosen>,
) -> (Vec<Chosen>, Vec<FilePart>) {
    let windows =
        chosen.iter().flat_map(|it| it.lines.iter().map(|lines| (it.ranked.file, *lines)));
    let mut windows: Vec<FilePart> = windows.collect();
    // Without the failing tests, nothing shows what is expected.
    windows.sort_by_key(|(file, _)| library.role(*file) != FileRole::Test);
    let mut hunks = rank_hunks(library, changes, &chosen);
    // The best file comes first, whatever its best hunk is worth.
    let best = chosen.first().map(|it| it.ranked.file);
    if let Some(at) = hunks.iter().position(|(file, _)| Some(*file) == best) {
        let first = hunks.remove(at);
        hunks.insert(0, first);
    }
    let mut draft =
        MixDraft { library, left: MAX_CHARS, shown: BTreeMap::new(), order: Vec::new() };
    let (mut hunks, mut windows) = (hunks.into_iter().peekable(), windows.into_iter().peekable());
    let (mut of_hunks, mut of_windows) = (0, 0);
    while draft.left > 0 {
        let takes_hunk =
            hunks.peek().is_some() && (windows.peek().is_none() || of_hunks <= of_windows);
        let next = if takes_hunk { hunks.next() } else { windows.next() };
        let Some(segment) = next else { break };
        let size = draft.take(segment);
        *if takes_hunk { &mut of_hunks } else { &mut of_windows } += size;
    }
    let MixDraft { shown, order, .. } = draft;
    let with_lines = chosen.into_iter().map(|it| {
        let own = order.iter().filter(|(file, _)| *file == it.ranked.file);
        let lines: Vec<LineRange> = own.map(|(_, lines)| *lines).collect();
        let text = library.text(it.ranked.file).unwrap_or_default();
        let share = shown.get(&it.ranked.file).map_or(0, |lines| count_chars(&text, lines));
        Chosen { lines, share, ..it }
    });
    (with_lines.filter(|it| !it.lines.is_empty()).collect(), order)
}

/// The lines that are taken so far.
struct MixDraft<'l, 'a> {
    library: &'l Library<'a>,
    /// Characters that are left.
    left: usize,
    shown: BTreeMap<FileId, Vec<LineRange>>,
    order: Vec<FilePart>,
}

impl MixDraft<'_, '_> {
    /// Adds what fits of lines that are not shown yet, and returns its characters.
    fn take(&mut self, segment: FilePart) -> usize {
        let (file, lines) = segment;
        let Some(text) = self.library.text(file) else { return 0 };
        let last = last_line(&text);
        let shown = self.shown.entry(file).or_default();
        let mut taken = 0;
        for part in new_ranges(&join_ranges(vec![lines], last), shown) {
            let fitting = fit_ranges(&text, &[part], self.left);
            let size = count_chars(&text, &fitting);
            self.left -= size.min(self.left);
            taken += size;
            // The selection ends with the first part that does not fit.
            if fitting.first() != Some(&part) {
                self.left = 0;
            }
            self.order.extend(fitting.iter().map(|lines| (file, *lines)));
            shown.extend(fitting);
        }
        *shown = join_ranges(std::mem::take(shown), last);
        taken
    }
}

/// Returns the hunks of the chosen sources with the lines around them, the most suspicious first: in a file of a high rank,
/// among lines that are shown anyway, of a suspected commit, and short.
fn rank_hunks(library: &Library<'_>, changes: &Changes, chosen: &[Chosen]) -> Vec<FilePart> {
    let sources: Vec<&Chosen> = sources(library, chosen).collect();
    let suspicion = changes.weigh_commits(&shown_lines(library, chosen));
    let best = suspicion.first().map_or(1.0, |(score, _)| *score);
    let mut ranked: Vec<(f32, FilePart)> = Vec::new();
    for (rank, it) in sources.iter().enumerate() {
        let (path, file) = (library.path(it.ranked.file), it.ranked.file);
        let text = library.text(file).unwrap_or_default();
        let of_change = it.ranked.pieces.iter().filter(|it| it.origin == EvidenceOrigin::Change);
        for (first, last) in of_change.filter_map(|piece| piece.lines) {
            let overlap =
                |window: &LineRange| (window.1.min(last) + 1).saturating_sub(window.0.max(first));
            let shown: u32 = it.lines.iter().map(overlap).sum();
            let is_own = |line: &u32| (first..=last).contains(line);
            let mut of_commits = suspicion.iter();
            let blamed = of_commits
                .find(|(_, it)| it.lines.get(path).is_some_and(|it| it.iter().any(is_own)));
            let blamed = blamed.map_or(0.0, |(score, _)| score / best);
            let around = (first.saturating_sub(AROUND).max(1), last.saturating_add(AROUND));
            let size = count_chars(&text, &join_ranges(vec![around], last_line(&text))).max(1);
            #[expect(
                clippy::cast_precision_loss,
                reason = "numbers of lines, files and characters are small"
            )]
            let (shown, rank, size) = (shown.min(MAX_SHOWN) as f32, rank as f32, size as f32);
            let worth = (1.0 + shown * LINE_WORTH) * (1.0 + blamed) / ((1.0 + rank) * size).sqrt();
            ranked.push((worth, (file, around)));
        }
    }
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    ranked.into_iter().map(|(_, segment)| segment).collect()
}

/// Returns the chosen sources with their lines, best first, for a guess at the culprit.
pub(super) fn shown_lines(
    library: &Library<'_>,
    chosen: &[Chosen],
) -> Vec<(String, Vec<LineRange>)> {
    let of = |it: &Chosen| (library.path(it.ranked.file).to_owned(), it.lines.clone());
    sources(library, chosen).map(of).collect()
}

fn sources<'c>(library: &'c Library<'_>, chosen: &'c [Chosen]) -> impl Iterator<Item = &'c Chosen> {
    chosen.iter().filter(|it| library.role(it.ranked.file) != FileRole::Test)
}
