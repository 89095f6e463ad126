//! The terms of every file in compact form, and the ranking of files for a query by BM25.

use super::file_id::FileId;
use papayu_base::text::bm25::{LengthPenalty, WordCounts, score_texts};
use papayu_base::text::each_identifier;
use papayu_system::map_parallel;

/// The usual parameter of BM25.
const PENALTY: LengthPenalty = LengthPenalty { share: 0.75, least: 0.0 };

/// The terms of every file that has any, by file id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TermIndex {
    /// Sorted by file; see [`encode_bag`].
    bags: Vec<(FileId, Box<[u8]>)>,
}

impl TermIndex {
    /// Creates an index from the bags of files, as encoded by [`encode_bag`].
    pub fn new(mut bags: Vec<(FileId, Box<[u8]>)>) -> Self {
        bags.sort_unstable();
        Self { bags }
    }

    /// Returns the files that contain a term of the query, best first by BM25, ties by path, at most `limit`.
    pub fn rank_files(&self, query: &[&str], limit: usize) -> Vec<(FileId, f32)> {
        let mut ranked = self.rank_queries(&[query]).pop().unwrap_or_default();
        ranked.truncate(limit);
        ranked
    }

    /// Returns, for each query, the files that contain one of its terms, best first by BM25, ties by path.
    ///
    /// Every identifier of a query counts once as a whole and once for each of its parts. Each bag is read once, on
    /// all cores.
    pub fn rank_queries(&self, queries: &[&[&str]]) -> Vec<Vec<(FileId, f32)>> {
        let sorted = |mut terms: Vec<u32>| {
            terms.sort_unstable();
            terms.dedup();
            terms
        };
        let terms_of =
            |query: &&[&str]| sorted(query.iter().flat_map(|text| hash_terms(text)).collect());
        let queries: Vec<Vec<u32>> = queries.iter().map(terms_of).collect();
        let terms = sorted(queries.concat());
        let counts = self.count_terms(&terms);
        let mut ranked = Vec::new();
        for query in &queries {
            let weight = |term| if query.binary_search(term).is_ok() { 1.0 } else { 0.0 };
            let weights: Vec<f32> = terms.iter().map(weight).collect();
            let scores = score_texts(&counts, &weights, PENALTY).into_iter();
            let files = self.bags.iter().map(|(id, _)| *id).zip(scores);
            let mut files: Vec<(FileId, f32)> = files.filter(|(_, score)| *score > 0.0).collect();
            files
                .sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            ranked.push(files);
        }
        ranked
    }

    /// Returns, for each name, the files that contain all its terms, sorted. A name without terms is
    /// in every file.
    pub fn files_with(&self, names: &[&str]) -> Vec<Vec<FileId>> {
        let names: Vec<Vec<u32>> = names.iter().map(|name| hash_terms(name)).collect();
        let mut terms = names.concat();
        terms.sort_unstable();
        terms.dedup();
        let columns = |name: &Vec<u32>| -> Vec<usize> {
            name.iter().filter_map(|term| terms.binary_search(term).ok()).collect()
        };
        let names: Vec<Vec<usize>> = names.iter().map(columns).collect();
        let rows = map_parallel(self.bags.len(), |at| {
            let Some((_, bag)) = self.bags.get(at) else { return Vec::new() };
            let mut counts = vec![0; terms.len()];
            count_in_bag(bag, &terms, &mut counts);
            let has = |column: &usize| counts.get(*column).is_some_and(|count| *count > 0);
            let named = names.iter().zip(0..).filter(|(name, _)| name.iter().all(has));
            named.map(|(_, at)| at).collect::<Vec<usize>>()
        });
        let mut files = vec![Vec::new(); names.len()];
        for ((id, _), row) in self.bags.iter().zip(rows) {
            for at in row {
                if let Some(files) = files.get_mut(at) {
                    files.push(*id);
                }
            }
        }
        files
    }

    /// Returns the size of all bags in bytes.
    pub fn bytes(&self) -> usize {
        self.bags.iter().map(|(_, bag)| bag.len()).sum()
    }

    /// Returns how often each file has each of the sorted terms.
    fn count_terms(&self, terms: &[u32]) -> Vec<WordCounts> {
        map_parallel(self.bags.len(), |at| {
            let Some((_, bag)) = self.bags.get(at) else { return WordCounts::default() };
            let mut counts = vec![0; terms.len()];
            let length = count_in_bag(bag, terms, &mut counts);
            // Most files have none of the terms: an empty vector needs no memory.
            let has_any = counts.iter().any(|count| *count > 0);
            WordCounts { counts: if has_any { counts } else { Vec::new() }, length }
        })
    }
}

/// Returns the terms of a text as a bag: ascending hashes as differences, each with its count, as
/// the variable-length integers of postcard (LEB128).
pub fn encode_bag(text: &str) -> Vec<u8> {
    let mut terms = hash_terms(text);
    terms.sort_unstable();
    let mut bag = Vec::with_capacity(terms.len() * 3);
    let mut last = 0;
    for same in terms.chunk_by(|one, other| one == other) {
        let term = same.first().copied().unwrap_or_default();
        let pair = (term.wrapping_sub(last), u32::try_from(same.len()).unwrap_or(u32::MAX));
        // Two numbers always fit into a vector.
        bag = postcard::to_extend(&pair, bag).unwrap_or_default();
        last = term;
    }
    bag
}

/// Counts each of the sorted terms in a bag, and returns the total of terms.
fn count_in_bag(bag: &[u8], terms: &[u32], counts: &mut [u32]) -> u32 {
    // Bag and terms are both sorted, so one pass compares them.
    let (mut rest, mut term, mut total, mut next) = (bag, 0_u32, 0_u32, 0);
    while let Ok(((step, times), after)) = postcard::take_from_bytes::<(u32, u32)>(rest) {
        rest = after;
        term = term.wrapping_add(step);
        total = total.saturating_add(times);
        while terms.get(next).is_some_and(|wanted| *wanted < term) {
            next += 1;
        }
        if terms.get(next) == Some(&term)
            && let Some(count) = counts.get_mut(next)
        {
            *count = times;
        }
    }
    total
}

/// Returns the hashes of the terms of a text, in order: each identifier without underscores, and
/// each of its parts if it has several (`parseURL_of` gives `parse`, `url`, `of`, `parseurlof`).
fn hash_terms(text: &str) -> Vec<u32> {
    let mut terms = Vec::new();
    each_identifier(text, &mut |identifier| {
        let parts = identifier.parts();
        let whole = (parts.len() > 1).then_some(identifier.letters());
        // A single letter is not a useful term.
        terms.extend(parts.chain(whole).filter(|letters| letters.len() > 1).map(hash_letters));
    });
    terms
}

/// Returns the FNV-1a hash of a word in lower case.
fn hash_letters(letters: &[char]) -> u32 {
    letters
        .iter()
        .flat_map(|c| c.to_lowercase())
        .fold(0x811c_9dc5, |hash, c| (hash ^ u32::from(c)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests;
