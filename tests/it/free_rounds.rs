//! What the tools mend in more than one step, alone and before a model, with the real cargo.

use serde_json::{Value, json};

use crate::examples::rust_homes;
use crate::model::{Model, patch, plan};
use crate::support::TestEnv;

const MANIFEST: &str = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
const LOCK: &str = "version = 4\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n";

/// The borrow checker speaks only where every name is known.
const TWO_PHASES: &str = "pub fn total(prices: &[u32]) -> u32 {\n    let sum = 0;\n    for price in prices {\n        sum += prise;\n    }\n    sum\n}\n";
const RIGHT: &str = "pub fn total(prices: &[u32]) -> u32 {\n    let mut sum = 0;\n    for price in prices {\n        sum += price;\n    }\n    sum\n}\n";
const TEST: &str =
    "#[test]\nfn the_sum_is_that_of_all() {\n    assert_eq!(shop::total(&[1, 2]), 3);\n}\n";

fn shop(source: &str) -> TestEnv {
    let env = TestEnv::new();
    for (path, text) in [
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", LOCK),
        ("src/lib.rs", source),
        ("tests/total.rs", TEST),
    ] {
        env.write(path, text);
    }
    env
}

fn outcome(env: &TestEnv, emit: &str, variables: &[(&str, &str)]) -> Value {
    let homes = rust_homes();
    let mut variables = variables.to_vec();
    variables.extend(homes.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    env.outcome(&["fix", "--run", "cargo test --offline", "--emit", emit], &variables)
}

#[test]
fn an_error_that_shows_only_after_the_first_fix_is_mended_too_and_one_undo_takes_both_back() {
    let env = shop(TWO_PHASES);
    let outcome = outcome(&env, "worktree", &[]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert_eq!(env.read("src/lib.rs"), RIGHT);
    assert_eq!(outcome["zero_tokens"]["failures_fixed"], 2);
    assert!(outcome["zero_tokens"]["tokens_saved"].as_u64().unwrap() > 100, "{outcome:#}");
    assert_eq!((&outcome["requests"], &outcome["attempts"]), (&json!(0), &json!(1)));
    assert_eq!(env.run(&["undo"]).code, 0);
    assert_eq!(env.read("src/lib.rs"), TWO_PHASES);
    assert_eq!(env.run(&["undo"]).code, 1, "there was one change");
}

#[test]
fn a_patch_alone_leaves_the_tree_and_holds_every_step() {
    let env = shop(TWO_PHASES);
    let outcome = outcome(&env, "patch", &[]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert_eq!(env.read("src/lib.rs"), TWO_PHASES);
    let ran = env.shell("patch -p1 < results/papayu.patch");
    assert_eq!((ran.code, env.read("src/lib.rs")), (0, RIGHT.to_owned()), "{ran:?}");
}

#[test]
fn the_time_of_the_tools_has_its_own_row_and_is_none_of_the_model() {
    let outcome = outcome(&shop(TWO_PHASES), "patch", &[]);
    let row = |name: &str| outcome["timings_ms"][name].as_u64().unwrap();
    assert!(row("tools") > 0 && row("tools") <= row("total"), "{outcome:#}");
    assert_eq!(row("llm"), 0, "{outcome:#}");
}

#[test]
fn what_the_tools_leave_is_mended_by_the_model_on_top_of_what_they_mended() {
    let test = "\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn none_cost_nothing() {\n        assert_eq!(super::total(&[]), 0);\n    }\n}\n";
    let wrong = TWO_PHASES.replace("let sum = 0", "let mut sum = 1") + test;
    let hunk = "@@ -1,3 +1,3 @@\n pub fn total(prices: &[u32]) -> u32 {\n-    let mut sum = 1;\n+    let mut sum = 0;\n     for price in prices {\n";
    let (env, model) =
        (shop(&wrong), Model::serve([plan("begin at 0"), patch("src/lib.rs", hunk)]));
    let outcome = outcome(&env, "patch", &model.found_out());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert_eq!(outcome["zero_tokens"]["failures_fixed"], 1);
    assert_eq!(outcome["provider"], "openai");
    let prompts = model.prompts();
    let told = "CHANGED ALREADY";
    assert!(prompts.iter().all(|prompt| prompt.contains(told)), "{prompts:#?}");
    assert!(!prompts[0].contains("cannot find value"), "the tools mended it: {}", prompts[0]);
    assert_eq!(env.read("src/lib.rs"), wrong);
    let ran = env.shell("patch -p1 < results/papayu.patch");
    assert_eq!((ran.code, env.read("src/lib.rs")), (0, RIGHT.to_owned() + test), "{ran:?}");
}

#[test]
fn what_the_tools_say_and_do_not_dare_to_change_is_told_to_the_model() {
    let wrong = RIGHT.replace("let mut sum = 0", "let mut sum: u32 = false");
    let hunk = "@@ -1,3 +1,3 @@\n pub fn total(prices: &[u32]) -> u32 {\n-    let mut sum: u32 = false;\n+    let mut sum = 0;\n     for price in prices {\n";
    let (env, model) =
        (shop(&wrong), Model::serve([plan("begin at 0"), patch("src/lib.rs", hunk)]));
    let outcome = outcome(&env, "patch", &model.found_out());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    let told = model.prompts();
    let (_, hints) = told[0].split_once("## HINTS OF THE TOOLS (untrusted)\n").unwrap();
    assert!(hints.contains("rustc E0308: mismatched types"), "{hints}");
}

#[test]
fn what_helped_is_taken_back_where_it_was_not_enough() {
    let wrong = TWO_PHASES.replace("let sum = 0", "let mut sum = 1");
    let env = shop(&wrong);
    let outcome = outcome(&env, "worktree", &[]);
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
    assert_eq!(outcome["zero_tokens"], json!({"failures_fixed": 0, "tokens_saved": 0}));
    assert_eq!(env.read("src/lib.rs"), wrong);
    let reason = outcome["reason"].as_str().unwrap();
    assert!(reason.contains("still fails after all certain fixes of the tools"), "{reason}");
}
