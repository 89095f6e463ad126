//! The strings by which a script names a module.

use tree_sitter::Node;

use super::nodes::field_of;
use super::source_tree::SourceTree;
use super::text_edit::TextReplacement;

/// Functions that take a module as their first argument.
const LOADERS: [&str; 11] = [
    "import", "require", "require.resolve", "jest.mock", "jest.unmock", "jest.doMock",
    "jest.requireActual", "jest.requireMock", "vi.mock", "vi.doMock", "vi.importActual",
];

/// Returns the edits after which a file takes a module from another place, in every statement and call that names it.
pub(crate) fn module_edits(tree: &SourceTree<'_>, old: &str, new: &str) -> Vec<TextReplacement> {
    let mut edits = Vec::new();
    for leaf in tree.leaves(tree.root()) {
        let Some(string) = leaf.parent().filter(|it| it.kind() == "string") else { continue };
        if leaf.kind() == "string_fragment"
            && tree.text_of(leaf) == old
            && string.named_child_count() == 1
            && names_module(tree, string)
        {
            edits.push(TextReplacement::new(leaf.byte_range(), new));
        }
    }
    edits
}

/// Returns whether a string is the module of an import, an export or a call that loads it.
fn names_module(tree: &SourceTree<'_>, string: Node<'_>) -> bool {
    if field_of(string) == Some("source") {
        return true;
    }
    let Some(parent) = string.parent() else { return false };
    // `import a = require('b')` of TypeScript.
    if parent.kind() == "import_require_clause" {
        return true;
    }
    let call =
        parent.parent().filter(|it| parent.kind() == "arguments" && it.kind() == "call_expression");
    let function = call.and_then(|it| it.child_by_field_name("function"));
    parent.named_child(0) == Some(string)
        && function.is_some_and(|it| LOADERS.contains(&tree.text_of(it)))
}
