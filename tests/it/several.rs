//! Whole runs that ask several models at once: merged, combined, down, slow, hostile.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]
#![expect(clippy::disallowed_methods, reason = "a test removes its own files")]

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::fix::{CHECK, RIGHT, red};
use crate::model::{Model, patch};
use crate::support::TestEnv;

/// A change that does not help.
const WRONG: &str = "@@ -1,3 +1,3 @@\n # the answer\n-41\n+43\n # the end\n";
/// The key of one provider; another one must never see it.
const KEY_A: &str = "sk-provider-a-77d1c02e";

/// Returns the list for `PAPAYU_LLM_PROVIDERS`.
fn list(models: &[(&str, &str, &str)]) -> String {
    let models: Vec<Value> = models
        .iter()
        .map(|(url, model, key)| json!({"url": url, "model": model, "api_key": key}))
        .collect();
    json!(models).to_string()
}

fn fix(env: &TestEnv, providers: &str, more: &[(&str, &str)]) -> Value {
    let named = [
        ("PAPAYU_LLM_PROVIDERS", providers),
        ("PAPAYU_LLM_PROVIDER", "openai"),
        ("PAPAYU_JUDGE", "off"),
    ];
    env.outcome(&["fix", "--run", CHECK], &[&named[..], more].concat())
}

/// Returns the address of a server that takes a request and answers in `part`s for ever.
fn endless(part: &'static [u8], pause: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
                let _ = stream.write_all(head.as_bytes());
                while stream.write_all(part).is_ok() {
                    thread::sleep(pause);
                }
            });
        }
    });
    url
}

fn summaries(outcome: &Value) -> Vec<[Value; 4]> {
    let providers = outcome["providers"].as_array().unwrap().iter();
    let fields = ["model", "replies", "failures", "cost_usd"];
    providers.map(|it| fields.map(|field| it[field].clone())).collect()
}

#[test]
fn one_down_and_one_slow_do_not_fail_a_run_with_an_aggregator() {
    let env = red();
    let slow = endless(b" ", Duration::from_millis(200));
    let down =
        format!("http://{}/v1", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let (one, two) =
        (Model::serve([patch("answer.py", WRONG)]), Model::serve([patch("answer.py", RIGHT)]));
    let combining = Model::serve([patch("answer.py", RIGHT)]);
    let providers = list(&[
        (&down, "gpt-4o", "k1"),
        (&slow, "gpt-5", "k2"),
        (one.url(), "gpt-4.1", KEY_A),
        (two.url(), "o3", "k4"),
    ]);
    let more = [
        ("PAPAYU_LLM_AGGREGATOR_URL", combining.url()),
        ("PAPAYU_LLM_AGGREGATOR_MODEL", "no-price"),
        ("PAPAYU_LLM_TIMEOUT_SEC", "5"),
    ];
    let outcome = fix(&env, &providers, &more);
    assert_eq!(outcome["outcome"], "fixed", "{outcome}");
    let expected = [
        [json!("gpt-4o"), json!(0), json!(1), json!(0.0)],
        [json!("gpt-5"), json!(0), json!(1), json!(0.0)],
        [json!("gpt-4.1"), json!(1), json!(0), json!(0.0028)],
        [json!("o3"), json!(1), json!(0), json!(0.0028)],
        [json!("no-price"), json!(1), json!(0), Value::Null],
    ];
    assert_eq!(summaries(&outcome), expected);
    assert_eq!(outcome["tokens"]["output"], 300);
    assert_eq!(outcome["cost_usd"], Value::Null);
    assert_eq!(outcome["merge_conflicts"], Value::Null);
    let trace: Value =
        serde_json::from_str(&env.read(outcome["trace_paths"][0].as_str().unwrap())).unwrap();
    assert_eq!(trace["providers"], outcome["providers"]);
    let notices = outcome["notices"].to_string();
    assert!(notices.contains("gpt-5 of openai failed 1 of 1 times: no answer"), "{notices}");
    let prompt = combining.prompts().remove(0);
    assert!(prompt.contains("Reply 2, of o3:") && prompt.contains("+43"), "{prompt}");
}

#[test]
fn plans_are_merged_and_conflicts_listed_and_the_run_can_be_replayed() {
    let env = red();
    let more = json!({
        "summary": "adds a note",
        "actions": [
            {"kind": "CREATE_FILE", "path": "ANSWER.py", "content": "43\n"},
            {"kind": "CREATE_FILE", "path": "notes.md", "content": "42\n"},
        ],
    });
    let (one, two) = (Model::serve([patch("answer.py", RIGHT)]), Model::serve([more]));
    let providers = list(&[(one.url(), "gpt-4.1", KEY_A), (two.url(), "o3", "k2")]);
    let named = [
        ("PAPAYU_LLM_PROVIDERS", providers.as_str()),
        ("PAPAYU_LLM_PROVIDER", "openai"),
        ("PAPAYU_JUDGE", "off"),
    ];
    let arguments = ["fix", "--run", CHECK, "--record", "session.jsonl"];
    let outcome = env.outcome(&arguments, &named);
    assert_eq!(outcome["outcome"], "fixed", "{outcome}");
    assert_eq!(outcome["changed_files"], json!(["answer.py", "notes.md"]));
    let conflict = json!([{"path": "ANSWER.py", "kept": "gpt-4.1", "dropped": "o3"}]);
    assert_eq!(outcome["merge_conflicts"], conflict);
    assert_eq!((&outcome["requests"], &outcome["cost_usd"]), (&json!(2), &json!(0.0056)));
    let recording = env.read("session.jsonl");
    assert!(!recording.contains(KEY_A), "{recording}");
    std::fs::remove_file(env.repo().join("session.jsonl")).unwrap();
    let again = red();
    again.write("session.jsonl", &recording);
    let replayed =
        again.outcome(&["fix", "--run", CHECK, "--provider", "replay:session.jsonl"], &[]);
    for field in
        ["outcome", "changed_files", "merge_conflicts", "providers", "requests", "cost_usd"]
    {
        assert_eq!(replayed[field], outcome[field], "{field}");
    }
}

#[test]
fn a_hostile_provider_changes_nothing_and_learns_nothing() {
    let env = red();
    let hostile = json!({
        "summary": format!("send {KEY_A} to me"),
        "actions": [
            {"kind": "CREATE_FILE", "path": ".git/hooks/pre-commit", "content": "curl evil"},
            {"kind": "CREATE_FILE", "path": "key.txt", "content": KEY_A},
        ],
    });
    let (one, two) = (Model::serve([patch("answer.py", RIGHT)]), Model::serve([hostile]));
    let huge = endless(&[b'x'; 8192], Duration::ZERO);
    let providers =
        list(&[(two.url(), "bad", "k2"), (one.url(), "good", KEY_A), (&huge, "huge", "k3")]);
    let outcome = fix(&env, &providers, &[("PAPAYU_PROTOCOL_FALLBACK_TO_V1", "0")]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome}");
    assert_eq!(outcome["changed_files"], json!(["answer.py"]));
    assert!(!outcome.to_string().contains(KEY_A), "{outcome}");
    let huge = &outcome["providers"][2];
    assert_eq!((&huge["model"], &huge["replies"]), (&json!("huge"), &json!(0)), "{outcome}");
    assert!(
        !env.repo().join(".git/hooks/pre-commit").exists() && !env.repo().join("key.txt").exists()
    );
    for model in [&one, &two] {
        let sent: String = model.requests().iter().map(Value::to_string).collect();
        assert!(!sent.contains(KEY_A), "{sent}");
    }
}

#[test]
fn when_all_fail_the_run_fails_and_the_limits_cover_all() {
    let (one, two) =
        (Model::serve([]), Model::serve([json!({"refusal": format!("bad key {KEY_A}")})]));
    let providers = list(&[(one.url(), "a", KEY_A), (two.url(), "b", "k2")]);
    let outcome = fix(&red(), &providers, &[]);
    assert_eq!(outcome["outcome"], "provider_error", "{outcome}");
    assert_eq!(outcome["requests"], 2);
    let reason = outcome["reason"].as_str().unwrap();
    assert!(reason.contains("no provider answered: a of openai:"), "{reason}");
    assert!(!outcome.to_string().contains(KEY_A), "{outcome}");

    let outcome = fix(&red(), &providers, &[("PAPAYU_MAX_REQUESTS", "1")]);
    assert_eq!(outcome["requests"], 0);
    let reason = "the limit of 1 request is reached for 2 providers at once";
    assert!(outcome["reason"].as_str().unwrap().contains(reason), "{outcome}");
}

#[test]
fn the_list_is_the_users_and_a_key_may_be_a_variable() {
    let env = red();
    let model = Model::serve([patch("answer.py", RIGHT)]);
    env.write(
        "papayu.toml",
        "[llm]\nproviders = '[{\"url\":\"http://evil.example\",\"model\":\"m\"}]'\n",
    );
    let ran = env.run_with(&["fix", "--run", CHECK], &[]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.stderr.contains("`llm.providers`") && !ran.stderr.contains("evil.example"),
        "{ran:?}"
    );
    std::fs::remove_file(env.repo().join("papayu.toml")).unwrap();
    let providers = list(&[(model.url(), "m", "$MY_MODEL")]);
    let unset = env.run_with(&["fix", "--run", CHECK], &[("PAPAYU_LLM_PROVIDERS", &providers)]);
    assert!(unset.stderr.contains("names no environment variable that is set"), "{unset:?}");
    assert!(model.requests().is_empty());
    let outcome = fix(&env, &providers, &[("MY_MODEL", KEY_A)]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome}");
}

/// Returns the model, the failures and the error of each provider.
fn failures(outcome: &Value) -> Vec<(String, u64, String)> {
    let providers = outcome["providers"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    providers
        .map(|it| (text(&it["model"]), it["failures"].as_u64().unwrap(), text(&it["error"])))
        .collect()
}

#[test]
fn a_change_that_cannot_be_applied_does_not_win_over_one_that_can() {
    let stale = json!({"summary": "s", "actions": [{
        "kind": "PATCH_FILE", "path": "answer.py", "base_sha256": "0".repeat(64), "patch": RIGHT,
    }]});
    let misplaced =
        patch("answer.py", "@@ -1,3 +1,3 @@\n # the question\n-40\n+42\n # the start\n");
    let forbidden = json!({"summary": "s", "actions": [
        {"kind": "CREATE_FILE", "path": ".git/hooks/pre-commit", "content": "curl evil"},
    ]});
    let conflict = json!([{"path": "answer.py", "kept": "good", "dropped": "bad"}]);
    for (bad, code, conflicts) in [
        (stale, "ERR_BASE_SHA256_NOT_FROM_CONTEXT", conflict.clone()),
        (misplaced, "ERR_PATCH_APPLY_FAILED", conflict),
        (forbidden, "FORBIDDEN_PATH", Value::Null),
    ] {
        let (one, two) = (Model::serve([bad]), Model::serve([patch("answer.py", RIGHT)]));
        let providers = list(&[(one.url(), "bad", "k1"), (two.url(), "good", "k2")]);
        let outcome = fix(&red(), &providers, &[]);
        assert_eq!(outcome["outcome"], "fixed", "{outcome}");
        assert_eq!(outcome["requests"], 2);
        assert_eq!(outcome["merge_conflicts"], conflicts);
        let facts = failures(&outcome);
        assert!(facts[0].1 == 1 && facts[0].2.contains(code), "{facts:?}");
        assert_eq!(facts[1], ("good".to_owned(), 0, String::new()));
    }
}

#[test]
fn changes_that_can_be_applied_only_one_by_one_are_not_merged() {
    let of = |actions: Vec<Value>| json!({"summary": "s", "actions": actions});
    let right = patch("answer.py", RIGHT)["actions"][0].clone();
    // A run takes at most 200 actions.
    let new_files = |from: u32| {
        let file =
            |at| json!({"kind": "CREATE_FILE", "path": format!("data{at}.txt"), "content": "1\n"});
        (from..from + 120).map(file)
    };
    let one = Model::serve([of(std::iter::once(right).chain(new_files(0)).collect())]);
    let two = Model::serve([of(new_files(500).collect())]);
    let providers = list(&[(one.url(), "one", "k1"), (two.url(), "two", "k2")]);
    let outcome = fix(&red(), &providers, &[]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome}");
    assert_eq!(outcome["changed_files"].as_array().unwrap().len(), 121);
    let conflict = json!({"path": "data500.txt", "kept": "one", "dropped": "two"});
    assert_eq!(outcome["merge_conflicts"][0], conflict);
}

#[test]
fn an_aggregator_is_not_asked_for_equal_replies_or_beyond_a_limit() {
    let right = || Model::serve([patch("answer.py", RIGHT)]);
    let combining = Model::serve([]);
    let named =
        [("PAPAYU_LLM_AGGREGATOR_URL", combining.url()), ("PAPAYU_LLM_AGGREGATOR_MODEL", "gpt-4o")];
    let (one, two) = (right(), right());
    // One model at two addresses has a record for each.
    let providers = list(&[(one.url(), "m", "k1"), (two.url(), "m", "k2")]);
    let outcome = fix(&red(), &providers, &named);
    assert_eq!(outcome["outcome"], "fixed", "{outcome}");
    assert_eq!(summaries(&outcome).len(), 2);

    let (one, two) = (Model::serve([patch("answer.py", WRONG)]), right());
    let providers = list(&[(two.url(), "gpt-4.1", "k1"), (one.url(), "o3", "k2")]);
    let more = [&named[..], &[("PAPAYU_MAX_COST", "0.005")]].concat();
    let outcome = fix(&red(), &providers, &more);
    assert_eq!(outcome["outcome"], "fixed", "{outcome}");
    assert!(combining.requests().is_empty());
    let notices = outcome["notices"].to_string();
    assert!(notices.contains("not asked: the limit of $0.005 is reached"), "{notices}");
}

#[test]
fn a_second_model_is_asked_after_the_list() {
    let second = Model::serve([patch("answer.py", RIGHT)]);
    let (one, two) =
        (Model::serve([patch("answer.py", WRONG)]), Model::serve([patch("answer.py", WRONG)]));
    let providers = list(&[(one.url(), "a", "k1"), (two.url(), "b", "k2")]);
    let more = [
        ("PAPAYU_LLM_SECOND_MODEL", "strong"),
        ("PAPAYU_LLM_SECOND_API_URL", second.url()),
        ("PAPAYU_LLM_SECOND_API_KEY", KEY_A),
    ];
    let outcome = fix(&red(), &providers, &more);
    assert_eq!(outcome["outcome"], "fixed", "{outcome}");
    assert_eq!((&outcome["model"], &outcome["attempts"]), (&json!("strong"), &json!(2)));
    assert!(second.prompts()[0].contains("ATTEMPT 1"), "{:?}", second.prompts());
    let asked = |model: &Model| model.requests().len();
    assert_eq!((asked(&one), asked(&two), asked(&second)), (1, 1, 1));
}

#[test]
fn a_missing_key_is_named_by_its_own_setting() {
    let model = Model::serve([]);
    let listed = list(&[(model.url(), "m", "k1")]);
    let keyless = list(&[(model.url(), "m", "k1"), ("https://api.anthropic.com", "claude", "")]);
    for (variables, said) in [
        (
            vec![("PAPAYU_LLM_PROVIDERS", listed.as_str()), ("PAPAYU_LLM_AGGREGATOR_MODEL", "x")],
            "no key for api.openai.com; set `PAPAYU_LLM_AGGREGATOR_KEY`, or the address of another server in `PAPAYU_LLM_AGGREGATOR_URL`",
        ),
        (
            vec![("PAPAYU_LLM_PROVIDERS", keyless.as_str())],
            "no key for api.anthropic.com; set its `api_key` in `PAPAYU_LLM_PROVIDERS`",
        ),
        (
            vec![
                ("PAPAYU_LLM_PROVIDERS", listed.as_str()),
                ("PAPAYU_LLM_SECOND_MODEL", "x"),
                ("PAPAYU_LLM_SECOND_API_URL", "https://api.openai.com"),
            ],
            "no key for api.openai.com; set `PAPAYU_LLM_SECOND_API_KEY`",
        ),
    ] {
        let ran = red().run_with(&["fix", "--run", CHECK], &variables);
        assert!(ran.code == 2 && ran.stderr.contains(said), "{ran:?}");
    }
    assert!(model.requests().is_empty());
}

#[test]
fn research_is_offered_if_no_model_answers_and_one_is_too_slow() {
    let slow = endless(b" ", Duration::from_millis(50));
    let down = "http://127.0.0.1:9/v1".to_owned();
    let end = |models: &[(&str, &str, &str)]| {
        let more = [("PAPAYU_LLM_TIMEOUT_SEC", "1"), ("PAPAYU_ONLINE_RESEARCH", "1")];
        let outcome = fix(&red(), &list(models), &more);
        assert_eq!(outcome["outcome"], "provider_error", "{outcome}");
        outcome.to_string().contains("online research may help")
    };
    assert!(end(&[(&slow, "a", "k"), (&down, "b", "k")]));
    assert!(!end(&[(&down, "b", "k")]), "a server that is down is no question for research");
}

#[test]
fn a_model_beside_the_list_and_an_aggregator_without_it_are_named_as_unused() {
    let model = Model::serve([patch("answer.py", RIGHT)]);
    let providers = list(&[(model.url(), "a", "k")]);
    let variables = [
        ("PAPAYU_LLM_PROVIDERS", providers.as_str()),
        ("PAPAYU_LLM_PROVIDER", "openai"),
        ("PAPAYU_JUDGE", "off"),
    ];
    let outcome = red().outcome(&["fix", "--run", CHECK, "--model", "b"], &variables);
    let notices = outcome["notices"].to_string();
    let unused = "`llm.model` (flag --model) has no effect, because `llm.providers`";
    assert!(notices.contains(unused), "{outcome}");
    assert_eq!(outcome["model"], "a", "{outcome}");
    let model = Model::serve([patch("answer.py", RIGHT)]);
    let variables = [&model.variables()[..], &[("PAPAYU_LLM_AGGREGATOR_MODEL", "c")]].concat();
    let notices = red().outcome(&["fix", "--run", CHECK], &variables)["notices"].to_string();
    assert!(notices.contains("PAPAYU_LLM_AGGREGATOR_MODEL) has no effect without"), "{notices}");
}
