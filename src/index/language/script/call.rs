//! Calls: of functions, of constructors, of components.

use tree_sitter::Node;

use super::{bare, import, suite};
use crate::index::facts::ImportKind;
use crate::index::language::grammar::Walk;
use crate::index::language::reader::Reader;

pub(super) fn call<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    let Some(function) = node.child_by_field_name("function").map(bare) else {
        return Walk::Into;
    };
    match function.kind() {
        "import" => import::taken_by_call(reader, node, ImportKind::Dynamic),
        "identifier" if reader.text(function) == "require" => {
            import::taken_by_call(reader, node, ImportKind::Require);
        }
        _ if suite::open(reader, node, function) => {}
        _ => called(reader, node, function),
    }
    Walk::Into
}

pub(super) fn new<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    if let Some(class) = node.child_by_field_name("constructor").map(bare) {
        called(reader, node, class);
    }
    Walk::Into
}

/// Reads an element: one with a capital letter or a dot is a component, a function or class of somebody.
pub(super) fn element<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    if let Some(name) = node.child_by_field_name("name") {
        let text = reader.text(name);
        if name.kind() == "member_expression" || text.starts_with(|c: char| c.is_uppercase()) {
            called(reader, node, name);
        }
    }
    Walk::Into
}

fn called<'t>(reader: &mut Reader<'t>, node: Node<'t>, callee: Node<'t>) {
    let name = match callee.kind() {
        "identifier" => Some(callee),
        "member_expression" => callee.child_by_field_name("property"),
        _ => None,
    };
    if let Some(name) = name {
        let text = reader.text(name);
        reader.call(text, node);
    }
}
