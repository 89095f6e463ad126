//! Import statements of every form.

use tree_sitter::Node;

use crate::facts::{Import, ImportKind, ImportedName};
use crate::language::reader::{ChildWalk, FactsReader};

/// Reads `import a.b as c, d`: an import for each.
pub(super) fn read_import<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) -> ChildWalk {
    let type_only = for_types(reader);
    let mut cursor = node.walk();
    for part in node.children_by_field_name("name", &mut cursor) {
        let (module, alias) = read_name(reader, part);
        let mut import = FactsReader::whole_import(node, ImportKind::Import, module);
        import.alias = alias.map(Into::into);
        import.type_only = type_only;
        reader.kept.add_import(import);
    }
    ChildWalk::Past
}

/// Reads `from a import b as c`.
pub(super) fn read_from<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) -> ChildWalk {
    if let Some(module) = node.child_by_field_name("module_name") {
        // `.. a` is `..a`.
        let module: String = reader.text(module).split_whitespace().collect();
        let import = FactsReader::whole_import(node, ImportKind::Import, &module);
        add_taken(reader, node, import);
    }
    ChildWalk::Past
}

/// Reads `from __future__ import …`, which the grammar keeps apart.
pub(super) fn read_future<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) -> ChildWalk {
    let import = FactsReader::whole_import(node, ImportKind::Import, "__future__");
    add_taken(reader, node, import);
    ChildWalk::Past
}

/// Adds the names of a `from` import, and the import.
fn add_taken<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, mut import: Import) {
    import.type_only = for_types(reader);
    let mut cursor = node.walk();
    for part in node.children_by_field_name("name", &mut cursor) {
        let (name, alias) = read_name(reader, part);
        import.names.push(ImportedName { name: name.into(), alias: alias.map(Into::into) });
    }
    let mut cursor = node.walk();
    // The grammar gives `*` no field `name`.
    if node.named_children(&mut cursor).any(|child| child.kind() == "wildcard_import") {
        import.names.push(ImportedName { name: "*".into(), alias: None });
    }
    reader.kept.add_import(import);
}

/// Returns a name and its alias; an alias equal to the name marks a re-export.
fn read_name<'t>(reader: &FactsReader<'t>, part: Node<'t>) -> (&'t str, Option<&'t str>) {
    match part.child_by_field_name("name") {
        Some(name) => {
            let alias = part.child_by_field_name("alias");
            (reader.text(name), alias.map(|alias| reader.text(alias)))
        }
        None => (reader.text(part), None),
    }
}

/// Returns `true` if the current node is inside `if TYPE_CHECKING`.
fn for_types(reader: &FactsReader<'_>) -> bool {
    let condition = reader.above(1).and_then(|above| above.child_by_field_name("condition"));
    let in_block = reader.parent().is_some_and(|parent| parent.kind() == "block");
    in_block
        && condition.is_some_and(|condition| {
            matches!(
                reader.text(condition),
                "TYPE_CHECKING" | "typing.TYPE_CHECKING" | "t.TYPE_CHECKING"
            )
        })
}
