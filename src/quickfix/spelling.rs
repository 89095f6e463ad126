//! Decides whether one name is a misspelling of another, and of no third one.

use std::collections::BTreeSet;

use crate::text::split_identifier;

/// Letters that a misspelling changes at the most; more could be another word.
const MAX_LETTERS: usize = 2;

/// Shorter names differ by one letter from too many others.
const MIN_LENGTH: usize = 3;

/// The same where no tool proposes the other name, and the name is not that of a type.
const MIN_GUESSED: usize = 4;

/// Names and words shorter than this change by one letter at the most.
const SHORT: usize = 6;

/// Longer ones are no names that somebody typed.
const MAX_LENGTH: usize = 100;

/// Returns how many letters differ, two that changed places counted as one; `None` where the two
/// are no two spellings of one name: another number, another first letter of a word (`get`, `set`), or
/// too much of it.
pub(super) fn count_letters(wrong: &str, right: &str) -> Option<usize> {
    let length = wrong.chars().count();
    if wrong == right || length > MAX_LENGTH || right.chars().count() > MAX_LENGTH {
        return None;
    }
    if wrong.eq_ignore_ascii_case(right) || without_lines(wrong) == without_lines(right) {
        return Some(0);
    }
    // A larger difference in length is never a misspelling; skipping the distance saves time.
    if wrong.len().abs_diff(right.len()) > MAX_LETTERS * char::MAX.len_utf8() {
        return None;
    }
    let letters = strsim::osa_distance(wrong, right);
    let fits = length >= MIN_LENGTH && letters <= max_letters(wrong) && words_fit(wrong, right);
    (fits && digits(wrong) == digits(right) && initials(wrong) == initials(right))
        .then_some(letters)
}

/// Returns how many letters a misspelling of a word may change.
fn max_letters(word: &str) -> usize {
    if word.chars().count() < SHORT { 1 } else { MAX_LETTERS }
}

/// Returns whether each word of a name may be a misspelling of the other's: `turn_off` and `turn_on` differ by
/// no more letters than a long name may, and by a whole word.
fn words_fit(wrong: &str, right: &str) -> bool {
    let (wrong, right) = (split_identifier(wrong), split_identifier(right));
    let fit = |(one, two): (&String, &String)| strsim::osa_distance(one, two) <= max_letters(one);
    wrong.len() != right.len() || wrong.iter().zip(&right).all(fit)
}

/// Returns whether `right`, which a tool proposes, is the only known name that can be meant.
///
/// Tools propose the nearest of the names that are possible at a place, so a name with fewer insertions,
/// deletions and replacements than `right` is not possible there.
pub(super) fn is_clear<'n>(wrong: &str, right: &str, known: impl Iterator<Item = &'n str>) -> bool {
    let Some(letters) = count_letters(wrong, right) else { return false };
    let changes = strsim::levenshtein(wrong, right);
    let mut others = known.filter(|name| {
        *name != wrong && *name != right && strsim::levenshtein(wrong, name) >= changes
    });
    !others.any(|name| count_letters(wrong, name).is_some_and(|other| other <= letters))
}

/// Returns the one known name that differs by a single letter, or by nothing but its case, and no other like it.
pub(super) fn find_only<'n>(wrong: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    match find_similar(wrong, 1, known).as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// Returns the known names that differ by so many letters at the most, in order, each once.
pub(super) fn find_similar<'n>(
    wrong: &str,
    within: usize,
    known: impl Iterator<Item = &'n str>,
) -> Vec<&'n str> {
    let least = if wrong.starts_with(char::is_uppercase) { MIN_LENGTH } else { MIN_GUESSED };
    if wrong.chars().count() < least {
        return Vec::new();
    }
    let near =
        known.filter(|name| count_letters(wrong, name).is_some_and(|letters| letters <= within));
    near.collect::<BTreeSet<&str>>().into_iter().collect()
}

/// Returns a name in lower case without `_`, the form in which `user_name` and `userName` are
/// equal.
fn without_lines(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// Returns the digits of a name: `total1` is no misspelling of `total2`.
fn digits(name: &str) -> String {
    name.chars().filter(char::is_ascii_digit).collect()
}

/// Returns the first letter of each word of a name, in small letters; a letter lost or doubled there
/// would be another word.
fn initials(name: &str) -> String {
    split_identifier(name)
        .iter()
        .filter_map(|word| word.chars().next())
        .filter(|c| c.is_alphabetic())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelling_is_told_from_another_name() {
        for (wrong, right, expected) in [
            ("total1", "total2", None),
            ("getTotal", "setTotal", None),
            ("get_total", "set_total", None),
            ("min", "max", None),
            ("turn_off", "turn_on", None),
            ("get_min", "get_max", None),
            ("rowMin", "rowMax", None),
            ("push_item", "pull_item", None),
            ("total_prise", "total_price", Some(1)),
            ("parse_recieved", "parse_received", Some(1)),
            ("push", "pull", None),
            ("item", "itme2", None),
            ("a", "b", None),
            ("oen", "one", Some(1)),
            ("io", "oi", None),
            ("rows", "cows", None),
            ("same", "same", None),
            ("heigth", "height", Some(1)),
            ("totl", "total", Some(1)),
            ("totla", "total", Some(1)),
            ("reciept_totl", "receipt_total", Some(2)),
            ("usrename", "username", Some(1)),
            ("userName", "username", Some(0)),
            ("user_name", "userName", Some(0)),
            ("", "", None),
        ] {
            assert_eq!(count_letters(wrong, right), expected, "{wrong} {right}");
        }
    }

    #[test]
    fn a_rival_as_near_makes_it_unclear() {
        let known = ["items", "item", "prices"];
        assert!(!is_clear("itms", "items", ["itmes", "items"].into_iter()));
        assert!(is_clear("prics", "prices", known.into_iter()));
        // The compiler would have proposed `price`, if it were possible.
        assert!(is_clear("pricse", "prices", ["price", "prices"].into_iter()));
        assert_eq!(find_only("Itm", ["Item"].into_iter()), Some("Item"));
        assert_eq!(find_only("prics", known.into_iter()), Some("prices"));
        assert_eq!(find_only("iteem", ["item", "items", "itemm"].into_iter()), None);
        assert_eq!(find_only("itm", ["item"].into_iter()), None);
        assert_eq!(find_only("reciept_totl", ["receipt_total"].into_iter()), None);
    }
}
