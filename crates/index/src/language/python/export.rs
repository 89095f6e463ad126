//! Exports of a module: its `__all__`, or else every public name at its top.

use std::collections::HashMap;

use tree_sitter::Node;

use super::read_literal;
use crate::facts::{Export, ImportKind};
use crate::language::python::define::is_public;
use crate::language::reader::FactsReader;

/// Most nodes that are searched for the names of one list.
const MAX_NODES: usize = 10_000;

/// Returns `true` if a node is the module's `__all__`, or a method of it.
pub(super) fn is_list(reader: &FactsReader<'_>, node: Node<'_>) -> bool {
    let node = match node.kind() {
        "attribute" => node.child_by_field_name("object").unwrap_or(node),
        _ => node,
    };
    reader.kept.scope().is_none() && reader.text(node) == "__all__"
}

/// Reads `__all__ += […]`.
pub(super) fn read_added_exports<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let left = node.child_by_field_name("left");
    if left.is_some_and(|left| is_list(reader, left))
        && let Some(right) = node.child_by_field_name("right")
    {
        read_listed(reader, right);
    }
}

/// Adds every plain string of a list, tuple, or sum of them as an export.
pub(super) fn read_listed<'t>(reader: &mut FactsReader<'t>, value: Node<'t>) {
    reader.lists_exports = true;
    let mut open = vec![value];
    let mut looked = 0;
    while let Some(node) = open.pop() {
        looked += 1;
        if looked > MAX_NODES {
            return;
        }
        match node.kind() {
            "string" => {
                if let Some(name) = read_literal(reader, node) {
                    reader.add_export(node, name, None, None);
                }
            }
            "list"
            | "tuple"
            | "set"
            | "expression_list"
            | "argument_list"
            | "binary_operator"
            | "parenthesized_expression" => {
                let mut cursor = node.walk();
                let inner: Vec<_> = node.named_children(&mut cursor).collect();
                open.extend(inner.into_iter().rev());
            }
            _ => {}
        }
    }
}

/// Adds the public names as exports if there is no `__all__`, and marks the symbols that others
/// can import.
pub(super) fn finish_exports(reader: &mut FactsReader<'_>) {
    // Before the facts are changed: an import that the file also defines is no re-export.
    let passed = passed_on(reader);
    let facts = &mut reader.kept.facts;
    // With `__all__`, names that come from other modules are re-exports; without it, only own names are.
    if reader.lists_exports {
        for export in &mut facts.exports {
            if let Some((module, name, _)) = passed.get(&export.name) {
                export.from = Some(module.clone());
                export.local = (*name != export.name).then(|| name.clone());
            }
        }
    } else {
        let own = facts.symbols.iter().filter(|symbol| symbol.parent.is_none());
        let own = own.filter(|symbol| symbol.exported).map(|symbol| Export {
            name: symbol.name.clone(),
            local: None,
            from: None,
            line: symbol.line,
        });
        facts.exports = own.collect();
        facts.exports.extend(find_redundant(&facts.imports));
        facts.exports.sort_by_key(|export| export.line);
    }
    let mut seen_exports = std::collections::HashSet::new();
    facts.exports.retain(|export| seen_exports.insert(export.name.clone()));
    // Parents precede members, so the mark of a class is final when its members are looked at.
    for at in 0..facts.symbols.len() {
        let parent = facts.symbols.get(at).and_then(|symbol| symbol.parent);
        let around = parent.and_then(|parent| facts.symbols.get(parent as usize));
        let around =
            around.map(|parent| parent.exported && parent.kind == crate::facts::SymbolKind::Class);
        if let Some(symbol) = facts.symbols.get_mut(at) {
            symbol.exported = match around {
                Some(around) => around && symbol.exported,
                None => seen_exports.contains(&symbol.name),
            };
        }
    }
    for name in facts.imports.iter_mut().flat_map(|import| &mut import.names) {
        name.alias = name.alias.take().filter(|alias| *alias != name.name);
    }
}

/// Returns the names imported from other modules and not defined here: module, name there, and
/// line.
fn passed_on(reader: &FactsReader<'_>) -> HashMap<Box<str>, (Box<str>, Box<str>, u32)> {
    let mut passed = HashMap::new();
    for import in
        reader.kept.facts.imports.iter().filter(|import| import.kind == ImportKind::Import)
    {
        for name in &import.names {
            let here = name.alias.as_ref().unwrap_or(&name.name).clone();
            passed.insert(here, (import.module.clone(), name.name.clone(), import.line));
        }
    }
    for symbol in reader.kept.facts.symbols.iter().filter(|symbol| symbol.parent.is_none()) {
        passed.remove(&symbol.name);
    }
    passed
}

/// Returns exports for `from x import a as a`, the form that marks a re-export for type checkers.
fn find_redundant(imports: &[crate::facts::Import]) -> Vec<Export> {
    let names =
        imports.iter().flat_map(|import| import.names.iter().map(move |name| (import, name)));
    let same = names.filter(|(_, name)| name.alias.as_ref() == Some(&name.name));
    same.filter(|(_, name)| is_public(&name.name))
        .map(|(import, name)| Export {
            name: name.name.clone(),
            local: None,
            from: Some(import.module.clone()),
            line: import.line,
        })
        .collect()
}
