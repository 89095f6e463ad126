//! Whose fault real logs are: read in one pass, weighed, and never a failure of the code called anything outside.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;

use papayu_base::domain::{FailureClass, Triage};
use papayu_logs::failure::{LogReader, ReportLimits};
use papayu_logs::triage::{CommandEnd, SignalCollector, classify};
use serde_json::json;

use crate::fix::{CHECK, RIGHT, WRONG};
use crate::model::{Model, patch, plan};
use crate::support::{TestEnv, project_path};

fn triage(log: &[u8]) -> Triage {
    let mut collector = SignalCollector::default();
    let mut hear = |line: &str, is_claimed: bool| collector.push_line(line, is_claimed);
    let mut reader = LogReader::new(ReportLimits::default()).with_listener(&mut hear);
    for chunk in log.chunks(64 * 1024) {
        reader.push(chunk);
    }
    let report = reader.finish();
    classify(&collector.finish(), &report, CommandEnd::Unknown)
}

/// Returns every log with the class that its folder names.
fn corpus() -> Vec<(String, String, Vec<u8>)> {
    let mut logs = Vec::new();
    for folder in fs::read_dir(project_path("tests/triage")).unwrap() {
        let folder = folder.unwrap().path();
        let class = folder.file_name().unwrap().to_str().unwrap().to_owned();
        for file in fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
            logs.push((class.clone(), name, fs::read(&file).unwrap()));
        }
    }
    logs.sort();
    logs
}

#[test]
fn no_failure_of_the_code_is_called_anything_outside_and_most_logs_are_told_right() {
    let logs = corpus();
    let (mut wrong, mut grave) = (Vec::new(), Vec::new());
    for (class, name, log) in &logs {
        let found = triage(log);
        if found.class.name() == class {
            continue;
        }
        let line = found.evidence.first().map_or("", |evidence| evidence.line.as_str());
        let told = format!("{class}/{name}: {}, {line}", found.class.name());
        if found.class.is_outside() && !matches!(class.as_str(), "infrastructure" | "environment") {
            grave.push(told.clone());
        }
        wrong.push(told);
    }
    assert_eq!(grave, Vec::<String>::new());
    let right = logs.len() - wrong.len();
    assert!(logs.len() >= 60 && right * 100 >= logs.len() * 95, "{right}: {wrong:#?}");
    let code = logs.iter().filter(|(class, ..)| class == "code").count();
    assert!(code >= 20, "{code}");
}

#[test]
fn logs_of_compilers_and_test_runners_are_the_codes() {
    for file in fs::read_dir(project_path("tests/logs")).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "log") {
            continue;
        }
        let found = triage(&fs::read(&file).unwrap());
        let expected = [FailureClass::Code, FailureClass::Formatting, FailureClass::Unknown];
        // These are of packages that are not installed.
        let is_package = ["python_pytest.log", "go_build.log", "c_cmake.log"]
            .iter()
            .any(|name| file.ends_with(name))
            && found.evidence.iter().all(|evidence| evidence.rule.ends_with("-package"));
        assert!(is_package || expected.contains(&found.class), "{}: {found:?}", file.display());
    }
}

#[test]
fn every_class_but_unknown_shows_its_evidence() {
    for (class, name, log) in corpus() {
        let found = triage(&log);
        let is_unknown = found.class == FailureClass::Unknown;
        assert_eq!(found.evidence.is_empty(), is_unknown, "{class}/{name}");
        assert!(
            found.evidence.len() <= 5 && (!found.class.is_outside() || found.next_step.is_some())
        );
        assert!(found.evidence.iter().all(|it| it.line.chars().count() <= 300), "{class}/{name}");
    }
}

#[test]
fn a_log_of_100_mb_is_heard_in_one_pass() {
    let noise =
        b"2026-03-04T10:00:00.1234567Z   [info] npm ok curl: ( code E Killed  [ not found 503\n";
    let mut collector = SignalCollector::default();
    let mut hear = |line: &str, is_claimed: bool| collector.push_line(line, is_claimed);
    let mut reader = LogReader::new(ReportLimits::default()).with_listener(&mut hear);
    let chunk = noise.repeat(1_000);
    for _ in 0..(20_000_000 / chunk.len()) {
        reader.push(&chunk);
    }
    reader.push(b"npm error code E503\nnpm error 503 Service Unavailable - GET https://registry.npmjs.org/x\n");
    let report = reader.finish();
    let found = classify(&collector.finish(), &report, CommandEnd::Unknown);
    assert_eq!(found.class, FailureClass::Infrastructure);
}

/// A repository whose command prints these lines and fails.
fn failing(lines: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write("answer.py", WRONG);
    env.write("said.txt", lines);
    env.write("check.sh", "cat said.txt; exit 1\n");
    env
}

#[test]
fn what_is_not_the_codes_ends_the_run_before_anybody_is_asked() {
    for (class, lines, next) in [
        ("infrastructure", "npm error code ETIMEDOUT\n", "run the job again when the network"),
        ("environment", "sh: 1: jest: not found\n", "install the tool in the job"),
    ] {
        let (env, model) = (failing(lines), Model::serve([]));
        let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
        assert_eq!((&outcome["outcome"], &outcome["exit_code"]), (&json!("not_fixed"), &json!(1)));
        assert_eq!(outcome["failure_class"], class);
        assert_eq!(outcome["failure_evidence"][0]["line"], lines.trim());
        assert!(outcome["hint"].as_str().unwrap().starts_with(next), "{outcome:#}");
        assert_eq!((&outcome["requests"], &outcome["cost_usd"]), (&json!(0), &json!(0.0)));
        assert_eq!(model.prompts(), Vec::<String>::new());
        assert_eq!(env.read("answer.py"), WRONG);
    }
}

#[test]
fn a_log_alone_ends_the_run_too() {
    let (env, model) = (failing(""), Model::serve([]));
    env.write("build.log", "##[error]The runner has received a shutdown signal. This can happen\n");
    let outcome = env.outcome(&["fix", "--log", "build.log"], &model.variables());
    assert_eq!((&outcome["outcome"], &outcome["exit_code"]), (&json!("not_fixed"), &json!(1)));
    assert_eq!(outcome["failure_class"], "infrastructure");
    assert_eq!(model.prompts(), Vec::<String>::new());
}

#[test]
fn a_goal_is_pursued_whatever_fails() {
    let env = failing("sh: 1: jest: not found\n");
    env.write("check.sh", "cat said.txt; grep -q 42 answer.py\n");
    let model = Model::serve([plan("write 42"), patch("answer.py", RIGHT)]);
    let arguments = ["fix", "--goal", "fix answer.py: it must be 42", "--run", CHECK];
    let outcome = env.outcome(&arguments, &model.variables());
    assert_eq!(
        (&outcome["outcome"], &outcome["failure_class"]),
        (&json!("fixed"), &json!("environment"))
    );
}

/// A command that fails as a flaky test does, as often as the file says.
const FLAKY: &str = "echo x >> count
n=$(wc -l < count)
test $n -gt $TIMES && exit 0
cat said.txt; exit 1\n";
const TIMED_OUT: &str = "TAP version 13
ok 1 - one
not ok 2 - drains
  ---
  failureType: 'testTimeoutFailure'
  error: 'test timed out after 200ms'
  code: 'ERR_TEST_FAILURE'
  ...
1..2
# pass 1
";

fn flaky(times: u32) -> TestEnv {
    let env = failing(TIMED_OUT);
    env.write("check.sh", &FLAKY.replace("$TIMES", &times.to_string()));
    env
}

#[test]
fn a_flake_that_passes_when_it_is_run_again_changes_nothing_and_is_no_success() {
    let (env, model) = (flaky(2), Model::serve([]));
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!((&outcome["outcome"], &outcome["exit_code"]), (&json!("not_fixed"), &json!(1)));
    assert_eq!(outcome["failure_class"], "test_flake");
    let codes: Vec<_> =
        outcome["flake_reruns"].as_array().unwrap().iter().map(|it| &it["exit_code"]).collect();
    assert_eq!(codes, [1, 0]);
    let reason = "`sh check.sh` failed, and passed in re-run 2 with nothing changed: \
                  `drains: test timed out after 200ms`";
    assert_eq!(outcome["reason"], reason);
    assert_eq!(model.prompts(), Vec::<String>::new());
}

/// Fails every other time while the answer is wrong.
const EVERY_OTHER: &str = "echo x >> count
n=$(wc -l < count)
if grep -q 42 answer.py || test $((n % 2)) = 0; then
  printf 'TAP version 13\\nok 1 - one\\nok 2 - drains\\n1..2\\n# pass 2\\n'; exit 0
fi
cat said.txt; exit 1\n";

#[test]
fn the_fix_of_a_flake_is_proved_by_as_many_runs_as_its_rate_needs() {
    let arguments = ["fix", "--run", CHECK, "--prove-runs", "10", "--max-attempts", "1"];
    let env = failing(&format!("{TIMED_OUT}answer.py:2: here\n"));
    env.write("check.sh", EVERY_OTHER);
    let model = Model::serve([plan("write 42"), patch("answer.py", RIGHT)]);
    let outcome = env.outcome(&arguments, &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    let flake = &outcome["verify"]["flake"];
    let numbers = ["reruns", "failures", "needed", "passed"].map(|name| flake[name].as_u64());
    assert_eq!(numbers, [Some(2), Some(1), Some(5), Some(5)]);
    assert!(outcome["reason"].as_str().unwrap().contains("passes 5 times in a row"), "{outcome:#}");

    let env = failing(&format!("{TIMED_OUT}answer.py:2: here\n"));
    env.write("check.sh", EVERY_OTHER);
    let model = Model::serve([plan("write 43"), patch("answer.py", &RIGHT.replace("42", "43"))]);
    let outcome = env.outcome(&arguments, &model.variables());
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
    assert!(outcome["reason"].as_str().unwrap().contains("failed in run 2 of 5"), "{outcome:#}");
}

#[test]
fn what_fails_every_time_is_no_flake() {
    let (env, model) = (flaky(99), Model::serve([plan("NO_CHANGES: I cannot")]));
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!((&outcome["failure_class"], model.prompts().len()), (&json!("code"), 1));
    assert_eq!(outcome["flake_reruns"].as_array().unwrap().len(), 2);
    assert_eq!(outcome["failure_evidence"][0]["rule"], "reruns");
    let (env, model) = (flaky(99), Model::serve([plan("NO_CHANGES: I cannot")]));
    let arguments = ["fix", "--run", CHECK, "--flake-reruns", "0"];
    let outcome = env.outcome(&arguments, &model.variables());
    assert_eq!((&outcome["failure_class"], model.prompts().len()), (&json!("test_flake"), 1));
    assert_eq!(outcome["flake_reruns"], json!([]));
}

#[test]
fn secrets_in_evidence_are_masked() {
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let env = failing(&format!(
        "fatal: unable to access 'https://{token}@github.com/a/b/': Could not resolve host: github.com\n"
    ));
    let outcome = env.outcome(&["fix", "--run", CHECK], &Model::serve([]).variables());
    assert_eq!(outcome["failure_class"], "infrastructure");
    assert!(!outcome.to_string().contains(token), "{outcome:#}");
}
