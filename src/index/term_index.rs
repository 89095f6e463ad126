//! The terms of every file in compact form, and the ranking of files for a query by BM25.

use super::file_id::FileId;
use crate::system::map_parallel;

/// Most characters of a word. Longer ones are keys, digests or data.
const MAX_WORD_BYTES: usize = 64;

/// The weight of repeated terms, between 1.2 and 2 in practice (Robertson and Zaragoza, 2009).
const K1: f32 = 1.2;
/// The penalty for long files: 0 is none, 1 is full.
const B: f32 = 0.75;

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

    /// Returns the files that contain a term of the query, best first by BM25, ties by path.
    ///
    /// Every identifier of the query counts once as a whole and once for each of its parts.
    pub fn rank_files(&self, query: &[&str], limit: usize) -> Vec<(FileId, f32)> {
        let mut ranked = self.rank_queries(&[query]).pop().unwrap_or_default();
        ranked.truncate(limit);
        ranked
    }

    /// Ranks the files for several queries, reading each bag once, on all cores.
    pub fn rank_queries(&self, queries: &[&[&str]]) -> Vec<Vec<(FileId, f32)>> {
        let sorted = |mut terms: Vec<u32>| {
            terms.sort_unstable();
            terms.dedup();
            terms
        };
        let terms_of =
            |query: &&[&str]| sorted(query.iter().flat_map(|text| hash_terms(text)).collect());
        let queries: Vec<Vec<u32>> = queries.iter().map(terms_of).collect();
        let counts = self.count_terms(sorted(queries.concat()));
        queries.iter().map(|query| counts.rank_files(query)).collect()
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

    /// Counts the sorted terms in all files, on all cores.
    fn count_terms(&self, terms: Vec<u32>) -> TermCounts {
        let rows = map_parallel(self.bags.len(), |at| {
            self.bags.get(at).map(|(id, bag)| {
                let mut counts = vec![0; terms.len()];
                let total = count_in_bag(bag, &terms, &mut counts);
                let counts =
                    // Most files have none of the terms: an empty vector needs no allocation.
                    if counts.iter().any(|count| *count > 0) { counts } else { Vec::new() };
                (*id, total, counts)
            })
        });
        TermCounts { terms, rows: rows.into_iter().flatten().collect() }
    }

    /// Returns the size of all bags in bytes.
    pub fn bytes(&self) -> usize {
        self.bags.iter().map(|(_, bag)| bag.len()).sum()
    }
}

/// The count of each term in each file, and the total of terms. The counts are empty if all are 0.
struct TermCounts {
    /// Sorted.
    terms: Vec<u32>,
    /// The file, the number of its terms, and the count of each term of `terms`.
    rows: Vec<(FileId, u32, Vec<u32>)>,
}

impl TermCounts {
    /// Ranks the files for one query by Okapi BM25 (Robertson and Zaragoza, 2009).
    #[expect(clippy::cast_precision_loss, reason = "a score needs no more than seven digits")]
    fn rank_files(&self, query: &[u32]) -> Vec<(FileId, f32)> {
        let all = self.rows.len() as f32;
        let length: u64 = self.rows.iter().map(|(_, total, _)| u64::from(*total)).sum();
        let mean = (length as f32 / all.max(1.0)).max(1.0);
        let columns = query.iter().filter_map(|term| self.terms.binary_search(term).ok());
        let count_in = |counts: &[u32], column| counts.get(column).copied().unwrap_or_default();
        let rarity = |column| {
            let holders =
                self.rows.iter().filter(|(.., counts)| count_in(counts, column) > 0).count();
            let holders = holders as f32;
            // The inverse document frequency of Lucene, which is never negative.
            (column, (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln())
        };
        let columns: Vec<(usize, f32)> = columns.map(rarity).collect();
        let score = |(id, total, counts): &(FileId, u32, Vec<u32>)| {
            let damped = K1 * (1.0 - B + B * *total as f32 / mean);
            let one = |(column, rarity): &(usize, f32)| {
                let count = count_in(counts, *column) as f32;
                rarity * count * (K1 + 1.0) / (count + damped)
            };
            (*id, columns.iter().map(one).sum::<f32>())
        };
        let mut ranked: Vec<_> =
            self.rows.iter().map(score).filter(|(_, score)| *score > 0.0).collect();
        ranked.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        ranked
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
    let mut found = TermSplitter::default();
    let mut last = Letter::None;
    for c in text.chars() {
        let letter = Letter::classify(c);
        match letter {
            Letter::None => found.end_word(),
            Letter::Joint => found.end_part(),
            _ => {
                match (last, letter) {
                    (Letter::Lower | Letter::Digit, Letter::Upper) => found.end_part(),
                    // The last capital of several begins the next part: `HTTPServer`.
                    (Letter::Upper, Letter::Lower) => found.end_part_before_last(),
                    _ => {}
                }
                found.push(c);
            }
        }
        last = letter;
    }
    found.end_word();
    found.terms
}

/// The part that a character has in a word.
#[derive(Clone, Copy)]
enum Letter {
    /// A letter without capitals counts too.
    Lower,
    Upper,
    Digit,
    /// Joins the parts of an identifier: `_` or `$`.
    Joint,
    /// Ends the word.
    None,
}

impl Letter {
    /// Returns the class of a character. Those of ASCII come first, because they are nearly all.
    fn classify(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            '_' | '$' => Self::Joint,
            c if c.is_uppercase() => Self::Upper,
            c if c.is_alphabetic() => Self::Lower,
            c if c.is_numeric() => Self::Digit,
            _ => Self::None,
        }
    }
}

/// The hash of a word while it is read: FNV-1a, which needs only the previous value.
#[derive(Clone, Copy)]
struct RollingHash {
    /// The hash of the characters so far.
    hash: u32,
    /// The number of characters.
    letters: usize,
}

impl RollingHash {
    /// The start value of FNV-1a.
    const NEW: Self = Self { hash: 0x811c_9dc5, letters: 0 };

    /// Adds a character.
    fn push(&mut self, c: char) {
        self.hash = (self.hash ^ u32::from(c)).wrapping_mul(0x0100_0193);
        self.letters += 1;
    }
}

/// The terms found so far, and the word that is being read.
struct TermSplitter {
    /// In the order of the text.
    terms: Vec<u32>,
    /// The whole identifier.
    whole: RollingHash,
    /// Its present part.
    part: RollingHash,
    /// The part without its last letter, and that letter.
    before: (RollingHash, char),
    /// Number of parts that ended.
    parts: u32,
}

impl Default for TermSplitter {
    fn default() -> Self {
        let new = RollingHash::NEW;
        Self { terms: Vec::new(), whole: new, part: new, before: (new, '\0'), parts: 0 }
    }
}

impl TermSplitter {
    /// Adds a letter in lower case, so that `Total` and `total` are one term.
    fn push(&mut self, c: char) {
        if c.is_ascii() {
            self.push_lower(c.to_ascii_lowercase());
        } else {
            c.to_lowercase().for_each(|c| self.push_lower(c));
        }
    }

    /// Adds a letter to the identifier and to its present part.
    fn push_lower(&mut self, c: char) {
        self.before = (self.part, c);
        self.part.push(c);
        self.whole.push(c);
    }

    /// Adds the present part to the terms.
    fn end_part(&mut self) {
        // A single letter is not a useful term.
        if (2..=MAX_WORD_BYTES).contains(&self.part.letters) {
            self.terms.push(self.part.hash);
        }
        self.parts += u32::from(self.part.letters > 0);
        self.part = RollingHash::NEW;
    }

    /// Ends the part before its last letter, which begins the next one.
    fn end_part_before_last(&mut self) {
        let (before, last) = self.before;
        if before.letters == 0 {
            return;
        }
        self.part = before;
        self.end_part();
        self.part.push(last);
    }

    /// Ends the word. As a whole it is a term only if it has several parts.
    fn end_word(&mut self) {
        if self.whole.letters == 0 {
            return;
        }
        self.end_part();
        if self.parts > 1 && (2..=MAX_WORD_BYTES).contains(&self.whole.letters) {
            self.terms.push(self.whole.hash);
        }
        (self.whole, self.parts) = (RollingHash::NEW, 0);
    }
}

#[cfg(test)]
mod tests;
