//! The tests inside source files: parts of the syntax tree, compared token for token.

use tree_sitter::Node;

use super::finder::{InlineItem, TestFinder};
use super::layout::{LayoutToken, read_tokens};
use super::script_items::{read_go, read_python, read_script};
use papayu_lang::{Language, parse_tree};

/// Returns the tests of a source file; none if the language is unknown or the file does not
/// parse.
pub(super) fn find_items(path: &str, text: &str) -> Vec<InlineItem> {
    let Some(language) = Language::of_path(path) else { return Vec::new() };
    // Most files have none, and parsing is the expensive part.
    if text.is_empty() || !MARKS.iter().any(|mark| text.contains(mark)) {
        return Vec::new();
    }
    let Some(tree) = parse_tree(language, text) else { return Vec::new() };
    let mut finder = TestFinder { path, text, found: Vec::new() };
    let root = tree.root_node();
    match language {
        Language::Rust => finder.read_rust(root, &ItemScope::default()),
        Language::Python => read_python(&mut finder, root),
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
            read_script(&mut finder, root);
        }
        Language::Go => read_go(&mut finder, root),
        // Their tests are in files of tests only.
        Language::Java
        | Language::C
        | Language::Cpp
        | Language::CSharp
        | Language::Ruby
        | Language::Php
        | Language::Json
        | Language::Yaml => {}
    }
    finder.found
}

/// Texts of which every file with tests contains one.
const MARKS: [&str; 14] = [
    "test", "```", ">>>", "import.meta.vitest", "assert", "TestCase", "Example", "describe(",
    "it(", "Test", "rstest", "proptest", "quickcheck", "bench",
];

/// The modules that an item of Rust is in.
#[derive(Clone, Default)]
struct ItemScope {
    /// The names and attributes of the modules.
    path: Vec<String>,
    /// `true` below `#[cfg(test)]`.
    is_tests: bool,
}

impl TestFinder<'_> {
    /// Reads the items of a file, a module or a block. Attributes and doc comments precede their
    /// item as siblings.
    fn read_rust(&mut self, container: Node<'_>, scope: &ItemScope) {
        let mut attributes: Vec<Node<'_>> = Vec::new();
        let mut docs: Vec<Node<'_>> = Vec::new();
        for node in container.named_children(&mut container.walk()) {
            match node.kind() {
                "attribute_item" => attributes.push(node),
                "line_comment" | "block_comment" => docs.push(node),
                _ => {
                    self.read_rust_item(node, &attributes, scope);
                    self.add_doctests(&docs);
                    attributes.clear();
                    docs.clear();
                }
            }
        }
        self.add_doctests(&docs);
    }

    /// Reads an item with its attributes: a test, or code that is compiled for tests only.
    fn read_rust_item(&mut self, node: Node<'_>, attributes: &[Node<'_>], scope: &ItemScope) {
        let texts: Vec<String> = attributes.iter().map(|it| squeeze(self.text_of(*it))).collect();
        let name = node
            .child_by_field_name("name")
            .map_or_else(String::new, |it| self.text_of(it).to_owned());
        let is_test = texts.iter().any(|it| is_test_attribute(it));
        let is_for_tests = scope.is_tests || texts.iter().any(|it| is_for_tests(it));
        let body = node.child_by_field_name("body");
        let is_scope = matches!(node.kind(), "mod_item" | "impl_item" | "trait_item");
        if let Some(body) =
            body.filter(|_| is_scope && !(is_for_tests && node.kind() != "mod_item"))
        {
            let mut inner = scope.clone();
            inner.is_tests = is_for_tests;
            if is_for_tests || node.kind() == "mod_item" {
                inner.path.extend(texts);
                inner.path.push(name);
            }
            self.read_rust(body, &inner);
            return;
        }
        if !is_test && !is_for_tests {
            return;
        }
        let mut tokens: Vec<LayoutToken> = scope.path.iter().map(|it| (0, 0, it.clone())).collect();
        tokens.extend(texts.iter().map(|it| (0, 0, it.clone())));
        tokens.extend(read_tokens(node, self.text));
        let shown =
            if is_test { format!("the test `{name}`") } else { describe_helper(node, &name) };
        self.found.push(InlineItem {
            path: self.path.to_owned(),
            name: shown,
            line: node.start_position().row + 1,
            module: if scope.is_tests { scope.path.join("::") } else { String::new() },
            tokens,
            is_helper: !is_test && scope.is_tests,
        });
    }

    /// Adds the examples of doc comments that `cargo test --doc` runs.
    fn add_doctests(&mut self, docs: &[Node<'_>]) {
        let mut fence: Option<(Node<'_>, Vec<String>)> = None;
        for node in docs {
            let text = self.text_of(*node).to_owned();
            let is_block = text.starts_with("/**") || text.starts_with("/*!");
            if !(is_block || text.starts_with("///") || text.starts_with("//!")) {
                continue;
            }
            let text =
                text.trim_start_matches("/**").trim_start_matches("/*!").trim_end_matches("*/");
            for line in text.lines() {
                let line = line.trim();
                let marked = ["///", "//!", "*"].iter().find_map(|mark| line.strip_prefix(mark));
                let line = marked.unwrap_or(line).trim();
                match (&mut fence, line.strip_prefix("```")) {
                    (None, Some(language)) => {
                        fence = Some((*node, vec![language.trim().to_owned()]));
                    }
                    (Some(_), Some("")) => {
                        let Some((first, lines)) = fence.take() else { continue };
                        if lines.first().is_some_and(|language| is_run_language(language)) {
                            let tokens = lines.into_iter().map(|line| (0, 0, line)).collect();
                            self.add("the documentation's example".to_owned(), first, tokens);
                        }
                    }
                    (Some((_, lines)), _) => lines.push(line.to_owned()),
                    (None, None) => {}
                }
            }
        }
    }
}

/// Returns an item as messages name it.
fn describe_helper(node: Node<'_>, name: &str) -> String {
    match node.kind() {
        "use_declaration" => "an import".to_owned(),
        _ if name.is_empty() => "an item".to_owned(),
        _ => format!("the item `{name}`"),
    }
}

/// Returns `true` if rustdoc runs an example with these words after its fence: none, or
/// attributes of Rust code.
fn is_run_language(words: &str) -> bool {
    let known = [
        "rust", "should_panic", "no_run", "ignore", "compile_fail", "test_harness",
        "standalone_crate",
    ];
    words.split([',', ' ']).all(|word| {
        word.is_empty()
            || known.iter().any(|it| word.starts_with(it))
            || word.starts_with("edition")
            || word.starts_with('E')
    })
}

/// Returns a text with single blanks.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns `true` for an attribute that makes a function a test.
fn is_test_attribute(attribute: &str) -> bool {
    let bare = attribute.trim_start_matches("#[").trim_end_matches(']');
    let path = bare.split(['(', '=']).next().unwrap_or(bare).trim();
    let last = path.rsplit("::").next().unwrap_or(path);
    ["test", "rstest", "bench", "quickcheck", "test_case", "case", "proptest"].contains(&last)
        || last.ends_with("_test")
}

/// Returns `true` for `cfg(test)` and `cfg(all(test, unix))`, but not for code that is also
/// built without tests.
fn is_for_tests(attribute: &str) -> bool {
    let words: Vec<&str> = attribute.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    words.contains(&"cfg")
        && words.contains(&"test")
        && !words.contains(&"not")
        && !words.contains(&"any")
}
