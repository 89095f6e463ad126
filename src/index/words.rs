//! Which words stand in which file, small enough to keep for all of them, and the files that fit a question best.

use super::code::{FileId, Index};
use crate::system::map_parallel;

/// Words longer than this are keys, digests or data.
const MAX_WORD_BYTES: usize = 64;

/// How fast more of the same word stops counting, and how much a long file's words count less: the
/// customary values of BM25.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// The words of every file that has some, by place in the index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    bags: Vec<(FileId, Box<[u8]>)>,
}

impl Words {
    /// Returns the bags of an index's files, as [`bag`] made them.
    pub fn new(mut bags: Vec<(FileId, Box<[u8]>)>) -> Self {
        bags.sort_unstable();
        Self { bags }
    }

    /// Returns the words of texts at hand.
    pub fn of_texts(index: &Index, texts: &[(&str, &str)]) -> Self {
        let bag = |(path, text): &(&str, &str)| Some((index.find(path)?, bag(text).into()));
        Self::new(texts.iter().filter_map(bag).collect())
    }

    /// Returns the files that hold any word of the query, best first by BM25, equals by path; every
    /// identifier of the query counts as a whole and by its parts, each once.
    pub fn rank(&self, query: &[&str], limit: usize) -> Vec<(FileId, f32)> {
        let mut ranked = self.rank_each(&[query]).pop().unwrap_or_default();
        ranked.truncate(limit);
        ranked
    }

    /// Returns the same for several queries; the bags are read once for all of them, on all cores.
    pub fn rank_each(&self, queries: &[&[&str]]) -> Vec<Vec<(FileId, f32)>> {
        let sorted = |mut terms: Vec<u32>| {
            terms.sort_unstable();
            terms.dedup();
            terms
        };
        let terms_of =
            |query: &&[&str]| sorted(query.iter().flat_map(|text| terms(text)).collect());
        let queries: Vec<Vec<u32>> = queries.iter().map(terms_of).collect();
        let counts = self.count_all(sorted(queries.concat()));
        queries.iter().map(|query| counts.rank(query)).collect()
    }

    fn count_all(&self, terms: Vec<u32>) -> Counts {
        let rows = map_parallel(self.bags.len(), |at| {
            self.bags.get(at).map(|(id, bag)| {
                let mut counts = vec![0; terms.len()];
                let total = count(bag, &terms, &mut counts);
                let counts =
                    if counts.iter().any(|count| *count > 0) { counts } else { Vec::new() };
                (*id, total, counts)
            })
        });
        Counts { terms, rows: rows.into_iter().flatten().collect() }
    }

    /// Returns the bytes that all bags take.
    pub fn bytes(&self) -> usize {
        self.bags.iter().map(|(_, bag)| bag.len()).sum()
    }
}

/// How often each term stands in each file, and how many words it has in all; no counts where all are 0.
struct Counts {
    terms: Vec<u32>,
    rows: Vec<(FileId, u32, Vec<u32>)>,
}

impl Counts {
    #[expect(clippy::cast_precision_loss, reason = "a score needs no more than seven digits")]
    fn rank(&self, query: &[u32]) -> Vec<(FileId, f32)> {
        let all = self.rows.len() as f32;
        let length: u64 = self.rows.iter().map(|(_, total, _)| u64::from(*total)).sum();
        let mean = (length as f32 / all.max(1.0)).max(1.0);
        let columns = query.iter().filter_map(|term| self.terms.binary_search(term).ok());
        let held = |counts: &[u32], column| counts.get(column).copied().unwrap_or_default();
        let rarity = |column| {
            let holders = self.rows.iter().filter(|(.., counts)| held(counts, column) > 0).count();
            let holders = holders as f32;
            (column, (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln())
        };
        let columns: Vec<(usize, f32)> = columns.map(rarity).collect();
        let score = |(id, total, counts): &(FileId, u32, Vec<u32>)| {
            let damped = K1 * (1.0 - B + B * *total as f32 / mean);
            let one = |(column, rarity): &(usize, f32)| {
                let count = held(counts, *column) as f32;
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

/// Returns a text's words as a bag: hashes in ascending order as differences, each with its count,
/// numbers in seven bits a byte.
pub fn bag(text: &str) -> Vec<u8> {
    let mut terms = terms(text);
    terms.sort_unstable();
    let mut bag = Vec::with_capacity(terms.len() * 3);
    let mut last = 0;
    for same in terms.chunk_by(|one, other| one == other) {
        let term = same.first().copied().unwrap_or_default();
        push(&mut bag, term.wrapping_sub(last));
        push(&mut bag, u32::try_from(same.len()).unwrap_or(u32::MAX));
        last = term;
    }
    bag
}

/// Adds up how often each of the sorted terms stands in a bag; returns how many words it holds in all.
fn count(bag: &[u8], terms: &[u32], counts: &mut [u32]) -> u32 {
    let (mut rest, mut term, mut total, mut next) = (bag, 0_u32, 0_u32, 0);
    while let (Some(step), Some(times)) = (pull(&mut rest), pull(&mut rest)) {
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

fn push(bag: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        let [low, ..] = number.to_le_bytes();
        bag.push(low | 0x80);
        number >>= 7;
    }
    let [low, ..] = number.to_le_bytes();
    bag.push(low);
}

fn pull(bag: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bag.split_first()?;
        *bag = rest;
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Returns the hashes of a text's words in order: each identifier without its underscores, and each
/// of its parts where it has several (`parseURL_of` is `parse`, `url`, `of`, `parseurlof`).
fn terms(text: &str) -> Vec<u32> {
    let mut found = Found::default();
    let mut last = Letter::None;
    for c in text.chars() {
        let letter = Letter::of(c);
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    Lower,
    Upper,
    Digit,
    Joint,
    None,
}

/// What each character of ASCII is: asked of every character of every file.
const ASCII: [Letter; 128] = {
    let mut letters = [Letter::None; 128];
    let mut byte = 0;
    while byte < 128 {
        letters[byte as usize] = Letter::of_ascii(byte);
        byte += 1;
    }
    letters
};

impl Letter {
    fn of(c: char) -> Self {
        match u8::try_from(c).ok().and_then(|byte| ASCII.get(usize::from(byte))) {
            Some(letter) => *letter,
            None => Self::beyond_ascii(c),
        }
    }

    const fn of_ascii(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' => Self::Lower,
            b'A'..=b'Z' => Self::Upper,
            b'0'..=b'9' => Self::Digit,
            b'_' | b'$' => Self::Joint,
            _ => Self::None,
        }
    }

    fn beyond_ascii(c: char) -> Self {
        match c {
            c if c.is_uppercase() => Self::Upper,
            c if c.is_alphabetic() => Self::Lower,
            c if c.is_numeric() => Self::Digit,
            _ => Self::None,
        }
    }
}

/// A word's hash while it grows: `FNV-1a`, which needs no more than the last value.
#[derive(Clone, Copy)]
struct Growing {
    hash: u32,
    letters: usize,
}

impl Growing {
    const NEW: Self = Self { hash: 0x811c_9dc5, letters: 0 };

    fn push(&mut self, c: char) {
        self.hash = (self.hash ^ u32::from(c)).wrapping_mul(0x0100_0193);
        self.letters += 1;
    }
}

struct Found {
    terms: Vec<u32>,
    whole: Growing,
    part: Growing,
    /// The part without its last letter, and that letter.
    before: (Growing, char),
    parts: u32,
}

impl Default for Found {
    fn default() -> Self {
        let new = Growing::NEW;
        Self { terms: Vec::new(), whole: new, part: new, before: (new, '\0'), parts: 0 }
    }
}

impl Found {
    fn push(&mut self, c: char) {
        if c.is_ascii() {
            self.push_lower(c.to_ascii_lowercase());
        } else {
            c.to_lowercase().for_each(|c| self.push_lower(c));
        }
    }

    fn push_lower(&mut self, c: char) {
        self.before = (self.part, c);
        self.part.push(c);
        self.whole.push(c);
    }

    fn end_part(&mut self) {
        // One letter says nothing on its own.
        if (2..=MAX_WORD_BYTES).contains(&self.part.letters) {
            self.terms.push(self.part.hash);
        }
        self.parts += u32::from(self.part.letters > 0);
        self.part = Growing::NEW;
    }

    fn end_part_before_last(&mut self) {
        let (before, last) = self.before;
        if before.letters == 0 {
            return;
        }
        self.part = before;
        self.end_part();
        self.part.push(last);
    }

    fn end_word(&mut self) {
        if self.whole.letters == 0 {
            return;
        }
        self.end_part();
        if self.parts > 1 && (2..=MAX_WORD_BYTES).contains(&self.whole.letters) {
            self.terms.push(self.whole.hash);
        }
        (self.whole, self.parts) = (Growing::NEW, 0);
    }
}

#[cfg(test)]
mod tests;
