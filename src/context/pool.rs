//! Divides the characters of a request among the chosen files: the best blocks of all files first.

use super::evidence::words::ScoredBlock;
use super::evidence::{Library, reach, uses};
use super::line_ranges::LineRange;
use super::ranking::Ranked;
use papayu_index::{FileId, Symbol, SymbolKind};

/// Most characters of one file, in percent of those of all.
const FILE_SHARE: usize = 80;

/// Characters that a block costs in addition to its own: a block of two lines does not win by its length alone.
const BLOCK_COST: f32 = 8_000.0;

/// The characters for what chosen blocks depend on, in percent of those of all: short functions that they call, and the
/// fields and the constructor of their class.
const SHORT_SHARE: usize = 8;

/// Most characters of such a block.
const SHORT_CHARS: usize = 800;

/// Imports at the head of a file up to this many characters are shown with it.
const HEAD_CHARS: usize = 1_200;

/// A head begins in these lines.
const HEAD_LINES: u32 = 40;

/// Characters of a file of which no block is chosen, in percent of those of all: its path and digest are shown.
const LEAST_SHARE: usize = 1;

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

    /// Returns the blocks with their scores, for a file that gets these characters.
    pub(super) fn into_blocks(mut self, share: usize) -> Vec<ScoredBlock> {
        self.raise_head(share / 4);
        self.blocks
    }

    /// Raises the imports at the head to the best block if they have at most `most` characters, and returns their size.
    fn raise_head(&mut self, most: usize) -> usize {
        let best = self.blocks.iter().map(|held| held.score).fold(f32::MIN_POSITIVE, f32::max);
        let size = self.sizes.first().copied().filter(|size| *size <= most.min(HEAD_CHARS));
        let head = self.blocks.first_mut().filter(|held| held.block.start <= HEAD_LINES);
        let (Some(size), Some(head)) = (size, head) else { return 0 };
        head.score = best;
        size
    }
}

/// The power of a file's score in its worth: a file of half the score has more than half the worth, because blocks compete by
/// their own scores, too.
const SCORE_POWER: f32 = 0.7;

/// Returns the worth of each file, which falls with its score and with its rank.
#[expect(clippy::cast_precision_loss, reason = "there are few files")]
fn weigh_files(files: &[PooledFile]) -> Vec<f32> {
    let best = files.first().map_or(1.0, |file| file.score).max(f32::MIN_POSITIVE);
    let weight = |(rank, file): (usize, &PooledFile)| {
        (file.score / best).max(0.0).powf(SCORE_POWER) / (1.0 + 0.5 * rank as f32)
    };
    files.iter().enumerate().map(weight).collect()
}

/// Returns the positions of all blocks with a score, and what each is worth, best first.
fn rank_blocks(files: &[PooledFile], cost: impl Fn(usize) -> f32) -> Vec<(f32, usize, usize)> {
    let mut ranked = Vec::new();
    for ((at, file), weight) in files.iter().enumerate().zip(weigh_files(files)) {
        for (block, (held, size)) in file.blocks.iter().zip(&file.sizes).enumerate() {
            // A block of prose alone has no lines to show.
            if held.score > 0.0 && *size > 0 {
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
        for (id, symbol, count) in find_callees(library, files, file, lines) {
            #[expect(clippy::cast_precision_loss, reason = "there are few definitions")]
            let share = worth * CALLEE_SHARE / (count as f32).sqrt();
            let target = files.iter_mut().zip(&weights).find(|(held, _)| held.file == id);
            let Some((target, weight)) = target else { continue };
            for held in &mut target.blocks {
                if is_mostly(held, (symbol.start, symbol.end))
                    && (id, (held.block.start, held.block.end)) != (file, lines)
                {
                    held.score = held.score.max(share / weight.max(f32::MIN_POSITIVE));
                }
            }
        }
    }
}

/// Returns `true` for a block that is mostly the definition at these lines.
fn is_mostly(held: &ScoredBlock, lines: LineRange) -> bool {
    let (start, end) = lines;
    held.block.start <= end
        && start <= held.block.end
        && held.block.end - held.block.start <= 2 * end.saturating_sub(start) + 10
}

/// Returns the functions that lines call, each with the number of functions of its name: those of the same file, else of all.
fn find_callees<'a>(
    library: &Library<'a>,
    files: &[PooledFile],
    file: FileId,
    lines: LineRange,
) -> Vec<(FileId, &'a Symbol, usize)> {
    let Some(text) = library.lines(file) else { return Vec::new() };
    let mut names: Vec<&str> = text.range(lines).flat_map(uses::called_names).collect();
    names.sort_unstable();
    names.dedup();
    let mut callees = Vec::new();
    for name in names {
        let mut found = reach::functions_named(library, file, name);
        if found.is_empty() {
            let others = files.iter().flat_map(|it| reach::functions_named(library, it.file, name));
            found.extend(others);
        }
        if found.len() <= MAX_HOLDERS && library.work.spend(found.len()) {
            let count = found.len();
            callees.extend(found.into_iter().map(|(id, symbol)| (id, symbol, count)));
        }
    }
    callees
}

/// The blocks that are chosen so far.
struct BlockShares<'f> {
    files: &'f [PooledFile],
    /// Most characters of one file.
    most: usize,
    left: usize,
    /// The characters of each file.
    chars: Vec<usize>,
    /// The chosen blocks of each file.
    taken: Vec<Vec<usize>>,
}

impl BlockShares<'_> {
    /// Chooses a block if it fits.
    fn take(&mut self, at: usize, block: usize) {
        let size =
            self.files.get(at).and_then(|file| file.sizes.get(block)).copied().unwrap_or_default();
        let (Some(chars), Some(taken)) = (self.chars.get_mut(at), self.taken.get_mut(at)) else {
            return;
        };
        let is_best_of_all = at == 0 && taken.is_empty();
        let size = if is_best_of_all { size.min(self.left).min(self.most) } else { size };
        if !taken.contains(&block) && size <= self.left && *chars + size <= self.most {
            self.left -= size;
            *chars += size;
            taken.push(block);
        }
    }

    /// Chooses the short blocks of a file that are mostly these lines, and that any evidence leads to.
    fn take_short(&mut self, file: FileId, lines: LineRange) {
        let Some(at) = self.files.iter().position(|it| it.file == file) else { return };
        let Some(it) = self.files.get(at) else { return };
        for (block, (held, size)) in it.blocks.iter().zip(&it.sizes).enumerate() {
            if *size <= SHORT_CHARS && held.score > 0.0 && is_mostly(held, lines) {
                self.take(at, block);
            }
        }
    }
}

/// Returns the lines of the class around a method that its other methods depend on: the fields before the first method, and
/// the constructor.
fn find_owner_parts(
    library: &Library<'_>,
    file: FileId,
    lines: LineRange,
) -> Vec<(FileId, LineRange)> {
    let symbols = library.facts(file).map(|facts| facts.symbols.as_slice()).unwrap_or_default();
    library.work.spend(symbols.len());
    let is_around = |symbol: &&Symbol| {
        symbol.kind == SymbolKind::Class && symbol.start < lines.0 && lines.1 <= symbol.end
    };
    let Some(class) = symbols.iter().filter(is_around).max_by_key(|symbol| symbol.start) else {
        return Vec::new();
    };
    let methods = symbols.iter().filter(|symbol| {
        symbol.kind == SymbolKind::Method && class.start < symbol.start && symbol.end <= class.end
    });
    let first = methods.clone().map(|symbol| symbol.start).min().unwrap_or(class.end);
    let made = methods.filter(|symbol| reach::is_constructor(&symbol.name));
    let made = made.map(|symbol| (symbol.start, symbol.end));
    std::iter::once((class.start, first.saturating_sub(1)))
        .chain(made)
        .map(|it| (file, it))
        .collect()
}

/// Returns for each file the characters that it gets, and its blocks: those that are not chosen have the score 0.
#[expect(clippy::cast_precision_loss, reason = "blocks have few characters")]
pub(super) fn share_room(
    library: &Library<'_>,
    files: Vec<PooledFile>,
    room: usize,
) -> Vec<(usize, Vec<ScoredBlock>)> {
    let ranked = rank_blocks(&files, |size| size as f32 + BLOCK_COST);
    let for_short = room * SHORT_SHARE / 100;
    let (chars, taken) = (vec![0; files.len()], vec![Vec::new(); files.len()]);
    let most = room * FILE_SHARE / 100;
    let mut shares = BlockShares { files: &files, most, left: room - for_short, chars, taken };
    for (_, at, block) in &ranked {
        shares.take(*at, *block);
    }
    shares.left += for_short;
    shares.most += for_short;
    take_needed(library, &mut shares, &ranked);
    for (_, at, block) in &ranked {
        shares.take(*at, *block);
    }
    let BlockShares { chars, taken, .. } = shares;
    let least = room * LEAST_SHARE / 100;
    let mut shared = Vec::new();
    for (rank, ((mut file, chars), taken)) in files.into_iter().zip(chars).zip(taken).enumerate() {
        if taken.is_empty() {
            shared.push((least, file.blocks));
            continue;
        }
        for (at, held) in file.blocks.iter_mut().enumerate() {
            if !taken.contains(&at) {
                held.score = 0.0;
            }
        }
        // The other files are there to be read, not to be changed.
        let head = if rank == 0 { file.raise_head(chars / 4) } else { 0 };
        let head = if taken.contains(&0) { 0 } else { head };
        shared.push((chars + head, file.blocks));
    }
    shared
}

/// Chooses the short blocks that the chosen ones depend on: what they call, and the parts of their class.
fn take_needed(
    library: &Library<'_>,
    shares: &mut BlockShares<'_>,
    ranked: &[(f32, usize, usize)],
) {
    for (_, at, block) in ranked {
        let is_taken = shares.taken.get(*at).is_some_and(|taken| taken.contains(block));
        let Some(file) = shares.files.get(*at).filter(|_| is_taken) else { continue };
        let Some(held) = file.blocks.get(*block) else { continue };
        let lines = (held.block.start, held.block.end);
        let callees = find_callees(library, shares.files, file.file, lines).into_iter();
        let callees = callees.map(|(id, symbol, _)| (id, (symbol.start, symbol.end)));
        for (id, needed) in callees.chain(find_owner_parts(library, file.file, lines)) {
            shares.take_short(id, needed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_half_the_score_has_more_than_half_of_what_its_place_is_worth() {
        let file =
            |score| PooledFile { file: FileId(0), score, blocks: Vec::new(), sizes: Vec::new() };
        let weights = weigh_files(&[2.0, 1.0, 0.0].map(file));
        let by_place = [1.0, 1.0 / 1.5, 1.0 / 2.0];
        let shares: Vec<f32> =
            weights.iter().zip(by_place).map(|(weight, place)| weight / place).collect();
        assert!(
            shares[0] > 0.99 && (0.55..0.7).contains(&shares[1]) && shares[2] < 0.01,
            "{shares:?}"
        );
    }
}
