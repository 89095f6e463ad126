//! Cuts a text of any language into words, numbers, strings, marks and comments.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use super::Family;
use super::scan::{SpanKind, inside_quotes};
use super::spans::find_spans;
use papayu_base::text::is_invisible;

/// Marks that formatters add and remove.
const LAYOUT_MARKS: [&str; 7] = [",", ";", "(", ")", "{", "}", "\\"];

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A number with its unit.
    Number,
    /// A string; its text is what is between the quotes.
    Text,
    /// One character of any other sort.
    Mark,
}

/// One token and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// As tools read it, see [`undisguise`].
    pub text: String,
    /// From 1.
    pub line: usize,
    /// Characters before it on its line.
    pub column: usize,
}

/// A comment with its marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// As tools read it, see [`undisguise`].
    pub text: String,
    /// From 1.
    pub line: usize,
}

/// A text cut up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Everything but blanks and comments, in order.
    pub code: Vec<Token>,
    /// The comments, in order.
    pub comments: Vec<Comment>,
}

/// Returns the tokens of a text; a string with code in it is one token, and adjacent strings are joined
/// where a `+` joins them: `"sk" + "ip"` is `"skip"`.
pub fn cut_tokens(path: &str, text: &str) -> Tokens {
    let mut cutter = TokenCutter { text, at: 0, line: 1, column: 0, tokens: Tokens::default() };
    for span in find_spans(path, text) {
        // The later parts of a string went with its first.
        if span.range.start < cutter.at {
            continue;
        }
        cutter.take_code(span.range.start);
        let (line, column) = (cutter.line, cutter.column);
        let whole = cutter.advance(span.whole.end);
        match span.kind {
            SpanKind::Comment => {
                let text = undisguise(whole).into_owned();
                cutter.tokens.comments.push(Comment { text, line });
            }
            SpanKind::Text => {
                let inner = whole.get(inside_quotes(whole)).unwrap_or_default();
                cutter.push(TokenKind::Text, inner, line, column);
            }
        }
    }
    cutter.take_code(text.len());
    cutter.tokens
}

/// Returns whether two texts of a file have the same tokens and comments in any order and layout. Quotes and their
/// escapes, and the marks that formatters add and remove (`,`, `;`, parentheses, braces, `\\` at the end of a line), do
/// not count.
///
/// ```
/// use papayu_lang::has_same_code;
///
/// assert!(has_same_code("a.js", "f('x', 1)", "f(\n  \"x\",\n  1,\n);\n"));
/// assert!(!has_same_code("a.js", "f('x', 1)", "f('x', 2)"));
/// ```
pub fn has_same_code(path: &str, one: &str, other: &str) -> bool {
    sorted_code(path, one) == sorted_code(path, other)
}

/// Returns the tokens and comments of a text, sorted, without the marks and quotes that formatters change.
fn sorted_code(path: &str, text: &str) -> Vec<String> {
    let Tokens { code, comments } = cut_tokens(path, text);
    let counts = |token: &Token| {
        token.kind != TokenKind::Mark || !LAYOUT_MARKS.contains(&token.text.as_str())
    };
    let code = code.into_iter().filter(counts).map(|token| match token.kind {
        TokenKind::Text => token.text.replace("\\'", "'").replace("\\\"", "\""),
        _ => token.text,
    });
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let comments = comments.iter().map(|comment| words(&comment.text));
    let mut all: Vec<String> = code.chain(comments).collect();
    all.sort_unstable();
    all
}

/// Returns the bytes of the words of a text that are code, in order; of a file that is no program, all words.
pub fn find_code_words(path: &str, text: &str) -> Vec<Range<usize>> {
    let spans = if Family::of_path(path).is_code() { find_spans(path, text) } else { Vec::new() };
    let mut words = Vec::new();
    let mut from = 0;
    for span in spans {
        add_words(text, from..span.range.start, &mut words);
        from = span.range.end;
    }
    add_words(text, from..text.len(), &mut words);
    words
}

/// Adds the words in a range of code.
fn add_words(text: &str, range: Range<usize>, words: &mut Vec<Range<usize>>) {
    let mut at = range.start;
    while let Some(rest) = text.get(at..range.end)
        && let Some(first) = rest.chars().next()
    {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        // A number is no name.
        if is_word(first) && !first.is_ascii_digit() {
            words.push(at..at + length);
        }
        at += length;
    }
}

/// Returns a text as tools read it: `ｓｋｉｐ` is `skip` to Python, zero-width characters are dropped, and
/// a Cyrillic `ѕ` is meant to deceive.
pub fn undisguise(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let plain = text.nfkc().filter(|c| !is_invisible(*c)).map(|c| match c {
        'а' | 'α' => 'a',
        'е' => 'e',
        'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'с' => 'c',
        'х' => 'x',
        'у' => 'y',
        'ѕ' => 's',
        'і' | 'ι' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'т' => 't',
        'ո' => 'n',
        'ԛ' => 'q',
        'ν' => 'v',
        other => other,
    });
    Cow::Owned(plain.collect())
}

struct TokenCutter<'t> {
    text: &'t str,
    /// The byte up to which the text is cut.
    at: usize,
    /// The line of that byte, from 1.
    line: usize,
    column: usize,
    tokens: Tokens,
}

impl<'t> TokenCutter<'t> {
    /// Cuts code up to a byte.
    fn take_code(&mut self, end: usize) {
        while let Some(rest) = self.text.get(self.at..end)
            && let Some(first) = rest.chars().next()
        {
            if first.is_whitespace() || is_invisible(first) {
                self.advance(self.at + first.len_utf8());
                continue;
            }
            let (line, column) = (self.line, self.column);
            let (kind, length) = if is_word(first) {
                let length = rest.find(|c| !(is_word(c) || is_invisible(c))).unwrap_or(rest.len());
                if first.is_ascii_digit() {
                    (TokenKind::Number, with_fraction(rest, length))
                } else {
                    (TokenKind::Word, length)
                }
            } else {
                (TokenKind::Mark, first.len_utf8())
            };
            let text = self.advance(self.at + length);
            self.push(kind, text, line, column);
        }
        self.at = self.at.max(end);
    }

    /// Moves to a byte and returns the text before it.
    fn advance(&mut self, end: usize) -> &'t str {
        let passed = self.text.get(self.at..end).unwrap_or_default();
        self.line += passed.matches('\n').count();
        self.column = match passed.rsplit_once('\n') {
            Some((_, last)) => last.chars().count(),
            None => self.column + passed.chars().count(),
        };
        self.at = end;
        passed
    }

    /// Adds a token. Texts joined with `+` become one, so that a split text is compared as a whole.
    fn push(&mut self, kind: TokenKind, text: &str, line: usize, column: usize) {
        let text = unescape(&undisguise(text)).into_owned();
        if kind == TokenKind::Text
            && let [.., left, plus] = self.tokens.code.as_mut_slice()
            && left.kind == TokenKind::Text
            && plus.kind == TokenKind::Mark
            && plus.text == "+"
        {
            left.text.push_str(&text);
            self.tokens.code.pop();
            return;
        }
        self.tokens.code.push(Token { kind, text, line, column });
    }
}

/// Returns `true` for a character of a name; a backslash begins an escape in one (`\u0061`).
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == '\\'
}

/// `1.5` is one number, `1..5` and `1.max` are not.
fn with_fraction(rest: &str, length: usize) -> usize {
    let after = rest.get(length..).and_then(|after| after.strip_prefix('.'));
    let Some(digits) = after.filter(|it| it.starts_with(|c: char| c.is_ascii_digit())) else {
        return length;
    };
    length + 1 + digits.find(|c| !is_word(c)).unwrap_or(digits.len())
}

/// `sk\u0069p` is a name like any other to JavaScript.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u") {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split("\\u");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let braced = part.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let (digits, rest) =
            braced.unwrap_or_else(|| part.split_at_checked(4).unwrap_or((part, "")));
        if let Some(c) = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
            out.push(c);
        } else {
            out.push_str("\\u");
            out.push_str(digits);
        }
        out.push_str(rest);
    }
    Cow::Owned(out)
}
