//! A recipe that a model has written for its fix: it passes the tests of a learned one, or it is none.

mod rig;

use std::collections::BTreeMap;

use papayu_base::domain::{Failure, FailureReport};
use papayu_recipes::{
    NoReexports, Origin, Recipe, RecipeChange, TaughtFix, adopt_recipe, learn_recipe,
};
use rig::Rig;

const BEFORE: &str = "from acme import fetch_all\n\nfetch_all('a', 1)\n";
const AFTER: &str = "from acme import fetch_all\n\nfetch_all('a', 2)\n";

/// Takes a recipe for a fix of one file of a repository with two others.
fn adopt(text: &str) -> Result<Recipe, String> {
    let other = "from acme import fetch_all\n\nfetch_all('b', 9)\n";
    let texts = [("a.py", BEFORE), ("b.py", other), ("c.py", "print(1)\n")];
    let texts = texts.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let failure = Failure {
        toolchain: "python".to_owned(),
        message: "ValueError: the size must be even".to_owned(),
        ..Failure::default()
    };
    let report = FailureReport { failures: vec![failure], ..FailureReport::default() };
    let change = RecipeChange {
        path: "a.py".to_owned(),
        before: BEFORE.to_owned(),
        after: AFTER.to_owned(),
    };
    let fix = TaughtFix {
        changes: &[change],
        report: &report,
        files: &Rig { texts: BTreeMap::from(texts), ..Rig::default() },
        reexports: &NoReexports,
        origin: &Origin { proof: "tests".to_owned(), ..Origin::default() },
    };
    // The change itself shows none.
    assert!(learn_recipe(fix).is_err());
    adopt_recipe(fix, text)
}

fn recipe(message: &str, pattern: &str, fix: &str) -> String {
    format!(
        "id: own\ntried: 70\nwhen: {{tool: python, message: '{message}'}}\nlanguage: python\nrule: {{pattern: \"{pattern}\"}}\n\
         fix: \"{fix}\"\nimports: {{fetch_all: fetch_all from acme}}\n"
    )
}

#[test]
fn a_recipe_that_makes_exactly_the_fix_is_taken_with_an_origin_and_a_record_of_its_own() {
    let text = recipe("*size must be even*", "fetch_all($A, 1)", "fetch_all($A, 2)");
    let adopted = adopt(&text).unwrap_or_else(|reason| panic!("{reason}"));
    assert_eq!(adopted.from.as_ref().map(|it| it.proof.as_str()), Some("tests"));
    assert_eq!((adopted.record.tried, adopted.record.healed), (1, 1));
    assert!(adopted.id.len() == 12 && adopted.examples.is_empty(), "{}", adopted.id);
}

#[test]
fn a_recipe_that_does_more_or_less_or_something_else_is_refused() {
    for (text, part) in [
        (recipe("*must be even*", "fetch_all($A, $B)", "fetch_all($A, 2)"), "`b.py`"),
        (recipe("*must be even*", "fetch_all($A, 1)", "fetch_all($A, 4)"), "`a.py`"),
        (recipe("*must be even*", "fetch_all($A, 7)", "fetch_all($A, 2)"), "`a.py`"),
        (
            recipe("*is not callable*", "fetch_all($A, 1)", "fetch_all($A, 2)"),
            "not for the failure",
        ),
        (recipe("*", "fetch_all($A, 1)", "fetch_all($A, 2)"), "fits every failure"),
        ("when: {message: '*must be even*'}\n".to_owned(), "grammar"),
        ("file: ../a.toml\nremove: b\n".to_owned(), "outside of the repository"),
        ("I cannot do that".to_owned(), ""),
        (format!("# {}\n", "x".repeat(70_000)), "64 kB"),
    ] {
        let reason = adopt(&text).map_or_else(|reason| format!("no: {reason}"), |it| it.to_yaml());
        assert!(reason.starts_with("no: ") && reason.contains(part), "{text}{reason}");
    }
}
