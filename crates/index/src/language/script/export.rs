//! Export statements, and the symbols that other files can import once all of them are known.

use std::collections::HashSet;

use tree_sitter::Node;

use super::import::read_specifier;
use super::{
    bind, find_child, has_child, list_children, property_name, read_literal, unwrap_expression,
};
use crate::facts::{FileFacts, ImportKind, ImportedName, SymbolKind};
use crate::language::reader::FactsReader;
use crate::language::script::{commonjs, define};

/// Reads an export statement of any form.
pub(super) fn read_export<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if reader.kept.scope().is_some() {
        // Given away by a namespace or an ambient module, not by the file.
        return;
    }
    if let Some(source) = node.child_by_field_name("source") {
        if let Some(module) = read_literal(reader, source) {
            passed_on(reader, node, module);
        }
        return;
    }
    if let Some(clause) = find_child(node, "export_clause") {
        for part in list_children(clause) {
            let Some(name) = read_specifier(reader, part) else { continue };
            let outside = name.alias.as_ref().unwrap_or(&name.name);
            reader.add_export(node, outside, Some(&name.name), None);
        }
        return;
    }
    if has_child(node, "default") || has_child(node, "=") {
        by_default(reader, node);
    } else if let Some(declaration) = node.child_by_field_name("declaration") {
        export_declared(reader, node, declaration);
    }
}

/// Reads `export … from`, which is also an import.
fn passed_on<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, module: &'t str) {
    let mut import = FactsReader::whole_import(node, ImportKind::ReExport, module);
    import.type_only = is_for_types(reader, node);
    if let Some(clause) = find_child(node, "export_clause") {
        for part in list_children(clause) {
            let Some(name) = read_specifier(reader, part) else { continue };
            let outside = name.alias.as_ref().unwrap_or(&name.name);
            reader.add_export(node, outside, Some(&name.name), Some(module));
            import.names.push(name);
        }
    } else if let Some(namespace) = find_child(node, "namespace_export") {
        if let Some(name) = list_children(namespace).first() {
            let name = property_name(reader, *name);
            reader.add_export(node, name, Some("*"), Some(module));
            import.alias = Some(name.into());
        }
    } else {
        reader.add_export(node, "*", None, Some(module));
        import.names.push(ImportedName { name: "*".into(), alias: None });
    }
    reader.kept.add_import(import);
}

/// Returns `true` if `type` follows `export`. The text is checked because the tree may be of a
/// corrected text.
fn is_for_types(reader: &FactsReader<'_>, node: Node<'_>) -> bool {
    let words = reader.text(node).strip_prefix("export").map(str::trim_start);
    let after = words.and_then(|words| words.strip_prefix("type"));
    after.is_some_and(|after| after.trim_start().starts_with(['*', '{']))
}

/// Reads `export default …` and `export = …`: an importer takes both as the default.
fn by_default<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let declaration = node.child_by_field_name("declaration");
    let value = declaration.or_else(|| node.child_by_field_name("value"));
    let Some(value) = value.or_else(|| list_children(node).last().copied()).map(unwrap_expression)
    else {
        return;
    };
    let name = match value.kind() {
        "identifier" => Some(value),
        kind if kind.starts_with("jsx") => None,
        _ => value.child_by_field_name("name"),
    };
    let local = name.map(|name| reader.text(name));
    reader.add_export(node, "default", local, None);
    if local.is_none() {
        commonjs::define_unnamed(reader, node, node, value, true);
    }
}

/// Reads `export` in front of a declaration.
fn export_declared<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, mut declaration: Node<'t>) {
    if declaration.kind() == "ambient_declaration"
        && let Some(inner) = list_children(declaration).first()
    {
        declaration = *inner;
    }
    match declaration.kind() {
        "lexical_declaration" | "variable_declaration" | "using_declaration" => {
            for declarator in list_children(declaration) {
                let Some(name) = declarator.child_by_field_name("name") else { continue };
                for bound in bind::list_names(name) {
                    let text = reader.text(bound);
                    reader.add_export(bound, text, None, None);
                }
            }
        }
        "import_alias" => {
            if let Some(name) = find_child(declaration, "identifier") {
                let name = reader.text(name);
                reader.add_export(node, name, None, None);
            }
        }
        _ => {
            if let Some(name) = declaration.child_by_field_name("name") {
                let name = define::namespace_name(reader, name);
                reader.add_export(node, name, None, None);
            }
        }
    }
}

/// Drops duplicate exports (overloads, merged declarations), and marks the symbols that other files
/// can import.
pub(super) fn finish_exports(facts: &mut FileFacts) {
    let mut seen_exports = HashSet::new();
    facts.exports.retain(|export| {
        seen_exports.insert((export.name.clone(), export.local.clone(), export.from.clone()))
    });
    // A name that is exported from another module is no symbol of this one.
    let own = facts.exports.iter().filter(|export| export.from.is_none());
    let given: HashSet<&str> =
        own.map(|export| export.local.as_deref().unwrap_or(&export.name)).collect();
    // Parents precede members, so the mark of a class is final when its members are looked at.
    for at in 0..facts.symbols.len() {
        let parent = facts.symbols.get(at).and_then(|symbol| symbol.parent);
        let around = parent.map(|parent| {
            facts
                .symbols
                .get(parent as usize)
                .is_some_and(|parent| !parent.kind.is_callable() && parent.exported)
        });
        if let Some(symbol) = facts.symbols.get_mut(at) {
            symbol.exported = match around {
                Some(around) => around && symbol.exported,
                None => given.contains(&*symbol.name) && symbol.kind != SymbolKind::Test,
            };
        }
    }
}
