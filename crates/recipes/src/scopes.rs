//! The parts of a file in which a declared name is seen.
//!
//! If a grammar does not decide it, the larger part is taken: a use that may mean something else stays as it is.

use papayu_lang::Language;
use tree_sitter::Node;

use super::nodes::{ancestors, contains, field_of};
use super::source_tree::SourceTree;

/// Functions and signatures: their parameters are seen inside of them alone.
const FUNCTIONS: [&str; 28] = [
    "function_definition",
    "function_declaration",
    "function_expression",
    "generator_function",
    "generator_function_declaration",
    "arrow_function",
    "method_definition",
    "function_signature",
    "function_type",
    "constructor_type",
    "method_signature",
    "call_signature",
    "construct_signature",
    "abstract_method_signature",
    "class_static_block",
    "function_item",
    "function_signature_item",
    "closure_expression",
    "method_declaration",
    "func_literal",
    "method_elem",
    "constructor_declaration",
    "compact_constructor_declaration",
    "lambda",
    "lambda_expression",
    "local_function_statement",
    "anonymous_function",
    "method",
];

/// Types and modules inside of a file.
const TYPES: [&str; 20] = [
    "class_definition", "class_declaration", "class", "abstract_class_declaration",
    "interface_declaration", "type_alias_declaration", "enum_declaration", "record_declaration",
    "annotation_type_declaration", "class_body", "impl_item", "trait_item", "struct_item",
    "enum_item", "union_item", "type_item", "mod_item", "internal_module", "type_spec",
    "type_alias",
];

/// Statements with names of their own, in languages other than Python.
const BLOCKS: [&str; 25] = [
    "block", "statement_block", "compound_statement", "switch_body", "for_statement",
    "for_in_statement", "catch_clause", "if_statement", "expression_switch_statement",
    "type_switch_statement", "communication_case", "type_case", "expression_case", "default_case",
    "match_arm", "if_expression", "while_expression", "for_expression", "enhanced_for_statement",
    "try_with_resources_statement", "switch_block", "switch_block_statement_group", "switch_rule",
    "foreach_statement", "using_statement",
];

/// Expressions of Python that are functions.
const COMPREHENSIONS: [&str; 4] =
    ["list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"];

/// Nodes that give a new value to a name which is declared elsewhere, in languages other than Python.
const ASSIGNMENTS: [&str; 6] = [
    "assignment_expression",
    "augmented_assignment_expression",
    "compound_assignment_expr",
    "assignment_statement",
    "update_expression",
    "assignment",
];

/// The part of a file in which names are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope<'n> {
    File,
    Node(Node<'n>),
}

impl Scope<'_> {
    /// Returns the size by which the nearest of the scopes around a place is known.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::File => usize::MAX,
            Self::Node(node) => node.byte_range().len(),
        }
    }

    /// Returns whether all of another scope is in this one.
    pub(crate) fn covers(self, other: Scope<'_>) -> bool {
        match (self, other) {
            (Self::File, _) => true,
            (Self::Node(_), Scope::File) => false,
            (Self::Node(outer), Scope::Node(inner)) => {
                contains(outer.byte_range(), &inner.byte_range())
            }
        }
    }
}

/// Returns whether a name is assigned where it is not declared.
pub(crate) fn is_assigned(tree: &SourceTree<'_>, name: Node<'_>) -> bool {
    let binder = ancestors(name).skip(1).find(|it| !is_target(*it));
    tree.language != Language::Python
        && binder.is_some_and(|it| {
            let is_loop =
                it.kind() == "for_in_statement" && it.child_by_field_name("kind").is_none();
            ASSIGNMENTS.contains(&it.kind()) || is_loop
        })
}

/// Returns whether a node is a part of the target of an assignment.
fn is_target(node: Node<'_>) -> bool {
    let kind = node.kind();
    kind.contains("pattern") || ["expression_list", "parenthesized_expression"].contains(&kind)
}

/// Returns the part of the file in which a declared name, or the names of an import, are seen.
pub(crate) fn scope_of<'n>(tree: &SourceTree<'_>, declared: Node<'n>) -> Scope<'n> {
    if ancestors(declared).take(3).any(|it| it.kind() == "global_statement") {
        return Scope::File;
    }
    let is_whole = |it: &Node<'_>| FUNCTIONS.contains(&it.kind()) || TYPES.contains(&it.kind());
    // A function's own name is seen around the function.
    let is_own =
        field_of(declared) == Some("name") && declared.parent().is_some_and(|it| is_whole(&it));
    let around = ancestors(declared).skip(if is_own { 2 } else { 1 });
    let kinds = around_kinds(tree.language, declared, is_own);
    let mut around = around.filter(|it| it.is_named() && it.parent().is_some());
    around
        .find(|it| kinds.iter().any(|list| list.contains(&it.kind())))
        .map_or(Scope::File, Scope::Node)
}

/// Returns the kinds of nodes that keep a declared name inside.
fn around_kinds(
    language: Language,
    declared: Node<'_>,
    is_own: bool,
) -> Vec<&'static [&'static str]> {
    let mut kinds: Vec<&[&str]> = vec![&FUNCTIONS, &TYPES];
    let binder = ancestors(declared).skip(1).find(|it| !is_target(*it));
    let is_binder = |parts: &[&str]| {
        ancestors(declared).skip(1).take(4).any(|it| parts.contains(&it.kind()))
            || binder.is_some_and(|it| parts.contains(&it.kind()))
    };
    match language {
        // A walrus is seen around the comprehension.
        Language::Python if is_binder(&["named_expression"]) => {}
        Language::Python => kinds.push(&COMPREHENSIONS),
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
            // `var` and functions are seen in the whole function.
            let is_hoisted = is_own || is_binder(&["variable_declaration"]) || is_var_loop(binder);
            if !is_hoisted {
                kinds.push(&BLOCKS);
            }
        }
        // `x instanceof T t` is seen where it is true, which may be after its statement.
        Language::Java
            if is_binder(&[
                "instanceof_expression", "type_pattern", "record_pattern_component",
            ]) => {}
        Language::Php | Language::Ruby => {}
        _ => kinds.push(&BLOCKS),
    }
    kinds
}

/// Returns whether a node is `for (var x of y)`.
fn is_var_loop(binder: Option<Node<'_>>) -> bool {
    let kind = binder.and_then(|it| it.child_by_field_name("kind"));
    kind.is_some_and(|it| it.kind() == "var")
}

/// Returns whether a name that is declared in a scope is seen at a place.
pub(crate) fn sees(
    tree: &SourceTree<'_>,
    scope: Scope<'_>,
    declared: Node<'_>,
    at: Node<'_>,
) -> bool {
    if let Scope::Node(node) = scope {
        if !contains(node.byte_range(), &at.byte_range()) || is_only_member(node, declared) {
            return false;
        }
        if node.kind() == "class_definition" && is_in_function_of(node, at)
            || begins_later(tree.language, node, declared, at)
        {
            return false;
        }
    }
    tree.language != Language::Rust || sees_into_modules(tree, scope, at)
}

/// Statements of Rust and Go that declare names, with the parts for the names and for their value, which does not see them.
const DECLARATIONS: [(&str, &str, &str); 6] = [
    ("let_declaration", "pattern", "value"),
    ("let_condition", "pattern", "value"),
    ("for_expression", "pattern", "value"),
    ("short_var_declaration", "left", "right"),
    ("range_clause", "left", "right"),
    ("var_spec", "name", "value"),
];

/// Returns whether a name of a block is declared after a place, or by a statement with the place in its value.
fn begins_later(language: Language, scope: Node<'_>, declared: Node<'_>, at: Node<'_>) -> bool {
    if !matches!(language, Language::Rust | Language::Go) {
        return false;
    }
    let mut inside = ancestors(declared).take_while(|it| it.id() != scope.id());
    let value = inside.find_map(|it| {
        let (_, names, value) = DECLARATIONS.iter().find(|(kind, ..)| *kind == it.kind())?;
        let names = it.child_by_field_name(names)?;
        let is_name = contains(names.byte_range(), &declared.byte_range());
        Some(it.child_by_field_name(value).filter(|_| is_name)?.end_byte())
    });
    value.is_some_and(|end| at.start_byte() < end)
}

/// Returns whether a name is one that is used through its type: an item of an `impl`, `trait` or `enum` of Rust.
fn is_only_member(scope: Node<'_>, declared: Node<'_>) -> bool {
    ["impl_item", "trait_item", "enum_item"].contains(&scope.kind())
        && !ancestors(declared).take(3).any(|it| it.kind().contains("type_parameter"))
}

/// Returns whether a place is in the body of a function of a class of Python, which does not see the names of the class.
fn is_in_function_of(class: Node<'_>, at: Node<'_>) -> bool {
    ancestors(at).take_while(|it| it.id() != class.id()).any(|it| {
        field_of(it) == Some("body")
            && it
                .parent()
                .is_some_and(|around| ["function_definition", "lambda"].contains(&around.kind()))
    })
}

/// Returns whether each module of Rust between a scope and a place takes the names around it.
fn sees_into_modules(tree: &SourceTree<'_>, scope: Scope<'_>, at: Node<'_>) -> bool {
    let is_inner = |module: &Node<'_>| match scope {
        Scope::File => true,
        Scope::Node(node) => {
            module.id() != node.id() && contains(node.byte_range(), &module.byte_range())
        }
    };
    let modules = ancestors(at).filter(|it| it.kind() == "mod_item").filter(is_inner);
    modules.into_iter().all(|module| {
        tree.imports().into_iter().any(|import| {
            let owner = ancestors(import).find(|it| it.kind() == "mod_item");
            owner == Some(module) && tree.text_of(import).contains("super::*")
        })
    })
}

/// Returns whether a node gets a new value or is deleted, so that it is no use of an API.
pub(crate) fn is_assigned_to(node: Node<'_>) -> bool {
    let mut node = node;
    while let Some(parent) = node.parent() {
        let kind = parent.kind();
        let is_target = field_of(node) == Some("left")
            && ["assign", "for_", "range_clause"].iter().any(|it| kind.contains(it));
        if is_target
            || ["delete_statement", "update_expression", "as_pattern_target"].contains(&kind)
        {
            return true;
        }
        let is_list = kind.contains("pattern")
            || ["expression_list", "tuple", "list", "parenthesized_expression"].contains(&kind);
        if !is_list && parent.byte_range() != node.byte_range() {
            return false;
        }
        node = parent;
    }
    false
}
