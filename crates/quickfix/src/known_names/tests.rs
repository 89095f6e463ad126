//! What the index answers, and what the zero-token provider makes of it for each language's errors.

use std::time::Duration;

use super::*;
use crate::tests::{Outside, config};
use crate::{FixBatches, Quickfix};
use papayu_logs::failure::{LogReader, ReportLimits};
use papayu_system::in_memory::{MemoryNode, MemoryTree};

type Files = &'static [(&'static str, &'static str)];

/// Returns the texts of the files that are mended, and the summary.
fn mended(files: Files, log: &str) -> (Vec<(String, String)>, String) {
    let mut reader = LogReader::new(ReportLimits { excerpt_chars: 0, ..ReportLimits::default() });
    reader.push(log.as_bytes());
    let report = reader.finish();
    let index = Index::of_texts(files);
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let outside = Outside::holding(&paths);
    let node = |text: &str| MemoryNode::File(text.into(), 0o644);
    let tree = MemoryTree::new(
        files.iter().map(|(path, text)| ((*path).to_owned(), node(text))).collect(),
    );
    let stage = Quickfix::new(outside.system(), &tree, config(None)).with_index(&index);
    let proposal =
        stage.propose(&mut FixBatches::default(), &report, Duration::from_secs(9)).unwrap();
    let summary = proposal.summary("", None);
    (proposal.files.into_iter().map(|file| (file.path.to_string(), file.after)).collect(), summary)
}

/// Nothing is changed, and the summary says why.
#[track_caller]
fn left(files: Files, log: &str, why: &str) {
    let (changed, summary) = mended(files, log);
    assert_eq!(changed, [], "{summary}");
    assert!(summary.contains(why), "{summary}");
}

#[track_caller]
fn made(files: Files, log: &str, path: &str, text: &str) {
    let (changed, summary) = mended(files, log);
    assert_eq!(changed, [(path.to_owned(), text.to_owned())], "{summary}");
}

const PYTHON: &str = "Traceback (most recent call last):\n  File \"shop/a.py\", line 2, in f\n    \
    return helper()\nNameError: name 'helper' is not defined\n";
const CALL: &str = "def f():\n    return helper()\n";
const HELPER: &str = "def helper():\n    return 1\n";

#[test]
fn a_python_name_is_not_taken_from_a_file_that_leads_back() {
    const LONG: Files = &[
        ("shop/__init__.py", ""),
        ("shop/a.py", CALL),
        ("shop/b.py", "from shop import c\n\n\ndef helper():\n    return 1\n"),
        ("shop/c.py", "from shop.a import f\n"),
    ];
    left(LONG, PYTHON, "imports this file itself: a circle");
}

#[test]
fn a_python_module_that_is_imported_whole_needs_no_second_import() {
    const WHOLE: Files = &[
        ("a.py", "import b\n\ndef f():\n    return helper() + b.x\n"),
        ("b.py", "import a\n\nx = 1\ndef helper():\n    return 1\n"),
    ];
    let log = "Traceback (most recent call last):\n  File \"a.py\", line 4, in f\n    return \
        helper()\nNameError: name 'helper' is not defined\n";
    made(WHOLE, log, "a.py", "import b\n\ndef f():\n    return b.helper() + b.x\n");
}

#[test]
fn what_stands_beside_the_product_is_not_taken() {
    const SCRIPTS: Files =
        &[("shop/__init__.py", ""), ("shop/a.py", CALL), ("scripts/b.py", HELPER)];
    const BOTH: Files = &[
        ("examples/b.py", HELPER),
        ("shop/__init__.py", ""),
        ("shop/a.py", CALL),
        ("shop/b.py", HELPER),
    ];
    left(SCRIPTS, PYTHON, "only scripts/b.py defines it, which is not for this file");
    made(
        BOTH,
        PYTHON,
        "shop/a.py",
        "from shop.b import helper\n\n\ndef f():\n    return helper()\n",
    );
}

#[test]
fn two_names_that_a_python_name_can_mean_are_both_named() {
    const TWO: Files = &[("shop/a.py", "def f(helpers, helpe):\n    return helper()\n")];
    left(TWO, PYTHON, "it can mean: `helpe`, `helpers`");
}

const MISSING: &str = "src/a.ts(1,25): error TS2304: Cannot find name 'total'.\n";

#[test]
fn a_script_s_name_is_not_taken_from_a_module_that_leads_back() {
    const CIRCLE: Files = &[
        ("package.json", "{}"),
        ("src/a.ts", "export const one = () => total();\n"),
        ("src/b.ts", "import { c } from './c';\nexport function total() {\n  return c;\n}\n"),
        ("src/c.ts", "import { one } from './a';\nexport const c = one;\n"),
    ];
    const EXAMPLE: Files = &[
        ("package.json", "{}"),
        ("examples/b.ts", "export function total() {}\n"),
        ("src/a.ts", "export const one = () => total();\n"),
    ];
    const PLAIN: Files = &[
        ("package.json", "{}"),
        ("src/a.ts", "export const one = () => total();"),
        ("src/b.ts", "export function total() {}\n"),
    ];
    let log = MISSING.replace("25", "26");
    left(CIRCLE, &log, "imports this file itself: a circle");
    left(EXAMPLE, &log, "only examples/b.ts exports it, which is not for this file");
    let text = "import { total } from './b';\n\nexport const one = () => total();";
    made(PLAIN, &log, "src/a.ts", text);
}

#[test]
fn what_is_marked_internal_is_not_given_away() {
    const MARKED: Files = &[
        ("package.json", "{}"),
        ("src/a.ts", "import { total } from './b';\ntotal();\n"),
        (
            "src/b.ts",
            "/**\n * Adds up.\n * @internal\n */\nfunction total() {}\nexport const x = total;\n",
        ),
    ];
    let log = "src/a.ts(1,10): error TS2459: Module '\"./b\"' declares 'total' locally, but it is not \
        exported.\n";
    left(MARKED, log, "keeps it to itself by a mark");
}

const UNUSED: &str = "src/a.ts(1,1): error TS6133: 'T' is declared but its value is never read.\n";

#[test]
fn an_import_that_loads_what_does_something_is_kept() {
    const EFFECT: Files = &[
        ("package.json", "{}"),
        ("tsconfig.json", "{}"),
        ("src/a.ts", "import { T } from './b';\nexport const a = 1;\n"),
        ("src/b.ts", "export interface T {}\nregister();\n"),
    ];
    const KEPT: Files = &[
        ("package.json", "{}"),
        ("tsconfig.json", "{ \"compilerOptions\": { \"verbatimModuleSyntax\": true } }"),
        ("src/a.ts", "import { T } from './b';\nexport const a = 1;\n"),
        ("src/b.ts", "import './c';\nexport const T = 1;\n"),
        ("src/c.ts", "start();\n"),
    ];
    const TYPES: Files = &[
        ("package.json", "{}"),
        ("tsconfig.json", "{ \"compilerOptions\": { \"verbatimModuleSyntax\": true } }"),
        ("src/a.ts", "import { T } from './b';\nexport const a = 1;\n"),
        ("src/b.ts", "export interface T {}\n"),
    ];
    left(EFFECT, UNUSED, "does something when it is loaded");
    left(KEPT, UNUSED, "does something when it is loaded");
    made(TYPES, UNUSED, "src/a.ts", "export const a = 1;\n");
}

#[test]
fn a_go_package_that_begins_by_itself_stays_imported() {
    const INIT: Files = &[
        ("go.mod", "module x.io/shop\n"),
        ("main.go", "package main\n\nimport \"x.io/shop/store\"\n\nfunc main() {}\n"),
        ("drivers/d.go", "package drivers\n\nfunc init() {}\n"),
        ("store/s.go", "package store\n\nimport _ \"x.io/shop/drivers\"\n"),
    ];
    const PLAIN: Files = &[
        ("go.mod", "module x.io/shop\n"),
        ("main.go", "package main\n\nimport \"x.io/shop/store\"\n\nfunc main() {}\n"),
        ("store/s.go", "package store\n\nfunc Init() {}\n"),
    ];
    let log = "# x.io/shop\n./main.go:3:8: \"x.io/shop/store\" imported and not used\n";
    left(INIT, log, "has an `init` that would not run");
    made(PLAIN, log, "main.go", "package main\n\nfunc main() {}\n");
}

#[test]
fn a_go_package_for_tests_is_not_taken_by_the_product() {
    const TESTS: Files = &[
        ("go.mod", "module x.io/shop\n"),
        ("internal/testutil/t.go", "package testutil\n\nfunc One() int { return 1 }\n"),
        ("main.go", "package main\n\nfunc main() { testutil.One() }\n"),
    ];
    let log = "# x.io/shop\n./main.go:3:15: undefined: testutil\n";
    left(TESTS, log, "`testutil` is a package for tests, and this file is none");
}

#[test]
fn names_are_found_with_who_gives_and_who_takes_them() {
    let index = Index::of_texts(&[
        ("package.json", "{}"),
        ("src/app.ts", "import type { Item } from './cart';\nimport main from './cart.js';\n"),
        (
            "src/cart.ts",
            "export interface Item { price: number }\nfunction go() {}\nexport default go;\n",
        ),
    ]);
    let links = ResolvedImports::of(&index);
    let names = KnownNames::new(&index, &links);
    let item = KnownDefinition {
        name: "Item".to_owned(),
        path: "src/cart.ts".to_owned(),
        line: 1,
        parent: None,
        exported: true,
        is_type: true,
    };
    assert_eq!(names.definitions("Item"), std::slice::from_ref(&item));
    assert_eq!(names.outline("src/cart.ts").first(), Some(&item));
    assert_eq!(names.exporters("Item"), ["src/cart.ts"]);
    assert_eq!(names.exported_as("src/cart.ts", "default").as_deref(), Some("go"));
    let taken = |module: &str, type_only, line| KnownImport {
        from: "src/app.ts".to_owned(),
        module: module.to_owned(),
        targets: vec!["src/cart.ts".to_owned()],
        type_only,
        line,
    };
    let expected = [taken("./cart", true, 1), taken("./cart.js", false, 2)];
    assert_eq!(names.imports("src/app.ts"), expected);
    assert_eq!(names.importers("src/cart.ts"), expected);
    let manifest = (String::new(), "{}".to_owned());
    assert_eq!(names.manifest("src/app.ts", "package.json"), Some(manifest));
    assert_eq!(names.manifest("src/app.ts", "go.mod"), None);
    assert!(names.definitions("Nothing").is_empty() && names.outline("no.ts").is_empty());
}
