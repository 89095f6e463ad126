//! Separates random characters from words by how surprising each character is after the one before it.

use std::sync::LazyLock;

/// For each letter, how rare each letter is after it in words of sources and logs: a digit is the negative binary logarithm of its
/// share, from 1 to 9.
const LETTER_PAIRS: &str = include_str!("letter_pairs.txt");

/// The costs of a pair of characters in two readings: one takes each capital inside a word for a surprise, the other for the start of a
/// word, as in `getTokenForUser`.
#[derive(Clone, Copy, Default)]
struct PairCosts {
    plain: u8,
    camel: u8,
}

/// The costs of each ASCII character after each; punctuation separates and costs nothing.
static COSTS: LazyLock<Box<[PairCosts; 1 << 14]>> = LazyLock::new(|| {
    let rows: Vec<&[u8]> = LETTER_PAIRS.lines().map(str::as_bytes).collect();
    let mut costs = Box::new([PairCosts::default(); 1 << 14]);
    let pairs = (0..128_u8).flat_map(|one| (0..128_u8).map(move |two| (one, two)));
    for (costs, pair) in costs.iter_mut().zip(pairs) {
        *costs = cost_of(&rows, pair.0, pair.1);
    }
    costs
});

fn cost_of(rows: &[&[u8]], one: u8, two: u8) -> PairCosts {
    if !one.is_ascii_alphanumeric() || !two.is_ascii_alphanumeric() {
        return PairCosts::default();
    }
    if one.is_ascii_digit() && two.is_ascii_digit() {
        return PairCosts { plain: 4, camel: 4 };
    }
    let place = |byte: u8| usize::from(byte.to_ascii_lowercase().wrapping_sub(b'a'));
    let pair = rows.get(place(one)).and_then(|row| row.get(place(two)));
    match pair.map(|digit| digit.wrapping_sub(b'0')) {
        None => PairCosts { plain: 8, camel: 7 },
        Some(_) if one.is_ascii_lowercase() && two.is_ascii_uppercase() => {
            PairCosts { plain: 7, camel: 3 }
        }
        Some(cost) => {
            let cost = cost + u8::from(one.is_ascii_uppercase() && two.is_ascii_lowercase());
            PairCosts { plain: cost, camel: cost }
        }
    }
}

/// The sums of the costs of a text.
#[derive(Default)]
struct Sums {
    pairs: u32,
    plain: u32,
    camel: u32,
}

fn sums_of(text: &[u8]) -> Sums {
    let costs: &[PairCosts; 1 << 14] = &COSTS;
    let mut sums = Sums::default();
    let mut before = None;
    for byte in text {
        // A byte of another script separates words, as punctuation does.
        let byte = usize::from(if byte.is_ascii() { *byte } else { b' ' });
        if let Some(costs) = before.and_then(|before: usize| costs.get(before << 7 | byte)) {
            sums.pairs += u32::from(costs.plain > 0);
            sums.plain += u32::from(costs.plain);
            sums.camel += u32::from(costs.camel);
        }
        before = Some(byte);
    }
    sums
}

/// Returns the mean surprise of the letters and digits in bits: about 3.5 for words and identifiers, 7 for random ones.
pub(super) fn surprise(text: &[u8]) -> f64 {
    let sums = sums_of(text);
    f64::from(sums.plain) / f64::from(sums.pairs.max(1))
}

/// Returns `true` for characters without the order of words, so that they must have been made by a generator.
pub(super) fn is_random(text: &[u8]) -> bool {
    if text.len() < 8 {
        return false;
    }
    let sums = sums_of(text);
    // Words end here.
    if sums.plain < sums.pairs * 4 {
        return false;
    }
    let is_mixed =
        text.iter().any(u8::is_ascii_lowercase) && text.iter().any(u8::is_ascii_uppercase);
    let has_digit = text.iter().any(u8::is_ascii_digit);
    // The means of random texts of these characters.
    let means = match (has_digit, is_mixed) {
        (true, true) => (7.0, 6.0),
        (true, false) => (6.8, 6.4),
        (false, true) => (6.7, 5.7),
        (false, false) => (6.3, 6.3),
    };
    // The most distance of the mean below it, in units of the deviation for one pair. Of random texts one in 200 is more than 5.5 below; short
    // words and letters alone have to be nearer, since words with rare pairs are many.
    let distances = match (has_digit, text.len()) {
        (true, 12..) => (6.6, 6.3),
        (true, _) => (4.5, 4.2),
        (false, 14..) => (6.0, 5.8),
        (false, _) => (3.5, 3.0),
    };
    let pairs = f64::from(sums.pairs);
    let below = (means.0 * pairs - f64::from(sums.plain), means.1 * pairs - f64::from(sums.camel));
    // Times and version numbers are digits.
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let is_enough = letters * 3 >= text.len()
        && sums.pairs >= 7
        && usize::try_from(sums.pairs).is_ok_and(|pairs| pairs * 2 >= text.len());
    is_enough
        && below.0 <= distances.0 * pairs.sqrt()
        && below.1 <= distances.1 * pairs.sqrt()
        && is_varied(text)
}

/// Returns `true` unless few characters come again and again, as in `xxxxxxxx` and `abababab`.
fn is_varied(text: &[u8]) -> bool {
    let head = text.get(..40).unwrap_or(text);
    let mut seen = [false; 256];
    let mut different = 0;
    for byte in head {
        if let Some(is_seen) = seen.get_mut(usize::from(*byte))
            && !*is_seen
        {
            *is_seen = true;
            different += 1;
        }
    }
    different * 5 >= head.len() * 2
}

/// Returns `true` for hexadecimal digits of one case, as digests are written, with or without dashes.
pub(super) fn is_hex(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"0x").unwrap_or(text);
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
    let is_upper = text.iter().find(is_letter).is_some_and(u8::is_ascii_uppercase);
    let letters = if is_upper { b'A'..=b'F' } else { b'a'..=b'f' };
    text.iter().all(|byte| byte.is_ascii_digit() || letters.contains(byte) || *byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_characters_are_told_from_words_and_identifiers() {
        for (text, random) in [
            ("kq3Zp0Xw9Lr2", true),
            ("zqkfhwbxjvtnrw", true),
            ("JHGFqwpoXZ81", true),
            ("getTokenForUser2", false),
            ("TokenStreamBuilder", false),
            ("correcthorsebattery", false),
            ("node_modules_cache_key", false),
            ("xxxxxxxxxxxxxxxx", false),
            ("DTLSv10NotEnabledRC4Test", false),
            ("HttpURLConWithProxy", false),
            ("short1X", false),
        ] {
            assert_eq!(is_random(text.as_bytes()), random, "{text} {}", surprise(text.as_bytes()));
        }
    }

    #[test]
    fn the_table_has_a_row_and_a_column_for_each_letter() {
        assert!(
            LETTER_PAIRS.lines().all(|row| row.len() == 26) && LETTER_PAIRS.lines().count() == 26
        );
    }
}
