//! Parses a text so that the macros of Rust which take expressions have expressions.
//!
//! The grammar has tokens alone between the brackets of a macro. Without its `!`, `format!("{}", f(a))` is a call with the
//! same arguments at the same bytes, so the tree of that text is one of the original.

use papayu_base::text::is_word_char;
use papayu_lang::{Language, parse_tree};
use tree_sitter::Tree;

/// Macros with nothing but expressions between their brackets.
const CALLS: [&str; 25] = [
    "format", "print", "println", "eprint", "eprintln", "write", "writeln", "panic", "todo",
    "unreachable", "unimplemented", "assert", "assert_eq", "assert_ne", "debug_assert",
    "debug_assert_eq", "debug_assert_ne", "dbg", "format_args", "vec", "bail", "ensure", "anyhow",
    "info", "warn",
];

/// Parses a text; the nodes have the places of the text.
pub(crate) fn parse_calls(language: Language, text: &str) -> Option<Tree> {
    if language == Language::Rust
        && let Some(tree) = without_marks(text).and_then(|it| parse_tree(language, &it))
        && !tree.root_node().has_error()
    {
        return Some(tree);
    }
    parse_tree(language, text)
}

/// Returns the text with blanks for the `!` of macros; `None` if there is none.
fn without_marks(text: &str) -> Option<String> {
    let mut blank = Vec::new();
    for (at, _) in text.match_indices('!') {
        let (before, after) = (text.get(..at)?, text.get(at + 1..)?);
        let head = before.trim_end_matches(is_word_char);
        let name = before.get(head.len()..)?;
        if CALLS.contains(&name) && after.starts_with('(') {
            blank.push(at..at + 1);
        } else if name == "vec" && after.starts_with('[') && !may_end_value(head) {
            blank.push(head.len()..at + 1);
        }
    }
    if blank.is_empty() {
        return None;
    }
    let mut out = text.to_owned();
    for range in blank {
        out.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    Some(out)
}

/// Returns whether a bracket after a text would be its index.
fn may_end_value(text: &str) -> bool {
    text.trim_end().ends_with(|c: char| is_word_char(c) || ")]}?\"'".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_of_a_macro_are_expressions_at_their_own_places() {
        let text = "fn f() {\n    let x = vec![g(1), 2];\n    format!(\"{}\", g(x))\n}\n";
        let tree = parse_calls(Language::Rust, text).unwrap();
        let shown = tree.root_node().to_sexp();
        assert!(!shown.contains("macro") && shown.contains("array_expression"), "{shown}");
        let at = text.rfind("g(x)").unwrap();
        let call = tree.root_node().descendant_for_byte_range(at, at + 4).unwrap();
        assert_eq!(call.kind(), "call_expression");
    }

    #[test]
    fn a_macro_of_other_tokens_stays_one() {
        for text in ["fn f() {\n    own!(a => b)\n}\n", "fn f() {\n    format!(a => b)\n}\n"] {
            let tree = parse_calls(Language::Rust, text).unwrap();
            assert!(tree.root_node().to_sexp().contains("macro_invocation"));
        }
    }
}
