//! The identifiers of a text and the parts they are made of.

/// The most letters of an identifier; longer ones are keys, digests or data.
const MAX_LETTERS: usize = 64;

/// An identifier of a text.
#[derive(Clone, Debug, Default)]
pub struct Identifier {
    /// Its letters and digits, without `_` and `$`.
    letters: Vec<char>,
    /// The position of the first letter of each part.
    starts: Vec<usize>,
}

impl Identifier {
    /// Returns its letters and digits as written, without `_` and `$`.
    pub fn letters(&self) -> &[char] {
        &self.letters
    }

    /// Returns its parts, in order. There is at least one.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = &[char]> {
        (0..self.starts.len()).map(move |at| {
            let start = self.starts.get(at).copied().unwrap_or_default();
            let end = self.starts.get(at + 1).copied().unwrap_or(self.letters.len());
            self.letters.get(start..end).unwrap_or_default()
        })
    }

    /// Adds a letter or digit; `last` is the one before it in the same word, `None` at its begin.
    fn push(&mut self, c: char, last: Option<char>) {
        let here = self.letters.len();
        let rises = |last: char| !last.is_uppercase() && c.is_uppercase();
        if last.is_none_or(rises) {
            self.starts.push(here);
        } else if last.is_some_and(char::is_uppercase) && !c.is_uppercase() && !c.is_numeric() {
            // The last capital of several begins the next part: `HTTPServer`.
            let is_first = self.starts.last().is_some_and(|start| start + 1 == here);
            self.starts.extend((!is_first).then_some(here - 1));
        }
        self.letters.push(c);
    }
}

/// Calls `take` with every identifier of a text, in order. The parts of an identifier end at `_`, `$` and before
/// capital letters.
///
/// # Examples
///
/// ```
/// use papayu_base::text::each_identifier;
///
/// let mut parts = Vec::new();
/// each_identifier("parseURL_of(x)", &mut |identifier| {
///     parts.extend(identifier.parts().map(String::from_iter));
/// });
/// assert_eq!(parts, ["parse", "URL", "of", "x"]);
/// ```
pub fn each_identifier(text: &str, take: &mut dyn FnMut(&Identifier)) {
    let mut word = Identifier::default();
    // The character before in the same part; `None` at the start of a word and after `_` and `$`.
    let mut last = None;
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() {
            // A long run is read on but not kept.
            if word.letters.len() <= MAX_LETTERS {
                word.push(c, last);
            }
            last = Some(c);
            continue;
        }
        last = None;
        if c != '_' && c != '$' && !word.letters.is_empty() {
            if word.letters.len() <= MAX_LETTERS {
                take(&word);
            }
            word.letters.clear();
            word.starts.clear();
        }
    }
}
