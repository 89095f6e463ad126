//! Imports of a Rust file: `use` trees, `extern crate`, and modules that are files.
//!
//! Paths that begin with `self` or `super` count from the file, not from a module inside it:
//! `super::*` in
//! `mod tests { … }` is `self::*`, and `mod b;` in `mod a { … }` is the module `a::b`.

use std::collections::HashMap;
use std::rc::Rc;

use rustc_hash::FxBuildHasher;
use tree_sitter::Node;

use super::super::child::{find_child, first_child, list_children, remove_blanks};
use super::super::reader::FactsReader;
use super::{find_attribute, is_pub, open_item};
use crate::facts::{Import, ImportKind, ImportedName, SymbolKind};

/// Most bytes of a path; a longer one is skipped.
const MAX_PATH: usize = 1_000;
/// Most names of one statement.
const MAX_NAMES: usize = 20_000;
/// Most nested modules of a file.
const MAX_MODULES: usize = 64;

/// One name that a `use` tree imports.
struct Leaf {
    /// Empty for a name at the root of the path.
    module: String,
    /// Empty for a whole module.
    name: String,
    alias: Option<String>,
}

/// Reads a `use`: one import for each module, with all names that are taken from it. `pub use`
/// exports them too.
pub(super) fn read_use<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    let modules = inline_modules(reader);
    let is_pub = is_pub(node);
    let kind = if is_pub { ImportKind::ReExport } else { ImportKind::Import };
    let is_top = reader.kept.scope().is_none();
    let mut imports: Vec<Import> = Vec::new();
    let mut places: HashMap<String, usize, FxBuildHasher> = HashMap::default();
    for leaf in list_leaves(reader, argument) {
        let module = from_file(&leaf.module, &modules);
        if is_pub && is_top {
            add_export(reader, node, &leaf, &module);
        }
        let mut import = FactsReader::whole_import(node, kind, &module);
        if leaf.name.is_empty() {
            import.alias = leaf.alias.map(Into::into);
            imports.push(import);
            continue;
        }
        let place = *places.entry(module).or_insert_with(|| {
            imports.push(import);
            imports.len() - 1
        });
        if let Some(import) = imports.get_mut(place) {
            import
                .names
                .push(ImportedName { name: leaf.name.into(), alias: leaf.alias.map(Into::into) });
        }
    }
    for import in imports {
        reader.kept.add_import(import);
    }
}

/// Adds the export of a `pub use`. A whole module is exported as its own `self`.
fn add_export(reader: &mut FactsReader<'_>, node: Node<'_>, leaf: &Leaf, module: &str) {
    let own = module.trim_start_matches("::");
    let (local, name) =
        if leaf.name.is_empty() { ("self", own) } else { (&*leaf.name, &*leaf.name) };
    let name = leaf.alias.as_deref().unwrap_or(name);
    if name != "_" {
        reader.add_export(node, name, Some(local), Some(module));
    }
}

/// Returns the names of a `use` tree, in their order.
fn list_leaves(reader: &FactsReader<'_>, argument: Node<'_>) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    let mut open: Vec<(Node<'_>, Rc<str>)> = vec![(argument, "".into())];
    while let Some((node, prefix)) = open.pop() {
        if leaves.len() >= MAX_NAMES || prefix.len() > MAX_PATH {
            continue;
        }
        match node.kind() {
            "use_list" => {
                // Reversed, because the last one pushed is read first.
                open.extend(
                    list_children(node).into_iter().rev().map(|child| (child, Rc::clone(&prefix))),
                );
            }
            "scoped_use_list" => {
                let path = node.child_by_field_name("path");
                let prefix = match path {
                    Some(path) => join_paths(&prefix, &remove_blanks(reader.text(path))),
                    None => format!("{prefix}::"),
                };
                if let Some(list) = node.child_by_field_name("list") {
                    open.push((list, prefix.into()));
                }
            }
            "use_wildcard" => {
                let path = first_child(node)
                    .map(|path| remove_blanks(reader.text(path)))
                    .unwrap_or_default();
                let module = join_paths(&prefix, &path);
                let module = module.strip_suffix("::").unwrap_or(&module).to_owned();
                leaves.push(Leaf { module, name: "*".to_owned(), alias: None });
            }
            "use_as_clause" => {
                let text = |field| {
                    node.child_by_field_name(field).map(|it| remove_blanks(reader.text(it)))
                };
                if let Some(path) = text("path") {
                    leaves.push(new_leaf(&join_paths(&prefix, &path), text("alias")));
                }
            }
            _ => {
                leaves
                    .push(new_leaf(&join_paths(&prefix, &remove_blanks(reader.text(node))), None));
            }
        }
    }
    leaves
}

/// Joins the parts of a `use` tree. A prefix of `::` alone is a path from the crates, as in `use
/// ::{a, b}`.
fn join_paths(prefix: &str, path: &str) -> String {
    match prefix {
        "" => path.to_owned(),
        _ if path.is_empty() => prefix.to_owned(),
        _ if prefix.ends_with("::") => format!("{prefix}{path}"),
        _ => format!("{prefix}::{path}"),
    }
}

/// Splits a path into a module and the name imported from it. `a::b::self` is `b` of `a`.
fn new_leaf(path: &str, alias: Option<String>) -> Leaf {
    let own = path.strip_suffix("::self").unwrap_or(path);
    match own.rsplit_once("::") {
        Some((module, name)) if !module.is_empty() => {
            Leaf { module: module.to_owned(), name: name.to_owned(), alias }
        }
        _ => Leaf { module: own.to_owned(), name: String::new(), alias },
    }
}

/// Returns the names of the modules with a body in this file that contain the current node, the
/// outermost first.
fn inline_modules(reader: &FactsReader<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let mut scope = reader.kept.scope();
    for _ in 0..MAX_MODULES {
        let Some(symbol) = scope else { break };
        let is_impl =
            symbol.signature.starts_with("impl") || symbol.signature.starts_with("unsafe impl");
        if symbol.kind == SymbolKind::Module && !is_impl {
            names.push(symbol.name.to_string());
        }
        scope = symbol.parent.and_then(|parent| reader.kept.facts.symbols.get(parent as usize));
    }
    names.reverse();
    names
}

/// Returns a path in the form that it would have at the top of the file.
fn from_file(path: &str, modules: &[String]) -> String {
    let mut rest: Vec<&str> = path.split("::").collect();
    let leads_in = matches!(rest.first(), Some(&("self" | "super")));
    if modules.is_empty() || !leads_in {
        return path.to_owned();
    }
    let mut around: Vec<&str> = modules.iter().map(String::as_str).collect();
    if rest.first() == Some(&"self") {
        rest.remove(0);
    }
    let ups = rest.iter().take_while(|part| **part == "super").count();
    let inside = ups.min(around.len());
    around.truncate(around.len() - inside);
    let rest = rest.into_iter().skip(inside);
    // It leaves the file: `super::super::a` in one inline module is `super::a` of the file.
    if ups > inside {
        return rest.collect::<Vec<_>>().join("::");
    }
    std::iter::once("self").chain(around).chain(rest).collect::<Vec<_>>().join("::")
}

/// Reads `extern crate a as b;`.
pub(super) fn read_extern_crate<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let name = reader.text(name);
    let alias = node.child_by_field_name("alias").map(|alias| reader.text(alias));
    let is_pub = is_pub(node);
    let kind = if is_pub { ImportKind::ReExport } else { ImportKind::Import };
    let mut import = FactsReader::whole_import(node, kind, name);
    import.alias = alias.map(Into::into);
    reader.kept.add_import(import);
    if is_pub && reader.kept.scope().is_none() {
        reader.add_export(node, alias.unwrap_or(name), Some("self"), Some(name));
    }
}

/// Reads `mod a { … }`, a symbol, or `mod a;`, an import of the file `a.rs`, `a/mod.rs`, or of the
/// one that `#[path = "…"]` names.
pub(super) fn read_module<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let body = node.child_by_field_name("body");
    if body.is_some() {
        open_item(reader, node, SymbolKind::Module, body, is_pub(node));
        return;
    }
    let Some(at) = node.child_by_field_name("name") else { return };
    let name = reader.text(at);
    let file = find_attribute(reader, node, "#[path").and_then(|line| line.split('"').nth(1));
    let mut modules = inline_modules(reader);
    modules.push(name.to_owned());
    let path = modules.join("::");
    let mut import = FactsReader::whole_import(at, ImportKind::Module, file.unwrap_or(&path));
    import.alias = file.map(|_| name.into());
    reader.kept.add_import(import);
    if find_child(node, "visibility_modifier").is_some() && reader.kept.scope().is_none() {
        reader.add_export(at, name, None, None);
    }
}
