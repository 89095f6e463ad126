//! Settings as `doctor` and the error messages show them, and the schemas that describe them.

use std::fmt::Write as _;

use papayu_base::domain::Outcome;
use papayu_batch::batch::manifest::manifest_schema;
use papayu_batch::batch::summary::BatchSummary;
use papayu_batch::settings::papayu_schema;
use papayu_system::trace::trace_schema;
use serde_json::Value;

use crate::support::{TestEnv, assert_committed};
use crate::tools::git;

/// Returns the value and origin that `doctor` shows for a setting.
fn shown(doctor: &Value, key: &str) -> (String, String) {
    let rows = doctor["settings"].as_array().unwrap();
    let row = rows.iter().find(|row| row["key"] == key).unwrap();
    let text = |field: &str| row[field].as_str().unwrap().to_owned();
    (text("value"), text("origin"))
}

fn pair(value: &str, origin: &str) -> (String, String) {
    (value.to_owned(), origin.to_owned())
}

#[test]
fn doctor_shows_each_value_with_the_layer_it_came_from() {
    let env = TestEnv::new();
    env.write("papayu.toml", "[run]\nmax_attempts = 3\n\n[llm]\nmodel = \"of-the-repository\"\n");
    env.write_user_settings("[llm]\napi_key = \"sk-user-secret\"\n[run]\nmax_attempts = 9\n");
    let ran = env.run_with(
        &["doctor", "--format", "json", "--log-format", "json"],
        &[
            ("PAPAYU_TRACE_RAW", "1"),
            ("PAPAYU_LLM_MODEL", ""),
            ("PAPAYU_LLM_API_URL", "http://127.0.0.1:9"),
        ],
    );
    // Nobody listens there, so a run would fail.
    assert_eq!((ran.code, ran.stderr.as_str()), (2, ""));
    assert!(!ran.stdout.contains("sk-user-secret"));
    let doctor = ran.json();
    let user_file = env.home().join("config/papayu/papayu.toml");
    assert_eq!(shown(&doctor, "run.max_attempts"), pair("3", "./papayu.toml:2"));
    assert_eq!(shown(&doctor, "llm.model"), pair("of-the-repository", "./papayu.toml:5"));
    assert_eq!(shown(&doctor, "llm.api_key"), pair("***", &format!("{}:2", user_file.display())));
    assert_eq!(shown(&doctor, "trace.raw"), pair("true", "env PAPAYU_TRACE_RAW"));
    assert_eq!(shown(&doctor, "log.format"), pair("json", "flag --log-format"));
    assert_eq!(shown(&doctor, "llm.timeout_sec"), pair("90", "default"));
    assert_eq!(doctor["provider"]["name"], "suggestions,openai");
    let grades = doctor["checks"].as_array().unwrap().iter().map(|check| &check["grade"]);
    assert_eq!(grades.collect::<Vec<_>>(), ["ok", "ok", "ok", "ok", "ok", "failed"]);
    assert!(!env.repo().join(".papa-yu").exists(), "doctor leaves nothing behind");
}

#[test]
fn every_problem_of_every_layer_is_told_at_once() {
    let env = TestEnv::new();
    env.write("papayu.toml", "[llm]\napi_key = \"sk-committed\"\ntimeout = 1\n");
    let ran = env.run_with(&["doctor"], &[("PAPAYU_LLM_MODLE", "x"), ("PAPAYU_TRACE", "maybe")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_eq!(
        ran.stderr,
        "error: env PAPAYU_LLM_MODLE: `PAPAYU_LLM_MODLE` is not a setting; did you mean `PAPAYU_LLM_MODEL`?\n\
         error: ./papayu.toml:2: `llm.api_key` must not be set in the repository, where everyone can read it\n\
         error: ./papayu.toml:3: `llm.timeout` is not a setting; did you mean `llm.timeout_sec`?\n\
         error: env PAPAYU_TRACE: `trace.enabled` is `maybe`, expected a switch, `true` or `false` (in the environment also `1` or `0`)\n\
         hint: `papayu-batch schema settings` lists every setting with its values\n\
         hint: set `PAPAYU_LLM_API_KEY` from the CI system's secrets, or keep the key in your own settings file; revoke a key that was committed\n"
    );
}

#[test]
fn another_settings_file_takes_the_place_of_the_repositorys() {
    let env = TestEnv::new();
    env.write("papayu.toml", "[nonsense]\nx = 1\n");
    env.write("ci/other.toml", "[run]\ncommand = \"make test\"\n");
    let ran = env.run(&["doctor", "--format", "json", "--config", "ci/other.toml"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(shown(&ran.json(), "run.command"), pair("make test", "ci/other.toml:2"));
    let ran = env.run(&["doctor", "--config", "missing.toml"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: cannot read `missing.toml`: "), "{ran:?}");
}

#[test]
fn the_committed_schemas_are_those_of_the_code() {
    assert_committed("schemas/papayu.schema.json", &papayu_schema());
    assert_committed("schemas/trace.schema.json", &trace_schema());
    assert_committed("schemas/batch.schema.json", &manifest_schema());
    assert_committed(
        "schemas/summary.schema.json",
        &schemars::schema_for!(BatchSummary).to_value(),
    );
    assert_committed("schemas/outcome.schema.json", &schemars::schema_for!(Outcome).to_value());
}

#[test]
fn the_settings_schema_holds_for_its_own_defaults_and_refuses_a_slip() {
    let validator = jsonschema::validator_for(&papayu_schema()).unwrap();
    let document = |text: &str| -> Value {
        serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()
    };
    let defaults = document(include_str!("../../src/settings/defaults.toml"));
    let errors: Vec<_> = validator.iter_errors(&defaults).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    for slip in ["[llm]\nmodle = \"x\"", "[lmm]\nmodel = \"x\"", "[run]\nmax_attempts = \"2\""] {
        assert!(!validator.is_valid(&document(slip)), "{slip}");
    }
}

#[test]
fn the_kind_of_project_sets_defaults_that_doctor_names() {
    for (files, name, verify_timeout, max_files) in [
        (&["pom.xml"][..], "Maven", "1200", "12"),
        (&["settings.gradle.kts"], "Gradle", "1200", "12"),
        (&["Gemfile"], "Ruby", "900", "12"),
        (&["composer.json"], "PHP", "900", "12"),
        (&["Shop.csproj"], ".NET", "1200", "12"),
        (&["CMakeLists.txt"], "Make, CMake or Meson", "1200", "12"),
        (&["meson.build"], "Make, CMake or Meson", "1200", "12"),
        (&["package.json", "Makefile"], "Node.js", "900", "8"),
        (&["shop/pom.xml"], "unknown", "900", "8"),
    ] {
        let env = TestEnv::new();
        for file in files {
            env.write(file, "");
        }
        let doctor = env.run(&["doctor", "--format", "json"]).json();
        let expected = |value: &str, general: &str| {
            let profile = format!("profile ({name})");
            pair(value, if value == general { "default" } else { &profile })
        };
        let limit = shown(&doctor, "run.verify_timeout_sec");
        assert_eq!(limit, expected(verify_timeout, "900"), "{files:?}");
        assert_eq!(shown(&doctor, "context.max_files"), expected(max_files, "8"), "{files:?}");
    }
    let env = TestEnv::new();
    env.write("pom.xml", "");
    env.write("papayu.toml", "[run]\ntimeout_sec = 2000\n");
    let ran = env.run_with(&["doctor"], &[("PAPAYU_CONTEXT_MAX_FILES", "20")]);
    let row = |key: &str| {
        let row = ran.stdout.lines().find(|line| line.trim_start().starts_with(key)).unwrap();
        row.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let limit = row("run.verify_timeout_sec ");
    assert_eq!(limit, "run.verify_timeout_sec 1200 repository profile (Maven)");
    assert_eq!(row("run.timeout_sec "), "run.timeout_sec 2000 narrow ./papayu.toml:2");
    let files = row("context.max_files ");
    assert_eq!(files, "context.max_files 20 narrow env PAPAYU_CONTEXT_MAX_FILES");
    env.write("papayu.toml", "[run]\ntimeout_sec = 2401\n");
    let ran = env.run(&["doctor"]);
    assert!(ran.stderr.contains("only lower it, to at most 2400"), "{ran:?}");
    assert_eq!(env.shell("rm papayu.toml").code, 0);
    let ran = env.run(&["doctor", "--export", "settings.toml"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(env.read("settings.toml"), "");
    let ran = env.run(&["init"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let written = env.read("papayu.toml");
    assert!(written.contains("# verify_timeout_sec = 1200\n"), "{written}");
}

#[test]
fn a_project_with_small_files_has_more_of_them_in_the_context() {
    for (marker, expected) in [("composer.json", 12), ("go.mod", 8)] {
        let env = TestEnv::new();
        env.write(marker, "{}");
        let mut log =
            "PHP Fatal error:  Uncaught TypeError: total() in src/C1.php:3\nStack trace:\n"
                .to_owned();
        for number in 1..=14 {
            env.write(&format!("src/C{number}.php"), "<?php\nclass C {\n  function f() {}\n}\n");
            writeln!(log, "#{number} src/C{number}.php(3): f()").unwrap();
        }
        env.write("build.log", &log);
        let ran = env.run(&["context", "--log", "build.log", "--format", "json"]);
        let files = ran.json()["stats"]["context_files_count"].clone();
        assert_eq!(files, expected, "{marker}: {ran:?}");
    }
}

#[test]
fn a_settings_file_of_the_user_that_is_in_the_repository_is_not_read() {
    let env = TestEnv::new();
    let settings = "[run]\nkeep_env = [\"DEPLOY_KEY\"]\nmax_attempts = 9\n";
    env.write("config/papayu/papayu.toml", settings);
    env.write(".config/papayu/papayu.toml", settings);
    env.write("pkg/a.txt", "a\n");
    git(&env, &["init", "--quiet"]);
    // A link that the repository brings leads out of it, to the user's real settings.
    env.write_user_settings(settings);
    std::os::unix::fs::symlink(env.home().join("config"), env.repo().join("linked")).unwrap();
    let top = env.repo();
    let (config, linked) = (top.join("config"), top.join("linked"));
    for (repo, name, folder) in [
        (".", "XDG_CONFIG_HOME", &config),
        ("pkg", "XDG_CONFIG_HOME", &config),
        (".", "XDG_CONFIG_HOME", &linked),
        ("pkg", "HOME", &top),
    ] {
        let folder = folder.to_str().unwrap();
        // An empty variable is not set.
        let variables = [("XDG_CONFIG_HOME", ""), (name, folder)];
        let variables = if name == "HOME" { &variables[..] } else { &variables[1..] };
        let ran = env.run_with(&["doctor", "--repo", repo, "--format", "json"], variables);
        let doctor = ran.json();
        assert_eq!(shown(&doctor, "run.keep_env"), pair("", "default"), "{repo} {folder}");
        assert_eq!(shown(&doctor, "run.max_attempts"), pair("2", "default"), "{repo} {folder}");
        let checks = doctor["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == "settings").unwrap();
        assert_eq!(check["grade"], "warning");
        let detail = check["detail"].as_str().unwrap();
        assert!(detail.contains("papayu.toml` is not read as your own"), "{detail}");
    }
}
