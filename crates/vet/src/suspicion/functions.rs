//! The functions of a text, with the tokens of their bodies.

use tree_sitter::Node;

use papayu_lang::{Language, parse_tree};

/// A function and its body.
pub(super) struct Function<'t> {
    /// Its name, after those of the classes that it is in.
    pub(super) name: String,
    /// From 1.
    pub(super) line: usize,
    /// The text of its body, without the braces.
    pub(super) body: &'t str,
}

/// Kinds of nodes that are functions.
pub(super) const KINDS: [&str; 12] = [
    "function_definition",
    "function_declaration",
    "function_item",
    "method_declaration",
    "method_definition",
    "constructor_declaration",
    "method",
    "singleton_method",
    "arrow_function",
    "function_expression",
    "generator_function_declaration",
    "function",
];

/// Returns the functions of a text, outer ones before inner ones.
pub(super) fn find_functions<'t>(path: &str, text: &'t str) -> Vec<Function<'t>> {
    let tree = Language::of_path(path).and_then(|language| parse_tree(language, text));
    let mut found = Vec::new();
    if let Some(tree) = tree {
        walk(tree.root_node(), text, "", &mut found);
    }
    found
}

/// Adds all functions of a tree with their qualified names, without recursion.
fn walk<'t>(root: Node<'_>, text: &'t str, outer: &str, found: &mut Vec<Function<'t>>) {
    let mut open = vec![(root, outer.to_owned())];
    while let Some((node, outer)) = open.pop() {
        let mut inner = outer.clone();
        let own = node.child_by_field_name("name");
        // The name of an arrow function is that of its variable.
        let named = own.or_else(|| node.parent().and_then(|it| it.child_by_field_name("name")));
        let name = |node: Option<Node<'_>>| {
            node.and_then(|name| text.get(name.byte_range())).unwrap_or_default()
        };
        if KINDS.contains(&node.kind()) {
            inner = format!("{outer}.{}", name(named));
            if let Some(body) = node.child_by_field_name("body") {
                let body_text = text.get(body.byte_range()).unwrap_or_default().trim();
                let body_text = body_text
                    .strip_prefix('{')
                    .and_then(|it| it.strip_suffix('}'))
                    .unwrap_or(body_text);
                let line = node.start_position().row + 1;
                found.push(Function { name: inner.clone(), line, body: body_text.trim() });
            }
        } else if own.is_some() && node.kind().contains("class") {
            inner = format!("{outer}.{}", name(own));
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor).map(|child| (child, inner.clone())));
    }
}
