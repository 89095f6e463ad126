//! Finds some hundred short words at which something is read, in whatever case their ASCII letters are.

use std::ops::Range;

/// The bytes of a word by which it is looked up.
const HEAD: u32 = 3;
/// The bits of each that count; letters of both cases have the same.
const BITS: u32 = 5;
const HEADS: usize = 1 << (HEAD * BITS);

/// Words, and what is read at each.
#[derive(Debug)]
pub(super) struct SecretCueFinder<T> {
    /// One bit for each head with which a word begins: 4 KiB, which stay in the cache of a processor core.
    heads: Box<[u64; HEADS / 64]>,
    /// One bit for each fourth and each fifth byte of the words with a head, and for each byte before the head.
    nexts: Vec<[u32; 3]>,
    /// The list of each head among `words`, from 1.
    lists: Vec<u16>,
    words: Vec<Vec<CueWord<T>>>,
}

/// A word with a head.
#[derive(Debug)]
struct CueWord<T> {
    bytes: Vec<u8>,
    /// The bytes before the head.
    skipped: usize,
    value: T,
}

impl<T> Default for SecretCueFinder<T> {
    fn default() -> Self {
        Self {
            heads: Box::new([0; HEADS / 64]),
            nexts: vec![[0; 3]; HEADS],
            lists: vec![0; HEADS],
            words: Vec::new(),
        }
    }
}

/// Returns the index of a head that goes on with a byte.
fn pushed(index: usize, byte: u8) -> usize {
    (index << BITS | usize::from(byte) & 31) & (HEADS - 1)
}

impl<T: Copy> SecretCueFinder<T> {
    /// Adds a word of at least three bytes.
    pub(super) fn add(&mut self, word: &str, value: T) {
        // Every second place of a text is looked at, so that a word is seen at its first or at its second byte.
        for skipped in 0..2 {
            let seen = word.as_bytes().get(skipped..).unwrap_or_default();
            let head = seen.iter().take(3).fold(0, |index, byte| pushed(index, *byte));
            // A shorter word has every head that begins with it.
            let missing = BITS * (HEAD - u32::try_from(seen.len().min(3)).unwrap_or(HEAD));
            for index in head << missing..(head << missing) + (1 << missing) {
                let before = word.as_bytes().first().filter(|_| skipped == 1).copied();
                self.add_head(index, seen, before);
                self.add_word(index, CueWord { bytes: word.as_bytes().to_vec(), skipped, value });
            }
        }
    }

    fn add_head(&mut self, index: usize, seen: &[u8], before: Option<u8>) {
        if let Some(bits) = self.heads.get_mut(index / 64) {
            *bits |= 1 << (index % 64);
        }
        let bytes = [seen.get(3).copied(), seen.get(4).copied(), before];
        let nexts = self.nexts.get_mut(index).into_iter().flatten();
        for (bits, byte) in nexts.zip(bytes) {
            *bits |= byte.map_or(u32::MAX, |byte| 1 << (byte & 31));
        }
    }

    fn add_word(&mut self, index: usize, word: CueWord<T>) {
        let Some(list) = self.lists.get_mut(index) else { return };
        if *list == 0 {
            self.words.push(Vec::new());
            *list = u16::try_from(self.words.len()).unwrap_or(u16::MAX);
        }
        if let Some(words) = self.words.get_mut(usize::from(*list) - 1) {
            words.push(word);
        }
    }

    /// Calls `take` with the place and the value of each word in the text, about in order.
    pub(super) fn find(&self, text: &[u8], mut take: impl FnMut(Range<usize>, T)) {
        let mut from = 0;
        while let Some((at, index)) = self.next_head(text, from) {
            from = at + 2;
            let list = self.lists.get(index).copied().map(usize::from).unwrap_or_default();
            let words = list.checked_sub(1).and_then(|list| self.words.get(list));
            for word in words.into_iter().flatten() {
                let Some(start) = at.checked_sub(word.skipped) else { continue };
                let place = start..start + word.bytes.len();
                let found = text.get(place.clone());
                if found.is_some_and(|found| found.eq_ignore_ascii_case(&word.bytes)) {
                    take(place, word.value);
                }
            }
        }
    }

    /// Returns the next even place where a word may be seen, and the index of its head.
    // Not inlined, so that the loop has the registers for itself.
    #[inline(never)]
    fn next_head(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let heads: &[u64; HEADS / 64] = &self.heads;
        let rest = text.get(from..)?;
        let last_before = from.checked_sub(1).and_then(|at| text.get(at)).copied();
        let mut bits = usize::from(rest.first()? & 31);
        let (pairs, last) = rest.get(1..)?.as_chunks::<2>();
        for (at, pair) in pairs.iter().enumerate() {
            // Older bytes leave at the top.
            bits =
                bits << (2 * BITS) | usize::from(pair[0] & 31) << BITS | usize::from(pair[1] & 31);
            let index = bits & (HEADS - 1);
            // Almost every place ends here.
            let is_head = heads.get(index / 64).is_some_and(|heads| heads >> (index % 64) & 1 == 1);
            let before = || if at == 0 { last_before } else { rest.get(2 * at - 1).copied() };
            if is_head && self.may_go_on(index, rest.get(2 * at + 3..), before()) {
                return Some((from + 2 * at, index));
            }
        }
        // A word of three bytes can be seen at its second byte, where the text ends.
        let last = last.first().copied().unwrap_or_default();
        let index = (bits << (2 * BITS) | usize::from(last & 31) << BITS) & (HEADS - 1);
        let at = from + 2 * pairs.len();
        (self.may_go_on(index, None, text.get(at.wrapping_sub(1)).copied()) && at < text.len())
            .then_some((at, index))
    }

    /// Returns `true` if the text around a head may be that of one of its words.
    fn may_go_on(&self, index: usize, rest: Option<&[u8]>, before: Option<u8>) -> bool {
        let rest = rest.unwrap_or_default();
        let fourth = rest.first().map_or(0, |byte| byte & 31);
        let fifth = rest.get(1).map_or(0, |byte| byte & 31);
        let nexts = self.nexts.get(index).copied().unwrap_or_default();
        let before = before.map_or(0, |byte| byte & 31);
        nexts[0] >> fourth & nexts[1] >> fifth & nexts[2] >> before & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_at_any_place_and_in_any_case() {
        let mut cues = SecretCueFinder::default();
        cues.add("ghp_", 1);
        cues.add("ske", 2);
        cues.add("ключ", 3);
        for before in ["", "a", "ab", "abc"] {
            let text = format!("{before}GHP_.skexghp-ключ");
            let mut found = Vec::new();
            cues.find(text.as_bytes(), |place, value| found.push((place, value)));
            let at = before.len();
            assert_eq!(found, [(at..at + 4, 1), (at + 5..at + 8, 2), (at + 13..at + 21, 3)]);
        }
    }
}
