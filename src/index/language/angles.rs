//! Detects texts whose angle brackets nest deeper than in any real program. Each bracket may open
//! type arguments or be a
//! comparison, and the parser keeps all readings: gigabytes for some ten thousand bytes.

/// Brackets open at once; types nest ten deep at the most.
const MAX_OPEN: usize = 400;

/// Returns `true` if more brackets after a name are open at once than in any real program.
pub(super) fn are_too_deep(text: &str) -> bool {
    let mut open = 0_usize;
    let mut last = 0;
    let after = text.bytes().skip(1).chain([0]);
    for (byte, next) in text.bytes().zip(after) {
        let is_shift = matches!(next, b'<' | b'=');
        match byte {
            b'<' if !is_shift && (last == b'_' || last.is_ascii_alphanumeric()) => open += 1,
            b'>' => open = open.saturating_sub(1),
            b';' | b'{' | b'}' => open = 0,
            _ => {}
        }
        if open > MAX_OPEN {
            return true;
        }
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
