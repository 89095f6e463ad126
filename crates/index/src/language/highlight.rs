//! Classifies pieces of a text for coloured output.

use std::ops::Range;

use tree_sitter::Node;

use papayu_lang::Language;
use papayu_lang::parse_tree;

/// The class of a piece of code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Highlight {
    /// Nothing in particular: names and signs.
    #[default]
    Plain,
    /// A word of the language.
    Keyword,
    /// A string or a character.
    String,
    /// A number.
    Number,
    /// A comment.
    Comment,
}

/// Returns the highlighted pieces of a text by their byte ranges, in order. A fragment, or a
/// text that cannot be parsed, has fewer.
pub fn find_highlights(language: Language, text: &str) -> Vec<(Range<usize>, Highlight)> {
    let Some(tree) = parse_tree(language, text) else { return Vec::new() };
    let mut cursor = tree.walk();
    let mut highlights = Vec::new();
    loop {
        let node = cursor.node();
        let own = highlight_whole(&node);
        if own == Highlight::Plain && cursor.goto_first_child() {
            continue;
        }
        let ink = if own == Highlight::Plain { highlight_leaf(&node, text) } else { own };
        if ink != Highlight::Plain && node.end_byte() <= text.len() {
            highlights.push((node.byte_range(), ink));
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return highlights;
            }
        }
    }
}

/// Returns the class of a node with all its children. A string with interpolation is plain,
/// because the code in it is read child by child.
fn highlight_whole(node: &Node<'_>) -> Highlight {
    let kind = node.kind();
    let inner = |name: &str| {
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|child| child.kind().contains(name))
    };
    if !node.is_named() {
        Highlight::Plain
    } else if kind.contains("comment") {
        Highlight::Comment
    } else if kind.contains("string") || kind.contains("char_literal") || kind.contains("scalar") {
        if inner("substitution") || inner("interpolation") {
            Highlight::Plain
        } else {
            Highlight::String
        }
    } else if kind.contains("number") || kind.contains("integer") || kind.contains("float") {
        Highlight::Number
    } else {
        Highlight::Plain
    }
}

/// Returns the class of a node without children. A word that the grammar spells out is a
/// keyword.
fn highlight_leaf(node: &Node<'_>, text: &str) -> Highlight {
    let word = text.get(node.byte_range()).unwrap_or_default();
    let letters = !word.is_empty() && word.chars().all(|char| char.is_ascii_alphabetic());
    match node.kind() {
        "string_fragment" | "string_content" | "escape_sequence" => Highlight::String,
        _ if !node.is_named() && letters => Highlight::Keyword,
        _ => Highlight::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_strings_numbers_and_comments_are_told_apart_and_a_fragment_does_no_harm() {
        let shown = |language, text: &str| -> Vec<(String, Highlight)> {
            let highlights = find_highlights(language, text).into_iter();
            highlights.map(|(at, ink)| (text.get(at).unwrap().to_owned(), ink)).collect()
        };
        assert_eq!(
            shown(Language::Rust, "let a = \"é\"; // b\n"),
            [
                ("let".to_owned(), Highlight::Keyword),
                ("\"é\"".to_owned(), Highlight::String),
                ("// b".to_owned(), Highlight::Comment),
            ]
        );
        assert!(shown(Language::Python, "return 7").contains(&("7".to_owned(), Highlight::Number)));
        assert!(shown(Language::TypeScript, "} else {\n  return `a${b}`\n").len() < 8);
        assert_eq!(shown(Language::Json, ""), []);
    }
}
