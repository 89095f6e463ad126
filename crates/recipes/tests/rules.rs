//! Hand-written rules: once at each place, only where their names mean the API, and never without bounds.

#![expect(
    clippy::unwrap_used,
    reason = "these are tests, in functions that clippy does not know as such"
)]

mod rig;

use papayu_base::domain::{Failure, FailureReport};
use papayu_recipes::{ApiName, NoReexports, Recipe, RecipeReach, Reexports};
use rig::repair_with;

fn apply_with(yaml: &str, path: &str, text: &str, reexports: &dyn Reexports) -> String {
    let recipe = Recipe::parse("recipe.yml", yaml).unwrap();
    let (report, reach) = (FailureReport::default(), RecipeReach::Repository);
    repair_with(&recipe, &report, reach, reexports, (path, text))
}

fn apply(yaml: &str, path: &str, text: &str) -> String {
    apply_with(yaml, path, text, &NoReexports)
}

const SWAP: &str = "language: python\nrule:\n  pattern: send($A, $B)\nfix: send($B, $A)\nimports:\n  send: send from acme\n";

#[test]
fn a_swap_is_made_once_at_each_place_and_inside_of_its_own_arguments() {
    let before = "from acme import send\n\nx = send(1, send(2, send(3, 4)))\n";
    let after = "from acme import send\n\nx = send(send(send(4, 3), 2), 1)\n";
    assert_eq!(apply(SWAP, "a.py", before), after);
}

#[test]
fn a_rule_that_wraps_its_match_wraps_it_once_in_all_runs() {
    let rule = "language: javascript\nrule:\n  pattern: load($$$ARGS)\nfix: await load($$$ARGS)\nimports:\n  load: load from acme\n";
    let before = "import { load } from 'acme';\n\nexport const run = async () => [load(load()), await load(1)];\n";
    let after = "import { load } from 'acme';\n\nexport const run = async () => [await load(await load()), await load(1)];\n";
    assert_eq!(apply(rule, "a.js", before), after);
    assert_eq!(apply(rule, "a.js", after), after);
}

#[test]
fn a_rule_without_imports_is_applied_only_to_names_of_the_repository_that_the_file_does_not_bind() {
    struct Own;
    impl Reexports for Own {
        fn find_api(&self, _: &str, _: &str, _: &str) -> Option<ApiName> {
            None
        }

        fn is_defined(&self, name: &str) -> bool {
            name == "send"
        }
    }
    let rule = SWAP.split("imports").next().unwrap();
    let unknown = "x = send(1, 2)\n";
    assert_eq!(apply(rule, "a.py", unknown), unknown);
    assert_eq!(apply_with(rule, "a.py", unknown, &Own), "x = send(2, 1)\n");
    for bound in [
        "from any import send\n\nx = send(1, 2)\n",
        "from .own import send\n\nx = send(1, 2)\n",
        "def send(a, b):\n    return a\n\n\nx = send(1, 2)\n",
        "def f(send):\n    return send(1, 2)\n",
        "send = make()\nx = send(1, 2)\n",
    ] {
        assert_eq!(apply_with(rule, "a.py", bound, &Own), bound);
    }
}

#[test]
fn tests_strings_and_comments_stay_as_they_are() {
    let text = "from acme import send\n\n# send(1, 2)\nx = 'send(1, 2)'\ny = f\"send(1, 2)\"\n";
    assert_eq!(apply(SWAP, "a.py", text), text);
    let call = "from acme import send\n\nsend(1, 2)\n";
    assert_eq!(apply(SWAP, "tests/test_a.py", call), call);
}

#[test]
fn an_import_that_the_new_name_needs_is_added_and_the_old_one_goes() {
    let rule = "language: rust\nrule:\n  pattern: parse($A)\nfix: Parser::new().run($A)\nimports:\n  parse: parse from acme\nbecomes:\n  Parser: Parser from acme::parser\n";
    let before = "use acme::{parse, Other};\n\npub fn f(o: Other) -> u8 {\n    parse(o)\n}\n";
    let after = "use acme::{Other};\nuse acme::parser::Parser;\n\npub fn f(o: Other) -> u8 {\n    Parser::new().run(o)\n}\n";
    assert_eq!(apply(rule, "src/lib.rs", before), after);
    // A name that is taken is no reason to guess another.
    let taken = "use acme::parse;\n\nstruct Parser;\n\npub fn f() -> u8 {\n    parse(1)\n}\n";
    assert_eq!(apply(rule, "src/lib.rs", taken), taken);
}

#[test]
fn a_recipe_is_read_as_it_was_written() {
    let yaml = "id: both\nwhen:\n- tool: python\n  message: '*send*'\nexamples:\n- before: a\n"
        .to_owned()
        + SWAP
        + "---\nlanguage: go\nmove: Old from example.com/acme\nto: New from example.com/acme\n---\nfile: a.toml\nset: a.b\nvalue: 2\nwas: 1\n";
    let recipe = Recipe::parse("a.yml", &yaml).unwrap();
    assert_eq!(recipe.steps.len(), 3);
    assert_eq!(Recipe::parse("b.yml", &recipe.to_yaml()).unwrap(), recipe);
    let failure = |message: &str| Failure {
        toolchain: "python".to_owned(),
        message: message.to_owned(),
        ..Failure::default()
    };
    let finds = |message: &str| {
        let report = FailureReport { failures: vec![failure(message)], ..FailureReport::default() };
        !recipe.find_failures(&report).is_empty()
    };
    assert!(finds("cannot import name 'send' from 'acme'"));
    assert!(
        !finds("cannot import name 'sender' from 'acme'") && !finds("name 'resend' is not defined")
    );
}

#[test]
fn a_file_that_could_take_long_or_reach_outside_is_refused_with_its_line() {
    let rule = |rule: &str| format!("language: python\nrule: {rule}\nfix: b\n");
    let deep = (0..40).fold("{pattern: a}".to_owned(), |inner, _| format!("{{not: {inner}}}"));
    let searching =
        (0..5).fold("{pattern: a}".to_owned(), |inner, _| format!("{{pattern: a, has: {inner}}}"));
    for (text, line, part) in [
        ("x".repeat(10 << 20), None, "64 kB"),
        (rule(&format!("{{pattern: {}}}", "a".repeat(5000))), Some(2), "4 kB"),
        (rule(&format!("{{pattern: \"f({})\"}}", "$$$A, ".repeat(20))), Some(2), "`$$$`"),
        (rule(&deep), Some(2), "nested too deep"),
        (rule(&searching), Some(2), "search the file too often"),
        (rule("{pattern: a}") + "files: [/etc/*]\n", Some(4), "outside of the repository"),
        (
            rule("{pattern: a}") + "---\nfile: ../a.toml\nremove: b\n",
            Some(5),
            "outside of the repository",
        ),
        (rule("{pattern: a}") + "shell: rm\n", Some(4), "shell"),
        ("language: cobol\nrule: {pattern: a}\nfix: b\n".to_owned(), Some(1), "cobol"),
        ("id: ../a\n".to_owned() + &rule("{pattern: a}"), Some(1), "no name"),
        ("a: [\n".to_owned(), Some(2), ""),
    ] {
        let error = Recipe::parse("poisoned.yml", &text).unwrap_err();
        let shown = error.to_string();
        assert!(shown.starts_with("`poisoned.yml`") && shown.contains(part), "{shown}");
        assert!(line.is_none() || error.line.is_some(), "{shown}");
        if !part.is_empty() {
            assert_eq!(error.line, line, "{shown}");
        }
    }
}
