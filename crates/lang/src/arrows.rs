//! Detects texts full of `=>`, which C, C++ and Java do not have.
//!
//! Their parsers try every meaning of each word again at every next one: minutes for some thousand bytes.

/// Most arrows that a program has in its strings and comments.
const MOST: usize = 200;

/// Returns whether a text has more arrows than a program in a language without them; `<=>` is none.
pub(super) fn are_too_many(text: &str) -> bool {
    let bytes = text.as_bytes();
    let arrows = memchr::memmem::find_iter(bytes, b"=>");
    // The byte before the arrow decides; the first byte has none.
    let own = arrows.filter(|at| at.checked_sub(1).and_then(|at| bytes.get(at)) != Some(&b'<'));
    // Counting ends as soon as the answer is known.
    own.take(MOST + 1).count() > MOST
}

#[cfg(test)]
mod tests {
    use super::are_too_many;
    use crate::{Language, parse_tree};

    #[test]
    fn only_texts_full_of_arrows_are_refused() {
        let hostile = "a=>".repeat(20_000);
        for language in [Language::C, Language::Cpp, Language::Java] {
            assert!(parse_tree(language, &hostile).is_none());
        }
        assert!(!are_too_many(&"a <=> b;\n".repeat(5_000)));
        assert!(!are_too_many(&"// a => b\n".repeat(MOST_OF_A_PROGRAM)));
    }

    const MOST_OF_A_PROGRAM: usize = 200;
}
