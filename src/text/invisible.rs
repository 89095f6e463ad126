//! Characters that a reader does not see and that can hide or reorder others.

/// Returns `true` for soft hyphens, zero-width characters, direction marks, variation selectors and tag characters.
///
/// Tools skip most of them, so they can split a word that a check looks for, or hide text from a reviewer.
///
/// # Examples
///
/// ```
/// use papayu_batch::text::is_invisible;
///
/// let visible: String = "sk\u{200b}ip".chars().filter(|c| !is_invisible(*c)).collect();
/// assert_eq!(visible, "skip");
/// ```
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}')
}
