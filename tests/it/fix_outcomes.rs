//! What a run leaves behind: traces, and no secrets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::fix::{CHECK, good, red};
use crate::model::{KEY, Model, patch, plan};

const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

#[test]
fn each_exchange_leaves_a_trace_that_follows_its_schema() {
    let (env, model) = (red(), good());
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    let paths = outcome["trace_paths"].as_array().unwrap();
    let schema = env.run(&["schema", "trace"]).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut modes = Vec::new();
    for path in paths {
        let text = env.read(path.as_str().unwrap());
        assert_eq!(text.lines().count(), 1);
        let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(validator.is_valid(&trace), "{trace:#}");
        assert_eq!(trace["run_id"], outcome["run_id"]);
        modes.push(json!([trace["mode"], trace["event"], trace["verify"]["after"]["exit_code"]]));
    }
    assert_eq!(modes, [json!(["plan", "LLM_PLAN_OK", null]), json!(["apply", "LLM_PLAN_OK", 0])]);
}

#[test]
fn traces_are_written_only_when_they_are_wanted() {
    let (env, model) = (red(), good());
    let variables = [model.variables(), vec![("PAPAYU_TRACE", "0")]].concat();
    let outcome = env.outcome(&["fix", "--run", CHECK], &variables);
    assert_eq!((&outcome["outcome"], &outcome["trace_paths"]), (&json!("fixed"), &json!([])));
    assert_eq!(env.shell("test -e .papa-yu/traces").code, 1);
}

#[test]
fn secrets_reach_neither_the_model_nor_any_file_nor_the_screen() {
    let env = red();
    let check = env.read("check.sh");
    env.write("check.sh", &format!("echo 'using {TOKEN}'\n{check}"));
    let say = |what: &str| plan(&format!("{what}, with {TOKEN} and {KEY}"));
    let hunks = format!("@@ -1,3 +1,3 @@\n # the answer\n-41\n+42 {TOKEN}\n # the end\n");
    let model =
        Model::serve([say("one"), patch("answer.py", &hunks), say("two"), say("NO_CHANGES:")]);
    let variables = [model.variables(), vec![("PAPAYU_TRACE_RAW", "1")]].concat();
    let arguments = ["fix", "--run", CHECK, "--log-format", "json", "--record", "all.jsonl"];
    let ran = env.run_with(&arguments, &variables);
    assert_eq!(ran.code, 1, "{ran:?}");
    for secret in [TOKEN, KEY] {
        let sent: Vec<_> = model.prompts().into_iter().filter(|it| it.contains(secret)).collect();
        assert_eq!(sent, Vec::<String>::new());
        assert!(!ran.stderr.contains(secret) && !ran.stdout.contains(secret), "{ran:?}");
        let found = env.shell(&format!("grep -rl -e {secret} .papa-yu || true"));
        assert_eq!(found.stdout, "", "{secret}");
    }
}

/// Returns a value in forms that programs print, and the part of each that must not appear.
fn printed_forms(value: &str) -> Vec<(String, String)> {
    let hex: String =
        value.bytes().flat_map(|byte| [byte >> 4, byte & 15]).map(hex_digit).collect();
    let encoded = STANDARD.encode(format!("bob:{value}"));
    let middle = encoded.get(8..encoded.len() - 6).unwrap().to_owned();
    let wrapped: Vec<&str> = [value.get(..7), value.get(7..)].into_iter().flatten().collect();
    let whole = [
        value.to_owned(),
        value.chars().rev().collect(),
        hex,
        url::form_urlencoded::byte_serialize(value.as_bytes()).collect(),
        serde_json::to_string(value).unwrap().trim_matches('"').to_owned(),
        value.replace('&', "&amp;").replace('"', "&quot;"),
        wrapped.join("\n"),
        wrapped.join("\x1b[31m"),
    ];
    whole.map(|text| (text.clone(), text)).into_iter().chain([(encoded, middle)]).collect()
}

fn hex_digit(digit: u8) -> char {
    char::from_digit(digit.into(), 16).unwrap()
}

#[test]
fn a_secret_of_environment_files_or_log_leaves_in_no_form_by_no_way() {
    let env = red();
    let secrets =
        ["tin9&violet\"moor", "heather7/quartz+lane", "ambr4-lichen'fold", "zinc2-orchard-pier"];
    let [token, address, netrc, told] = secrets;
    let line = format!("machine h login u password {netrc}");
    assert_eq!(env.shell(&format!("echo \"{line}\" > $HOME/.netrc")).code, 0);
    let forms: Vec<_> = secrets.into_iter().flat_map(printed_forms).collect();
    let lines =
        forms.iter().map(|(text, _)| format!("answer.py:2: error: <<{text}>> is refused\n"));
    let log = lines.collect::<String>();
    env.write("log.in", &log);
    env.write("check.sh", &format!("cat log.in\n{}", env.read("check.sh")));
    let model = Model::serve([plan("NO_CHANGES: nothing")]);
    let url = format!("postgres://app:{}@db/x", address.replace('/', "%2F"));
    let summary = env.repo().join("summary.out");
    let outputs = env.repo().join("outputs.out");
    let variables = [
        model.variables(),
        vec![
            ("MY_SERVICE_TOKEN", token),
            ("OTHER_SECRET", address),
            ("PAPAYU_SNYK_TOKEN", told),
            ("DATABASE_URL", url.as_str()),
            ("PAPAYU_TRACE_RAW", "1"),
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
            ("GITHUB_OUTPUT", outputs.to_str().unwrap()),
        ],
    ]
    .concat();
    let files = ["--junit-out", "j.out", "--sarif-out", "s.out", "--record", "r.out"];
    let arguments =
        [&["fix", "--run", CHECK, "--log-format", "json", "--out", "results.out"], &files[..]]
            .concat();
    let ran = env.run_with(&arguments, &variables);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(model.prompts().iter().any(|prompt| prompt.contains("is refused")));
    let written = env.tree().into_iter().filter(|(path, _)| !path.ends_with("log.in"));
    let mut leaves: Vec<_> = written
        .map(|(path, (_, bytes))| {
            (path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect();
    assert!(leaves.len() > 8, "{leaves:?}");
    leaves.extend(model.prompts().into_iter().map(|prompt| ("request".to_owned(), prompt)));
    leaves.push(("stdout".to_owned(), ran.stdout));
    leaves.push(("stderr".to_owned(), ran.stderr));
    for (place, text) in &leaves {
        // A file may write the value as a string of JSON.
        for (_, part) in &forms {
            let in_json = serde_json::to_string(part).unwrap();
            let in_json = in_json.get(1..in_json.len() - 1).unwrap();
            assert!(!text.contains(part) && !text.contains(in_json), "{part:?} in {place}: {text}");
        }
    }
}

#[test]
fn a_plan_and_a_recording_hold_no_secrets() {
    let env = red();
    env.write("check.sh", &format!("echo 'answer.py:2: error: {TOKEN} is refused'\nexit 1\n"));
    let model = Model::serve([plan(&format!("renew {TOKEN}"))]);
    let arguments = ["plan", "--run", CHECK, "--record", "plan.jsonl"];
    let arguments = [&arguments[..], &["--out", "results"]].concat();
    let ran = env.run_with(&arguments, &model.variables());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains(" is refused"), "{ran:?}");
    for text in [&ran.stdout, &ran.stderr, &env.read("results/plan.json")] {
        assert!(!text.contains(TOKEN), "{ran:?}");
    }
    // What a model itself says is kept as it was said: a replay must hear the same.
    let recording = env.read("plan.jsonl");
    assert_eq!(recording.matches(TOKEN).count(), 1, "{recording}");
}
