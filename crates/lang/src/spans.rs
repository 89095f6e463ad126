//! Finds the comments and strings of a text: in its syntax tree, or by the rules of its family where
//! there is no tree.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::scan::{NonCodeSpan, SpanKind, Syntax, scan_spans};
use super::{Family, Language, parse_tree};

/// Returns the comments and strings of a text, in order, none inside another.
///
/// Only a tree knows whether a `/` begins a regular expression, so that a quote in one opens no string.
pub fn find_spans(path: &str, text: &str) -> Vec<NonCodeSpan> {
    let family = Family::of_path(path);
    // Data is scanned: a block of YAML may be a shell script, and its comments count.
    let language = Language::of_path(path).filter(|_| family.is_code());
    match language.and_then(|language| parse_tree(language, text)) {
        Some(tree) => spans_of_tree(&tree, text, family),
        None => scan_spans(text, Syntax::of(family)),
    }
}

/// The way in which the walk reads a kind of node.
enum SpanRole {
    Code,
    Comment,
    Text,
    /// Text that the grammar leaves unread, as a macro of the preprocessor.
    Unread,
}

/// Returns the comments and strings of a tree, in order.
fn spans_of_tree(tree: &Tree, text: &str, family: Family) -> Vec<NonCodeSpan> {
    let mut spans = Vec::new();
    let mut cursor = tree.walk();
    // For each level above the node, whether it is a string. A node's own `parent` searches from the root.
    let mut in_text: Vec<bool> = Vec::new();
    loop {
        let node = cursor.node();
        let range = node.start_byte()..node.end_byte().min(text.len());
        // Inside a string only the code is of interest.
        let skips = in_text.last() == Some(&true) && !is_embedded(&node);
        let role = role_of(&node);
        let is_text = matches!(role, SpanRole::Text);
        let descends = match role {
            _ if skips => false,
            SpanRole::Code => true,
            SpanRole::Comment => {
                spans.push(NonCodeSpan::new(SpanKind::Comment, range));
                false
            }
            SpanRole::Unread => {
                let inner = text.get(range.clone()).unwrap_or_default();
                for span in scan_spans(inner, Syntax::of(family)) {
                    let moved = span.range.start + range.start..span.range.end + range.start;
                    spans.push(NonCodeSpan::new(span.kind, moved));
                }
                false
            }
            SpanRole::Text => add_text(&node, range, &mut spans),
        };
        if descends && cursor.goto_first_child() {
            in_text.push(is_text);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                spans.sort_by_key(|span| span.range.start);
                return spans;
            }
            in_text.pop();
        }
    }
}

/// Adds the parts of a string between the code in it; returns whether there is any.
fn add_text(node: &Node<'_>, range: Range<usize>, spans: &mut Vec<NonCodeSpan>) -> bool {
    let mut from = range.start;
    let mut has_code = false;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor).filter(is_embedded) {
        has_code = true;
        if child.start_byte() > from {
            let part = from..child.start_byte();
            spans.push(NonCodeSpan { kind: SpanKind::Text, range: part, whole: range.clone() });
        }
        from = child.end_byte().min(range.end);
    }
    if range.end > from {
        spans.push(NonCodeSpan { kind: SpanKind::Text, range: from..range.end, whole: range });
    }
    has_code
}

/// Returns `true` for code inside a string: `${…}`, `#{…}`, `{…}` of an f-string, `$name` of PHP.
fn is_embedded(node: &Node<'_>) -> bool {
    matches!(
        node.kind(),
        "interpolation"
            | "template_substitution"
            | "template_type"
            | "string_interpolation"
            | "variable_name"
            | "dynamic_variable_name"
            | "member_access_expression"
            | "subscript_expression"
    )
}

/// Returns the role of a node, by parts of its kind: all grammars name comments and strings so,
/// except for the kinds that are listed.
fn role_of(node: &Node<'_>) -> SpanRole {
    let kind = node.kind();
    if !node.is_named() || is_embedded(node) {
        return SpanRole::Code;
    }
    match kind {
        "hash_bang_line" => SpanRole::Comment,
        "concatenated_string" | "string_array" => SpanRole::Code,
        "regex" | "jsx_text" | "template_literal_type" | "nowdoc" | "heredoc" | "heredoc_body" => {
            SpanRole::Text
        }
        "char_literal" | "character_literal" | "rune_literal" => SpanRole::Text,
        "preproc_arg" => SpanRole::Unread,
        _ if kind.contains("comment") => SpanRole::Comment,
        _ if kind.contains("string") => SpanRole::Text,
        _ => SpanRole::Code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the texts of the parts, comments in brackets.
    fn parts(path: &str, text: &str) -> Vec<String> {
        let spans = find_spans(path, text).into_iter();
        spans
            .map(|span| match (span.kind, text.get(span.range).unwrap()) {
                (SpanKind::Comment, part) => format!("[{part}]"),
                (SpanKind::Text, part) => part.to_owned(),
            })
            .collect()
    }

    #[test]
    fn a_regular_expression_opens_no_string_and_code_in_a_string_is_code() {
        for (path, text, expected) in [
            ("a.js", "const a = /`/g, b = '`'; /* c */\n", vec!["/`/g", "'`'", "[/* c */]"]),
            ("a.ts", "f(`a${b('c')}d`); // e\n", vec!["`a", "'c'", "d`", "[// e]"]),
            ("a.jsx", "<a>it's {b}</a> // c\n", vec!["it's ", "[// c]"]),
            ("a.py", "x = f'a{b[\"c\"]}d' # e\n", vec!["f'a", "\"c\"", "d'", "[# e]"]),
            ("a.rs", "f(r#\"a\"b\"#, 'c', &'d e); // f\n", vec!["r#\"a\"b\"#", "'c'", "[// f]"]),
            ("a.go", "f(`a\"b`, 'c') // d\n", vec!["`a\"b`", "'c'", "[// d]"]),
            ("a.c", "#define A \"b\" // c\n", vec!["\"b\"", "[// c]"]),
            ("a.kt", "val a = \"b\" // c\n", vec!["\"b\"", "[// c]"]),
            ("a.toml", "a = \"b#\" # c\n", vec!["\"b#\"", "[# c]"]),
        ] {
            assert_eq!(parts(path, text), expected, "{text:?}");
        }
    }

    #[test]
    fn parts_are_in_order_and_apart_in_any_text() {
        for path in
            ["a.rs", "a.py", "a.tsx", "a.go", "A.java", "a.c", "a.cs", "a.rb", "a.php", "a.ex"]
        {
            for text in [
                "'\"`\\", "\"a\" 'b' `c${`d${", "f'{f\"{", "/* // # ", "<?php \"a $b {$c[1]}",
                "é'é\"é",
            ] {
                let spans = find_spans(path, text);
                let mut end = 0;
                for span in spans {
                    assert!(span.range.start >= end, "{path} {text:?}");
                    assert!(text.get(span.range.clone()).is_some(), "{path} {text:?}");
                    end = span.range.end;
                }
            }
        }
    }
}
