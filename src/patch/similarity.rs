//! How alike two lines are, and which lines stand for code that was left out.

use super::antonyms::are_opposite;

/// Appends a line without what models change when they quote: blanks, and the kind of quotes and dashes.
pub(super) fn fold_into(line: &str, out: &mut Vec<u8>) {
    if !line.is_ascii() {
        return fold_any(line, out);
    }
    let start = out.len();
    out.resize(start + line.len(), 0);
    let mut end = start;
    // Every byte is written, and the next one over it if it was a blank: a loop without branches.
    for byte in line.bytes() {
        if let Some(place) = out.get_mut(end) {
            *place = if byte == b'"' { b'\'' } else { byte };
        }
        end += usize::from(!byte.is_ascii_whitespace());
    }
    out.truncate(end);
}

/// The same for a line with characters outside ASCII.
fn fold_any(line: &str, out: &mut Vec<u8>) {
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
pub(super) fn fold_line(line: &str) -> Vec<u8> {
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
    let len = if is_blank(line) {
        0
    } else {
        line.len() - line.trim_start_matches([' ', '\t', '\u{a0}']).len()
    };
    line.get(..len).unwrap_or_default()
}

/// Tells whether a line says enough to recognise a place by: `}` or `else:` alone does not.
pub(super) fn is_telling(line: &str) -> bool {
    line.chars().filter(|char| char.is_alphanumeric()).take(TELLING).count() == TELLING
}

/// Letters and digits of a line that says enough.
const TELLING: usize = 6;

/// Most words of a line that may be misspelt.
const MISSPELT_WORDS: usize = 2;
/// Most bytes by which a misspelt word is longer or shorter.
const MISSPELT_BYTES: usize = 4;

/// Tells whether `own` is `line` with a word or two misspelt: as many words with the same signs between
/// them, where those that differ do so in a letter or two, and are no words of `text` themselves. Other
/// digits make another line, and so does a word that is there besides or instead.
pub(super) fn is_misspelt(own: &str, line: &str, text: &str) -> bool {
    let solid = |line: &str| line.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
    let ascii = own.is_ascii() && line.is_ascii();
    if ascii && solid(own).abs_diff(solid(line)) > MISSPELT_WORDS * MISSPELT_BYTES {
        return false;
    }
    let (own, line) = (split_words(own), split_words(line));
    if own.len() != line.len() {
        return false;
    }
    let differing = || own.iter().zip(&line).filter(|(own, line)| own != line);
    if differing().any(|(own, line)| are_opposite(own, line)) {
        return false;
    }
    let near = |(own, line): (&&str, &&str)| {
        let letters =
            |word: &str| word.starts_with(|char: char| char.is_alphabetic() || char == '_');
        letters(own) && letters(line) && is_near_word(own, line) && !has_word(text, own)
    };
    differing().count() <= MISSPELT_WORDS && differing().all(near)
}

/// Tells whether two lines differ in no more than two letters.
pub(super) fn is_slip(own: &str, line: &str) -> bool {
    let turned = || {
        split_words(own).iter().zip(split_words(line)).any(|(own, line)| are_opposite(own, line))
    };
    let (own, line) = (fold_line(own), fold_line(line));
    let signs = |line: &'_ [u8]| -> Vec<u8> {
        line.iter().copied().filter(|byte| !byte.is_ascii_alphabetic() && byte.is_ascii()).collect()
    };
    let near = own.len().abs_diff(line.len()) <= 2 && own.len() <= LONGEST_LINE;
    near && signs(&own) == signs(&line)
        && strsim::generic_levenshtein(&Bytes(&own), &Bytes(&line)) <= 2
        && !turned()
}

/// Longest line that is compared letter by letter, in bytes.
const LONGEST_LINE: usize = 400;

struct Bytes<'a>(&'a [u8]);

impl<'a> IntoIterator for &Bytes<'a> {
    type Item = u8;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, u8>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().copied()
    }
}

/// Splits a line into words and the single signs between them, blanks left out, quotes folded.
fn split_words(line: &str) -> Vec<&str> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut words = Vec::new();
    let mut rest = line.trim();
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) {
            rest.find(|char| !is_word(char)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        words.push(if matches!(first, '"' | '\u{2018}'..='\u{201f}') { "'" } else { word });
        rest = after.trim_start();
    }
    words
}

/// Tells whether a word may be another one misspelt: the digits are the same, and so are all letters
/// but two, or one of a short word.
fn is_near_word(own: &str, word: &str) -> bool {
    let digits = |word: &'_ str| word.bytes().filter(u8::is_ascii_digit).collect::<Vec<u8>>();
    let most = if word.len() > SHORT_WORD { 2 } else { 1 };
    own.len().abs_diff(word.len()) <= MISSPELT_BYTES.min(2 * most)
        && own.len() <= LONGEST_WORD
        && digits(own) == digits(word)
        && strsim::levenshtein(own, word) <= most
}

/// Letters of a short word.
const SHORT_WORD: usize = 4;
/// Longest word that is compared, in bytes.
const LONGEST_WORD: usize = 200;

/// Tells whether a word stands anywhere in a text, by itself.
fn has_word(text: &str, word: &str) -> bool {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    memchr::memmem::find_iter(text.as_bytes(), word).any(|start| {
        let before = text.get(..start).and_then(|text| text.chars().next_back());
        let after = text.get(start + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// Tells whether two lines are comments that share most of their words: a model rewords them freely.
/// The digits of one are those of the other, or fewer.
pub(super) fn is_reworded(one: &str, two: &str) -> bool {
    let digits = |line: &'_ str| line.bytes().filter(u8::is_ascii_digit).collect::<Vec<u8>>();
    let (one_digits, two_digits) = (digits(one), digits(two));
    let (few, many) = if one_digits.len() < two_digits.len() {
        (one_digits, two_digits)
    } else {
        (two_digits, one_digits)
    };
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

/// Returns the words of a line comment, in lower case: a mark, then a blank.
fn comment_words(line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    let rest = COMMENT_MARKS.iter().find_map(|mark| {
        line.strip_prefix(mark).map(|rest| rest.trim_start_matches(['/', '!', '*', '#']))
    })?;
    // `#define` and `*pointer` are code.
    rest.starts_with([' ', '\t']).then(|| {
        let words = rest.split(|char: char| !char.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    })
}

/// Tells whether most words of the shorter comment stand in the longer one, in the same order, and two
/// of them are no mere particles.
fn share_words(one: &[String], two: &[String]) -> bool {
    let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
    let mut ahead = long.iter();
    let shared: Vec<&String> = short
        .iter()
        .filter(|word| {
            let mut rest = ahead.clone();
            let found = rest.any(|other| other == *word);
            if found {
                ahead = rest;
            }
            found
        })
        .collect();
    let telling = shared.iter().filter(|word| word.chars().count() >= SHORT_WORD).count();
    // Where words are only left out, fewer will do than where others stand in their place.
    let least = if shared.len() == short.len() { 1 } else { 2 };
    telling >= least && shared.len() >= 2 && shared.len() * 4 >= short.len() * 3
}

/// Returns what a line says after an ellipsis, and whether it is a comment; `None` without one.
fn after_dots(line: &str) -> Option<(&str, bool)> {
    let mut text = line.trim();
    // No mark of a comment begins so, and most lines of code do.
    if text.starts_with(|char: char| char.is_ascii_alphanumeric()) {
        return None;
    }
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
            assert_eq!(is_misspelt(own, line, text), misspelt, "{own} / {line}");
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
