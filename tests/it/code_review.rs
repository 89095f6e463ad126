//! Reviews: their remarks in every form, what is left out, and that nothing is changed.

use serde_json::{Value, json};

use crate::fix::{WRONG, red};
use crate::model::{Model, plan};
use crate::support::TestEnv;

fn remark(path: &str, line: i64, severity: &str, text: &str) -> Value {
    json!({"path": path, "line": line, "severity": severity, "text": text})
}

fn remarks(list: &[Value]) -> Value {
    json!({"summary": "The answer is wrong.", "remarks": list})
}

fn review(env: &TestEnv, model: &Model, goal: &str, more: &[(&str, &str)]) -> Value {
    let variables = [model.variables(), more.to_vec()].concat();
    env.outcome(&["fix", "--goal", goal, "--sarif-out", "review.sarif"], &variables)
}

#[test]
fn remarks_are_reported_in_every_form_and_those_without_a_line_are_left_out() {
    let list = [
        remark("answer.py", 2, "error", "the answer is 42"),
        remark("./answer.py", 1, "note", "say which question"),
        remark("answer.py", 44, "error", "outside"),
        remark("missing.py", 1, "warning", "no such file"),
        remark("../../etc/passwd", 1, "error", "outside of the repository"),
        remark(".git/config", 1, "error", "hidden"),
    ];
    let env = red();
    let model = Model::serve([plan("look at answer.py"), remarks(&list)]);
    let outcome = review(&env, &model, "сделай ревью answer.py", &[]);
    assert_eq!(outcome["outcome"], "planned", "{outcome}");
    assert_eq!((&outcome["exit_code"], &outcome["verified"]), (&json!(0), &json!(false)));
    let reason = "the review has 1 error and 1 note; nothing was changed";
    assert_eq!(outcome["reason"], reason);
    let kept = &outcome["review"]["remarks"];
    assert_eq!(kept[0], list[0]);
    assert_eq!(kept.as_array().unwrap().len(), 2);
    let dropped: Vec<&str> = outcome["review"]["dropped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["reason"].as_str().unwrap())
        .collect();
    assert_eq!(dropped[..2], ["the file has 3 lines", "the file does not exist"]);
    assert_eq!(dropped.len(), 4);
    assert!(outcome["notices"].to_string().contains("a remark on `answer.py:44` was left out"));
    let report = env.read("results/report.md");
    assert!(
        report.contains("### Remarks (2)\n\n- `answer.py:2` error: `the answer is 42`"),
        "{report}"
    );
    assert!(report.contains("The answer is wrong."), "{report}");
    let sarif: Value = serde_json::from_str(&env.read("review.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let facts = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap().to_owned();
        (result["level"].as_str().unwrap().to_owned(), uri, place["region"]["startLine"].clone())
    };
    let expected = [("error", 2), ("note", 1)]
        .map(|(level, line)| (level.to_owned(), "answer.py".to_owned(), json!(line)));
    assert_eq!(results.iter().map(facts).collect::<Vec<_>>(), expected);
    assert_eq!(env.read("answer.py"), WRONG);
    assert_eq!(outcome["plan_path"], Value::Null);
    let prompts = model.prompts();
    assert!(prompts[0].contains("The goal asks for a review"), "{}", prompts[0]);
    assert!(prompts[1].contains("## REVIEW\n"), "{}", prompts[1]);
}

#[test]
fn a_runner_of_github_gets_annotations_and_a_review_without_remarks_has_nothing_to_fix() {
    let env = red();
    let list = [remark("answer.py", 2, "warning", "the answer\nis 42")];
    let model = Model::serve([plan("look"), remarks(&list)]);
    let variables = [model.variables(), vec![("GITHUB_ACTIONS", "true")]].concat();
    let ran = env.run_with(&["fix", "--goal", "review: answer.py"], &variables);
    assert_eq!(ran.code, 0, "{ran:?}");
    let all = format!("{}{}", ran.stdout, ran.stderr);
    let line = "::warning file=answer.py,line=2,title=review::the answer%0Ais 42";
    assert!(all.contains(line), "{all}");

    let model = Model::serve([plan("look"), remarks(&[])]);
    let outcome = review(&red(), &model, "Review answer.py", &[]);
    assert_eq!((&outcome["outcome"], &outcome["exit_code"]), (&json!("nothing_to_fix"), &json!(0)));
    assert_eq!(outcome["reason"], "the review has no remarks");
}

#[test]
fn a_reply_without_the_form_is_asked_for_once_more_and_then_refused() {
    let model = Model::serve([plan("look"), json!("All is well."), remarks(&[])]);
    let outcome = review(&red(), &model, "review: all", &[]);
    assert_eq!((&outcome["outcome"], &outcome["requests"]), (&json!("nothing_to_fix"), &json!(3)));
    assert!(model.prompts()[2].contains("ERR_JSON_EXTRACT"), "{}", model.prompts()[2]);

    let model = Model::serve([plan("look"), json!("Fine."), json!("Fine.")]);
    let outcome = review(&red(), &model, "review: all", &[]);
    assert_eq!(outcome["outcome"], "rejected", "{outcome}");
    assert_eq!(outcome["review"], Value::Null);

    let model = Model::serve([plan("look")]);
    let outcome = review(&red(), &model, "review: all", &[]);
    assert_eq!(outcome["outcome"], "provider_error", "{outcome}");
}

#[test]
fn a_review_needs_a_model_and_shows_the_change_against_the_base() {
    let env = red();
    let ran = env.run_with(&["fix", "--goal", "review: all"], &[]);
    assert!(ran.code == 2 && ran.stderr.contains("PAPAYU_LLM_API_URL"), "{ran:?}");
    let commands = "git init -q -b main && git add -A && git -c user.name=a -c user.email=a@b commit -qm one \
        && git checkout -qb work && sed -i s/41/40/ answer.py \
        && git -c user.name=a -c user.email=a@b commit -qam two";
    assert_eq!(env.shell(commands).code, 0);
    let model = Model::serve([plan("look"), remarks(&[])]);
    review(&env, &model, "review: the change", &[("PAPAYU_BASE", "main")]);
    let prompt = model.prompts().remove(0);
    assert!(prompt.contains("DIFF since main (untrusted"), "{prompt}");
    assert!(prompt.contains("-41\n+40\n"), "{prompt}");
}
