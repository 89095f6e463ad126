//! The meaning of a name at a place of a file: an API of an import, something of the file's own, or neither.

use std::ops::Range;

use papayu_lang::Language;
use tree_sitter::Node;

use super::api_name::separator;
use super::bindings::{ApiBinding, ApiForm, Bindings};
use super::import_edit::find_statement;
use super::name_role::{is_declaration, is_reference};
use super::nodes::{contains, is_in_import};
use super::scopes::{Scope, is_assigned, scope_of, sees};
use super::source_tree::SourceTree;

/// The meaning of a name at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameMeaning {
    /// Nothing in the file declares it.
    Unbound,
    /// Something of the file's own, or more than one thing.
    Own,
    /// The API that the nearest import gives it.
    Api(Vec<String>),
}

/// A declaration or an import of a name.
struct Binder<'n> {
    place: Node<'n>,
    scope: Scope<'n>,
    /// The API that an import gives; `None` for a declaration.
    api: Option<Vec<String>>,
}

/// The declarations and imports of one name in a file.
pub(crate) struct NameBinders<'n> {
    tree: &'n SourceTree<'n>,
    binders: Vec<Binder<'n>>,
}

impl<'n> NameBinders<'n> {
    /// Finds the declarations and imports of a name.
    pub(crate) fn find(tree: &'n SourceTree<'n>, bindings: &Bindings, name: &str) -> Self {
        let declared: Vec<Node<'n>> =
            tree.names(name).into_iter().filter(|leaf| is_declaration(*leaf)).collect();
        let mut binders = Vec::new();
        let mut statements = Vec::new();
        for binding in bindings.all.iter().filter(|it| root_name(tree.language, it) == name) {
            let statement = find_statement(tree, binding);
            // `const a = await import('b')` of a script gives an API, `mod a` of Rust a part of the repository.
            let is_own = statement.is_none()
                && matches!(
                    tree.language,
                    Language::Rust | Language::Python | Language::Go | Language::Java
                );
            if is_own {
                continue;
            }
            let place = statement
                .or_else(|| declared.iter().copied().find(|leaf| is_on_line(*leaf, binding)))
                .unwrap_or_else(|| tree.root());
            let scope = scope_of(tree, place);
            if place.parent().is_some() {
                statements.push(place.byte_range());
            }
            binders.push(Binder { place, scope, api: Some(root_path(tree.language, binding)) });
        }
        let mut assigned = Vec::new();
        for leaf in declared {
            let is_known = statements.iter().any(|it| contains(it.clone(), &leaf.byte_range()));
            if is_known {
                continue;
            }
            if is_assigned(tree, leaf) {
                assigned.push(leaf);
                continue;
            }
            // A constant in a pattern of Rust is compared and not declared; which of both it is cannot be seen.
            let is_constant = tree.language == Language::Rust
                && name.starts_with(char::is_uppercase)
                && is_in_pattern(leaf);
            let scope = if is_constant { Scope::File } else { scope_of(tree, leaf) };
            binders.push(Binder { place: leaf, scope, api: None });
        }
        let mut names = Self { tree, binders };
        // A new value for a name that nothing in the file but an import declares.
        for leaf in assigned {
            let is_local =
                names.binders.iter().any(|it| it.api.is_none() && names.is_seen(it, leaf));
            if !is_local {
                names.binders.push(Binder { place: leaf, scope: Scope::File, api: None });
            }
        }
        names
    }

    fn is_seen(&self, binder: &Binder<'n>, at: Node<'_>) -> bool {
        sees(self.tree, binder.scope, binder.place, at)
    }

    /// Returns what the name means at a place.
    pub(crate) fn meaning_at(&self, at: Node<'_>) -> NameMeaning {
        let seen: Vec<&Binder<'n>> =
            self.binders.iter().filter(|it| self.is_seen(it, at)).collect();
        let Some(nearest) = seen.iter().map(|it| it.scope.size()).min() else {
            return NameMeaning::Unbound;
        };
        let mut nearest = seen.into_iter().filter(|it| it.scope.size() == nearest);
        let first = nearest.next().and_then(|it| it.api.clone());
        match first {
            Some(api) if nearest.all(|it| it.api.as_ref() == Some(&api)) => NameMeaning::Api(api),
            _ => NameMeaning::Own,
        }
    }

    /// Returns whether an import shares its scope with another meaning of its name.
    pub(crate) fn is_ambiguous(&self, binding: &ApiBinding) -> bool {
        let api = root_path(self.tree.language, binding);
        self.binders.iter().filter(|it| it.api.as_ref() == Some(&api)).any(|own| {
            self.binders.iter().any(|it| it.scope == own.scope && it.api.as_ref() != Some(&api))
        })
    }
}

/// Returns whether a name is on the line on which an import begins.
fn is_on_line(leaf: Node<'_>, binding: &ApiBinding) -> bool {
    u32::try_from(leaf.start_position().row + 1).is_ok_and(|line| line == binding.line)
}

/// Returns whether a name is in a pattern rather than the head of a declaration.
fn is_in_pattern(leaf: Node<'_>) -> bool {
    leaf.parent().is_some_and(|it| {
        it.kind().contains("pattern") || super::nodes::field_of(leaf) == Some("pattern")
    })
}

/// Returns the name in scope by which the API of an import is used.
pub(crate) fn root_name(language: Language, binding: &ApiBinding) -> &str {
    binding.local.split(separator(language)).next().unwrap_or(&binding.local)
}

/// Returns the full name of what the first part of an import's local name means.
pub(crate) fn root_path(language: Language, binding: &ApiBinding) -> Vec<String> {
    let further = binding.local.split(separator(language)).count().saturating_sub(1);
    let end = binding.path.len().saturating_sub(further);
    binding.path.get(..end).unwrap_or_default().to_vec()
}

/// Returns the places at which a file uses an API in a form.
pub(crate) fn uses_of_form(
    tree: &SourceTree<'_>,
    bindings: &Bindings,
    form: &ApiForm,
) -> Vec<Range<usize>> {
    uses_of(tree, bindings, &form.text, form.binding.as_ref())
}

/// Returns the places of a chain of names, such as `client.fetch`, in which an import gives the first name its meaning; without an
/// import, the places at which the chain is a full path.
pub(crate) fn uses_of(
    tree: &SourceTree<'_>,
    bindings: &Bindings,
    chain: &str,
    binding: Option<&ApiBinding>,
) -> Vec<Range<usize>> {
    let root = chain.split(['.', ':']).next().unwrap_or(chain);
    let last = chain.rsplit(['.', ':']).next().unwrap_or(chain);
    let binders = NameBinders::find(tree, bindings, root);
    let mut found = Vec::new();
    for leaf in tree.names(last) {
        let Some(range) = tree.chain_at(leaf, chain) else { continue };
        let Some(first) = tree.node_at(&(range.start..range.start + 1)) else { continue };
        if !is_reference(first) {
            continue;
        }
        let is_meant = match (binders.meaning_at(first), binding) {
            (NameMeaning::Own, _) => false,
            (NameMeaning::Unbound, Some(binding)) => {
                binding.local == "*" && !is_hidden(tree.language, bindings, binding)
            }
            (NameMeaning::Unbound, None) => true,
            (NameMeaning::Api(_), Some(binding)) if binding.local == "*" => false,
            (NameMeaning::Api(api), Some(binding)) => api == root_path(tree.language, binding),
            (NameMeaning::Api(api), None) => {
                api.len() == 1 && api.first().is_some_and(|it| it == root)
            }
        };
        if is_meant {
            found.push(range);
        }
    }
    found
}

/// Returns whether a name is declared where this use of it sees the declaration, so that it is not an import.
pub(crate) fn is_own(tree: &SourceTree<'_>, bindings: &Bindings, leaf: Node<'_>) -> bool {
    is_declaration(leaf)
        || NameBinders::find(tree, bindings, tree.text_of(leaf)).meaning_at(leaf)
            == NameMeaning::Own
}

/// Returns whether a file uses a name for anything but an API, so that an import under this name may change what it means.
pub(crate) fn is_taken(
    tree: &SourceTree<'_>,
    bindings: &Bindings,
    name: &str,
    api: &[String],
) -> bool {
    let language = tree.language;
    let root = name.split(separator(language)).next().unwrap_or(name);
    let is_other =
        |it: &&ApiBinding| root_name(language, it) == root && root_path(language, it) != api;
    let binders = NameBinders::find(tree, bindings, root);
    let meant = NameMeaning::Api(api.to_vec());
    let is_used = |leaf: &Node<'_>| {
        is_declaration(*leaf) || is_reference(*leaf) && binders.meaning_at(*leaf) != meant
    };
    bindings.all.iter().any(|it| is_other(&it))
        || tree.names(root).iter().any(|leaf| !is_in_import(*leaf) && is_used(leaf))
}

/// Returns whether another import of all names of a module may hide those of this one.
fn is_hidden(language: Language, bindings: &Bindings, binding: &ApiBinding) -> bool {
    let is_other = |it: &&ApiBinding| it.local == "*" && it.path != binding.path;
    language == Language::Python && bindings.all.iter().filter(is_other).count() > 0
}
