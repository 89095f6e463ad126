//! Syntax errors that a change adds to a file.

use papayu_base::domain::RepoPath;
use papayu_lang::{Language, parse_tree};
use tree_sitter::{Node, Tree};

/// Statements of Python that only a function may have.
const ONLY_IN_FUNCTIONS: [&str; 2] = ["return_statement", "yield"];

/// Returns the line, from 1, of the first syntax error of a text that had none before; `None` for a language without a
/// grammar.
pub(super) fn find_new_error(path: &RepoPath, before: &str, after: &str) -> Option<usize> {
    let language = Language::of_path(path.as_str())?;
    if find_error(&parse_tree(language, before)?).is_some() {
        return None;
    }
    let tree = parse_tree(language, after)?;
    find_error(&tree).or_else(|| find_new_lost_block(path, before, after))
}

/// Returns the line, from 1, of the first statement of a Python file that has no block, or that is outside of its function,
/// if the text had no such statement before. Lines that lost their indentation look like that.
pub(super) fn find_new_lost_block(path: &RepoPath, before: &str, after: &str) -> Option<usize> {
    // The grammar of Python permits both.
    let language = Language::of_path(path.as_str()).filter(|it| *it == Language::Python)?;
    if find_lost_block(&parse_tree(language, before)?).is_some() {
        return None;
    }
    find_lost_block(&parse_tree(language, after)?)
}

/// Returns the line of the first syntax error of a tree.
fn find_error(tree: &Tree) -> Option<usize> {
    let mut node = tree.root_node();
    if !node.has_error() {
        return None;
    }
    while !node.is_error() && !node.is_missing() {
        let mut cursor = node.walk();
        let Some(inner) = node.children(&mut cursor).find(Node::has_error) else { break };
        node = inner;
    }
    Some(node.start_position().row + 1)
}

/// Returns the line of the first statement without its block, or outside of its function.
fn find_lost_block(tree: &Tree) -> Option<usize> {
    let mut cursor = tree.walk();
    // A walk instead of recursion: code may be nested as deep as the file is long.
    loop {
        let node = cursor.node();
        if is_lost(node) {
            let statement = node.parent().filter(|_| node.kind() == "block").unwrap_or(node);
            return Some(statement.start_position().row + 1);
        }
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return None;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}

/// Returns `true` for an empty block, and for a statement of functions that is in none.
fn is_lost(node: Node<'_>) -> bool {
    if node.kind() == "block" {
        let mut cursor = node.walk();
        return node.named_children(&mut cursor).all(|child| child.kind() == "comment");
    }
    let mut around = std::iter::successors(node.parent(), Node::parent);
    ONLY_IN_FUNCTIONS.contains(&node.kind())
        && node.is_named()
        && !around.any(|outer| ["function_definition", "lambda"].contains(&outer.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "x = 1\n\n\ndef parse(value):\n    for x in value:\n        f(x)\n    return value.strip()\n";

    fn lost(after: &str) -> Option<usize> {
        find_new_lost_block(&RepoPath::parse("a.py").unwrap(), BEFORE, after)
    }

    #[test]
    fn a_statement_without_its_block_and_one_outside_of_its_function_are_found() {
        let with = |new: &str| BEFORE.replace("    return value.strip()\n", new);
        for (new, line) in [
            ("    if value is None:\n    return \"\"\n    return value\n", Some(7)),
            ("if value is None:\nreturn \"\"\nreturn value\n", Some(7)),
            ("    y = 2\nreturn y\n", Some(8)),
            ("    with a:\n        # only words\n    return 2\n", Some(7)),
            ("    def g():\n    return 2\n", Some(7)),
            ("    try:\n    g()\n    except E:\n        pass\n", Some(7)),
            ("    if value is None: return \"\"\n    return value\n", None),
            ("    if value is None:\n        # why\n        return \"\"\n    return value\n", None),
            ("    if a:\n        pass\n    else:\n        ...\n    yield 1\n", None),
            (
                "    match a:\n        case 1:\n            return 2\n    return lambda: (yield)\n",
                None,
            ),
        ] {
            assert_eq!(lost(&with(new)), line, "{new}");
        }
        // A file that has such a statement already may be repaired step by step.
        let broken = with("    if a:\n    g()\n");
        assert_eq!(find_new_lost_block(&RepoPath::parse("a.py").unwrap(), &broken, &broken), None);
        assert_eq!(find_new_lost_block(&RepoPath::parse("a.rb").unwrap(), BEFORE, &broken), None);
    }

    #[test]
    fn deep_code_is_walked() {
        let deep = format!("x = {}{}\n", "(".repeat(5_000), ")".repeat(5_000));
        assert_eq!(lost(&deep), None);
    }
}
