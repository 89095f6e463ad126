//! Finds the words of a text that are code: those outside strings and comments.

use std::ops::Range;

/// How a language writes strings and comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// `//`, `/* */`, quotes, and templates with code in them.
    Script,
    /// `#`, and quotes alone or three together.
    Python,
    /// `//`, `/* */`, quotes, and raw strings.
    Go,
    /// Not known: every word counts as code.
    Plain,
}

impl Syntax {
    /// Returns the language of a file, by its ending.
    pub(super) fn of_path(path: &str) -> Self {
        match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => Self::Script,
            "py" | "pyi" => Self::Python,
            "go" => Self::Go,
            _ => Self::Plain,
        }
    }
}

/// Returns where the words of code stand, in order. A quote that does not close ends with its line, so that
/// a misread one spoils little.
pub(super) fn mask(text: &str, syntax: Syntax) -> Vec<Range<usize>> {
    let mut scan = Scan { text, syntax, at: 0, words: Vec::new(), templates: Vec::new() };
    while let Some(rest) = text.get(scan.at..)
        && let Some(c) = rest.chars().next()
    {
        scan.step(rest, c);
    }
    scan.words
}

struct Scan<'t> {
    text: &'t str,
    syntax: Syntax,
    at: usize,
    words: Vec<Range<usize>>,
    /// How many braces are open in the code of each template.
    templates: Vec<usize>,
}

impl Scan<'_> {
    fn step(&mut self, rest: &str, c: char) {
        if is_word(c) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            // A number is no name.
            if !c.is_ascii_digit() {
                self.words.push(self.at..self.at + length);
            }
            self.at += length;
            return;
        }
        match (self.syntax, c) {
            (Syntax::Script | Syntax::Go, '/') if rest.starts_with("//") => {
                self.skip_to(rest, "\n");
            }
            (Syntax::Script | Syntax::Go, '/') if rest.starts_with("/*") => {
                self.at += 2;
                self.skip_to(rest.get(2..).unwrap_or_default(), "*/");
            }
            (Syntax::Python, '#') => self.skip_to(rest, "\n"),
            (Syntax::Python, '"' | '\'') => self.python(rest, c),
            (Syntax::Script | Syntax::Go, '"' | '\'') => self.quoted(rest, c),
            (Syntax::Go, '`') => {
                self.at += 1;
                self.skip_to(rest.get(1..).unwrap_or_default(), "`");
            }
            (Syntax::Script, '`') => self.template(1),
            (Syntax::Script, '{') => {
                if let Some(open) = self.templates.last_mut() {
                    *open += 1;
                }
                self.at += 1;
            }
            (Syntax::Script, '}') => match self.templates.last_mut() {
                Some(0) => {
                    self.templates.pop();
                    self.template(1);
                }
                Some(open) => {
                    *open -= 1;
                    self.at += 1;
                }
                None => self.at += 1,
            },
            _ => self.at += c.len_utf8(),
        }
    }

    fn skip_to(&mut self, rest: &str, end: &str) {
        self.at += rest.find(end).map_or(rest.len(), |at| at + end.len());
    }

    /// Skips a string that ends with its line at the latest.
    fn quoted(&mut self, rest: &str, quote: char) {
        let mut escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            if c == '\n' || (c == quote && !escaped) {
                self.at += at + 1;
                return;
            }
            escaped = c == '\\' && !escaped;
        }
        self.at = self.text.len();
    }

    fn python(&mut self, rest: &str, quote: char) {
        let three: String = std::iter::repeat_n(quote, 3).collect();
        let is_prefix = |word: &Range<usize>| {
            let text = self.text.get(word.clone()).unwrap_or_default();
            word.end == self.at && text.len() <= 2 && text.contains(['f', 'F'])
        };
        if self.words.last().is_some_and(is_prefix) {
            self.words.pop();
            self.formatted(
                rest,
                if rest.starts_with(&three) { &three } else { three.get(..1).unwrap_or_default() },
            );
        } else if rest.starts_with(&three) {
            self.at += 3;
            self.skip_to(rest.get(3..).unwrap_or_default(), &three);
        } else {
            self.quoted(rest, quote);
        }
    }

    /// Skips the text of an f-string and takes the words in its braces.
    fn formatted(&mut self, rest: &str, end: &str) {
        let (mut depth, mut at) = (0_usize, end.len());
        while let Some(left) = rest.get(at..)
            && let Some(c) = left.chars().next()
        {
            if left.starts_with(end) || (c == '\n' && end.len() == 1) {
                at += end.len();
                break;
            }
            let length = match c {
                '\\' => 1 + left.chars().nth(1).map_or(0, char::len_utf8),
                '{' if depth == 0 && left.starts_with("{{") => 2,
                c if is_word(c) => left.find(|c| !is_word(c)).unwrap_or(left.len()),
                c => c.len_utf8(),
            };
            if depth > 0 && is_word(c) && !c.is_ascii_digit() {
                self.words.push(self.at + at..self.at + at + length);
            }
            depth = match c {
                '{' if length == 1 => depth + 1,
                '}' => depth.saturating_sub(1),
                _ => depth,
            };
            at += length;
        }
        self.at += at;
    }

    /// Skips the text of a template, up to its end or to the code in it.
    fn template(&mut self, skipped: usize) {
        let begin = self.at + skipped;
        let rest = self.text.get(begin..).unwrap_or_default();
        let mut escaped = false;
        let mut before = ' ';
        for (at, c) in rest.char_indices() {
            if c == '`' && !escaped {
                self.at = begin + at + 1;
                return;
            }
            if c == '{' && before == '$' {
                self.templates.push(0);
                self.at = begin + at + 1;
                return;
            }
            before = if escaped { ' ' } else { c };
            escaped = c == '\\' && !escaped;
        }
        self.at = self.text.len();
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}
