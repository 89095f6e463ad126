//! How a call ends when the command line, a file or the reader is wrong.

use crate::support::TestEnv;

#[test]
fn help_and_version_end_well_and_go_to_stdout() {
    let env = TestEnv::new();
    let ran = env.run(&["--version"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout, format!("papayu-batch {}\n", env!("CARGO_PKG_VERSION")));
    // Help looks at nothing: neither settings nor the repository.
    let ran = env.run_with(&["trace", "--help", "--repo", "missing"], &[("PAPAYU_NONSENSE", "1")]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("to-golden"), "{ran:?}");
}

#[test]
fn a_mistyped_command_or_flag_is_told_what_was_meant() {
    let env = TestEnv::new();
    for (arguments, meant) in [
        (&["docter"][..], "'doctor'"),
        (&["doctor", "--fromat", "json"], "'--format'"),
        (&["schema", "outcom"], "'outcome'"),
        (&["trace", "shw"], "'show'"),
        (&["doctor", "--format", "jsno"], "'json'"),
    ] {
        let ran = env.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.contains(meant), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn without_a_command_the_help_is_shown_as_an_error() {
    let ran = TestEnv::new().run(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("Usage: papayu-batch"), "{ran:?}");
}

#[test]
fn a_repository_that_is_no_folder_is_a_usage_error() {
    let env = TestEnv::new();
    env.write("file", "");
    for repo in ["missing", "file"] {
        let ran = env.run(&["doctor", "--repo", repo]);
        assert_eq!(ran.code, 2, "{ran:?}");
        let begin = format!("error: `{repo}` is not a folder that can be opened: ");
        assert!(ran.stderr.starts_with(&begin), "{ran:?}");
        assert!(ran.stderr.ends_with("hint: `--repo DIR` names the folder of the repository\n"));
    }
}

#[test]
fn a_settings_file_that_is_not_text_is_refused() {
    let env = TestEnv::new();
    let ran = env.shell("printf '\\377\\376' > papayu.toml; \"$BIN\" doctor");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.stderr.starts_with("error: cannot read `./papayu.toml`: it is not UTF-8"),
        "{ran:?}"
    );
    let ran = env.shell("rm papayu.toml; mkdir papayu.toml; \"$BIN\" doctor");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.starts_with("error: cannot read `./papayu.toml`: "), "{ran:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let env = TestEnv::new();
    let ran = env.shell("{ \"$BIN\" completions bash; echo $? >&2; } | head -c 1 >/dev/null");
    assert_eq!(ran.stderr, "0\n");
}

#[test]
fn a_full_disk_behind_stdout_is_told() {
    let ran = TestEnv::new().shell("\"$BIN\" schema trace > /dev/full");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.starts_with("error: cannot write to stdout: "), "{ran:?}");
}

#[test]
fn completions_and_the_manual_page_name_the_commands() {
    let env = TestEnv::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = env.run(&["completions", shell]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("doctor"), "{shell}");
        assert!(!ran.stdout.contains("Entry points for benchmarks"), "{shell}");
        assert!(!ran.stdout.contains("papayu__batch,debug"), "{shell}");
    }
    let ran = env.run(&["man"]);
    assert_eq!(ran.code, 0);
    assert!(!ran.stdout.contains("debug"), "{ran:?}");
    assert!(ran.stdout.contains(".TH papayu-batch 1") && ran.stdout.contains("doctor"), "{ran:?}");
    let ran = env.run(&["man", "runs", "show"]);
    assert!(ran.code == 0 && ran.stdout.contains(".TH papayu-batch-runs-show 1"), "{ran:?}");
    let ran = env.run(&["man", "debug"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    let ran = env.run(&["man", "--out", "man1"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    assert!(env.read("man1/papayu-batch-fix.1").contains("EXAMPLES"));
    assert!(!env.repo().join("man1/papayu-batch-debug.1").exists());
}

#[test]
fn bash_completes_flags_commands_words_of_pages_and_runs() {
    let env = TestEnv::new();
    let script = r#"
        eval "$("$BIN" completions bash)"
        complete_words() {
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
            _papayu__batch "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            echo "${COMPREPLY[*]}"
        }
        complete_words papayu-batch fi
        complete_words papayu-batch fix --jun
        complete_words papayu-batch trace to
        complete_words papayu-batch man --format json ind
        complete_words papayu-batch runs show ''
        complete_words papayu-batch batch --ma
    "#;
    env.write("complete.bash", script);
    assert_eq!(env.run(&["fix", "--run", "true"]).code, 0);
    // The script calls the program by its name.
    let ran = env.shell("ln -s \"$BIN\" papayu-batch; PATH=$PWD:$PATH bash complete.bash");
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(lines[..4], ["fix", "--junit --junit-out", "to-golden", "index"], "{ran:?}");
    let is_id = |word: &str| word.len() == 8 && word.bytes().all(|b| b.is_ascii_hexdigit());
    assert!(lines[4].split(' ').any(is_id), "{ran:?}");
    assert!(lines[5].contains("--max-"), "{ran:?}");
}

#[test]
fn schemas_are_printed_byte_for_byte() {
    let env = TestEnv::new();
    for (name, file) in [
        ("v1", "schemas/llm_response_schema.json"),
        ("v2", "schemas/llm_response_schema_v2.json"),
        ("self-check", "schemas/self_check_schema.json"),
        ("judge", "schemas/judge_schema.json"),
        ("review", "schemas/review_schema.json"),
        ("web-summary", "schemas/web_summary_schema.json"),
        ("conversation-summary", "schemas/conversation_summary_schema.json"),
        ("recipe", "schemas/recipe_schema.json"),
        ("outcome", "schemas/outcome.schema.json"),
        ("trace", "schemas/trace.schema.json"),
        ("settings", "schemas/papayu.schema.json"),
        ("batch", "schemas/batch.schema.json"),
        ("summary", "schemas/summary.schema.json"),
    ] {
        let ran = env.run(&["schema", name]);
        assert_eq!((ran.code, ran.stdout), (0, crate::support::project_file(file)));
    }
}

#[test]
fn only_what_is_sent_has_a_wire_schema() {
    let env = TestEnv::new();
    let ran = env.run(&["schema", "v2", "--wire"]);
    assert_eq!((ran.code, &ran.json()["additionalProperties"]), (0, &false.into()));
    let ran = env.run(&["schema", "trace", "--wire"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: only v1, v2 and v3 "), "{ran:?}");
}

#[test]
fn an_error_before_the_run_leaves_an_outcome_where_out_says() {
    let env = TestEnv::new();
    for (arguments, words) in [
        (["--provider", "nonsense"], "`llm.provider` is `nonsense`"),
        (["--config", "missing.toml"], "cannot read `missing.toml`"),
    ] {
        let fix = ["fix", "--run", "true", "--out", "results"];
        let ran = env.run(&[&fix[..], &arguments].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        let outcome: serde_json::Value =
            serde_json::from_str(&env.read("results/outcome.json")).unwrap();
        assert_eq!(
            (&outcome["outcome"], &outcome["exit_code"]),
            (&"usage_error".into(), &2.into())
        );
        assert!(outcome["reason"].as_str().unwrap().contains(words), "{outcome:#}");
    }
}

#[test]
fn a_folder_of_a_report_that_is_not_there_is_an_error() {
    let env = TestEnv::new();
    for flag in ["--traces", "--runs"] {
        let ran = env.run(&["report", flag, "missing"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.starts_with("error: cannot read `missing`: "), "{ran:?}");
    }
    assert_eq!(env.run(&["report"]).code, 0, "a repository may have no runs yet");
}

#[test]
fn a_variable_of_another_program_is_a_warning_and_a_misspelt_one_an_error() {
    let env = TestEnv::new();
    let fix = ["fix", "--run", "true"];
    let ran = env.run_with(&fix, &[("PAPAYU_DATABASE_PASSWORD", "x")]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let words = "warning: `PAPAYU_DATABASE_PASSWORD` is not a setting and is ignored\n";
    assert!(ran.stderr.contains(words), "{ran:?}");
    assert_eq!(env.run_with(&fix, &[("PAPAYU_MAX_TOKEN", "1")]).code, 2);
}

#[test]
fn without_a_remote_the_name_of_the_repository_is_asked_for() {
    let env = TestEnv::new();
    assert_eq!(env.shell("git init -q .").code, 0);
    for arguments in [["--github-run", "5"], ["--issue", "5"]] {
        let model = ["--provider", "ollama", "--model", "m"];
        let ran = env.run(&[&["fix", "--run", "true"][..], &arguments, &model].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("no remote `origin` names it"), "{ran:?}");
        assert!(ran.stderr.contains("PAPAYU_FORGE_REPOSITORY=OWNER/NAME"), "{ran:?}");
    }
}

#[cfg(not(feature = "nats"))]
#[test]
fn a_command_of_the_queue_says_how_to_get_it() {
    let env = TestEnv::new();
    for command in ["enqueue", "worker", "queue"] {
        let ran = env.run(&[command, "batch.toml", "--queue", "nats://127.0.0.1"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains("built without the queue"), "{ran:?}");
        assert!(ran.stderr.contains("--features nats"), "{ran:?}");
    }
    assert!(!env.run(&["--help"]).stdout.contains("queue"));
}

#[cfg(not(feature = "redis"))]
#[test]
fn a_shared_store_says_how_to_get_it() {
    let ran = TestEnv::new().run_with(&["index"], &[("PAPAYU_STORE", "redis://127.0.0.1")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains("built without the shared store"), "{ran:?}");
    assert!(ran.stderr.contains("--features redis"), "{ran:?}");
}
