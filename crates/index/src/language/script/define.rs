//! Functions, classes, interfaces, types, enums and namespaces.

use tree_sitter::Node;

use super::{has_child, last_part, list_children, property_name, read_literal};
use crate::facts::SymbolKind;
use crate::language::reader::{ChildWalk, FactsReader};
use crate::language::symbol::SymbolDraft;

/// The position of a declaration.
pub(super) struct DeclarationPosition<'t> {
    /// The `export` or `declare` statement around it.
    pub(super) outermost: Option<Node<'t>>,
    /// `true` after an `export`.
    pub(super) exported: bool,
    /// `true` for a declaration of a module or namespace.
    pub(super) at_top: bool,
}

impl<'t> DeclarationPosition<'t> {
    /// Returns the position of the current node, from the nodes that contain it, starting
    /// `from` levels up.
    pub(super) fn of(reader: &FactsReader<'t>, from: usize) -> Self {
        let mut place = Self { outermost: None, exported: false, at_top: false };
        let mut level = from;
        while let Some(above) = reader.above(level) {
            match above.kind() {
                "export_statement" => place.exported = true,
                "ambient_declaration" | "expression_statement" => {}
                "program" => {
                    place.at_top = true;
                    break;
                }
                "statement_block" => {
                    let holder = reader.above(level + 1).map_or("", |holder| holder.kind());
                    place.at_top =
                        matches!(holder, "internal_module" | "module" | "ambient_declaration");
                    break;
                }
                _ => break,
            }
            place.outermost = Some(above);
            level += 1;
        }
        place
    }

    /// Returns a draft of a symbol that a node at this position declares.
    fn draft(
        &self,
        kind: SymbolKind,
        node: Node<'t>,
        at: Node<'t>,
        name: &'t str,
    ) -> SymbolDraft<'t> {
        let whole = self.outermost.unwrap_or(node);
        let mut draft = SymbolDraft::new(kind, whole, at, name).exported(self.exported);
        draft.range.1 = last_part(whole);
        draft.head = after_decorators(node);
        draft.body(node.child_by_field_name("body"))
    }
}

/// Returns the first child that is neither a decorator nor a comment, or the node itself.
pub(super) fn after_decorators(node: Node<'_>) -> Node<'_> {
    match node.child(0) {
        Some(first) if first.kind() == "decorator" => {
            let mut cursor = node.walk();
            let mut after = node.children(&mut cursor);
            after.find(|child| !matches!(child.kind(), "decorator" | "comment")).unwrap_or(node)
        }
        _ => node,
    }
}

/// Opens the symbol of a declaration with a name.
pub(super) fn open_declared<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, kind: SymbolKind) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let place = DeclarationPosition::of(reader, 0);
    let text = namespace_name(reader, name);
    reader.open_symbol(&place.draft(kind, node, name, text));
}

/// Returns a name without quotes, which the name of an ambient module has.
pub(super) fn namespace_name<'t>(reader: &FactsReader<'t>, name: Node<'t>) -> &'t str {
    read_literal(reader, name).unwrap_or_else(|| reader.text(name))
}

/// Reads an enum and its members, which are exported with it.
pub(super) fn read_enumeration<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    open_declared(reader, node, SymbolKind::Enum);
    let members = node.child_by_field_name("body").map(list_children).unwrap_or_default();
    for member in members {
        let name = member.child_by_field_name("name").unwrap_or(member);
        let text = property_name(reader, name);
        reader
            .add_symbol(&SymbolDraft::new(SymbolKind::Property, member, name, text).exported(true));
    }
}

/// Reads `declare global { … }`. Of other ambient declarations only the content is read.
pub(super) fn read_ambient<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if has_child(node, "global")
        && let Some(name) = super::find_child(node, "global")
    {
        let body = super::find_child(node, "statement_block");
        let text = reader.text(name);
        reader.open_symbol(&SymbolDraft::new(SymbolKind::Module, node, name, text).body(body));
    }
}

/// Reads a function that is a value. If a name was just bound to it, it is no closure; if it
/// has a name of its own, it is a symbol.
pub(super) fn read_closure<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) -> ChildWalk {
    if is_bound(reader) {
        return ChildWalk::Into;
    }
    named_value(reader, node, SymbolKind::Function);
    ChildWalk::Deeper
}

/// Reads a class that is a value.
pub(super) fn read_class_expression<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if !is_bound(reader) {
        named_value(reader, node, SymbolKind::Class);
    }
}

/// Opens a symbol for a value that has a name of its own.
fn named_value<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, kind: SymbolKind) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let mut draft = SymbolDraft::new(kind, node, name, reader.text(name));
    draft.head = after_decorators(node);
    reader.open_symbol(&draft.body(node.child_by_field_name("body")));
}

/// Returns `true` if the current value belongs to the symbol that was just opened.
fn is_bound(reader: &FactsReader<'_>) -> bool {
    let mut level = 0;
    while let Some(above) = reader.above(level) {
        if reader.opened_at(level + 1) {
            let kind = reader.kept.scope().map(|symbol| symbol.kind);
            return kind != Some(SymbolKind::Variable)
                && kind != Some(SymbolKind::Test)
                && kind != Some(SymbolKind::Property)
                && !matches!(above.kind(), "statement_block" | "class_body");
        }
        if !super::is_wrapper(above.kind()) {
            return false;
        }
        level += 1;
    }
    false
}
