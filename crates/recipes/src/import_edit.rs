//! Edits of import statements: another name, another module, a further name, one less.

use std::ops::Range;

use papayu_lang::Language;
use tree_sitter::Node;

use super::api_name::{ApiName, module_parts};
use super::bindings::{ApiBinding, Bindings};
use super::language::is_script;
use super::name_role::is_name;
use super::nodes::{ancestors, field_of};
use super::script_imports::{find_name_list, replace_quoted};
use super::source_tree::SourceTree;
use super::text_edit::{TextReplacement, replace_word};

/// Returns the edit after which an import binds another API, under a local name.
///
/// A statement with other names keeps these; the new API has a statement of its own then if its module differs.
pub(crate) fn change_import(
    tree: &SourceTree<'_>,
    bindings: &Bindings,
    binding: &ApiBinding,
    new: &ApiName,
    local: &str,
) -> Option<Vec<TextReplacement>> {
    let statement = find_statement(tree, binding)?;
    let language = tree.language;
    let old = ApiName::of_parts(language, &binding.path, binding.module);
    if !old.name.is_empty() && new.name.is_empty() && language == Language::Python {
        return import_module(tree, bindings, binding, new, local);
    }
    let new = &if old.name.is_empty() { new.clone() } else { last_name(language, new) };
    let old = &if old.name.is_empty() { old } else { last_name(language, &old) };
    if new.name.contains('.') {
        return None;
    }
    let text = tree.text_of(statement);
    let is_alone = bindings.is_alone(binding);
    let is_require = statement.kind() == "variable_declarator";
    let spelled = spell_name(language, new, local, is_require);
    let same_module = module_parts(language, &old.module) == module_parts(language, &new.module);
    // A class is not imported as the members of classes are.
    let is_of_members = language == Language::Java
        && text.starts_with("import static ")
        && new.last(language).starts_with(char::is_uppercase);
    if !old.name.is_empty() && (same_module || is_alone) && !is_of_members {
        let item = find_item(tree, statement, &old.last(language), binding)?;
        let (before, rest) = text.split_at_checked(item.start - statement.start_byte())?;
        let after = rest.get(item.len()..)?;
        let (mut before, mut after) = (before.to_owned(), after.to_owned());
        if !same_module {
            // The module is before the name in Python, Rust and Java, and after it in JavaScript.
            let changed = replace_module(language, &before, &old.module, &new.module);
            if changed == before {
                after = replace_module(language, &after, &old.module, &new.module);
            } else {
                before = changed;
            }
        }
        let edit =
            TextReplacement::new(statement.byte_range(), format!("{before}{spelled}{after}"));
        return Some(vec![edit]);
    }
    if old.name.is_empty() {
        // A whole module.
        let changed = rename_module(tree, statement, &old.module, &full_module(language, new));
        return (changed != text)
            .then(|| vec![TextReplacement::new(statement.byte_range(), changed)]);
    }
    replace_name(tree, bindings, binding, new, local)
}

/// Returns the edits that remove a name from its import and add an import of a new API.
fn replace_name(
    tree: &SourceTree<'_>,
    bindings: &Bindings,
    binding: &ApiBinding,
    new: &ApiName,
    local: &str,
) -> Option<Vec<TextReplacement>> {
    let statement = find_statement(tree, binding)?;
    let mut edits = drop_name(tree, bindings, binding)?;
    let Some(keyword) = find_keyword(tree, statement, binding) else {
        edits.extend(add_import(tree, new, local, Some(statement)));
        return Some(edits);
    };
    let line = spell_import(tree, new, local, Some(statement));
    let names = line.strip_prefix("import ").filter(|_| !new.name.is_empty())?;
    edits.push(insert_line(tree, Some(statement), &format!("{keyword}{names}")));
    Some(edits)
}

/// Returns how a statement of a script with another module begins, if it is no plain import: one that exports a name goes on
/// doing it, and a type stays one.
fn find_keyword(
    tree: &SourceTree<'_>,
    statement: Node<'_>,
    binding: &ApiBinding,
) -> Option<&'static str> {
    let item = find_item(tree, statement, binding.path.last()?, binding)?;
    let text = tree.text_of(statement);
    let specifier = find_specifier(tree, &item).map_or("", |it| tree.text_of(it));
    let is_type = specifier.starts_with("type ")
        || text.starts_with("import type ")
        || text.starts_with("export type ");
    match (text.starts_with("export"), is_type) {
        (true, true) => Some("export type "),
        (true, false) => Some("export "),
        (false, true) => Some("import type "),
        (false, false) => None,
    }
}

/// Returns the part of an import or export of a script that has a name, with its alias and `type`.
fn find_specifier<'n>(tree: &'n SourceTree<'_>, item: &Range<usize>) -> Option<Node<'n>> {
    let around = ancestors(tree.node_at(item)?);
    around.into_iter().find(|it| ["import_specifier", "export_specifier"].contains(&it.kind()))
}

/// Returns an API as an import of its last part names it: a member of a class of Java, or of an enum of Rust, has the class in
/// its path.
fn last_name(language: Language, api: &ApiName) -> ApiName {
    let is_path = matches!(language, Language::Rust | Language::Java);
    let parts = api.parts(language);
    if is_path && parts.len() > 1 && (api.name.is_empty() || api.name.contains('.')) {
        return ApiName::of_parts(language, &parts, parts.len() - 1);
    }
    api.clone()
}

/// Returns the edits after which a module, which was imported as a name of its package, is imported from its new place.
fn import_module(
    tree: &SourceTree<'_>,
    bindings: &Bindings,
    binding: &ApiBinding,
    new: &ApiName,
    local: &str,
) -> Option<Vec<TextReplacement>> {
    let parts = new.parts(tree.language);
    if parts.len() > 1 {
        let new = ApiName::of_parts(tree.language, &parts, parts.len() - 1);
        return change_import(tree, bindings, binding, &new, local);
    }
    replace_name(tree, bindings, binding, new, local)
}

/// Returns the edits after which names below a module come from another module.
pub(crate) fn change_module(
    tree: &SourceTree<'_>,
    binding: &ApiBinding,
    old: &str,
    new: &str,
) -> Option<TextReplacement> {
    let statement = find_statement(tree, binding)?;
    let text = tree.text_of(statement);
    let changed = rename_module(tree, statement, old, new);
    (changed != text).then(|| TextReplacement::new(statement.byte_range(), changed))
}

/// Returns the edits that remove a name from its import.
pub(crate) fn drop_name(
    tree: &SourceTree<'_>,
    bindings: &Bindings,
    binding: &ApiBinding,
) -> Option<Vec<TextReplacement>> {
    let statement = find_statement(tree, binding)?;
    if bindings.is_alone(binding) {
        return Some(vec![TextReplacement::new(whole_lines(tree, statement), "")]);
    }
    let last = binding.path.last()?;
    let mut item = find_item(tree, statement, last, binding)?;
    if let Some(specifier) = find_specifier(tree, &item) {
        item = specifier.byte_range();
    }
    let line = line_around(tree.text, &item);
    let alone = tree.text.get(line.clone()).unwrap_or_default().trim().trim_end_matches(',');
    if Some(alone) == tree.text.get(item.clone()) {
        return Some(vec![TextReplacement::new(line, "")]);
    }
    if is_script(tree.language)
        && let Some(list) = find_name_list(tree, statement, &item)
    {
        return Some(vec![TextReplacement::new(list, "")]);
    }
    let bytes = tree.text.as_bytes();
    let is_blank = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_whitespace);
    // The comma after it, or the one before the last.
    let mut end = item.end;
    while is_blank(end) {
        end += 1;
    }
    if bytes.get(end) == Some(&b',') {
        end += 1;
        while is_blank(end) {
            end += 1;
        }
        item.end = end;
    } else {
        let mut start = item.start;
        while start > 0 && is_blank(start - 1) {
            start -= 1;
        }
        if start > 0 && bytes.get(start - 1) == Some(&b',') {
            item.start = start - 1;
        }
    }
    Some(vec![TextReplacement::new(item, "")])
}

/// Returns the edit that adds an import, in a statement of the same module if there is one, else after `near` or the last import.
pub(crate) fn add_import(
    tree: &SourceTree<'_>,
    new: &ApiName,
    local: &str,
    near: Option<Node<'_>>,
) -> Option<TextReplacement> {
    let imports = tree.imports();
    let is_require = imports.iter().any(|it| it.kind() == "variable_declarator");
    // An import in a function, or in a branch, is none for the file.
    let is_beside = |it: &Node<'_>| {
        near.is_some_and(|near| top_statement(near).parent() == top_statement(*it).parent())
    };
    let same = imports
        .iter()
        .filter(|it| is_top_level(**it) || is_beside(it))
        .find(|it| has_name_list(tree, **it, &new.module));
    if let Some(same) = same.filter(|_| !new.name.is_empty()) {
        return insert_name(tree, *same, &spell_name(tree.language, new, local, is_require));
    }
    let near = near.or_else(|| imports.iter().rev().copied().find(|it| is_top_level(*it)));
    let line = spell_import(tree, new, local, near);
    Some(insert_line(tree, near, &line))
}

/// Returns the edit that adds a line after a statement, or as the first import.
fn insert_line(tree: &SourceTree<'_>, near: Option<Node<'_>>, line: &str) -> TextReplacement {
    let at = near.map_or_else(|| first_line(tree), |near| whole_lines(tree, near).end);
    let head = near.map(|near| tree.text.get(whole_lines(tree, near)).unwrap_or_default());
    let is_blank = |c: char| c == ' ' || c == '\t';
    let indent = head.map_or("", |it| it.split(|c| !is_blank(c)).next().unwrap_or_default());
    TextReplacement::new(at..at, format!("{indent}{line}\n"))
}

/// Returns the statement that imports an API, in the style of the file's other imports.
fn spell_import(
    tree: &SourceTree<'_>,
    new: &ApiName,
    local: &str,
    near: Option<Node<'_>>,
) -> String {
    let language = tree.language;
    let imports = tree.imports();
    let is_require = imports.iter().any(|it| it.kind() == "variable_declarator");
    let spelled = spell_name(language, new, local, is_require);
    let quote =
        imports.iter().find_map(|it| tree.text_of(*it).chars().find(|c| "'\"".contains(*c)));
    let ends = imports.iter().any(|it| tree.text_of(top_statement(*it)).ends_with(';'));
    let quote = quote.unwrap_or('"');
    let module = &new.module;
    let end = if ends || imports.is_empty() { ";" } else { "" };
    match (language, new.name.is_empty()) {
        (Language::Python, true) if local != module => format!("import {module} as {local}"),
        (Language::Python, true) => format!("import {module}"),
        (Language::Python, false) => format!("from {module} import {spelled}"),
        (Language::Rust, true) => format!("use {module};"),
        (Language::Rust, false) => format!("use {module}::{spelled};"),
        (Language::Java, true) => format!("import {module};"),
        (Language::Java, false) => format!("import {module}.{spelled};"),
        (Language::Go, _) => match near {
            Some(near) if near.parent().is_some_and(|it| it.kind() == "import_spec_list") => {
                format!("\"{module}\"")
            }
            _ => format!("import \"{module}\""),
        },
        (_, true) if is_require => format!("const {local} = require({quote}{module}{quote}){end}"),
        (_, true) => format!("import * as {local} from {quote}{module}{quote}{end}"),
        (_, false) if is_require => {
            format!("const {{ {spelled} }} = require({quote}{module}{quote}){end}")
        }
        (_, false) => format!("import {{ {spelled} }} from {quote}{module}{quote}{end}"),
    }
}

/// Returns whether an import is a statement of the file, in no function and in no branch.
pub(crate) fn is_top_level(import: Node<'_>) -> bool {
    ancestors(import).skip(1).all(|it| {
        it.parent().is_none()
            || [
                "import_declaration", "import_spec_list", "lexical_declaration",
                "variable_declaration",
            ]
            .contains(&it.kind())
    })
}

/// Returns the statement that binds a name.
pub(crate) fn find_statement<'n>(
    tree: &'n SourceTree<'_>,
    binding: &ApiBinding,
) -> Option<Node<'n>> {
    let line = usize::try_from(binding.line).ok()?.saturating_sub(1);
    let covers =
        |node: &Node<'_>| node.start_position().row <= line && line <= node.end_position().row;
    let last = binding.path.last().map_or("", String::as_str);
    let found = tree.imports().into_iter().filter(covers).filter(|node| {
        let text = tree.text_of(*node);
        text.contains(last) || text.contains(&binding.local)
    });
    // The smallest: a group of Go has a statement around its lines.
    found.min_by_key(|node| node.byte_range().len())
}

/// Returns the place of an imported name with its alias.
fn find_item(
    tree: &SourceTree<'_>,
    statement: Node<'_>,
    name: &str,
    binding: &ApiBinding,
) -> Option<Range<usize>> {
    let leaves = tree.leaves(statement).into_iter();
    let named = leaves.filter(|leaf| is_name(*leaf) && tree.text_of(*leaf) == name);
    // A module may have the same name as what it gives; the name is the last in all but JavaScript, where a module is a string.
    let named = named.filter(|leaf| {
        !ancestors(*leaf).any(|it| field_of(it) == Some("module_name"))
            && field_of(*leaf) != Some("alias")
    });
    let leaf = named.max_by_key(Node::start_byte)?;
    if !binding.is_renamed {
        let is_pair =
            leaf.parent().is_some_and(|it| it.kind() == "dotted_name" && it.child_count() == 1);
        return Some(if is_pair { leaf.parent()?.byte_range() } else { leaf.byte_range() });
    }
    let with_alias = ancestors(leaf).take(4).find(|node| {
        let text = tree.text_of(*node);
        text.ends_with(binding.local.as_str())
            && text.len() > name.len()
            && node.id() != statement.id()
    });
    let start = leaf.start_byte();
    with_alias.map(|node| start..node.end_byte())
}

/// Returns an imported name with the local name that differs from it.
fn spell_name(language: Language, new: &ApiName, local: &str, is_require: bool) -> String {
    let name = new.last(language);
    if name == local || local == "*" || local.is_empty() {
        return name;
    }
    if is_require { format!("{name}: {local}") } else { format!("{name} as {local}") }
}

/// Returns the module with the name in it, as an import of a whole module names it.
fn full_module(language: Language, new: &ApiName) -> String {
    if new.name.is_empty() {
        new.module.clone()
    } else {
        new.parts(language).join(super::api_name::separator(language))
    }
}

/// Returns an import with another module; where modules are strings, a local name may be the same word.
fn rename_module(tree: &SourceTree<'_>, import: Node<'_>, old: &str, new: &str) -> String {
    let text = tree.text_of(import);
    let mut strings = tree.leaves(import).into_iter().flat_map(ancestors);
    let string = strings.find(|it| it.kind() == "string" || it.kind().ends_with("string_literal"));
    let Some(string) = string.filter(|it| it.start_byte() >= import.start_byte()) else {
        return replace_module(tree.language, text, old, new);
    };
    let start = string.start_byte() - import.start_byte();
    let (before, rest) = text.split_at(start);
    let (name, after) = rest.split_at(string.byte_range().len().min(rest.len()));
    format!("{before}{}{after}", replace_module(tree.language, name, old, new))
}

/// Returns a text with a module replaced where it is named as a whole or as the beginning of a longer one.
fn replace_module(language: Language, text: &str, old: &str, new: &str) -> String {
    if is_script(language) { replace_quoted(text, old, new) } else { replace_word(text, old, new) }
}

/// Returns whether an import is one of names of a module, and names it.
fn has_name_list(tree: &SourceTree<'_>, import: Node<'_>, module: &str) -> bool {
    let leaves = tree.leaves(import);
    let has_module = || {
        let name = import
            .child_by_field_name("module_name")
            .or_else(|| import.child_by_field_name("source"));
        let parts = |module: &str| module_parts(tree.language, module);
        name.is_some_and(|it| parts(tree.text_of(it).trim_matches(['"', '\''])) == parts(module))
    };
    match import.kind() {
        "import_from_statement" => {
            has_module() && !leaves.iter().any(|it| tree.text_of(*it) == "*")
        }
        // A value cannot come from an import of types.
        "import_statement" if tree.text_of(import).starts_with("import type") => false,
        "import_statement" => has_module() && leaves.iter().any(|it| tree.text_of(*it) == "{"),
        "use_declaration" => {
            let text = tree.text_of(import);
            text.split_whitespace().collect::<String>().contains(&format!("use{module}::{{"))
        }
        _ => false,
    }
}

/// Returns the edit that adds a name to a list of names.
fn insert_name(tree: &SourceTree<'_>, import: Node<'_>, spelled: &str) -> Option<TextReplacement> {
    let last = tree
        .leaves(import)
        .into_iter()
        .filter(|leaf| is_name(*leaf))
        .max_by_key(Node::start_byte)?;
    Some(TextReplacement::new(last.end_byte()..last.end_byte(), format!(", {spelled}")))
}

/// Returns the statement that an import is, or is a part of.
fn top_statement(node: Node<'_>) -> Node<'_> {
    let is_part =
        |it: &Node<'_>| it.kind().ends_with("_declaration") && it.kind() != "import_declaration";
    node.parent()
        .filter(|parent| node.kind() == "variable_declarator" && is_part(parent))
        .unwrap_or(node)
}

/// Returns the line of a place, with its end.
fn line_around(text: &str, place: &Range<usize>) -> Range<usize> {
    let start = text.get(..place.start).and_then(|it| it.rfind('\n')).map_or(0, |at| at + 1);
    let end = text.get(place.end..).and_then(|it| it.find('\n'));
    start..end.map_or(text.len(), |at| place.end + at + 1)
}

/// Returns the lines of a statement, with the end of the last one.
fn whole_lines(tree: &SourceTree<'_>, node: Node<'_>) -> Range<usize> {
    let node = top_statement(node);
    line_around(tree.text, &node.byte_range())
}

/// Returns the place of the first import of a file without one.
fn first_line(tree: &SourceTree<'_>) -> usize {
    // The text at the beginning of a Python file is its documentation only as long as it is the first statement.
    let first = tree.root().named_child(0).filter(|_| tree.language == Language::Python);
    let document = first.filter(|it| it.kind() == "expression_statement");
    let text = document.and_then(|it| it.named_child(0)).filter(|it| it.kind() == "string");
    if let Some(text) = text {
        return line_around(tree.text, &text.byte_range()).end;
    }
    let head = tree.text.lines().take_while(|line| {
        let line = line.trim();
        line.starts_with("package ")
            || line.starts_with("#!")
            || line.starts_with("//")
            || line.starts_with('#')
    });
    head.map(|line| line.len() + 1).sum::<usize>().min(tree.text.len())
}
