//! Import statements, and the modules that calls of `require` and `import` load.

use tree_sitter::Node;

use super::{
    find_child, has_child, is_wrapper, list_children, property_name, read_literal,
    unwrap_expression,
};
use crate::facts::{Import, ImportKind, ImportedName};
use crate::language::reader::FactsReader;

/// Reads an import statement, and `import a = require("b")` of TypeScript.
pub(super) fn read_import<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let require = find_child(node, "import_require_clause");
    let source = require.unwrap_or(node).child_by_field_name("source");
    let Some(module) = source.and_then(|source| read_literal(reader, source)) else {
        return;
    };
    let kind = if require.is_some() { ImportKind::Require } else { ImportKind::Import };
    let mut import = FactsReader::whole_import(node, kind, module);
    import.type_only = has_child(node, "type") || has_child(node, "typeof");
    if let Some(require) = require {
        let name = find_child(require, "identifier");
        import.alias = name.map(|name| reader.text(name).into());
    }
    if let Some(clause) = find_child(node, "import_clause") {
        clause_names(reader, clause, &mut import);
    }
    reader.kept.add_import(import);
}

/// Adds the names of an import clause: the default, a namespace, or single names.
fn clause_names<'t>(reader: &FactsReader<'t>, clause: Node<'t>, import: &mut Import) {
    let mut types = 0;
    for part in list_children(clause) {
        match part.kind() {
            "identifier" => import.names.push(new_imported_name("default", reader.text(part))),
            "namespace_import" => {
                let name = find_child(part, "identifier");
                import.alias = name.map(|name| reader.text(name).into());
            }
            "named_imports" => {
                for specifier in list_children(part) {
                    types += usize::from(has_child(specifier, "type"));
                    import.names.extend(read_specifier(reader, specifier));
                }
            }
            _ => {}
        }
    }
    // `import { type A }` takes no value either.
    import.type_only |= types > 0 && types == import.names.len() && import.alias.is_none();
}

/// Returns the name of a specifier with its alias, for an import or an export.
pub(super) fn read_specifier<'t>(
    reader: &FactsReader<'t>,
    specifier: Node<'t>,
) -> Option<ImportedName> {
    let name = property_name(reader, specifier.child_by_field_name("name")?);
    let alias = specifier.child_by_field_name("alias");
    let alias = alias.map_or(name, |alias| property_name(reader, alias));
    Some(new_imported_name(name, alias))
}

/// Returns an imported name; an alias that equals the name is left out.
fn new_imported_name(name: &str, alias: &str) -> ImportedName {
    ImportedName { name: name.into(), alias: (alias != name).then(|| alias.into()) }
}

/// Reads `require("…")` and `import("…")`, with the names that are bound to what they return.
pub(super) fn taken_by_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, kind: ImportKind) {
    let arguments = node.child_by_field_name("arguments");
    let first = arguments.and_then(|arguments| list_children(arguments).first().copied());
    let Some(module) = first.and_then(|first| read_literal(reader, first)) else { return };
    let mut import = FactsReader::whole_import(node, kind, module);
    find_bound_names(reader, node, &mut import);
    reader.kept.add_import(import);
}

/// Finds the names that an imported module is bound to, from the nodes around the call.
fn find_bound_names<'t>(reader: &FactsReader<'t>, node: Node<'t>, import: &mut Import) {
    let mut below = node;
    let mut member = None;
    // Eight levels contain every usual form, such as `const { a } = (await import("b")).c`.
    for level in 0..8 {
        let Some(above) = reader.above(level) else { return };
        match above.kind() {
            "await_expression" => {}
            kind if is_wrapper(kind) => import.type_only |= is_type_side(above, below),
            "member_expression" if member.is_none() => {
                member = above.child_by_field_name("property");
            }
            // A member of it is imported as a type as well.
            "member_expression" => {
                let further = (level + 1..8).map_while(|level| reader.above(level));
                let mut further = further.skip_while(|above| above.kind() == "member_expression");
                import.type_only |= further.next().is_some_and(|it| it.kind() == "type_query");
                break;
            }
            "variable_declarator" => {
                if let Some(name) = above.child_by_field_name("name") {
                    bind_name(reader, name, member, import);
                }
                return;
            }
            // `export import x = require(…)` and the like have no declarator.
            // `typeof` of a module is a type, wherever the grammar takes it for a value.
            "unary_expression" => import.type_only = reader.text(above).starts_with("typeof"),
            kind => {
                import.type_only |= kind.contains("type") && !kind.contains("parameter");
                break;
            }
        }
        below = above;
    }
    if let Some(member) = member {
        let name = reader.text(member);
        // Methods of the promise are no names of the module.
        if import.kind == ImportKind::Require || !matches!(name, "then" | "catch" | "finally") {
            import.names.push(new_imported_name(name, name));
        }
    }
}

/// Returns `true` if an expression is the type in `value as type`.
fn is_type_side(above: Node<'_>, below: Node<'_>) -> bool {
    above.kind() != "parenthesized_expression"
        && unwrap_expression(above).start_byte() < below.start_byte()
}

/// Adds the names of a variable or pattern to which a module is bound.
fn bind_name<'t>(
    reader: &FactsReader<'t>,
    name: Node<'t>,
    member: Option<Node<'t>>,
    import: &mut Import,
) {
    if name.kind() == "identifier" {
        match member {
            Some(member) => {
                import.names.push(new_imported_name(reader.text(member), reader.text(name)));
            }
            None => import.alias = Some(reader.text(name).into()),
        }
        return;
    }
    if let Some(member) = member {
        import.names.push(new_imported_name(reader.text(member), reader.text(member)));
        return;
    }
    if name.kind() != "object_pattern" {
        return;
    }
    for part in list_children(name) {
        let (from, to) = match part.kind() {
            "shorthand_property_identifier_pattern" => (Some(part), Some(part)),
            "object_assignment_pattern" => {
                let left = part.child_by_field_name("left");
                (left, left)
            }
            "pair_pattern" => (part.child_by_field_name("key"), part.child_by_field_name("value")),
            _ => (None, None),
        };
        let Some(from) = from else { continue };
        let from = property_name(reader, from);
        let to = to.filter(|to| to.kind().contains("identifier"));
        import.names.push(new_imported_name(from, to.map_or(from, |to| reader.text(to))));
    }
}
