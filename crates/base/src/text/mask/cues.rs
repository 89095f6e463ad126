//! Finds some hundred short words at which something is read, in whatever case their ASCII letters are.

use std::ops::Range;

/// The bytes of a word by which it is looked up.
const HEAD: u32 = 3;
/// The bits of each that count; letters of both cases have the same.
const BITS: u32 = 5;
const HEADS: usize = 1 << (HEAD * BITS);

/// Words, and what is read at each.
#[derive(Debug)]
pub(super) struct CueFinder<T> {
    /// One bit for each head with which a word begins: 4 KiB, which stay in the cache of a processor core.
    heads: Box<[u64; HEADS / 64]>,
    /// One bit for each fourth and each fifth byte of the words with a head.
    nexts: Vec<[u32; 2]>,
    /// The list of each head among `words`, from 1.
    lists: Vec<u16>,
    words: Vec<Vec<(Vec<u8>, T)>>,
}

impl<T> Default for CueFinder<T> {
    fn default() -> Self {
        Self {
            heads: Box::new([0; HEADS / 64]),
            nexts: vec![[0; 2]; HEADS],
            lists: vec![0; HEADS],
            words: Vec::new(),
        }
    }
}

/// Returns the index of a head that goes on with a byte.
fn pushed(index: usize, byte: u8) -> usize {
    (index << BITS | usize::from(byte) & 31) & (HEADS - 1)
}

impl<T: Copy> CueFinder<T> {
    /// Adds a word.
    pub(super) fn add(&mut self, word: &str, value: T) {
        let head = word.bytes().take(3).fold(0, pushed);
        // A shorter word has every head that begins with it.
        let missing = BITS * (HEAD - u32::try_from(word.len().min(3)).unwrap_or(HEAD));
        for index in head << missing..(head << missing) + (1 << missing) {
            if let Some(bits) = self.heads.get_mut(index / 64) {
                *bits |= 1 << (index % 64);
            }
            if let Some(nexts) = self.nexts.get_mut(index) {
                for (bits, at) in nexts.iter_mut().zip(3..) {
                    *bits |= word.as_bytes().get(at).map_or(u32::MAX, |byte| 1 << (byte & 31));
                }
            }
            let Some(list) = self.lists.get_mut(index) else { continue };
            if *list == 0 {
                self.words.push(Vec::new());
                *list = u16::try_from(self.words.len()).unwrap_or(u16::MAX);
            }
            if let Some(words) = self.words.get_mut(usize::from(*list) - 1) {
                words.push((word.as_bytes().to_vec(), value));
            }
        }
    }

    /// Calls `take` with the place and the value of each word in the text, in order of their starts.
    pub(super) fn find(&self, text: &[u8], mut take: impl FnMut(Range<usize>, T)) {
        let mut from = 0;
        while let Some((at, index)) = self.next_head(text, from) {
            from = at + 1;
            let list = self.lists.get(index).copied().map(usize::from).unwrap_or_default();
            let words = list.checked_sub(1).and_then(|list| self.words.get(list));
            for (word, value) in words.into_iter().flatten() {
                let place = at..at + word.len();
                if text.get(place.clone()).is_some_and(|found| found.eq_ignore_ascii_case(word)) {
                    take(place, *value);
                }
            }
        }
    }

    /// Returns the next place where a word may begin, and the index of its head.
    // Not inlined, so that the loop has the registers for itself.
    #[inline(never)]
    fn next_head(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let rest = text.get(from..)?;
        let mut bits =
            rest.iter().take(2).fold(0, |bits, byte| bits << BITS | usize::from(byte & 31));
        for (at, byte) in rest.get(2..)?.iter().enumerate() {
            // Older bytes leave at the top.
            bits = bits << BITS | usize::from(byte & 31);
            let index = bits & (HEADS - 1);
            // Almost every byte ends here.
            if self.heads.get(index / 64).is_none_or(|heads| heads >> (index % 64) & 1 == 0) {
                continue;
            }
            let nexts = self.nexts.get(index).into_iter().flatten();
            let bytes = rest.get(at + 3..).unwrap_or_default().iter().chain(&[0, 0]);
            if nexts.zip(bytes).all(|(bits, byte)| bits >> (byte & 31) & 1 == 1) {
                return Some((from + at, index));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case_and_also_short_ones() {
        let mut cues = CueFinder::default();
        cues.add("ghp_", 1);
        cues.add("sk", 2);
        cues.add("ключ", 3);
        let mut found = Vec::new();
        cues.find("aGHP_skxghp-ключ".as_bytes(), |place, value| found.push((place, value)));
        assert_eq!(found, [(1..5, 1), (5..7, 2), (12..20, 3)]);
    }
}
