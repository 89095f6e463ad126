//! Recipes in whole runs: learned from one fix, tried in the next repositories, carried through all of them by hand.

use serde_json::{Value, json};

use crate::batch::{batch, ends, pairs, summary};
use crate::support::{Ran, TestEnv, project_path};

/// The command of every repository: the dependency is installed in a folder that git ignores.
pub(crate) const CHECK: &str = "PYTHONPATH=.deps python3 -m unittest -v";

/// The dependency: `fetch` is gone, `fetch_all` has its place, and `send` takes its arguments in another order.
const DEPENDENCY: &str = "\
class Client:
    def pull(self, name):
        return f'pulled {name}'

def fetch_all(name, size=1):
    return f'{name}:{size}'

def send(size, name):
    if not isinstance(size, int):
        raise TypeError(\"send() wants the size first, not a str\")
    return f'{size} of {name}'
";

/// A model that knows the fix of one repository, and fails for every other.
const MODEL: &str = r#"import json, re, sys
prompt = sys.stdin.read()
open("MODEL_LOG", "a").write("asked\n")
shown = dict(re.findall(r"FILE\[(.+)\] \(sha256=([0-9a-f]{64})\)", prompt))
if "report of the first repository" not in prompt:
    sys.exit("no reply")
patch = open("THE_DIFF").read()
action = {"kind": "PATCH_FILE", "path": "app.py", "base_sha256": shown["app.py"], "patch": patch}
print(json.dumps({"actions": [action], "summary": "uses the new name"}))
"#;

/// Makes a red git repository with the dependency.
pub(crate) fn repository(env: &TestEnv, name: &str, files: &[(&str, &str)]) {
    env.write(&format!("{name}/.gitignore"), ".deps/\n.papa-yu/\n__pycache__/\n");
    env.write(&format!("{name}/.deps/acme/__init__.py"), DEPENDENCY);
    for (path, text) in files {
        env.write(&format!("{name}/{path}"), text);
    }
    let ran = env.shell(&format!(
        "cd {name} && git init -q -b main && git add -A && \
         git -c user.name=A -c user.email=a@example.org commit -q -m Begin"
    ));
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// Returns the test of a report.
pub(crate) fn test_of(expected: &str) -> String {
    format!(
        "import unittest\nfrom app import report\n\n\nclass ReportTest(unittest.TestCase):\n    \
         def test_report(self):\n        self.assertEqual(report('a'), {expected})\n\n    \
         def test_nothing(self):\n        self.assertTrue(True)\n"
    )
}

/// Runs python in a repository, as an oracle with other values than its tests.
fn oracle(env: &TestEnv, name: &str, expression: &str) -> String {
    let line =
        format!("cd {name} && PYTHONPATH=.deps python3 -c 'import app; print({expression})'");
    let ran = env.shell(&line);
    assert_eq!(ran.code, 0, "{name}: {ran:?}");
    ran.stdout.trim().to_owned()
}

/// Runs a batch with the model.
fn with_model(env: &TestEnv, patch: &str, arguments: &[&str]) -> Ran {
    run_with_model(env, patch, &[&["batch"], arguments, &["--out", "out"]].concat(), &[])
}

pub(crate) fn run_with_model(
    env: &TestEnv,
    patch: &str,
    arguments: &[&str],
    more: &[(&str, &str)],
) -> Ran {
    let variables = model_variables(env, patch);
    let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    env.run_with(arguments, &[&variables[..], more].concat())
}

/// Writes the program of the model, and returns the settings that choose it.
pub(crate) fn model_variables(env: &TestEnv, patch: &str) -> Vec<(&'static str, String)> {
    let place = |name: &str| env.repo().join("../").join(name).display().to_string();
    env.write("../model.patch", patch);
    let model =
        MODEL.replace("MODEL_LOG", &place("asked.txt")).replace("THE_DIFF", &place("model.patch"));
    env.write("../model.py", &model);
    vec![
        ("PAPAYU_LLM_PROVIDER", "command".to_owned()),
        ("PAPAYU_LLM_COMMAND", format!("python3 {}", place("model.py"))),
        ("PAPAYU_JUDGE", "off".to_owned()),
        ("PAPAYU_MAX_ATTEMPTS", "1".to_owned()),
    ]
}

pub(crate) const FIRST: &str = "\"\"\"The report of the first repository.\"\"\"\nfrom acme import fetch\n\n\ndef report(name):\n    return fetch(name)\n";
pub(crate) const RENAME: &str = "@@ -1,6 +1,6 @@\n \"\"\"The report of the first repository.\"\"\"\n-from acme import fetch\n+from acme import fetch_all\n \n \n def report(name):\n-    return fetch(name)\n+    return fetch_all(name)\n";

#[test]
#[expect(clippy::too_many_lines, reason = "one file for each way to use the API")]
fn one_fix_heals_the_repositories_that_use_the_api_in_other_ways_and_the_look_alikes_stay() {
    let env = TestEnv::new();
    let green = test_of("'a:1'");
    let tests = ("test_app.py", green.as_str());
    repository(&env, "a-first", &[("app.py", FIRST), tests]);
    repository(
        &env,
        "b-alias",
        &[
            (
                "app.py",
                "from acme import Client, fetch as get\n\n\ndef report(name):\n    return get(name)\n\n\nclient = Client()\n",
            ),
            tests,
        ],
    );
    repository(
        &env,
        "c-module",
        &[
            (
                "app.py",
                "import acme as ac\n\n\ndef report(name):\n    # fetch is fast\n    return ac.fetch(name)\n",
            ),
            tests,
        ],
    );
    repository(
        &env,
        "d-passed-on",
        &[
            ("compat.py", "from acme import fetch\n"),
            ("app.py", "from compat import fetch\n\n\ndef report(name):\n    return fetch(name)\n"),
            tests,
        ],
    );
    repository(
        &env,
        "e-shadowed",
        &[
            (
                "app.py",
                "from acme import fetch\n\nNOTE = 'fetch(name)'\n\n\ndef report(name):\n    return fetch(name)\n\n\ndef call(fetch, name):\n    return fetch(name)\n",
            ),
            tests,
        ],
    );
    let own =
        "def fetch(name):\n    return name + 1\n\n\ndef report(name):\n    return fetch(name)\n";
    repository(&env, "f-look-alike", &[("app.py", own), tests]);
    let names = ["a-first", "b-alias", "c-module", "d-passed-on", "e-shadowed", "f-look-alike"];
    env.write("repos.txt", &names.map(|name| format!("{name}\n")).concat());

    let ran = with_model(
        &env,
        RENAME,
        &["repos.txt", "--run", CHECK, "--jobs", "1", "--emit", "worktree", "--progress", "none"],
    );
    let summary = summary(&env);
    let expected = pairs(&[
        ("a-first", "fixed"),
        ("b-alias", "fixed"),
        ("c-module", "fixed"),
        ("d-passed-on", "fixed"),
        ("e-shadowed", "fixed"),
        ("f-look-alike", "provider_error"),
    ]);
    assert_eq!(ends(&summary), expected, "{ran:?} {summary:#}");
    for name in &names[..5] {
        assert_eq!(oracle(&env, name, "app.report(\"zz\")"), "zz:1", "{name}");
    }
    assert_eq!(oracle(&env, "e-shadowed", "app.call(str.upper, \"x\"), app.NOTE"), "X fetch(name)");
    assert_eq!(env.read("f-look-alike/app.py"), own);
    assert!(env.read("b-alias/app.py").starts_with("from acme import Client, fetch_all as get\n"));
    assert!(env.read("d-passed-on/compat.py").contains("import fetch_all as fetch"));
    let recipe = &summary["recipes"][0];
    assert_eq!(recipe["learned_by"], "a-first");
    assert_eq!(recipe["healed"].as_array().unwrap().len(), 4, "{recipe:#}");
    assert_eq!(recipe["requests_saved"], 4);
    // The first repository and the look-alike.
    assert_eq!(env.read("../asked.txt").lines().count(), 2);
    let ran = env.run(&["recipe", "list", "--recipes", "out/recipes"]);
    assert!(ran.stdout.contains("healed 5 of 5"), "{ran:?}");
    let outcome: Value = serde_json::from_str(&env.read("out/b-alias/outcome.json")).unwrap();
    assert_eq!((&outcome["provider"], &outcome["requests"]), (&json!("recipe"), &json!(0)));
}

#[test]
fn a_fix_that_is_one_repositorys_own_teaches_nothing() {
    let env = TestEnv::new();
    let app = "\"\"\"The report of the first repository.\"\"\"\nfrom acme import fetch_all\n\n\ndef report(name):\n    return fetch_all(name, 1)\n";
    let green = test_of("'a:2'");
    repository(&env, "a", &[("app.py", app), ("test_app.py", &green)]);
    let other = app.replace("first", "second");
    repository(&env, "b", &[("app.py", &other), ("test_app.py", &green)]);
    env.write("repos.txt", "a\nb\n");
    let patch = "@@ -5,2 +5,2 @@\n def report(name):\n-    return fetch_all(name, 1)\n+    return fetch_all(name, 2)\n";
    let _ = with_model(
        &env,
        patch,
        &["repos.txt", "--run", CHECK, "--jobs", "1", "--progress", "none"],
    );
    let summary = summary(&env);
    assert_eq!(ends(&summary), pairs(&[("a", "fixed"), ("b", "provider_error")]), "{summary:#}");
    assert!(summary.get("recipes").is_none(), "{summary:#}");
}

#[test]
fn tasks_with_the_same_failure_wait_for_the_recipe_of_the_first() {
    let env = TestEnv::new();
    let green = test_of("'a:1'");
    let names = ["a", "b", "c", "d"];
    for name in names {
        // All are the one that the model knows: without the wait each would ask.
        repository(&env, name, &[("app.py", FIRST), ("test_app.py", &green)]);
    }
    env.write("repos.txt", &names.map(|name| format!("{name}\n")).concat());
    let ran = with_model(
        &env,
        RENAME,
        &["repos.txt", "--run", CHECK, "--jobs", "4", "--progress", "none"],
    );
    let expected = pairs(&names.map(|name| (name, "fixed")));
    assert_eq!(ends(&summary(&env)), expected, "{ran:?}");
    assert_eq!(env.read("../asked.txt").lines().count(), 1);
}

#[test]
fn a_rule_written_by_hand_goes_through_red_and_green_repositories_and_green_stays_green() {
    let env = TestEnv::new();
    let swapped = "from acme import send\n\n\ndef report(name):\n    return send(name, 1)\n";
    repository(&env, "red", &[("app.py", swapped), ("test_app.py", &test_of("'1 of a'"))]);
    let green = "import acme\n\n\ndef report(name):\n    return acme.fetch_all(name, 1)\n";
    repository(&env, "green", &[("app.py", green), ("test_app.py", &test_of("'a:1'"))]);
    let own = "def send(name, size):\n    return f'{name} {size}'\n\n\ndef report(name):\n    return send(name, 1)\n";
    repository(&env, "own", &[("app.py", own), ("test_app.py", &test_of("'a 1'"))]);
    env.write("repos.txt", "red\ngreen\nown\n");
    env.write(
        "swap.yml",
        "id: swap-send\nlanguage: python\nrule:\n  pattern: send($A, $B)\nfix: send($B, $A)\nimports:\n  send: send from acme\n\
         ---\nlanguage: python\nrule:\n  pattern: fetch_all($A, $B)\nfix: fetch_all($A, size=$B)\nimports:\n  fetch_all: fetch_all from acme\n",
    );
    let ran = batch(
        &env,
        &[
            "repos.txt", "--recipe", "swap.yml", "--run", CHECK, "--emit", "worktree",
            "--progress", "none",
        ],
    );
    let expected = pairs(&[("red", "fixed"), ("green", "fixed"), ("own", "nothing_to_fix")]);
    assert_eq!(ends(&summary(&env)), expected, "{ran:?} {:#}", summary(&env));
    assert_eq!(oracle(&env, "red", "app.report(\"q\")"), "1 of q");
    assert_eq!(env.read("green/app.py"), green.replace("name, 1", "name, size=1"));
    assert_eq!(env.read("own/app.py"), own);
}

#[test]
fn a_rule_that_breaks_a_green_repository_changes_nothing_in_it() {
    let env = TestEnv::new();
    let app = "import acme\n\n\ndef report(name):\n    return acme.fetch_all(name)\n";
    repository(&env, "green", &[("app.py", app), ("test_app.py", &test_of("'a:1'"))]);
    env.write("repos.txt", "green\n");
    env.write(
        "bad.yml",
        "id: bad\nlanguage: python\nmove: fetch_all from acme\nto: fetch_none from acme\n",
    );
    let ran = batch(
        &env,
        &[
            "repos.txt", "--recipe", "bad.yml", "--run", CHECK, "--emit", "worktree", "--progress",
            "none",
        ],
    );
    assert_eq!(ends(&summary(&env)), pairs(&[("green", "not_fixed")]), "{ran:?}");
    assert_eq!(env.read("green/app.py"), app);
}

#[test]
fn a_poisoned_recipe_is_refused_with_its_place_and_the_run_goes_on_without_it() {
    let env = TestEnv::new();
    for (name, text, reason) in [
        (
            "outside.yml",
            "id: a\nfile: ../../etc/passwd\nremove: root\n",
            "is outside of the repository",
        ),
        (
            "unknown.yml",
            "id: a\nlanguage: python\nmove: a from b\nto: c from b\nrun: rm\n",
            "it has no use for the field `run`",
        ),
        (
            "all.yml",
            "id: a\nwhen: {message: '*'}\nlanguage: python\nmove: a from b\nto: c from b\n",
            "fits every failure",
        ),
        ("no.yml", "id: a\nlanguage: python\nrule: {pattern: a(}\nfix: b\n", "line "),
    ] {
        env.write(&format!("poisoned/{name}"), text);
        let ran = env.run(&["recipe", "test", &format!("poisoned/{name}")]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(name) && ran.stderr.contains(reason), "{name}: {ran:?}");
    }
    let huge =
        format!("id: a\nlanguage: python\nrule: {{pattern: {}}}\nfix: b\n", "a".repeat(10 << 20));
    env.write("poisoned/huge.yml", &huge);
    let ran = env.run(&["recipe", "test", "poisoned/huge.yml"]);
    assert!(ran.stderr.contains("64 kB"), "{ran:?}");
    let ran = env.run(&["recipe", "list", "--recipes", "poisoned"]);
    assert_eq!((ran.code, ran.stdout.matches("refused: ").count()), (0, 5), "{ran:?}");
}

#[test]
fn the_examples_of_a_recipe_are_checked_and_a_good_one_is_added() {
    let env = TestEnv::new();
    let recipe = "id: mapping\nexamples:\n- before: |\n    from collections import Mapping\n    Mapping\n  after: |\n    from collections.abc import Mapping\n    Mapping\n\
                  language: python\nmove: Mapping from collections\nto: Mapping from collections.abc\n";
    env.write("mapping.yml", recipe);
    let ran = env.run(&["recipe", "test", "mapping.yml"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("1 of 1 examples are right"), "{ran:?}");
    let ran = env.run(&["recipe", "add", "mapping.yml", "--to", "kept"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = env.run(&["recipe", "show", "mapping", "--recipes", "kept"]);
    assert!(ran.stdout.contains("move: Mapping from collections"), "{ran:?}");
    env.write("mapping.yml", &recipe.replace("collections.abc import", "collections.other import"));
    let ran = env.run(&["recipe", "test", "mapping.yml"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn a_recipe_that_moves_the_failure_elsewhere_is_taken_back_and_retired_in_the_end() {
    let env = TestEnv::new();
    let source = "import acme\n\n\ndef report(name):\n    return acme.fetch(name)\n";
    repository(&env, "one", &[("app.py", source), ("test_app.py", &test_of("'b:1'"))]);
    env.write(
        "kept/bad.yml",
        "id: bad\nwhen: {tool: python, message: '*fetch*'}\nlanguage: python\nrule: {pattern: acme.fetch($N)}\n\
         fix: acme.fetch_all($N)\nimports: {acme.fetch: fetch from acme}\nbecomes: {acme.fetch_all: fetch_all from acme}\n",
    );
    let arguments =
        ["fix", "--repo", "one", "--run", CHECK, "--max-attempts-total", "0", "--out", "out"];
    for _ in 0..3 {
        let ran = env.run_with(&arguments, &[("PAPAYU_RECIPES_DIR", "kept")]);
        assert_eq!((ran.code, env.read("one/app.py").as_str()), (1, source), "{ran:?}");
        let outcome: Value = serde_json::from_str(&env.read("out/outcome.json")).unwrap();
        assert_eq!(outcome["recipes"], json!([{ "id": "bad", "result": "failed" }]), "{ran:?}");
    }
    let ran = env.run(&["recipe", "list", "--recipes", "kept"]);
    assert!(ran.stdout.contains("retired") && ran.stdout.contains("0 of 3"), "{ran:?}");
}

#[test]
fn edits_of_a_recipe_that_the_run_does_not_allow_are_left_out() {
    let env = TestEnv::new();
    let source = "from acme import fetch_all\n\n\ndef report(name):\n    return fetch_all(name)\n";
    let setup = "from acme import fetch_all\n\nNAME = fetch_all('x')\n";
    let test = test_of("'a:1'");
    repository(&env, "one", &[("app.py", source), ("setup.py", setup), ("test_app.py", &test)]);
    let rule = "id: size\nlanguage: python\nrule: {pattern: fetch_all($N)}\nfix: fetch_all($N, 1)\n\
                imports: {fetch_all: fetch_all from acme}\n";
    env.write("size.yml", rule);
    let ran =
        env.run(&["fix", "--repo", "one", "--recipe", "size.yml", "--run", CHECK, "--out", "out"]);
    assert_eq!((ran.code, env.read("one/setup.py").as_str()), (0, setup), "{ran:?}");
    assert!(ran.stdout.contains("+    return fetch_all(name, 1)"), "{ran:?}");
    let outcome: Value = serde_json::from_str(&env.read("out/outcome.json")).unwrap();
    let reason = outcome["reason"].as_str().unwrap();
    assert!(reason.contains("the edits of `setup.py` were left out: they need `--allow build`"));
}

#[test]
fn a_fix_with_a_secret_or_a_path_of_this_machine_teaches_nothing() {
    let env = TestEnv::new();
    let source = "import acme\n\n\ndef report(name):\n    \"\"\"The report of the first repository.\"\"\"\n    return acme.fetch(name)\n";
    let folder = env.repo().join("one/data").display().to_string();
    for (number, added) in ["ghp_q8Zk2vX7mN4pR6tW1yB3cD5fG9hJ0kL2mQ4s", &folder].iter().enumerate()
    {
        let name = format!("one{number}");
        repository(&env, &name, &[("app.py", source), ("test_app.py", &test_of("'a:1'"))]);
        let change = format!(
            "@@ -5,2 +5,2 @@\n     \"\"\"The report of the first repository.\"\"\"\n-    return acme.fetch(name)\n\
             +    return acme.fetch_all(name) or '{}'\n",
            added.replace("/one/", &format!("/{name}/"))
        );
        let arguments = ["fix", "--repo", &name, "--run", CHECK, "--verbose"];
        let learned = env.repo().join("kept").display().to_string();
        let ran = run_with_model(&env, &change, &arguments, &[("PAPAYU_RECIPES_DIR", &learned)]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stderr.contains("no recipe: "), "{ran:?}");
        assert!(!env.repo().join("kept").exists(), "{ran:?}");
    }
}

#[test]
fn recipes_that_cannot_be_used_are_named() {
    let env = TestEnv::new();
    let rule = "language: python\nmove: a from b\nto: c from b\n";
    env.write("all/1.yml", &format!("id: same\n{rule}"));
    env.write("all/2.yml", &format!("id: same\n{}", rule.replace("c from", "d from")));
    env.write("all/3.yml", &format!("id: same\ntried: 3\n{rule}"));
    let ran = env.run(&["recipe", "list", "--recipes", "all"]);
    assert!(
        ran.stdout.contains("2.yml`: `") && ran.stdout.contains("has its id `same`"),
        "{ran:?}"
    );
    assert!(!ran.stdout.contains("3.yml"), "{ran:?}");
    repository(&env, "one", &[("a.py", "import nothing_there\n")]);
    let arguments =
        ["fix", "--repo", "one", "--recipes", "all", "--run", "python3 a.py", "--verbose"];
    let ran = env.run(&arguments);
    assert!(ran.stderr.contains("`same` has no `when`"), "{ran:?}");
}

#[test]
fn the_recipes_of_published_deprecations_are_right_in_all_their_examples() {
    let env = TestEnv::new();
    let folder = project_path("examples/recipes").display().to_string();
    let ran = env.run(&["recipe", "test", &folder]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 20, "{ran:?}");
    for line in lines {
        let counts: Vec<usize> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        assert!(counts.len() == 2 && counts[0] == counts[1] && counts[0] >= 6, "{line}");
    }
}
