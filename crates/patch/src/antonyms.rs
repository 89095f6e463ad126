//! Words that differ in a few letters and mean the opposite, so neither is a misspelling of the other.

use papayu_base::text::split_identifier;

/// A pair of prefixes that reverse the meaning of the rest of a word.
/// The empty prefix means that one of the words has none.
struct Antonym {
    one: &'static str,
    other: &'static str,
    rest: Rest,
}

/// The rest of a word after the prefix.
enum Rest {
    /// At least [`MIN_REST`] bytes, which both words share.
    Common,
    /// Nothing.
    Empty,
    /// A text that begins with this.
    Prefix(&'static str),
}

const ANTONYMS: [Antonym; 14] = [
    Antonym { one: "", other: "un", rest: Rest::Common },
    Antonym { one: "", other: "in", rest: Rest::Common },
    Antonym { one: "", other: "de", rest: Rest::Common },
    Antonym { one: "a", other: "de", rest: Rest::Common },
    Antonym { one: "at", other: "de", rest: Rest::Common },
    Antonym { one: "ap", other: "pre", rest: Rest::Common },
    Antonym { one: "en", other: "de", rest: Rest::Common },
    Antonym { one: "im", other: "ex", rest: Rest::Common },
    Antonym { one: "in", other: "de", rest: Rest::Common },
    Antonym { one: "in", other: "ex", rest: Rest::Common },
    Antonym { one: "inn", other: "out", rest: Rest::Prefix("er") },
    Antonym { one: "", other: "a", rest: Rest::Prefix("sync") },
    Antonym { one: "get", other: "set", rest: Rest::Empty },
    Antonym { one: "min", other: "max", rest: Rest::Empty },
];

/// Shorter rests are shared by chance.
const MIN_REST: usize = 3;

/// Returns `true` if two words, or the same part of both such as `lock` in `do_lock`, are antonyms.
/// A misspelled name may be corrected, but not to its opposite, which would change the meaning.
pub(super) fn are_antonyms(one: &str, two: &str) -> bool {
    // Split at underscores and changes of case, in lower case.
    let (one, two) = (split_identifier(one), split_identifier(two));
    let is_pair = |(one, two): (&String, &String)| {
        ANTONYMS.iter().any(|antonym| antonym.matches(one, two) || antonym.matches(two, one))
    };
    // Names of different lengths have no parts that correspond.
    one.len() == two.len() && one.iter().zip(&two).any(is_pair)
}

impl Antonym {
    /// Returns `true` if both words are the two prefixes before the same rest.
    fn matches(&self, one: &str, two: &str) -> bool {
        // Each prefix is taken off its own word; the rests are compared then.
        let Some(rest) = one.strip_prefix(self.one) else { return false };
        two.strip_prefix(self.other) == Some(rest)
            && match self.rest {
                Rest::Common => rest.len() >= MIN_REST,
                Rest::Empty => rest.is_empty(),
                Rest::Prefix(prefix) => rest.starts_with(prefix),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::are_antonyms;

    #[test]
    fn antonyms_are_found_in_every_part_of_a_name_and_typing_errors_are_none() {
        for (one, two, opposite) in [
            ("lock", "unlock", true),
            ("do_unlock", "do_lock", true),
            ("isValid", "isInvalid", true),
            ("encode", "decode", true),
            ("ENCODE_URI", "DECODE_URI", true),
            ("exclude", "include", true),
            ("importData", "exportData", true),
            ("increase", "decrease", true),
            ("ascending", "descending", true),
            ("attach", "detach", true),
            ("append", "prepend", true),
            ("inner", "outer", true),
            ("async", "sync", true),
            ("asynchronous", "synchronous", true),
            ("x_min", "x_max", true),
            ("get", "set", true),
            ("getter", "setter", false),
            ("min", "mix", false),
            ("include", "inclde", false),
            ("encode", "encodee", false),
            ("assert", "ssert", false),
            ("prase", "parse", false),
            ("", "", false),
        ] {
            assert_eq!(are_antonyms(one, two), opposite, "{one} {two}");
        }
    }
}
