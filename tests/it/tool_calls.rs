//! Replies that call tools, in the forms of published chat templates: each `NAME.txt` of `tests/tool_calls` becomes
//! the actions and context requests of `NAME.json`, or is refused with its error code.
#![expect(clippy::disallowed_methods, reason = "the tests read files and measure time themselves")]

use std::fs;
use std::path::Path;

use papayu_base::domain::Version;
use papayu_patch::protocol::{PlanReply, decode_plan_reply};
use serde_json::{Value, json};

use crate::model::Model;
use crate::tools::shop;

fn decode(version: Version, text: &str) -> Value {
    match decode_plan_reply(version, text) {
        Ok((reply, _)) => {
            let (PlanReply::Plan(plan) | PlanReply::Change(_, plan)) = reply;
            let value = plan.validated;
            let field = |name: &str| value.get(name).cloned().unwrap_or_else(|| json!([]));
            json!({
                "actions": field("actions"),
                "context_requests": field("context_requests"),
                "summary": value["summary"],
            })
        }
        Err(refusal) => json!({ "error": refusal.code.as_str(), "reason": refusal.reason }),
    }
}

#[test]
fn each_reply_becomes_the_actions_and_requests_that_it_stands_for() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tool_calls");
    let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|end| end == "txt"));
    names.sort();
    let wrong: Vec<String> = names
        .iter()
        .filter_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let expected = fs::read_to_string(path.with_extension("json")).unwrap();
            let expected: Value = serde_json::from_str(&expected).unwrap();
            let decoded = decode(Version::V3, &text);
            let differs = expected
                .as_object()
                .unwrap()
                .iter()
                .any(|(field, value)| decoded.get(field) != Some(value));
            differs.then(|| format!("{}: {decoded}", path.display()))
        })
        .collect();
    assert!(names.len() >= 40, "{}", names.len());
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_flood_of_marks_and_brackets_takes_linear_time() {
    let started = std::time::Instant::now();
    for part in [
        "<tool_call>",
        "<function=a><parameter=b></parameter>",
        "{",
        "{\"",
        "[TOOL_CALLS]",
        "```json\n",
    ] {
        let text = part.repeat(500_000 / part.len());
        assert!(decode_plan_reply(Version::V2, &text).is_err());
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn a_change_by_tool_calls_is_applied_and_proved() {
    let edit = json!([
        { "name": "edit_lines", "arguments": {
            "path": "src/money.py", "start": 14, "end": 14, "content": "    return sum(coins)" } },
        { "name": "run_tests", "arguments": {} },
    ]);
    let read = "I look at the code.\n<tool_call>\n<function=get_lines>\n<parameter=path>\nsrc/money.py\n\
        </parameter>\n</function>\n</tool_call>";
    let env = shop();
    let model = Model::serve([json!(read), json!(format!("[TOOL_CALLS]{edit}"))]);
    let run = ["fix", "--run", "python3 -m unittest", "--emit", "worktree"];
    let outcome = env.outcome(&run, &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome}");
    assert!(env.read("src/money.py").ends_with("    return sum(coins)\n"));
    let prompts = model.prompts();
    assert_eq!(prompts.len(), 2);
}

#[test]
fn an_edit_by_old_and_new_text_that_occurs_once_is_proved_in_v2_as_in_v3() {
    let old = shop().read("src/money.py").lines().last().map(str::to_owned).unwrap_or_default();
    let edit = json!({ "name": "edit_file", "arguments": {
        "path": "src/money.py", "old": old, "new": "    return sum(coins)" } });
    for version in ["2", "3"] {
        let env = shop();
        let plan = crate::model::plan("return the sum");
        let model = Model::serve([plan, json!(format!("[TOOL_CALLS][{edit}]"))]);
        let variables = [&model.variables()[..], &[("PAPAYU_PROTOCOL_VERSION", version)]].concat();
        let run = ["fix", "--run", "python3 -m unittest", "--emit", "worktree"];
        let outcome = env.outcome(&run, &variables);
        assert_eq!(outcome["outcome"], "fixed", "{version}: {outcome}");
        assert!(env.read("src/money.py").ends_with("    return sum(coins)\n"), "{version}");
        assert_eq!(model.prompts().len(), 2, "nothing was asked again in v{version}");
    }
}
