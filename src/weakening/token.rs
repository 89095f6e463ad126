//! Cuts a text of any language into words, numbers, strings, marks and comments; total and linear.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use super::syntax::Syntax;
use crate::text::is_invisible;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Word,
    Number,
    /// Its text is what is between the quotes.
    Text,
    Mark,
}

/// One token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// As tools take it: compatibility forms, invisible characters and look-alikes undone.
    pub(super) text: String,
    /// From 1.
    pub(super) line: usize,
    /// Characters before it on its line.
    pub(super) column: usize,
}

/// A comment, its marks included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) text: String,
    pub(super) line: usize,
}

/// A text cut up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment>,
}

/// Cuts a text.
pub(super) fn cut(text: &str, syntax: Syntax) -> Cut {
    let mut cutter = Cutter { rest: text, line: 1, column: 0, syntax, cut: Cut::default() };
    while cutter.step() {}
    join_texts(cutter.cut)
}

/// Returns a text as tools read it: `ｓｋｉｐ` is `skip` to Python, a zero-width space is nothing to
/// nobody, and a Cyrillic `ѕ` is there to deceive.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
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

struct Cutter<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
    syntax: Syntax,
    cut: Cut,
}

impl<'a> Cutter<'a> {
    /// Reads one token; `false` at the end.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        if first.is_whitespace() || is_invisible(first) {
            self.take(first.len_utf8());
        } else if let Some(length) = self.comment() {
            let line = self.line;
            let text = plain(self.take(length)).into_owned();
            self.cut.comments.push(Comment { text, line });
        } else if let Some((open, length, close)) = self.string(first) {
            let (line, column) = (self.line, self.column);
            let whole = self.take(length);
            let inner = whole.get(open..length.saturating_sub(close)).unwrap_or_default();
            self.push(Kind::Text, inner, (line, column));
        } else if is_word(first) {
            let length = self.rest.find(|c| !(is_word(c) || is_invisible(c)));
            let length = length.unwrap_or(self.rest.len());
            let (line, column) = (self.line, self.column);
            let kind = if first.is_ascii_digit() { Kind::Number } else { Kind::Word };
            let length = if kind == Kind::Number { self.fraction(length) } else { length };
            let text = self.take(length);
            self.push(kind, text, (line, column));
        } else {
            let (line, column) = (self.line, self.column);
            let text = self.take(first.len_utf8());
            self.push(Kind::Mark, text, (line, column));
        }
        true
    }

    fn push(&mut self, kind: Kind, text: &str, (line, column): (usize, usize)) {
        let text = unescaped(&plain(text)).into_owned();
        self.cut.tokens.push(Token { kind, text, line, column });
    }

    /// `1.5` is one number, `1..5` and `1.max` are not.
    fn fraction(&self, length: usize) -> usize {
        let after = self.rest.get(length..).unwrap_or_default();
        let Some(digits) = after.strip_prefix('.') else { return length };
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return length;
        }
        let more = digits.find(|c| !is_word(c)).unwrap_or(digits.len());
        length + 1 + more
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (now, later) = self.rest.split_at(length);
        let lines = now.matches('\n').count();
        self.line += lines;
        self.column = match now.rsplit_once('\n') {
            Some((_, last)) => last.chars().count(),
            None => self.column + now.chars().count(),
        };
        self.rest = later;
        now
    }

    fn comment(&self) -> Option<usize> {
        let line = || self.rest.find('\n').unwrap_or(self.rest.len());
        if self.syntax.slashes && self.rest.starts_with("//") {
            return Some(line());
        }
        if self.syntax.slashes && self.rest.starts_with("/*") {
            return Some(self.block());
        }
        let begins = self.syntax.hash && self.rest.starts_with('#');
        // `#[` is an attribute of PHP's.
        (begins && !(self.syntax.slashes && self.rest.starts_with("#["))).then(line)
    }

    fn block(&self) -> usize {
        let (mut depth, mut at) = (0_usize, 0);
        let bytes = self.rest.as_bytes();
        while at < bytes.len() {
            let pair = bytes.get(at..at + 2).unwrap_or_default();
            if pair == b"/*" && (depth == 0 || self.syntax.nested) {
                depth += 1;
                at += 2;
            } else if pair == b"*/" {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            } else {
                at += 1;
            }
        }
        self.rest.len()
    }

    /// Returns the bytes of the opening quotes, of the whole string, and of the closing quotes.
    fn string(&self, first: char) -> Option<(usize, usize, usize)> {
        if let Some(raw) = self.raw_string() {
            return Some(raw);
        }
        let quote = match first {
            '"' => "\"",
            '\'' if self.syntax.single => "'",
            '\'' => return self.char_literal(),
            '`' if self.syntax.backtick => "`",
            _ => return None,
        };
        let triple = quote.repeat(3);
        if self.syntax.triple && self.rest.starts_with(&triple) {
            let body = self.rest.get(3..).unwrap_or_default();
            return Some(match body.find(&triple) {
                Some(end) => (3, end + 6, 3),
                None => (3, self.rest.len(), 0),
            });
        }
        let lines = quote == "`" || !self.syntax.single;
        let mut escaped = false;
        for (at, c) in self.rest.char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '\n' if !lines => return Some((1, at, 0)),
                _ if c == first => return Some((1, at + 1, 1)),
                _ => {}
            }
        }
        Some((1, self.rest.len(), 0))
    }

    /// `r#"…"#` of Rust.
    fn raw_string(&self) -> Option<(usize, usize, usize)> {
        if self.syntax.single || !self.syntax.nested {
            return None;
        }
        let body = self.rest.strip_prefix("br").or_else(|| self.rest.strip_prefix('r'))?;
        let prefix = self.rest.len() - body.len();
        let hashes = body.len() - body.trim_start_matches('#').len();
        body.get(hashes..)?.strip_prefix('"')?;
        let open = prefix + hashes + 1;
        let close = format!("\"{}", "#".repeat(hashes));
        Some(match self.rest.get(open..)?.find(&close) {
            Some(end) => (open, open + end + close.len(), close.len()),
            None => (open, self.rest.len(), 0),
        })
    }

    /// `'a'` of Rust, which also has `'a` without an end.
    fn char_literal(&self) -> Option<(usize, usize, usize)> {
        let mut chars = self.rest.char_indices().skip(1);
        let (_, c) = chars.next()?;
        let mut end = chars.next()?;
        if c == '\\' {
            end = self.rest.char_indices().skip(3).take(10).find(|(_, c)| *c == '\'')?;
        }
        (end.1 == '\'').then_some((1, end.0 + 1, 1))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == '\\'
}

/// `sk\u0069p` is a name like any other to JavaScript.
fn unescaped(text: &str) -> Cow<'_, str> {
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

/// `"sk" + "ip"` is `"skip"`.
fn join_texts(cut: Cut) -> Cut {
    let mut tokens: Vec<Token> = Vec::with_capacity(cut.tokens.len());
    for token in cut.tokens {
        let len = tokens.len();
        let joins = token.kind == Kind::Text
            && len > 1
            && tokens.get(len - 1).is_some_and(|plus| plus.kind == Kind::Mark && plus.text == "+")
            && tokens.get(len - 2).is_some_and(|left| left.kind == Kind::Text);
        if joins {
            tokens.pop();
            if let Some(left) = tokens.last_mut() {
                left.text.push_str(&token.text);
            }
        } else {
            tokens.push(token);
        }
    }
    Cut { tokens, comments: cut.comments }
}
