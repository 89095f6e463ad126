//! The role of a name at its place: whether it is used, declared, or only the name of a member.
//!
//! A place that is part of a pattern or of parameters declares its names unless its field is one that uses them. Grammars
//! name their nodes after the same habits, so the tables here are for all of them.

use tree_sitter::Node;

use super::nodes::{field_of, is_in_import};

/// Fields with names that are used, in any surroundings.
const USED_FIELDS: [&str; 13] = [
    "type", "value", "right", "default_value", "default_type", "annotation", "body", "return_type",
    "condition", "function", "object", "key", "constructor",
];

/// Parts of the kinds of nodes that declare their `name`.
const NAMED: [&str; 15] = [
    "declarat", "definition", "_item", "parameter", "function", "class", "spec",
    "named_expression", "enum", "enhanced_for", "instanceof", "resource", "module", "alias",
    "mapped_type",
];

/// Parts of the kinds of nodes that declare or assign what is at their `left`.
const ASSIGNING: [&str; 6] =
    ["assign", "for_", "range_clause", "named_expression", "short_var", "receive"];

/// Nodes that declare the names below them without a field.
const DECLARING: [&str; 6] = [
    "delete_statement", "global_statement", "nonlocal_statement", "infer_type", "import_alias",
    "namespace_import",
];

/// Lists through which the targets of an assignment are written; they declare nothing by themselves.
const TARGETS: [&str; 7] = [
    "tuple", "list", "pattern_list", "expression_list", "list_splat", "parenthesized_expression",
    "as_pattern_target",
];

/// Kinds of names that are members of a value.
const MEMBER_KINDS: [&str; 3] = ["property_identifier", "field_identifier", "statement_identifier"];

/// Nodes in which `name` is a member, a key or the last part of a path.
const MEMBER_NAMES: [&str; 7] = [
    "keyword_argument", "scoped_identifier", "scoped_type_identifier", "qualified_type",
    "nested_type_identifier", "type_binding", "element_value_pair",
];

/// Nodes in which the first name alone is in scope; those after it are its members.
const PATHS: [&str; 4] =
    ["scoped_type_identifier", "dotted_name", "method_reference", "member_type"];

/// Nodes in which the name is a label, a lifetime or the word of a macro's pattern.
const LABELS: [&str; 9] = [
    "lifetime", "label", "labeled_statement", "break_statement", "continue_statement",
    "token_tree_pattern", "token_repetition_pattern", "namespace_export", "package_clause",
];

/// Returns whether a leaf is a name.
pub(crate) fn is_name(leaf: Node<'_>) -> bool {
    leaf.child_count() == 0 && leaf.kind().contains("identifier")
}

/// Returns whether a name means a value or type that is in scope, and is no member, key or declaration.
pub(crate) fn is_reference(leaf: Node<'_>) -> bool {
    is_name(leaf) && !is_in_import(leaf) && !is_member(leaf) && !is_declaration(leaf)
}

/// Returns whether a name belongs to the value or type before it, to the argument after it, or to no scope at all.
fn is_member(leaf: Node<'_>) -> bool {
    if MEMBER_KINDS.contains(&leaf.kind()) || leaf.kind().starts_with("private_") {
        return true;
    }
    let Some(parent) = leaf.parent() else { return true };
    let kind = parent.kind();
    match field_of(leaf) {
        Some("attribute" | "field" | "property" | "label" | "key") => true,
        Some("alias") => kind == "export_specifier",
        Some("name") if kind == "method_invocation" => {
            parent.child_by_field_name("object").is_some()
        }
        Some("name") => MEMBER_NAMES.contains(&kind),
        // The key of a composite literal of Go may be a field.
        _ if kind == "literal_element" => parent.parent().is_some_and(|pair| {
            pair.kind() == "keyed_element" && pair.named_child(0) == Some(parent)
        }),
        _ if kind == "token_tree" => is_macro_member(leaf),
        _ if kind == "keyword_pattern" => parent.named_child(0) == Some(leaf),
        _ => LABELS.contains(&kind) || PATHS.contains(&kind) && parent.named_child(0) != Some(leaf),
    }
}

/// Returns whether a name among the tokens of a macro follows a `.` or `::`, or is the name of a field or argument.
fn is_macro_member(leaf: Node<'_>) -> bool {
    let before = leaf.prev_sibling().map_or("", |it| it.kind());
    let after = leaf.next_sibling().map_or("", |it| it.kind());
    [".", "::", "?."].contains(&before) || [":", "="].contains(&after)
}

/// Returns whether a name is one that the node around it declares or assigns.
pub(crate) fn is_declaration(leaf: Node<'_>) -> bool {
    if ["shorthand_property_identifier_pattern", "shorthand_field_identifier"]
        .contains(&leaf.kind())
    {
        return true;
    }
    if MEMBER_KINDS.contains(&leaf.kind()) {
        return false;
    }
    let mut node = leaf;
    let mut is_in_pattern = false;
    while let Some(parent) = node.parent() {
        if let Some(declares) = declares_child(node, parent) {
            return declares;
        }
        let kind = parent.kind();
        let is_pattern = kind.contains("pattern") && kind != "pattern_list";
        is_in_pattern |= is_pattern && kind != "as_pattern_target";
        if !is_pattern && !TARGETS.contains(&kind) {
            return is_in_pattern;
        }
        node = parent;
    }
    false
}

/// Returns whether a node declares the name or pattern that is its child; `None` if what is around it decides.
fn declares_child(node: Node<'_>, parent: Node<'_>) -> Option<bool> {
    let kind = parent.kind();
    let has_part = |parts: &[&str]| parts.iter().any(|part| kind.contains(part));
    match field_of(node) {
        // `{ a: b }` declares `b`.
        Some("value") if kind == "pair_pattern" => None,
        Some(field) if USED_FIELDS.contains(&field) => Some(false),
        Some("alias" | "name") if kind == "export_specifier" => Some(false),
        // Of an import with an alias only the alias is seen.
        Some("name") if parent.child_by_field_name("alias").is_some() => Some(false),
        Some("pattern" | "parameter" | "parameters" | "alias") => Some(true),
        Some("left") if kind.ends_with("_pattern") && kind != "range_pattern" => None,
        Some("left") => Some(has_part(&ASSIGNING) || is_type_alias(parent)),
        Some("argument") => Some(kind == "update_expression"),
        Some("name") if kind.contains("pattern") => None,
        Some("name") => Some(has_part(&NAMED) || has_part(&["signature", "interface"])),
        _ => declares_bare(node, parent),
    }
}

/// Returns whether a node declares a child without a field.
fn declares_bare(node: Node<'_>, parent: Node<'_>) -> Option<bool> {
    let kind = parent.kind();
    let is_first = parent.named_child(0) == Some(node);
    match kind {
        // `case name` of Python; `case a.b` and `case Type()` use theirs.
        "dotted_name" => Some(
            parent.named_child_count() == 1
                && parent.parent().is_some_and(|it| {
                    it.kind().ends_with("_pattern") && it.kind() != "class_pattern"
                }),
        ),
        "as_pattern" => Some(!is_first),
        "keyword_pattern" if is_first => Some(false),
        "class_pattern"
        | "range_pattern"
        | "generic_pattern"
        | "record_pattern"
        | "token_tree_pattern"
        | "token_repetition_pattern" => Some(false),
        // The type comes first in these of Java.
        "type_pattern" | "record_pattern_component" => {
            Some(node.kind() == "identifier" && !is_first)
        }
        // `type A[T] = ..` and `def f[T]` of Python.
        "type" => Some(is_type_alias(parent) || is_type_parameter(parent)),
        "import_alias" => Some(is_first),
        _ if kind.contains("parameter") && !kind.starts_with("type_parameters") => Some(true),
        _ if DECLARING.contains(&kind) => Some(true),
        _ => None,
    }
}

/// Returns whether a node is the name of a type alias of Python.
fn is_type_alias(node: Node<'_>) -> bool {
    node.kind() == "type_alias_statement"
        || field_of(node) == Some("left")
            && node.parent().is_some_and(|it| it.kind() == "type_alias_statement")
}

/// Returns whether a node is in the list of type parameters of a definition of Python.
fn is_type_parameter(node: Node<'_>) -> bool {
    node.parent().is_some_and(|list| field_of(list) == Some("type_parameters"))
}
