//! Divides the characters of a request among the chosen files: the best blocks of all files first.

use super::evidence::words::ScoredBlock;
use super::evidence::{Library, reach, uses};
use super::line_ranges::LineRange;
use super::ranking::Ranked;
use papayu_index::FileId;

/// Most characters of one file, in percent of those of all.
const FILE_SHARE: usize = 75;

/// Characters that a block costs in addition to its own: a block of two lines does not win by its length alone.
const BLOCK_COST: f32 = 8_000.0;

/// Imports at the head of a file up to this many characters are shown with it.
const HEAD_CHARS: usize = 1_200;

/// Characters of a file of which no block is chosen, in percent of those of all: its path and digest are shown.
const LEAST_SHARE: usize = 2;

/// Number of best blocks from which calls are followed to the blocks that they call.
const STRONG_BLOCKS: usize = 12;

/// The share of a caller's worth that a called block gets.
const CALLEE_SHARE: f32 = 0.25;

/// Names with more definitions in the chosen files are not followed.
const MAX_HOLDERS: usize = 3;

/// A file with its blocks.
pub(super) struct PooledFile {
    file: FileId,
    /// Its score by all evidence.
    score: f32,
    blocks: Vec<ScoredBlock>,
    /// The characters of each block.
    sizes: Vec<usize>,
}

impl PooledFile {
    /// Creates a file with its blocks. Lines of prose have no size, because they are left out.
    pub(super) fn new(
        ranked: &Ranked,
        blocks: Vec<ScoredBlock>,
        text: &str,
        prose: &[LineRange],
    ) -> Self {
        let mut lines: Vec<usize> = text.lines().map(|line| line.chars().count() + 1).collect();
        for (start, end) in prose {
            let range = start.saturating_sub(1) as usize..(*end as usize).min(lines.len());
            lines.get_mut(range).unwrap_or_default().fill(0);
        }
        let size = |held: &ScoredBlock| -> usize {
            let range = held.block.start.saturating_sub(1) as usize..held.block.end as usize;
            lines.get(range).unwrap_or_default().iter().sum()
        };
        let sizes = blocks.iter().map(size).collect();
        Self { file: ranked.file, score: ranked.score, blocks, sizes }
    }

    /// Returns the blocks with their scores.
    pub(super) fn into_blocks(self) -> Vec<ScoredBlock> {
        self.blocks
    }
}

/// Returns the worth of each file, which falls with its score and with its rank.
#[expect(clippy::cast_precision_loss, reason = "there are few files")]
fn weigh_files(files: &[PooledFile]) -> Vec<f32> {
    let best = files.first().map_or(1.0, |file| file.score).max(f32::MIN_POSITIVE);
    let weight = |(rank, file): (usize, &PooledFile)| file.score / best / (1.0 + 0.5 * rank as f32);
    files.iter().enumerate().map(weight).collect()
}

/// Returns the positions of all blocks with a score, and what each is worth, best first.
fn rank_blocks(files: &[PooledFile], cost: impl Fn(usize) -> f32) -> Vec<(f32, usize, usize)> {
    let mut ranked = Vec::new();
    for ((at, file), weight) in files.iter().enumerate().zip(weigh_files(files)) {
        for (block, (held, size)) in file.blocks.iter().zip(&file.sizes).enumerate() {
            if held.score > 0.0 {
                ranked.push((held.score * weight / cost(*size), at, block));
            }
        }
    }
    ranked.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2)))
    });
    ranked
}

/// Raises the blocks that the best blocks of all files call: what a shown line calls is needed to read it.
pub(super) fn follow_strong_blocks(library: &Library<'_>, files: &mut [PooledFile]) {
    let weights = weigh_files(files);
    for (worth, at, block) in rank_blocks(files, |_| 1.0).into_iter().take(STRONG_BLOCKS) {
        let Some((file, lines)) = files.get(at).and_then(|file| {
            let block = &file.blocks.get(block)?.block;
            Some((file.file, (block.start, block.end)))
        }) else {
            continue;
        };
        let Some(text) = library.lines(file) else { continue };
        let mut names: Vec<&str> = text.range(lines).flat_map(uses::called_names).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let own = reach::functions_named(library, file, name);
            let found = if own.is_empty() {
                let others =
                    files.iter().flat_map(|it| reach::functions_named(library, it.file, name));
                others.collect()
            } else {
                own
            };
            if found.is_empty() || found.len() > MAX_HOLDERS || !library.work.spend(found.len()) {
                continue;
            }
            #[expect(clippy::cast_precision_loss, reason = "there are few definitions")]
            let share = worth * CALLEE_SHARE / (found.len() as f32).sqrt();
            for (id, symbol) in found {
                let target = files.iter_mut().zip(&weights).find(|(held, _)| held.file == id);
                let Some((target, weight)) = target else { continue };
                let is_called = |held: &&mut ScoredBlock| {
                    held.block.start <= symbol.end
                        && symbol.start <= held.block.end
                        && (id, (held.block.start, held.block.end)) != (file, lines)
                        && held.block.end - held.block.start <= 2 * (symbol.end - symbol.start) + 10
                };
                for held in target.blocks.iter_mut().filter(is_called) {
                    held.score = held.score.max(share / weight.max(f32::MIN_POSITIVE));
                }
            }
        }
    }
}

/// Returns for each file the characters that it gets, and its blocks: those that are not chosen have the score 0.
#[expect(clippy::cast_precision_loss, reason = "blocks have few characters")]
pub(super) fn share_room(
    mut files: Vec<PooledFile>,
    room: usize,
) -> Vec<(usize, Vec<ScoredBlock>)> {
    let most = room * FILE_SHARE / 100;
    let mut left = room;
    let mut shares = vec![0_usize; files.len()];
    let mut taken: Vec<Vec<usize>> = vec![Vec::new(); files.len()];
    for (_, at, block) in rank_blocks(&files, |size| size as f32 + BLOCK_COST) {
        let size =
            files.get(at).and_then(|file| file.sizes.get(block)).copied().unwrap_or_default();
        let (Some(share), Some(taken)) = (shares.get_mut(at), taken.get_mut(at)) else { continue };
        let is_best_of_all = at == 0 && taken.is_empty();
        let size = if is_best_of_all { size.min(left).min(most) } else { size };
        if size <= left && *share + size <= most {
            left -= size;
            *share += size;
            taken.push(block);
        }
    }
    let least = room * LEAST_SHARE / 100;
    let of_file = |((file, share), taken): ((&mut PooledFile, usize), Vec<usize>)| {
        let mut blocks = std::mem::take(&mut file.blocks);
        if taken.is_empty() {
            return (least, blocks);
        }
        for (at, held) in blocks.iter_mut().enumerate() {
            if !taken.contains(&at) {
                held.score = 0.0;
            }
        }
        let head = file.sizes.first().copied().filter(|size| *size <= HEAD_CHARS);
        (share + head.filter(|_| !taken.contains(&0)).unwrap_or_default(), blocks)
    };
    files.iter_mut().zip(shares).zip(taken).map(of_file).collect()
}
