//! Finds out whether a name belongs to one function alone, so that a new name for it is seen by no other code.

use std::ops::Range;

use tree_sitter::Node;

use super::scan::SpanKind;
use super::{Language, find_spans, parse_tree};

/// Nodes of functions; the part that counts is their body.
const FUNCTIONS: [&str; 11] = [
    "arrow_function",
    "func_literal",
    "function_declaration",
    "function_definition",
    "function_expression",
    "function_item",
    "generator_function",
    "generator_function_declaration",
    "lambda",
    "method_declaration",
    "method_definition",
];

// A name inside of one of these nodes may be seen by a caller or another module.
/// Nodes in which a name is part of an interface, or its use cannot be known.
const OPEN: [&str; 22] = [
    "attribute", "class", "class_body", "class_declaration", "class_definition",
    "closure_parameters", "dotted_name", "export_specifier", "export_statement",
    "formal_parameters", "global_statement", "import_specifier", "import_statement", "impl_item",
    "keyed_element", "lambda_parameters", "nonlocal_statement", "parameter_list", "parameters",
    "shorthand_field_initializer", "struct_item", "token_tree",
];

/// Nodes that declare the variable in one of their fields.
const DECLARATIONS: [(&str, &str); 8] = [
    ("assignment", "left"),
    ("for_expression", "pattern"),
    ("for_in_statement", "left"),
    ("for_statement", "left"),
    ("let_declaration", "pattern"),
    ("short_var_declaration", "left"),
    ("var_spec", "name"),
    ("variable_declarator", "name"),
];

/// Returns whether `name` is a variable that one function declares and only its body uses, in Python, JavaScript,
/// TypeScript, Go or Rust. Comments do not count; a string with the name makes the answer `false`, because it may be used
/// at run time.
pub fn is_local_name(path: &str, text: &str, name: &str) -> bool {
    // In the other languages a variable cannot be recognised by these nodes.
    let language = Language::of_path(path).filter(|language| {
        matches!(
            language,
            Language::Python
                | Language::JavaScript
                | Language::Jsx
                | Language::TypeScript
                | Language::Tsx
                | Language::Go
                | Language::Rust
        )
    });
    // A text that cannot be parsed gives no certainty.
    let Some(tree) = language.and_then(|language| parse_tree(language, text)) else { return false };
    // Comments and strings are found first: words in them are no identifiers.
    let spans = find_spans(path, text);
    let mut owner = None;
    let mut is_declared = false;
    for place in word_places(text, name) {
        let span = spans.iter().find(|span| span.range.contains(&place.start));
        match span.map(|span| span.kind) {
            // A string may be evaluated or compared with the name of a variable.
            Some(SpanKind::Comment) => continue,
            Some(_) => return false,
            None => {}
        }
        let root = tree.root_node();
        let Some(node) = root.named_descendant_for_byte_range(place.start, place.end) else {
            return false;
        };
        // Nested functions share the body of the outermost one.
        let Some(body) = outer_body(root, &node) else { return false };
        if *owner.get_or_insert(body) != body {
            return false;
        }
        // One declaration in the body is enough; a parameter is declared outside of it.
        is_declared |= declares(&node);
    }
    is_declared
}

/// Returns the places of a word.
fn word_places<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    // `$` is part of names in JavaScript.
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(name).map(|(at, _)| at..at + name.len()).filter(move |place| {
        let before = text.get(..place.start).and_then(|it| it.chars().next_back());
        let after = text.get(place.end..).and_then(|it| it.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// Returns the body of the outermost function that a plain identifier is in; `None` if there is none, or if the
/// identifier may be seen from elsewhere.
fn outer_body(root: Node<'_>, identifier: &Node<'_>) -> Option<usize> {
    if identifier.kind() != "identifier" {
        return None;
    }
    let mut outer = None;
    let mut is_open = false;
    let mut at = root;
    while let Some(inner) = at.child_with_descendant(*identifier) {
        // The surroundings of the outermost function do not matter: a method is in a class.
        if outer.is_some() {
            is_open |= OPEN.contains(&at.kind());
        } else if FUNCTIONS.contains(&at.kind())
            && at.child_by_field_name("body").is_some_and(|body| body.id() == inner.id())
        {
            outer = Some(inner.id());
        }
        at = inner;
    }
    // The name of an argument or of a function is seen by its callers.
    let is_name = is_field(identifier, "keyword_argument", "name")
        || FUNCTIONS.iter().any(|kind| is_field(identifier, kind, "name"));
    outer.filter(|_| !is_open && !is_name)
}

/// Returns whether a node is this field of a parent of this kind.
fn is_field(node: &Node<'_>, kind: &str, field: &str) -> bool {
    node.parent().is_some_and(|parent| {
        parent.kind() == kind
            && parent.child_by_field_name(field).is_some_and(|it| it.id() == node.id())
    })
}

/// Returns whether an identifier is declared here, also as one of several.
fn declares(identifier: &Node<'_>) -> bool {
    // `a, b = f()` declares both.
    let is_list = |node: &Node<'_>| {
        ["expression_list", "pattern_list", "tuple_pattern", "array_pattern"].contains(&node.kind())
    };
    let list = identifier.parent().filter(is_list);
    [Some(*identifier), list]
        .into_iter()
        .flatten()
        .any(|node| DECLARATIONS.iter().any(|(kind, field)| is_field(&node, kind, field)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_variable_of_one_function_is_a_local_name() {
        for (path, text, expected) in [
            ("a.py", "def f(a):\n    nmae = a  # nmae\n    return nmae\n", true),
            ("a.py", "def f(a):\n    for nmae, b in a:\n        print(nmae)\n", true),
            ("a.py", "class A:\n    def f(self):\n        nmae = 1\n        return nmae\n", true),
            ("a.py", "def f(nmae):\n    return nmae\n", false),
            ("a.py", "nmae = 1\ndef f():\n    return nmae\n", false),
            ("a.py", "def f():\n    nmae = 1\n    return g(nmae=nmae)\n", false),
            ("a.py", "def f(a):\n    nmae = a.nmae\n    return nmae\n", false),
            ("a.py", "def f():\n    nmae = 1\n    return '{nmae}'.format(**locals())\n", false),
            ("a.py", "def f():\n    global nmae\n    nmae = 1\n", false),
            ("a.py", "def f():\n    return nmae\n", false),
            ("a.py", "def f():\n    class A:\n        nmae = 1\n    return A\n", false),
            ("a.py", "def f():\n    def nmae():\n        pass\n    nmae = nmae()\n", false),
            ("a.py", "def f():\n    nmae = 1\n\ndef g():\n    nmae = 2\n", false),
            ("a.js", "function f(a) {\n  const nmae = a;\n  return () => nmae;\n}\n", true),
            ("a.js", "function f(a) {\n  const nmae = a;\n  return { nmae };\n}\n", false),
            ("a.js", "function f(a) {\n  const { nmae } = a;\n  return nmae;\n}\n", false),
            ("a.js", "const nmae = 1;\nexport { nmae };\n", false),
            ("a.js", "function f(a) {\n  const nmae = a.nmae;\n  return nmae;\n}\n", false),
            (
                "a.ts",
                "class A {\n  f() {\n    let nmae: number = 1;\n    return nmae;\n  }\n}\n",
                true,
            ),
            (
                "a.go",
                "package a\n\nfunc f() int {\n\tnmae, b := 1, 2\n\treturn nmae + b\n}\n",
                true,
            ),
            ("a.go", "package a\n\nvar nmae = 1\n\nfunc f() int {\n\treturn nmae\n}\n", false),
            ("a.go", "package a\n\nfunc f() A {\n\tnmae := 1\n\treturn A{nmae: nmae}\n}\n", false),
            ("a.rs", "fn f() -> u8 {\n    let mut nmae = 1;\n    nmae += 1;\n    nmae\n}\n", true),
            ("a.rs", "fn f() -> A {\n    let nmae = 1;\n    A { nmae }\n}\n", false),
            ("a.rs", "fn f() -> V {\n    let nmae = 1;\n    json!({nmae: nmae})\n}\n", false),
            ("a.rs", "fn f() {\n    let nmae = 1;\n    println!(\"{nmae}\");\n}\n", false),
            ("a.java", "class A { int f() { int nmae = 1; return nmae; } }\n", false),
            ("a.txt", "nmae\n", false),
        ] {
            assert_eq!(is_local_name(path, text, "nmae"), expected, "{text}");
        }
    }
}
