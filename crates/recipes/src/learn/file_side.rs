//! One version of a file, and the APIs that its names mean.

use papayu_lang::Language;
use tree_sitter::Node;

use crate::api_name::{ApiName, separator};
use crate::bindings::Bindings;
use crate::name_role::is_reference;
use crate::nodes::field_of;
use crate::resolve::is_own;
use crate::source_tree::SourceTree;

/// One version of a file with its imports.
#[derive(Clone, Copy)]
pub(super) struct FileSide<'f> {
    pub(super) tree: &'f SourceTree<'f>,
    pub(super) bindings: &'f Bindings,
}

impl FileSide<'_> {
    /// Returns the API that a chain of names means, with its parts. The name of a method is the end of its chain.
    pub(super) fn api_of(&self, node: Node<'_>) -> Option<(ApiName, Vec<String>)> {
        let start = method_object(node).unwrap_or(node).start_byte();
        let text = self.tree.text.get(start..node.end_byte())?;
        let text: String = text.split_whitespace().collect();
        let is_chain = |c: char| c.is_alphanumeric() || "_.:$".contains(c);
        let first = self.tree.node_at(&(start..start + 1))?;
        if !text.chars().all(is_chain)
            || !is_reference(first)
            || is_own(self.tree, self.bindings, first)
        {
            return None;
        }
        let language = self.tree.language;
        if let Some((path, binding)) = self.bindings.resolve(&text) {
            // A relative import is of the repository's own code.
            let is_own = binding.path.first().is_some_and(|it| {
                it.starts_with('.') || ["crate", "self", "super"].contains(&it.as_str())
            });
            return (!is_own).then(|| (ApiName::of_parts(language, &path, binding.module), path));
        }
        let by = separator(language);
        let path: Vec<String> = text.split(by).map(str::to_owned).collect();
        let begins_low = |it: &String| !it.starts_with(char::is_uppercase);
        let own = ["crate", "self", "super", "std", "core", "this"];
        let is_package =
            path.first().is_some_and(|it| begins_low(it) && !own.contains(&it.as_str()));
        let module = match language {
            Language::Rust if path.len() > 1 => path.len() - 1,
            // `com.acme.Tools` is a class after its packages.
            Language::Java => path.iter().position(|it| !begins_low(it)).filter(|at| *at > 0)?,
            _ => return None,
        };
        is_package.then(|| (ApiName::of_parts(language, &path, module), path))
    }
}

/// Returns the value before the name of a method.
pub(super) fn method_object(name: Node<'_>) -> Option<Node<'_>> {
    let call = name.parent().filter(|it| it.kind() == "method_invocation")?;
    call.child_by_field_name("object").filter(|_| field_of(name) == Some("name"))
}
