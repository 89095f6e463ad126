//! Finds comments and strings without a tree, by how each family of languages writes them.

use std::ops::Range;

use super::Family;

/// A part of a text that is no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonCodeSpan {
    /// The kind of the part.
    pub kind: SpanKind,
    /// Its bytes, with quotes and marks.
    pub range: Range<usize>,
    /// The bytes of the string that it is a part of: a string with code in it has several parts.
    pub whole: Range<usize>,
}

/// The kinds of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// A comment.
    Comment,
    /// A string, a character, a regular expression, or text between tags.
    Text,
}

impl NonCodeSpan {
    pub(super) fn new(kind: SpanKind, range: Range<usize>) -> Self {
        Self { kind, whole: range.clone(), range }
    }
}

/// The marks of comments and strings of a family.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of a language")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Syntax {
    /// `//` and `/* */`.
    slashes: bool,
    /// `#`.
    hash: bool,
    /// `/* /* */ */`, raw strings, and `'` that is a lifetime.
    is_rust: bool,
    /// Three quotes in a row open a string of many lines.
    triple: bool,
    backtick: bool,
}

impl Syntax {
    /// Returns the syntax of a family.
    pub(super) fn of(family: Family) -> Self {
        use Family::{CSharp, Elixir, Go, Ini, Jvm, Make, Php, Python, Ruby, Rust, Script, Shell};
        use Family::{Toml, Yaml};
        let slashes = !matches!(family, Python | Ruby | Toml | Yaml | Ini | Shell | Make | Elixir);
        Self {
            slashes,
            hash: !slashes || family == Php,
            is_rust: family == Rust,
            triple: matches!(family, Python | Toml | Jvm | CSharp | Elixir),
            backtick: matches!(family, Script | Go),
        }
    }
}

/// Returns the comments and strings of a text, in order; total and linear.
pub(super) fn scan_spans(text: &str, syntax: Syntax) -> Vec<NonCodeSpan> {
    let mut spans = Vec::new();
    let mut at = 0;
    let mut in_word = false;
    while let Some(rest) = text.get(at..)
        && let Some(first) = rest.chars().next()
    {
        let scan = TextScan { rest, syntax };
        let found = match scan.comment_length() {
            Some(length) => Some((SpanKind::Comment, length)),
            None => scan.string_length(first, in_word).map(|length| (SpanKind::Text, length)),
        };
        let length = found.map_or(first.len_utf8(), |(_, length)| length);
        if let Some((kind, length)) = found {
            spans.push(NonCodeSpan::new(kind, at..at + length));
        }
        in_word = found.is_none() && (first.is_alphanumeric() || first == '_');
        at += length;
    }
    spans
}

/// The text from one character on.
struct TextScan<'t> {
    rest: &'t str,
    syntax: Syntax,
}

impl TextScan<'_> {
    /// Returns the length of the comment that begins here.
    fn comment_length(&self) -> Option<usize> {
        let has_slashes = self.syntax.slashes;
        if has_slashes && self.rest.starts_with("/*") {
            return Some(self.block_length());
        }
        let is_slashes = has_slashes && self.rest.starts_with("//");
        // `#[` is an attribute in PHP.
        let is_attribute = has_slashes && self.rest.starts_with("#[");
        let is_hash = self.syntax.hash && self.rest.starts_with('#') && !is_attribute;
        (is_slashes || is_hash).then(|| self.rest.find('\n').unwrap_or(self.rest.len()))
    }

    /// Returns the length of a block comment; one without an end extends to the end of the text.
    /// Those of Rust nest.
    fn block_length(&self) -> usize {
        let (mut depth, mut at) = (0_usize, 0);
        let bytes = self.rest.as_bytes();
        while let Some(pair) = bytes.get(at..at + 2) {
            if pair == b"/*" && (depth == 0 || self.syntax.is_rust) {
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
        bytes.len()
    }

    /// Returns the length of the string that begins here with its quotes.
    fn string_length(&self, first: char, in_word: bool) -> Option<usize> {
        if self.syntax.is_rust
            && !in_word
            && let Some(length) = self.raw_length()
        {
            return Some(length);
        }
        match first {
            '\'' if self.syntax.is_rust => return self.char_length(),
            '"' | '\'' => {}
            '`' if self.syntax.backtick => {}
            _ => return None,
        }
        let triple: String = std::iter::repeat_n(first, 3).collect();
        if self.syntax.triple && self.rest.starts_with(&triple) {
            let end = self.rest.get(3..).and_then(|body| body.find(&triple));
            return Some(end.map_or(self.rest.len(), |end| end + 6));
        }
        let spans_lines = first == '`' || self.syntax.is_rust;
        let mut escaped = false;
        for (at, c) in self.rest.char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                // A quote that does not close ends with its line, so that one misread spoils little.
                '\n' if !spans_lines => return Some(at),
                _ if c == first => return Some(at + 1),
                _ => {}
            }
        }
        Some(self.rest.len())
    }

    /// `r#"…"#` of Rust.
    fn raw_length(&self) -> Option<usize> {
        let body = self.rest.strip_prefix("br").or_else(|| self.rest.strip_prefix('r'))?;
        let hashes = body.len() - body.trim_start_matches('#').len();
        let inner = body.get(hashes..)?.strip_prefix('"')?;
        let open = self.rest.len() - inner.len();
        let close = format!("\"{}", "#".repeat(hashes));
        Some(inner.find(&close).map_or(self.rest.len(), |end| open + end + close.len()))
    }

    /// `'a'` of Rust, which also has `'a` without an end.
    fn char_length(&self) -> Option<usize> {
        let mut chars = self.rest.char_indices().skip(1);
        let (_, c) = chars.next()?;
        let mut end = chars.next()?;
        if c == '\\' {
            end = self.rest.char_indices().skip(3).take(10).find(|(_, c)| *c == '\'')?;
        }
        (end.1 == '\'').then_some(end.0 + 1)
    }
}

/// Returns the bytes between the quotes of a string; all of a text without quotes.
pub(super) fn inside_quotes(whole: &str) -> Range<usize> {
    let prefix = whole.len()
        - whole.trim_start_matches(|c: char| c.is_alphanumeric() || "#$@".contains(c)).len();
    let body = whole.get(prefix..).unwrap_or_default();
    let Some(quote) = body.chars().next().filter(|c| ['"', '\'', '`'].contains(c)) else {
        return 0..whole.len();
    };
    let run = body.len() - body.trim_start_matches(quote).len();
    let quotes = if run >= 6 || (run >= 3 && body.len() > run) { 3 } else { 1 };
    let closing = whole.trim_end_matches('#');
    let close: String = std::iter::repeat_n(quote, quotes).collect();
    let start = prefix + quotes;
    let end = closing.strip_suffix(&close).map_or(whole.len(), str::len);
    start..end.max(start)
}
