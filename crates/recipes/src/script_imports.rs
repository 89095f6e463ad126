//! Parts of the imports of JavaScript and TypeScript.

use std::ops::Range;

use papayu_lang::Language;
use tree_sitter::Node;

use super::api_name::module_parts;
use super::nodes::ancestors;
use super::source_tree::SourceTree;

/// Returns an import in which the module, its last string, is replaced as a whole or as the beginning of a longer path. What
/// the file calls the module stays.
pub(crate) fn replace_quoted(text: &str, old: &str, new: &str) -> String {
    let parts = || {
        let end = text.rfind(['"', '\'', '`'])?;
        let quote = text.get(end..)?.chars().next()?;
        let start = text.get(..end)?.rfind(quote)? + 1;
        let module = text.get(start..end)?;
        let to = replace_path(module, old, new)?;
        Some(format!("{}{to}{}", text.get(..start)?, text.get(end..)?))
    };
    parts().unwrap_or_else(|| text.to_owned())
}

/// Returns the new path of a module; `None` if it is another one.
fn replace_path(module: &str, old: &str, new: &str) -> Option<String> {
    let plain = plain_module(module);
    let rest = plain.strip_prefix(plain_module(old))?;
    if !rest.is_empty() && !rest.starts_with('/') {
        return None;
    }
    // `node:` stays only before another module of Node.js.
    let is_marked = plain.len() < module.len();
    let mark = if is_marked && plain_module(&format!("node:{new}")) == new { "node:" } else { "" };
    Some(format!("{mark}{new}{rest}"))
}

/// Returns the name of a module without the mark of those of Node.js.
fn plain_module(module: &str) -> &str {
    let is_plain =
        module_parts(Language::JavaScript, module).first().is_some_and(|it| it != module);
    module.strip_prefix("node:").filter(|_| is_plain).unwrap_or(module)
}

/// Returns the place of a list of names with the comma before it, such as `, { a }` after the default, if a name is alone in it.
pub(crate) fn find_name_list(
    tree: &SourceTree<'_>,
    statement: Node<'_>,
    item: &Range<usize>,
) -> Option<Range<usize>> {
    let node = tree.node_at(item)?;
    let list = ancestors(node).find(|it| it.kind() == "named_imports")?;
    let is_inside = list.start_byte() > statement.start_byte() && list.named_child_count() == 1;
    let before = tree.text.get(..list.start_byte()).filter(|_| is_inside)?;
    let start = before.trim_end().strip_suffix(',')?.trim_end().len();
    Some(start..list.end_byte())
}
