//! The functions of a text, with the tokens of their bodies.

use tree_sitter::Node;

use papayu_lang::{ChangedText, Language, parse_tree};

/// A function and its body.
pub(super) struct Function<'t> {
    /// Its name, after those of the classes that it is in.
    pub(super) name: String,
    /// From 1.
    pub(super) line: usize,
    /// The line at which its body begins, from 1.
    pub(super) body_line: usize,
    /// The text of its body, without the braces.
    pub(super) body: &'t str,
    /// The text before its body: its name, parameters and result.
    pub(super) head: &'t str,
}

/// A changed source with its functions.
pub(super) struct ChangedFunctions<'t> {
    pub(super) path: &'t str,
    pub(super) before: Vec<Function<'t>>,
    pub(super) after: Vec<Function<'t>>,
}

impl<'t> ChangedFunctions<'t> {
    /// Finds the functions of both texts of a change.
    pub(super) fn read(change: &ChangedText<'t>) -> Self {
        Self {
            path: change.path,
            before: find_functions(change.path, change.before),
            after: find_functions(change.path, change.after),
        }
    }
}

impl Function<'_> {
    /// Returns its name without those of the classes around it.
    pub(super) fn last_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or_default()
    }
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

/// Returns a node and all below it, outer ones first.
pub(super) fn descendants(root: Node<'_>) -> Vec<Node<'_>> {
    let (mut found, mut open) = (Vec::new(), vec![root]);
    while let Some(node) = open.pop() {
        found.push(node);
        let children: Vec<Node<'_>> = node.named_children(&mut node.walk()).collect();
        open.extend(children.into_iter().rev());
    }
    found
}

/// Returns the last name of what is called, such as `log` for `console.log(x)`; empty for a node that is no call.
pub(super) fn callee_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    let callee = ["name", "method", "function", "macro"]
        .iter()
        .find_map(|field| node.child_by_field_name(field));
    let name = callee.and_then(|callee| text.get(callee.byte_range())).unwrap_or_default();
    name.rsplit(['.', ':', '>']).next().unwrap_or(name).trim()
}

/// Returns `true` for a node that calls something.
pub(super) fn is_call(node: Node<'_>) -> bool {
    let kind = node.kind();
    kind == "call" || kind.contains("call_expression") || kind.contains("invocation")
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
                let whole = text.get(body.byte_range()).unwrap_or_default().trim();
                let inner_text = whole.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
                let body_text = inner_text.unwrap_or(whole).trim();
                let above = whole.get(..whole.find(body_text).unwrap_or(0)).unwrap_or_default();
                found.push(Function {
                    name: inner.clone(),
                    line: node.start_position().row + 1,
                    body_line: body.start_position().row + 1 + above.matches('\n').count(),
                    body: body_text,
                    head: text.get(node.start_byte()..body.start_byte()).unwrap_or_default(),
                });
            }
        } else if own.is_some() && node.kind().contains("class") {
            inner = format!("{outer}.{}", name(own));
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor).map(|child| (child, inner.clone())));
    }
}
