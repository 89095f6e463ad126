//! Reads the messages about names that an interpreter, type checker or linter did not find.

use super::super::messages::{Form, Missing, form, read_message};
use papayu_base::text::Pattern;

/// The kind of a missing name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PythonNameKind {
    Name,
    /// A name that the tool suspects of a forgotten import.
    Forgotten,
    /// A name that a module does not give away.
    Member,
    Attribute,
    Module,
}

/// The forms of the interpreter, mypy, pyright, and ruff or flake8.
static FORMS: [Form<PythonNameKind>; 9] = [
    form(PythonNameKind::Name, r#"^(?:NameError: name|Name) ['"](?P<name>\w+)['"] is not defined"#),
    form(PythonNameKind::Name, r#"^"(?P<name>\w+)" is not defined"#),
    form(PythonNameKind::Name, r"^[Uu]ndefined name [`'](?P<name>\w+)[`']"),
    form(
        PythonNameKind::Member,
        r"^ImportError: cannot import name '(?P<name>\w+)' from '(?P<of>[\w.]+)'",
    ),
    form(
        PythonNameKind::Member,
        r#"^(?:AttributeError: module|Module) ['"](?P<of>[\w.]+)['"] has no attribute ['"](?P<name>\w+)['"]"#,
    ),
    form(
        PythonNameKind::Member,
        r"^AttributeError: `(?P<of>[\w.]+)\.(?P<name>\w+)` (?:was|is|has been) removed",
    ),
    form(
        PythonNameKind::Attribute,
        r"^AttributeError: (?:type object )?'(?P<of>\w+)' (?:object )?has no attribute '(?P<name>\w+)'",
    ),
    form(PythonNameKind::Attribute, r#"^"(?P<of>\w+)" has no attribute "(?P<name>\w+)""#),
    form(PythonNameKind::Module, r"^ModuleNotFoundError: No module named '(?P<name>[\w.]+)'"),
];

static PROPOSED: Pattern =
    Pattern::new(r#"(?:Did you mean: |; maybe |[( ]did you mean )['"](\w+)['"]"#);

/// Returns the parts of the first line of a known form; `None` if there is none, and for a wrong order of
/// imports.
pub(super) fn parse_message(message: &str) -> Option<Missing<PythonNameKind>> {
    message.lines().find_map(|line| {
        let line = line.trim().trim_start_matches("E ").trim_start();
        // The name exists, and the order of imports is wrong: no edit of one line repairs that.
        if line.contains("circular import") || line.contains("partially initialized") {
            return None;
        }
        let mut missing = read_message(&FORMS, line)?;
        let proposed = PROPOSED.captures(line).and_then(|found| found.get(1));
        missing.proposed = proposed.map(|part| part.as_str().to_owned());
        if missing.sort == PythonNameKind::Name && line.contains("forget to import") {
            missing.sort = PythonNameKind::Forgotten;
        }
        Some(missing)
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::messages::are_valid;
    use super::*;

    type Said =
        (&'static str, PythonNameKind, &'static str, Option<&'static str>, Option<&'static str>);

    const SAID: [Said; 9] = [
        (
            "NameError: name 'totl' is not defined. Did you mean: 'total'?",
            PythonNameKind::Name,
            "totl",
            None,
            Some("total"),
        ),
        ("Name \"totl\" is not defined", PythonNameKind::Name, "totl", None, None),
        ("\"totl\" is not defined", PythonNameKind::Name, "totl", None, None),
        ("Undefined name `totl`", PythonNameKind::Name, "totl", None, None),
        (
            "ImportError while importing test module\nE   ImportError: cannot import name 'totl' from 'shop.cart' (/r/shop/cart.py)",
            PythonNameKind::Member,
            "totl",
            Some("shop.cart"),
            None,
        ),
        (
            "Module \"shop.cart\" has no attribute \"totl\"; maybe \"total\"?",
            PythonNameKind::Member,
            "totl",
            Some("shop.cart"),
            Some("total"),
        ),
        (
            "AttributeError: 'Cart' object has no attribute 'prics'. Did you mean: 'prices'?",
            PythonNameKind::Attribute,
            "prics",
            Some("Cart"),
            Some("prices"),
        ),
        (
            "\"Cart\" has no attribute \"prics\"; maybe \"prices\" or \"price\"?",
            PythonNameKind::Attribute,
            "prics",
            Some("Cart"),
            Some("prices"),
        ),
        (
            "ModuleNotFoundError: No module named 'shop.crt'",
            PythonNameKind::Module,
            "shop.crt",
            None,
            None,
        ),
    ];

    #[test]
    fn every_form_says_what_is_missing() {
        assert!(are_valid(&FORMS));
        for (message, sort, name, of, proposed) in SAID {
            let [of, proposed] = [of, proposed].map(|part| part.map(str::to_owned));
            let expected = Missing { sort, name: name.to_owned(), of, proposed };
            assert_eq!(parse_message(message), Some(expected));
        }
        let forgotten = "NameError: name 'os' is not defined. Did you forget to import 'os'?";
        assert_eq!(parse_message(forgotten).unwrap().sort, PythonNameKind::Forgotten);
        for other in [
            "",
            "AssertionError: name 'x' is not defined",
            "ImportError: cannot import name 'a' from partially initialized module 'b' (most likely due to a circular import)",
        ] {
            assert!(parse_message(other).is_none(), "{other}");
        }
    }
}
