//! The examples do what their front pages say, in any folder; real traces feed the weekly report.
#![expect(clippy::disallowed_methods, reason = "the real cargo needs its real home")]

use serde_json::{Value, json};

use crate::model::{Model, patch, plan};
use crate::support::{Ran, TestEnv, project_file, project_path};

const UNITTEST: &str = "python3 -m unittest discover -s tests -t .";
pub(crate) const FIXED_LOOP: &str = "@@ -14,7 +14,7 @@
 def parse(text):
     \"\"\"Returns the settings in `text` as a dictionary; no text means no settings.\"\"\"
     settings = {}
-    for number, line in enumerate(text.splitlines(), start=1):
+    for number, line in enumerate((text or \"\").splitlines(), start=1):
         line = strip_comment(line)
         if not line:
             continue
";

fn recording(name: &str) -> String {
    project_path("examples/parser-none/recordings").join(name).display().to_string()
}

fn example(name: &str) -> TestEnv {
    let env = TestEnv::new();
    env.copy_example(name);
    env
}

/// Cargo finds its own home by that of the user, which tests replace.
pub(crate) fn rust_homes() -> Vec<(String, String)> {
    let home = std::env::var("HOME").unwrap_or_default();
    let of = |name: &str, folder: &str| {
        let default = format!("{home}/{folder}");
        (name.to_owned(), std::env::var(name).unwrap_or(default))
    };
    vec![of("CARGO_HOME", ".cargo"), of("RUSTUP_HOME", ".rustup")]
}

/// What both recorded sessions end with.
fn assert_parser_fixed(ran: &Ran) {
    assert_eq!(ran.code, 0, "{ran:?}");
    let expected = format!(
        "diff --git a/src/parser.py b/src/parser.py\n--- a/src/parser.py\n+++ b/src/parser.py\n{FIXED_LOOP}"
    );
    assert_eq!(ran.stdout, expected);
    assert!(ran.stderr.contains("\n✓ fixed "), "{ran:?}");
}

#[test]
fn the_typo_is_fixed_by_what_rustc_says_and_a_model_is_never_asked() {
    let env = example("rust-typo");
    let before = env.read("src/receipt.rs");
    let model = Model::serve([]);
    let homes = rust_homes();
    let mut variables = model.found_out();
    variables.extend(homes.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let outcome = env.outcome(&["fix", "--run", "cargo test --offline"], &variables);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert_eq!(outcome["provider"], "suggestions");
    assert_eq!(outcome["changed_files"], json!(["src/receipt.rs"]));
    assert_eq!((&outcome["requests"], &outcome["cost_usd"]), (&json!(0), &json!(0.0)));
    assert_eq!(model.prompts(), Vec::<String>::new());
    assert_eq!(env.read("src/receipt.rs"), before);
}

#[test]
fn recorded_sessions_fix_the_parser_in_any_folder() {
    for (name, attempts) in
        [("repair.jsonl", json!(["v2"])), ("fallback.jsonl", json!(["v2", "v1"]))]
    {
        let env = example("parser-none");
        let before = env.read("src/parser.py");
        let provider = format!("replay:{}", recording(name));
        for command in [UNITTEST, "python3 -m unittest"] {
            let arguments = ["fix", "--run", command, "--provider", &provider, "--out", "results"];
            assert_parser_fixed(&env.run(&arguments));
            let outcome: Value = serde_json::from_str(&env.read("results/outcome.json")).unwrap();
            assert_eq!(outcome["protocol"]["attempts"], attempts);
            assert_eq!(outcome["protocol"]["repair_reason"], "ERR_PATCH_APPLY_FAILED");
        }
        assert_parser_fixed(&env.run(&["replay", &recording(name)]));
        assert_eq!(env.read("src/parser.py"), before);
    }
}

#[test]
fn a_replay_of_another_tree_shows_what_is_different() {
    let env = example("parser-none");
    let source = env.read("src/parser.py");
    env.write("src/parser.py", &source.replace("no text means", "None means"));
    let ran = env.run(&["replay", &recording("repair.jsonl")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{ran:?}");
    assert!(ran.stderr.contains("does not have this request:\n- file src/parser.py "), "{ran:?}");
    assert!(ran.stderr.contains("\n+ file src/parser.py "), "{ran:?}");
}

#[test]
fn recordings_and_golden_traces_name_no_path_of_the_machine_they_were_made_on() {
    for name in ["repair.jsonl", "fallback.jsonl"] {
        let text = project_file(&format!("examples/parser-none/recordings/{name}"));
        let named: Vec<_> = ["/tmp/", "/home/", "/root/", "127.0.0.1"]
            .into_iter()
            .filter(|path| text.contains(path))
            .collect();
        assert_eq!(named, Vec::<&str>::new(), "{name}");
    }
}

#[test]
fn the_golden_traces_of_the_project_hold() {
    let env = TestEnv::new();
    for version in ["v1", "v2", "v3"] {
        let folder = project_path("golden_traces").join(version).display().to_string();
        let ran = env.run(&["trace", "check", &folder, "--format", "json"]);
        let all = ran.json();
        let broken: Vec<_> =
            all.as_array().unwrap().iter().filter(|row| row["wrong"] != json!([])).collect();
        assert_eq!((ran.code, broken), (0, vec![]));
        assert!(all.as_array().unwrap().len() >= 8, "{all:#}");
    }
}

#[test]
fn the_weekly_report_counts_real_runs() {
    let env = example("parser-none");
    let model =
        Model::serve([plan("read no text as empty text"), patch("src/parser.py", FIXED_LOOP)]);
    assert_parser_fixed(&env.run_with(&["fix", "--run", UNITTEST], &model.variables()));
    for name in ["repair.jsonl", "fallback.jsonl"] {
        assert_parser_fixed(&env.run(&["replay", &recording(name)]));
    }
    let pipeline = |line: &str| -> Vec<String> {
        let ran = env.shell(&format!("cd .papa-yu && {line}"));
        ran.stdout
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    };
    for (line, expected) in [
        (r#"grep -l '"event":"LLM_PLAN_OK"' traces/*.json 2>/dev/null | wc -l"#, &["6"][..]),
        (r#"grep '"protocol_fallback_attempted":true' traces/*.json 2>/dev/null | wc -l"#, &["1"]),
        (
            r#"grep -oh '"protocol_fallback_reason":"[^"]*"' traces/*.json 2>/dev/null | sort | uniq -c"#,
            &[r#"1 "protocol_fallback_reason":"ERR_PATCH_APPLY_FAILED""#],
        ),
        (
            r#"jq -s '[.[] | select(.event=="LLM_PLAN_OK" and .protocol_repair_attempt==0)] | length' traces/*.json 2>/dev/null"#,
            &["4"],
        ),
        (
            r#"grep -oh '"repair_injected_paths":\[[^]]*\]' traces/*.json 2>/dev/null | sort | uniq -c | sort -rn | head -20"#,
            &[r#"4 "repair_injected_paths":[]"#, r#"2 "repair_injected_paths":["src/parser.py"]"#],
        ),
    ] {
        assert_eq!(pipeline(line), expected, "{line}");
    }
}
