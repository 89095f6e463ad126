//! Words a letter or two apart that mean the opposite of each other: none is the other misspelt.

/// How two words of opposite sense differ, and how both go on; empty is any three letters or more.
const OPPOSITES: [(&str, &str, &str); 14] = [
    ("", "un", ""),
    ("", "in", ""),
    ("", "de", ""),
    ("a", "de", ""),
    ("at", "de", ""),
    ("ap", "pre", ""),
    ("en", "de", ""),
    ("im", "ex", ""),
    ("in", "de", ""),
    ("in", "ex", ""),
    ("inn", "out", "er"),
    ("", "a", "sync"),
    ("get", "set", "\0"),
    ("min", "max", "\0"),
];

/// Letters that a common ending needs.
const ENDING: usize = 3;

/// Tells whether two words, or one part of them such as `lock` in `do_lock`, are opposites.
pub(super) fn are_opposite(one: &str, two: &str) -> bool {
    let (one, two) = (split_identifier(one), split_identifier(two));
    one.len() == two.len() && one.iter().zip(&two).any(|(one, two)| is_opposite(one, two))
}

fn is_opposite(one: &str, two: &str) -> bool {
    OPPOSITES.iter().any(|(head, other, ending)| {
        let is = |one: &str, two: &str| {
            let rest = one.strip_prefix(head).filter(|rest| two.strip_prefix(other) == Some(rest));
            rest.is_some_and(|rest| match *ending {
                "" => rest.len() >= ENDING,
                "\0" => rest.is_empty(),
                ending => rest.starts_with(ending),
            })
        };
        is(one, two) || is(two, one)
    })
}

/// Splits a name at `_` and where a capital follows a small letter, in small letters.
fn split_identifier(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut small = false;
    for char in word.chars() {
        if char == '_' || (small && char.is_uppercase()) {
            parts.push(String::new());
        }
        small = char.is_lowercase();
        if let Some(part) = parts.last_mut().filter(|_| char != '_') {
            part.extend(char.to_lowercase());
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::are_opposite;

    #[test]
    fn opposites_are_told_in_every_part_of_a_name_and_typing_errors_are_not_opposites() {
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
            assert_eq!(are_opposite(one, two), opposite, "{one} {two}");
        }
    }
}
