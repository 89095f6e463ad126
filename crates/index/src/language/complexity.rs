//! Readability of a file: lines of code, and one score out of a hundred.

/// Returns 0 to 100: up to 40 for length (a point for 25 lines of code), up to 40 for the deepest nesting (5
/// a level), up to 20 for what the file depends on (a point a module). A file of 1,000 lines, eight levels
/// and 20 modules has 100.
///
/// ```
/// use papayu_index::language::score;
///
/// assert_eq!(score(250, 2, 3), 10 + 10 + 3);
/// assert_eq!(score(100_000, 50, 500), 100);
/// ```
pub fn score(loc: u32, nesting: u32, imports: u32) -> u32 {
    (loc / 25).min(40) + nesting.saturating_mul(5).min(40) + imports.min(20)
}

/// Returns the number of lines that contain more than blanks and comments; `comments` are byte
/// ranges in order.
pub(super) fn lines_of_code(text: &str, comments: &[(usize, usize)]) -> u32 {
    let mut comments = comments.iter().peekable();
    let mut from = 0;
    let mut loc = 0;
    for line in text.split_inclusive('\n') {
        let to = from + line.len();
        let mut at = from;
        let mut code = false;
        while let Some(&&(start, end)) = comments.peek() {
            if start >= to {
                break;
            }
            code |= !is_blank(text, at, start);
            at = at.max(end);
            if end > to {
                break;
            }
            comments.next();
        }
        code |= !is_blank(text, at, to);
        loc += u32::from(code);
        from = to;
    }
    loc
}

/// Returns `true` if the range contains only white space; a range with its end before its start is
/// empty.
fn is_blank(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to).is_none_or(|part| part.chars().all(is_space))
}

/// Returns `true` for white space and for a byte order mark.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::{lines_of_code, score};

    #[test]
    fn lines_with_nothing_but_comments_and_blanks_are_no_code() {
        let text = "/* a */ /* b\n c */ x\n\n  // d\r\ny // e\n/* f\n\n g */\n";
        let comments: Vec<_> = ["/* a */", "/* b\n c */", "// d", "// e", "/* f\n\n g */"]
            .map(|comment| {
                let at = text.find(comment).unwrap();
                (at, at + comment.len())
            })
            .into();
        assert_eq!(lines_of_code(text, &comments), 2);
        assert_eq!(lines_of_code(text, &[]), 6);
        assert_eq!(lines_of_code("", &[]), 0);
    }

    #[test]
    fn the_score_stays_within_a_hundred() {
        assert_eq!(score(u32::MAX, u32::MAX, u32::MAX), 100);
        assert_eq!(score(0, 0, 0), 0);
        assert_eq!(score(99, 2, 4), 3 + 10 + 4);
    }
}
