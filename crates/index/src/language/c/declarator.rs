//! Declarators of C: a name inside its type, as in `int *(*name[3])(void)`.

use tree_sitter::Node;

use super::{first_child, list_children};

/// Most pointers, arrays, parentheses and functions around a name. A deeper declarator has no
/// name here.
const MAX_DEPTH: usize = 64;

/// The name that a declarator declares.
#[derive(Clone, Copy)]
pub(crate) struct Declarator<'t> {
    /// The node of its last name.
    pub(crate) name: Node<'t>,
    /// The class or namespace it names before that.
    pub(super) owner: Option<Node<'t>>,
    /// `true` for a function, `false` for a pointer to one.
    pub(super) is_function: bool,
}

/// Returns what a declarator declares; `None` if it has no name, as the parameter of `void
/// f(int)`.
pub(crate) fn find_declared(declarator: Node<'_>) -> Option<Declarator<'_>> {
    let mut at = declarator;
    let mut is_function = false;
    for _ in 0..MAX_DEPTH {
        // A declarator is read from the outside: the last function or pointer before the name
        // decides.
        at = match at.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "destructor_name"
            | "operator_name" | "primitive_type" => {
                return Some(Declarator { name: at, owner: None, is_function });
            }
            "operator_cast" => {
                return Some(Declarator { name: at, owner: None, is_function: true });
            }
            "template_function" | "template_type" => at.child_by_field_name("name")?,
            "qualified_identifier" => return find_qualified(at, is_function),
            "function_declarator" => {
                is_function = true;
                at.child_by_field_name("declarator")?
            }
            "pointer_declarator" | "array_declarator" => {
                is_function = false;
                at.child_by_field_name("declarator")?
            }
            "reference_declarator" => {
                is_function = false;
                last_declarator(at)?
            }
            "init_declarator" => at.child_by_field_name("declarator")?,
            "parenthesized_declarator" => last_declarator(at)?,
            "attributed_declarator" => first_child(at)?,
            _ => return None,
        };
    }
    None
}

/// Returns the declarator among the children without a field. Calling conventions of Microsoft
/// compilers come before it.
fn last_declarator(node: Node<'_>) -> Option<Node<'_>> {
    list_children(node).into_iter().rev().find(|child| !child.kind().starts_with("ms_"))
}

/// Returns what `a::b::c` declares: `c`, with `b` as its owner.
fn find_qualified(node: Node<'_>, is_function: bool) -> Option<Declarator<'_>> {
    let mut at = node;
    let mut owner = None;
    for _ in 0..MAX_DEPTH {
        if at.kind() != "qualified_identifier" {
            let mut of = find_declared(at)?;
            of.owner = owner.map(last_name);
            of.is_function |= is_function;
            return Some(of);
        }
        owner = at.child_by_field_name("scope").or(owner);
        at = at.child_by_field_name("name")?;
    }
    None
}

/// Returns the node of the last name of a path, a member or a template: `c` for `a::b.c<d>`.
pub(super) fn last_name(path: Node<'_>) -> Node<'_> {
    let mut at = path;
    for _ in 0..MAX_DEPTH {
        let inner = match at.kind() {
            "qualified_identifier" | "template_function" | "template_method" | "template_type" => {
                at.child_by_field_name("name")
            }
            "field_expression" => at.child_by_field_name("field"),
            "parenthesized_expression" | "dependent_name" => first_child(at),
            _ => None,
        };
        match inner {
            Some(inner) => at = inner,
            None => return at,
        }
    }
    at
}
