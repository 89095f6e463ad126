//! Variables of modules and classes, and the attributes that `__init__` gives an instance.

use tree_sitter::Node;

use super::define::is_public;
use super::export;
use crate::facts::SymbolKind;
use crate::language::reader::FactsReader;
use crate::language::symbol::SymbolDraft;

/// Most names of one assignment.
const MAX_NAMES: usize = 1_000;

/// Reads an assignment: `__all__`, a variable of the module or class, or an attribute that
/// `__init__` sets. Those in other functions are local.
pub(super) fn read_assignment<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(left) = node.child_by_field_name("left") else { return };
    let scope = reader.kept.scope().map(|symbol| (symbol.kind, &*symbol.name == "__init__"));
    let right = node.child_by_field_name("right");
    match scope {
        None if export::is_list(reader, left) => {
            if let Some(right) = right {
                export::read_listed(reader, right);
            }
        }
        None => define_names(reader, node, left, SymbolKind::Variable),
        Some((SymbolKind::Class, _)) => define_names(reader, node, left, SymbolKind::Property),
        Some((SymbolKind::Method, true)) => define_attributes(reader, node, left),
        Some(_) => {}
    }
}

/// Adds a symbol for each name on the left side. Only the first assignment to a name defines
/// it.
fn define_names<'t>(
    reader: &mut FactsReader<'t>,
    node: Node<'t>,
    left: Node<'t>,
    kind: SymbolKind,
) {
    for target in list_targets(left) {
        let name = reader.text(target);
        if target.kind() == "identifier" && reader.kept.is_first(name, false) {
            reader
                .add_symbol(&SymbolDraft::new(kind, node, target, name).exported(is_public(name)));
        }
    }
}

/// Reads `self.x = …` in `__init__`.
fn define_attributes<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, left: Node<'t>) {
    for target in list_targets(left) {
        let object = target.child_by_field_name("object");
        let Some(name) = target.child_by_field_name("attribute") else { continue };
        if object.is_none_or(|object| reader.text(object) != "self") {
            continue;
        }
        let text = reader.text(name);
        if reader.kept.is_first(text, true) {
            let draft = SymbolDraft::new(SymbolKind::Property, node, name, text);
            let place = reader.add_symbol(&draft.exported(is_public(text)));
            reader.kept.move_out(place);
        }
    }
}

/// Returns the targets of an assignment, with tuples and lists taken apart.
fn list_targets(left: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut open = vec![left];
    while let Some(node) = open.pop() {
        if found.len() >= MAX_NAMES {
            break;
        }
        match node.kind() {
            "pattern_list" | "tuple_pattern" | "list_pattern" | "list_splat_pattern" => {
                let mut cursor = node.walk();
                let inner: Vec<_> = node.named_children(&mut cursor).collect();
                open.extend(inner.into_iter().rev());
            }
            _ => found.push(node),
        }
    }
    found
}
