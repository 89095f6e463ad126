//! Breaks as repositories of other people have them: what a fix in one place teaches for uses that look different.

#![expect(
    clippy::unwrap_used,
    reason = "these are tests, in functions that clippy does not know as such"
)]

mod rig;

use papayu_base::domain::{Failure, FailureKind, FailureReport, Location};
use papayu_recipes::{Recipe, RecipeReach};
use rig::repair;

fn report(kind: FailureKind, path: &str, line: u32, message: &str) -> FailureReport {
    let location = Location { path: path.to_owned(), line: Some(line), column: None };
    let failure = Failure {
        kind,
        toolchain: "tool".to_owned(),
        code: (kind == FailureKind::Lint).then(|| "a-rule".to_owned()),
        message: message.to_owned(),
        locations: vec![location],
        ..Failure::default()
    };
    FailureReport { failures: vec![failure], ..FailureReport::default() }
}

fn learn(report: &FailureReport, path: &str, before: &str, after: &str) -> Recipe {
    rig::learn(report, path, before, after).unwrap()
}

fn by_hand(yaml: &str, path: &str, text: &str) -> String {
    let recipe = Recipe::parse("recipe.yml", yaml).unwrap();
    repair(&recipe, &FailureReport::default(), RecipeReach::Repository, path, text)
}

#[test]
fn an_import_in_a_function_gets_its_new_line_at_the_same_depth() {
    let rule = "language: python\nmove: Store from acme\nto: Store from acme.storage\n";
    let before = "def run():\n    from acme import Store, version\n    return Store(version)\n";
    let after = "def run():\n    from acme import version\n    from acme.storage import Store\n    return Store(version)\n";
    assert_eq!(by_hand(rule, "app.py", before), after);
}

#[test]
fn a_new_import_of_the_file_is_not_put_into_a_function_or_before_the_documentation() {
    let rule = "language: python\nrule:\n  pattern: load($A)\nfix: Store($A)\nimports:\n  load: load from acme\nbecomes:\n  Store: Store from acme.storage\n";
    let before = "\"\"\"Loads.\"\"\"\nfrom acme import load, other\n\n\ndef run():\n    import os\n    return load(os.name), other\n";
    let after = "\"\"\"Loads.\"\"\"\nfrom acme import other\nfrom acme.storage import Store\n\n\ndef run():\n    import os\n    return Store(os.name), other\n";
    assert_eq!(by_hand(rule, "app.py", before), after);
}

#[test]
fn a_call_in_a_macro_of_rust_changes_and_its_text_does_not() {
    let rule = "language: rust\nrule:\n  pattern: resize($A, $B)\nfix: resize($B, $A)\nimports:\n  resize: resize from acme\n";
    let before = "use acme::resize;\n\nfn run(a: u8) -> String {\n    // format!(\"{}\", resize(a, 1))\n    format!(\"resize(a, 1) {}\", resize(a, 1))\n}\n";
    let after = "use acme::resize;\n\nfn run(a: u8) -> String {\n    // format!(\"{}\", resize(a, 1))\n    format!(\"resize(a, 1) {}\", resize(1, a))\n}\n";
    assert_eq!(by_hand(rule, "src/lib.rs", before), after);
}

#[test]
fn a_lint_teaches_with_names_that_the_language_gives() {
    let message = "you should use the `starts_with` method";
    let fix = "pub fn run(text: &str) -> bool {\n    text.chars().next() == Some('#')\n}\n";
    let fixed = "pub fn run(text: &str) -> bool {\n    text.starts_with('#')\n}\n";
    let report = report(FailureKind::Lint, "src/lib.rs", 2, message);
    let recipe = learn(&report, "src/lib.rs", fix, fixed);
    let other = "pub fn run(line: &str) -> bool {\n    line.trim().chars().next() == Some(MARK)\n        || line.chars().next() == Some('a')\n}\n";
    let healed = "pub fn run(line: &str) -> bool {\n    line.trim().starts_with(MARK)\n        || line.chars().next() == Some('a')\n}\n";
    assert_eq!(repair(&recipe, &report, RecipeReach::Lines, "src/lib.rs", other), healed);
}

#[test]
fn a_version_in_a_list_is_changed_at_any_place_and_only_there() {
    let path = ".github/workflows/ci.yml";
    let message = "actions/cache@v2 was removed, use actions/cache@v4";
    let workflow = |step: &str| {
        format!(
            "jobs:\n  build:\n    steps:\n      - run: make\n      - uses: {step}\n        with: {{key: a}}\n"
        )
    };
    let report = report(FailureKind::Test, "test_app.py", 1, message);
    let recipe = learn(&report, path, &workflow("actions/cache@v2"), &workflow("actions/cache@v4"));
    let other = "jobs:\n  lint:\n    steps:\n      - uses: other/cache@v2 # actions/cache@v2\n      - {uses: 'actions/cache@v2'}\n      - run: echo actions/cache@v2\n";
    let healed = other.replace("'actions/cache@v2'", "'actions/cache@v4'");
    for path in [".github/workflows/release.yaml", "tools/action.yml"] {
        assert_eq!(repair(&recipe, &report, RecipeReach::Repository, path, other), healed);
    }
    assert_eq!(repair(&recipe, &report, RecipeReach::Repository, "other.yml", other), other);
}

#[test]
fn a_key_below_a_list_is_renamed_in_every_item() {
    let message = "acme.toml: unknown key `retries`, did you mean `attempts`?";
    let report = report(FailureKind::Unknown, "acme.toml", 2, message);
    let before = "[[hosts]]\nretries = 2\n";
    let recipe = learn(&report, "acme.toml", before, "[[hosts]]\nattempts = 2\n");
    let other = "retries = 1\n\n[[hosts]]\nname = \"a\"\n\n[[hosts]]\nretries = 3\n";
    let healed = "retries = 1\n\n[[hosts]]\nname = \"a\"\n\n[[hosts]]\nattempts = 3\n";
    assert_eq!(repair(&recipe, &report, RecipeReach::Repository, "acme.toml", other), healed);
}

const GO: &str = "package app\n\nimport \"example.com/acme\"\n\nfunc run(url, key string) string {\n\tclient := acme.Open(url)\n\treturn client.Get(key)\n}\n";

#[test]
fn rules_that_belong_together_change_a_file_together() {
    let report = report(FailureKind::Compile, "app.go", 6, "undefined: acme.Open");
    let fixed = GO.replace("Open(url)", "Dial(url, nil)").replace("client.Get", "client.Fetch");
    let recipe = learn(&report, "app.go", GO, &fixed);
    assert_eq!(recipe.title(), "`acme.Open($A)` becomes `acme.Dial($A, nil)`");
    let other = GO.replace("client", "c");
    let healed = fixed.replace("client", "c");
    assert_eq!(repair(&recipe, &report, RecipeReach::Lines, "app.go", &other), healed);
    // A compiler names the second change once the first is made.
    let later = self::report(FailureKind::Compile, "b.go", 3, "c.Get undefined");
    assert!(!recipe.find_failures(&later).is_empty());
}

#[test]
fn the_fields_and_results_of_a_file_have_the_types_that_it_declares() {
    let rule = "language: go\nrule:\n  pattern:\n    context: func f() { _ = $OBJ.Get($A) }\n    selector: call_expression\nfix: $OBJ.Fetch($A)\ntyped:\n  OBJ: example.com/acme\n";
    let text = |name: &str| {
        format!(
            "package app\n\nimport \"example.com/acme\"\n\ntype shop struct{{ client *acme.Client }}\n\nfunc (s shop) show(k string) string {{ return s.client.{name}(k) }}\n\nfunc open() *acme.Client {{ return nil }}\n\nfunc run(o other, k string) string {{\n\tc := open()\n\treturn c.{name}(k) + o.client.Get(k) + o.Get(k)\n}}\n"
        )
    };
    assert_eq!(by_hand(rule, "app.go", &text("Get")), text("Fetch"));
}

#[test]
fn a_dot_import_of_go_has_the_names_of_its_package() {
    let rule =
        "language: go\nmove: Slug from example.com/acme\nto: Slugify from example.com/acme\n";
    // What to do with a missing result is a part of the fix, and no argument of the API.
    let used = "import { port } from 'acme';\n\nconst at: number = port('a');\n";
    let safe = used.replace("port('a')", "port('a') ?? 80");
    let missing = "Type 'number | undefined' is not assignable to type 'number'.";
    let report_of_type = report(FailureKind::Compile, "app.ts", 3, missing);
    assert!(rig::learn(&report_of_type, "app.ts", used, &safe).is_ok());
    let before = "package app\n\nimport . \"example.com/acme\"\n\nfunc run(s string) string { return Slug(s) }\n\nfunc (o own) Slug(s string) string { return s }\n";
    let after = before.replace("return Slug(s)", "return Slugify(s)");
    assert_eq!(by_hand(rule, "app.go", before), after);
}

#[test]
fn each_of_several_names_has_the_value_at_its_own_place() {
    let rule = "language: python\nrule:\n  pattern: $OBJ.pull($A)\nfix: $OBJ.fetch($A)\ntyped:\n  OBJ: acme\n";
    let text = |name: &str| {
        format!(
            "from acme import Client\n\nmine, client = own(), Client()\nother, last = Client(), own()\nclient.{name}(1)\nmine.pull(1)\nother.{name}(1)\nlast.pull(1)\n"
        )
    };
    assert_eq!(by_hand(rule, "app.py", &text("pull")), text("fetch"));
}

#[test]
fn a_static_import_of_java_becomes_the_import_of_a_class() {
    let rule = "language: java\nrule:\n  pattern:\n    context: class C { Object f() { return Text.pad($A, $B); } }\n    selector: method_invocation\nfix: Pad.to($B).apply($A)\nimports:\n  Text.pad: Text.pad from acme\nbecomes:\n  Pad.to: Pad.to from acme\n";
    let before = "import static acme.Text.pad;\n\nclass App {\n    String run(String s) { return pad(s, 5); }\n}\n";
    let after = "import acme.Pad;\n\nclass App {\n    String run(String s) { return Pad.to(5).apply(s); }\n}\n";
    assert_eq!(by_hand(rule, "App.java", before), after);
}

#[test]
fn a_new_value_that_the_failure_does_not_name_teaches_nothing() {
    let before = "import tax\n\nrate = tax.rate(country)\n";
    for (after, message, learns) in [
        ("tax.rate(country, 2021)", "rate() missing 1 required positional argument: 'year'", false),
        ("tax.rate(country, region=\"eu\")", "rate() missing the keyword argument 'region'", false),
        ("tax.rate(country, True)", "rate() takes 2 positional arguments", false),
        ("tax.rate(country, None)", "rate() missing 1 required positional argument: 'year'", true),
        ("tax.rate(country, mode=\"net\")", "rate() needs mode='net' or 'gross'", true),
    ] {
        let after = before.replace("tax.rate(country)", after);
        let report = report(FailureKind::Test, "app.py", 3, message);
        let learned = rig::learn(&report, "app.py", before, &after);
        assert_eq!(learned.is_ok(), learns, "{message}: {learned:?}");
    }
    let before = "package app\n\nimport \"example.com/tax\"\n\nvar rate = tax.Rate(country)\n";
    let after = before.replace("Rate(country)", "Rate(country, 2021)");
    let report =
        report(FailureKind::Compile, "app.go", 5, "not enough arguments in call to tax.Rate");
    assert!(rig::learn(&report, "app.go", before, &after).is_err());
}

#[test]
fn a_dropped_argument_may_have_any_value_also_one_of_the_dependency() {
    let message = "wait_for() got an unexpected keyword argument 'loop'";
    let report = report(FailureKind::Test, "app.py", 5, message);
    let before = "import asyncio\n\n\nasync def run(work):\n    return await asyncio.wait_for(work, 5, loop=asyncio.get_running_loop())\n";
    let after = before.replace(", loop=asyncio.get_running_loop()", "");
    let recipe = learn(&report, "app.py", before, &after);
    let other = "from asyncio import wait_for\n\n\nasync def go(self, work):\n    return await wait_for(work, timeout=2, loop=self.loop)\n";
    let healed = other.replace(", loop=self.loop", "");
    let made = repair(&recipe, &report, RecipeReach::Repository, "app.py", other);
    assert_eq!(made, healed, "{}", recipe.to_yaml());
}

#[test]
fn a_class_that_stays_and_one_that_takes_over_a_method_are_two_changes() {
    let report =
        report(FailureKind::Compile, "App.java", 1, "package org.apache.log4j does not exist");
    let class = "\n\npublic class App {\n    private static final Logger LOG = Logger.getLogger(\"app\");\n}\n";
    let before = format!("import org.apache.log4j.Logger;{class}");
    let moved = class.replace("Logger.get", "LogManager.get");
    let imports =
        "import org.apache.logging.log4j.LogManager;\nimport org.apache.logging.log4j.Logger;";
    let recipe = learn(&report, "App.java", &before, &format!("{imports}{moved}"));
    let other = "import java.util.List;\nimport org.apache.log4j.Logger;\n\nclass Other {\n    Logger a(Class<?> c) {\n        return Logger.getLogger(c);\n    }\n}\n";
    let healed = "import java.util.List;\nimport org.apache.logging.log4j.Logger;\nimport org.apache.logging.log4j.LogManager;\n\nclass Other {\n    Logger a(Class<?> c) {\n        return LogManager.getLogger(c);\n    }\n}\n";
    let made = repair(&recipe, &report, RecipeReach::Repository, "Other.java", other);
    assert_eq!(made, healed, "{}", recipe.to_yaml());
}
