//! Distinguishes a change of layout, as a formatter makes it, from a change of the program.

use tree_sitter::{Node, TreeCursor};

use papayu_lang::{Language, parse_tree};

/// Returns whether two texts are the same program in another layout: blanks, line breaks, quotes and commas
/// before closing brackets. Comments count, for some of them direct tools.
pub(super) fn differs_only_in_layout(path: &str, before: &str, after: &str) -> bool {
    let Some(language) = Language::of_path(path) else { return false };
    // In these the layout is part of the values.
    if matches!(language, Language::Yaml | Language::Json) {
        return false;
    }
    let read = |text: &str| {
        let tree = parse_tree(language, text).filter(|tree| !tree.root_node().has_error())?;
        Some(read_tokens(tree.root_node(), text))
    };
    let before = read(before);
    before.is_some() && before == read(after)
}

/// A part of a tree: its depth, the number of its kind, and its text where it has no parts.
pub(super) type LayoutToken = (u32, u16, String);

/// Returns the parts of a tree in order.
pub(super) fn read_tokens(node: Node<'_>, text: &str) -> Vec<LayoutToken> {
    let mut tokens = Vec::new();
    let mut cursor = node.walk();
    loop {
        push_token(&cursor, text, &mut tokens);
        if !is_leaf(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return tokens;
            }
        }
    }
}

/// Adds the token of a node: depth and kind of an inner one, the text of a leaf.
fn push_token(cursor: &TreeCursor<'_>, text: &str, tokens: &mut Vec<LayoutToken>) {
    let node: Node<'_> = cursor.node();
    if !is_leaf(node) {
        tokens.push((cursor.depth(), node.kind_id(), String::new()));
        return;
    }
    let text = text.get(node.byte_range()).unwrap_or_default();
    if matches!(text, ")" | "]" | "}")
        && let [.., (_, _, before), (depth, _, comma)] = tokens.as_slice()
        && comma == ","
        && *depth == cursor.depth()
        // `[,]` has an element more than `[]`.
        && !matches!(before.as_str(), "," | "[" | "(" | "{")
    {
        tokens.pop();
    }
    let is_quote = matches!(node.kind(), "string_start" | "string_end" | "'" | "\"");
    let token = if is_quote {
        (cursor.depth(), 0, text.replace('\'', "\""))
    } else {
        (cursor.depth(), node.kind_id(), text.to_owned())
    };
    tokens.push(token);
}

/// Comments have parts in some grammars, which leave their text out.
fn is_leaf(node: Node<'_>) -> bool {
    node.child_count() == 0 || node.kind().contains("comment")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_is_told_from_meaning() {
        for (path, before, after, same) in [
            ("a.py", "f(1,2)\n", "f(\n    1,\n    2,\n)\n", true),
            ("a.py", "x = 'a'\n", "x = \"a\"\n", true),
            ("a.py", "x = (1)\n", "x = (1,)\n", false),
            ("a.py", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n", false),
            ("a.py", "assert a == 1\n", "assert a == 2\n", false),
            ("a.py", "a = 1\n", "a = 1  # noqa\n", false),
            ("a.rs", "fn a(){b(1,2)}", "fn a() {\n    b(1, 2)\n}\n", true),
            ("a.rs", "fn a(){b(1)}", "fn a() {\n    b(1);\n}\n", false),
            ("a.ts", "it('a',()=>{b()})", "it(\"a\", () => {\n  b()\n})\n", true),
            ("a.js", "a = [,]", "a = []", false),
            ("a.go", "package a\nfunc A(){b()}\n", "package a\n\nfunc A() { b() }\n", true),
            ("a.yml", "a: 1", "a:  1", false),
            ("a.txt", "a", "a ", false),
        ] {
            assert_eq!(differs_only_in_layout(path, before, after), same, "{after}");
        }
    }
}
