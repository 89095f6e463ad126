//! Uses of an API that a move sees but cannot change: rather no change of the file than half of one.

use papayu_lang::Language;
use tree_sitter::Node;

use super::api_name::{ApiName, module_parts};
use super::bindings::Bindings;
use super::language::is_script;
use super::source_tree::SourceTree;

/// Returns whether a file uses an API through `require("acme").fetch`, `acme?.fetch`, `acme["fetch"]`, or loads its module by
/// `import("acme")`.
pub(crate) fn has_hidden_use(tree: &SourceTree<'_>, bindings: &Bindings, old: &ApiName) -> bool {
    // A move of a whole module changes every string that names it.
    if !is_script(tree.language) || old.name.is_empty() {
        return false;
    }
    let module = module_parts(tree.language, &old.module);
    let name = old.name.split('.').next().unwrap_or(&old.name);
    let is_module = |node: Node<'_>| {
        let local = tree.text_of(node);
        bindings.all.iter().any(|it| it.local == local && it.path == module)
    };
    tree.leaves(tree.root()).into_iter().any(|leaf| {
        let Some(parent) = leaf.parent() else { return false };
        let text = tree.text_of(leaf);
        if leaf.kind() == "string_fragment" {
            let is_name = text == name;
            let subscript = parent.parent().filter(|it| it.kind() == "subscript_expression");
            let object = subscript.and_then(|it| it.child_by_field_name("object"));
            let is_old = module_parts(tree.language, text) == module;
            return is_name && object.is_some_and(|it| is_module(it) || loads(tree, it, &module))
                || is_old && is_dynamic(parent);
        }
        if leaf.kind() != "property_identifier" || text != name {
            return false;
        }
        let object = parent.child_by_field_name("object");
        let is_optional = parent.child_by_field_name("optional_chain").is_some();
        object.is_some_and(|it| is_optional && is_module(it) || loads(tree, it, &module))
    })
}

/// Returns whether an expression is `require` of a module.
fn loads(tree: &SourceTree<'_>, node: Node<'_>, module: &[String]) -> bool {
    let function = node.child_by_field_name("function").filter(|it| tree.text_of(*it) == "require");
    let argument = node.child_by_field_name("arguments").and_then(|it| it.named_child(0));
    let named = argument.map(|it| tree.text_of(it).trim_matches(['"', '\'', '`']));
    function.is_some() && named.is_some_and(|it| module_parts(Language::JavaScript, it) == module)
}

/// Returns whether a string is the module of `import("acme")`.
fn is_dynamic(string: Node<'_>) -> bool {
    let call = string.parent().and_then(|it| it.parent());
    call.and_then(|it| it.child_by_field_name("function")).is_some_and(|it| it.kind() == "import")
}
