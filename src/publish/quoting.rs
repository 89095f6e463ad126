//! Text of logs, models and people within the texts of this program: as code in Markdown, without references elsewhere.

use papayu_base::text::is_invisible;

/// Longest quote of untrusted text, in characters.
const MAX_QUOTED: usize = 4_000;

/// Returns untrusted text as one line without control characters or characters that reorder or
/// hide text, cut to `limit`.
pub(super) fn clean_line(text: &str, limit: usize) -> String {
    // Invisible characters could show a reviewer other text than the bytes are.
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !is_invisible(*c))
        .collect();
    let clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if clean.chars().count() <= limit {
        return clean;
    }
    clean.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}

/// Returns untrusted text as one line for titles and commit messages, in which no code can be marked.
///
/// A forge notifies a person for `@name` there, links `#12`, `!12` and `GH-12`, and closes an issue for `ProvedFix #12`, which
/// a failure with the name `#12` would make of our title. A space after the mark keeps the words and ends that.
pub(super) fn quiet_line(text: &str, limit: usize) -> String {
    let text = clean_line(text, limit);
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        out.push(c);
        let next = rest.peek().copied().unwrap_or(' ');
        let is_mention = c == '@' && (next.is_alphanumeric() || matches!(next, '_' | '-' | '['));
        let is_number = matches!(c, '#' | '!' | '&') && next.is_ascii_digit();
        let is_old_number =
            c == '-' && next.is_ascii_digit() && out.to_ascii_lowercase().ends_with("gh-");
        // `Fixes https://…/issues/12` closes the issue as well.
        let is_address = c == ':' && next == '/';
        if is_mention || is_number || is_old_number || is_address {
            out.push(' ');
        }
    }
    out
}

/// Returns untrusted text as code within a line.
pub(super) fn inline_code(text: &str) -> String {
    let text = clean_line(text, 300);
    // A fence longer than any run of backticks in the text cannot be closed by it.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad =
        if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns untrusted text as a block of code.
pub(super) fn code_block(text: &str) -> String {
    code_block_of("text", text, MAX_QUOTED)
}

/// Returns the same with the name of a language, cut to `limit` characters.
pub(super) fn code_block_of(language: &str, text: &str, limit: usize) -> String {
    let is_shown = |c: &char| !is_invisible(*c) && (!c.is_control() || matches!(c, '\n' | '\t'));
    let text: String = text.chars().filter(is_shown).take(limit).collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

/// Wraps a line to the width of commit messages.
pub(super) fn wrap_line(text: &str, width_limit: usize) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let long = word.chars().count();
        if width > 0 && width + 1 + long > width_limit {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += long;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_neither_notifies_people_nor_closes_issues() {
        for (text, expected) in [
            ("Fix #12 crash", "Fix # 12 crash"),
            ("Fix o/r#12, !7 and &3", "Fix o/r# 12, ! 7 and & 3"),
            ("Fix GH-5 and gh-6", "Fix GH- 5 and gh- 6"),
            ("@ann @team/core @[x]", "@ ann @ team/core @ [x]"),
            ("closes https://github.com/o/r/issues/1", "closes https: //github.com/o/r/issues/1"),
            ("a@b.example", "a@ b.example"),
            ("C# 12 a::b a && b @ c", "C# 12 a::b a && b @ c"),
            ("two\nlines\u{202e}", "two lines"),
        ] {
            assert_eq!(quiet_line(text, 100), expected);
        }
    }

    #[test]
    fn code_cannot_be_closed_by_its_text() {
        assert_eq!(inline_code("a`b``c"), "```a`b``c```");
        assert_eq!(code_block("```\n@all"), "````text\n```\n@all\n````\n");
    }
}
