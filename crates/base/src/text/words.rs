//! Words and the parts of identifiers.

/// Returns `true` if a text has this word with no letter, digit or underscore next to it.
///
/// # Examples
///
/// ```
/// use papayu_base::text::has_word;
///
/// assert!(has_word("let total = 1;", "total"));
/// assert!(!has_word("let subtotal_1 = 1;", "total"));
/// ```
pub fn has_word(text: &str, word: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), word).any(|at| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_word_char) && !after.is_some_and(is_word_char)
    })
}

/// Returns `true` for letters and digits of any script, and for `_`.
pub fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Splits an identifier at `_` and before capital letters, and returns its parts in lower case.
///
/// # Examples
///
/// ```
/// use papayu_base::text::split_identifier;
///
/// assert_eq!(split_identifier("_readHTTP_body"), ["read", "http", "body"]);
/// ```
pub fn split_identifier(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut before = '_';
    for c in name.chars() {
        // Capitals in a row are one part: an acronym.
        if c != '_' && (before == '_' || (c.is_uppercase() && !before.is_uppercase())) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| c != '_') {
            part.extend(c.to_lowercase());
        }
        before = c;
    }
    parts
}
