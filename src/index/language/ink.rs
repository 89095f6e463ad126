//! Classifies pieces of a text for coloured output.

use std::ops::Range;

use tree_sitter::Node;

use super::Language;
use crate::lang::parse_tree;

/// The class of a piece of code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ink {
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

/// Returns the pieces of a text that are something in particular, by their bytes, in order; a text that
/// cannot be read, or a fragment of one, has fewer.
pub fn inks(language: Language, text: &str) -> Vec<(Range<usize>, Ink)> {
    let Some(tree) = parse_tree(language, text) else { return Vec::new() };
    let mut cursor = tree.walk();
    let mut inks = Vec::new();
    loop {
        let node = cursor.node();
        let own = whole(&node);
        if own == Ink::Plain && cursor.goto_first_child() {
            continue;
        }
        let ink = if own == Ink::Plain { leaf(&node, text) } else { own };
        if ink != Ink::Plain && node.end_byte() <= text.len() {
            inks.push((node.byte_range(), ink));
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return inks;
            }
        }
    }
}

/// Returns the class of a node with all its children; code inside a template is code.
fn whole(node: &Node<'_>) -> Ink {
    let kind = node.kind();
    let inner = |name: &str| {
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|child| child.kind().contains(name))
    };
    if !node.is_named() {
        Ink::Plain
    } else if kind.contains("comment") {
        Ink::Comment
    } else if kind.contains("string") || kind.contains("char_literal") || kind.contains("scalar") {
        if inner("substitution") || inner("interpolation") { Ink::Plain } else { Ink::String }
    } else if kind.contains("number") || kind.contains("integer") || kind.contains("float") {
        Ink::Number
    } else {
        Ink::Plain
    }
}

/// Returns the class of a node without children; a word that the grammar spells out is a keyword.
fn leaf(node: &Node<'_>, text: &str) -> Ink {
    let word = text.get(node.byte_range()).unwrap_or_default();
    let letters = !word.is_empty() && word.chars().all(|char| char.is_ascii_alphabetic());
    match node.kind() {
        "string_fragment" | "string_content" | "escape_sequence" => Ink::String,
        _ if !node.is_named() && letters => Ink::Keyword,
        _ => Ink::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_strings_numbers_and_comments_are_told_apart_and_a_fragment_does_no_harm() {
        let shown = |language, text: &str| -> Vec<(String, Ink)> {
            let inks = inks(language, text).into_iter();
            inks.map(|(at, ink)| (text.get(at).unwrap().to_owned(), ink)).collect()
        };
        assert_eq!(
            shown(Language::Rust, "let a = \"é\"; // b\n"),
            [
                ("let".to_owned(), Ink::Keyword),
                ("\"é\"".to_owned(), Ink::String),
                ("// b".to_owned(), Ink::Comment),
            ]
        );
        assert!(shown(Language::Python, "return 7").contains(&("7".to_owned(), Ink::Number)));
        assert!(shown(Language::TypeScript, "} else {\n  return `a${b}`\n").len() < 8);
        assert_eq!(shown(Language::Json, ""), []);
    }
}
