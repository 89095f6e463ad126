//! Finds the tests in a source file by the marks of each language.

use std::ops::Range;

use papayu_lang::Family;
use papayu_lang::{Token, TokenKind};

/// A test, or the part of a test module that is in none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestItem {
    /// Empty for code of a test module outside of its tests.
    pub(super) name: String,
    /// From 1.
    pub(super) line: usize,
    /// Its tokens.
    pub(super) body: Range<usize>,
    /// Its attributes, as text.
    pub(super) attributes: Vec<String>,
}

/// The tests of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TestItems {
    /// In order, none in another.
    pub(super) items: Vec<TestItem>,
    /// The tokens of each test module.
    pub(super) modules: Vec<Range<usize>>,
}

/// Returns the tests of a file in the order of their lines.
pub(super) fn find_tests(tokens: &[Token], family: Family) -> TestItems {
    let finder = TestItemFinder { tokens, closers: match_brackets(tokens) };
    let mut found = TestItems::default();
    for at in 0..tokens.len() {
        match family {
            Family::Rust => finder.read_rust(at, &mut found),
            Family::Script => finder.read_script(at, &mut found),
            Family::Python => finder.read_python(at, &mut found),
            Family::Go | Family::Php => finder.read_named(at, &mut found.items),
            Family::Jvm | Family::CSharp => finder.read_annotated(at, &mut found.items),
            Family::Ruby => finder.read_ruby(at, &mut found.items),
            Family::C
            | Family::Elixir
            | Family::Shell
            | Family::OtherCode
            | Family::Json
            | Family::Toml
            | Family::Yaml
            | Family::Ini
            | Family::Make
            | Family::Other => break,
        }
    }
    found.items = keep_outermost(found.items, |item| &item.body);
    found.modules = keep_outermost(found.modules, |module| module);
    found
}

/// Removes items that begin inside another one: a test in a test is a part of it.
fn keep_outermost<T>(all: Vec<T>, span: impl Fn(&T) -> &Range<usize>) -> Vec<T> {
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

/// Returns the position of the closing bracket for each opening one; the number of tokens for a
/// bracket that is not closed.
pub(super) fn match_brackets(tokens: &[Token]) -> Vec<usize> {
    let mut closers = vec![tokens.len(); tokens.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Mark)
    {
        match token.text.as_str() {
            "(" => open.push((at, ")")),
            "[" => open.push((at, "]")),
            "{" => open.push((at, "}")),
            close @ (")" | "]" | "}") => {
                // A bracket without its opening one, as in a pattern of a macro, closes nothing.
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

/// Finds tests among tokens.
pub(super) struct TestItemFinder<'a> {
    pub(super) tokens: &'a [Token],
    /// As [`match_brackets`] finds them.
    pub(super) closers: Vec<usize>,
}

impl TestItemFinder<'_> {
    /// Returns the text of a token, empty behind the last one.
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    /// Returns `true` if the token is this punctuation mark. A string with the same text is
    /// none.
    pub(super) fn is_mark(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Mark && token.text == text)
    }

    /// Returns `true` if the token is one of these words.
    fn is_word(&self, at: usize, words: &[&str]) -> bool {
        self.tokens.get(at).is_some_and(|token| {
            token.kind == TokenKind::Word && words.contains(&token.text.as_str())
        })
    }

    /// Returns the position of the bracket that closes the one at `at`; the number of tokens if
    /// none does.
    pub(super) fn close(&self, at: usize) -> usize {
        self.closers.get(at).copied().unwrap_or(self.tokens.len())
    }

    /// Returns a test with the line of the token at `at`.
    fn new_item(
        &self,
        name: &str,
        at: usize,
        body: Range<usize>,
        attributes: Vec<String>,
    ) -> TestItem {
        let line = self.tokens.get(at).map_or(1, |token| token.line);
        TestItem { name: name.to_owned(), line, body, attributes }
    }

    /// Returns the next block in braces; `None` if the statement ends before, or no brace
    /// follows within 200 tokens.
    fn find_block(&self, mut at: usize) -> Option<Range<usize>> {
        let end = at + 200;
        while at < end.min(self.tokens.len()) {
            match self.text(at) {
                // A brace that is never closed begins no block.
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

    /// Returns the last token of the item that begins at a token: the end of its block, or its
    /// semicolon.
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

    /// Reads a function with `#[test]` or a similar attribute.
    fn read_rust(&self, at: usize, found: &mut TestItems) {
        // The first of several attributes reads them all.
        let follows = at > 0 && self.is_mark(at - 1, "]") && self.follows_attribute(at);
        if !self.begins_attribute(at) || follows {
            return;
        }
        let (mut next, mut attributes) = (at, Vec::new());
        while self.begins_attribute(next) {
            let end = self.close(next + 1);
            attributes.push(self.join_texts(next + 2..end));
            next = end + 1;
        }
        let mut end = next;
        while end < next + 12 && !self.is_word(end, &["fn", "mod"]) {
            end += 1;
        }
        let Some(body) = self.find_block(end + 2) else { return };
        if self.is_word(end, &["fn"]) && attributes.iter().any(|it| is_test_attribute(it)) {
            found.items.push(self.new_item(self.text(end + 1), end, body, attributes));
        } else if self.is_word(end, &["mod"]) && attributes.iter().any(|it| it == "cfg ( test )") {
            found.modules.push(body);
        }
    }

    /// Returns `true` at the `#` of `#[…]`; `at` is the index of a token.
    pub(super) fn begins_attribute(&self, at: usize) -> bool {
        self.is_mark(at, "#") && self.is_mark(at + 1, "[")
    }

    /// Returns `true` if another attribute ends right before this one.
    fn follows_attribute(&self, at: usize) -> bool {
        let from = at.saturating_sub(64);
        (from..at).any(|open| {
            self.is_mark(open, "[")
                && open > 0
                && self.is_mark(open - 1, "#")
                && self.close(open) + 1 == at
        })
    }

    /// Returns tokens as one text with single blanks, the form in which attributes are compared.
    pub(super) fn join_texts(&self, range: Range<usize>) -> String {
        let tokens = self.tokens.get(range).unwrap_or_default();
        tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Reads `it(…)`, `test(…)` and suites; `.it` is a member of something else.
    fn read_script(&self, at: usize, found: &mut TestItems) {
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
        let named = self.tokens.get(open + 1).is_some_and(|token| token.kind == TokenKind::Text);
        if !self.is_mark(open, "(") || !named || !self.is_mark(open + 2, ",") {
            return;
        }
        let body = open..self.close(open);
        if body.end == self.tokens.len() {
            return;
        }
        if is_test {
            found.items.push(self.new_item(self.text(open + 1), at, body, Vec::new()));
        } else {
            found.modules.push(body);
        }
    }

    /// Reads `def test…` and `class Test…` (pytest, Conventions for Python test discovery).
    fn read_python(&self, at: usize, found: &mut TestItems) {
        let name = self.text(at + 1);
        if !self.is_word(at, &["def", "class"]) || !self.begins_line(at) {
            return;
        }
        if self.is_word(at, &["def"]) && name.starts_with("test") {
            found.items.push(self.new_item(name, at, self.indented_block(at), Vec::new()));
        } else if self.is_word(at, &["class"])
            && (name.starts_with("Test") || name.ends_with("Test"))
        {
            found.modules.push(self.indented_block(at));
        }
    }

    /// Reads `it "…" do` of RSpec and `def test_…` of minitest.
    fn read_ruby(&self, at: usize, items: &mut Vec<TestItem>) {
        let named = self.tokens.get(at + 1).is_some_and(|token| token.kind == TokenKind::Text);
        let is_spec = self.is_word(at, &["it", "test", "specify"]) && named;
        let is_method = self.is_word(at, &["def"]) && self.text(at + 1).starts_with("test_");
        if (is_spec || is_method) && self.begins_line(at) {
            items.push(self.new_item(self.text(at + 1), at, self.indented_block(at), Vec::new()));
        }
    }

    /// Returns what is indented more than the line of a token.
    fn indented_block(&self, at: usize) -> Range<usize> {
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

    /// Returns the position of the first token of a line, by binary search: tokens are in order.
    fn first_of_line(&self, line: usize) -> usize {
        self.tokens.partition_point(|token| token.line < line)
    }

    /// A definition is first on its line, or after `async`, so that each line is read once.
    fn begins_line(&self, at: usize) -> bool {
        let first = self.tokens.get(at).map_or(0, |token| self.first_of_line(token.line));
        at == first || (at == first + 1 && self.is_word(first, &["async"]))
    }

    /// Reads functions that are tests by their names: `func TestX` of Go, `function testX` of
    /// PHPUnit.
    fn read_named(&self, at: usize, items: &mut Vec<TestItem>) {
        let name = self.text(at + 1);
        let begins = ["Test", "Benchmark", "Fuzz", "Example", "test"];
        if self.is_word(at, &["func", "function"]) && begins.iter().any(|it| name.starts_with(it)) {
            items.extend(
                self.find_block(at + 2).map(|body| self.new_item(name, at, body, Vec::new())),
            );
        }
    }

    /// Returns `true` at the name of a method declaration or a call; `@Name(…)` is an annotation.
    fn is_method_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Word)
            && self.is_mark(at + 1, "(")
            && !self.is_mark(at.saturating_sub(1), "@")
    }

    /// Reads methods with `@Test` and its like (JUnit, `NUnit`, `xUnit`, `MSTest`).
    fn read_annotated(&self, at: usize, items: &mut Vec<TestItem>) {
        const WORDS: &[&str] = &[
            "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "Fact", "Theory",
            "TestCase", "TestMethod", "DataTestMethod", "Property",
        ];
        let opens = at > 0 && (self.is_mark(at - 1, "@") || self.is_mark(at - 1, "["));
        if !(opens && self.is_word(at, WORDS)) {
            return;
        }
        let Some(name) = (at + 1..at + 40).find(|at| self.is_method_name(*at)) else { return };
        let Some(body) = self.find_block(name + 1) else { return };
        // Of several annotations of one test the last one counts.
        if items.last().is_some_and(|item| item.body == body) {
            items.pop();
        }
        items.push(self.new_item(self.text(name), name, body, Vec::new()));
    }
}

/// Returns `true` for an attribute that makes a function a test: `test`, `tokio::test`, `rstest`,
/// and those that end in `_test`.
pub(super) fn is_test_attribute(attribute: &str) -> bool {
    let path = attribute.split(" (").next().unwrap_or(attribute);
    let last = path.rsplit(' ').next().unwrap_or(path);
    ["test", "rstest", "bench", "quickcheck", "test_case", "case"].contains(&last)
        || last.ends_with("_test")
}
