//! Reads values: quoted, unquoted, in blocks and between tags.

use std::ops::Range;

/// The longest value, in bytes.
pub(super) const MAX_VALUE: usize = 4 * 1024;

/// The most bytes between a name and its value.
pub(super) const MAX_BETWEEN: usize = 160;

/// The longest start tag and its attributes.
const MAX_TAG: usize = 200;

/// Signs of assignment in prose.
const SIGNS: [&str; 6] = ["→", "⇒", "➜", "⟶", "＝", "："];

/// A place in a text from which values are read.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// The longest unquoted value that is read, in bytes.
    pub(super) most: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips at most `most` of these bytes, and returns how many there were.
    pub(super) fn skip(&mut self, bytes: &[u8], most: usize) -> usize {
        let rest = self.rest().bytes().take(most);
        let count = rest.take_while(|byte| bytes.contains(byte)).count();
        self.at += count;
        count
    }

    /// Skips the size of an array, such as `[32]`.
    pub(super) fn skip_index(&mut self) {
        if self.peek() == Some(b'[') {
            let digits = self.rest().bytes().skip(1).take(8).take_while(u8::is_ascii_digit).count();
            if self.rest().as_bytes().get(digits + 1) == Some(&b']') {
                self.at += digits + 2;
            }
        }
    }

    /// Skips a tag of YAML, such as `!vault`.
    pub(super) fn skip_tag(&mut self) -> bool {
        let is_tag = self.peek() == Some(b'!');
        if is_tag {
            let word = self.rest().bytes().take(64).take_while(|byte| !byte.is_ascii_whitespace());
            self.at += word.count();
        }
        is_tag
    }

    /// Skips the end of a line that is continued.
    pub(super) fn skip_line_break(&mut self) {
        let rest = self.rest();
        if let Some(next) = rest.strip_prefix("\\\n").or_else(|| rest.strip_prefix("\\\r\n")) {
            self.at += rest.len() - next.trim_start_matches([' ', '\t']).len();
        }
    }

    pub(super) fn skip_operator(&mut self, operator: &str) {
        if self.rest().starts_with(operator) {
            self.at += operator.len();
        }
    }

    /// Skips one of these operators, and returns it.
    pub(super) fn operator<'o>(&mut self, operators: &[&'o str]) -> Option<&'o str> {
        let rest = self.rest();
        if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            self.at += sign.len();
            return operators.iter().copied().find(|operator| *operator == "=");
        }
        let signs = self.rest().bytes().take(4).take_while(|byte| b"=:>!<?+.|-~".contains(byte));
        let count = signs.count();
        let longest = |length: usize| {
            let signs = self.rest().get(..length)?;
            operators.iter().copied().find(|operator| *operator == signs)
        };
        let found = (1..=count).rev().find_map(longest)?;
        self.at += found.len();
        Some(found)
    }

    pub(super) fn ends_line(&self, at: usize) -> bool {
        let rest = self.text.get(at..).unwrap_or_default();
        let rest = rest.trim_start_matches([' ', '\t', '\r']);
        rest.is_empty()
            || rest.starts_with('\n')
            || rest.starts_with('#')
            || rest.starts_with(r"\n")
    }

    /// Returns the inside of the quoted text here, and goes to its end; also in escaped and in three quotes.
    pub(super) fn quoted(&mut self) -> Option<Range<usize>> {
        let rest = self.rest();
        let prefix = rest.bytes().take(2).take_while(|byte| b"bBrRfFuU@N$L".contains(byte)).count();
        let slashes = rest.bytes().skip(prefix).take(8).take_while(|byte| *byte == b'\\').count();
        let quote =
            rest.as_bytes().get(prefix + slashes).copied().filter(|byte| b"\"'`".contains(byte))?;
        let start = self.at + prefix + slashes + 1;
        let bytes = self.text.as_bytes();
        let near = start..bytes.len().min(start + MAX_VALUE);
        if slashes == 0 && bytes.get(start..start + 2) == Some(&[quote; 2]) {
            let inside = self.text.get(start + 2..)?;
            let close = memchr::memmem::find(
                inside.as_bytes().get(..MAX_VALUE).unwrap_or(inside.as_bytes()),
                &[quote; 3],
            )?;
            self.at = start + 2 + close + 3;
            return Some(start + 2..start + 2 + close);
        }
        let end = end_of_quoted(bytes, near, quote, slashes)?;
        self.at = end + slashes + 1;
        (end > start).then_some(start..end)
    }

    /// Returns the text up to the next blank.
    pub(super) fn word(&mut self) -> Option<Range<usize>> {
        if let Some(place) = self.quoted() {
            return Some(place);
        }
        self.bare()
    }

    /// Returns the unquoted value here: up to a blank, a quote, or a sign that ends it.
    pub(super) fn bare(&mut self) -> Option<Range<usize>> {
        let rest = self.rest().as_bytes();
        let mut depth = 0_usize;
        let mut end = 0;
        while let Some(byte) = rest.get(end).filter(|_| end < self.most) {
            let next = rest.get(end + 1..).unwrap_or_default();
            let stops = match byte {
                b'"' | b'\'' | b'<' | b'>' => true,
                b'&' | b';' | b',' | b'|' => is_separator(next),
                b'`' => next.first().is_none_or(|byte| !byte.is_ascii_alphanumeric()),
                b'\\' => next.first().is_none_or(|byte| b"nrt\"'\n".contains(byte)),
                b'(' | b'[' | b'{' => {
                    depth += 1;
                    false
                }
                b']' if depth == 0 => true,
                b')' | b'}' if depth == 0 => !is_within(next),
                b')' | b']' | b'}' => {
                    depth -= 1;
                    false
                }
                byte => byte.is_ascii_whitespace(),
            };
            if stops {
                break;
            }
            end += 1;
        }
        // The mark at the end of a sentence is not of the value.
        while end > 0 && rest.get(end - 1).is_some_and(|byte| b".,;".contains(byte)) {
            end -= 1;
        }
        let start = self.at;
        self.at += end;
        (end > 0 && self.text.is_char_boundary(start + end)).then_some(start..start + end)
    }
}

/// Returns `true` if a sign before this text ends a value: nothing, a blank or the next assignment follows.
fn is_separator(next: &[u8]) -> bool {
    let name = next
        .iter()
        .take(64)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.%-[]".contains(byte));
    let name = name.count();
    next.first().is_none_or(|byte| byte.is_ascii_whitespace() || b"\"'&;".contains(byte))
        || name > 0 && matches!(next.get(name), Some(b'=' | b':'))
}

/// Returns `true` if a bracket that was not opened is inside of a value.
fn is_within(next: &[u8]) -> bool {
    next.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// Returns the end of a quoted text: the same quote with as many backslashes. A doubled quote is part of it.
fn end_of_quoted(bytes: &[u8], near: Range<usize>, quote: u8, slashes: usize) -> Option<usize> {
    let mut at = near.start;
    while at < near.end {
        let found = memchr::memchr3(quote, b'\\', b'\n', bytes.get(at..near.end)?)?;
        at += found;
        match bytes.get(at)? {
            b'\n' => return None,
            b'\\' => {
                let run =
                    bytes.get(at..near.end)?.iter().take_while(|byte| **byte == b'\\').count();
                let is_quote = bytes.get(at + run) == Some(&quote);
                if is_quote && run == slashes {
                    return Some(at);
                }
                // An escaped quote, or another escape.
                let is_broken = run % 2 == 1 && bytes.get(at + run) == Some(&b'\n');
                at += run + usize::from(is_quote && (slashes > 0 || run % 2 == 1) || is_broken);
            }
            _ if slashes > 0 => return Some(at),
            _ if bytes.get(at + 1) == Some(&quote)
                && bytes.get(at + 2).is_some_and(u8::is_ascii_alphanumeric) =>
            {
                at += 2;
            }
            _ => return Some(at),
        }
    }
    None
}

/// Returns the part of the line before a place, of at most some hundred bytes.
pub(super) fn line_before(text: &str, at: usize) -> &str {
    let from = text.ceil_char_boundary(at.saturating_sub(256));
    let before = text.get(from..at).unwrap_or_default();
    before.rsplit('\n').next().unwrap_or_default()
}

/// Returns the bytes of a text that a part of it has.
pub(super) fn place_of(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

/// The least length of a line of encoded text that goes on in the next line.
const MIN_ENCODED_LINE: usize = 60;

/// Returns the value with the lines after it, if it is a line of base64 and they go on with it.
pub(super) fn with_next_lines(text: &str, value: Range<usize>) -> Range<usize> {
    let is_encoded = |line: &str| {
        line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte))
    };
    let first = text.get(value.clone()).unwrap_or_default();
    if first.len() < MIN_ENCODED_LINE || !is_encoded(first) {
        return value;
    }
    let mut end = value.end;
    let rest = text.get(end..text.floor_char_boundary(end + MAX_VALUE)).unwrap_or_default();
    for line in rest.split_inclusive('\n').skip(1) {
        let line = line.trim_end();
        if line.is_empty() || line.len() > first.len() || !is_encoded(line) {
            break;
        }
        end = place_of(text, line).end;
        if line.len() < first.len() {
            break;
        }
    }
    value.start..end
}

/// Returns the inside of the literal here, also of one in brackets or after its type, and goes to its end.
pub(super) fn literal(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    let start = reader.at;
    let rest = reader.rest();
    // `%q(x)` of Ruby.
    if let Some(inner) = rest.strip_prefix("%q(").or_else(|| rest.strip_prefix("%Q(")) {
        let close = inner.get(..inner.floor_char_boundary(MAX_TAG))?.find(')')?;
        reader.at += 3 + close + 1;
        return Some(start + 3..start + 3 + close);
    }
    let skipped = literal_type(rest);
    reader.at += skipped;
    let place = reader.quoted();
    if place.is_none() {
        reader.at = start;
    }
    place
}

/// Returns the length of the text that belongs to a literal and is before it: a bracket, a type that is made of it, or its length.
fn literal_type(rest: &str) -> usize {
    let near = rest.get(..rest.floor_char_boundary(48)).unwrap_or_default();
    let Some(quote) = near.find(['"', '\'']) else { return 0 };
    let before = near.get(..quote).unwrap_or_default();
    let name = before.trim_end_matches(['(', '{', ' ', '<']);
    let is_bracket = name.is_empty() && before.trim_end().len() == 1;
    let is_type = before.len() > name.len()
        && [
            "[]byte", "Some", "Just", "lazy", "by lazy", "String::from", "bytes", "bytearray",
            "new String",
        ]
        .contains(&name);
    let is_length = before.strip_prefix("string(").and_then(|it| it.trim_end().strip_suffix(')'));
    let is_length = is_length.is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
    if is_bracket || is_type || is_length { quote } else { 0 }
}

/// The fewest bytes of a key that is written as numbers.
const MIN_NUMBERS: usize = 8;

/// Returns the numbers of bytes in the brackets that open at a place.
pub(super) fn numbers(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..text.floor_char_boundary(at + MAX_VALUE))?;
    let inner = rest.strip_prefix("new byte[] {").or_else(|| rest.strip_prefix(['[', '{', '(']))?;
    let inner = inner.get(..inner.find([']', '}', ')'])?)?.trim();
    let is_byte = |number: &str| {
        let number = number.trim();
        match number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")) {
            Some(digits) => u8::from_str_radix(digits, 16).is_ok(),
            None => number.parse::<u8>().is_ok(),
        }
    };
    let inner = inner.trim_end_matches(',');
    (inner.split(',').count() >= MIN_NUMBERS && inner.split(',').all(is_byte))
        .then(|| place_of(text, inner))
}

/// Returns the numbers of bytes after the type of an array, which is written in brackets.
pub(super) fn typed_numbers(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..text.floor_char_boundary(at + 48))?;
    let after = rest.strip_prefix(['[', '&'])?.split_once("] = ")?.1.trim_start_matches('&');
    numbers(text, place_of(text, after).start)
}

/// Returns the block of deeper lines after `|` or `>`.
pub(super) fn block(text: &str, at: usize, indent: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let head = rest
        .strip_prefix(['|', '>'])?
        .trim_start_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    let body = head.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
    let start = text.len() - body.len();
    let near = body.get(..body.floor_char_boundary(2 * MAX_VALUE))?;
    let mut end = start;
    let mut first = None;
    for line in near.split_inclusive('\n') {
        let inner = line.trim_start_matches([' ', '\t']);
        let is_blank = inner.trim().is_empty();
        if !is_blank && line.len() - inner.len() <= indent {
            break;
        }
        if !is_blank {
            let place = place_of(text, inner.trim_end());
            first = first.or(Some(place.start));
            end = place.end;
        }
    }
    first.map(|first| first..end)
}

/// Returns the place after the start tag, if the name is that of an element or of an attribute that names one.
pub(super) fn after_tag(text: &str, name: &Range<usize>) -> Option<usize> {
    let before = text.get(..name.start)?;
    if !before.ends_with(['<', ':', '"', '\'']) {
        return None;
    }
    let head = before.get(before.floor_char_boundary(name.start.saturating_sub(MAX_TAG))..)?;
    let tag = head.get(head.rfind(['<', '>', '\n'])?..)?.strip_prefix('<')?;
    if tag.starts_with('/') || tag.starts_with('?') {
        return None;
    }
    let rest = text.get(name.end..text.floor_char_boundary(name.end + MAX_TAG))?;
    let close = rest.find(['<', '>'])?;
    let attributes = rest.get(..close)?;
    let is_element =
        tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":._-".contains(&byte));
    let is_named = tag.ends_with("name=\"") || tag.ends_with("key=\"") || tag.ends_with("name='");
    let is_open =
        rest.as_bytes().get(close) == Some(&b'>') && !attributes.ends_with(['/', '-', '=']);
    let is_rest = attributes.is_empty() || attributes.starts_with([' ', '"', '\'']);
    let is_value =
        attributes.to_ascii_lowercase().contains("value=") || attributes.contains("content=");
    let is_tag = is_element && !attributes.starts_with('"') || is_named && !is_value;
    (is_tag && is_open && is_rest).then_some(name.end + close + 1)
}

/// Returns the text of the cell after the one that is the name, in a table of markup.
pub(super) fn next_cell(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let before = text.get(..name.start)?.strip_suffix('>')?;
    let tag = ["td", "th", "dt"].into_iter().find(|tag| before.ends_with(tag))?;
    let rest = text.get(name.end..text.floor_char_boundary(name.end + MAX_TAG))?;
    let rest =
        rest.trim_start_matches(':').strip_prefix("</")?.strip_prefix(tag)?.strip_prefix('>')?;
    let inner = rest.trim_start();
    let cell = inner.strip_prefix("<td>").or_else(|| inner.strip_prefix("<dd>"))?;
    element(text, place_of(text, cell).start)
}

/// Returns the text up to the next tag, without blanks around it; in a section of CDATA up to its end.
pub(super) fn element(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let near = rest.get(..rest.floor_char_boundary(MAX_VALUE))?;
    let open = near.len() - near.trim_start().len();
    let inner = near.get(open..)?;
    // The value is in an element of its own.
    let child = ["<value>", "<plain>", "<string>", "<text>"]
        .into_iter()
        .find(|child| inner.get(..child.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(child)));
    let open = open + child.map_or(0, str::len);
    let inner = near.get(open..)?;
    let (skipped, inner) = match inner.strip_prefix("<![CDATA[") {
        Some(data) => (open + 9, data.split_once("]]>")?.0),
        None => (open, inner.split_once('<')?.0),
    };
    let inner = inner.trim_end();
    let place = start + skipped..start + skipped + inner.len();
    // The next element begins in another line.
    (!place.is_empty() && !inner.contains("\n\n")).then_some(place)
}
