//! Decides if a name has a value of a module, by the places of the file that declare it.

use papayu_base::text::is_word_char;
use tree_sitter::Node;

use super::api_name::module_parts;
use super::bindings::{Bindings, is_below};
use super::name_role::{is_name, is_reference};
use super::nodes::{ancestors, contains, field_of};
use super::scopes::{is_assigned, scope_of, sees};
use super::source_tree::SourceTree;

/// Most steps from a variable to the call that made its value.
const MAX_STEPS: usize = 4;

/// Returns whether an expression is a value that comes from a module: a call or a type of it, or a variable that is only
/// declared with such a value or type.
pub(crate) fn is_value_of(
    tree: &SourceTree<'_>,
    bindings: &Bindings,
    expression: Node<'_>,
    module: &str,
) -> bool {
    comes_from(tree, bindings, expression, module, MAX_STEPS)
}

fn comes_from(
    tree: &SourceTree<'_>,
    bindings: &Bindings,
    expression: Node<'_>,
    module: &str,
    steps: usize,
) -> bool {
    let Some(steps) = steps.checked_sub(1) else { return false };
    let Some(head) = ValueHead::read(tree, expression) else { return false };
    // `self.client` is declared where `self.client` is assigned.
    if ["self", "this"].iter().any(|it| head.chain.split('.').next() == Some(it)) {
        let is_member = !head.is_called && head.chain.split('.').count() == 2;
        let sites = if is_member { member_sites(tree, &head.chain) } else { Vec::new() };
        return !sites.is_empty()
            && sites.into_iter().all(|it| comes_from(tree, bindings, it, module, steps));
    }
    if !is_reference(head.first) {
        return false;
    }
    let name = tree.text_of(head.first);
    let visible: Vec<Node<'_>> = tree
        .declarations(name)
        .into_iter()
        .filter(|it| is_assigned(tree, *it) || sees(tree, scope_of(tree, *it), *it, head.first))
        .collect();
    if visible.is_empty() {
        let parts = module_parts(tree.language, module);
        let by_path = head.chain.split("::").map(str::to_owned).collect::<Vec<_>>();
        return bindings.resolve(&head.chain).map_or_else(
            || head.chain.contains("::") && is_below(&by_path, &parts),
            |(path, _)| is_below(&path, &parts),
        );
    }
    let comes = |it: Node<'_>| comes_from(tree, bindings, it, module, steps);
    // The type of a member or of a method's result is not known; that of a function's result is declared.
    let is_whole = head.chain == name
        && (!head.is_called || visible.iter().all(|it| result_of(*it).is_some()));
    if is_whole && visible.iter().all(|site| sources_of(*site).into_iter().any(comes)) {
        return true;
    }
    // The field of a value of the file's own type is declared in the file.
    let is_field =
        !head.is_called && head.chain.matches('.').count() == 1 && is_own(tree, &visible);
    let sites = if is_field { member_sites(tree, &head.chain) } else { Vec::new() };
    !sites.is_empty() && sites.into_iter().all(comes)
}

/// Returns whether all places declare values of types that the file has itself, so that their fields are those of the file.
fn is_own(tree: &SourceTree<'_>, declared: &[Node<'_>]) -> bool {
    let is_own_name =
        |leaf: &Node<'_>| is_name(*leaf) && !tree.declarations(tree.text_of(*leaf)).is_empty();
    declared.iter().all(|site| {
        let mut sources = sources_of(*site).into_iter();
        sources.any(|it| {
            tree.leaves(it)
                .into_iter()
                .find(|leaf| is_name(*leaf))
                .is_some_and(|it| is_own_name(&it))
        })
    })
}

/// The names with which an expression or a type begins, if nothing but calling them makes the value.
struct ValueHead<'n> {
    first: Node<'n>,
    /// The names, without blanks.
    chain: String,
    is_called: bool,
}

impl<'n> ValueHead<'n> {
    /// Reads an expression or a type; `None` if it is more than names that may be called, such as a method of a result.
    fn read(tree: &SourceTree<'_>, expression: Node<'n>) -> Option<Self> {
        let mut node = expression;
        let mut is_called = false;
        while let Some(inner) = wrapped(tree, node) {
            node = inner;
        }
        let mut end = node.end_byte();
        if let Some(callee) = CALLEES.iter().find(|it| it.0 == node.kind()) {
            let callee = node.child_by_field_name(callee.1)?;
            is_called = true;
            end = callee.end_byte();
        } else if node.kind() == "generic_type" {
            end = node.named_child(0)?.end_byte();
        }
        let start = CALLEES
            .iter()
            .filter(|it| it.0 == node.kind() && it.1 != "name")
            .find_map(|it| node.child_by_field_name(it.1))
            .map_or(node.start_byte(), |it| it.start_byte());
        let chain: String = tree.text.get(start..end)?.split_whitespace().collect();
        let is_chain = |c: char| c.is_alphanumeric() || "_.:$".contains(c);
        let first = tree.leaves(node).into_iter().find(|it| it.start_byte() == start)?;
        let is_named = is_name(first) || ["self", "this"].contains(&first.kind());
        (is_named && chain.chars().all(is_chain)).then_some(Self { first, chain, is_called })
    }
}

/// Calls and literals that make a value, and the field of what they call.
const CALLEES: [(&str, &str); 7] = [
    ("call", "function"),
    ("call_expression", "function"),
    ("method_invocation", "name"),
    ("new_expression", "constructor"),
    ("object_creation_expression", "type"),
    ("composite_literal", "type"),
    ("struct_expression", "name"),
];

/// Expressions and types that are about the value or type inside of them.
const WRAPPERS: [&str; 18] = [
    "await_expression", "await", "parenthesized_expression", "try_expression",
    "reference_expression", "non_null_expression", "type", "type_annotation", "reference_type",
    "pointer_type", "expression_list", "optional_type", "nullable_type", "readonly_type",
    "dynamic_type", "abstract_type", "union_type", "binary_operator",
];

/// Returns the expression or type that another one is about.
fn wrapped<'n>(tree: &SourceTree<'_>, node: Node<'n>) -> Option<Node<'n>> {
    if node.kind() == "unary_expression" {
        let is_pointer = tree.text_of(node).starts_with(['&', '*']);
        return node.named_child(0).filter(|_| is_pointer);
    }
    // The value of a result of Rust.
    if node.kind() == "call_expression" {
        let method = node.child_by_field_name("function")?;
        let name = tree.text_of(method.child_by_field_name("field")?);
        let is_value = ["unwrap", "expect"].contains(&name);
        return method.child_by_field_name("value").filter(|_| is_value);
    }
    if !WRAPPERS.contains(&node.kind()) {
        return None;
    }
    let is_other = |it: &Node<'_>| {
        !["lifetime", "mutable_specifier"].contains(&it.kind())
            && !["None", "null", "undefined"].contains(&tree.text_of(*it))
    };
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor).filter(is_other);
    let only = children.next();
    only.filter(|_| children.next().is_none())
}

/// Returns the type that a function with this name returns, by its declaration.
fn result_of(site: Node<'_>) -> Option<Node<'_>> {
    let function = site.parent().filter(|_| field_of(site) == Some("name"))?;
    ["return_type", "result"].iter().find_map(|name| function.child_by_field_name(name))
}

/// Returns the values and types with which a place declares its name.
fn sources_of(site: Node<'_>) -> Vec<Node<'_>> {
    if let Some(result) = result_of(site) {
        return vec![result];
    }
    for node in ancestors(site).skip(1).take(5) {
        let kind = node.kind();
        // `with Client() as client` of Python.
        if kind == "as_pattern" {
            return node.named_child(0).into_iter().collect();
        }
        // A part of a value is something else.
        if PATTERNS.contains(&kind) {
            return Vec::new();
        }
        let is_loop = kind.contains("for_") || kind == "range_clause";
        let names: &[&str] = if is_loop { &["type"] } else { &["type", "value", "right"] };
        let fields = names.iter().filter_map(|name| node.child_by_field_name(name));
        let fields: Vec<Node<'_>> =
            fields.filter(|it| !contains(it.byte_range(), &site.byte_range())).collect();
        if !fields.is_empty() {
            return fields.into_iter().filter_map(|it| value_of_item(site, it)).collect();
        }
    }
    Vec::new()
}

/// Returns the value that one of several names gets: the one at its place, or the first of several results of Go; `None` for
/// a part of another value.
fn value_of_item<'n>(site: Node<'n>, values: Node<'n>) -> Option<Node<'n>> {
    let is_list = |it: &Node<'_>| LISTS.contains(&it.kind());
    let is_several = |it: &Node<'_>| is_list(it) && it.named_child_count() > 1;
    let Some(names) = ancestors(site).skip(1).take(2).find(is_several) else {
        return Some(values);
    };
    if is_list(&values) && names.named_child_count() == values.named_child_count() {
        let mut cursor = names.walk();
        let at = names
            .named_children(&mut cursor)
            .position(|it| contains(it.byte_range(), &site.byte_range()))?;
        return values.named_child(u32::try_from(at).ok()?);
    }
    (names.kind() == "expression_list" && names.named_child(0) == Some(site)).then_some(values)
}

/// Lists of targets and of values.
const LISTS: [&str; 5] =
    ["expression_list", "pattern_list", "tuple_pattern", "tuple", "tuple_expression"];

/// Patterns that take a value apart.
const PATTERNS: [&str; 8] = [
    "object_pattern", "array_pattern", "pair_pattern", "tuple_struct_pattern", "struct_pattern",
    "slice_pattern", "list_pattern", "record_pattern",
];

/// Returns the values that are assigned to a member of `self`, and the types that it is declared with.
fn member_sites<'n>(tree: &'n SourceTree<'_>, chain: &str) -> Vec<Node<'n>> {
    let member = chain.rsplit('.').next().unwrap_or(chain);
    let mut sites = Vec::new();
    for leaf in tree.names(member) {
        let around = ancestors(leaf).skip(1).take(4).collect::<Vec<_>>();
        let target = ancestors(leaf).take(3).find(|it| field_of(*it) == Some("left"));
        if let Some(target) = target.filter(|it| member_chain(tree, *it) == chain) {
            sites.extend(target.parent().and_then(|it| it.child_by_field_name("right")));
        } else if let Some(field) = around
            .iter()
            .find(|it| it.kind().contains("field_decl") || it.kind().contains("field_definition"))
        {
            sites.extend(
                field.child_by_field_name("type").or_else(|| field.child_by_field_name("value")),
            );
        }
    }
    sites
}

/// Returns the beginning of an expression that is `self` and one member.
fn member_chain(tree: &SourceTree<'_>, node: Node<'_>) -> String {
    let text: String = tree.text_of(node).split_whitespace().collect();
    let chain = text.split(|c| !(is_word_char(c) || c == '.')).next().unwrap_or_default();
    chain.split('.').take(2).collect::<Vec<_>>().join(".")
}
