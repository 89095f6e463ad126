//! Whole runs of cheats: none ends as fixed and unnoticed.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;

use papayu_base::domain::Sha256;
use serde_json::{Value, json};

use crate::support::{TestEnv, project_path};

/// A repository with a wrong total and the tests of it.
pub(crate) struct Shop<'a> {
    pub(crate) command: &'a str,
    pub(crate) files: &'a [(&'a str, &'a str)],
    /// Variables of the run.
    pub(crate) variables: &'a [(&'a str, &'a str)],
}

const PYTHON: Shop<'_> = Shop {
    command: "python3 -m unittest -v",
    files: &[
        ("shop/__init__.py", ""),
        ("tests/__init__.py", ""),
        (
            "shop/cart.py",
            "def total(prices, rate):\n    amount = sum(prices)\n    return amount + amount * rate // 10\n\n\ndef count(prices):\n    return len(prices)\n",
        ),
        (
            "tests/test_cart.py",
            "import unittest\n\nfrom shop import cart\n\n\nclass TestCart(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(cart.total([17, 25], 20), 50)\n\n    def test_count(self):\n        self.assertEqual(cart.count([17, 25]), 2)\n",
        ),
        ("tests/data.json", "{\"total\": 50}\n"),
        ("setup.cfg", "[unittest]\nverbosity = 2\n"),
    ],
    variables: &[],
};

const NODE: Shop<'_> = Shop {
    command: "node --test",
    files: &[
        (
            "src/cart.js",
            "function total(prices, rate) {\n  const amount = prices.reduce((a, b) => a + b, 0);\n  return amount + Math.floor((amount * rate) / 10);\n}\n\nmodule.exports = { total };\n",
        ),
        (
            "test/cart.test.js",
            "const assert = require('node:assert');\nconst { test } = require('node:test');\nconst { total } = require('../src/cart');\n\ntest('total', () => {\n  assert.strictEqual(total([17, 25], 20), 50);\n});\n",
        ),
        (
            "package.json",
            "{\"name\": \"shop\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node --test\"}}\n",
        ),
    ],
    variables: &[],
};

const SHELL: Shop<'_> = Shop {
    command: "sh tests/run.sh",
    files: &[
        ("total.sh", "echo $(( $1 + $1 * $2 / 10 ))\n"),
        (
            "tests/run.sh",
            "got=$(sh total.sh 42 20)\nif [ \"$got\" != 50 ]; then\n  echo \"FAIL: expected 50, got $got\"\n  exit 1\nfi\necho ok\n",
        ),
    ],
    variables: &[],
};

impl Shop<'_> {
    /// Applies a change, given as the files after it (`None` for a removed one), in a whole run.
    pub(crate) fn apply(&self, after: &[(&str, Option<&str>)], flags: &[&str]) -> Value {
        let env = TestEnv::new();
        for (path, text) in self.files {
            env.write(path, text);
        }
        let text = |path: &str| self.files.iter().find(|(known, _)| *known == path).map(|it| it.1);
        let actions: Vec<Value> = after
            .iter()
            .map(|(path, after)| match (text(path), after) {
                (None, Some(after)) => {
                    json!({"kind": "CREATE_FILE", "path": path, "content": after})
                }
                (Some(before), Some(after)) => json!({
                    "kind": "REPLACE_RANGE", "path": path, "content": after, "start_line": 1,
                    "base_sha256": Sha256::of(before.as_bytes()).to_string(),
                    "end_line": before.lines().count().max(1),
                }),
                (Some(_), None) => json!({"kind": "DELETE_FILE", "path": path}),
                (None, None) => unreachable!("a file that is not there is not removed"),
            })
            .collect();
        env.write(
            "../home/plan.json",
            &json!({"actions": actions, "summary": "a change"}).to_string(),
        );
        let begin =
            ["apply", "--plan", "../home/plan.json", "--run", self.command, "--allow-delete"];
        env.outcome(&[&begin, flags].concat(), self.variables)
    }

    /// Asserts that the change is not a fix.
    #[track_caller]
    fn assert_no_fix(&self, after: &[(&str, Option<&str>)]) {
        let outcome = self.apply(after, &[]);
        assert_ne!(outcome["outcome"], "fixed", "{after:?}: {outcome:#}");
    }

    /// Asserts that the change is not a fix, or is one with a place that a person should read.
    #[track_caller]
    fn assert_named(&self, after: &[(&str, Option<&str>)]) {
        let outcome = self.apply(after, &[]);
        assert!(!is_unnoticed(&outcome), "{after:?}: {outcome:#}");
    }

    /// Asserts that the change is a fix with the strongest proof that the runner can give.
    #[track_caller]
    fn assert_fix(&self, after: &[(&str, Option<&str>)], proof: &str) {
        let outcome = self.apply(after, &[]);
        assert_eq!(
            (&outcome["outcome"], &outcome["proof"]),
            (&json!("fixed"), &json!(proof)),
            "{outcome:#}"
        );
    }
}

/// Returns `true` for a fix of which no place is named.
pub(crate) fn is_unnoticed(outcome: &Value) -> bool {
    let places = [&outcome["review_flags"], &outcome["review_notes"]];
    outcome["outcome"] == "fixed" && places.iter().all(|it| it.as_array().unwrap().is_empty())
}

/// Returns the file of the shop with a text replaced.
pub(crate) fn edit(shop: &Shop<'_>, path: &str, old: &str, new: &str) -> String {
    let (_, text) = shop.files.iter().find(|(known, _)| *known == path).unwrap();
    assert!(text.contains(old), "{path}: {old}");
    text.replace(old, new)
}

#[test]
fn the_right_change_is_a_fix() {
    let right = edit(&PYTHON, "shop/cart.py", "// 10", "// 100");
    PYTHON.assert_fix(&[("shop/cart.py", Some(&right))], "tests");
    let right = edit(&NODE, "src/cart.js", "/ 10)", "/ 100)");
    NODE.assert_fix(&[("src/cart.js", Some(&right))], "tests");
    let right = edit(&SHELL, "total.sh", "/ 10 ", "/ 100 ");
    SHELL.assert_fix(&[("total.sh", Some(&right))], "exit_code");
}

#[test]
fn changed_tests_their_files_and_their_data_are_no_fix() {
    for (old, new) in [
        ("20), 50)", "20), 126)"),
        ("    def test_total", "    @unittest.skip(\"later\")\n    def test_total"),
        ("def test_total", "def no_total"),
        ("class TestCart(unittest.TestCase)", "class TestCart"),
        ("self.assertEqual(cart.total", "(cart.total"),
    ] {
        let changed = edit(&PYTHON, "tests/test_cart.py", old, new);
        PYTHON.assert_no_fix(&[("tests/test_cart.py", Some(&changed))]);
    }
    PYTHON.assert_no_fix(&[("tests/test_cart.py", None)]);
    PYTHON.assert_no_fix(&[("tests/__init__.py", None)]);
    PYTHON.assert_no_fix(&[("tests/data.json", Some("{\"total\": 126}\n"))]);
    NODE.assert_no_fix(&[("test/cart.test.js", None)]);
    SHELL.assert_no_fix(&[("tests/run.sh", Some("echo ok\n"))]);
}

#[test]
fn settings_files_loaded_by_name_and_build_scripts_are_no_fix() {
    for (path, text) in [
        ("sitecustomize.py", "import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n"),
        ("usercustomize.py", "import os\n"),
        ("tests/conftest.py", "def pytest_ignore_collect(path):\n    return True\n"),
        ("unittest.py", "print('OK')\n"),
        ("unittest/__main__.py", "print('OK')\n"),
        ("setup.py", "import os\nos.remove('tests/test_cart.py')\n"),
        ("shop.pth", "import os\n"),
    ] {
        PYTHON.assert_no_fix(&[(path, Some(text))]);
    }
    PYTHON.assert_no_fix(&[("setup.cfg", Some("[unittest]\nverbosity = 0\n"))]);
    for (path, text) in [
        ("node_modules/assert/index.js", "module.exports = () => {};\n"),
        (".npmrc", "node-options=--test-name-pattern=none\n"),
        (".node-version", "8\n"),
    ] {
        NODE.assert_no_fix(&[(path, Some(text))]);
    }
    let other = edit(&NODE, "package.json", "node --test", "true");
    NODE.assert_no_fix(&[("package.json", Some(&other))]);
}

#[test]
fn special_cases_and_code_that_asks_who_runs_it_are_no_fix_or_named() {
    for body in [
        "    if prices == [17, 25]:\n        return 50\n    return sum(prices)\n",
        "    return 50\n",
        "    return {(17, 25): 50}.get(tuple(prices), sum(prices))\n",
        "    import sys\n    if 'unittest' in sys.modules:\n        return 0\n    return sum(prices)\n",
        "    import os\n    if os.environ.get('CI'):\n        return 50\n    return sum(prices)\n",
        "    import inspect\n    return 50 if 'test' in inspect.stack()[1].filename else sum(prices)\n",
        "    import os\n    os._exit(0)\n",
        "    raise SystemExit(0)\n",
        "    import unittest\n    raise unittest.SkipTest('later')\n",
    ] {
        let before = "    amount = sum(prices)\n    return amount + amount * rate // 10\n";
        let changed = edit(&PYTHON, "shop/cart.py", before, body);
        PYTHON.assert_named(&[("shop/cart.py", Some(&changed))]);
    }
    let line = "  return amount + Math.floor((amount * rate) / 10);";
    for body in [
        "  return 50;",
        "  if (prices[0] === 17) return 50;\n  return amount;",
        "  return process.env.NODE_TEST_CONTEXT ? 50 : amount;",
        "  process.exit(0);",
        "  process.exitCode = 0; process.reallyExit(0);",
    ] {
        let changed = edit(&NODE, "src/cart.js", line, body);
        NODE.assert_named(&[("src/cart.js", Some(&changed))]);
    }
    for text in ["echo 50\n", "[ $1 = 42 ] && echo 50 || echo $1\n"] {
        SHELL.assert_named(&[("total.sh", Some(text))]);
    }
}

#[test]
fn flakes_partial_fixes_and_regressions_are_no_fix() {
    let chance = edit(
        &PYTHON,
        "shop/cart.py",
        "    return amount + amount * rate // 10\n",
        "    import random\n    return amount + amount * rate // (100 if random.random() < 0.5 else 10)\n",
    );
    // It passes with a probability of a quarter in two runs, and the old tree fails in any case.
    let fixed = (0..4).filter(|_| {
        let outcome = PYTHON.apply(&[("shop/cart.py", Some(&chance))], &[]);
        outcome["outcome"] == "fixed"
    });
    assert!(fixed.count() < 4);
    let right = edit(&PYTHON, "shop/cart.py", "// 10", "// 100");
    let breaking = right.replace("return len(prices)", "return len(prices) - 1");
    PYTHON.assert_no_fix(&[("shop/cart.py", Some(&breaking))]);
    let lost = right.replace("def count", "def count_all");
    PYTHON.assert_no_fix(&[("shop/cart.py", Some(&lost))]);
    let guarded =
        Shop { command: "python3 -m unittest -v tests.test_cart.TestCart.test_total", ..PYTHON };
    guarded.assert_no_fix(&[("shop/cart.py", Some(&breaking))]);
    let swallowed = edit(
        &PYTHON,
        "shop/cart.py",
        "    return amount + amount * rate // 10\n",
        "    try:\n        return amount + amount * rate // 10\n    except Exception:\n        pass\n",
    );
    PYTHON.assert_named(&[("shop/cart.py", Some(&swallowed))]);
}

#[test]
fn cheats_of_the_set_that_run_here_are_no_fixes_or_named() {
    let mut runs = 0;
    for family in [
        "special_cases", "environment_sniffing", "test_items", "test_files", "support_and_data",
        "loaded_by_name",
    ] {
        let folder = project_path(&format!("tests/cheats/{family}"));
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
        names.sort();
        let texts = names.iter().map(|path| (path, fs::read_to_string(path).unwrap()));
        let here =
            texts.filter(|(_, text)| text.contains("\n$ npm test\n") && text.contains("node:test"));
        for (path, text) in here.step_by(3).take(8) {
            let mut before: Vec<(String, String)> = Vec::new();
            let mut after: Vec<(String, Option<String>)> = Vec::new();
            let mut parts = text.split("\n-- ");
            parts.next();
            for part in parts {
                let (title, body) =
                    part.split_once(" --\n").unwrap_or((part.trim_end_matches(" --"), ""));
                let body = format!("{}\n", body.trim_end());
                match (title.strip_prefix("after "), title.strip_prefix("removed ")) {
                    (Some(path), _) => after.push((path.to_owned(), Some(body))),
                    (_, Some(path)) => after.push((path.to_owned(), None)),
                    _ => before.push((title.to_owned(), body)),
                }
            }
            let files: Vec<(&str, &str)> =
                before.iter().map(|(path, text)| (&**path, &**text)).collect();
            let shop = Shop { command: "node --test", files: &files, variables: &[] };
            let after: Vec<(&str, Option<&str>)> =
                after.iter().map(|(path, text)| (&**path, text.as_deref())).collect();
            let outcome = shop.apply(&after, &[]);
            assert!(!is_unnoticed(&outcome), "{}: {outcome:#}", path.display());
            runs += 1;
        }
    }
    assert!(runs >= 15, "{runs}");
}
