//! The names that a line uses: calls, types, attributes, and the methods that its operators call.

use super::question::split_identifiers;
use papayu_lang::Language;

/// Texts in a line of Python and the method that each calls.
const PYTHON: [(&str, &str); 17] = [
    ("str(", "__str__"),
    ("repr(", "__repr__"),
    ("len(", "__len__"),
    ("iter(", "__iter__"),
    ("for ", "__iter__"),
    ("next(", "__next__"),
    ("hash(", "__hash__"),
    ("bool(", "__bool__"),
    ("copy(", "__copy__"),
    ("format(", "__format__"),
    ("with ", "__enter__"),
    ("del ", "__delitem__"),
    (" in ", "__contains__"),
    (" == ", "__eq__"),
    (" != ", "__eq__"),
    (" | ", "__or__"),
    (" + ", "__add__"),
];

/// The same in Rust.
const RUST: [(&str, &str); 6] = [
    (" == ", "eq"),
    ("assert_eq!", "eq"),
    (" < ", "partial_cmp"),
    (".to_string()", "fmt"),
    ("format!", "fmt"),
    (".parse", "from_str"),
];

/// The same in JavaScript and TypeScript.
const SCRIPT: [(&str, &str); 3] =
    [("String(", "toString"), ("${", "toString"), ("JSON.stringify(", "toJSON")];

/// Returns the paths that a line uses: calls, names of types, which may be called later, and attributes that are read.
pub fn used_paths(line: &str) -> impl Iterator<Item = &str> {
    let types = split_identifiers(line).filter(|name| name.starts_with(char::is_uppercase));
    called_paths(line).chain(types).chain(read_attributes(line))
}

/// Returns the methods that the operators of a line call, for languages in which classes define operators.
pub fn operator_methods(language: Option<Language>, line: &str) -> Vec<&'static str> {
    let table: &[(&str, &'static str)] = match language {
        Some(Language::Python) => &PYTHON,
        Some(Language::Rust) => &RUST,
        Some(Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx) => {
            &SCRIPT
        }
        _ => &[],
    };
    let mut methods: Vec<&'static str> =
        table.iter().filter(|(text, _)| line.contains(text)).map(|(_, method)| *method).collect();
    if language == Some(Language::Python) {
        methods.extend(subscript_methods(line));
    }
    methods
}

/// Returns the methods of Python that brackets after a name call: `a["b"] = c` sets an item, any other gets one.
fn subscript_methods(line: &str) -> impl Iterator<Item = &'static str> {
    let is_value = |c: char| c.is_alphanumeric() || "_)]".contains(c);
    let has_item = line
        .match_indices('[')
        .any(|(at, _)| line.get(..at).is_some_and(|before| before.ends_with(is_value)));
    let sets = line.contains("] = ") || line.contains("] += ");
    let methods = [sets.then_some("__setitem__"), Some("__getitem__")];
    methods.into_iter().flatten().filter(move |_| has_item)
}

/// Returns the last names of the paths that a line calls.
pub fn called_names(line: &str) -> impl Iterator<Item = &str> {
    called_paths(line).map(last_name).filter(|name| name.len() >= 3)
}

/// Returns the last names of attributes that a line reads without a call: `root` in `a.b[0].root == c`.
fn read_attributes(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices('.').filter_map(move |(at, _)| {
        let before = line.get(..at)?;
        let rest = line.get(at + 1..)?;
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end)?;
        let is_read = before.ends_with(|c: char| is_part(c) || c == ')' || c == ']')
            && !after.starts_with(['(', '<', '!', '.', '"', '\''])
            && name.len() >= 3
            && !name.starts_with(|c: char| c.is_ascii_digit());
        is_read.then_some(name)
    })
}

/// Returns the paths that a line calls: `a.b.c` in `a.b.c(x)`.
fn called_paths(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "_$.:".contains(c);
    line.match_indices(['(', '<', '!']).filter_map(move |(at, _)| {
        let before = line.get(..at)?.trim_end_matches("::");
        let start = before.rfind(|c| !is_part(c)).map_or(0, |before_name| {
            before_name
                + before
                    .get(before_name..)
                    .and_then(|rest| rest.chars().next())
                    .map_or(1, char::len_utf8)
        });
        let path = before.get(start..)?.trim_start_matches(['.', ':']);
        (last_name(path).len() >= 2 && !path.starts_with(|c: char| c.is_ascii_digit()))
            .then_some(path)
    })
}

/// Returns the last name of a path.
pub fn last_name(path: &str) -> &str {
    path.rsplit(['.', ':']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_calls_are_found_with_their_qualifiers() {
        let paths = |line| called_paths(line).collect::<Vec<_>>();
        assert_eq!(paths("x = self.store.save(a, wrap(b))"), ["self.store.save", "wrap"]);
        assert_eq!(paths("let v = Vec::<u8>::new();"), ["Vec", "new"]);
        assert_eq!(paths("if (a < 2) {}"), Vec::<&str>::new());
    }

    #[test]
    fn attributes_are_those_that_are_read_and_not_called() {
        let names = |line| read_attributes(line).collect::<Vec<_>>();
        assert_eq!(names(r#"assert schema.fields["parent"].root == schema"#), ["fields", "root"]);
        assert_eq!(names("x = req.hostname; f(1.25, a.call())"), ["hostname"]);
    }

    #[test]
    fn operators_call_the_methods_that_classes_define_for_them() {
        let of = |line| operator_methods(Some(Language::Python), line);
        assert_eq!(of(r#"doc["x"]["c"] = 3"#), ["__setitem__", "__getitem__"]);
        assert_eq!(of("assert str(headers) == text"), ["__str__", "__eq__"]);
        assert_eq!(of("values = [1, 2]"), Vec::<&str>::new());
        assert_eq!(operator_methods(Some(Language::Go), "a == b"), Vec::<&str>::new());
    }
}
