//! The names that a language gives every file without an import.

use papayu_lang::Language;

const RUST: &[&str] =
    &["Some", "None", "Ok", "Err", "Vec", "String", "Box", "Option", "Result", "Default", "drop"];

const PYTHON: &[&str] = &[
    "abs", "all", "any", "bool", "bytes", "dict", "enumerate", "filter", "float", "frozenset",
    "getattr", "hasattr", "int", "isinstance", "iter", "len", "list", "map", "max", "min", "next",
    "object", "open", "print", "range", "repr", "reversed", "round", "set", "sorted", "str", "sum",
    "super", "tuple", "type", "zip",
];

const SCRIPT: &[&str] = &[
    "Array", "Boolean", "Date", "Error", "JSON", "Map", "Math", "Number", "Object", "Promise",
    "RegExp", "Set", "String", "Symbol", "console", "globalThis", "isNaN", "parseFloat",
    "parseInt", "undefined",
];

const GO: &[&str] = &[
    "append", "bool", "byte", "cap", "copy", "delete", "error", "false", "float64", "int", "int64",
    "len", "make", "new", "nil", "panic", "rune", "string", "true",
];

const JAVA: &[&str] = &[
    "Boolean", "Character", "Double", "Integer", "Long", "Math", "Object", "String",
    "StringBuilder", "System",
];

/// Returns whether every file of a language has a name.
pub(super) fn is_builtin_name(language: Language, name: &str) -> bool {
    let names = match language {
        Language::Rust => RUST,
        Language::Python => PYTHON,
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => SCRIPT,
        Language::Go => GO,
        Language::Java => JAVA,
        _ => &[],
    };
    names.contains(&name)
}
