//! Returns the readable text of an HTML page: its main part, in paragraphs, without navigation and programs.
//!
//! The tokenizer is linear in the size of the page and has no recursion. A parser that builds a tree needed a minute for
//! a page of 200 KB with deep nesting or thousands of attributes.

use html5gum::{DefaultEmitter, Token, Tokenizer};

/// Elements with content that is not for readers. Browsers read the content of the first ones as text without tags.
const HIDDEN: [&[u8]; 17] = [
    b"script", b"style", b"template", b"noscript", b"iframe", b"svg", b"math", b"head", b"nav",
    b"footer", b"aside", b"form", b"select", b"button", b"object", b"dialog", b"textarea",
];
/// Elements that continue their line. Every other one begins a new paragraph.
const INLINE: [&[u8]; 26] = [
    b"a", b"abbr", b"b", b"bdi", b"bdo", b"big", b"cite", b"code", b"del", b"em", b"font", b"i",
    b"ins", b"kbd", b"mark", b"q", b"s", b"samp", b"small", b"span", b"strong", b"sub", b"sup",
    b"tt", b"u", b"var",
];
/// Elements of the main part of a page.
const MAIN: [&[u8]; 2] = [b"main", b"article"];

/// Returns the readable text of a page.
pub(super) fn read_text(page: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut reader = PageReader::default();
    for token in Tokenizer::new_with_emitter(page, emitter) {
        let Ok(token) = token;
        reader.read(token);
    }
    reader.finish()
}

/// The text read so far.
#[derive(Default)]
struct PageReader {
    all: Paragraphs,
    /// The text inside `main` and `article`.
    main: Paragraphs,
    /// The hidden element that is open, and the number of elements of that name inside it.
    hidden: Option<(Vec<u8>, usize)>,
    main_depth: usize,
    pre_depth: usize,
}

impl PageReader {
    /// Processes one token of the page.
    fn read(&mut self, token: Token) {
        match token {
            Token::StartTag(tag) => self.open(&tag.name, tag.self_closing),
            Token::EndTag(tag) => self.close(&tag.name),
            Token::String(text) => self.add(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }

    /// Processes a start tag; content of hidden elements is left out until their end.
    fn open(&mut self, name: &[u8], is_empty: bool) {
        if let Some((open, depth)) = &mut self.hidden {
            *depth += usize::from(open.as_slice() == name);
            return;
        }
        if HIDDEN.contains(&name) {
            self.hidden = (!is_empty).then(|| (name.to_vec(), 1));
        } else if MAIN.contains(&name) {
            self.main_depth += 1;
        } else if name == b"pre" {
            self.pre_depth += 1;
        } else if name == b"body" {
            // A page may omit the end of its head, and its beginning.
            self.hidden = None;
        }
        self.end_paragraph(name);
    }

    /// Processes an end tag.
    fn close(&mut self, name: &[u8]) {
        if let Some((open, depth)) = &mut self.hidden {
            *depth -= usize::from(open.as_slice() == name);
            if *depth == 0 {
                self.hidden = None;
            }
            return;
        }
        if MAIN.contains(&name) {
            self.end_paragraph(name);
            self.main_depth = self.main_depth.saturating_sub(1);
        } else if name == b"pre" {
            self.pre_depth = self.pre_depth.saturating_sub(1);
        }
        self.end_paragraph(name);
    }

    /// Ends the paragraph at a tag that is not part of a line.
    fn end_paragraph(&mut self, name: &[u8]) {
        if !INLINE.contains(&name) {
            self.all.end();
            self.main.end();
        }
    }

    /// Adds text to the page, and to its main part if it is inside of it; text of hidden elements is left out.
    fn add(&mut self, text: &str) {
        if self.hidden.is_some() {
            return;
        }
        let keeps_lines = self.pre_depth > 0;
        self.all.add(text, keeps_lines);
        if self.main_depth > 0 {
            self.main.add(text, keeps_lines);
        }
    }

    /// Returns the main part of the page, or all of it if there is no main part.
    fn finish(mut self) -> String {
        self.all.end();
        self.main.end();
        if self.main.text.is_empty() { self.all.text } else { self.main.text }
    }
}

/// Paragraphs, separated by empty lines.
#[derive(Default)]
struct Paragraphs {
    text: String,
    open: String,
}

impl Paragraphs {
    /// Adds text to the open paragraph; outside of `pre`, white space is one space.
    fn add(&mut self, text: &str, keeps_lines: bool) {
        if keeps_lines {
            self.open.push_str(text);
            return;
        }
        let ends_in_space = self.open.is_empty() || self.open.ends_with([' ', '\n']);
        if text.starts_with(char::is_whitespace) && !ends_in_space {
            self.open.push(' ');
        }
        for (index, word) in text.split_whitespace().enumerate() {
            if index > 0 {
                self.open.push(' ');
            }
            self.open.push_str(word);
        }
        if text.ends_with(char::is_whitespace) && !self.open.ends_with([' ', '\n']) {
            self.open.push(' ');
        }
    }

    /// Ends the paragraph; an empty one is left out.
    fn end(&mut self) {
        let paragraph = self.open.trim_matches('\n').trim_end();
        if !paragraph.trim().is_empty() {
            if !self.text.is_empty() {
                self.text.push_str("\n\n");
            }
            self.text.push_str(paragraph);
        }
        self.open.clear();
    }
}
