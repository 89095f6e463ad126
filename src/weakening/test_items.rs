//! Finds the tests inside a source file, by each language's own marks.

use std::ops::Range;

use super::token::{Kind, Token};
use crate::lang::Family;

/// A test, or the part of a test module that is in none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestItem {
    /// Empty for what is in no test.
    pub(super) name: String,
    /// From 1.
    pub(super) line: usize,
    /// Its tokens.
    pub(super) body: Range<usize>,
    /// Its attributes, as text.
    pub(super) attributes: Vec<String>,
}

/// Returns the tests of a file in order, and the spans of test modules.
pub(super) fn find(tokens: &[Token], language: Family) -> (Vec<TestItem>, Vec<Range<usize>>) {
    let finder = Finder { tokens, closers: closers(tokens) };
    let (mut items, mut modules) = (Vec::new(), Vec::new());
    for at in 0..tokens.len() {
        match language {
            Family::Rust => finder.rust(at, &mut items, &mut modules),
            Family::Script => finder.script(at, &mut items, &mut modules),
            Family::Python => finder.python(at, &mut items, &mut modules),
            Family::Go | Family::Php => finder.named(at, &mut items),
            Family::Jvm | Family::CSharp => finder.annotated(at, &mut items),
            Family::Ruby => finder.ruby(at, &mut items),
            _ => break,
        }
    }
    (outermost(items, |item| &item.body), outermost(modules, |module| module))
}

/// Leaves out what begins inside another: a test in a test is a part of it.
fn outermost<T>(all: Vec<T>, span: impl Fn(&T) -> &Range<usize>) -> Vec<T> {
    let mut end = 0;
    all.into_iter()
        .filter(|one| {
            let span = span(one);
            let is_outer = span.start >= end;
            end = if is_outer { span.end } else { end };
            is_outer
        })
        .collect()
}

/// Returns for each opening bracket where it closes; the end for one that does not.
pub(super) fn closers(tokens: &[Token]) -> Vec<usize> {
    let mut closers = vec![tokens.len(); tokens.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Mark) {
        match token.text.as_str() {
            "(" => open.push((at, ")")),
            "[" => open.push((at, "]")),
            "{" => open.push((at, "}")),
            close @ (")" | "]" | "}") => {
                // A bracket that nobody opened, as in a pattern of a macro, closes nothing.
                if open.last().is_some_and(|(_, wanted)| *wanted == close)
                    && let Some((opener, _)) = open.pop()
                    && let Some(closer) = closers.get_mut(opener)
                {
                    *closer = at;
                }
            }
            _ => {}
        }
    }
    closers
}

/// Looks for tests among tokens.
pub(super) struct Finder<'a> {
    pub(super) tokens: &'a [Token],
    /// As [`closers`] finds them.
    pub(super) closers: Vec<usize>,
}

impl Finder<'_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    pub(super) fn is_mark(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Mark && token.text == text)
    }

    fn is_word(&self, at: usize, words: &[&str]) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| token.kind == Kind::Word && words.contains(&token.text.as_str()))
    }

    pub(super) fn close(&self, at: usize) -> usize {
        self.closers.get(at).copied().unwrap_or(self.tokens.len())
    }

    fn item(&self, name: &str, at: usize, body: Range<usize>, attributes: Vec<String>) -> TestItem {
        let line = self.tokens.get(at).map_or(1, |token| token.line);
        TestItem { name: name.to_owned(), line, body, attributes }
    }

    /// Returns the block that follows, whatever stands before its brace.
    fn block(&self, mut at: usize) -> Option<Range<usize>> {
        let end = at + 200;
        while at < end.min(self.tokens.len()) {
            match self.text(at) {
                // What is never closed is no block.
                "{" if self.is_mark(at, "{") => {
                    return Some(at..self.close(at)).filter(|block| block.end < self.tokens.len());
                }
                ";" if self.is_mark(at, ";") => return None,
                "(" | "[" => at = self.close(at) + 1,
                _ => at += 1,
            }
        }
        None
    }

    /// Returns where the item ends that begins at a token: with its block, or its semicolon.
    pub(super) fn item_end(&self, mut at: usize) -> usize {
        while at < self.tokens.len() {
            match self.text(at) {
                "{" if self.is_mark(at, "{") => return self.close(at),
                ";" if self.is_mark(at, ";") => return at,
                "(" | "[" => at = self.close(at) + 1,
                _ => at += 1,
            }
        }
        at
    }

    fn rust(&self, at: usize, items: &mut Vec<TestItem>, modules: &mut Vec<Range<usize>>) {
        let begins = |at: usize| self.is_mark(at, "#") && self.is_mark(at + 1, "[");
        // Only the first of several attributes reads them all.
        let follows = at > 0 && self.is_mark(at - 1, "]") && self.follows_attribute(at);
        if !begins(at) || follows {
            return;
        }
        let (mut next, mut attributes) = (at, Vec::new());
        while begins(next) {
            let end = self.close(next + 1);
            attributes.push(self.joined(next + 2..end));
            next = end + 1;
        }
        let mut end = next;
        while end < next + 12 && !self.is_word(end, &["fn", "mod"]) {
            end += 1;
        }
        let Some(body) = self.block(end + 2) else { return };
        if self.is_word(end, &["fn"]) && attributes.iter().any(|it| is_test_attribute(it)) {
            items.push(self.item(self.text(end + 1), end, body, attributes));
        } else if self.is_word(end, &["mod"]) && attributes.iter().any(|it| it == "cfg ( test )") {
            modules.push(body);
        }
    }

    fn follows_attribute(&self, at: usize) -> bool {
        let from = at.saturating_sub(64);
        (from..at).any(|open| {
            self.is_mark(open, "[")
                && open > 0
                && self.is_mark(open - 1, "#")
                && self.close(open) + 1 == at
        })
    }

    pub(super) fn joined(&self, range: Range<usize>) -> String {
        let tokens = self.tokens.get(range).unwrap_or_default();
        tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn script(&self, at: usize, items: &mut Vec<TestItem>, modules: &mut Vec<Range<usize>>) {
        let is_test = self.is_word(at, &["it", "test", "specify"]);
        let is_suite = self.is_word(at, &["describe", "suite", "context"]);
        if !(is_test || is_suite) || (at > 0 && self.is_mark(at - 1, ".")) {
            return;
        }
        let mut open = at + 1;
        while self.is_mark(open, ".") {
            open += 2;
            if self.is_word(open - 1, &["each", "for"]) && self.is_mark(open, "(") {
                open = self.close(open) + 1;
            }
        }
        let named = self.tokens.get(open + 1).is_some_and(|token| token.kind == Kind::Text);
        if !self.is_mark(open, "(") || !named || !self.is_mark(open + 2, ",") {
            return;
        }
        let body = open..self.close(open);
        if body.end == self.tokens.len() {
            return;
        }
        if is_test {
            items.push(self.item(self.text(open + 1), at, body, Vec::new()));
        } else {
            modules.push(body);
        }
    }

    fn python(&self, at: usize, items: &mut Vec<TestItem>, modules: &mut Vec<Range<usize>>) {
        let name = self.text(at + 1);
        if !self.is_word(at, &["def", "class"]) || !self.begins_line(at) {
            return;
        }
        if self.is_word(at, &["def"]) && name.starts_with("test") {
            items.push(self.item(name, at, self.indented(at), Vec::new()));
        } else if self.is_word(at, &["class"])
            && (name.starts_with("Test") || name.ends_with("Test"))
        {
            modules.push(self.indented(at));
        }
    }

    fn ruby(&self, at: usize, items: &mut Vec<TestItem>) {
        let named = self.tokens.get(at + 1).is_some_and(|token| token.kind == Kind::Text);
        let is_spec = self.is_word(at, &["it", "test", "specify"]) && named;
        let is_method = self.is_word(at, &["def"]) && self.text(at + 1).starts_with("test_");
        if (is_spec || is_method) && self.begins_line(at) {
            items.push(self.item(self.text(at + 1), at, self.indented(at), Vec::new()));
        }
    }

    /// Returns what is indented more than the line of a token.
    fn indented(&self, at: usize) -> Range<usize> {
        let Some(head) = self.tokens.get(at) else { return at..at };
        let column = self.tokens.get(self.first_of_line(head.line)).map_or(0, |it| it.column);
        let mut last = head.line;
        let below = self.tokens.partition_point(|token| token.line <= head.line);
        for (end, token) in self.tokens.iter().enumerate().skip(below) {
            if token.line > last && token.column <= column {
                return at..end;
            }
            last = token.line;
        }
        at..self.tokens.len()
    }

    fn first_of_line(&self, line: usize) -> usize {
        self.tokens.partition_point(|token| token.line < line)
    }

    /// A definition stands first on its line, or after `async`: so each line is looked at once.
    fn begins_line(&self, at: usize) -> bool {
        let first = self.tokens.get(at).map_or(0, |token| self.first_of_line(token.line));
        at == first || (at == first + 1 && self.is_word(first, &["async"]))
    }

    fn named(&self, at: usize, items: &mut Vec<TestItem>) {
        let name = self.text(at + 1);
        let begins = ["Test", "Benchmark", "Fuzz", "Example", "test"];
        if self.is_word(at, &["func", "function"]) && begins.iter().any(|it| name.starts_with(it)) {
            items.extend(self.block(at + 2).map(|body| self.item(name, at, body, Vec::new())));
        }
    }

    fn annotated(&self, at: usize, items: &mut Vec<TestItem>) {
        const WORDS: &[&str] = &[
            "Test",
            "ParameterizedTest",
            "RepeatedTest",
            "TestFactory",
            "Fact",
            "Theory",
            "TestCase",
            "TestMethod",
            "DataTestMethod",
            "Property",
        ];
        let opens = at > 0 && (self.is_mark(at - 1, "@") || self.is_mark(at - 1, "["));
        if !(opens && self.is_word(at, WORDS)) {
            return;
        }
        let is_name = |at: &usize| {
            self.tokens.get(*at).is_some_and(|token| token.kind == Kind::Word)
                && self.is_mark(at + 1, "(")
                && !self.is_mark(at.saturating_sub(1), "@")
        };
        let Some(name) = (at + 1..at + 40).find(is_name) else { return };
        let Some(body) = self.block(name + 1) else { return };
        // Of several annotations of one test the last one counts.
        if items.last().is_some_and(|item| item.body == body) {
            items.pop();
        }
        items.push(self.item(self.text(name), name, body, Vec::new()));
    }
}

pub(super) fn is_test_attribute(attribute: &str) -> bool {
    let path = attribute.split(" (").next().unwrap_or(attribute);
    let last = path.rsplit(' ').next().unwrap_or(path);
    ["test", "rstest", "bench", "quickcheck", "test_case", "case"].contains(&last)
        || last.ends_with("_test")
}
