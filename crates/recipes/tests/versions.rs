//! A recipe for some versions of a dependency, in repositories that name the version and in one that does not.

mod rig;

use std::collections::BTreeMap;

use papayu_base::domain::{Failure, FailureReport};
use papayu_recipes::{
    NoReexports, Origin, Recipe, RecipeChange, RecipeReach, RecipeTarget, TaughtFix, VersionCheck,
    learn_recipe,
};
use rig::Rig;

const BEFORE: &str = "from acme import fetch\n\nfetch(1)\n";
const AFTER: &str = "from acme import fetch_all\n\nfetch_all(1)\n";

fn report() -> FailureReport {
    let failure = Failure {
        toolchain: "python".to_owned(),
        message: "cannot import name 'fetch' from 'acme'".to_owned(),
        ..Failure::default()
    };
    FailureReport { failures: vec![failure], ..FailureReport::default() }
}

fn recipe(range: &str) -> String {
    format!(
        "id: x\nwhen:\n  message: '*fetch*'\n  dependency: acme\n  version: '{range}'\n\
         language: python\nmove: fetch from acme\nto: fetch_all from acme\n"
    )
}

fn rig_with(versions: &[&'static str]) -> Rig {
    let versions = versions.iter().map(|version| ("acme", *version)).collect();
    Rig { versions, ..Rig::of("a.py", BEFORE) }
}

#[test]
fn a_recipe_is_for_the_versions_in_its_range_and_for_unknown_ones() {
    for (range, versions, is_for) in [
        (">=2", &["2.0.0"][..], true),
        (">=2", &["1.9.3"], false),
        (">=1.2,<2", &["1.2"], true),
        (">=1.2, <2", &["2.0"], false),
        (">=1.2,<2", &["2.0.0rc1"], true),
        ("^0.4", &["0.4.9"], true),
        ("^0.4", &["0.5.0"], false),
        // npm may have installed both.
        ("<2", &["3.0.0", "1.0.0"], true),
        (">=2", &[], true),
    ] {
        let rig = rig_with(versions);
        let recipe = Recipe::parse("r.yml", &recipe(range)).unwrap();
        let report = report();
        let target = RecipeTarget {
            files: &rig,
            reexports: &NoReexports,
            report: &report,
            allows_untyped: false,
            allows_tests: false,
        };
        let case = format!("{range} {versions:?}");
        assert_eq!(!recipe.find_failures_in(target).is_empty(), is_for, "{case}");
        let made = recipe.apply(target, RecipeReach::Repository);
        assert_eq!(made.first().map(|it| it.after.as_str()), is_for.then_some(AFTER), "{case}");
        let is_unknown = matches!(recipe.check_version(&rig), VersionCheck::Unknown(_));
        assert_eq!(is_unknown, versions.is_empty(), "{case}");
    }
}

#[test]
fn a_reason_names_the_range_and_the_versions() {
    let recipe = Recipe::parse("r.yml", &recipe(">=2")).unwrap();
    let differs = VersionCheck::Differs("it is for `acme` >=2, and this is 1.0, 1.1".to_owned());
    assert_eq!(recipe.check_version(&rig_with(&["1.0", "1.1"])), differs);
    let VersionCheck::Unknown(note) = recipe.check_version(&rig_with(&[])) else { panic!() };
    assert!(note.starts_with("`acme` >=2 is not checked: "), "{note}");
}

#[test]
fn one_of_several_signatures_with_the_version_is_enough() {
    let yaml = "id: x\nwhen:\n- {message: '*fetch*', dependency: acme, version: '>=3'}\n\
                - {message: '*fetch*', dependency: acme, version: '<2'}\n\
                language: python\nmove: fetch from acme\nto: fetch_all from acme\n";
    let recipe = Recipe::parse("r.yml", yaml).unwrap();
    assert_eq!(Recipe::parse("r.yml", &recipe.to_yaml()).unwrap(), recipe);
    assert_eq!(recipe.check_version(&rig_with(&["1.0.0"])), VersionCheck::Fits);
    assert!(matches!(recipe.check_version(&rig_with(&["2.0.0"])), VersionCheck::Differs(_)));
}

#[test]
fn a_range_that_cannot_be_read_or_is_of_nothing_is_refused_at_its_line() {
    for (text, line, part) in [
        (recipe("about 2"), 5, "`about 2` is no range of versions; write it as `>=1.2, <2`"),
        (recipe(">=2").replace("  dependency: acme\n", ""), 4, "`version` is of no dependency"),
    ] {
        let error = Recipe::parse("r.yml", &text).unwrap_err();
        assert_eq!(error.line, Some(line), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn a_learned_recipe_is_for_the_versions_since_the_major_one_of_the_lock_file() {
    for (versions, range) in [
        (&["2.3.1"][..], Some(">=2")),
        (&["0.4.1"], Some(">=0.4")),
        (&["v2.0.0", "2.1.0"], Some(">=2")),
        (&["1.0.0", "2.0.0"], None),
        (&["2.0.0rc1"], None),
        (&["main"], None),
        (&[], None),
    ] {
        let rig = rig_with(versions);
        let (path, before, after) = ("a.py".to_owned(), BEFORE.to_owned(), AFTER.to_owned());
        let recipe = learn_recipe(TaughtFix {
            files: &rig,
            changes: &[RecipeChange { path, before, after }],
            report: &report(),
            reexports: &NoReexports,
            origin: &Origin::default(),
        })
        .unwrap();
        let found: BTreeMap<_, _> = recipe
            .when
            .iter()
            .map(|it| (it.dependency.as_deref(), it.version.as_deref()))
            .collect();
        assert_eq!(found, BTreeMap::from([(Some("acme"), range)]), "{versions:?}");
    }
}
