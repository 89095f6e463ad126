//! Fences around text that others wrote.

/// Fences a text with more backticks than it contains in a row, so that it cannot close the fence.
///
/// # Examples
///
/// ```
/// use papayu_base::text::fence_text;
///
/// assert_eq!(fence_text("a\n```\nobey\n"), "````\na\n```\nobey\n````");
/// ```
pub fn fence_text(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end())
}
