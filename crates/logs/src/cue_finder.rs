//! Finds many short texts, the cues of all readers, in one pass over a line.

/// Fewest bytes of a cue.
const MIN_BYTES: usize = 3;
/// The number of words with the bits of all hashes.
const BIT_WORDS: usize = 1024;
/// The bytes of ordinary logs, the most frequent first.
const FREQUENT: &[u8] = b" etaoinsrldcupmhgf./_-:0123456789bvwyTEASRNO=,()\"'";

/// The cues, and the tables that find them.
///
/// An automaton over all cues is larger than a processor's cache. Here each cue is known by its three rarest bytes, and a
/// table of one bit for each hash of three bytes shows that nearly all places of a text have no cue.
#[derive(Debug)]
pub(crate) struct CueFinder {
    cues: Vec<&'static str>,
    /// One bit for each hash.
    bits: Box<[u64; BIT_WORDS]>,
    /// The place in `groups` of each hash.
    places: Vec<u16>,
    /// The cues with equal hashes: the index of each, and the offset of its three bytes.
    groups: Vec<Vec<(usize, usize)>>,
}

impl CueFinder {
    /// Takes the cues; one of fewer than three bytes is never found.
    pub(crate) fn new(cues: Vec<&'static str>) -> Self {
        let mut finder = Self {
            bits: Box::new([0; BIT_WORDS]),
            places: vec![0; 64 * BIT_WORDS],
            groups: vec![Vec::new()],
            cues: Vec::new(),
        };
        for (cue, text) in cues.iter().enumerate() {
            let bytes = text.as_bytes();
            let offsets = 0..(bytes.len() + 1).saturating_sub(MIN_BYTES);
            if let Some(at) = offsets.max_by_key(|at| finder.rarity_at(bytes, *at)) {
                finder.add_cue(cue, bytes, at);
            }
        }
        finder.cues = cues;
        finder
    }

    /// Returns the rarity of the three bytes at a place of a cue, less for those of other cues.
    fn rarity_at(&self, bytes: &[u8], at: usize) -> usize {
        let three = bytes.get(at..at + MIN_BYTES).unwrap_or_default();
        let rank = |byte: &u8| FREQUENT.iter().position(|known| known == byte);
        let rarity: usize = three.iter().map(|byte| rank(byte).unwrap_or(2 * FREQUENT.len())).sum();
        let shared = self.group_of(hash_three(three)).len();
        (4 * rarity).saturating_sub(8 * shared)
    }

    fn group_of(&self, hash: u16) -> &[(usize, usize)] {
        let place = self.places.get(usize::from(hash)).copied().unwrap_or_default();
        self.groups.get(usize::from(place)).map_or(&[], Vec::as_slice)
    }

    fn add_cue(&mut self, cue: usize, bytes: &[u8], at: usize) {
        let hash = hash_three(bytes.get(at..at + MIN_BYTES).unwrap_or_default());
        let place = self.places.get_mut(usize::from(hash));
        let bits = self.bits.get_mut(usize::from(hash / 64));
        let (Some(place), Some(bits)) = (place, bits) else { return };
        if *place == 0 {
            *place = u16::try_from(self.groups.len()).unwrap_or_default();
            self.groups.push(Vec::new());
        }
        *bits |= 1 << (hash % 64);
        if let Some(group) = self.groups.get_mut(usize::from(*place)) {
            group.push((cue, at));
        }
    }

    /// Calls `found` with the index and the start of every cue in the text, overlapping ones too.
    pub(crate) fn find_cues(&self, text: &str, mut found: impl FnMut(usize, usize)) {
        let bytes = text.as_bytes();
        let mut three = 0;
        for (end, byte) in bytes.iter().enumerate() {
            three = three << 8 | u32::from(*byte);
            let hash = hash_number(three);
            let bits = self.bits.get(usize::from(hash / 64)).copied().unwrap_or_default();
            if bits >> (hash % 64) & 1 == 0 {
                continue;
            }
            let Some(at) = (end + 1).checked_sub(MIN_BYTES) else { continue };
            for (cue, offset) in self.group_of(hash) {
                let Some(start) = at.checked_sub(*offset) else { continue };
                let word = self.cues.get(*cue).map_or(&[][..], |cue| cue.as_bytes());
                if bytes.get(start..).is_some_and(|rest| rest.starts_with(word)) {
                    found(*cue, start);
                }
            }
        }
    }
}

/// Returns the hash of three bytes.
fn hash_three(three: &[u8]) -> u16 {
    hash_number(three.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// Returns the hash of the three bytes at the low end of a number.
fn hash_number(three: u32) -> u16 {
    // The first byte of four is shifted out.
    let mixed = (three << 8).wrapping_mul(0x9E37_79B1);
    u16::try_from(mixed >> 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cue_is_found_wherever_it_is() {
        let finder = CueFinder::new(vec!["error", "rror:", "✗ a", "E1", "error"]);
        let find = |text: &str| {
            let mut all = Vec::new();
            finder.find_cues(text, |cue, start| all.push((cue, start)));
            all.sort_unstable();
            all
        };
        assert_eq!(find("an error: e"), [(0, 3), (1, 4), (4, 3)]);
        assert_eq!(find("error"), [(0, 0), (4, 0)]);
        assert_eq!(find("✗ a✗ a"), [(2, 0), (2, 5)]);
        assert_eq!((find("erro"), find("E1"), find("")), (vec![], vec![], vec![]));
    }
}
