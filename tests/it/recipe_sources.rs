//! Recipes that are fetched from git repositories, and recipes in a folder to which a killed batch was writing.

use std::time::Duration;

use serde_json::Value;

use crate::batch::{ends, summary};
use crate::recipes::{CHECK, FIRST, RENAME, model_variables, repository, test_of};
use crate::support::TestEnv;

const APP: &str = "import acme\n\n\ndef report(name):\n    return acme.fetch(name)\n";

/// Returns a recipe for one name of the dependency.
fn recipe_to(name: &str) -> String {
    format!(
        "id: rename\nwhen: {{tool: python, message: '*fetch*'}}\n\
         language: python\nmove: fetch from acme\nto: {name} from acme\n"
    )
}

/// Makes a repository with a recipe, an older version of it at the tag `v1`, and two files that are no recipes.
/// Returns its address.
fn recipe_repository(env: &TestEnv) -> String {
    let git = "git -c user.name=A -c user.email=a@example.org";
    env.write("shared/recipes/rename.yml", &recipe_to("gone_again"));
    let ran = env.shell(&format!(
        "cd shared && git init -q -b main && git add -A && {git} commit -q -m One && git tag v1"
    ));
    assert_eq!(ran.code, 0, "{ran:?}");
    env.write("shared/recipes/rename.yml", &recipe_to("fetch_all"));
    env.write("shared/recipes/broken.yaml", "id: [\n");
    env.write("shared/mkdocs.yml", "site_name: recipes\n");
    let ran = env.shell(&format!("cd shared && git add -A && {git} commit -q -m Two"));
    assert_eq!(ran.code, 0, "{ran:?}");
    format!("file://{}", env.repo().join("shared").display())
}

#[test]
fn recipes_of_a_git_repository_are_listed_at_a_branch_or_tag_and_heal() {
    let env = TestEnv::new();
    let address = recipe_repository(&env);
    let ran = env.run(&["recipe", "list", "--recipes", &address, "--format", "json"]);
    let listed: Value = ran.json();
    assert_eq!(listed["recipes"][0]["title"], "fetch from acme is now fetch_all from acme");
    let refused = listed["refused"].as_array().unwrap();
    assert_eq!(refused.len(), 1, "{listed:#}");
    assert!(refused[0].as_str().unwrap().contains("/recipes/broken.yaml"), "{listed:#}");
    let old = env.run(&["recipe", "show", "rename", "--recipes", &format!("{address}#v1")]);
    assert!(old.stdout.contains("gone_again"), "{old:?}");

    let tests = test_of("'a:1'");
    repository(&env, "one", &[("app.py", APP), ("test_app.py", &tests)]);
    let arguments = ["fix", "--repo", "one", "--recipes", &address, "--run", CHECK];
    let ran = env.run(&[&arguments[..], &["--emit", "worktree"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(env.read("one/app.py"), APP.replace("fetch", "fetch_all"));
}

#[test]
fn a_batch_fetches_the_recipes_of_a_git_repository_once() {
    let env = TestEnv::new();
    let address = recipe_repository(&env);
    let tests = test_of("'a:1'");
    for name in ["one", "two", "three"] {
        repository(&env, name, &[("app.py", APP), ("test_app.py", &tests)]);
    }
    env.write("repos.txt", "one\ntwo\nthree\n");
    let trace = env.repo().join("git.log").display().to_string();
    let arguments = [
        "batch", "repos.txt", "--recipes", &address, "--run", CHECK, "--jobs", "3", "--emit",
        "worktree", "--out", "out",
    ];
    let ran = env.run_with(&arguments, &[("GIT_TRACE", &trace)]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ends(&summary(&env)).values().all(|end| end == "fixed"));
    let log = env.read("git.log");
    let fetches = log.lines().filter(|line| line.contains("built-in: git fetch")).count();
    assert_eq!(fetches, 1, "{log}");
}

#[test]
fn an_address_without_recipes_is_named_and_the_run_goes_on() {
    let env = TestEnv::new();
    env.write("empty/README.md", "nothing\n");
    let git = "git -c user.name=A -c user.email=a@example.org";
    let ran =
        env.shell(&format!("cd empty && git init -q && git add -A && {git} commit -q -m One"));
    assert_eq!(ran.code, 0, "{ran:?}");
    env.write("a.py", "print(1)\nimprot os\n");
    let address = |name: &str| format!("file://{}", env.repo().join(name).display());
    for (address, reason) in [
        (address("empty"), "the repository has no recipe"),
        (address("nowhere"), "cannot read `HEAD`"),
        (format!("{}#v9", address("empty")), "cannot read `v9`"),
    ] {
        let arguments = ["fix", "--recipes", &address, "--run", "python3 a.py", "--verbose"];
        let ran = env.run(&arguments);
        assert!(ran.code == 1 && ran.stderr.contains(reason), "{ran:?}");
    }
}

#[test]
fn a_batch_killed_at_any_instant_loses_no_recipe() {
    let env = TestEnv::new();
    let tests = test_of("'a:1'");
    repository(&env, "a-first", &[("app.py", FIRST), ("test_app.py", &tests)]);
    for name in ["b", "c"] {
        repository(&env, name, &[("app.py", APP), ("test_app.py", &tests)]);
    }
    env.write("repos.txt", "a-first\nb\nc\n");
    let variables = model_variables(&env, RENAME);
    let mut variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    variables.push(("PAPAYU_BATCH_RECIPES_DIR", "kept"));
    let arguments = [
        "batch", "repos.txt", "--run", CHECK, "--jobs", "1", "--emit", "patch", "--progress",
        "none",
    ];
    let (mut kills, mut kept, mut life) = (0, None::<Value>, Duration::from_millis(300));
    // Each call lives a little longer than the one before, so that one of them ends.
    for round in 0.. {
        let out = format!("out{round}");
        let mut child = env.start(&[&arguments[..], &["--out", &out]].concat(), &variables);
        std::thread::sleep(life);
        life = life.mul_f64(1.3);
        let end = child.try_wait().unwrap();
        if end.is_none() {
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
        }
        let listed = env.run(&["recipe", "list", "--recipes", "kept", "--format", "json"]).json();
        let recipe = listed["recipes"].get(0).cloned();
        if let Some(old) = &kept {
            let now = recipe.as_ref().unwrap_or(&Value::Null);
            assert_eq!(old["id"], now["id"], "{listed:#}");
            assert!(old["tried"].as_u64() <= now["tried"].as_u64(), "{old:#} {now:#}");
            assert_eq!(listed["refused"], serde_json::json!([]), "{listed:#}");
        }
        kept = recipe.or(kept);
        if end.is_some() {
            let summary: Value =
                serde_json::from_str(&env.read(&format!("{out}/summary.json"))).unwrap();
            assert!(ends(&summary).values().all(|end| end == "fixed"), "{summary:#}");
            break;
        }
    }
    assert!(kills > 2 && kept.is_some(), "{kills} kills, {kept:?}");
}
