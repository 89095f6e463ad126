//! The syntax tree of a file, with the questions about names that all grammars answer alike.
//!
//! Grammars name their nodes after the same habits: a declaration has a `name` or a `pattern`, an assignment a `left`, the
//! member of a value is an `attribute`, a `property` or a `field`. The tables here are those habits.

use std::ops::Range;

use papayu_lang::Language;
use tree_sitter::{Node, Tree};

use super::macro_calls::parse_calls;

/// Statements that bind names of other modules.
const IMPORTS: [&str; 6] = [
    "import_statement", "import_from_statement", "future_import_statement", "use_declaration",
    "import_declaration", "import_spec",
];

/// Parts of the kind of a node that has names of its own.
const SCOPES: [&str; 13] = [
    "function", "lambda", "method_declaration", "method_definition", "constructor_declaration",
    "closure", "func_literal", "comprehension", "generator_expression", "catch", "for_", "class",
    "impl_item",
];

/// Nodes through which a declared name is written.
const PATTERNS: [&str; 16] = [
    "tuple", "pattern_list", "tuple_pattern", "list_pattern", "expression_list", "object_pattern",
    "array_pattern", "pair_pattern", "mut_pattern", "reference_pattern", "ref_pattern",
    "typed_parameter", "as_pattern_target", "rest_pattern", "list_splat_pattern",
    "parenthesized_expression",
];

/// A text with its tree.
pub(crate) struct SourceTree<'t> {
    pub(crate) language: Language,
    pub(crate) text: &'t str,
    tree: Tree,
}

impl<'t> SourceTree<'t> {
    /// Parses a text; `None` if the parser cannot within its bounds.
    pub(crate) fn parse(language: Language, text: &'t str) -> Option<Self> {
        Some(Self { language, text, tree: parse_calls(language, text)? })
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

    /// Returns the places of a chain of names, such as `client.fetch`, if its first name is a reference that is not shadowed.
    pub(crate) fn chains(&self, chain: &str) -> Vec<Range<usize>> {
        let last = chain.rsplit(['.', ':']).next().unwrap_or(chain);
        let mut found = Vec::new();
        for leaf in self.names(last) {
            let Some(range) = self.chain_at(leaf, chain) else { continue };
            let first = self.node_at(&(range.start..range.start + 1));
            if first.is_some_and(|it| is_reference(it) && !self.is_shadowed(it)) {
                found.push(range);
            }
        }
        found
    }

    /// Returns the place of a chain that ends with a leaf.
    fn chain_at(&self, leaf: Node<'_>, chain: &str) -> Option<Range<usize>> {
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

    /// Returns whether a name is declared where this use of it sees the declaration, so that it is not the import.
    pub(crate) fn is_shadowed(&self, leaf: Node<'_>) -> bool {
        let name = self.text_of(leaf);
        self.declarations(name).into_iter().any(|declared| {
            if declared.id() == leaf.id() {
                return true;
            }
            // A method of Go is seen through a value alone.
            let of = declared.parent().filter(|_| field_of(declared) == Some("name"));
            if self.language == Language::Go
                && of.is_some_and(|it| it.kind() == "method_declaration")
            {
                return false;
            }
            match scope_of(declared) {
                None => true,
                // The members of a class are seen through the class alone, except in Java.
                Some(scope) if is_type(scope) && self.language != Language::Java => false,
                Some(scope) => contains(scope.byte_range(), &leaf.byte_range()),
            }
        })
    }

    /// Returns whether all declarations of a name are outside of functions.
    pub(crate) fn is_file_level(&self, name: &str) -> bool {
        self.declarations(name).into_iter().all(|declared| scope_of(declared).is_none())
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

/// Returns whether a leaf is a name.
pub(crate) fn is_name(leaf: Node<'_>) -> bool {
    leaf.child_count() == 0 && leaf.kind().contains("identifier")
}

/// Returns whether a name means a value or type that is in scope, and is no member, key or declaration.
pub(crate) fn is_reference(leaf: Node<'_>) -> bool {
    let is_member_kind = ["property_identifier", "field_identifier", "statement_identifier"]
        .contains(&leaf.kind())
        || leaf.kind().starts_with("private_");
    if !is_name(leaf) || is_member_kind || is_in_import(leaf) || is_declaration(leaf) {
        return false;
    }
    let Some(parent) = leaf.parent() else { return false };
    match (field_of(leaf), parent.kind()) {
        (Some("attribute" | "field" | "property" | "label"), _) => false,
        (Some("name"), "method_invocation") => parent.child_by_field_name("object").is_none(),
        (Some("name"), kind) => {
            !["keyword_argument", "scoped_identifier", "scoped_type_identifier", "qualified_type"]
                .contains(&kind)
        }
        // The last part of a Java type such as `a.B` has no field.
        (None, "scoped_type_identifier") => parent.named_child(0) == Some(leaf),
        _ => true,
    }
}

/// Returns whether a name is one that the node around it declares.
pub(crate) fn is_declaration(leaf: Node<'_>) -> bool {
    if leaf.kind() == "shorthand_property_identifier_pattern" {
        return true;
    }
    let mut node = leaf;
    while let Some(parent) = node.parent() {
        let kind = parent.kind();
        match field_of(node) {
            Some(
                "type" | "value" | "right" | "default_value" | "annotation" | "body"
                | "return_type",
            ) => {
                return false;
            }
            Some("pattern" | "parameter" | "alias") => return true,
            Some("left") => {
                return ["assign", "for", "range", "named_expression", "short_var"]
                    .iter()
                    .any(|part| kind.contains(part));
            }
            Some("name") => {
                let declares = [
                    "declarat", "definition", "_item", "parameter", "function", "class", "spec",
                    "named_expression",
                ];
                return declares.iter().any(|part| kind.contains(part));
            }
            _ => {}
        }
        if kind.contains("parameter") && !kind.contains("type_") || kind == "match_pattern" {
            return true;
        }
        if !PATTERNS.contains(&kind) {
            return false;
        }
        node = parent;
    }
    false
}

/// Returns whether a node is part of an import.
pub(crate) fn is_in_import(node: Node<'_>) -> bool {
    ancestors(node).any(is_import)
}

/// Returns whether a node is an import, or an export of what another module has.
pub(crate) fn is_import(node: Node<'_>) -> bool {
    IMPORTS.contains(&node.kind())
        || node.kind() == "export_statement" && node.child_by_field_name("source").is_some()
        || node.kind() == "variable_declarator" && is_require(node)
}

/// Returns whether a declaration's value is a call of `require`.
fn is_require(node: Node<'_>) -> bool {
    let value = node.child_by_field_name("value");
    let call = value.filter(|it| it.kind() == "call_expression");
    let function = call.and_then(|it| it.child_by_field_name("function"));
    // The only function of seven letters with a single string as its arguments.
    let arguments = call.and_then(|it| it.child_by_field_name("arguments"));
    function.is_some_and(|it| it.kind() == "identifier" && it.byte_range().len() == "require".len())
        && arguments.is_some_and(|it| {
            it.named_child_count() == 1 && it.named_child(0).is_some_and(|it| it.kind() == "string")
        })
}

/// Returns the node itself and those around it, the closest first.
pub(crate) fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(Some(node), Node::parent)
}

/// Returns the field of its parent that a node is in.
pub(crate) fn field_of(node: Node<'_>) -> Option<&str> {
    let parent = node.parent()?;
    let mut cursor = parent.walk();
    let mut more = cursor.goto_first_child();
    while more {
        if cursor.node().id() == node.id() {
            return cursor.field_name();
        }
        more = cursor.goto_next_sibling();
    }
    None
}

/// Returns the node in which a declared name is seen; `None` for the whole file.
fn scope_of(declared: Node<'_>) -> Option<Node<'_>> {
    // A function's own name is seen around the function.
    let is_own_name =
        field_of(declared) == Some("name") && declared.parent().is_some_and(|it| is_scope(it));
    ancestors(declared).skip(if is_own_name { 2 } else { 1 }).find(|node| is_scope(*node))
}

/// Returns whether a node is the body of a type.
fn is_type(node: Node<'_>) -> bool {
    node.kind().contains("class") || node.kind() == "impl_item"
}

fn is_scope(node: Node<'_>) -> bool {
    node.is_named() && SCOPES.iter().any(|part| node.kind().contains(part))
}

/// Returns whether a range covers another.
pub(crate) fn contains(outer: Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}
