//! The tests inside source files of Python, JavaScript, TypeScript and Go.

use tree_sitter::Node;

use super::finder::TestFinder;
use super::layout::{LayoutToken, read_tokens};

/// Adds a node as one item.
fn add_whole(finder: &mut TestFinder<'_>, name: &str, node: Node<'_>) {
    let tokens = read_tokens(node, finder.text);
    finder.add(name.to_owned(), node, tokens);
}

/// Reads the tests and fixtures at the top of a file.
pub(super) fn read_python(finder: &mut TestFinder<'_>, root: Node<'_>) {
    for node in root.named_children(&mut root.walk()) {
        let text = finder.text_of(node);
        match node.kind() {
            "assert_statement" => add_whole(finder, "an assertion", node),
            "class_definition" => {
                let bases = node.child_by_field_name("superclasses");
                if bases.is_some_and(|it| finder.text_of(it).contains("TestCase")) {
                    add_whole(finder, "a class of tests", node);
                }
            }
            "if_statement"
                if text.contains("__main__")
                    && ["assert", "doctest", "unittest"].iter().any(|word| text.contains(word)) =>
            {
                add_whole(finder, "the block that runs its tests", node);
            }
            _ => {}
        }
    }
    add_docstrings(finder, root);
}

/// Adds the examples of all docstrings.
fn add_docstrings(finder: &mut TestFinder<'_>, root: Node<'_>) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.kind() == "string" {
            if finder.text_of(node).contains(">>>") {
                add_examples(finder, node);
            }
            continue;
        }
        open.extend(node.named_children(&mut node.walk()));
    }
}

/// Adds each prompt of a docstring with the output that follows it.
fn add_examples(finder: &mut TestFinder<'_>, node: Node<'_>) {
    let text = finder.text_of(node).to_owned();
    let mut example: Vec<LayoutToken> = Vec::new();
    for line in text.lines().map(str::trim) {
        let is_prompt = line.starts_with(">>>");
        if (is_prompt || line.is_empty()) && !example.is_empty() {
            finder.add("a doctest".to_owned(), node, std::mem::take(&mut example));
        }
        if is_prompt || !example.is_empty() {
            let line = line.trim_end_matches("\"\"\"").trim_end_matches("'''");
            example.push((0, 0, line.to_owned()));
        }
    }
    if !example.is_empty() {
        finder.add("a doctest".to_owned(), node, example);
    }
}

/// Finds the tests at the top level of a JavaScript or TypeScript file.
pub(super) fn read_script(finder: &mut TestFinder<'_>, root: Node<'_>) {
    for node in root.named_children(&mut root.walk()) {
        let text = finder.text_of(node);
        match node.kind() {
            "if_statement" if text.contains("import.meta.vitest") => {
                add_whole(finder, "the block of its tests", node);
            }
            "expression_statement" => {
                let callee = text.split(['(', '\n']).next().unwrap_or_default();
                let base = callee.split('.').next().unwrap_or_default().trim();
                if matches!(base, "assert" | "describe" | "it" | "test" | "suite")
                    || callee == "console.assert"
                {
                    add_whole(finder, "a test", node);
                }
            }
            _ => {}
        }
    }
}

/// Finds the functions that `go test` runs: tests, benchmarks, fuzz tests and examples.
pub(super) fn read_go(finder: &mut TestFinder<'_>, root: Node<'_>) {
    for node in root.named_children(&mut root.walk()) {
        let name = node.child_by_field_name("name").map_or("", |name| finder.text_of(name));
        let is_test =
            ["Example", "Test", "Benchmark", "Fuzz"].iter().any(|word| name.starts_with(word));
        let takes = node.child_by_field_name("parameters").map_or("", |it| finder.text_of(it));
        if node.kind() == "function_declaration"
            && is_test
            && (takes == "()" || takes.contains("*testing."))
        {
            add_whole(finder, "a test", node);
        }
    }
}
