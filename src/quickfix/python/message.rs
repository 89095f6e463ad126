//! Reads the messages about names that an interpreter, type checker or linter did not find.

use std::sync::LazyLock;

use crate::text::{Pattern, group};

/// The kind of a missing name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Name,
    /// A name that a module does not give away.
    Member,
    Attribute,
    Module,
}

/// A name that was not found.
pub(super) struct MissingName<'m> {
    pub(super) name: &'m str,
    /// The module or class that does not have it.
    pub(super) of: Option<&'m str>,
    /// The name that the tool proposes instead.
    pub(super) proposed: Option<&'m str>,
    /// True if the tool suspects a missing import.
    pub(super) forgotten: bool,
}

/// The forms of the interpreter, mypy, pyright, and ruff or flake8.
const FORMS: [(Sort, &str); 8] = [
    (Sort::Name, r#"^(?:NameError: name|Name) ['"](?P<name>\w+)['"] is not defined"#),
    (Sort::Name, r#"^"(?P<name>\w+)" is not defined"#),
    (Sort::Name, r"^[Uu]ndefined name [`'](?P<name>\w+)[`']"),
    (Sort::Member, r"^ImportError: cannot import name '(?P<name>\w+)' from '(?P<of>[\w.]+)'"),
    (
        Sort::Member,
        r#"^(?:AttributeError: module|Module) ['"](?P<of>[\w.]+)['"] has no attribute ['"](?P<name>\w+)['"]"#,
    ),
    (
        Sort::Attribute,
        r"^AttributeError: (?:type object )?'(?P<of>\w+)' (?:object )?has no attribute '(?P<name>\w+)'",
    ),
    (Sort::Attribute, r#"^"(?P<of>\w+)" has no attribute "(?P<name>\w+)""#),
    (Sort::Module, r"^ModuleNotFoundError: No module named '(?P<name>[\w.]+)'"),
];

static PATTERNS: LazyLock<Vec<(Sort, Pattern)>> =
    LazyLock::new(|| FORMS.iter().map(|(sort, form)| (*sort, Pattern::new(form))).collect());

static PROPOSED: Pattern =
    Pattern::new(r#"(?:Did you mean: |; maybe |[( ]did you mean )['"](\w+)['"]"#);

/// Returns the parts of the first line of a known form.
pub(super) fn parse_message(message: &str) -> Option<(Sort, MissingName<'_>)> {
    message.lines().find_map(|line| {
        let line = line.trim().trim_start_matches("E ").trim_start();
        // The name exists, and the order of imports is wrong: no edit of one line repairs that.
        if line.contains("circular import") || line.contains("partially initialized") {
            return None;
        }
        PATTERNS.iter().find_map(|(sort, pattern)| {
            let found = pattern.captures(line)?;
            let rest = line.get(found.get(0)?.end()..).unwrap_or_default();
            let proposed = PROPOSED.captures(rest).and_then(|found| found.get(1));
            let missing = MissingName {
                name: group(&found, "name")?,
                of: group(&found, "of"),
                proposed: proposed.map(|part| part.as_str()),
                forgotten: rest.contains("forget to import"),
            };
            Some((*sort, missing))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Said = (&'static str, Sort, &'static str, Option<&'static str>, Option<&'static str>);

    const SAID: [Said; 9] = [
        (
            "NameError: name 'totl' is not defined. Did you mean: 'total'?",
            Sort::Name,
            "totl",
            None,
            Some("total"),
        ),
        ("Name \"totl\" is not defined", Sort::Name, "totl", None, None),
        ("\"totl\" is not defined", Sort::Name, "totl", None, None),
        ("Undefined name `totl`", Sort::Name, "totl", None, None),
        (
            "ImportError while importing test module\nE   ImportError: cannot import name 'totl' from 'shop.cart' (/r/shop/cart.py)",
            Sort::Member,
            "totl",
            Some("shop.cart"),
            None,
        ),
        (
            "Module \"shop.cart\" has no attribute \"totl\"; maybe \"total\"?",
            Sort::Member,
            "totl",
            Some("shop.cart"),
            Some("total"),
        ),
        (
            "AttributeError: 'Cart' object has no attribute 'prics'. Did you mean: 'prices'?",
            Sort::Attribute,
            "prics",
            Some("Cart"),
            Some("prices"),
        ),
        (
            "\"Cart\" has no attribute \"prics\"; maybe \"prices\" or \"price\"?",
            Sort::Attribute,
            "prics",
            Some("Cart"),
            Some("prices"),
        ),
        ("ModuleNotFoundError: No module named 'shop.crt'", Sort::Module, "shop.crt", None, None),
    ];

    #[test]
    fn every_form_says_what_is_missing() {
        assert!(PATTERNS.iter().all(|(_, pattern)| pattern.is_valid()));
        for (message, sort, name, of, proposed) in SAID {
            let (is, missing) = parse_message(message).unwrap();
            assert_eq!(
                (is, missing.name, missing.of, missing.proposed),
                (sort, name, of, proposed)
            );
        }
        assert!(
            parse_message("NameError: name 'os' is not defined. Did you forget to import 'os'?")
                .unwrap()
                .1
                .forgotten
        );
        for other in [
            "",
            "AssertionError: name 'x' is not defined",
            "ImportError: cannot import name 'a' from partially initialized module 'b' (most likely due to a circular import)",
        ] {
            assert!(parse_message(other).is_none(), "{other}");
        }
    }
}
