//! Tells which texts the parser reads in little time and stack: it goes down a level for every bracket, and reads
//! what is in some of them twice, so that time grows with the depth times the length.
//!
//! One pass over the bytes finds the deepest nesting there can be. Where a text can be understood in two ways
//! (a regular expression or a division), what opens counts and what closes does not.

/// Bytes of the longest text: its operators, which nest too, must have room on the stack.
const MAX_BYTES: usize = 512 << 10;
/// Brackets open at once. Programs have some ten, tables written by programs some more.
const MAX_DEPTH: usize = 200;
/// Bytes times depth: what the parser reads if it reads everything again on each level, a second's work.
const MAX_WORK: usize = 16 << 20;
/// Bytes of a text with elements: brackets in the text between tags close nothing, and only the parser knows
/// which those are, so that nothing is known of its depth.
const MAX_ELEMENTS: usize = 16 << 10;

/// Whether a text, which may have elements (JSX) in it, is one to be given to the parser.
pub(super) fn are_kept(text: &str, has_elements: bool) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() > MAX_BYTES {
        return false;
    }
    let ends_tag = |with: &[u8]| memchr::memmem::find(bytes, with).is_some();
    if has_elements && bytes.len() > MAX_ELEMENTS && (ends_tag(b"</") || ends_tag(b"/>")) {
        return false;
    }
    let scan =
        Scan { bytes, has_elements, at: 0, open: 0, angles: 0, deepest: 0, templates: Vec::new() };
    scan.depth().is_some_and(|depth| depth <= MAX_DEPTH && depth * bytes.len() <= MAX_WORK)
}

/// Where the pass is, and what is open there.
struct Scan<'t> {
    bytes: &'t [u8],
    has_elements: bool,
    at: usize,
    open: usize,
    /// Angle brackets after names, open within one statement: each may be a type's or a comparison.
    angles: usize,
    deepest: usize,
    /// What was open before the code in each template around.
    templates: Vec<usize>,
}

impl Scan<'_> {
    /// Returns the deepest nesting; `None` when it cannot be told.
    fn depth(mut self) -> Option<usize> {
        while let Some(byte) = self.byte(self.at) {
            self.at += 1;
            match byte {
                b'(' | b'[' | b'{' => self.opens(),
                b')' | b']' => self.open = self.open.saturating_sub(1),
                b'}' => self.closes_brace()?,
                b';' => self.angles = 0,
                b'<' => self.angle(),
                b'>' if self.byte_before(1) != Some(b'=') => {
                    self.angles = self.angles.saturating_sub(1);
                }
                b'\'' | b'"' => self.string(byte)?,
                b'`' => self.template()?,
                b'/' => self.slash()?,
                _ => {}
            }
        }
        Some(self.deepest)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Returns the byte so many before the one just read.
    fn byte_before(&self, back: usize) -> Option<u8> {
        self.byte(self.at.checked_sub(back + 1)?)
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn opens(&mut self) {
        self.open += 1;
        self.deepest = self.deepest.max(self.open + self.angles);
    }

    fn closes_brace(&mut self) -> Option<()> {
        self.angles = 0;
        self.open = self.open.saturating_sub(1);
        if self.templates.last() == Some(&self.open) {
            self.templates.pop();
            self.template()?;
        }
        Some(())
    }

    fn angle(&mut self) {
        let after = self.byte(self.at);
        let before = self.word_end().and_then(|end| self.byte(end));
        if !matches!(after, Some(b'<' | b'=' | b'/')) && before.is_some_and(is_word) {
            self.angles += 1;
            self.deepest = self.deepest.max(self.open + self.angles);
        }
    }

    /// Returns where the last byte stands before the one just read that is no white space.
    fn word_end(&self) -> Option<usize> {
        let before = self.bytes.get(..self.at - 1)?;
        before.iter().rposition(|byte| !byte.is_ascii_whitespace())
    }

    /// Reads a string to its end; a quote with none on its line is an apostrophe between tags.
    fn string(&mut self, quote: u8) -> Option<()> {
        let mut at = self.at;
        loop {
            match self.byte(at) {
                Some(b'\\') => at += 1,
                Some(byte) if byte == quote => break,
                Some(b'\n') | None => return self.has_elements.then_some(()),
                Some(_) => {}
            }
            at += 1;
        }
        self.at = at + 1;
        Some(())
    }

    /// Reads a template to its end, or to the code in it.
    fn template(&mut self) -> Option<()> {
        loop {
            match self.byte(self.at)? {
                b'\\' => self.at += 1,
                b'`' => {
                    self.at += 1;
                    return Some(());
                }
                b'$' if self.byte(self.at + 1) == Some(b'{') => {
                    self.at += 2;
                    self.templates.push(self.open);
                    self.opens();
                    return Some(());
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads what begins with a slash: a comment, a regular expression, a division, the end of a tag.
    fn slash(&mut self) -> Option<()> {
        match self.byte(self.at) {
            Some(b'/') => {
                self.at += memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len());
                return Some(());
            }
            Some(b'*') => {
                let end = memchr::memmem::find(self.rest(), b"*/")?;
                self.at += end + 2;
                return Some(());
            }
            Some(b'>') if self.has_elements => return Some(()),
            _ => {}
        }
        if self.has_elements && self.byte_before(1) == Some(b'<') {
            return Some(());
        }
        let begins = self.begins_expression();
        let Some(end) = self.expression_end() else { return (!begins).then_some(()) };
        let inside = self.bytes.get(self.at..end).unwrap_or_default();
        let quotes = inside.iter().any(|byte| matches!(byte, b'\'' | b'"' | b'`'));
        let opened = inside.iter().filter(|byte| matches!(byte, b'(' | b'[' | b'{')).count();
        let comments = matches!(self.byte(end + 1), Some(b'/' | b'*'));
        if begins {
            self.at = end + 1;
            return Some(());
        }
        if quotes || comments {
            return None;
        }
        self.open += opened;
        self.deepest = self.deepest.max(self.open + self.angles);
        self.at = end + 1;
        Some(())
    }

    /// Returns where a regular expression that begins here ends, if it may be one: on the same line.
    fn expression_end(&self) -> Option<usize> {
        let mut in_class = false;
        let mut at = self.at;
        loop {
            match self.byte(at)? {
                b'\n' => return None,
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => return Some(at),
                _ => {}
            }
            at += 1;
        }
    }

    /// Whether an expression begins at the slash just read, so that it can be no division.
    fn begins_expression(&self) -> bool {
        let Some(end) = self.word_end() else { return true };
        match self.byte(end) {
            Some(b'(' | b',' | b'=' | b':' | b'[' | b'&' | b'|' | b'?' | b';' | b'{') => true,
            Some(b'>') => end > 0 && self.byte(end - 1) == Some(b'='),
            Some(byte) if byte.is_ascii_lowercase() => {
                let before = self.bytes.get(..=end).unwrap_or_default();
                let start = before.iter().rposition(|byte| !is_word(*byte)).map_or(0, |at| at + 1);
                let word = before.get(start..).unwrap_or_default();
                let is_member = start > 0 && matches!(self.byte(start - 1), Some(b'.' | b'#'));
                !is_member && KEYWORDS.contains(&word)
            }
            _ => false,
        }
    }
}

/// Words after which a value comes.
const KEYWORDS: [&[u8]; 9] =
    [b"return", b"typeof", b"case", b"in", b"instanceof", b"delete", b"void", b"throw", b"else"];

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte == b'$' || byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::{MAX_DEPTH, MAX_WORK, are_kept};

    /// Whether a text of that part, as often as is too deep when it opens something, is kept.
    fn is_kept(part: &str) -> bool {
        are_kept(&part.repeat(MAX_DEPTH + 1), false)
    }

    #[test]
    fn what_closes_nothing_is_not_counted() {
        for deep in [
            "(",
            "[",
            "{",
            "f<",
            "(')'",
            "(\")\"",
            "(`)`",
            "(`${1})`",
            "(/*)*/",
            "(//)\n",
            "(/)/",
            "(=/[/)]/",
            "(return/)/",
            "(a/)/b",
            "((x)/)/;",
            "('\\')'",
            "`${`${a}`",
            "{`}`",
        ] {
            assert!(!is_kept(deep), "{deep}");
        }
    }

    #[test]
    fn what_programs_have_a_lot_of_is_kept() {
        for flat in [
            "f(a)[b]{c}\n",
            "'(' + \"[\" + `{` // (\n",
            "`a ${b('`')} c`;",
            "x = /[(/]/.test(y) && /\\(/;",
            "return /(/;",
            "a = b / c;\nd = (e) / f;\n",
            "if (a < b && c > d) {}",
            "Map<K, V<W>>;",
            "x = a << 2;",
        ] {
            assert!(is_kept(flat), "{flat}");
        }
    }

    #[test]
    fn deep_texts_are_short() {
        let text = |depth: usize, bytes: usize| "(".repeat(depth) + &"a".repeat(bytes);
        assert!(are_kept(&text(100, 1_000), false));
        assert!(!are_kept(&text(100, MAX_WORK / 100), false));
    }

    #[test]
    fn an_apostrophe_between_tags_begins_no_string() {
        let text = "<p>it's</p>;\n".repeat(300);
        assert!(are_kept(&text, true));
        assert!(!are_kept(&text, false));
        assert!(!are_kept(&text.repeat(10), true));
    }
}
