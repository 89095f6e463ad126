//! Comparison of lines: folding, misspelt words, reworded comments, and ellipses for omitted code.

use super::antonyms::are_antonyms;
use papayu_base::text::is_word_char;

/// Appends a line to `out` in folded form: without blanks, and with one kind of quotes and dashes.
///
/// Models change these characters when they quote code.
pub(super) fn fold_into(line: &str, out: &mut Vec<u8>) {
    if !line.is_ascii() {
        return fold_unicode_into(line, out);
    }
    let start = out.len();
    out.resize(start + line.len(), 0);
    let mut end = start;
    // Every byte is written, and a blank is overwritten by the next byte: a loop without branches.
    for byte in line.bytes() {
        if let Some(place) = out.get_mut(end) {
            *place = if byte == b'"' { b'\'' } else { byte };
        }
        end += usize::from(!byte.is_ascii_whitespace());
    }
    out.truncate(end);
}

/// The same for text that is not ASCII: typographic quotes, dashes and the ellipsis become their
/// ASCII forms, and blanks of any kind are removed.
fn fold_unicode_into(line: &str, out: &mut Vec<u8>) {
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

/// Returns the folded form of a line; see [`fold_into`].
pub(super) fn fold_line(line: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    fold_into(line, &mut out);
    out
}

/// Returns `true` if a line is empty or only white space.
pub(super) fn is_blank(line: &str) -> bool {
    line.trim_ascii().is_empty() && line.trim().is_empty()
}

/// Returns the leading blanks of a line, and an empty string for a blank line.
pub(super) fn indentation(line: &str) -> &str {
    let len = if is_blank(line) {
        0
    } else {
        line.len() - line.trim_start_matches([' ', '\t', '\u{a0}']).len()
    };
    line.get(..len).unwrap_or_default()
}

/// Returns `true` if a line has enough letters and digits to identify a place; `}` or `else:` has not.
pub(super) fn is_distinctive(line: &str) -> bool {
    let signs = line.chars().filter(|char| char.is_alphanumeric());
    signs.take(DISTINCTIVE_CHARS).count() == DISTINCTIVE_CHARS
}

/// Letters and digits of a distinctive line.
const DISTINCTIVE_CHARS: usize = 6;

/// The most misspelt words in a line.
const MAX_MISSPELT_WORDS: usize = 2;
/// The largest difference in bytes between a word and its misspelling.
const MAX_WORD_DIFFERENCE: usize = 4;

/// Returns `true` if `own` is `line` with one or two misspelt words.
///
/// Both lines must have the same number of words and the same signs between them. A misspelt word
/// differs in a letter or two, and the file does not have it (`has_word`). Different digits, added words and
/// replaced words make a different line.
pub(super) fn is_misspelt(own: &str, line: &str, has_word: impl Fn(&str) -> bool) -> bool {
    // A cheap check before the lines are split into words.
    let ascii = own.is_ascii() && line.is_ascii();
    let difference = count_visible_bytes(own).abs_diff(count_visible_bytes(line));
    if ascii && difference > MAX_MISSPELT_WORDS * MAX_WORD_DIFFERENCE {
        return false;
    }
    let (own, line) = (split_words(own), split_words(line));
    if own.len() != line.len() {
        return false;
    }
    let pairs = own.iter().zip(&line).filter(|(own, line)| own != line);
    let mut misspelt = 0;
    for (own, line) in pairs {
        misspelt += 1;
        if misspelt > MAX_MISSPELT_WORDS || !is_misspelt_word(own, line) || has_word(own) {
            return false;
        }
    }
    true
}

/// Returns the length without blanks.
fn count_visible_bytes(line: &str) -> usize {
    line.bytes().filter(|byte| !byte.is_ascii_whitespace()).count()
}

/// Returns `true` if `own` can be a misspelling of `word`.
fn is_misspelt_word(own: &str, word: &str) -> bool {
    // The cheap checks first: most pairs of words fail them.
    starts_identifier(own)
        && starts_identifier(word)
        && is_near_word(own, word)
        && !are_antonyms(own, word)
}

/// Returns `true` for a word that is not a number or a sign.
fn starts_identifier(word: &str) -> bool {
    word.starts_with(|char: char| char.is_alphabetic() || char == '_')
}

/// Returns `true` if two lines differ in at most two letters.
pub(super) fn is_typo(own: &str, line: &str) -> bool {
    let (folded_own, folded_line) = (fold_line(own), fold_line(line));
    folded_own.len().abs_diff(folded_line.len()) <= 2
        && folded_own.len() <= MAX_LINE_BYTES
        && signs_of(&folded_own).eq(signs_of(&folded_line))
        && strsim::generic_levenshtein(&Bytes(&folded_own), &Bytes(&folded_line)) <= 2
        && !split_words(own)
            .iter()
            .zip(split_words(line))
            .any(|(own, line)| are_antonyms(own, line))
}

/// Returns the ASCII bytes that are not letters.
fn signs_of(line: &[u8]) -> impl Iterator<Item = u8> {
    line.iter().copied().filter(|byte| !byte.is_ascii_alphabetic() && byte.is_ascii())
}

/// The longest line compared letter by letter, in bytes.
const MAX_LINE_BYTES: usize = 400;

struct Bytes<'a>(&'a [u8]);

impl<'a> IntoIterator for &Bytes<'a> {
    type Item = u8;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, u8>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().copied()
    }
}

/// Splits a line into words and single signs, without blanks and with one kind of quotes.
fn split_words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while let Some(first) = rest.chars().next() {
        let end = if is_word_char(first) {
            rest.find(|char| !is_word_char(char)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        words.push(if matches!(first, '"' | '\u{2018}'..='\u{201f}') { "'" } else { word });
        rest = after.trim_start();
    }
    words
}

/// Returns `true` if two words have equal digits and differ in at most two letters, or in one letter
/// for a short word.
fn is_near_word(own: &str, word: &str) -> bool {
    let max = if word.len() > SHORT_WORD { 2 } else { 1 };
    own.len().abs_diff(word.len()) <= MAX_WORD_DIFFERENCE.min(2 * max)
        && own.len() <= MAX_WORD_BYTES
        && digits_of(own) == digits_of(word)
        && strsim::levenshtein(own, word) <= max
}

/// Returns the digits of a text in order: `v1.20` and `v12.0` have the same ones, `v1` and `v2`
/// have not.
fn digits_of(text: &str) -> Vec<u8> {
    text.bytes().filter(u8::is_ascii_digit).collect()
}

/// Length of a short word.
const SHORT_WORD: usize = 4;
/// The longest word compared letter by letter, in bytes.
const MAX_WORD_BYTES: usize = 200;

/// Returns `true` if two lines are comments that share most of their words.
///
/// Models reword comments freely. Numbers must agree, except that one comment may have fewer digits.
pub(super) fn is_reworded(one: &str, two: &str) -> bool {
    let (mut few, mut many) = (digits_of(one), digits_of(two));
    if few.len() > many.len() {
        std::mem::swap(&mut few, &mut many);
    }
    let mut ahead = many.iter();
    if !few.iter().all(|digit| ahead.any(|other| other == digit)) {
        return false;
    }
    match (comment_words(one), comment_words(two)) {
        (Some(one), Some(two)) => share_words(&one, &two),
        _ => false,
    }
}

const COMMENT_MARKS: [&str; 8] = ["//", "#", "/*", "*", "--", "<!--", ";", "%"];

/// Returns the words of a line comment in lower case; a blank must follow the comment mark.
fn comment_words(line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    let rest = COMMENT_MARKS.iter().find_map(|mark| line.strip_prefix(mark))?;
    let rest = rest.trim_start_matches(['/', '!', '*', '#']);
    // `#define` and `*pointer` are code.
    if !rest.starts_with([' ', '\t']) {
        return None;
    }
    let words = rest.split(|char: char| !char.is_alphanumeric());
    Some(words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect())
}

/// Returns `true` if three quarters of the shorter comment's words are in the longer one in the same
/// order, among them two long enough not to be mere particles.
fn share_words(one: &[String], two: &[String]) -> bool {
    let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
    let mut rest = long;
    let (mut shared, mut significant) = (0, 0);
    for word in short {
        if let Some(at) = rest.iter().position(|other| other == word) {
            rest = rest.get(at + 1..).unwrap_or_default();
            shared += 1;
            significant += usize::from(word.chars().count() >= SHORT_WORD);
        }
    }
    // If words are only omitted, one significant word is enough; replaced words need two.
    let least = if shared == short.len() { 1 } else { 2 };
    significant >= least && shared >= 2 && shared * 4 >= short.len() * 3
}

/// An ellipsis at the start of a line or of a comment.
struct Ellipsis<'a> {
    /// The text after it.
    words: &'a str,
    in_comment: bool,
}

/// Returns the ellipsis of a line. `...args` of a call is none: its rest does not mention omitted
/// code.
fn find_ellipsis(line: &str) -> Option<Ellipsis<'_>> {
    let mut text = line.trim();
    // A shortcut: no comment mark begins with a letter or digit, and most lines of code do.
    if text.starts_with(|char: char| char.is_ascii_alphanumeric()) {
        return None;
    }
    for mark in COMMENT_MARKS {
        text = text.strip_prefix(mark).unwrap_or(text).trim_start();
    }
    let in_comment = text.len() < line.trim().len();
    let text = text.trim_end_matches("*/").trim_end_matches("-->").trim_end();
    let rest = text.strip_prefix("...").or_else(|| text.strip_prefix('\u{2026}'))?;
    Some(Ellipsis { words: rest.trim_end_matches(['.', '\u{2026}', ' ']), in_comment })
}

/// Words in comments that replace omitted code.
const OMISSION_WORDS: [&str; 8] =
    ["existing", "rest", "unchanged", "remain", "omitted", "same as", "other code", "previous"];

/// Returns `true` if a text mentions code that was left out.
fn mentions_omission(words: &str) -> bool {
    let words = words.to_lowercase();
    OMISSION_WORDS.iter().any(|word| words.contains(word))
}

/// Returns `true` if a context line replaces omitted lines: `...`, `// ... existing code ...`.
pub(super) fn is_gap(line: &str) -> bool {
    find_ellipsis(line).is_some_and(|Ellipsis { words, in_comment }| {
        words.is_empty() || ((in_comment || words.starts_with(' ')) && mentions_omission(words))
    })
}

/// Returns `true` if a new line is only a comment in place of code: `# ... rest unchanged ...`.
pub(super) fn is_placeholder(line: &str) -> bool {
    find_ellipsis(line)
        .is_some_and(|ellipsis| ellipsis.in_comment && mentions_omission(ellipsis.words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::text::has_word;

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
            assert_eq!(fold_line(one) == fold_line(two), same, "{one:?} {two:?}");
        }
    }

    #[test]
    fn a_misspelt_word_is_no_word_of_the_file_and_another_word_is_no_misspelt_one() {
        let text = "fn read_all() {}\nif x is y\n";
        for (own, line, misspelt) in [
            ("return prase(value)", "return parse(value)", true),
            ("fn raed_all() {}", "fn read_all() {}", true),
            ("say('x', nam)", "say(\"x\",  name)", true),
            ("limit = 10", "limit = 20", false),
            ("limit1 = x", "limit2 = x", false),
            ("a + b + c", "a - b + c", false),
            ("if expired {", "if not expired {", false),
            ("return Ok(false);", "return Ok(true);", false),
            ("if x is y", "if x in y", false),
            ("fn read_all()", "fn read_ally()", false),
            ("#include <sys/types.h>", "#include <sys/time.h>", false),
            ("def test_right():", "def test_left():", false),
        ] {
            let known = |word: &str| has_word(text, word);
            assert_eq!(is_misspelt(own, line, known), misspelt, "{own} / {line}");
        }
    }

    #[test]
    fn a_comment_may_be_reworded_and_code_or_a_number_may_not() {
        for (one, two, reworded) in [
            ("# return the list of items", "# Return list of items", true),
            ("// Keep only valid names here", "// keep only the valid names", true),
            ("# Configuration of the tool", "# Usage of the tool", false),
            ("# case 7: empty list is fine", "# case 2: empty list is fine", false),
            ("#define BUFFER_SIZE SMALL 256", "#define BUFFER_SIZE LARGE 256", false),
            ("#main .nav .item a {", "#side .nav .item a {", false),
            ("*dest_ptr = value + other;", "*dest_ptr = value + thing;", false),
        ] {
            assert_eq!(is_reworded(one, two), reworded, "{one} / {two}");
        }
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
