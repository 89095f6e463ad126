//! A regular expression that is compiled when it is first held against a text.
//!
//! The tables of this program hold some hundreds of them, and one run needs a few: compiling all would
//! take longer than everything else that a run does by itself.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::Regex;

/// What `\w` stands for here: what names are made of in ASCII, and the blocks of letters beyond it, without those
/// of punctuation, arrows, boxes and pictures.
const LETTER: &str = r"[0-9A-Za-z_\x{C0}-\x{1FFF}\x{2C00}-\x{2DFF}\x{3040}-\x{D7FF}\x{F900}-\x{FDFF}\x{10000}-\x{1EFFF}]";
/// What `\d` stands for here.
const DIGIT: &str = "[0-9]";

/// The source of an expression, and the expression once it was needed.
#[derive(Debug)]
pub struct Pattern {
    source: Cow<'static, str>,
    built: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Takes the source of a table's row.
    pub const fn new(source: &'static str) -> Self {
        Self { source: Cow::Borrowed(source), built: OnceLock::new() }
    }

    /// Takes a source that was read.
    pub const fn of(source: String) -> Self {
        Self { source: Cow::Owned(source), built: OnceLock::new() }
    }

    /// Returns the expression, in which `\w` and `\d` are quicker classes; `None` where the source is none, which a test of each table excludes.
    pub fn get(&self) -> Option<&Regex> {
        self.built.get_or_init(|| Regex::new(&quick(&self.source)).ok()).as_ref()
    }

    /// Tells whether the text has a match.
    pub fn is_match(&self, text: &str) -> bool {
        self.get().is_some_and(|it| it.is_match(text))
    }

    /// Returns the first match with its groups.
    pub fn captures<'t>(&self, text: &'t str) -> Option<regex::Captures<'t>> {
        self.get()?.captures(text)
    }
}

/// Writes the classes of letters and digits out: Unicode's tables of them are hundreds of ranges, and each
/// mention of one takes longer to compile than all the rest of an expression.
fn quick(source: &str) -> String {
    let mut quick = String::with_capacity(source.len() * 2);
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match (c, (c == '\\').then(|| chars.next()).flatten()) {
            (_, Some('w')) => quick.push_str(LETTER),
            (_, Some('d')) => quick.push_str(DIGIT),
            (_, escaped) => {
                quick.push(c);
                quick.extend(escaped);
            }
        }
    }
    quick
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
    fn nothing_is_compiled_before_it_is_needed_and_what_is_no_pattern_matches_nothing() {
        let (word, broken) = (Pattern::new(r"^\w+$"), Pattern::of("(".to_owned()));
        assert!(word.built.get().is_none());
        assert_eq!([word.is_match("one"), word.is_match("one two")], [true, false]);
        assert!(word.built.get().is_some());
        assert!(broken.get().is_none() && !broken.is_match("(") && broken.captures("(").is_none());
    }
}
