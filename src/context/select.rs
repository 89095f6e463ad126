//! Selects the files and lines that matter for a failure, best first.

use std::collections::{BTreeMap, HashSet};

use super::context_task::ContextTask;
use super::evidence::words::{self, ScoredBlock};
use super::evidence::{self, EvidenceOrigin, Library, Piece, Question, near};
use super::line_ranges::{LineRange, count_chars, join_ranges, last_line};
use super::pool::{PooledFile, follow_strong_blocks, share_room};
use super::prose::find_prose;
use super::ranking::{self, Ranked};
use super::windows;
use crate::changes::Changes;
use papayu_index::term_index::TermIndex;
use papayu_index::{FileId, SymbolKind};
use papayu_lang::FileRole;

/// Reads one kind of evidence.
type CollectPieces = fn(&Library<'_>, &Question) -> Vec<Piece>;

/// The kinds of evidence before words.
const KINDS: [CollectPieces; 6] = [
    evidence::frames::frame_pieces,
    evidence::tests_of::test_pieces,
    evidence::namesake::namesake_pieces,
    evidence::imports::import_pieces,
    evidence::reach::reach_pieces,
    evidence::names::name_pieces,
];

/// Maximum number of files with scored blocks, in addition to those found by words.
const MAX_CANDIDATES: usize = 24;

/// Lines above which a definition is a whole class: its name is weak evidence for a single line.
const WIDE_LINES: u32 = 120;

/// Lines up to which a function is shown whole where a part of it is.
const WHOLE_LINES: u32 = 300;

/// Most places of the failure in a file that are shown first.
const MAX_PLACES: usize = 8;

/// Lines before and after a place of the failure that are shown first.
const NEAR: u32 = 10;

/// Most pieces of one origin that count for the lines of a file.
const MAX_PIECES: usize = 200;

/// The share of a function's best part that its other parts get.
const FUNCTION_SHARE: f32 = 0.6;

/// Number of best blocks from which identifiers are followed to their definitions.
const STRONG_BLOCKS: usize = 8;

/// The characters of all chosen lines together, in percent of the limit for one file.
const POOL_SHARE: usize = 85;

/// Most characters around places outside of definitions, in percent of that limit.
const PLACE_SHARE: usize = 40;

/// The characters of a test file, in percent of the limit for a file.
const TEST_SHARE: usize = 10;

/// The characters of an input of the failing tests, in percent of that limit.
const INPUT_SHARE: usize = 5;

/// The characters of a test file up to which its failing tests are shown whole, in percent of that limit.
const MAX_TEST_SHARE: usize = 20;

/// A file with its relevant lines.
pub(super) struct Chosen {
    pub(super) ranked: Ranked,
    /// The lines to show, from 1, both ends included.
    pub(super) lines: Vec<LineRange>,
    /// Its maximum of characters.
    pub(super) share: usize,
}

/// Returns the relevant files and lines, best first.
pub(super) fn select_files(
    library: &Library<'_>,
    known: &TermIndex,
    problem: &ContextTask<'_>,
) -> Vec<Chosen> {
    let ContextTask { report, goal, limits, changes, .. } = problem;
    library.work.begin_kind();
    let question = evidence::question::build_question(library, report, goal);
    let mut pieces = Vec::new();
    for collect in KINDS {
        library.work.begin_kind();
        pieces.extend(collect(library, &question));
    }
    library.work.begin_kind();
    let by_words = words::rank_candidates(library, known, &question);
    let mut candidates: Vec<FileId> = by_words.clone();
    candidates.extend(ranking::by_worth(&pieces).iter().map(|held| held.file).take(MAX_CANDIDATES));
    let mut seen = HashSet::new();
    candidates.retain(|id| library.role(*id) != FileRole::Test && seen.insert(*id));
    // The best come first, so the others are left out if the work is too much.
    candidates.retain(|id| library.work.spend(library.lines(*id).map_or(0, |lines| lines.count())));
    candidates.sort_unstable();
    library.work.begin_kind();
    let mut scored = words::score_blocks(library, &candidates, &question.query);
    pieces.extend(words::word_pieces(library, &scored, &by_words));
    add_lines(&mut scored, &pieces);
    library.work.begin_kind();
    let strong = near::strongest_blocks(&scored, STRONG_BLOCKS);
    pieces.extend(near::near_pieces(library, &question, &strong));
    let ranked = match changes {
        Some(changes) => rank_with_changes(library, &question, changes, pieces, limits.max_files),
        None => ranking::by_worth(&pieces),
    };
    let mut picked = ranking::pick_files(library, ranked, limits.max_files);
    add_inputs(library, &question, &mut picked, limits.max_files);
    choose_lines(library, &question, picked, &scored, problem)
}

/// Returns the files with the lines that they show: the best blocks of all sources, and the failing tests.
fn choose_lines(
    library: &Library<'_>,
    question: &Question,
    picked: Vec<Ranked>,
    scored: &BTreeMap<FileId, Vec<ScoredBlock>>,
    problem: &ContextTask<'_>,
) -> Vec<Chosen> {
    let ContextTask { limits, changes, .. } = problem;
    // The rest is for the changed lines.
    let part = if changes.is_some() { 75 } else { 100 };
    let percent = |share: usize| limits.max_file_chars * share / 100;
    let apart_chars = |held: &Ranked| {
        if held.score <= 0.0 {
            return percent(INPUT_SHARE);
        }
        let tests = test_chars(library, question, held.file);
        tests.min(percent(MAX_TEST_SHARE)).max(percent(TEST_SHARE))
    };
    // Tests and their inputs do not compete with the sources.
    let is_apart = |held: &Ranked| library.role(held.file) == FileRole::Test || held.score <= 0.0;
    let apart: usize = picked.iter().filter(|held| is_apart(held)).map(apart_chars).sum();
    // The lines around a place outside of definitions are no block that could be chosen.
    let mut left = percent(PLACE_SHARE * part / 100);
    let mut placed = Vec::new();
    for held in &picked {
        let places = find_places(library, question, held);
        let text = library.text(held.file).filter(|_| !is_apart(held)).unwrap_or_default();
        let needed = windows::count_chars_around(&text, &places.outside, left);
        left -= needed;
        placed.push((places, needed));
    }
    let reserved: usize = placed.iter().map(|(_, needed)| needed).sum();
    let room = percent(POOL_SHARE * part / 100).saturating_sub(apart + reserved);
    let mut sources: Vec<PooledFile> = picked
        .iter()
        .filter(|held| !is_apart(held))
        .map(|held| pooled_file(library, held, scored))
        .collect();
    library.work.begin_kind();
    follow_strong_blocks(library, &mut sources);
    let mut pooled = share_room(library, sources, room).into_iter();
    let chosen = picked.into_iter().zip(placed).filter_map(|(ranked, (places, around))| {
        let (share, blocks) = if is_apart(&ranked) {
            let share = apart_chars(&ranked);
            (share, pooled_file(library, &ranked, scored).into_blocks(share))
        } else {
            pooled.next()?
        };
        let share = share + around;
        let mut lines = lines_of(library, &ranked, &blocks, share, &places);
        if changes.is_some() {
            // They are mixed with the changed lines, and what does not fit is left out.
            lines.sort_by(|one, other| {
                best_score(&blocks, *other).total_cmp(&best_score(&blocks, *one))
            });
        }
        Some(Chosen { ranked, lines, share })
    });
    chosen.collect()
}

/// Returns the files by all evidence and their changes: the changed sources first, at most `count` sources, then the tests.
fn rank_with_changes(
    library: &Library<'_>,
    question: &Question,
    changes: &Changes,
    mut pieces: Vec<Piece>,
    count: usize,
) -> Vec<Ranked> {
    let is_test = |held: &Ranked| library.role(held.file) == FileRole::Test;
    let (tests, before): (Vec<Ranked>, Vec<Ranked>) =
        ranking::by_worth(&pieces).into_iter().partition(is_test);
    library.work.begin_kind();
    pieces.extend(evidence::changed::change_pieces(library, question, changes, &pieces));
    let mut sources = ranking::by_worth(&pieces);
    sources.retain(|held| library.role(held.file) != FileRole::Test);
    // A changed file takes the place of the weakest one.
    sources.truncate(count);
    let mut ranked = ranking::put_changed_first(&before, sources, count);
    ranked.extend(tests);
    ranked
}

/// Adds the inputs that the failing tests name, in place of the last files.
fn add_inputs(library: &Library<'_>, question: &Question, picked: &mut Vec<Ranked>, limit: usize) {
    let mut inputs = evidence::inputs::input_pieces(library, question);
    inputs.retain(|piece| !picked.iter().any(|ranked| ranked.file == piece.file));
    inputs.truncate(limit / 4);
    picked.truncate(limit - inputs.len());
    picked.extend(inputs.into_iter().map(|piece| Ranked {
        file: piece.file,
        score: 0.0,
        pieces: vec![piece],
    }));
}

/// Returns the number of characters of the failing tests of a file.
fn test_chars(library: &Library<'_>, question: &Question, file: FileId) -> usize {
    let Some(text) = library.text(file) else { return 0 };
    let tests = question.tests.iter().filter(|test| test.file == file).map(|test| test.lines);
    count_chars(&text, &join_ranges(tests.collect(), last_line(&text)))
}

/// Returns the best score of the blocks in a range.
fn best_score(blocks: &[ScoredBlock], lines: LineRange) -> f32 {
    let is_here = |held: &&ScoredBlock| held.block.start <= lines.1 && lines.0 <= held.block.end;
    blocks.iter().filter(is_here).map(|held| held.score).fold(0.0, f32::max)
}

/// Returns the blocks of a file with their scores by all evidence.
fn pooled_file(
    library: &Library<'_>,
    ranked: &Ranked,
    scored: &BTreeMap<FileId, Vec<ScoredBlock>>,
) -> PooledFile {
    let text = library.text(ranked.file).unwrap_or_default();
    let mut blocks = scored.get(&ranked.file).cloned().unwrap_or_else(|| {
        let blocks = library.blocks(ranked.file);
        blocks.iter().map(|block| ScoredBlock { block: block.clone(), score: 0.0 }).collect()
    });
    add_worth_of_lines(&mut blocks, &ranked.pieces);
    spread_over_functions(library, ranked.file, &mut blocks);
    let prose = find_shown_prose(library, ranked, &text);
    PooledFile::new(ranked, blocks, &text, &prose)
}

/// Returns the lines of prose that are left out: those without a place of the failure, such as a doctest or a complaint
/// of a linter.
fn find_shown_prose(library: &Library<'_>, ranked: &Ranked, text: &str) -> Vec<LineRange> {
    let mut prose = find_prose(library.path(ranked.file), text);
    for (first, last) in frame_lines(ranked) {
        let at = prose.partition_point(|(_, end)| *end < first);
        let after = prose.partition_point(|(start, _)| *start <= last);
        prose.drain(at..after.max(at));
    }
    prose
}

/// Returns the lines that frames name.
fn frame_lines(ranked: &Ranked) -> Vec<LineRange> {
    let frames = ranked.pieces.iter().filter(|piece| piece.origin == EvidenceOrigin::Frame);
    frames.filter_map(|piece| piece.lines).collect()
}

/// Lines of a file that the failure names.
struct FilePlaces {
    all: Vec<u32>,
    /// Those in no definition of a usual length.
    outside: Vec<u32>,
}

/// Returns the lines that frames and failing tests name in a file.
fn find_places(library: &Library<'_>, question: &Question, ranked: &Ranked) -> FilePlaces {
    let frames = frame_lines(ranked).into_iter().filter(|(first, last)| first == last);
    let tests = question.tests.iter().filter(|test| test.file == ranked.file);
    let all = frames.map(|(line, _)| line).chain(tests.filter_map(|test| test.line));
    let all: Vec<u32> = all.take(MAX_PLACES).collect();
    let is_outside = |line: &u32| !is_in_definition(library, ranked.file, *line);
    let outside = all.iter().copied().filter(is_outside).collect();
    FilePlaces { all, outside }
}

/// Returns the lines of a file to show, by its blocks and the lines that evidence names.
fn lines_of(
    library: &Library<'_>,
    ranked: &Ranked,
    blocks: &[ScoredBlock],
    share: usize,
    places: &FilePlaces,
) -> Vec<LineRange> {
    let Some(text) = library.text(ranked.file) else { return Vec::new() };
    let prose = find_shown_prose(library, ranked, &text);
    let windows = windows::choose_windows(&text, blocks, &places.outside, &prose, share);
    // The places come first, because the limit of the whole context may cut the windows.
    let first = places.all.iter().filter_map(|line| lines_near(&windows, *line));
    first.chain(windows.iter().copied()).collect()
}

/// Returns the lines of a window that are near a line; `None` if no window has the line.
fn lines_near(windows: &[LineRange], line: u32) -> Option<LineRange> {
    let (start, end) = windows.iter().find(|(start, end)| *start <= line && line <= *end)?;
    Some((line.saturating_sub(NEAR).max(*start), line.saturating_add(NEAR).min(*end)))
}

/// Returns `true` if a definition of at most [`WHOLE_LINES`] lines contains the line. A definition of one line, such as an
/// assignment in a module, does not say what its line depends on.
fn is_in_definition(library: &Library<'_>, file: FileId, line: u32) -> bool {
    let symbols = library.facts(file).map(|facts| facts.symbols.as_slice()).unwrap_or_default();
    library.work.spend(symbols.len());
    symbols.iter().any(|symbol| {
        let is_usual = symbol.start < symbol.end && symbol.end - symbol.start <= WHOLE_LINES;
        is_usual && symbol.start <= line && line <= symbol.end
    })
}

/// Raises the parts of a long function to a share of its best part: half a function cannot be edited.
fn spread_over_functions(library: &Library<'_>, file: FileId, blocks: &mut [ScoredBlock]) {
    let kinds = [SymbolKind::Function, SymbolKind::Method];
    let symbols = library.facts(file).map(|facts| facts.symbols.as_slice()).unwrap_or_default();
    let functions = symbols.iter().filter(|symbol| kinds.contains(&symbol.kind));
    for function in functions.filter(|symbol| symbol.end - symbol.start <= WHOLE_LINES) {
        // Blocks are in order and do not overlap, so those within a function are neighbours.
        let first = blocks.partition_point(|held| held.block.start < function.start);
        let rest = blocks.get_mut(first..).unwrap_or_default();
        let count = rest.partition_point(|held| held.block.end <= function.end);
        let within = rest.get_mut(..count).unwrap_or_default();
        let best = within.iter().map(|held| held.score).fold(0.0, f32::max);
        for held in within {
            held.score = held.score.max(best * FUNCTION_SHARE);
        }
    }
}

/// The share that evidence of an origin has in the score of a block.
fn line_share(origin: EvidenceOrigin) -> f32 {
    match origin {
        EvidenceOrigin::Frame | EvidenceOrigin::Test => 2.5,
        EvidenceOrigin::Name => 1.0,
        EvidenceOrigin::Import => 0.4,
        EvidenceOrigin::Reach => 0.3,
        // Changed lines are mixed with the windows later, and what strong blocks call is followed from them.
        EvidenceOrigin::Change
        | EvidenceOrigin::Namesake
        | EvidenceOrigin::Near
        | EvidenceOrigin::Words => 0.0,
    }
}

/// Adds to the scores of blocks what evidence other than words is worth.
///
/// Of each origin only the strongest piece counts, and evidence for many lines counts less for
/// each.
fn add_worth_of_lines(blocks: &mut [ScoredBlock], pieces: &[Piece]) {
    let mut strongest: BTreeMap<EvidenceOrigin, (usize, Vec<f32>)> = BTreeMap::new();
    for piece in pieces.iter().filter(|piece| line_share(piece.origin) > 0.0) {
        let Some((start, end)) = piece.lines else { continue };
        let (count, held) =
            strongest.entry(piece.origin).or_insert_with(|| (0, vec![0.0; blocks.len()]));
        // Pieces are sorted: the first ones of an origin are its strongest.
        *count += 1;
        if *count > MAX_PIECES {
            continue;
        }
        let share = if end - start > WIDE_LINES { 0.3 } else { 1.0 };
        let first = blocks.partition_point(|held| held.block.end < start);
        let here = blocks.iter().zip(held.iter_mut()).skip(first);
        for (_, worth) in here.take_while(|(held, _)| held.block.start <= end) {
            *worth = worth.max(piece.weight.min(1.0) * share);
        }
    }
    for (origin, (_, worths)) in strongest {
        for (held, worth) in blocks.iter_mut().zip(worths) {
            held.score += worth * line_share(origin);
        }
    }
}

/// Adds the weights of frames to the scores of their blocks.
fn add_lines(scored: &mut BTreeMap<FileId, Vec<ScoredBlock>>, pieces: &[Piece]) {
    for piece in pieces.iter().filter(|piece| matches!(piece.origin, EvidenceOrigin::Frame)) {
        let Some((start, end)) = piece.lines else { continue };
        for held in scored.get_mut(&piece.file).into_iter().flatten() {
            if held.block.start <= end && start <= held.block.end {
                held.score += piece.weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_index::Index;
    use papayu_system::in_memory::{MemoryNode, MemoryTree, Nodes};

    #[test]
    fn a_good_block_comes_before_the_rest_of_a_long_function_with_the_best_one() {
        let long = "def long():\n".to_owned() + &"    step()\n".repeat(150);
        let text = long + "\n\ndef short():\n    step()\n";
        let nodes = Nodes::from([
            (String::new(), MemoryNode::Dir),
            ("a.py".to_owned(), MemoryNode::File(text.clone().into_bytes(), 0o644)),
        ]);
        let (tree, index) = (MemoryTree::new(nodes), Index::of_texts(&[("a.py", &text)]));
        let library = Library::new(&tree, &index);
        let scores = [1.0, 0.1].into_iter().chain(std::iter::repeat(0.0));
        let blocks = library.blocks(FileId(0));
        let mut held: Vec<ScoredBlock> = blocks
            .iter()
            .zip(scores)
            .map(|(block, score)| ScoredBlock { block: block.clone(), score })
            .collect();
        held.last_mut().unwrap().score = 0.7;
        spread_over_functions(&library, FileId(0), &mut held);
        let scores: Vec<f32> = held.iter().map(|it| it.score).collect();
        assert!(scores.len() > 2 && scores[1] > 0.5 && scores[1] < 0.7, "{scores:?}");
    }
}
