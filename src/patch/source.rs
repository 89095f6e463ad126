//! The text a patch is for, its lines indexed so that a block is found without comparing texts.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::hash::BuildHasher as _;
use std::ops::Range;

use rustc_hash::FxBuildHasher;

use super::similarity::{fold_into, indentation};
use crate::text::lines::dominant_ending;

/// A text with its lines; the indexes are made when first asked for.
pub(super) struct SourceText<'a> {
    text: &'a str,
    /// Without line ends.
    lines: Vec<&'a str>,
    /// Byte offset of every line, and of the end.
    starts: Vec<usize>,
    exact_index: OnceCell<Index>,
    folded_index: OnceCell<Index>,
    depths: OnceCell<HashSet<String, FxBuildHasher>>,
}

impl<'a> SourceText<'a> {
    /// Splits a text into lines; `\r\n` is a line end, a lone `\r` is not.
    pub(super) fn new(text: &'a str) -> Self {
        let count = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
        let (mut lines, mut starts) = (Vec::with_capacity(count), Vec::with_capacity(count + 1));
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
            let line = text.get(start..end).unwrap_or_default();
            lines.push(line.strip_suffix('\r').unwrap_or(line));
            starts.push(start);
            start = end + 1;
        }
        if let Some(last) = text.get(start..).filter(|last| !last.is_empty()) {
            lines.push(last);
            starts.push(start);
        }
        starts.push(text.len());
        let (exact_index, folded_index, depths) =
            (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { text, lines, starts, exact_index, folded_index, depths }
    }

    /// Returns the whole text.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Tells whether the last line has an end, or there is none.
    pub(super) fn ends_line(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    /// Returns how many lines there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns the lines, without their ends.
    pub(super) fn lines(&self) -> &[&'a str] {
        &self.lines
    }

    /// Returns a line; empty past the end.
    pub(super) fn line(&self, index: usize) -> &'a str {
        self.lines.get(index).copied().unwrap_or_default()
    }

    /// Returns a line's end: `\n`, `\r\n`, or empty.
    pub(super) fn ending(&self, index: usize) -> &'a str {
        let end = self.starts.get(index).map_or(0, |start| start + self.line(index).len());
        self.starts.get(index + 1).and_then(|next| self.text.get(end..*next)).unwrap_or_default()
    }

    /// Returns the bytes of a range of lines as they are.
    pub(super) fn raw_lines(&self, lines: Range<usize>) -> &'a str {
        let at = |index: usize| self.starts.get(index).copied().unwrap_or(self.text.len());
        self.text.get(at(lines.start)..at(lines.end)).unwrap_or_default()
    }

    /// Returns the end of line that most lines have.
    pub(super) fn dominant_ending(&self) -> &'static str {
        dominant_ending(self.text)
    }

    /// Returns the index of the lines to the letter.
    pub(super) fn exact_index(&self) -> &Index {
        self.exact_index
            .get_or_init(|| Index::new(self.lines.iter().map(|line| exact_key(line)).collect()))
    }

    /// Returns the index of the lines with blanks, quotes and dashes folded.
    pub(super) fn folded_index(&self) -> &Index {
        self.folded_index.get_or_init(|| {
            let mut buffer = Vec::new();
            Index::new(self.lines.iter().map(|line| folded_key(line, &mut buffer)).collect())
        })
    }

    /// Tells whether any line is indented by just this.
    pub(super) fn has_depth(&self, depth: &str) -> bool {
        let depths = || {
            let mut depths = HashSet::default();
            for depth in self.lines.iter().map(|line| indentation(line)) {
                if !depths.contains(depth) {
                    depths.insert(depth.to_owned());
                }
            }
            depths
        };
        self.depths.get_or_init(depths).contains(depth)
    }

    /// Tells whether a line stands anywhere to the letter.
    pub(super) fn has_line(&self, line: &str) -> bool {
        self.exact_index().positions(exact_key(line)).next().is_some()
    }

    /// Tells whether a line stands anywhere, blanks, quotes and dashes folded.
    pub(super) fn has_folded(&self, line: &str) -> bool {
        let key = folded_key(line, &mut Vec::new());
        self.folded_index().positions(key).next().is_some()
    }
}

/// Returns the key of a line to the letter.
pub(super) fn exact_key(line: &str) -> u64 {
    FxBuildHasher.hash_one(line)
}

/// Returns the key of a line folded; `buffer` is only scratch space.
pub(super) fn folded_key(line: &str, buffer: &mut Vec<u8>) -> u64 {
    buffer.clear();
    fold_into(line, buffer);
    FxBuildHasher.hash_one(buffer.as_slice())
}

/// A line that stands this often or oftener is no rarer than another such line.
const RARE: usize = 64;

/// Marks the end of a chain.
const NONE: u32 = u32::MAX;

/// Where each key stands: chains of lines that share a bucket, in ascending order.
///
/// Equal keys may be a chance of the hash; whoever writes compares the texts.
pub(super) struct Index {
    keys: Vec<u64>,
    heads: Vec<u32>,
    next: Vec<u32>,
}

impl Index {
    fn new(keys: Vec<u64>) -> Self {
        let buckets = (keys.len() * 2).next_power_of_two();
        let mut index = Self { heads: vec![NONE; buckets], next: vec![NONE; keys.len()], keys };
        for line in (0..index.keys.len()).rev() {
            let bucket = index.bucket_of(index.key_of_line(line));
            let Ok(number) = u32::try_from(line) else { continue };
            if let (Some(head), Some(next)) =
                (index.heads.get_mut(bucket), index.next.get_mut(line))
            {
                *next = *head;
                *head = number;
            }
        }
        index
    }

    fn bucket_of(&self, key: u64) -> usize {
        // The high half carries the hash's best bits.
        usize::try_from(key >> 32).unwrap_or_default() & (self.heads.len() - 1)
    }

    /// Returns the key of a line.
    pub(super) fn key_of_line(&self, line: usize) -> u64 {
        self.keys.get(line).copied().unwrap_or_default()
    }

    /// Returns the lines that have a key, ascending.
    pub(super) fn positions(&self, key: u64) -> impl Iterator<Item = usize> {
        let follow = |line: u32| Some(line).filter(|line| *line != NONE);
        let head = self.heads.get(self.bucket_of(key)).copied().and_then(follow);
        std::iter::successors(head, move |line| {
            self.next.get(*line as usize).copied().and_then(follow)
        })
        .map(|line| line as usize)
        .filter(move |line| self.key_of_line(*line) == key)
    }

    /// Returns every line from which all `keys` stand one after another, ascending.
    pub(super) fn find_blocks(&self, keys: &[u64]) -> Vec<usize> {
        let Some((offset, rarest)) = self.rarest_key(keys) else { return Vec::new() };
        self.positions(rarest)
            .filter_map(|line| line.checked_sub(offset))
            .filter(|start| self.keys.get(*start..*start + keys.len()) == Some(keys))
            .collect()
    }

    /// Returns the key with the fewest lines, and its place among `keys`.
    fn rarest_key(&self, keys: &[u64]) -> Option<(usize, u64)> {
        let mut best: Option<(usize, usize, u64)> = None;
        for (offset, key) in keys.iter().enumerate() {
            let limit = best.map_or(RARE, |(count, ..)| count);
            let count = self.positions(*key).take(limit).count();
            if count == 0 {
                return None;
            }
            if best.is_none() || count < limit {
                best = Some((count, offset, *key));
            }
            if count == 1 {
                break;
            }
        }
        best.map(|(_, offset, key)| (offset, key))
    }
}
