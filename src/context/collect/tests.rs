//! Shows which files and lines made-up failures in several languages bring, and that none is a secret.

use super::*;
use crate::context::DietConfig;
use papayu_base::domain::{Failure, FailureKind, Location};
use papayu_index::Index;
use papayu_system::in_memory::{MemoryNode, MemoryTree, Nodes};

fn tree(texts: &[(&str, &str)]) -> MemoryTree {
    let mut nodes = Nodes::new();
    for (path, text) in texts {
        let mut parent = String::new();
        for segment in path.split('/').rev().skip(1).collect::<Vec<_>>().iter().rev() {
            parent = if parent.is_empty() {
                (*segment).to_owned()
            } else {
                format!("{parent}/{segment}")
            };
            nodes.insert(parent.clone(), MemoryNode::Dir);
        }
        nodes.insert((*path).to_owned(), MemoryNode::File(text.as_bytes().to_vec(), 0o644));
    }
    MemoryTree::new(nodes)
}

fn failing(
    kind: FailureKind,
    test: Option<&str>,
    message: &str,
    places: &[(&str, u32)],
) -> FailureReport {
    let location = |(path, line): &(&str, u32)| Location {
        path: (*path).to_owned(),
        line: Some(*line),
        column: None,
    };
    let failure = Failure {
        kind,
        toolchain: "any".into(),
        test: test.map(str::to_owned),
        message: message.into(),
        locations: places.iter().map(location).collect(),
        ..Failure::default()
    };
    FailureReport { failures: vec![failure], ..FailureReport::default() }
}

fn gathered(texts: &[(&str, &str)], report: &FailureReport, goal: &str) -> Context {
    let tree = tree(texts);
    let index = Index::of_texts(texts);
    let words = index.terms_of_texts(texts);
    let known = RepositoryIndex { index: &index, words: &words };
    let profile = crate::project::detect(&tree);
    let problem = ContextTask { report, goal, profile: &profile, changes: None, limits: LIMITS };
    collect_context(&tree, known, problem)
}

const LIMITS: DietConfig = DietConfig {
    max_files: 8,
    max_file_chars: 20_000,
    max_total_chars: 120_000,
    max_log_chars: 12_000,
    is_hard: false,
};

fn names(context: &Context) -> Vec<String> {
    context.files.iter().map(|file| file.path.to_string()).collect()
}

#[test]
fn nothing_outside_and_no_secret_is_gathered() {
    let places = [("/etc/passwd", 1), ("../x.py", 1), (".env", 1)];
    let report = failing(FailureKind::Test, None, "it broke", &places);
    let texts = [("a.py", "x = 1\n"), (".env", "KEY=1\n")];
    let context = gathered(&texts, &report, "look at .env");
    assert_eq!(names(&context), Vec::<String>::new());
    assert!(!format!("{context:?}").contains("KEY=1"));
}

#[test]
fn a_hostile_log_gathers_nothing_and_ends() {
    let long = "a/".repeat(50_000) + ".:\u{0}\u{7f}((((";
    let report =
        failing(FailureKind::Unknown, Some(&long), &long, &[(&long, u32::MAX), ("a.py", 0)]);
    let context = gathered(&[("a.py", ""), ("b.py", "\u{feff}def f(:\n")], &report, &long);
    assert!(names(&context).len() <= 2);
}

const CART: &str = "def total(items):\n    return sum(items)\n";
const OTHER: &str = "def unrelated():\n    return None\n";
const GO: &str = "package shop\n\nfunc Total(items []int) int {\n\treturn len(items)\n}\n";
const RUST: &str = "pub fn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n";

/// Files, what failed, and the file that must come first.
type Case = (Vec<(&'static str, &'static str)>, FailureReport, &'static str);

fn by_tests() -> Vec<Case> {
    let python = "from src.cart import total\n\ndef test_sum():\n    assert total([1]) == 2\n";
    let go = "package shop\n\nfunc TestTotal(t *testing.T) {\n\tTotal(nil)\n}\n";
    let script = "import { csrf } from '.'\nit('works', () => { csrf() })\n";
    let runner = "/home/runner/work/shop/shop/tests/test_cart.py";
    vec![
        (
            vec![("src/cart.py", CART), ("src/other.py", OTHER), ("tests/test_cart.py", python)],
            failing(FailureKind::Test, Some("tests.test_cart.test_sum"), "1 == 2", &[(runner, 4)]),
            "src/cart.py",
        ),
        (
            vec![("a/mux.go", GO), ("b/mux.go", GO), ("b/mux_test.go", go)],
            failing(FailureKind::Test, Some("TestTotal"), "got 0", &[("mux_test.go", 4)]),
            "b/mux.go",
        ),
        (
            vec![
                ("src/csrf/index.ts", "export const csrf = () => 1\n"),
                ("src/cors/index.ts", "export const cors = () => 1\n"),
                ("src/csrf/index.test.ts", script),
            ],
            failing(FailureKind::Test, Some("works"), "not 2", &[("src/csrf/index.test.ts", 2)]),
            "src/csrf/index.ts",
        ),
    ]
}

fn by_compilers() -> Vec<Case> {
    let unnamed = "cannot import name 'gone' from 'shop._cart'";
    vec![
        (
            vec![
                ("src/lib.rs", "mod repr;\nmod other;\n"),
                ("src/repr.rs", RUST),
                ("src/other.rs", "fn nothing() {}\n"),
            ],
            failing(FailureKind::Compile, None, "no function named `x`", &[("src/repr.rs", 1)]),
            "src/repr.rs",
        ),
        (
            vec![
                ("shop/_cart.py", CART),
                ("shop/_other.py", OTHER),
                ("tests/test_all.py", "from shop._cart import gone\n"),
            ],
            failing(FailureKind::Import, None, unnamed, &[("tests/test_all.py", 1)]),
            "shop/_cart.py",
        ),
    ]
}

#[test]
fn the_source_of_each_made_up_failure_comes_first() {
    for (texts, report, first) in by_tests().into_iter().chain(by_compilers()) {
        let names = names(&gathered(&texts, &report, ""));
        assert_eq!(names.first().map(String::as_str), Some(first), "{names:?}");
    }
}

#[test]
fn the_same_question_is_answered_alike_every_time() {
    let texts =
        [("src/cart.py", "def total(items):\n    return sum(items)\n"), ("b.py", "total = 1\n")];
    let report = failing(FailureKind::Test, Some("test_total"), "total is wrong", &[]);
    assert_eq!(gathered(&texts, &report, ""), gathered(&texts, &report, ""));
}

#[test]
fn a_goal_names_files_in_its_words() {
    let none = FailureReport::default();
    let context =
        gathered(&[("a/b.py", "x = 1\n"), ("c.py", "")], &none, "Исправь `a/b.py`, please.");
    assert_eq!(names(&context).first().map(String::as_str), Some("a/b.py"));
}

#[test]
fn files_that_the_goal_names_leave_room_for_those_that_the_failure_needs() {
    let large = "value = 1\n".repeat(5_000);
    let names: Vec<String> = (0..9).map(|at| format!("b{at}.py")).collect();
    let mut texts: Vec<(&str, &str)> = names.iter().map(|name| (&**name, &*large)).collect();
    texts.push(("calc.py", "def add(a, b):\n    return a - b\n"));
    let test = "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n";
    texts.push(("test_calc.py", test));
    let report =
        failing(FailureKind::Test, Some("test_add"), "assert -1 == 3", &[("test_calc.py", 4)]);
    let context = gathered(&texts, &report, &format!("look at {}", names.join(" ")));
    let rendered = crate::context::render_context(
        &context,
        "",
        &LIMITS,
        &papayu_base::domain::event::NoEvents,
    );
    let shown: Vec<_> = rendered.shown.digests().map(|(path, _)| path.to_string()).collect();
    assert_eq!(shown.len(), 8);
    assert_eq!(shown[6..], ["calc.py", "test_calc.py"]);
}

#[test]
fn a_missing_module_brings_the_manifests() {
    let report = failing(FailureKind::Import, None, "No module named 'gone'", &[("app.py", 1)]);
    let context =
        gathered(&[("app.py", "import gone\n"), ("pyproject.toml", "[project]\n")], &report, "");
    assert_eq!(names(&context), ["app.py", "pyproject.toml"]);
}

#[test]
fn of_a_long_file_the_definition_that_failed_is_wanted() {
    let filler = |from: u32| -> String {
        let one = |n: u32| format!("def filler{n}():\n    return 'nothing of note'\n\n");
        (from..from + 700).map(one).collect::<Vec<_>>().concat()
    };
    let text = filler(0) + "def total(items):\n    return sum(items)\n\n" + &filler(1000);
    let line = 700 * 3 + 2;
    let report = failing(FailureKind::Crash, None, "TypeError", &[("cart.py", line)]);
    let context = gathered(&[("cart.py", &text)], &report, "");
    let wanted = &context.files[0].wanted;
    assert!(wanted.iter().any(|(start, end)| *start < line && line <= *end), "{wanted:?}");
}

/// Returns a function of some hundred characters without a word of any failure.
fn filler(name: &str) -> String {
    format!("def {name}():\n{}\n", "    blank = 'nothing of note is in here'\n".repeat(8))
}

fn is_wanted(context: &Context, path: &str, line: u32) -> bool {
    let file = context.files.iter().find(|file| file.path.as_str() == path);
    file.is_some_and(|file| file.wanted.iter().any(|(start, end)| *start <= line && line <= *end))
}

fn fillers(count: usize) -> String {
    (0..count).map(|n| filler(&format!("filler{n}"))).collect()
}

#[test]
fn calls_are_followed_from_the_test_through_wrappers_classes_and_overloads() {
    let head = "class Cart:\n    def __init__(self, rate):\n        self.rate = rate + 1\n\n";
    let stubs = "@overload\ndef scaled(x: int) -> int: ...\n";
    let rest = "def scaled(x):\n    return deep(x)\n";
    let deep = "def deep(x):\n    return x * 100\n";
    let (gap, begin) = (fillers(40), "import os\n\n");
    let cart = [begin, &gap, head, &gap, stubs, &gap, rest, &gap, deep, &gap].concat();
    let line_of = |words: &str| {
        let at = cart.lines().position(|line| line.contains(words)).unwrap();
        u32::try_from(at + 1).unwrap()
    };
    let test = "from shop.cart import Cart, scaled\n\ndef make():\n    return Cart(3)\n\n\ndef test_rate():\n    \
                assert make().rate == scaled(3)\n";
    let texts = [("shop/cart.py", cart.as_str()), ("tests/test_rate.py", test)];
    let places = [("tests/test_rate.py", 8)];
    let report =
        failing(FailureKind::Test, Some("tests/test_rate.py::test_rate"), "4 != 3", &places);
    let context = gathered(&texts, &report, "");
    for words in ["self.rate = rate", "return deep(x)", "return x * 100"] {
        assert!(is_wanted(&context, "shop/cart.py", line_of(words)), "{words}");
    }
    let filler = line_of("def filler5(");
    assert!(!is_wanted(&context, "shop/cart.py", filler + 2), "{context:?}");
}

#[test]
fn of_the_class_of_a_failing_method_the_fields_the_constructor_and_a_short_callee_are_shown() {
    let method = |name: &str| {
        let line = "        blank = 'nothing of note is in here'\n".repeat(8);
        format!("    def {name}(self):\n{line}\n")
    };
    let others: String = (0..60).map(|n| method(&format!("other{n}"))).collect();
    let source = format!(
        "import os\n\n\nclass Cart:\n    rate = 3\n\n    def __init__(self):\n        self.sum = 0\n\n{others}    \
         def total(self):\n        return scaled(self.sum)\n\n{others}\n\ndef scaled(value):\n    return value * 3\n"
    );
    let line_of = |words: &str| {
        let at = source.lines().position(|line| line.contains(words)).unwrap();
        u32::try_from(at + 1).unwrap()
    };
    let place = [("shop/cart.py", line_of("return scaled"))];
    let report = failing(FailureKind::Crash, None, "TypeError: sum and rate", &place);
    let context = gathered(&[("shop/cart.py", source.as_str())], &report, "");
    for words in ["rate = 3", "self.sum = 0", "return scaled", "return value * 3"] {
        assert!(is_wanted(&context, "shop/cart.py", line_of(words)), "{words}");
    }
}

#[test]
fn a_compiler_that_misses_a_member_leads_to_the_declaration() {
    let texts = [
        ("src/types.ts", "export interface Authorizer {\n  name: string\n}\n"),
        (
            "src/handler.ts",
            "import { Authorizer } from './types'\nexport const handle = (a: Authorizer) => a.lambda\n",
        ),
        ("src/other.ts", "export const other = 1\n"),
    ];
    let message = "Property 'lambda' does not exist on type 'Authorizer'.";
    let report = failing(FailureKind::Compile, None, message, &[("src/handler.ts", 2)]);
    assert_eq!(names(&gathered(&texts, &report, "")).first().unwrap(), "src/types.ts");
}

#[test]
fn properties_and_operators_that_a_failing_test_uses_lead_to_their_methods() {
    let class = "class Basket:\n    @property\n    def root(self):\n        return self._top\n\n    \
                 def __setitem__(self, key, value):\n        self._top = value\n\n";
    let source = format!("def make():\n    return Basket()\n\n{}{class}", fillers(400));
    let first = u32::try_from(source.lines().count() - class.lines().count() + 1).unwrap();
    let test = "from src.store import make\n\ndef test_top():\n    basket = make()\n    basket['a'] = 1\n    \
                assert basket.root == 1\n";
    let texts = [("src/store.py", source.as_str()), ("tests/test_top.py", test)];
    let place = [("tests/test_top.py", 6)];
    let report = failing(FailureKind::Test, Some("test_top"), "assert None == 1", &place);
    let context = gathered(&texts, &report, "");
    for line in [first + 2, first + 5] {
        assert!(is_wanted(&context, "src/store.py", line), "{line} {context:?}");
    }
    assert!(!is_wanted(&context, "src/store.py", first / 2));
}

#[test]
fn a_place_outside_of_definitions_is_wanted_with_the_lines_around_it_in_sources_and_tests() {
    let code = "step()\n".repeat(600);
    for path in ["src/app.py", "tests/test_app.py", "src/app.lua"] {
        let texts = [(path, code.as_str()), ("src/other.py", "x = 1\n")];
        let report = failing(FailureKind::Test, None, "NameError: step", &[(path, 300)]);
        let context = gathered(&texts, &report, "");
        for line in [260, 300, 340] {
            assert!(is_wanted(&context, path, line), "{path}:{line} {context:?}");
        }
        // The place itself comes first, if the limit of the whole context cuts the rest.
        let file = context.files.iter().find(|file| file.path.as_str() == path).unwrap();
        assert_eq!(file.wanted.first(), Some(&(290, 310)), "{path}");
    }
}

#[test]
fn the_limits_for_files_have_an_effect() {
    let text = fillers(120);
    let paths: Vec<String> = (0..12).map(|n| format!("cart{n}.py")).collect();
    let texts: Vec<(&str, &str)> =
        paths.iter().map(|path| (path.as_str(), text.as_str())).collect();
    let places: Vec<(&str, u32)> = paths.iter().map(|path| (path.as_str(), 30)).collect();
    let report = failing(FailureKind::Crash, None, "TypeError", &places);
    let gather = |max_files, max_file_chars| {
        let (tree, index) = (tree(&texts), Index::of_texts(&texts));
        let words = index.terms_of_texts(&texts);
        let profile = crate::project::detect(&tree);
        let limits = DietConfig { max_files, max_file_chars, ..LIMITS };
        let problem =
            ContextTask { report: &report, goal: "", profile: &profile, changes: None, limits };
        let context =
            collect_context(&tree, RepositoryIndex { index: &index, words: &words }, problem);
        let shares = context.files.iter().filter_map(|file| file.share);
        (context.files.len(), shares.sum::<usize>())
    };
    let (few, narrow) = gather(3, 8_000);
    let (many, wide) = gather(20, 16_000);
    assert_eq!((few, many), (3, 12));
    assert!(narrow <= 8_000 && narrow < wide && wide <= 16_000, "{narrow} {wide}");
}

#[test]
fn a_fixture_that_the_failing_test_names_is_shown_and_the_others_are_not() {
    let test = "from src.cart import total\n\ndef test_sum():\n    items = load('nested_lists')\n    \
                assert total(items) == read('expected.json')\n\ndef test_other():\n    load('plain_lists')\n";
    let texts = [
        ("src/cart.py", CART),
        ("tests/test_cart.py", test),
        ("tests/fixtures/nested_lists.md", "* a\n"),
        ("tests/fixtures/plain_lists.md", "* b\n"),
        ("tests/fixtures/expected.json", "{}\n"),
        ("docs/lists.md", "* c\n"),
    ];
    let place = [("tests/test_cart.py", 5)];
    let report = failing(FailureKind::Test, Some("test_sum"), "1 == 2", &place);
    let mut shown = names(&gathered(&texts, &report, ""));
    shown.sort();
    let inputs = ["tests/fixtures/expected.json", "tests/fixtures/nested_lists.md"];
    assert_eq!(shown, ["src/cart.py", inputs[0], inputs[1], "tests/test_cart.py"]);
}

/// Writes a module with `count` methods that call each other, free functions and names that are defined nowhere, below
/// imports of the items of several types.
fn busy_module(count: usize) -> String {
    let mut text =
        "use super::*;\nuse self::Kind::*;\nuse self::Slot::*;\nuse self::Entry::*;\n\n".to_owned();
    text.push_str(
        "pub enum Kind { A }\npub enum Slot { B }\npub enum Entry { C }\npub struct Map;\n\n",
    );
    for number in 0..count {
        let next = (number + 7) % count;
        let get = format!(
            "impl Get{number} for Map {{\n    #[inline]\n    fn get(&self) -> usize {{\n        self.method{next}().iter().unwrap()\n    }}\n}}\n\n"
        );
        let methods = format!(
            "impl Map {{\n    /// Words.\n    fn method{number}(&self) -> Kind {{\n        self.get().checked(help{next}()).unwrap_or(Vec::new())\n    }}\n}}\n\nfn help{number}() {{ Map.method{next}().saved(); }}\n\n"
        );
        text.push_str(&get);
        text.push_str(&methods);
    }
    text
}

/// Returns the steps that the evidence for an error costs, at a share of the largest file.
fn steps_of(count: usize, percent: u32) -> u64 {
    let module = busy_module(count);
    let texts = [("src/lib.rs", "mod map;\npub use map::*;\n"), ("src/map.rs", module.as_str())];
    let line = u32::try_from(module.lines().count()).unwrap() * percent / 100;
    let report =
        failing(FailureKind::Compile, None, "mismatched types: `get`", &[("src/map.rs", line)]);
    let tree = tree(&texts);
    let index = Index::of_texts(&texts);
    let words = index.terms_of_texts(&texts);
    let library = Library::new(&tree, &index);
    let profile = crate::project::detect(&tree);
    let problem =
        ContextTask { report: &report, goal: "", profile: &profile, changes: None, limits: LIMITS };
    let found = select::select_files(&library, &words, &problem);
    assert!(found.iter().any(|chosen| library.path(chosen.ranked.file) == "src/map.rs"));
    library.work.total()
}

#[test]
fn the_work_grows_with_the_file_and_not_faster_wherever_the_error_is() {
    for percent in [10, 50, 90] {
        let (small, large) = (steps_of(100, percent), steps_of(400, percent));
        assert!(large <= small * 5, "at {percent} %: {small} steps for 100, {large} for 400");
        assert!(large < 100_000, "at {percent} %: {large} steps");
    }
}
