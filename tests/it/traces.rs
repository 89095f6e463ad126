//! A folder of traces, read by our own command and by other people's tools.

use papayu_base::domain::{EventName, Mode, RunId, Sha256, TraceId, Version};
use papayu_system::os::OsDisk;
use papayu_system::trace::{self, TraceRecord};
use serde_json::{Value, json};

use crate::fix::{CHECK, RIGHT, red};
use crate::model::{Model, patch, plan};
use crate::support::{Ran, TestEnv, project_file};

fn schema_hash() -> String {
    Sha256::of(project_file("schemas/llm_response_schema_v2.json").as_bytes()).to_string()
}

fn record(number: u32, mode: Mode) -> TraceRecord {
    let id = TraceId::new(format!("{number:08}-0000-4000-8000-000000000000"));
    let run = RunId::new("11111111-0000-4000-8000-000000000000".into());
    let mut record = TraceRecord::new(id, run, mode, Version::V2);
    record.timestamp = format!("2026-01-0{number}T00:00:00Z");
    record.event = EventName::LlmPlanOk.as_str().into();
    record.provider = "openai".into();
    record.model = "m".into();
    record.schema_hash = schema_hash();
    // Text of a reply that looks like fields of ours must not be counted as such.
    record.validated_json = Some(json!({
        "actions": [],
        "summary": "says \"event\":\"LLM_PLAN_OK\"\nand \"protocol_fallback_attempted\":true",
    }));
    record
}

/// Five exchanges: a plan, a plain change, a repaired one, one that fell back, one that failed.
fn folder_of_traces(env: &TestEnv) {
    let plan = record(1, Mode::Plan);
    let whole = record(2, Mode::Apply);
    let mut repaired = record(3, Mode::Apply);
    repaired.protocol_repair_attempt = 1;
    repaired.repair_injected_sha256 = true;
    repaired.repair_injected_paths = vec!["src/a.py".into(), "src/b.py".into()];
    let mut fallback = repaired.clone();
    fallback.trace_id = record(4, Mode::Apply).trace_id;
    fallback.timestamp = "2026-01-04T00:00:00Z".into();
    fallback.protocol_attempts = vec!["v2".into(), "v1".into()];
    fallback.protocol_fallback_attempted = true;
    fallback.protocol_fallback_reason = Some("ERR_PATCH_APPLY_FAILED".into());
    fallback.protocol_fallback_stage = Some("preview".into());
    let mut failed = record(5, Mode::Apply);
    failed.event = EventName::LlmPlanFailed.as_str().into();
    failed.validated_json = None;
    failed.error_code = Some("ERR_JSON_PARSE".into());
    failed.error = Some("the key sk-secret was refused".into());
    for record in [plan, whole, repaired, fallback, failed] {
        let mask = |text: &str| text.replace("sk-secret", "***");
        trace::write(&OsDisk, &env.repo().join(".papa-yu/traces"), &record, &mask).unwrap();
    }
}

fn lines(ran: &Ran) -> Vec<String> {
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn the_weekly_report_pipeline_works_as_it_is_written() {
    let env = TestEnv::new();
    folder_of_traces(&env);
    let pipeline = |line: &str| lines(&env.shell(&format!("cd .papa-yu && {line}")));
    assert_eq!(
        pipeline(r#"grep -l '"event":"LLM_PLAN_OK"' traces/*.json 2>/dev/null | wc -l"#),
        ["4"]
    );
    assert_eq!(
        pipeline(r#"grep '"protocol_fallback_attempted":true' traces/*.json 2>/dev/null | wc -l"#),
        ["1"]
    );
    assert_eq!(
        pipeline(
            r#"grep -oh '"protocol_fallback_reason":"[^"]*"' traces/*.json 2>/dev/null | sort | uniq -c"#
        ),
        [r#"1 "protocol_fallback_reason":"ERR_PATCH_APPLY_FAILED""#]
    );
    assert_eq!(
        pipeline(
            r#"jq -s '[.[] | select(.event=="LLM_PLAN_OK" and .protocol_repair_attempt==0)] | length' traces/*.json 2>/dev/null"#
        ),
        ["2"]
    );
    assert_eq!(
        pipeline(
            r#"grep -oh '"repair_injected_paths":\[[^]]*\]' traces/*.json 2>/dev/null | sort | uniq -c | sort -rn | head -20"#
        ),
        [r#"3 "repair_injected_paths":[]"#, r#"2 "repair_injected_paths":["src/a.py","src/b.py"]"#]
    );
    assert_eq!(pipeline("cat traces/*.json | wc -l"), ["5"]);
    assert_eq!(lines(&env.shell("cat .papa-yu/traces/*.json | grep -c sk-secret || true")), ["0"]);
}

/// The weekly report as the description of the protocol has it.
const WEEKLY: &str = r#"
# APPLY count
grep -l '"event":"LLM_PLAN_OK"' traces/*.json 2>/dev/null | wc -l

# fallback_count (protocol_fallback_attempted)
grep '"protocol_fallback_attempted":true' traces/*.json 2>/dev/null | wc -l

# breakdown по причинам
grep -oh '"protocol_fallback_reason":"[^"]*"' traces/*.json 2>/dev/null | sort | uniq -c

# repair_success (protocol_repair_attempt=0 и нет fallback в следующей трассе) — требует связки
jq -s '[.[] | select(.event=="LLM_PLAN_OK" and .protocol_repair_attempt==0)] | length' traces/*.json 2>/dev/null

# top paths по repair_injected_sha256
grep -oh '"repair_injected_paths":\[[^]]*\]' traces/*.json 2>/dev/null | sort | uniq -c | sort -rn | head -20
"#;

#[test]
fn the_weekly_block_works_on_the_traces_of_real_runs() {
    let env = red();
    let wrong = || patch("answer.py", "@@ -1,3 +1,3 @@\n # the question\n-43\n+42\n # no end\n");
    let whole = json!({"actions": [{"kind": "UPDATE_FILE", "path": "answer.py", "content": "# the answer\n42\n# the end\n"}], "summary": "rewrites it"});
    let good = || patch("answer.py", RIGHT);
    // A plan and a change, a plan and a repaired change, a plan and a change that fell back to v1.
    for change in [vec![good()], vec![wrong(), good()], vec![wrong(), wrong(), whole]] {
        let model = Model::serve([plan("write 42")].into_iter().chain(change));
        let ran = env.run_with(&["fix", "--run", CHECK], &model.variables());
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    env.write(".papa-yu/weekly.sh", WEEKLY);
    assert_eq!(
        lines(&env.shell("cd .papa-yu && bash weekly.sh")),
        [
            "6",
            "1",
            r#"1 "protocol_fallback_reason":"ERR_PATCH_APPLY_FAILED""#,
            "4",
            r#"4 "repair_injected_paths":[]"#,
            r#"2 "repair_injected_paths":["answer.py"]"#,
        ]
    );
}

#[test]
fn the_list_is_in_order_of_time_and_tells_what_is_unreadable() {
    let env = TestEnv::new();
    assert_eq!(lines(&env.run(&["trace", "show"])), [""]);
    folder_of_traces(&env);
    env.write(".papa-yu/traces/zz-broken.json", "{");
    env.write(".papa-yu/traces/note.txt", "not a trace");
    let all = lines(&env.run(&["trace", "show"]));
    assert_eq!(all.len(), 6, "{all:?}");
    assert_eq!(
        all[0],
        "zz-broken unreadable: not a trace: EOF while parsing an object at line 1 column 1"
    );
    assert_eq!(
        all[4],
        "2026-01-04T00:00:00Z 00000004-0000-4000-8000-000000000000 apply ok m (openai) v2,v1 -"
    );
    let json = env.run(&["trace", "show", "--format", "json"]).json();
    assert_eq!(json[5]["error_code"], "ERR_JSON_PARSE");
}

#[test]
fn a_trace_is_found_by_path_id_or_the_beginning_of_one() {
    let env = TestEnv::new();
    folder_of_traces(&env);
    let id = "00000004-0000-4000-8000-000000000000";
    let path = format!(".papa-yu/traces/{id}.json");
    for name in [id, "00000004", &path] {
        let ran = env.run(&["trace", "show", name, "--format", "json"]);
        assert_eq!((ran.code, &ran.json()["trace_id"]), (0, &json!(id)), "{name}");
    }
    let ran = env.run(&["trace", "show", "00000004"]);
    let protocol = "protocol   v2, then v1, because of ERR_PATCH_APPLY_FAILED";
    assert!(ran.stdout.contains(protocol), "{ran:?}");
    // Names of fields, schemas and settings are for programs.
    for inner in ["schema", "_hash", "config_", "llm."] {
        assert!(!ran.stdout.contains(inner), "{inner}: {ran:?}");
    }
    for (name, message) in [
        ("0000000", "error: 5 traces in `./.papa-yu/traces` begin with `0000000`\n"),
        ("9", "error: no trace in `./.papa-yu/traces` is called `9`\n"),
    ] {
        let ran = env.run(&["trace", "show", name]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.starts_with(message), "{ran:?}");
    }
}

#[test]
fn a_golden_trace_keeps_what_the_protocol_said_and_nothing_of_the_machine() {
    let env = TestEnv::new();
    folder_of_traces(&env);
    let ran = env.run(&["trace", "to-golden", "00000005"]);
    assert_eq!(
        (ran.code, ran.json()),
        (
            0,
            json!({
                "protocol": { "schema_version": 2, "schema_hash": schema_hash() },
                "request": {
                    "mode": "apply", "input_chars": 0, "token_budget": 0, "strict_json": false,
                    "provider": "openai", "model": "m",
                },
                "context": { "context_stats": null, "cache_stats": null },
                "result": {
                    "validated_json": null,
                    "validation_outcome": "err",
                    "error_code": "ERR_JSON_PARSE",
                },
            })
        )
    );
    // A file that `trace check` would refuse is not made.
    let ran = env.run(&["trace", "to-golden", "00000002", "--output", "golden/v2/one.json"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("makes no golden trace: `result.validated_json`"), "{ran:?}");
    assert!(ran.stderr.contains("ERR_APPLY_EMPTY_ACTIONS"), "{ran:?}");
    let mut good = record(6, Mode::Apply);
    good.validated_json = Some(valid_reply());
    let folder = env.repo().join(".papa-yu/traces");
    trace::write(&OsDisk, &folder, &good, &str::to_owned).unwrap();
    let ran = env.run(&["trace", "to-golden", "00000006", "--output", "golden/v2/one.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let golden: Value = lines_of_json(&env, "golden/v2/one.json");
    assert_eq!(env.run(&["trace", "check", "golden"]).code, 0);
    assert_eq!(golden["result"]["validation_outcome"], "ok");
}

fn lines_of_json(env: &TestEnv, path: &str) -> Value {
    env.shell(&format!("cat {path}")).json()
}

fn valid_reply() -> Value {
    json!({
        "actions": [{ "kind": "CREATE_FILE", "path": "a.txt", "content": "a\n" }],
        "summary": "adds a.txt",
    })
}

/// Makes a golden trace of a valid v2 reply and returns it.
fn golden_v2(env: &TestEnv, path: &str) -> Value {
    let mut record = record(1, Mode::Apply);
    record.validated_json = Some(valid_reply());
    let golden = papayu_batch::golden::to_golden(&record);
    env.write(path, &golden.to_string());
    golden
}

/// Returns ways to damage that golden trace: where, with what, and how the message begins.
fn damages(golden: &Value) -> Vec<(&'static str, Value, String)> {
    let current = golden["protocol"]["schema_hash"].as_str().unwrap();
    vec![
        (
            "/protocol/schema_hash",
            json!("00"),
            format!(
                "the schema of v2 has changed: its sha256 is {current}, the trace was made with `00`"
            ),
        ),
        (
            "/protocol/schema_version",
            json!(7),
            "`protocol.schema_version` is 7, expected 1, 2 or 3".into(),
        ),
        (
            "/request/mode",
            json!("ask"),
            "`request.mode` is \"ask\", expected \"plan\", \"apply\" or \"direct\"".into(),
        ),
        (
            "/result/validated_json",
            json!(null),
            "`result.validation_outcome` is ok, but there is no `validated_json`".into(),
        ),
        (
            "/result/validated_json/actions",
            json!([]),
            "`result.validated_json` is no longer valid: ERR_APPLY_EMPTY_ACTIONS: ".into(),
        ),
        (
            "/result/validated_json/actions/0/kind",
            json!("RUN"),
            "`result.validated_json` is no longer valid: ERR_SCHEMA_VALIDATION: ".into(),
        ),
        (
            "/result/validation_outcome",
            json!("err"),
            "`result.validation_outcome` is err, but there is no `error_code`".into(),
        ),
        (
            "/result/validation_outcome",
            json!("fine"),
            "`result.validation_outcome` is \"fine\", expected \"ok\" or \"err\"".into(),
        ),
        (
            "/result/error_code",
            json!("ERR_MADE_UP"),
            "`result.error_code` is \"ERR_MADE_UP\", which is no code of the protocol".into(),
        ),
        ("/context", json!({}), "`context.context_stats` is missing".into()),
    ]
}

#[test]
fn golden_traces_that_hold_pass_and_each_kind_of_damage_is_told() {
    let env = TestEnv::new();
    let ran = env.run(&["trace", "check"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: there are no golden traces in `./golden_traces`\n"));

    let golden = golden_v2(&env, "golden_traces/v2/001_good.json");
    let ran = env.run(&["trace", "check"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "1 of 1 golden traces are valid\n"));

    for (place, value, message) in damages(&golden) {
        let mut damaged = golden.clone();
        *damaged.pointer_mut(place).unwrap() = value;
        env.write("golden_traces/v2/002_damaged.json", &damaged.to_string());
        let ran = env.run(&["trace", "check"]);
        let line = format!("./golden_traces/v2/002_damaged.json: {message}");
        assert!(ran.code == 1 && ran.stdout.starts_with(&line), "{place}: {ran:?}");
        assert!(ran.stdout.ends_with("1 of 2 golden traces are valid\n"), "{ran:?}");
    }
    env.write("golden_traces/v2/002_damaged.json", "[");
    let ran = env.run(&["trace", "check", "golden_traces/v2/002_damaged.json", "--format", "json"]);
    assert_eq!(ran.code, 1);
    assert!(ran.json()[0]["wrong"][0].as_str().unwrap().starts_with("not a trace: EOF"), "{ran:?}");
}

#[test]
fn a_trace_file_follows_its_published_schema() {
    let env = TestEnv::new();
    folder_of_traces(&env);
    let schema = env.run(&["schema", "trace"]).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for number in 1..=5 {
        let path = format!(".papa-yu/traces/{number:08}-0000-4000-8000-000000000000.json");
        let trace = lines_of_json(&env, &path);
        let errors: Vec<_> = validator.iter_errors(&trace).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
}
