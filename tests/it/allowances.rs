//! Kinds of files that a change may touch only with `--allow`, and edits that are left out without it.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]

use serde_json::{Value, json};

use crate::fix::{CHECK, RIGHT, red};
use crate::model::{Model, patch};
use crate::support::TestEnv;

/// A repository whose check fails, with a file of each kind.
fn mixed() -> TestEnv {
    let env = red();
    env.write("setup.py", "setup(name='a')\n");
    env.write("pyproject.toml", "[tool.setuptools]\npackages = [\"a\"]\n");
    env.write("pytest.ini", "[pytest]\naddopts = -q\n");
    env.write("tests/test_a.py", "a = 1\n");
    env.write("tests/__snapshots__/a.snap", "a\n");
    env.write(".github/workflows/ci.yml", "on: push\n");
    env
}

/// One edit of each kind: the kind, the path, the patch.
const EDITS: [(&str, &str, &str); 6] = [
    ("build", "setup.py", "@@ -1 +1 @@\n-setup(name='a')\n+setup(name='a', zip_safe=False)\n"),
    (
        "packaging",
        "pyproject.toml",
        "@@ -1,2 +1,2 @@\n [tool.setuptools]\n-packages = [\"a\"]\n+packages = [\"a\", \"b\"]\n",
    ),
    ("settings", "pytest.ini", "@@ -1,2 +1,2 @@\n [pytest]\n-addopts = -q\n+addopts = -q -x\n"),
    ("tests", "tests/test_a.py", "@@ -1 +1 @@\n-a = 1\n+a = 2\n"),
    ("snapshots", "tests/__snapshots__/a.snap", "@@ -1 +1 @@\n-a\n+b\n"),
    ("ci", ".github/workflows/ci.yml", "@@ -1 +1 @@\n-on: push\n+on: [push]\n"),
];

/// Returns a reply with the fix and one more edit.
fn reply(path: &str, more: &str) -> Value {
    let mut reply = patch("answer.py", RIGHT);
    let action = patch(path, more)["actions"][0].clone();
    reply["actions"].as_array_mut().unwrap().push(action);
    reply
}

#[test]
fn an_edit_without_its_allowance_is_left_out_and_the_rest_is_proved() {
    for (kind, path, more) in EDITS {
        let env = mixed();
        let model = Model::serve([reply(path, more)]);
        let goal = format!("read {path}");
        let arguments = ["fix", "--run", CHECK, "--goal", &goal, "--protocol", "2"];
        let outcome = env.outcome(&arguments, &model.variables());
        assert_eq!(
            (&outcome["outcome"], &outcome["changed_files"], &outcome["requests"]),
            (&json!("fixed"), &json!(["answer.py"]), &json!(1)),
            "{kind}: {outcome:#}"
        );
        let said = format!("the edits of `{path}` were left out: they need `--allow {kind}`");
        assert!(outcome["reason"].as_str().unwrap().contains(&said), "{kind}: {outcome:#}");
        assert_eq!(outcome["review_notes"], json!([]), "{kind}");
        let kept = env.read("results/refused.patch");
        assert!(kept.contains(path) && !kept.contains("answer.py"), "{kind}: {kept}");
    }
}

#[test]
fn each_allowance_opens_its_own_kind_and_says_what_the_proof_means() {
    for (kind, path, more) in EDITS {
        let other = if kind == "build" { "tests" } else { "build" };
        for allowed in [kind, other] {
            let env = mixed();
            let model = Model::serve([reply(path, more)]);
            let goal = format!("read {path}");
            let arguments = ["fix", "--run", CHECK, "--goal", &goal, "--allow", allowed];
            let outcome = env.outcome(&arguments, &model.variables());
            let changed = outcome["changed_files"].as_array().unwrap().len();
            let wanted = if kind == allowed { 2 } else { 1 };
            assert_eq!((&outcome["outcome"], changed), (&json!("fixed"), wanted), "{outcome:#}");
            let notes = outcome["review_notes"].to_string();
            assert_eq!(
                notes.contains(&format!("which `{kind}` allows: ")),
                kind == allowed,
                "{notes}"
            );
        }
    }
}

#[test]
fn a_refusal_names_the_allowance() {
    for (kind, path, more) in EDITS {
        let env = mixed();
        let digest = papayu_base::domain::Sha256::of(env.read(path).as_bytes()).to_string();
        let action = json!({"kind": "PATCH_FILE", "path": path, "base_sha256": digest,
            "patch": format!("--- a/{path}\n+++ b/{path}\n{more}")});
        env.write("../home/plan.json", &json!({"actions": [action], "summary": "s"}).to_string());
        let ran = env.run(&["apply", "--plan", "../home/plan.json", "--run", CHECK]);
        let flag = if kind == "ci" {
            "`--allow-ci-files`".to_owned()
        } else {
            format!("`--allow {kind}`")
        };
        assert!(ran.code == 4 && ran.stderr.contains(&flag), "{kind}: {ran:?}");
    }
}

#[test]
fn code_of_the_product_may_have_the_name_of_a_test() {
    const CHECK: &str = "python3 -m unittest discover -s tests";
    let module = "def connect(host):\n    assert host\n    return host + ':41'\n";
    let change = "@@ -1,3 +1,3 @@\n def connect(host):\n     assert host\n-    return host + ':41'\n+    return host + ':42'\n";
    let test = "import unittest\nfrom shop.client import open_shop\n\nclass TestShop(unittest.TestCase):\n    def test_port(self):\n        self.assertEqual(open_shop('a'), 'a:42')\n";
    // The module is the product's only where other code of the product imports it.
    for (importer, outcome) in [("shop/client.py", "fixed"), ("tests/client.py", "not_fixed")] {
        let env = TestEnv::new();
        env.write("shop/__init__.py", "");
        env.write("shop/test_connection.py", module);
        env.write(importer, "from shop.test_connection import connect\n\ndef open_shop(host):\n    return connect(host)\n");
        env.write(
            "tests/test_shop.py",
            &test.replace(
                "shop.client",
                &importer.replace(".py", "").replace('/', ".").replace("tests.", ""),
            ),
        );
        let model = Model::serve([
            patch("shop/test_connection.py", change),
            patch("shop/test_connection.py", change),
        ]);
        let arguments = [
            "fix", "--run", CHECK, "--goal", "read shop/test_connection.py", "--max-attempts", "1",
        ];
        let found = env.outcome(&arguments, &model.variables());
        let is_fixed = found["outcome"] == "fixed";
        assert_eq!(is_fixed, outcome == "fixed", "{importer}: {found:#}");
        if !is_fixed {
            assert_eq!(found["error_code"], "ERR_TEST_EDIT_NOT_ALLOWED", "{importer}");
        }
    }
}

#[test]
fn an_edit_of_the_product_beside_another_source_is_not_left_out() {
    let env = TestEnv::new();
    env.write("shop/__init__.py", "");
    env.write("shop/test_port.py", "def port():\n    assert True\n    return 41\n");
    env.write("shop/client.py", "from shop.test_port import port\n\nHOST = 'a'\n");
    env.write(
        "check.sh",
        "test \"$(python3 -c 'from shop.client import *; print(HOST, port())')\" = 'b 42'\n",
    );
    let mut reply = patch("shop/test_port.py", "@@ -3 +3 @@\n-    return 41\n+    return 42\n");
    let other = patch("shop/client.py", "@@ -3 +3 @@\n-HOST = 'a'\n+HOST = 'b'\n");
    reply["actions"].as_array_mut().unwrap().push(other["actions"][0].clone());
    let model = Model::serve([reply]);
    let goal = "read shop/test_port.py and shop/client.py";
    let found = env.outcome(&["fix", "--run", CHECK, "--goal", goal], &model.variables());
    assert_eq!(found["outcome"], "fixed", "{found:#}");
    assert_eq!(found["changed_files"].as_array().unwrap().len(), 2, "{found:#}");
}
