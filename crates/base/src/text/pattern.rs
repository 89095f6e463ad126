//! A regular expression that is compiled at its first use.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::{Captures, Match, Regex, Replacer};

/// The characters of names in every script: letters and digits, without punctuation, arrows, boxes and pictures.
const WORD: &str = r"[0-9A-Za-z_\x{C0}-\x{1FFF}\x{2C00}-\x{2DFF}\x{3040}-\x{D7FF}\x{F900}-\x{FDFF}\x{10000}-\x{1EFFF}]";
/// The characters that `(?i)` adds to those of [`WORD`]: the signs of micro, ohm, kelvin and angstrom.
const FOLDED: &str = r"\x{B5}\x{2126}\x{212A}\x{212B}";
/// The ASCII digits.
const DIGIT: &str = "[0-9]";

/// A row's expression: the source now, the [`Regex`] when a text needs it.
///
/// The tables of this program have some hundreds of rows and a run needs a few of them, so compiling all would cost more
/// than the rest of a small run. An invalid source matches nothing; the tests of each table check [`Pattern::is_valid`].
///
/// In a source `\w` means the characters of names in every script and `\d` the ASCII digits.
///
/// # Examples
///
/// ```
/// use papayu_base::text::{Pattern, group};
///
/// static SETTING: Pattern = Pattern::new(r"^(?<key>\w+)=(?<value>.*)$");
///
/// let found = SETTING.captures("größe=12").unwrap();
/// assert_eq!(group(&found, "key"), Some("größe"));
/// ```
#[derive(Debug)]
pub struct Pattern {
    source: Cow<'static, str>,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Returns the pattern of a table's row.
    pub const fn new(source: &'static str) -> Self {
        Self { source: Cow::Borrowed(source), regex: OnceLock::new() }
    }

    /// Returns the pattern of a source that was put together at run time.
    pub const fn of(source: String) -> Self {
        Self { source: Cow::Owned(source), regex: OnceLock::new() }
    }

    /// Returns `true` if the source is a regular expression.
    pub fn is_valid(&self) -> bool {
        self.regex().is_some()
    }

    /// Returns `true` if the text has a match.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// Returns the first match, a range of bytes; `None` without one, and for a pattern that cannot be
    /// compiled.
    pub fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        self.regex()?.find(text)
    }

    /// Returns every match, without overlaps.
    pub fn find_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Match<'t>> {
        self.regex().map(|regex| regex.find_iter(text)).into_iter().flatten()
    }

    /// Returns the first match with its groups; `None` as for [`find`](Self::find).
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.regex()?.captures(text)
    }

    /// Returns every match with its groups, without overlaps.
    pub fn captures_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        self.regex().map(|regex| regex.captures_iter(text)).into_iter().flatten()
    }

    /// Returns the text with every match replaced.
    pub fn replace_all<'t>(&self, text: &'t str, with: impl Replacer) -> Cow<'t, str> {
        match self.regex() {
            Some(regex) => regex.replace_all(text, with),
            None => Cow::Borrowed(text),
        }
    }

    /// Returns the compiled expression.
    fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| Regex::new(&expand_classes(&self.source)).ok()).as_ref()
    }
}

/// Returns the text of a named group, if it took part in the match.
pub fn group<'t>(found: &Captures<'t>, name: &str) -> Option<&'t str> {
    found.name(name).map(|part| part.as_str())
}

/// Replaces `\w` and `\d` with short classes. A `]` inside a class is written `\]`.
fn expand_classes(source: &str) -> String {
    // Unicode's own tables of them have hundreds of ranges; compiling one takes longer than the rest of an expression.
    let mut expanded = String::with_capacity(source.len() * 2);
    let is_any_case = source.starts_with("(?i)");
    let mut open_classes = 0_u32;
    // A class with every letter is the same in any case, and the compiler would look up the case of each of 100,000
    // characters, which takes 10 ms.
    let mut is_exact = false;
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match (c, (c == '\\').then(|| chars.next()).flatten()) {
            (_, Some('w')) if is_any_case && open_classes == 0 => {
                expanded.extend(["(?-i:[", WORD, FOLDED, "])"]);
            }
            (_, Some('w')) if is_exact => expanded.extend([WORD, FOLDED]),
            (_, Some('w')) => expanded.push_str(WORD),
            (_, Some('d')) => expanded.push_str(DIGIT),
            ('[', None) => {
                if open_classes == 0 && is_any_case && holds_words(chars.as_str()) {
                    is_exact = true;
                    expanded.push_str("(?-i:");
                }
                open_classes += 1;
                expanded.push('[');
            }
            (']', None) => {
                open_classes = open_classes.saturating_sub(1);
                expanded.push(']');
                if open_classes == 0 && std::mem::take(&mut is_exact) {
                    expanded.push(')');
                }
            }
            (_, escaped) => {
                expanded.push(c);
                expanded.extend(escaped);
            }
        }
    }
    expanded
}

/// Returns `true` if the class that was opened before this text has `\w` in it.
fn holds_words(rest: &str) -> bool {
    let mut depth = 1;
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.next() == Some('w') => return true,
            '[' => depth += 1,
            ']' if depth == 1 => return false,
            ']' => depth -= 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_one_in_every_script_and_no_mark() {
        let words = Pattern::new(r"^[\w.]+ \w+ \\w \d+$");
        for (text, fits) in [
            (r"a.b c_9 \w 12", true),
            (r"имя.файл größe \w 0", true),
            (r"変数 ключ \w 7", true),
            (r"❯ a \w 1", false),
            (r"a ‘b’ \w 1", false),
            (r"a │ \w 1", false),
            (r"a b w 1", false),
            (r"a b \w ٣", false),
        ] {
            assert_eq!(words.is_match(text), fits, "{text}");
        }
    }

    #[test]
    fn a_letter_in_any_case_is_what_the_compiler_takes_for_one() {
        let every: String = (0..=0x0010_FFFF).filter_map(char::from_u32).collect();
        let folded = Regex::new(&format!("(?i){WORD}")).unwrap();
        let pattern = Pattern::new(r"(?i)\w");
        let found = pattern.find_iter(&every).map(|it| it.as_str());
        assert!(found.eq(folded.find_iter(&every).map(|it| it.as_str())));
        assert!(Pattern::new(r"(?i)^[[a-z]\w]\w$").is_match("ÉK"));
        let of_class = Pattern::new(r"(?i)[\w-]");
        let found = of_class.find_iter(&every).map(|it| it.as_str()).filter(|it| *it != "-");
        assert!(found.eq(folded.find_iter(&every).map(|it| it.as_str())));
        assert_eq!(Pattern::new(r"(?i)[^\w]X[A\]]").find("aX] -x]").map(|it| it.start()), Some(4));
    }

    #[test]
    fn an_invalid_pattern_matches_nothing() {
        let broken = Pattern::of("(".to_owned());
        assert!(!broken.is_valid() && !broken.is_match("(") && broken.captures("(").is_none());
        assert_eq!(broken.find_iter("(").count() + broken.captures_iter("(").count(), 0);
        assert!(matches!(broken.replace_all("(", ""), Cow::Borrowed("(")));
    }
}
