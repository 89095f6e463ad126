//! Reads messages of the Go compiler: the wrong name, and the name that the compiler proposes.

use std::sync::LazyLock;

use crate::text::{Pattern, group};

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A name that nothing defines.
    Undefined,
    /// A name of a package.
    OfPackage,
    /// A field or method.
    Member,
    /// An import that the file does not use.
    UnusedImport,
    /// The path of an import leads to no package.
    UnknownPackage,
    /// A variable that is not used may be missing where it should be.
    UnusedVariable,
}

/// The parts of an error message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GoError<'m> {
    pub(super) sort: Sort,
    /// The name or path that is wrong.
    pub(super) name: &'m str,
    /// The package or type that does not have it.
    pub(super) of: Option<&'m str>,
    /// The name that the compiler proposes.
    pub(super) instead: Option<&'m str>,
}

/// The forms of messages, of Go 1.18 and later.
const FORMS: [(Sort, &str); 8] = [
    (Sort::OfPackage, r"^undefined: (?P<of>\w+)\.(?P<name>\w+)$"),
    (Sort::OfPackage, r"^(?:cannot refer to unexported \w+ |name )(?P<of>\w+)\.(?P<name>\w+)"),
    (Sort::OfPackage, r"^name (?P<name>\w+) not exported by package (?P<of>\w+)"),
    (Sort::Undefined, r"^(?:undefined|undeclared name): (?P<name>\w+)$"),
    (
        Sort::Member,
        r"^\S+\.(?P<name>\w+) undefined \(type \*?(?:[\w/.-]+\.)?(?P<of>\w+) has no field or method \w+(?:, but does have (?:field |method )?(?P<instead>\w+))?\)$",
    ),
    (
        Sort::UnusedImport,
        r#"^(?:"(?P<name>[^"]+)" imported (?:as \w+ )?(?:and|but) not used|imported and not used: "(?P<other>[^"]+)")"#,
    ),
    (
        Sort::UnknownPackage,
        r"^(?:package (?P<name>\S+) is not in (?:GOROOT|std)|(?:cannot find module providing|no required module provides) package (?P<other>[^\s:;]+))",
    ),
    (
        Sort::UnusedVariable,
        r"^(?:declared and not used: (?P<name>\w+)|(?P<other>\w+) declared (?:and|but) not used)$",
    ),
];

/// The compiled form of [`FORMS`].
static PATTERNS: LazyLock<Vec<(Sort, Pattern)>> =
    LazyLock::new(|| FORMS.iter().map(|(sort, form)| (*sort, Pattern::new(form))).collect());

/// Returns the parts of a message; `None` for a form that is not known.
pub(super) fn parse_message(message: &str) -> Option<GoError<'_>> {
    PATTERNS.iter().find_map(|(sort, pattern)| {
        let found = pattern.captures(message)?;
        let name = group(&found, "name").or_else(|| group(&found, "other"))?;
        Some(GoError {
            sort: *sort,
            name,
            of: group(&found, "of"),
            instead: group(&found, "instead"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = (&'static str, Sort, &'static str, Option<&'static str>, Option<&'static str>);

    const MESSAGES: [Row; 15] = [
        (
            "package string is not in GOROOT (/usr/lib/go/src/string)",
            Sort::UnknownPackage,
            "string",
            None,
            None,
        ),
        (
            "no required module provides package example.com/shop/mony; to add it:",
            Sort::UnknownPackage,
            "example.com/shop/mony",
            None,
            None,
        ),
        ("undefined: fmt", Sort::Undefined, "fmt", None, None),
        ("undeclared name: fmt", Sort::Undefined, "fmt", None, None),
        ("undefined: strings.Cont", Sort::OfPackage, "Cont", Some("strings"), None),
        (
            "cannot refer to unexported name cart.total",
            Sort::OfPackage,
            "total",
            Some("cart"),
            None,
        ),
        ("name total not exported by package cart", Sort::OfPackage, "total", Some("cart"), None),
        (
            "c.prics undefined (type *Cart has no field or method prics)",
            Sort::Member,
            "prics",
            Some("Cart"),
            None,
        ),
        (
            "c.name undefined (type *cart.Cart has no field or method name, but does have Name)",
            Sort::Member,
            "name",
            Some("Cart"),
            Some("Name"),
        ),
        (
            "c.name undefined (type Cart has no field or method name, but does have field Name)",
            Sort::Member,
            "name",
            Some("Cart"),
            Some("Name"),
        ),
        ("\"os\" imported and not used", Sort::UnusedImport, "os", None, None),
        ("\"math/rand\" imported as r and not used", Sort::UnusedImport, "math/rand", None, None),
        ("imported and not used: \"os\"", Sort::UnusedImport, "os", None, None),
        ("declared and not used: x", Sort::UnusedVariable, "x", None, None),
        ("x declared but not used", Sort::UnusedVariable, "x", None, None),
    ];

    #[test]
    fn every_form_of_old_and_new_compilers_is_read() {
        assert!(PATTERNS.iter().all(|(_, pattern)| pattern.is_valid()));
        for (message, sort, name, of, instead) in MESSAGES {
            assert_eq!(
                parse_message(message),
                Some(GoError { sort, name, of, instead }),
                "{message}"
            );
        }
        for other in ["", "undefined: ", "missing return", "undefined: a.b.c"] {
            assert_eq!(parse_message(other), None, "{other}");
        }
    }
}
