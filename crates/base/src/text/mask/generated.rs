//! Finds bare passwords that a generator made: letters of both cases, digits and signs without order, in lines where a value can be introduced.

use std::ops::Range;

use super::chance::{is_hex, is_random};
use super::judge::is_placeholder;
use super::names::is_context_word;
use super::tokens::is_digest;
use super::value::place_of;

/// The lengths of generated passwords.
const LENGTHS: std::ops::RangeInclusive<usize> = 8..=32;

/// The signs that generators put into passwords.
const SIGNS: &[u8] = b"!#^*+=?@%$&~_-";

/// The bytes around a word that introduces secrets which are read with it.
const BEFORE: usize = 240;
const AFTER: usize = 400;

/// Returns `true` for a password that a generator made.
pub(super) fn is_generated(word: &str) -> bool {
    let bytes = word.as_bytes();
    let (mut lower, mut upper, mut digits) = (0, 0, 0);
    for byte in bytes {
        match byte {
            b'a'..=b'z' => lower += 1,
            b'A'..=b'Z' => upper += 1,
            b'0'..=b'9' => digits += 1,
            byte if SIGNS.contains(byte) => {}
            _ => return false,
        }
    }
    let plain = lower + upper + digits;
    let has_kinds = digits > 0 && lower > 0 && (upper > 0 || plain < bytes.len());
    if !LENGTHS.contains(&bytes.len()) || !has_kinds || plain < 6 || is_placeholder(word) {
        return false;
    }
    if plain == bytes.len() {
        return upper > 0 && is_random(bytes) && !is_of_words(bytes);
    }
    // A percent-encoded text.
    if word
        .split('%')
        .skip(1)
        .filter(|part| part.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2)
        .count()
        > 1
    {
        return false;
    }
    // Words with signs between them have order in each, those of a password are short.
    let letters: Vec<u8> = bytes.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    let has_sign = bytes.iter().any(|byte| b"!#^*+?@%$&~=".contains(byte));
    has_sign && upper > 0 && is_random(&letters) && !is_hex(&letters) && !is_versioned(word)
}

/// Returns `true` for words with capitals and numbers, as in `AuthWeb2App`: their parts are longer than those of a password.
fn is_of_words(word: &[u8]) -> bool {
    let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let is_start = |pair: &[u8]| match pair {
        [_, next] if next.is_ascii_uppercase() => true,
        [last, next] => next.is_ascii_lowercase() && !last.is_ascii_alphabetic(),
        _ => false,
    };
    let first = usize::from(word.first().is_some_and(u8::is_ascii_alphabetic));
    let parts = first + word.windows(2).filter(|pair| is_start(pair)).count();
    letters >= 3 * parts
}

/// Returns `true` for a name and a version or digest, as in `Pkg@1.2` and `Foo=Bar`, and for what is percent-encoded.
fn is_versioned(word: &str) -> bool {
    let pieces = word.split(|c: char| !c.is_ascii_alphanumeric()).filter(|piece| !piece.is_empty());
    let is_plain = |piece: &str| {
        piece.bytes().all(|byte| byte.is_ascii_digit())
            || piece.len() >= 4 && !is_random(piece.as_bytes()) && !has_mixed_kinds(piece)
            || piece.len() < 3 && piece.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let count = pieces.clone().count();
    pieces.filter(|piece| is_plain(piece)).count() * 2 > count
}

/// Returns `true` if digits and letters, or capitals inside, are mixed in no way in which words are written.
fn has_mixed_kinds(piece: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        _ => 2,
    };
    let changes = piece.as_bytes().windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count();
    changes * 3 > piece.len()
}

/// Adds the generated passwords of the line around a word that introduces secrets, and returns the end of what was read.
pub(super) fn find_in_line(
    text: &str,
    cue: &Range<usize>,
    places: &mut Vec<Range<usize>>,
) -> usize {
    if !is_context_word(text, cue) {
        return cue.end;
    }
    let from = text.ceil_char_boundary(cue.start.saturating_sub(BEFORE));
    let before = text.get(from..cue.start).and_then(|before| before.rfind('\n'));
    let start = before.map_or(from, |line| from + line + 1);
    let most = text.floor_char_boundary(cue.end + AFTER);
    let line = text.get(cue.end..most).and_then(|rest| rest.find('\n'));
    let end = line.map_or(most, |line| cue.end + line);
    let line = text.get(start..end).unwrap_or_default();
    for word in line.split(|c: char| c.is_ascii_whitespace() || "\"'`,;()[]{}<>|".contains(c)) {
        if let Some(value) = value_in(word) {
            let place = place_of(text, value);
            if !is_digest(text, place.start) {
                places.push(place);
            }
        }
    }
    end
}

/// Returns the generated password that is a word, or its end after a user's name or the name of a setting.
fn value_in(word: &str) -> Option<&str> {
    let word = word.trim_end_matches(['.', ':']);
    if !LENGTHS.contains(&word.len().min(*LENGTHS.end())) {
        return None;
    }
    let after_user =
        word.char_indices().filter(|(_, c)| ":%/=".contains(*c)).take(3).find_map(|(at, c)| {
            let (user, value) = (word.get(..at)?, word.get(at + c.len_utf8()..)?);
            let value = without_host(value);
            (is_user(user) && is_generated(value)).then_some(value)
        });
    after_user.or_else(|| is_generated(word).then_some(word))
}

/// Returns a value without the host after its last `@`.
fn without_host(value: &str) -> &str {
    let Some((password, host)) = value.rsplit_once('@') else { return value };
    let is_name = host.contains('.') || host.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_host =
        is_name && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:".contains(&byte));
    if is_host { password } else { value }
}

/// Returns `true` for the name of a user or a setting.
fn is_user(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./\\".contains(&byte))
        && !is_random(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::is_generated;

    #[test]
    fn generated_passwords_are_told_from_names_versions_and_paths() {
        for (word, is) in [
            ("hLjQMCe7?9D*3", true),
            ("YNx*WcJRRl5wR", true),
            ("r82qi+3cCwPa", true),
            ("wlX0*ASJ8PPV", true),
            ("Xk29fQz7Lp", true),
            ("AuthWeb2App", false),
            ("Linux64Gcc12", false),
            ("Kerberos5Realm", false),
            ("www2Data", false),
            ("LG4BM4VjzH9IhC", true),
            ("Node@18", false),
            ("UTF-8=Yes", false),
            ("MyClass#method2", false),
            ("useState1", false),
            ("Ubuntu22+LLVM14", false),
            ("e3b0c44298fc", false),
            ("Foo$Bar$1", false),
            ("%2FApp%3D1Ab", false),
        ] {
            assert_eq!(is_generated(word), is, "{word}");
        }
    }
}
