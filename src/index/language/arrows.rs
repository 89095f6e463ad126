//! Detects texts full of `=>`, a token that C, C++ and Java do not have. Their parsers try every
//! meaning of each word again
//! at every further arrow: minutes for some thousand bytes.

/// Arrows that a program may have in its strings and comments.
const MOST: usize = 200;

/// Returns `true` if a text has more arrows than a program in a language without them; `<=>` does
/// not count.
pub(super) fn are_too_many(text: &str) -> bool {
    let bytes = text.as_bytes();
    let arrows = memchr::memmem::find_iter(bytes, b"=>");
    let own = arrows.filter(|at| at.checked_sub(1).and_then(|at| bytes.get(at)) != Some(&b'<'));
    own.take(MOST + 1).count() > MOST
}

#[cfg(test)]
mod tests {
    use super::are_too_many;
    use crate::index::language::{Language, parse};

    #[test]
    fn only_texts_full_of_arrows_are_refused() {
        let hostile = "a=>".repeat(20_000);
        for language in [Language::C, Language::Cpp, Language::Java] {
            assert!(parse(language, &hostile).facts.parse_error);
        }
        assert!(!are_too_many(&"a <=> b;\n".repeat(5_000)));
        assert!(!are_too_many(&"// a => b\n".repeat(MOST_OF_A_PROGRAM)));
    }

    const MOST_OF_A_PROGRAM: usize = 200;
}
