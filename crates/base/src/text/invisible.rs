//! Characters that a reader does not see and that can hide or reorder others.

/// Returns `true` for soft hyphens, zero-width characters, direction marks, variation selectors and tag characters.
///
/// Tools skip most of them, so they can split a word that a check looks for, or hide text from a reviewer.
///
/// # Examples
///
/// ```
/// use papayu_base::text::is_invisible;
///
/// let visible: String = "sk\u{200b}ip".chars().filter(|c| !is_invisible(*c)).collect();
/// assert_eq!(visible, "skip");
/// ```
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{3164}' | '\u{feff}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns the text with every control character and every invisible one, which could reorder or hide what a reader sees, as its number.
/// Line feeds and tabs stay, and what joins and colors emoji; a carriage return before a line feed is dropped.
///
/// # Examples
///
/// ```
/// use papayu_base::text::show_hidden;
///
/// assert_eq!(show_hidden("a\u{202e}b\r\n\u{1b}[8mc"), "a\\u{202e}b\n\\u{1b}[8mc");
/// ```
pub fn show_hidden(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => shown.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            c if c.is_control() || is_invisible(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}
