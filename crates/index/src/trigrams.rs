//! The trigrams of a text as a small bit set, by which a search skips texts without reading them.

/// Fewest bits of a set.
const MIN_BITS: usize = 512;
/// Most bits of a set.
const MAX_BITS: usize = 1 << 20;
/// Bits of a word of the set.
const WORD_BITS: usize = u64::BITS as usize;

/// The runs of three bytes that a text has, by their hash. ASCII letters count without their case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrigramSet {
    bits: Box<[u64]>,
}

impl TrigramSet {
    /// Returns the set of a text.
    pub fn of_text(text: &str) -> Self {
        // With two bits or more for each byte, nearly all words that a text lacks are recognised.
        let bits = (text.len() * 2).next_power_of_two().clamp(MIN_BITS, MAX_BITS);
        let mut bits = vec![0_u64; bits / WORD_BITS].into_boxed_slice();
        for hash in hash_trigrams(text) {
            let (word, bit) = find_bit(&bits, hash);
            if let Some(word) = bits.get_mut(word) {
                *word |= bit;
            }
        }
        Self { bits }
    }

    /// Returns false only if the text does not contain `part`, in any case of ASCII letters.
    ///
    /// # Examples
    ///
    /// ```
    /// use papayu_index::TrigramSet;
    ///
    /// let set = TrigramSet::of_text("fn open_account() {}");
    /// assert!(set.may_contain("Account"));
    /// assert!(!set.may_contain("close_account"));
    /// ```
    pub fn may_contain(&self, part: &str) -> bool {
        hash_trigrams(part).all(|hash| {
            let (word, bit) = find_bit(&self.bits, hash);
            self.bits.get(word).is_some_and(|word| word & bit != 0)
        })
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bits.len() * WORD_BITS / 8
    }
}

/// Returns the hash of every three bytes that follow each other, in lower case for ASCII.
fn hash_trigrams(text: &str) -> impl Iterator<Item = u32> {
    text.as_bytes().windows(3).map(|three| {
        let packed =
            three.iter().fold(0, |all, byte| (all << 8) | u32::from(byte.to_ascii_lowercase()));
        // Fibonacci hashing: the high bits depend on all bytes.
        packed.wrapping_mul(0x9e37_79b1)
    })
}

/// Returns the index of the word and the bit of a hash.
fn find_bit(bits: &[u64], hash: u32) -> (usize, u64) {
    let count = bits.len() * WORD_BITS;
    let at = hash as usize >> (u32::BITS.saturating_sub(count.trailing_zeros()));
    (at / WORD_BITS, 1 << (at % WORD_BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_text_may_be_in_it_and_most_other_words_are_not() {
        let text = include_str!("trigrams.rs");
        let set = TrigramSet::of_text(text);
        let chars: Vec<char> = text.chars().collect();
        for part in chars.windows(9).step_by(7) {
            let part: String = part.iter().collect();
            assert!(set.may_contain(&part), "{part}");
            assert!(set.may_contain(&part.to_ascii_uppercase()), "{part}");
        }
        let absent = (0..1000).filter(|number| set.may_contain(&format!("zq{number}jx")));
        assert!(absent.count() < 20);
    }

    #[test]
    fn a_part_of_less_than_three_bytes_may_be_anywhere() {
        let set = TrigramSet::of_text("");
        assert!(set.may_contain("ab") && set.may_contain(""));
        assert!(!set.may_contain("abc"));
    }
}
