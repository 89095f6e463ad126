//! Details of the features of `docs/parity.md`, each through the command line.

use serde_json::{Value, json};

use crate::fix::{CHECK, RIGHT, red};
use crate::model::{Model, patch, plan};
use crate::parity_rows::numbered;
use crate::support::TestEnv;

/// Returns `count` calls of a module, one on each line.
fn calls(count: u32) -> String {
    (1..=count).fold(String::new(), |text, line| text + &format!("register('entry {line}')\n"))
}

/// Returns a goal with a traceback of a frame at module level.
fn goal(path: &str) -> String {
    format!(
        "fix this:\nTraceback (most recent call last):\n  File \"/home/ci/{path}\", line 1000, in <module>\n    x\nNameError: name 'x' is not defined\n"
    )
}

#[test]
fn a_frame_outside_of_definitions_is_shown_with_80_lines_around_it_everywhere() {
    let nested = format!("def first():\n    return 1\n\n\n{}", calls(1_500));
    for (code, before, after) in [
        (calls(1_500), "register('entry 920')\n", "register('entry 1080')\n"),
        (numbered("value", 1_500), "value_920 = 920\n", "value_1080 = 1080\n"),
        (nested, "register('entry 916')\n", "register('entry 1076')\n"),
    ] {
        let env = red();
        env.write("src/app.py", &code);
        env.write("goal.txt", &goal("src/app.py"));
        let model = Model::serve([plan("write 42"), patch("answer.py", RIGHT)]);
        let _ =
            env.run_with(&["fix", "--goal-file", "goal.txt", "--run", CHECK], &model.variables());
        let by_goal = env.run(&["context", "--goal-file", "goal.txt"]).stdout;
        let by_log = env.run(&["context", "--log", "goal.txt"]).stdout;
        for shown in [&model.prompts()[0], &by_goal, &by_log] {
            assert!(shown.contains(before) && shown.contains(after), "{shown}");
            assert!(!shown.contains("entry 1200'") && !shown.contains("value_1200 ="), "{shown}");
        }
    }
}

#[test]
fn a_place_in_the_words_of_the_goal_is_shown_with_the_lines_around_it() {
    let env = red();
    env.write("conf/app.yaml", &numbered("key", 2_000).replace(" = ", ": "));
    for goal in ["fix conf/app.yaml:1000", "fix conf/app.yaml:1000: the value is wrong"] {
        let model = Model::serve([plan("look")]);
        let _ = env.run_with(&["plan", "--goal", goal], &model.variables());
        let context = env.run(&["context", "--goal", goal]).stdout;
        for shown in [&model.prompts()[0], &context] {
            assert!(
                shown.contains("key_920: 920\n") && shown.contains("key_1080: 1080\n"),
                "{shown}"
            );
        }
    }
}

#[test]
fn of_a_long_file_that_the_goal_names_the_head_and_the_tail_are_shown() {
    let env = red();
    env.write("src/app.py", &numbered("value", 5_000));
    let model = Model::serve([plan("write 42"), patch("answer.py", RIGHT)]);
    let ran = env.run_with(
        &["fix", "--goal", "fix src/app.py", "--run", CHECK, "--verbose"],
        &model.variables(),
    );
    let context = env.run(&["context", "--goal", "fix src/app.py"]).stdout;
    for shown in [&model.prompts()[0], &context] {
        assert!(
            shown.contains("value_1 = 1\n") && shown.contains("value_5000 = 5000\n"),
            "{shown}"
        );
        assert!(!shown.contains("value_2500 = 2500\n"), "{shown}");
    }
    let event = ran.stderr.lines().find(|line| line.contains("CONTEXT_DIET_APPLIED")).unwrap();
    assert!(event.contains("dropped=0 truncated=1"), "{event}");
}

#[test]
fn outlines_list_every_export_and_where_links_lead() {
    let env = TestEnv::new();
    let code = "const a1 = 1;\ninterface I { x: number }\nfunction f() {}\nexport { a1, f as g };\nexport type { I };\nexport interface J { y: string }\nexport default a1;\nexport { b } from './b';\n";
    env.write("src/a.ts", code);
    env.write("src/b.ts", "export const b = 1;\n");
    env.write("lib.py", "__all__ = ['one']\n\n\ndef one():\n    return 1\n");
    env.write("lib.go", "package lib\n\nfunc One() int { return 1 }\n");
    assert_eq!(env.shell("ln -s ../outside/x.ts out.ts && ln -s src/a.ts link.ts").code, 0);
    let line = "exports: a1, g (f), I, J, default (a1), b of ./b\n";
    let structure = env.run(&["tool", "get_structure"]).stdout;
    let outline = env.run(&["index", "outline", "src/a.ts"]).stdout;
    assert!(structure.contains(line) && outline.contains(line), "{structure}\n{outline}");
    assert!(structure.contains("exports: one\n"), "{structure}");
    // In Go the name of a definition shows that it is exported.
    assert!(!structure.contains("exports: One"), "{structure}");
    assert!(structure.contains("link.ts (link to src/a.ts)"), "{structure}");
    let outside = "out.ts (link to ../outside/x.ts, outside the repository)";
    assert!(structure.contains(outside), "{structure}");
}

#[test]
fn the_entry_points_of_the_first_request_are_those_of_the_index() {
    let env = TestEnv::new();
    for name in ["one", "two", "three"] {
        env.write(&format!("tools/{name}.py"), &format!("import shared\n\nprint(\"{name}\")\n"));
    }
    env.write("shared.py", "VALUE = 1\n");
    env.write("cmd/main.go", "package main\n\nfunc main() {}\n");
    let hubs = env.run(&["index", "hubs", "--format", "json"]).json();
    let entries = &hubs["entry_points"];
    let listed = ["named", "mains", "unused"].map(|kind| entries[kind].as_array().unwrap().clone());
    let paths: Vec<String> =
        listed.concat().iter().map(|path| path.as_str().unwrap().to_owned()).collect();
    assert_eq!(paths.len(), 4, "{hubs:#}");
    let context = env.run(&["context", "--goal", "fix shared.py"]).stdout;
    assert!(context.contains(&format!("entry points: {}\n", paths.join(", "))), "{context}");
}

#[test]
fn entry_points_that_manifests_name_are_listed_although_other_files_import_them() {
    let used = ("tests/test_it.py", "from shop import cli, tool\n");
    let scripts = "[project]\nname = \"shop\"\n[project.scripts]\nshop = \"shop.cli:main\"\n[project.entry-points.pytest11]\nshop = \"shop.tool\"\n";
    let poetry = "[tool.poetry.scripts]\nshop = \"shop.cli:main\"\ntool = { reference = \"shop.tool:main\", type = \"console\" }\n";
    let setup = "[options.entry_points]\nconsole_scripts =\n    shop = shop.cli:main [extra]\n    tool=shop.tool:main\n";
    for (manifest, text, root) in [
        ("pyproject.toml", scripts, "src/"),
        ("pyproject.toml", poetry, ""),
        ("setup.cfg", setup, ""),
    ] {
        let env = TestEnv::new();
        env.write(manifest, text);
        env.write(used.0, used.1);
        env.write(&format!("{root}shop/__init__.py"), "");
        for module in ["cli", "tool", "other"] {
            env.write(&format!("{root}shop/{module}.py"), "def main():\n    return 1\n");
        }
        let hubs = env.run(&["index", "hubs", "--format", "json"]).json();
        let named = json!([format!("{root}shop/cli.py"), format!("{root}shop/tool.py")]);
        assert_eq!(hubs["entry_points"]["named"], named, "{text}: {hubs:#}");
        let context = env.run(&["context", "--goal", "fix shop/cli.py"]).stdout;
        assert!(context.contains(&format!("entry points: {root}shop/cli.py, ")), "{context}");
    }
}

#[test]
fn a_step_without_a_model_is_no_apply_of_the_model_that_is_asked_next() {
    let env = red();
    let model = Model::serve([plan("write 42"), patch("answer.py", RIGHT)]);
    let variables = [&model.found_out()[..], &[("PAPAYU_TRACE", "1")]].concat();
    let outcome = env.outcome(&["fix", "--run", CHECK], &variables);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    let paths = outcome["trace_paths"].as_array().unwrap().iter();
    let traces: Vec<Value> = paths
        .map(|path| serde_json::from_str(&env.read(path.as_str().unwrap())).unwrap())
        .collect();
    let named = |trace: &Value| json!([trace["provider"], trace["model"], trace["event"]]);
    assert_eq!(named(&traces[0]), json!(["quickfix", "none", "QUICKFIX_OK"]), "{traces:#?}");
    for trace in &traces[1..] {
        assert_eq!(named(trace), json!(["openai", "scripted", "LLM_PLAN_OK"]), "{trace:#}");
    }
    let report = env.run(&["report", "--format", "json"]).json();
    assert_eq!(report["metrics"]["apply_count"], 1, "{report:#}");
}

#[test]
fn several_traces_become_a_folder_of_golden_ones() {
    let env = red();
    let model = Model::serve([plan("write 42"), patch("answer.py", RIGHT)]);
    let variables = [&model.variables()[..], &[("PAPAYU_TRACE", "1")]].concat();
    let _ = env.run_with(&["fix", "--run", CHECK], &variables);
    let names = env.shell("ls .papa-yu/traces").stdout;
    let names: Vec<&str> = names.lines().collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let files: Vec<String> = names.iter().map(|name| format!(".papa-yu/traces/{name}")).collect();
    let ids: Vec<&str> = names.iter().map(|name| name.strip_suffix(".json").unwrap()).collect();
    let both = ["trace", "to-golden", &files[0], &files[1], "--output", "golden"];
    let one = ["trace", "to-golden", ids[0], "--output", "other/"];
    let all = ["trace", "to-golden", ".papa-yu/traces", "--output", "all"];
    for (arguments, folder, count) in
        [(&both[..], "golden", 2), (&one, "other", 1), (&all, "all", 2)]
    {
        let ran = env.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
        assert!(env.read(&format!("{folder}/{}", names[0])).contains("\"protocol\""));
        let checked = env.run(&["trace", "check", folder]);
        assert_eq!(checked.code, 0, "{checked:?}");
        assert!(checked.stdout.contains(&format!("{count} of {count} golden")), "{checked:?}");
    }
    let printed = env.run(&["trace", "to-golden", ids[0], ids[1]]).stdout;
    assert_eq!(printed.matches("\"validation_outcome\"").count(), 2, "{printed}");
}

#[test]
fn a_patch_without_the_indentation_of_the_file_costs_one_repair_and_no_attempt() {
    let env = TestEnv::new();
    env.write("parser.py", "def parse(value):\n    return value.strip()\n");
    let check = "python3 -c 'import parser; assert parser.parse(None) == str()'";
    let flat = "@@ -2,1 +2,3 @@\n- return value.strip()\n+ if value is None:\n+ return \"\"\n+ return value.strip()\n";
    let good = "@@ -2,1 +2,3 @@\n-    return value.strip()\n+    if value is None:\n+        return \"\"\n+    return value.strip()\n";
    let model =
        Model::serve([plan("check for None"), patch("parser.py", flat), patch("parser.py", good)]);
    let outcome = env.outcome(&["fix", "--run", check], &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert_eq!((&outcome["attempts"], &outcome["protocol"]["repair"]), (&json!(1), &json!(true)));
    assert_eq!(outcome["protocol"]["repair_reason"], "ERR_PATCH_APPLY_FAILED");
    let repair = &model.prompts()[2];
    let reason = "the line `if value is None:` lacks the indentation of its block";
    assert!(repair.contains(reason) && repair.contains("    return value.strip()"), "{repair}");
    // One rule that moves all lines to a place that can be parsed is certain.
    let moved = "@@ -2,1 +2,3 @@\n-return value.strip()\n+if value is None:\n+    return \"\"\n+return value.strip()\n";
    let model = Model::serve([plan("check for None"), patch("parser.py", moved)]);
    let outcome = env.outcome(&["fix", "--run", check], &model.variables());
    assert_eq!(
        (&outcome["outcome"], &outcome["protocol"]["repair"]),
        (&json!("fixed"), &json!(false))
    );
}

#[test]
fn a_goal_that_needs_no_change_beside_a_passing_command_is_nothing_to_fix() {
    let nothing = json!({"actions": [], "summary": "NO_CHANGES: 42 is there already"});
    let run = |check: &str, replies: Vec<Value>| {
        let env = red();
        let model = Model::serve(replies);
        env.outcome(&["fix", "--goal", "fix: answer 42", "--run", check], &model.variables())
    };
    for replies in [vec![nothing.clone()], vec![plan("look"), nothing.clone()]] {
        let outcome = run("true", replies);
        let end = (&outcome["outcome"], &outcome["exit_code"]);
        assert_eq!(end, (&json!("nothing_to_fix"), &json!(0)), "{outcome:#}");
        let reason = "`true` passes as it is, and no change was proposed: 42 is there already";
        assert_eq!(outcome["reason"], reason);
    }
    // A command that fails, hides a failure or runs no test does not end so.
    let hides = "python3 -c 'import no_such_module' || true";
    let empty = "python3 -m unittest discover -s . || true";
    for check in [CHECK, hides, empty] {
        let outcome = run(check, vec![nothing.clone()]);
        let end = (&outcome["outcome"], &outcome["exit_code"]);
        assert_eq!(end, (&json!("not_fixed"), &json!(1)), "{check}: {outcome:#}");
    }
}

#[test]
fn keys_of_the_memory_that_are_not_saved_are_named() {
    let asked = json!({"user.output_format": "plan", "project.package_manager": "uv"});
    let reply = json!({"actions": [], "summary": "a plan", "memory_patch": asked});
    for (flag, expected) in [
        (&["--accept-memory"][..], "what is not saved: `user.output_format` ("),
        (&[], "`project.package_manager` (`--accept-memory` is not set)"),
    ] {
        let (env, model) = (red(), Model::serve([reply.clone()]));
        let arguments = [&["plan", "--goal", "fix: remember uv"], flag].concat();
        let outcome = env.outcome(&arguments, &model.variables());
        let notices = outcome["notices"].to_string();
        assert!(notices.contains(expected), "{notices}");
        assert_eq!(notices.contains("`project.package_manager` ("), flag.is_empty(), "{notices}");
    }
}

#[test]
fn doctor_names_the_kind_and_the_one_file_that_decides_it() {
    let env = TestEnv::new();
    for path in ["pyproject.toml", "setup.cfg", "requirements.txt"] {
        env.write(path, "");
    }
    let ran = env.run_with(&["doctor"], &[("PAPAYU_LLM_PROVIDER", "suggestions")]);
    let line = ran.stdout.lines().find(|line| line.starts_with("project:")).unwrap();
    assert_eq!(line.trim_start_matches("project:").trim(), "Python (pyproject.toml)");
}

#[test]
fn a_report_of_a_scanner_does_not_hide_the_failures_of_the_detected_command() {
    let env = red();
    env.write("test_answer.py", "import unittest\n\n\nclass Answer(unittest.TestCase):\n    def test_value(self):\n        self.assertEqual(open('answer.py').read().split()[3], '42')\n");
    env.write("other.py", "password = input()\n");
    let result = json!({ "ruleId": "snyk/sqli", "level": "error", "message": { "text": "SQLI-TEXT" },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "other.py" }, "region": { "startLine": 1 } } }] });
    let scan = json!({ "version": "2.1.0", "runs": [{ "tool": { "driver": { "name": "SnykCode" } }, "results": [result] }] });
    env.write("scan.sarif", &scan.to_string());
    let model = Model::serve([plan("write 42"), patch("answer.py", RIGHT)]);
    let outcome = env.outcome(&["fix", "--sarif", "scan.sarif"], &model.variables());
    let prompt = &model.prompts()[0];
    assert!(prompt.contains("test_value") && prompt.contains("SQLI-TEXT"), "{prompt}");
    let findings = outcome["findings"].as_array().map_or(0, Vec::len);
    assert_eq!(findings, 1, "it stays open: {outcome:#}");
}

#[test]
fn what_a_reply_remembers_is_saved_when_the_command_passes() {
    let env = TestEnv::new();
    let reply =
        json!({ "actions": [], "memory_patch": { "project.default_test_command": "pytest -q" } });
    let model = Model::serve([reply]);
    let goal = ["fix", "--goal", "remember that tests run with pytest -q", "--run", "true"];
    let outcome = env.outcome(&[&goal[..], &["--accept-memory"]].concat(), &model.variables());
    assert_eq!(outcome["outcome"], "nothing_to_fix", "{outcome:#}");
    assert_eq!(outcome["memory_saved"], json!(["project.default_test_command"]), "{outcome:#}");
}

#[test]
fn a_missing_module_without_a_traceback_brings_the_manifests() {
    let env = red();
    env.write("requirements.txt", "flask==3.0\n");
    env.write("log.txt", "E   ModuleNotFoundError: No module named 'flask_cors'\n");
    let goal = "fix: ImportError: cannot import name 'x' from 'y'";
    for call in [["context", "--log", "log.txt"], ["context", "--goal", goal]] {
        let shown = env.run(&call).stdout;
        assert!(shown.contains("flask==3.0"), "{shown}");
    }
}
