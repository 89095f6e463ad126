//! Compares names letter by letter: whether one is a misspelling of another, and which known name is the nearest.

use std::collections::BTreeSet;

use super::split_identifier;

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

/// Longest name, in bytes, that is compared for similarity.
const MAX_COMPARED: usize = 120;

/// Minimum Jaro-Winkler similarity of a proposed name.
const MIN_LIKENESS: f64 = 0.75;

/// Returns how many letters differ, two that changed places counted as one; `None` where the two
/// are no two spellings of one name: another number, another first letter of a word (`get`, `set`), or
/// too much of it.
///
/// ```
/// use papayu_base::text::spelling::count_letters;
///
/// assert_eq!(count_letters("slugfiy", "slugify"), Some(1));
/// assert_eq!(count_letters("get_user", "set_user"), None);
/// ```
pub fn count_letters(wrong: &str, right: &str) -> Option<usize> {
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

/// Returns `true` if two names are equal or differ by one letter, two that changed places counted as one.
pub fn is_one_letter_off(one: &str, other: &str) -> bool {
    strsim::osa_distance(one, other) <= 1
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
pub fn is_clear<'n>(wrong: &str, right: &str, known: impl Iterator<Item = &'n str>) -> bool {
    let Some(letters) = count_letters(wrong, right) else { return false };
    let changes = strsim::levenshtein(wrong, right);
    let mut others = known.filter(|name| {
        *name != wrong && *name != right && strsim::levenshtein(wrong, name) >= changes
    });
    !others.any(|name| count_letters(wrong, name).is_some_and(|other| other <= letters))
}

/// Returns the one known name that differs by a single letter, or by nothing but its case, and no other like it.
pub fn find_only<'n>(wrong: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    match find_similar(wrong, 1, known).as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// Returns the known names that differ in at most `within` letters, in order, each once. A short name has none.
pub fn find_similar<'n>(
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

/// Returns the nearest of `known`, unless nothing is near. A dotted name's last part is compared
/// too, so that `model` leads to `llm.model`.
pub fn find_nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the letters may differ; more is no typing mistake.
    find_nearest_within(name, known, name.chars().count() / 3 + 1)
}

/// Returns the nearest of `known` that differs in at most `limit` letters; `None` if there is none. The last
/// part of a dotted name counts too, for one letter more.
///
/// ```
/// use papayu_base::text::spelling::find_nearest_within;
///
/// assert_eq!(find_nearest_within("runn", ["run", "log"], 1), Some("run"));
/// assert_eq!(find_nearest_within("timeout", ["verify.timeout", "log"], 1), Some("verify.timeout"));
/// assert_eq!(find_nearest_within("model", ["run", "log"], 1), None);
/// ```
pub fn find_nearest_within<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Option<&'a str> {
    let distance = |candidate: &str| {
        let last = candidate.rsplit('.').next().unwrap_or(candidate);
        let full = strsim::damerau_levenshtein(name, candidate);
        full.min(strsim::damerau_levenshtein(name, last).saturating_add(1))
    };
    known
        .into_iter()
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the known name most similar to `name`, if one is similar enough. Ties go to the first in
/// alphabetical order.
pub fn find_most_similar<'n>(known: impl Iterator<Item = &'n str>, name: &str) -> Option<&'n str> {
    let wanted = name.to_lowercase();
    let like = |known: &'n str| {
        if known.len() > MAX_COMPARED || wanted.len() > MAX_COMPARED {
            return None;
        }
        let likeness = strsim::jaro_winkler(&known.to_lowercase(), &wanted);
        (likeness >= MIN_LIKENESS).then_some((likeness, known))
    };
    let best = known
        .filter_map(like)
        .max_by(|one, other| one.0.total_cmp(&other.0).then_with(|| other.1.cmp(one.1)));
    best.map(|(_, name)| name)
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

    #[test]
    fn a_slip_finds_its_key_and_nonsense_finds_none() {
        let known = ["llm.model", "llm.api_url", "run.max_attempts", "PAPAYU_LLM_MODEL"];
        for (name, expected) in [
            ("llm.modle", Some("llm.model")),
            ("model", Some("llm.model")),
            ("max_atempts", Some("run.max_attempts")),
            ("PAPAYU_LLM_MODLE", Some("PAPAYU_LLM_MODEL")),
            ("llm", None),
            ("completely_different", None),
            ("", None),
        ] {
            assert_eq!(find_nearest(name, known), expected, "{name}");
        }
    }

    #[test]
    fn the_nearest_name_is_like_the_one_written_or_there_is_none() {
        let known = ["cartTotal", "Cart", "cardTotal"];
        assert_eq!(find_most_similar(known.into_iter(), "cartTotl"), Some("cartTotal"));
        assert_eq!(find_most_similar(known.into_iter(), "zzz"), None);
        assert_eq!(find_most_similar(known.into_iter(), &"c".repeat(10_000)), None);
    }
}
