//! Detects texts with angle brackets that nest deeper than in any program.
//!
//! Each may belong to a type or be a comparison, and the parser keeps both readings of all of them:
//! gigabytes for some ten thousand bytes.

/// Most brackets that are open at once; types of programs nest ten deep.
const MAX_OPEN: usize = 400;

/// Returns whether more brackets that follow a name are open at once than in a program.
pub(super) fn are_too_deep(text: &str) -> bool {
    // Each byte is seen with its neighbours; a zero ends the text.
    let mut open = 0_usize;
    let mut last = 0;
    let after = text.bytes().skip(1).chain([0]);
    for (byte, next) in text.bytes().zip(after) {
        // `<<` and `<=` are operators.
        let is_shift = matches!(next, b'<' | b'=');
        match byte {
            b'<' if !is_shift && (last == b'_' || last.is_ascii_alphanumeric()) => open += 1,
            b'>' => open = open.saturating_sub(1),
            // A statement ends every type in it.
            b';' | b'{' | b'}' => open = 0,
            _ => {}
        }
        if open > MAX_OPEN {
            return true;
        }
        // Blanks between a name and its bracket do not matter.
        if !byte.is_ascii_whitespace() {
            last = byte;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::are_too_deep;

    #[test]
    fn only_brackets_that_stay_open_count() {
        for deep in ["a<", "A<B<", "a <\n"] {
            assert!(are_too_deep(&deep.repeat(500)), "{deep}");
        }
        for flat in ["Map<K, V> m;", "if (a < b) {}", "x = 1 << 2, ", "a<b>(c), ", "<<", "a < b; "]
        {
            assert!(!are_too_deep(&flat.repeat(5_000)), "{flat}");
        }
    }
}
