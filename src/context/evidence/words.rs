//! Evidence from words: files and blocks that share words with the failure, scored by BM25.
#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files and words are small, and only compared"
)]

use std::collections::BTreeMap;

use super::blocks::CodeBlock;
use super::terms::{self, Term, WeightedQuery};
use super::{EvidenceOrigin, Library, Piece, Question};
use papayu_base::text::bm25::{LengthPenalty, WordCounts, score_texts};
use papayu_index::FileId;
use papayu_index::term_index::TermIndex;
use papayu_lang::{FileRole, is_declaration};

/// Maximum number of files found by words, the blocks of which are scored.
const CANDIDATES: usize = 24;

/// Maximum number of files considered in a ranking by words.
const POOL: usize = 120;

/// No block counts as shorter than the mean: blocks of two lines would win otherwise.
const PENALTY: LengthPenalty = LengthPenalty { share: 0.3, least: 1.0 };

/// A block with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredBlock {
    /// The block.
    pub block: CodeBlock,
    /// From 0 to 1; 1 is the best block by words.
    pub score: f32,
}

/// Returns the source files that share most words with the failure, best first.
///
/// Files are ranked by the words of the failure alone and by all words; the scores are added.
pub fn rank_candidates(
    library: &Library<'_>,
    words: &TermIndex,
    question: &Question,
) -> Vec<FileId> {
    let mut sums: BTreeMap<FileId, f32> = BTreeMap::new();
    let asked = |least: f32| -> Vec<&str> {
        let asked = question.names.iter().filter(|(_, weight)| **weight >= least);
        asked.map(|(name, _)| name.as_str()).collect()
    };
    let ranked = words.rank_queries(&[&asked(1.5), &asked(0.0)]);
    for (mut found, share) in ranked.into_iter().zip([1.0, 0.6]) {
        found.retain(|(id, _)| library.role(*id) == FileRole::Source);
        let best = found.first().map_or(1.0, |(_, score)| *score).max(f32::MIN_POSITIVE);
        for (id, score) in found.into_iter().take(POOL) {
            *sums.entry(id).or_default() += share * score / best;
        }
    }
    let in_path = |id: FileId| {
        let mut sum = 0.0;
        terms::each_term(library.path(id), &mut |term, _| sum += question.query.weight(term));
        (sum * 0.1).min(0.3)
    };
    let mut ranked: Vec<(FileId, f32)> =
        sums.into_iter().map(|(id, sum)| (id, sum + in_path(id))).collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    ranked.into_iter().take(CANDIDATES).map(|(id, _)| id).collect()
}

/// Returns the blocks of these files with their scores.
pub fn score_blocks(
    library: &Library<'_>,
    files: &[FileId],
    query: &WeightedQuery,
) -> BTreeMap<FileId, Vec<ScoredBlock>> {
    let (terms, weights): (Vec<Term>, Vec<f32>) = query.sorted_words().into_iter().unzip();
    let (mut found, mut bags) = (Vec::new(), Vec::new());
    for id in files {
        let Some(lines) = library.lines(*id) else { continue };
        for block in library.blocks(*id).iter().cloned() {
            let mut bag = WordCounts { counts: vec![0; terms.len()], length: 0 };
            for line in lines.range((block.start, block.end)) {
                count_words(&mut bag, line, &terms, 1);
            }
            if let Some(name) = &block.name {
                count_words(&mut bag, name, &terms, 3);
            }
            found.push((*id, block));
            bags.push(bag);
        }
    }
    let mut scored: BTreeMap<FileId, Vec<ScoredBlock>> = BTreeMap::new();
    let mut best = 0.0_f32;
    let scores = score_texts(&bags, &weights, PENALTY);
    for ((id, block), score) in found.into_iter().zip(scores) {
        best = best.max(score);
        scored.entry(id).or_default().push(ScoredBlock { block, score });
    }
    if best > 0.0 {
        // Relative to the best block, scores of different failures are comparable.
        scored.values_mut().flatten().for_each(|scored| scored.score /= best);
    }
    scored
}

/// Returns a piece for every file, by its best blocks.
pub fn word_pieces(
    library: &Library<'_>,
    scored: &BTreeMap<FileId, Vec<ScoredBlock>>,
    ranked: &[FileId],
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (id, blocks) in scored {
        let best = blocks.iter().max_by(|one, other| one.score.total_cmp(&other.score));
        let Some(best) = best.filter(|best| best.score > 0.0) else { continue };
        let place = ranked.iter().position(|held| held == id);
        let standing = place.map_or(0.0, |place| 1.0 / (1.0 + 0.25 * place as f32));
        let lines = Some((best.block.start, best.block.end));
        let why = match &best.block.name {
            Some(name) => format!("`{name}` shares words with the failure"),
            None => "it shares words with the failure".to_owned(),
        };
        let mut scores: Vec<f32> = blocks.iter().map(|held| held.score.min(1.0)).collect();
        scores.sort_by(|one, other| other.total_cmp(one));
        let several = scores.iter().take(4).sum::<f32>() / 4.0;
        // One good block, several good blocks and the rank of the whole file count about the same.
        let weight = 0.3 * best.score.min(1.0) + 0.3 * several + 0.4 * standing;
        let weight = if is_declaration(library.path(*id)) { weight * 0.5 } else { weight };
        pieces.push(Piece { file: *id, lines, origin: EvidenceOrigin::Words, weight, why });
    }
    pieces
}

/// Counts the words of a text that are in the sorted terms, each so many times.
fn count_words(bag: &mut WordCounts, text: &str, sorted: &[Term], times: u32) {
    terms::each_term(text, &mut |term, _| {
        bag.length += 1;
        let column = sorted.binary_search(&term).ok();
        if let Some(count) = column.and_then(|column| bag.counts.get_mut(column)) {
            *count += times;
        }
    });
}
