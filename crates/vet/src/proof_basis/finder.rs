//! The tests that were found inside a source file.

use tree_sitter::Node;

use super::layout::LayoutToken;

/// A test in a source file, or a part of a module of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InlineItem {
    /// The file.
    pub(super) path: String,
    /// In messages: "the test `adds`".
    pub(super) name: String,
    /// From 1.
    pub(super) line: usize,
    /// The module of tests that it is in; empty outside one.
    pub(super) module: String,
    /// The item with what it is in.
    pub(super) tokens: Vec<LayoutToken>,
    /// It is no test: tests use it, or could.
    pub(super) is_helper: bool,
}

/// Collects the tests of a file.
pub(super) struct TestFinder<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    pub(super) found: Vec<InlineItem>,
}

impl TestFinder<'_> {
    /// Returns the text of a node.
    pub(super) fn text_of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Adds an item with its tokens.
    pub(super) fn add(&mut self, name: String, node: Node<'_>, tokens: Vec<LayoutToken>) {
        self.found.push(InlineItem {
            path: self.path.to_owned(),
            name,
            line: node.start_position().row + 1,
            module: String::new(),
            tokens,
            is_helper: false,
        });
    }
}
