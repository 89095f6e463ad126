//! The syntax tree of a file, with the questions about names that all grammars answer alike.
//!
//! The roles of names are in `name_role`, their scopes in `scopes`, their meaning in `resolve`.

use std::cell::OnceCell;
use std::ops::Range;

use papayu_lang::Language;
use tree_sitter::{Node, Tree};

use super::macro_calls::parse_calls;
use super::name_role::{is_declaration, is_name};
use super::nodes::{ancestors, is_import, is_in_import};

/// A text with its tree.
pub(crate) struct SourceTree<'t> {
    pub(crate) language: Language,
    pub(crate) text: &'t str,
    tree: Tree,
    /// The places of the import statements, once they were asked for.
    imports: OnceCell<Vec<Range<usize>>>,
}

impl<'t> SourceTree<'t> {
    /// Parses a text; `None` if the parser cannot within its bounds.
    pub(crate) fn parse(language: Language, text: &'t str) -> Option<Self> {
        let tree = parse_calls(language, text)?;
        Some(Self { language, text, tree, imports: OnceCell::new() })
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// Returns whether the text has errors of syntax.
    pub(crate) fn has_error(&self) -> bool {
        self.root().has_error()
    }

    /// Returns the text of a node.
    pub(crate) fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the nodes below a node without children, in their order.
    #[expect(clippy::unused_self, reason = "a question about the tree, as the others are")]
    pub(crate) fn leaves<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let mut leaves = Vec::new();
        let mut cursor = node.walk();
        loop {
            if cursor.goto_first_child() {
                continue;
            }
            leaves.push(cursor.node());
            loop {
                if cursor.node().id() == node.id() {
                    return leaves;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return leaves;
                }
            }
        }
    }

    /// Returns the names in the file with this text, in their order.
    pub(crate) fn names(&self, name: &str) -> Vec<Node<'_>> {
        // Most files do not have the name; a walk over the tree is slower than a search.
        if !self.text.contains(name) {
            return Vec::new();
        }
        let leaves = self.leaves(self.root()).into_iter();
        leaves.filter(|leaf| is_name(*leaf) && self.text_of(*leaf) == name).collect()
    }

    /// Returns the place of a chain that ends with a leaf.
    pub(crate) fn chain_at(&self, leaf: Node<'_>, chain: &str) -> Option<Range<usize>> {
        let end = leaf.end_byte();
        let mut node = leaf;
        loop {
            // The object of a call in Java is a child of the call, as the method's name is.
            let object = node.parent().and_then(|it| it.child_by_field_name("object"));
            let object = object.filter(|it| it.end_byte() < node.start_byte());
            for start in [node.start_byte()].into_iter().chain(object.map(|it| it.start_byte())) {
                let text = self.text.get(start..end).unwrap_or_default();
                if text == chain || text.len() > chain.len() && without_blanks(text) == chain {
                    return Some(start..end);
                }
            }
            node = node.parent().filter(|it| it.end_byte() == end)?;
        }
    }

    /// Returns the places that declare a name, other than imports.
    pub(crate) fn declarations(&self, name: &str) -> Vec<Node<'_>> {
        self.names(name)
            .into_iter()
            .filter(|leaf| is_declaration(*leaf) && !is_in_import(*leaf))
            .collect()
    }

    /// Returns the smallest node that covers a range.
    pub(crate) fn node_at(&self, range: &Range<usize>) -> Option<Node<'_>> {
        self.root().descendant_for_byte_range(range.start, range.end)
    }

    /// Returns the import statements of the file, in their order; of a group of Go each line.
    pub(crate) fn imports(&self) -> Vec<Node<'_>> {
        let places = self.imports.get_or_init(|| {
            let mut nodes = Vec::new();
            for leaf in self.leaves(self.root()) {
                let Some(import) = ancestors(leaf).find(|it| is_import(*it)) else { continue };
                if nodes.last() != Some(&import) {
                    nodes.push(import);
                }
            }
            nodes.retain(|it| self.language != Language::Go || it.kind() == "import_spec");
            nodes.into_iter().map(|it| it.byte_range()).collect()
        });
        let node_of = |range| ancestors(self.node_at(range)?).find(|it| is_import(*it));
        places.iter().filter_map(node_of).collect()
    }

    /// Returns the bytes of lines, from 1.
    pub(crate) fn line_range(&self, line: u32) -> Option<Range<usize>> {
        let mut start = 0;
        for (text, number) in self.text.split_inclusive('\n').zip(1..) {
            if number == line {
                return Some(start..start + text.len());
            }
            start += text.len();
        }
        None
    }
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}
