//! Reads messages of the Go compiler: the wrong name, and the name that the compiler proposes.

use super::super::messages::{Form, form};

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GoErrorKind {
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

/// The forms of messages, of Go 1.18 and later.
pub(super) static FORMS: [Form<GoErrorKind>; 8] = [
    form(GoErrorKind::OfPackage, r"^undefined: (?P<of>\w+)\.(?P<name>\w+)$"),
    form(
        GoErrorKind::OfPackage,
        r"^(?:cannot refer to unexported \w+ |name )(?P<of>\w+)\.(?P<name>\w+)",
    ),
    form(GoErrorKind::OfPackage, r"^name (?P<name>\w+) not exported by package (?P<of>\w+)"),
    form(GoErrorKind::Undefined, r"^(?:undefined|undeclared name): (?P<name>\w+)$"),
    form(
        GoErrorKind::Member,
        r"^\S+\.(?P<name>\w+) undefined \(type \*?(?:[\w/.-]+\.)?(?P<of>\w+) has no field or method \w+(?:, but does have (?:field |method )?(?P<proposed>\w+))?\)$",
    ),
    form(
        GoErrorKind::UnusedImport,
        r#"^(?:"(?P<name>[^"]+)" imported (?:as \w+ )?(?:and|but) not used|imported and not used: "(?P<other>[^"]+)")"#,
    ),
    form(
        GoErrorKind::UnknownPackage,
        r"^(?:package (?P<name>\S+) is not in (?:GOROOT|std)|(?:cannot find module providing|no required module provides) package (?P<other>[^\s:;]+))",
    ),
    form(
        GoErrorKind::UnusedVariable,
        r"^(?:declared and not used: (?P<name>\w+)|(?P<other>\w+) declared (?:and|but) not used)$",
    ),
];

#[cfg(test)]
mod tests {
    use super::super::super::messages::{Missing, are_valid, read_message};
    use super::*;

    type Row =
        (&'static str, GoErrorKind, &'static str, Option<&'static str>, Option<&'static str>);

    const MESSAGES: [Row; 15] = [
        (
            "package string is not in GOROOT (/usr/lib/go/src/string)",
            GoErrorKind::UnknownPackage,
            "string",
            None,
            None,
        ),
        (
            "no required module provides package example.com/shop/mony; to add it:",
            GoErrorKind::UnknownPackage,
            "example.com/shop/mony",
            None,
            None,
        ),
        ("undefined: fmt", GoErrorKind::Undefined, "fmt", None, None),
        ("undeclared name: fmt", GoErrorKind::Undefined, "fmt", None, None),
        ("undefined: strings.Cont", GoErrorKind::OfPackage, "Cont", Some("strings"), None),
        (
            "cannot refer to unexported name cart.total",
            GoErrorKind::OfPackage,
            "total",
            Some("cart"),
            None,
        ),
        (
            "name total not exported by package cart",
            GoErrorKind::OfPackage,
            "total",
            Some("cart"),
            None,
        ),
        (
            "c.prics undefined (type *Cart has no field or method prics)",
            GoErrorKind::Member,
            "prics",
            Some("Cart"),
            None,
        ),
        (
            "c.name undefined (type *cart.Cart has no field or method name, but does have Name)",
            GoErrorKind::Member,
            "name",
            Some("Cart"),
            Some("Name"),
        ),
        (
            "c.name undefined (type Cart has no field or method name, but does have field Name)",
            GoErrorKind::Member,
            "name",
            Some("Cart"),
            Some("Name"),
        ),
        ("\"os\" imported and not used", GoErrorKind::UnusedImport, "os", None, None),
        (
            "\"math/rand\" imported as r and not used",
            GoErrorKind::UnusedImport,
            "math/rand",
            None,
            None,
        ),
        ("imported and not used: \"os\"", GoErrorKind::UnusedImport, "os", None, None),
        ("declared and not used: x", GoErrorKind::UnusedVariable, "x", None, None),
        ("x declared but not used", GoErrorKind::UnusedVariable, "x", None, None),
    ];

    #[test]
    fn every_form_of_old_and_new_compilers_is_read() {
        assert!(are_valid(&FORMS));
        for (message, sort, name, of, proposed) in MESSAGES {
            let [of, proposed] = [of, proposed].map(|part| part.map(str::to_owned));
            let expected = Missing { sort, name: name.to_owned(), of, proposed };
            assert_eq!(read_message(&FORMS, message), Some(expected), "{message}");
        }
        for other in ["", "undefined: ", "missing return", "undefined: a.b.c"] {
            assert_eq!(read_message(&FORMS, other), None, "{other}");
        }
    }
}
