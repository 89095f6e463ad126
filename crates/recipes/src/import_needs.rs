//! Decides if something besides the code of a file needs a name that it imports.

use papayu_base::text::has_word;
use papayu_lang::Language;

use super::bindings::Reexports;
use super::nodes::{ancestors, field_of};
use super::recipe_files::RecipeFiles;
use super::source_tree::SourceTree;

/// A file, and the repository in which others may use its names.
#[derive(Clone, Copy)]
pub(crate) struct OutsideUses<'o> {
    pub(crate) path: &'o str,
    pub(crate) reexports: &'o dyn Reexports,
    pub(crate) files: &'o dyn RecipeFiles,
}

impl OutsideUses<'_> {
    /// Returns whether a list of exports, a doctest, a type in quotes or another file needs an imported name.
    pub(crate) fn need(self, tree: &SourceTree<'_>, local: &str) -> bool {
        let first = local.split(['.', ':']).next().unwrap_or(local);
        is_in_python_text(tree, first) || self.is_imported(first)
    }

    /// Returns whether another file takes the name from this one.
    fn is_imported(self, name: &str) -> bool {
        self.reexports.find_importers(self.path, name).into_iter().any(|importer| {
            let text = || self.files.read(&importer.path);
            importer.is_by_name || text().is_none_or(|text| has_word(&text, name))
        })
    }
}

/// Returns whether Python text that is no code names it: `__all__`, a doctest, or a type in quotes.
fn is_in_python_text(tree: &SourceTree<'_>, name: &str) -> bool {
    if tree.language != Language::Python {
        return false;
    }
    let quoted = [format!("\"{name}\""), format!("'{name}'")];
    let is_listed = tree
        .text
        .split("__all__")
        .skip(1)
        .any(|list| quoted.iter().any(|name| list.contains(name.as_str())));
    let is_tested =
        tree.text.lines().map(str::trim_start).any(|line| {
            (line.starts_with(">>> ") || line.starts_with("... ")) && has_word(line, name)
        });
    is_listed || is_tested || is_in_quoted_type(tree, name)
}

/// Returns whether a string in an annotation, such as `"Mapping[str, int]"`, has the name.
fn is_in_quoted_type(tree: &SourceTree<'_>, name: &str) -> bool {
    let leaves = tree.leaves(tree.root()).into_iter();
    leaves.filter(|leaf| leaf.kind() == "string_content").any(|leaf| {
        has_word(tree.text_of(leaf), name)
            && ancestors(leaf)
                .take(8)
                .any(|it| matches!(field_of(it), Some("type" | "return_type")))
    })
}
