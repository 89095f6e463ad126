//! The features of `docs/parity.md` that are easiest to lose, each through the command line.

use serde_json::{Value, json};

use crate::fix::{CHECK, RIGHT, red};
use crate::forge_rig::{Rig, TOKEN};
use crate::model::{Model, patch, plan};
use crate::support::{TestEnv, project_file};

/// Returns lines `NAME_1 = 1` to `NAME_COUNT = COUNT`.
pub(crate) fn numbered(name: &str, count: u32) -> String {
    (1..=count).fold(String::new(), |text, line| text + &format!("{name}_{line} = {line}\n"))
}

/// Runs `fix --goal` with these replies before a good patch, and returns the prompts with stderr.
fn fix_with_goal(env: &TestEnv, goal: &str, replies: &[Value]) -> (Vec<String>, String) {
    let good = patch("answer.py", RIGHT);
    let model = Model::serve(replies.iter().cloned().chain([good]));
    let arguments = ["fix", "--goal", goal, "--run", CHECK, "--verbose"];
    let ran = env.run_with(&arguments, &model.variables());
    (model.prompts(), ran.stderr)
}

fn asking(requests: &Value) -> Value {
    json!({"actions": [], "summary": "read more", "context_requests": requests})
}

#[test]
fn a_traceback_in_the_goal_is_read_like_one_in_a_log() {
    let env = red();
    env.write("src/app.py", &numbered("value", 2_000));
    env.write("pyproject.toml", "[project]\nname = \"shop\"\n");
    let goal = "fix this:\nTraceback (most recent call last):\n  File \"src/app.py\", line 1000, in <module>\n    value_1000 = 1000\nModuleNotFoundError: No module named 'shop'";
    let (prompts, _) = fix_with_goal(&env, goal, &[plan("write 42")]);
    let first = &prompts[0];
    for shown in ["value_960 = 960\n", "value_1000 = 1000\n", "value_1035 = 1035\n"] {
        assert!(first.contains(shown), "{shown}: {first}");
    }
    assert!(!first.contains("value_1500 = 1500\n"), "{first}");
    assert!(first.contains("FILE[pyproject.toml]") && first.contains("ENV:\n"), "{first}");
}

#[test]
fn a_file_that_the_goal_names_is_shown_up_to_the_limit_of_a_file() {
    let env = red();
    env.write("src/app.py", &numbered("value", 5_000));
    let (prompts, _) = fix_with_goal(&env, "fix src/app.py", &[plan("write 42")]);
    let shown = prompts[0].matches("value_").count();
    assert!((400..1_500).contains(&shown), "{shown}");
}

#[test]
fn requested_ranges_keep_the_limits_of_a_file_and_of_the_number_of_files() {
    let env = red();
    env.write("big.py", &numbered("value", 5_000));
    env.write("long.js", &format!("{}END\n", "x".repeat(60_000)));
    let mut requests = vec![
        json!({"type": "read_file", "path": "big.py", "start_line": 1, "end_line": 4900}),
        json!({"type": "read_file", "path": "long.js"}),
    ];
    for number in 1..=8 {
        env.write(&format!("part{number}.py"), &numbered("part", 3));
        requests.push(json!({"type": "read_file", "path": format!("part{number}.py")}));
    }
    let replies = [asking(&requests.into()), plan("write 42")];
    let (prompts, stderr) = fix_with_goal(&env, "fix it", &replies);
    let answer = &prompts[1];
    assert!(answer.contains("value_1 = 1\n") && answer.contains("value_4900 = 4900\n"), "{answer}");
    assert!(!answer.contains("value_2500 = 2500\n") && answer.len() < 60_000, "{}", answer.len());
    assert!(answer.contains("characters of this line left out]...xxx"), "{answer}");
    assert!(answer.contains("xxxEND\n"), "{answer}");
    assert!(answer.contains("an answer has at most 8 files, ask again"), "{answer}");
    assert!(stderr.contains("CONTEXT_DIET_APPLIED"), "{stderr}");
}

#[test]
fn a_setting_limits_replies_to_long_requests() {
    let limit = ("PAPAYU_LLM_LONG_INPUT_MAX_TOKENS", "4096");
    for (chars, variables, tokens) in
        [(90_000, vec![limit], 4096), (100, vec![limit], 16_384), (90_000, vec![], 16_384)]
    {
        let (env, model) = (red(), Model::serve([]));
        env.write("goal.txt", &"fix the answer. ".repeat(chars / 16));
        let variables = [model.variables(), variables].concat();
        let _ = env.run_with(&["plan", "--goal-file", "goal.txt"], &variables);
        let request = &model.requests()[0];
        let sent = request.get("max_tokens").or_else(|| request.get("max_completion_tokens"));
        assert_eq!(sent, Some(&json!(tokens)), "{chars}");
    }
}

#[test]
fn an_action_without_its_patch_costs_one_repair_and_a_trace_has_the_hash_of_the_schema() {
    let env = red();
    let bare = json!({
        "actions": [{"kind": "PATCH_FILE", "path": "answer.py", "base_sha256": "@"}],
        "summary": "patches it",
    });
    let model = Model::serve([plan("write 42"), bare, patch("answer.py", RIGHT)]);
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert_eq!(model.prompts().len(), 3);
    let path = outcome["trace_paths"][0].as_str().unwrap();
    let trace: Value = serde_json::from_str(&env.read(path)).unwrap();
    assert_eq!(trace["config_snapshot"]["schema_hash"], trace["schema_hash"]);
    assert_eq!(trace["schema_hash"].as_str().unwrap().len(), 64);
}

/// Returns a repository, and a model: it asks for two files, and its first edit is refused.
fn asking_and_refused() -> (TestEnv, Model) {
    let env = red();
    env.write("other.py", &numbered("value", 3));
    let requests = json!([{"type": "read_file", "path": "other.py"}, {"type": "env"}]);
    let refused = patch("answer.py", "@@ -1,3 +1,3 @@\n # the question\n-43\n+42\n # no end\n");
    let model =
        Model::serve([asking(&requests), plan("write"), refused, patch("answer.py", RIGHT)]);
    (env, model)
}

#[test]
fn answered_requests_and_applied_and_refused_edits_are_counted() {
    let (env, model) = asking_and_refused();
    let ran = env.run_with(&["fix", "--run", CHECK, "--format", "json"], &model.variables());
    let expected = json!({"requests_answered": 2, "edits_applied": 1, "edits_refused": 1});
    assert_eq!(ran.json()["activity"], expected, "{ran:?}");
    let shown = env.run(&["runs", "show"]).stdout;
    let line = "2 requests answered, 1 edit applied, 1 edit refused";
    assert!(shown.contains(line), "{shown}");
}

#[test]
fn a_reply_that_only_changes_the_memory_needs_no_summary() {
    let env = red();
    let patch = json!({"user.ask_budget": 1, "project.package_manager": "uv"});
    let model = Model::serve([json!({"actions": [], "memory_patch": patch})]);
    let arguments = ["plan", "--goal", "fix: remember uv", "--accept-memory"];
    let ran = env.run_with(&arguments, &model.variables());
    assert_eq!((ran.code, model.prompts().len()), (1, 1), "{ran:?}");
    assert!(ran.stderr.contains("only the engineering memory changes"), "{ran:?}");
    let project: Value = serde_json::from_str(&env.read(".papa-yu/project.json")).unwrap();
    assert_eq!(project, json!({"package_manager": "uv"}));
    // Without a commit: outside of a job for a pull request the file of the folder counts.
    let model = Model::serve([]);
    let _ = env.run_with(&["plan", "--goal", "fix it"], &model.variables());
    assert!(model.requests()[0].to_string().contains("package_manager"));
}

#[test]
fn tool_calls_with_a_name_element_and_names_of_tools_in_requests_cost_no_repair() {
    let call = "<tool_call>\n<name>get_lines</name>\n<arguments>\n<path>other.py</path>\n<start>1</start>\n<end>2</end>\n</arguments>\n</tool_call>";
    let bare = "<tool_call><name>read_file</name><path>other.py</path></tool_call>";
    let invoked = "<invoke><tool_name>view_file</tool_name><parameters>{\"path\": \"other.py\"}</parameters></invoke>";
    let named = asking(&json!([{"type": "get_file_content", "file": "other.py"}]));
    let given = asking(&json!([{"name": "read_lines", "arguments": {"path": "other.py"}}]));
    for reply in [json!(call), json!(bare), json!(invoked), named, given] {
        let env = red();
        env.write("other.py", &numbered("value", 3));
        let replies = [reply.clone(), plan("write 42"), patch("answer.py", RIGHT)];
        let model = Model::serve(replies);
        let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
        assert_eq!(outcome["outcome"], "fixed", "{reply}: {outcome:#}");
        let prompts = model.prompts();
        assert_eq!(prompts.len(), 3, "{reply}");
        assert!(prompts[1].contains("FILE[other.py] (sha256="), "{reply}: {}", prompts[1]);
    }
}

#[test]
fn nothing_is_removed_recursively_although_rm_is_allowed() {
    let env = TestEnv::new();
    env.write("folder/file", "");
    env.write("single", "");
    let allow = [("PAPAYU_TOOLS_ALLOW", "rm,find,xargs,git")];
    for command in [
        "rm -r folder", "rm folder -R", "rm --recurs folder", "find folder -delete", "xargs rm -r",
        "git rm -r folder",
    ] {
        let ran = env.run_with(&["tool", "run_command", "--command", command], &allow);
        assert!(ran.code != 0 && ran.stderr.contains("is blocked"), "{command}: {ran:?}");
    }
    let ran = env.run_with(&["tool", "run_command", "--command", "rm single"], &allow);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(env.shell("test -e folder/file && ! test -e single").code, 0);
}

#[test]
fn the_index_leaves_out_built_code_and_lists_exports_entry_points_and_link_targets() {
    let env = TestEnv::new();
    for path in ["node_modules/a/index.js", "dist/a.js", "build/a.js", "app.min.js"] {
        env.write(path, "var built = 1;\n");
    }
    env.write(
        "src/a.ts",
        "export { b as c } from './b';\nexport * from './b';\nexport default class Foo {}\n",
    );
    env.write("src/b.ts", "export const b = 1;\n");
    env.write("package.json", "{\"name\": \"shop\", \"main\": \"src/a.ts\"}\n");
    assert_eq!(env.shell("ln -s src/a.ts link.ts").code, 0);
    let structure = env.run(&["tool", "get_structure"]);
    for left_out in ["node_modules", "dist/", "build/", "min.js"] {
        assert!(!structure.stdout.contains(left_out), "{structure:?}");
    }
    assert!(structure.stdout.contains("link.ts (link to src/a.ts)"), "{structure:?}");
    assert!(structure.stdout.contains("exports: c (b of ./b), * of ./b, default"), "{structure:?}");
    let outline = env.run(&["index", "outline", "src/a.ts"]);
    assert!(outline.stdout.contains("exports: c (b of ./b), * of ./b, default"), "{outline:?}");
    let hubs = env.run(&["index", "hubs"]);
    assert!(hubs.stdout.contains("entry points "), "{hubs:?}");
}

#[test]
fn doctor_begins_with_what_a_run_would_do() {
    let env = TestEnv::new();
    env.write("go.mod", "module example.com/shop\n");
    let variables = [("PAPAYU_LLM_PROVIDER", "suggestions")];
    let ran = env.run_with(&["doctor"], &variables);
    let heads = ran.stdout.lines().skip(1).take(5).map(|line| line.split(':').next().unwrap());
    let heads: Vec<_> = heads.collect();
    assert_eq!(heads, ["project", "test command", "index", "sandbox", "model"], "{ran:?}");
    for line in ["(go.mod)", "go test ./... (from go.mod)", "not built yet", "suggestions ("] {
        assert!(ran.stdout.contains(line), "{line}: {ran:?}");
    }
    assert!(ran.stdout.find("\nchecks\n") < ran.stdout.find("\nsettings: "), "{ran:?}");
}

#[test]
fn doctor_checks_the_provider_of_a_flag() {
    let env = TestEnv::new();
    let arguments =
        ["doctor", "--provider", "ollama", "--model", "qwen", "--api-url", "http://127.0.0.1:9"];
    let ran = env.run(&arguments);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stdout.contains("ollama"), "{ran:?}");
}

#[test]
fn a_branch_is_pushed_in_a_job_with_a_token_and_else_said_to_be_local() {
    let rig = Rig::new();
    let job = [("GITHUB_TOKEN", TOKEN), ("GITHUB_ACTIONS", "true")];
    let run = rig.fix_with(&["--emit", "branch"], &job);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert_eq!(rig.branches(), [run.text("branch")], "{run:?}");
    assert!(run.text("reason").contains(" of the remote"), "{run:?}");
    assert_eq!(rig.state()["pulls"], json!([]));
    for variables in [&[("GITHUB_TOKEN", TOKEN)][..], &[("GITHUB_ACTIONS", "true")]] {
        let rig = Rig::new();
        let run = rig.fix_with(&["--emit", "branch"], variables);
        assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
        assert_eq!(rig.branches(), Vec::<String>::new(), "{run:?}");
        let branch = run.text("branch");
        let notice = format!("the branch is not pushed: `git push origin {branch}` does it");
        assert_eq!(run.outcome["notices"], json!([notice]), "{run:?}");
    }
    let rig = Rig::new();
    rig.git(&["remote", "remove", "origin"]);
    let run = rig.fix_with(&["--emit", "branch"], &[]);
    let notice = "the branch is not pushed: the repository has no remote";
    assert_eq!(run.outcome["notices"], json!([notice]), "{run:?}");
}

#[test]
fn a_patch_whose_header_names_another_file_is_refused() {
    let env = red();
    env.write("values.py", "# the answer\n41\n# the end\n");
    let wrong = format!("--- a/values.py\n+++ b/values.py\n{RIGHT}");
    let reply = |text: &str| json!({"actions": [{"kind": "PATCH_FILE", "path": "answer.py", "base_sha256": "@", "patch": text}], "summary": "patches it"});
    let model = Model::serve([plan("write 42"), reply(&wrong), patch("answer.py", RIGHT)]);
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    let repair = &model.prompts()[2];
    assert!(repair.contains("with the header of `values.py`"), "{repair}");
}

#[test]
fn duplicate_keys_of_a_reply_are_named() {
    let env = red();
    let twice = json!(r#"{"actions": [], "summary": "one", "summary": "two"}"#);
    let model = Model::serve([twice, plan("write 42"), patch("answer.py", RIGHT)]);
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    let repair = &model.prompts()[1];
    assert!(repair.contains("two members of the same name: `summary`"), "{repair}");
}

#[test]
fn the_lines_of_the_trace_are_printed_where_the_environment_asks_for_traces() {
    let env = red();
    let run = |variables: &[(&str, &str)]| {
        let model = Model::serve([plan("write 42"), patch("answer.py", RIGHT)]);
        let ran = env.run_with(&["fix", "--run", CHECK], &[&model.variables(), variables].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stderr
    };
    assert!(run(&[("PAPAYU_TRACE", "1")]).contains("\n[trace] LLM_REQUEST_SENT "));
    assert!(!run(&[]).contains("[trace] "));
    assert!(!run(&[("PAPAYU_TRACE", "0")]).contains("[trace] "));
}

#[test]
fn the_second_job_of_the_gitlab_template_waits_for_a_bundle() {
    let text = project_file("examples/gitlab/papayu.gitlab-ci.yml");
    let (first, second) = text.split_once("\npapayu-publish:").unwrap();
    assert!(!first.contains("allow_failure:") && second.contains("needs: [papayu-fix]"), "{text}");
    // The commands that read the digest need no other program, and fail without a bundle.
    let template: Value = serde_saphyr::from_str(&text).unwrap();
    let script = template["papayu-fix"]["script"].as_array().unwrap();
    let lines: Vec<&str> = script[1..].iter().map(|line| line.as_str().unwrap().trim()).collect();
    let script = format!("set -e\n{}\n", lines.join("\n"));
    let env = TestEnv::new();
    env.write("papayu-out/outcome.json", "{\n  \"bundle_digest\": \"ab12\",\n  \"a\": 1\n}\n");
    let ran = env.shell(&script);
    assert_eq!((ran.code, env.read("papayu.env").as_str()), (0, "PAPAYU_DIGEST=ab12\n"), "{ran:?}");
    env.write("papayu-out/outcome.json", "{\n  \"bundle_digest\": null\n}\n");
    assert_eq!(env.shell(&script).code, 1);
}

#[test]
fn the_written_workflow_follows_the_workflows_that_exist() {
    let env = TestEnv::new();
    env.write(".github/workflows/tests.yml", "name: tests\non: [push]\njobs: {}\n");
    env.write(".github/workflows/nightly.yml", "name: nightly\non:\n  schedule: []\n");
    let ran = env.run(&["init", "--workflow"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let written = env.read(".github/workflows/papayu-fix.yml");
    assert!(written.contains("workflows: [\"tests\"]\n"), "{written}");
    assert!(!ran.stdout.contains("workflows: [ci]") && !written.contains("Copy it"), "{ran:?}");
}

#[test]
fn the_first_request_names_imports_hubs_and_entry_points() {
    let env = red();
    env.write("package.json", "{\"name\": \"shop\", \"main\": \"src/main.js\"}\n");
    env.write("src/main.js", "import { p1 } from './p1.js';\n");
    env.write("src/money.js", "export const m = 1;\n");
    for number in 1..=7 {
        env.write(
            &format!("src/p{number}.js"),
            "import { m } from './money.js';\nexport const p1 = m;\n",
        );
    }
    let (prompts, _) = fix_with_goal(&env, "fix src/p1.js", &[plan("write 42")]);
    for line in [
        "IMPORTS (files of the repository;",
        "\nsrc/p1.js imports src/money.js; is imported by src/main.js\n",
        "\nimported most: src/money.js (7 files)\n",
        "\nentry points: src/main.js, src/p2.js, ",
    ] {
        assert!(prompts[0].contains(line), "{line}: {}", prompts[0]);
    }
    let shown = env.run(&["context", "--goal", "fix src/p1.js"]).stdout;
    assert!(shown.contains("entry points: src/main.js, "), "{shown}");
    let model = Model::serve([]);
    let off = [&model.variables()[..], &[("PAPAYU_CONTEXT_GRAPH", "0")]].concat();
    let _ = env.run_with(&["plan", "--goal", "fix src/p1.js"], &off);
    assert!(!model.prompts()[0].contains("IMPORTS ("));
}

#[test]
fn the_numbers_of_each_reply_are_reported_after_it() {
    let (env, model) = asking_and_refused();
    let ran = env.run_with(&["fix", "--run", CHECK, "--verbose"], &model.variables());
    assert_eq!(ran.code, 0, "{ran:?}");
    let told: Vec<&str> =
        ran.stderr.lines().filter(|line| line.starts_with("[trace] LLM_REPLY_COUNTED ")).collect();
    let numbers = |line: &&str| {
        let parts = line.split(' ').filter_map(|part| part.split_once('='));
        let wanted = ["tokens", "requests_answered", "edits_applied", "edits_refused"];
        let parts: Vec<_> = parts.filter(|(name, _)| wanted.contains(name)).collect();
        parts.into_iter().map(|(_, value)| value.to_owned()).collect::<Vec<_>>().join(" ")
    };
    let told: Vec<String> = told.iter().map(numbers).collect();
    assert_eq!(told, ["1100 2 0 0", "1100 0 0 0", "1100 0 0 1", "1100 0 1 0"], "{}", ran.stderr);
    let outcome = env.run(&["runs", "show", "--format", "json"]).json();
    let counts = outcome["trace_paths"].as_array().unwrap().iter().map(|path| {
        let trace: Value = serde_json::from_str(&env.read(path.as_str().unwrap())).unwrap();
        trace["activity"].clone()
    });
    let activity = |answered, applied, refused| json!({"requests_answered": answered, "edits_applied": applied, "edits_refused": refused});
    assert_eq!(counts.collect::<Vec<_>>(), [activity(2, 0, 0), activity(0, 1, 1)]);
    // People read them, too.
    let model = Model::serve([plan("write"), patch("answer.py", RIGHT)]);
    let ran = red().run_with(&["fix", "--run", CHECK], &model.variables());
    assert!(ran.stderr.contains("reply: 1100 tokens in "), "{ran:?}");
    assert!(ran.stderr.contains(" s, 1 edit applied\n"), "{ran:?}");
}

#[test]
fn doctor_names_the_window_of_each_known_model() {
    let env = TestEnv::new();
    let model = |variables: &[(&str, &str)]| {
        let ran = env.run_with(&["doctor"], variables);
        ran.stdout.lines().find(|line| line.starts_with("model:")).unwrap().to_owned()
    };
    let url = ("PAPAYU_LLM_API_URL", "http://127.0.0.1:9");
    let ollama = [("PAPAYU_LLM_PROVIDER", "ollama"), url];
    let line = model(&ollama);
    assert!(line.contains("a window of 131072 tokens (known for this model), compressed from 80 % on (`context.compress` = facts)"), "{line}");
    let line = model(
        &[
            &ollama[..],
            &[("PAPAYU_LLM_CONTEXT_WINDOW", "8192"), ("PAPAYU_CONTEXT_COMPRESS", "model")],
        ]
        .concat(),
    );
    assert!(line.contains("8192 tokens (`llm.context_window`), compressed from 80 % on (`context.compress` = model)"), "{line}");
    let line = model(&[&ollama[..], &[("PAPAYU_LLM_MODEL", "mine")]].concat());
    assert!(line.contains("its window is not known, so nothing is compressed"), "{line}");
    assert!(!model(&[]).contains("window"));
}

#[test]
fn a_repeated_request_is_answered_from_the_cache() {
    let env = red();
    env.write("other.py", &numbered("value", 3));
    let ask = asking(&json!([{"type": "read_file", "path": "other.py"}]));
    let (prompts, stderr) = fix_with_goal(&env, "fix it", &[ask.clone(), ask, plan("write 42")]);
    let key = r#"key="{\"type\":\"read_file\",\"path\":\"other.py\"}""#;
    for event in ["CONTEXT_CACHE_MISS", "CONTEXT_CACHE_HIT"] {
        assert_eq!(stderr.matches(&format!("[trace] {event} {key}")).count(), 1, "{stderr}");
    }
    assert_eq!(prompts[2].matches("FILE[other.py] (sha256=").count(), 1, "{}", prompts[2]);
    assert!(prompts[2].contains("ANSWERED ABOVE"), "{}", prompts[2]);
}

#[test]
fn a_range_is_replaced_and_line_endings_are_normalized_if_the_user_wants_it() {
    let range = json!({
        "actions": [{"kind": "REPLACE_RANGE", "path": "answer.py", "base_sha256": "@", "start_line": 2, "end_line": 2, "content": "42\n"}],
        "summary": "replaces line 2",
    });
    for (variables, expected) in [
        (&[][..], "# the answer\r\n42\r\n# the end\r\n"),
        (&[("PAPAYU_NORMALIZE_EOL", "lf")], "# the answer\n42\n# the end\n"),
    ] {
        let env = red();
        env.write("answer.py", "# the answer\r\n41\r\n# the end\r\n");
        let check = env
            .read("check.sh")
            .replace("sed -n 2p answer.py", "tr -d '\\r' <answer.py | sed -n 2p");
        env.write("check.sh", &check);
        let model = Model::serve([plan("write 42"), range.clone()]);
        let arguments = ["fix", "--run", CHECK, "--emit", "worktree"];
        let ran = env.run_with(&arguments, &[&model.variables()[..], variables].concat());
        assert_eq!((ran.code, env.read("answer.py").as_str()), (0, expected), "{ran:?}");
    }
}
