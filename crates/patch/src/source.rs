//! A text split into lines, with indexes that find lines and blocks of lines by their hash.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::ops::Range;

use rustc_hash::FxBuildHasher;

use super::similarity::{fold_into, indentation};
use papayu_base::text::has_word;
use papayu_base::text::lines::dominant_ending;

/// A text and its lines. The indexes are built on first use.
pub(super) struct SourceText<'a> {
    text: &'a str,
    /// Without line endings.
    lines: Vec<&'a str>,
    /// Byte offset of every line, then the length of the text.
    starts: Vec<usize>,
    exact_index: OnceCell<LineHashes>,
    folded_index: OnceCell<LineHashes>,
    /// The words that were searched, and whether the text has them.
    words: RefCell<HashMap<String, bool>>,
    /// The hashes of all indentations.
    indentations: OnceCell<HashSet<u64, FxBuildHasher>>,
}

impl<'a> SourceText<'a> {
    /// Splits a text into lines. `\r\n` ends a line, a lone `\r` does not.
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
        Self {
            text,
            lines,
            starts,
            exact_index: OnceCell::new(),
            folded_index: OnceCell::new(),
            words: RefCell::default(),
            indentations: OnceCell::new(),
        }
    }

    /// Returns the whole text.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Returns `true` if the text is empty or ends with a newline.
    pub(super) fn ends_with_newline(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    /// Returns the number of lines.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns the lines without their endings.
    pub(super) fn lines(&self) -> &[&'a str] {
        &self.lines
    }

    /// Returns the line at a 0-based index, or an empty string past the end.
    pub(super) fn line(&self, index: usize) -> &'a str {
        self.lines.get(index).copied().unwrap_or_default()
    }

    /// Returns the ending of a line: `\n`, `\r\n`, or an empty string.
    pub(super) fn ending(&self, index: usize) -> &'a str {
        let end = self.starts.get(index).map_or(0, |start| start + self.line(index).len());
        self.starts.get(index + 1).and_then(|next| self.text.get(end..*next)).unwrap_or_default()
    }

    /// Returns the text of a range of lines, endings included.
    pub(super) fn raw_lines(&self, lines: Range<usize>) -> &'a str {
        self.text.get(self.offset_of(lines.start)..self.offset_of(lines.end)).unwrap_or_default()
    }

    /// Returns the byte at which a line starts; the length of the text behind the last line.
    fn offset_of(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// Returns the most frequent line ending.
    pub(super) fn dominant_ending(&self) -> &'static str {
        dominant_ending(self.text)
    }

    /// Returns the index of the lines as they are.
    pub(super) fn exact_index(&self) -> &LineHashes {
        self.exact_index.get_or_init(|| {
            LineHashes::new(self.lines.iter().map(|line| exact_key(line)).collect())
        })
    }

    /// Returns the index of the lines with blanks, quotes and dashes folded.
    pub(super) fn folded_index(&self) -> &LineHashes {
        self.folded_index.get_or_init(|| {
            let mut buffer = Vec::new();
            LineHashes::new(self.lines.iter().map(|line| folded_key(line, &mut buffer)).collect())
        })
    }

    /// Returns `true` if any line has exactly this indentation.
    pub(super) fn has_indentation(&self, wanted: &str) -> bool {
        let collect = || self.lines.iter().map(|line| exact_key(indentation(line))).collect();
        self.indentations.get_or_init(collect).contains(&exact_key(wanted))
    }

    /// Returns `true` if the text has this word, not only as a part of a longer one.
    pub(super) fn has_word(&self, word: &str) -> bool {
        // A search reads the whole text, and a misspelt word is compared with many lines of it.
        let mut words = self.words.borrow_mut();
        *words.entry(word.to_owned()).or_insert_with(|| has_word(self.text, word))
    }

    /// Returns `true` if the text has this line.
    pub(super) fn has_line(&self, line: &str) -> bool {
        self.exact_index().positions(exact_key(line)).next().is_some()
    }

    /// Returns `true` if the text has this line when blanks, quotes and dashes are folded.
    pub(super) fn has_folded(&self, line: &str) -> bool {
        let key = folded_key(line, &mut Vec::new());
        self.folded_index().positions(key).next().is_some()
    }
}

/// Returns the hash of a line.
pub(super) fn exact_key(line: &str) -> u64 {
    FxBuildHasher.hash_one(line)
}

/// Returns the hash of a folded line; `buffer` is scratch space.
pub(super) fn folded_key(line: &str, buffer: &mut Vec<u8>) -> u64 {
    buffer.clear();
    fold_into(line, buffer);
    FxBuildHasher.hash_one(buffer.as_slice())
}

/// Occurrences are counted up to this number when the rarest line of a block is looked for.
const MAX_COUNTED: usize = 64;

/// The hashes of a text's lines, and the lines sorted by hash.
///
/// Different lines may have equal hashes, so callers compare the lines that are found.
pub(super) struct LineHashes {
    keys: Vec<u64>,
    sorted: Vec<KeyedLine>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct KeyedLine {
    key: u64,
    line: usize,
}

impl LineHashes {
    /// Returns the index of lines by key; equal keys are in the order of the lines.
    fn new(keys: Vec<u64>) -> Self {
        let mut sorted: Vec<KeyedLine> =
            keys.iter().enumerate().map(|(line, key)| KeyedLine { key: *key, line }).collect();
        sorted.sort_unstable();
        Self { keys, sorted }
    }

    /// Returns the lines with a hash, ascending.
    pub(super) fn positions(&self, key: u64) -> impl Iterator<Item = usize> {
        let from = self.sorted.partition_point(|keyed| keyed.key < key);
        let equal = self.sorted.iter().skip(from).take_while(move |keyed| keyed.key == key);
        equal.map(|keyed| keyed.line)
    }

    /// Returns every line at which the block of `keys` begins, ascending.
    pub(super) fn find_blocks(&self, keys: &[u64]) -> Vec<usize> {
        let Some(offset) = self.rarest_offset(keys) else { return Vec::new() };
        self.positions(keys.get(offset).copied().unwrap_or_default())
            .filter_map(|line| line.checked_sub(offset))
            .filter(|start| self.keys.get(*start..*start + keys.len()) == Some(keys))
            .collect()
    }

    /// Returns the offset in `keys` of the hash with the fewest lines; `None` when one has no line.
    fn rarest_offset(&self, keys: &[u64]) -> Option<usize> {
        let mut rarest = None;
        let mut fewest = MAX_COUNTED;
        for (offset, key) in keys.iter().enumerate() {
            let count = self.positions(*key).take(fewest).count();
            if count == 0 {
                return None;
            }
            if rarest.is_none() || count < fewest {
                (rarest, fewest) = (Some(offset), count);
            }
            // Nothing is rarer than one line, and counting up to one would find no other.
            if count == 1 {
                break;
            }
        }
        rarest
    }
}
