//! Functions, methods, classes and type aliases.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::language::reader::FactsReader;
use crate::language::symbol::SymbolDraft;

/// Reads `def` and `async def`. A function directly in a class is a method.
pub(super) fn read_function<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let in_class = reader.kept.scope().is_some_and(|symbol| symbol.kind == SymbolKind::Class);
    open_definition(reader, node, if in_class { SymbolKind::Method } else { SymbolKind::Function });
}

/// Reads `type A = …` (PEP 695).
pub(super) fn read_type_alias<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let left = node.child_by_field_name("left");
    let mut name = left;
    // `type Pair[T] = …`: the name is the first leaf.
    while let Some(inner) = name.and_then(|name| name.named_child(0)) {
        name = Some(inner);
    }
    if let Some(name) = name {
        let text = reader.text(name);
        let draft = SymbolDraft::new(SymbolKind::Type, node, name, text).exported(is_public(text));
        reader.add_symbol(&draft);
    }
}

/// Opens a function or class. Its range begins at its decorators, its head at `def` or `class`.
pub(super) fn open_definition<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, kind: SymbolKind) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let decorated = reader.parent().filter(|parent| parent.kind() == "decorated_definition");
    let text = reader.text(name);
    let mut draft = SymbolDraft::new(kind, decorated.unwrap_or(node), name, text);
    draft.head = node;
    reader.open_symbol(&draft.body(node.child_by_field_name("body")).exported(is_public(text)));
}

/// Returns `true` if a name is public: without a leading underscore, or with two on both sides.
/// The rule is the one of PEP 8.
pub(super) fn is_public(name: &str) -> bool {
    !name.starts_with('_') || (name.starts_with("__") && name.ends_with("__"))
}
