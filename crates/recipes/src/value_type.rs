//! Decides if a name has a value of a module, by the places of the file that declare it.

use papayu_base::text::is_word_char;
use tree_sitter::Node;

use super::api_name::module_parts;
use super::bindings::{Bindings, is_below};
use super::name_role::{is_name, is_reference};
use super::scopes::{is_assigned, scope_of, sees};
use super::source_tree::{SourceTree, ancestors, contains, field_of};

/// Most steps from a variable to the call that made its value.
const MAX_STEPS: usize = 4;

/// Returns whether an expression is a value that comes from a module: a call or a type of it, or a variable that is only
/// declared with such a value or type.
pub(crate) fn is_value_of(
    tree: &SourceTree<'_>,
    bindings: &Bindings,
    expression: Node<'_>,
    module: &str,
) -> bool {
    comes_from(tree, bindings, expression, module, MAX_STEPS)
}

fn comes_from(
    tree: &SourceTree<'_>,
    bindings: &Bindings,
    expression: Node<'_>,
    module: &str,
    steps: usize,
) -> bool {
    let Some(steps) = steps.checked_sub(1) else { return false };
    let leaves = tree.leaves(expression);
    // `self.client` is declared where `self.client` is assigned.
    let is_self = leaves.first().is_some_and(|it| ["self", "this"].contains(&tree.text_of(*it)));
    let parts = module_parts(tree.language, module);
    if is_self {
        let chain = member_chain(tree, expression);
        let sites = member_sites(tree, &chain);
        return !sites.is_empty()
            && sites.into_iter().all(|it| comes_from(tree, bindings, it, module, steps));
    }
    let Some(first) = leaves.into_iter().find(|leaf| is_name(*leaf)) else { return false };
    if !is_reference(first) {
        return false;
    }
    let name = tree.text_of(first);
    let declared: Vec<Node<'_>> = tree.declarations(name);
    let visible: Vec<Node<'_>> = declared
        .into_iter()
        .filter(|it| is_assigned(tree, *it) || sees(tree, scope_of(tree, *it), *it, first))
        .collect();
    if visible.is_empty() {
        let chain = longest_chain(tree, first);
        let resolved = bindings.resolve(&chain);
        let by_path = chain.split("::").map(str::to_owned).collect::<Vec<_>>();
        return resolved.map_or_else(
            || chain.contains("::") && is_below(&by_path, &parts),
            |(path, _)| is_below(&path, &parts),
        );
    }
    visible.into_iter().all(|site| {
        let sources = sources_of(site);
        sources.into_iter().any(|it| comes_from(tree, bindings, it, module, steps))
    })
}

/// Returns the values and types with which a place declares its name.
fn sources_of(site: Node<'_>) -> Vec<Node<'_>> {
    for node in ancestors(site).skip(1).take(5) {
        // `with Client() as client` of Python.
        if node.kind() == "as_pattern" {
            return node.named_child(0).into_iter().collect();
        }
        let fields =
            ["type", "value", "right"].iter().filter_map(|name| node.child_by_field_name(name));
        let fields: Vec<Node<'_>> =
            fields.filter(|it| !contains(it.byte_range(), &site.byte_range())).collect();
        if !fields.is_empty() {
            return fields;
        }
    }
    Vec::new()
}

/// Returns the values that are assigned to a member of `self`, and the types that it is declared with.
fn member_sites<'n>(tree: &'n SourceTree<'_>, chain: &str) -> Vec<Node<'n>> {
    let member = chain.rsplit('.').next().unwrap_or(chain);
    let mut sites = Vec::new();
    for leaf in tree.names(member) {
        let around = ancestors(leaf).skip(1).take(4).collect::<Vec<_>>();
        let target = ancestors(leaf).take(3).find(|it| field_of(*it) == Some("left"));
        if let Some(target) = target.filter(|it| member_chain(tree, *it) == chain) {
            sites.extend(target.parent().and_then(|it| it.child_by_field_name("right")));
        } else if let Some(field) = around
            .iter()
            .find(|it| it.kind().contains("field_decl") || it.kind().contains("field_definition"))
        {
            sites.extend(
                field.child_by_field_name("type").or_else(|| field.child_by_field_name("value")),
            );
        }
    }
    sites
}

/// Returns the beginning of an expression that is `self` and one member.
fn member_chain(tree: &SourceTree<'_>, node: Node<'_>) -> String {
    let text: String = tree.text_of(node).split_whitespace().collect();
    let chain = text.split(|c| !(is_word_char(c) || c == '.')).next().unwrap_or_default();
    chain.split('.').take(2).collect::<Vec<_>>().join(".")
}

/// Returns the chain of names that begins with a name.
fn longest_chain(tree: &SourceTree<'_>, first: Node<'_>) -> String {
    let from = tree.text.get(first.start_byte()..).unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || "_.:$".contains(c);
    let end = from.find(|c| !is_word(c)).unwrap_or(from.len());
    from.get(..end).unwrap_or_default().trim_end_matches(['.', ':']).to_owned()
}
