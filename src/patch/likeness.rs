//! How alike two lines are, and which lines stand for code that was left out.

/// Appends a line without what models change when they quote: blanks, and the kind of quotes and dashes.
pub(super) fn fold_into(line: &str, out: &mut Vec<u8>) {
    for byte in line.bytes() {
        match byte {
            b'"' => out.push(b'\''),
            byte if byte.is_ascii_whitespace() => {}
            byte if byte.is_ascii() => out.push(byte),
            _ => return fold_any(line, out),
        }
    }
}

/// The same for a line with characters outside ASCII, from its beginning.
fn fold_any(line: &str, out: &mut Vec<u8>) {
    let kept = line.bytes().take_while(u8::is_ascii);
    let kept = kept.filter(|byte| !byte.is_ascii_whitespace()).count();
    out.truncate(out.len() - kept);
    for char in line.chars() {
        match char {
            '"' | '\u{2018}'..='\u{201f}' | '\u{2032}' | '\u{2033}' => out.push(b'\''),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push(b'-'),
            '\u{2026}' => out.extend_from_slice(b"..."),
            char if char.is_whitespace() => {}
            char => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Returns a line folded.
pub(super) fn fold(line: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    fold_into(line, &mut out);
    out
}

/// Tells whether a line is blank.
pub(super) fn is_blank(line: &str) -> bool {
    line.trim_ascii().is_empty() && line.trim().is_empty()
}

/// Returns a line's leading blanks; none of a blank line.
pub(super) fn indentation(line: &str) -> &str {
    let len =
        if is_blank(line) { 0 } else { line.len() - line.trim_start_matches([' ', '\t']).len() };
    line.get(..len).unwrap_or_default()
}

/// Tells whether a line says enough to recognise a place by: `}` or `else:` alone does not.
pub(super) fn is_telling(line: &str) -> bool {
    line.chars().filter(|char| char.is_alphanumeric()).take(TELLING).count() == TELLING
}

/// Letters and digits of a line that says enough.
const TELLING: usize = 6;

/// How alike comments are that share most of their words: a model rewords them freely.
const REWORDED: f32 = 0.8;

/// Returns how alike two lines are that differ when folded: 1 less the share of characters that
/// differ, or 0 when more than `most` do. Lines with other digits are other lines, not misquoted ones;
/// comments may be reworded.
pub(super) fn likeness(one: &str, two: &str, most: usize) -> f32 {
    let digits = |line: &'_ str| -> Vec<u8> { line.bytes().filter(u8::is_ascii_digit).collect() };
    let unedited = || unedited_share(&fold(one), &fold(two), most);
    match (comment_words(one), comment_words(two)) {
        (Some(one), Some(two)) if share_words(&one, &two) => unedited().max(REWORDED),
        _ if digits(one) != digits(two) => 0.0,
        _ => unedited(),
    }
}

fn unedited_share(one: &[u8], two: &[u8], most: usize) -> f32 {
    let prefix = one.iter().zip(two).take_while(|(one, two)| one == two).count();
    let (one, two) = (one.split_at(prefix).1, two.split_at(prefix).1);
    let suffix = one.iter().rev().zip(two.iter().rev()).take_while(|(one, two)| one == two).count();
    let longer = (prefix + one.len().max(two.len())).max(1);
    let (one, two) = (one.split_at(one.len() - suffix).0, two.split_at(two.len() - suffix).0);
    if one.len().max(two.len()) > MOST_EDITED || one.len().abs_diff(two.len()) > most {
        return 0.0;
    }
    let distance = strsim::generic_levenshtein(&Bytes(one), &Bytes(two));
    if distance > most {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a share, not a count")]
    let share = distance as f32 / longer as f32;
    1.0 - share
}

/// Longest differing middle part that is compared, in bytes: what differs more is another line.
const MOST_EDITED: usize = 120;

struct Bytes<'a>(&'a [u8]);

impl<'a> IntoIterator for &Bytes<'a> {
    type Item = u8;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, u8>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().copied()
    }
}

const COMMENT_MARKS: [&str; 8] = ["//", "#", "/*", "*", "--", "<!--", ";", "%"];

/// Returns the words of a line comment, in lower case.
fn comment_words(line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    COMMENT_MARKS.iter().any(|mark| line.starts_with(mark)).then(|| {
        let words = line.split(|char: char| !char.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    })
}

/// Tells whether most words of the shorter comment stand in the longer one, in the same order.
fn share_words(one: &[String], two: &[String]) -> bool {
    let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
    let mut ahead = long.iter();
    let shared = short.iter().filter(|word| {
        let mut rest = ahead.clone();
        let found = rest.any(|other| other == *word);
        if found {
            ahead = rest;
        }
        found
    });
    let shared = shared.count();
    shared >= 2 && shared * 4 >= short.len() * 3
}

/// Returns what a line says after an ellipsis, and whether it is a comment; `None` without one.
fn after_dots(line: &str) -> Option<(&str, bool)> {
    let mut text = line.trim();
    for mark in COMMENT_MARKS {
        text = text.strip_prefix(mark).unwrap_or(text).trim_start();
    }
    let comment = text.len() < line.trim().len();
    let text = text.trim_end_matches("*/").trim_end_matches("-->").trim_end();
    let rest = text.strip_prefix("...").or_else(|| text.strip_prefix('\u{2026}'))?;
    Some((rest.trim_end_matches(['.', '\u{2026}', ' ']), comment))
}

/// Words by which a comment says that code was left out.
const LEFT_OUT: [&str; 8] =
    ["existing", "rest", "unchanged", "remain", "omitted", "same as", "other code", "previous"];

fn says_left_out(words: &str) -> bool {
    let words = words.to_lowercase();
    LEFT_OUT.iter().any(|word| words.contains(word))
}

/// Tells whether a context line stands for lines that were left out: `...`, `// ... existing code ...`.
pub(super) fn is_gap(line: &str) -> bool {
    after_dots(line).is_some_and(|(words, comment)| {
        words.is_empty() || ((comment || words.starts_with(' ')) && says_left_out(words))
    })
}

/// Tells whether a new line only stands for code: a comment such as `# ... rest unchanged ...`.
pub(super) fn is_placeholder(line: &str) -> bool {
    after_dots(line).is_some_and(|(words, comment)| comment && says_left_out(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_quotes_and_dashes_fold_and_nothing_else_does() {
        for (one, two, same) in [
            ("a = \"b\"", "\ta='b' ", true),
            ("\u{201c}é\u{201d} \u{2013} x", "'é' - x", true),
            ("a\u{a0}b", "ab", true),
            ("", " \t", true),
            ("a`b`", "a'b'", false),
            ("a_b", "ab", false),
        ] {
            assert_eq!(fold(one) == fold(two), same, "{one:?} {two:?}");
        }
    }

    #[test]
    fn a_misspelt_line_is_like_and_one_with_other_digits_is_not() {
        assert!(likeness("return parse(value)", "return prase(value)", 2) > 0.85);
        assert!(likeness("limit = 10", "limit = 20", 9) < f32::EPSILON);
        assert!(likeness("# return the list of items", "# Return items", 0) >= REWORDED);
        assert!(likeness("fn read_all()", "fn read_any()", 2) > 0.8);
        assert!(likeness("fn read_all()", "fn write_all()", 2) < f32::EPSILON);
        assert!(likeness("x = total", "return y", 99) < 0.5);
    }

    #[test]
    fn an_ellipsis_stands_for_lines_and_other_dots_do_not() {
        for gap in
            ["...", "  …", "// ... existing code ...", "# ...", "/* ... */", "# ... rest of it"]
        {
            assert!(is_gap(gap), "{gap}");
        }
        for line in ["...args", "..", "# etc...", "a ...", "", "...rest,"] {
            assert!(!is_gap(line), "{line}");
        }
        assert!(is_placeholder("    // ... rest of the code remains the same ..."));
        assert!(!is_placeholder("    ...") && !is_placeholder("# ..."));
    }
}
