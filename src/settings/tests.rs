//! Settings from every layer, right and wrong.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::load::default_values;
use super::*;
use crate::project::{KindLimits, ProjectKind};
use papayu_base::domain::Version;

/// Resolves environment variables and the repository's file alone.
fn resolve(environment: &[(&str, &str)], repo_file: &str) -> Result<Settings, SettingsError> {
    let environment: Vec<_> =
        environment.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    load(SettingsSources {
        environment: &environment,
        repository: Some(of_repository(repo_file)),
        ..SettingsSources::default()
    })
}

fn of_repository(text: &str) -> RepositoryFile<'_> {
    let (path, root) = (Path::new("repo/papayu.toml"), Path::new("/work/repo"));
    RepositoryFile { path, text, root, prefix: "", can_be_trusted: true }
}

/// Resolves a file of the user alone.
fn of_user(text: &str) -> Result<Settings, SettingsError> {
    load(SettingsSources { user: Some((Path::new("u.toml"), text)), ..SettingsSources::default() })
}

fn errors(environment: &[(&str, &str)], repo_file: &str) -> Vec<String> {
    match resolve(environment, repo_file) {
        Ok(_) => Vec::new(),
        Err(error) => error.problems.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn the_defaults_file_and_the_table_hold_the_same_keys_in_the_same_order() {
    let named: Vec<_> = KEYS.iter().map(|key| key.name).collect();
    let set: Vec<_> = default_values().into_iter().map(|(key, _)| key).collect();
    assert_eq!(set, named);
}

#[test]
fn no_two_settings_share_a_name_or_a_variable() {
    let mut all: Vec<_> = KEYS.iter().flat_map(|key| key.env).collect();
    all.extend(KEYS.iter().map(|key| &key.name));
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn the_description_of_a_setting_names_each_of_its_words() {
    let missing = KEYS.iter().flat_map(|key| {
        let schema = (key.schema)();
        let words = schema.get("enum").or(schema.pointer("/items/enum")).cloned();
        let words: Vec<String> =
            words.and_then(|it| serde_json::from_value(it).ok()).unwrap_or_default();
        let named = key.doc.split(|c: char| !c.is_alphanumeric() && !"-_".contains(c));
        let named: Vec<&str> = named.collect();
        let is_missing = |word: &String| !named.contains(&word.as_str());
        words.into_iter().filter(is_missing).map(|word| (key.name, word)).collect::<Vec<_>>()
    });
    assert_eq!(missing.collect::<Vec<_>>(), []);
}

#[test]
fn with_nothing_said_the_defaults_of_the_contract_hold() {
    let settings = resolve(&[], "").unwrap();
    let limits = [
        settings.context_max_rounds.value,
        settings.context_max_files.value,
        settings.context_max_file_chars.value,
        settings.context_max_total_chars.value,
        settings.context_max_log_chars.value,
        settings.run_max_attempts.value,
    ];
    assert_eq!(limits, [2, 8, 20_000, 120_000, 12_000, 2]);
    assert_eq!(settings.llm_timeout_sec.value, Duration::from_secs(90));
    assert_eq!(settings.protocol_version.value, Version::V2);
    assert_eq!(settings.run_emit.value, [Emit::Patch]);
    assert!(settings.rows().all(|row| *row.origin == ValueOrigin::Default));
}

#[test]
fn the_stronger_layer_wins_and_says_where_it_stood() {
    let repo = "[llm]\n\nmodel = \"from-repo\"\n[run]\ncommand = \"make\"\n";
    let user = "[llm]\nmodel = \"from-user\"\nsecond_model = \"second\"\n";
    let environment = [("PAPAYU_LLM_MODEL".to_owned(), "from-env".to_owned())];
    let flags = [("llm.model", "from-flag".to_owned(), "--model")];
    let files = (Some(of_repository(repo)), Some((Path::new("u.toml"), user)));
    let model = |flags: &[FlagValue], environment: &[_], repo, user| {
        let sources = SettingsSources {
            flags,
            environment,
            above: &[],
            repository: repo,
            user,
            profile: None,
        };
        let settings = load(sources).unwrap();
        (settings.llm_model.value.unwrap_or_default(), settings.llm_model.origin.to_string())
    };
    let pair = |value: &str, origin: &str| (value.to_owned(), origin.to_owned());
    assert_eq!(model(&flags, &environment, files.0, files.1), pair("from-flag", "flag --model"));
    assert_eq!(
        model(&[], &environment, files.0, files.1),
        pair("from-env", "env PAPAYU_LLM_MODEL")
    );
    assert_eq!(model(&[], &[], files.0, files.1), pair("from-repo", "repo/papayu.toml:3"));
    assert_eq!(model(&[], &[], None, files.1), pair("from-user", "u.toml:2"));
    assert_eq!(model(&[], &[], None, None), pair("", "default"));
}

#[test]
fn an_empty_variable_says_nothing_as_ci_systems_mean_it() {
    let environment = [("PAPAYU_LLM_MODEL", " "), ("PAPAYU_MAX_TOKENS", "")];
    let settings = resolve(&environment, "[llm]\nmodel = \"m\"").unwrap();
    assert_eq!(settings.llm_model.value.as_deref(), Some("m"));
    assert_eq!(settings.budget_max_tokens.value, 0);
}

#[test]
fn unknown_names_are_errors_that_name_the_nearest() {
    assert_eq!(
        errors(
            &[("PAPAYU_LLM_MODLE", "x"), ("PAPAYU_WHATEVER_ELSE", "x"), ("PAPAYUX", "x")],
            "model = \"x\"\n[llm]\ntimeout = 5\n[lmm]\nmodel = \"x\"\n[run]\nemit = []\n"
        ),
        [
            "env PAPAYU_LLM_MODLE: `PAPAYU_LLM_MODLE` is not a setting; did you mean `PAPAYU_LLM_MODEL`?",
            "repo/papayu.toml:1: `model` is not a setting; did you mean `llm.model`?",
            "repo/papayu.toml:3: `llm.timeout` is not a setting; did you mean `llm.timeout_sec`?",
            "repo/papayu.toml:5: `lmm.model` is not a setting; did you mean `llm.model`?",
            "repo/papayu.toml:7: `run.emit` is the array [], expected a list (in the environment separated by commas) of `patch` or `worktree` or `bundle` or `branch` or `pr` or `suggest` or `commit` or `comment` or `issue`",
        ]
    );
}

#[test]
fn wrong_values_say_where_what_came_and_what_was_expected() {
    let cases = [
        (
            "[llm]\ntimeout_sec = \"90\"",
            "the string \"90\"",
            "seconds, a whole number from 1 to 604800",
        ),
        ("[llm]\ntimeout_sec = 0", "the integer 0", "seconds, a whole number from 1 to 604800"),
        ("[context]\nmax_rounds = -1", "the integer -1", "a whole number from 0 to 20"),
        (
            "[context]\nmax_rounds = 99999999999999999999",
            "a value of the type integer",
            "a whole number from 0 to 20",
        ),
        ("[protocol]\nversion = 4", "the integer 4", "a protocol version, 1, 2 or 3"),
        (
            "[paths]\nallowed = [\"a\", 1]",
            "a value of the type array with other things than strings",
            "a list of strings (in the environment separated by commas)",
        ),
        ("[llm]\nmodel = 1979-05-27", "a value of the type datetime", "text"),
        ("[apply]\nnormalize_eol = \"crlf\"", "the string \"crlf\"", "`keep` or `lf`"),
        ("[budget]\nmax_cost = nan", "the float NaN", "a number that is not negative"),
    ];
    for (text, got, expected) in cases {
        let all = errors(&[], text);
        let suffix = format!("is {got}, expected {expected}");
        assert!(all.len() == 1 && all[0].ends_with(&suffix), "{text}: {all:?}");
        assert!(all[0].starts_with("repo/papayu.toml:2: "), "{all:?}");
    }
    assert_eq!(
        errors(&[("PAPAYU_LLM_PROVIDER", "gpt")], ""),
        [
            "env PAPAYU_LLM_PROVIDER: `llm.provider` is `gpt`, expected `openai`, `openai-responses`, `anthropic`, `gemini`, `ollama`, `command`, `suggestions`, `suggestions,` before one of these models, or `replay:FILE`"
        ]
    );
    assert_eq!(
        errors(&[("PAPAYU_LLM_API_URL", "localhost:1")], ""),
        [
            "env PAPAYU_LLM_API_URL: `llm.api_url` is `localhost:1`, expected an address that begins with `http://` or `https://`"
        ]
    );
    assert_eq!(
        errors(&[("PAPAYU_TRACE", "maybe")], ""),
        [
            "env PAPAYU_TRACE: `trace.enabled` is `maybe`, expected a switch, `true` or `false` (in the environment also `1` or `0`)"
        ]
    );
}

#[test]
fn a_wrong_value_that_is_overruled_is_still_wrong() {
    let all = errors(&[("PAPAYU_MAX_ATTEMPTS", "3")], "[run]\nmax_attempts = 0");
    assert_eq!(all.len(), 1, "{all:?}");
}

#[test]
fn a_file_that_is_no_toml_is_refused_with_its_line() {
    let all = errors(&[], "[llm]\nmodel = unquoted\n");
    assert!(all.len() == 1 && all[0].starts_with("repo/papayu.toml:2: not TOML: "), "{all:?}");
    assert_eq!(errors(&[], "[llm]\nmodel = \"a\"\nmodel = \"b\"\n").len(), 1);
}

#[test]
fn a_key_is_never_shown_and_never_taken_from_the_repository() {
    let error = resolve(&[], "[llm]\napi_key = \"sk-committed\"").unwrap_err();
    assert_eq!(
        error.to_string(),
        "repo/papayu.toml:2: `llm.api_key` must not be set in the repository, where everyone can read it"
    );
    assert!(error.hint().unwrap().contains("PAPAYU_LLM_API_KEY"));

    for (text, env) in [
        ("[llm]\napi_url = \"https://thief.example/v1\"", "PAPAYU_LLM_API_URL"),
        ("[run]\nkeep_env = [\"NPM_TOKEN\"]", "PAPAYU_KEEP_ENV"),
    ] {
        let error = resolve(&[], text).unwrap_err();
        assert!(error.to_string().contains("must not be set in the repository"), "{error}");
        assert!(error.hint().unwrap().contains(env));
    }

    let user = "[llm]\napi_key = \"sk-mine\"\napi_url = \"https://u:sk-mine@h/v1?key=sk-mine\"";
    let settings = of_user(user).unwrap();
    let written = settings.snapshot().to_string()
        + &settings.rows().map(|row| row.shown_value).collect::<String>();
    assert!(!written.contains("sk-mine"), "{written}");
    assert!(!format!("{:?}", settings.llm_api_key).contains("sk-mine"));
    assert!(written.contains("https://***@h/v1?***"), "{written}");
    assert_eq!(settings.snapshot()["llm.api_key"], "set");
}

#[test]
fn a_secret_of_the_wrong_type_is_not_quoted() {
    let error = of_user("[llm]\napi_key = 123456").unwrap_err();
    assert_eq!(error.to_string(), "u.toml:2: `llm.api_key` is not text, expected a secret");
}

#[test]
fn lists_and_switches_are_read_from_words() {
    let settings = resolve(
        &[
            ("PAPAYU_PROTECTED_PATHS", "docs/**, *.{lock,sum},\n"),
            ("PAPAYU_EMIT", "patch,Worktree"),
            ("PAPAYU_PROTOCOL_FALLBACK_TO_V1", "0"),
            ("PAPAYU_LLM_STRICT_JSON", "1"),
            ("PAPAYU_MAX_COST", "0.5"),
        ],
        "",
    )
    .unwrap();
    assert_eq!(settings.paths_protected.value, ["docs/**", "*.{lock,sum}"]);
    assert_eq!(settings.run_emit.value, [Emit::Patch, Emit::Worktree]);
    assert!(!settings.protocol_fallback_to_v1.value);
    assert_eq!(settings.llm_strict_json.value, Some(true));
    assert!((settings.budget_max_cost.value - 0.5).abs() < f64::EPSILON);
    let flags =
        [("run.emit", "patch".to_owned(), "--emit"), ("run.emit", "worktree".into(), "--emit")];
    let settings = load(SettingsSources { flags: &flags, ..SettingsSources::default() }).unwrap();
    assert_eq!(settings.run_emit.value, [Emit::Patch, Emit::Worktree]);
}

#[test]
fn the_protocol_variable_wins_over_its_default_variable() {
    let version = |environment: &[(&str, &str)]| {
        resolve(environment, "").unwrap().protocol_version.value.number()
    };
    assert_eq!(version(&[("PAPAYU_PROTOCOL_DEFAULT", "1")]), 1);
    assert_eq!(version(&[("PAPAYU_PROTOCOL_DEFAULT", "1"), ("PAPAYU_PROTOCOL_VERSION", "2")]), 2);
}

#[test]
fn a_relative_path_starts_from_the_place_that_names_it() {
    let repo = Path::new("/repo");
    let from = |environment: &[(&str, &str)], file: &str| {
        resolve(environment, file).unwrap().trace_dir.resolved(repo)
    };
    assert_eq!(from(&[], ""), Some(PathBuf::from("/repo/.papa-yu/traces")));
    assert_eq!(from(&[], "[trace]\ndir = \"t\""), Some(PathBuf::from("repo/t")));
    assert_eq!(from(&[("PAPAYU_TRACE_DIR", "t")], ""), Some(PathBuf::from("t")));
    assert_eq!(resolve(&[], "").unwrap().out_dir.resolved(repo), None);
}

#[test]
fn the_provider_is_the_named_one_or_follows_from_the_rest() {
    let provider = |environment: &[(&str, &str)]| {
        let (choice, why) = resolve(environment, "").unwrap().provider(Path::new("/repo"));
        format!("{} · {why}", choice.name())
    };
    assert_eq!(provider(&[]), "suggestions · no model is configured");
    assert_eq!(
        provider(&[("PAPAYU_LLM_PROVIDER", "replay:s.json")]),
        "replay:s.json · env PAPAYU_LLM_PROVIDER"
    );
    assert_eq!(
        provider(&[("PAPAYU_LLM_PROVIDER", "suggestions,Ollama")]),
        "suggestions,ollama · env PAPAYU_LLM_PROVIDER"
    );
    assert_eq!(
        provider(&[("PAPAYU_LLM_API_KEY", "k")]),
        "suggestions,openai · found out from llm.api_key (env PAPAYU_LLM_API_KEY)"
    );
    assert_eq!(
        provider(&[("PAPAYU_LLM_SECOND_MODEL", "m")]),
        "suggestions · no model is configured"
    );
    for (url, name) in [
        ("https://api.openai.com/v1/chat/completions", "openai"),
        ("https://api.anthropic.com", "anthropic"),
        ("http://proxy/v1/messages/", "anthropic"),
        ("http://127.0.0.1:11434", "ollama"),
        ("http://127.0.0.1:11434/v1/chat/completions", "openai"),
        ("http://gpu/api/chat", "ollama"),
        ("http://localhost:8000/v1", "openai"),
        ("https://x.openai.azure.com/openai/v1/responses", "openai-responses"),
        ("https://generativelanguage.googleapis.com", "gemini"),
        ("https://generativelanguage.googleapis.com/v1beta/openai/", "openai"),
        ("http://proxy/v1/models/m:generateContent", "gemini"),
    ] {
        let found = provider(&[("PAPAYU_LLM_API_URL", url)]);
        assert!(found.starts_with(&format!("suggestions,{name} · ")), "{url}: {found}");
    }
}

#[test]
fn the_users_file_is_in_the_platforms_folder() {
    let of = |name: &str, value: &str| user_file(&[(name.into(), value.into())]);
    if cfg!(target_os = "linux") {
        assert_eq!(of("HOME", "/h"), Some(PathBuf::from("/h/.config/papayu/papayu.toml")));
        assert_eq!(of("XDG_CONFIG_HOME", "/x"), Some(PathBuf::from("/x/papayu/papayu.toml")));
    }
    assert_eq!(of("HOME", "relative"), None);
    assert_eq!(user_file(&[]), None);
}

/// The error of a repository's file beside the user's; empty where it may set the value.
fn refusal(flags: &[FlagValue], repository: &str, user: &str) -> String {
    let repository = Some(of_repository(repository));
    let user = Some((Path::new("u.toml"), user));
    let resolved = load(SettingsSources { flags, repository, user, ..SettingsSources::default() });
    resolved.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn a_repository_may_narrow_and_never_widen() {
    for (asked, own, is_free) in [
        ("[run]\nmax_attempts = 1", "", true),
        ("[run]\nmax_attempts = 2", "", true),
        ("[run]\nmax_attempts = 3", "", false),
        ("[run]\nmax_attempts = 3", "[run]\nmax_attempts = 9", true),
        ("[run]\nmax_attempts = 3", "[run]\nmax_attempts = 1", false),
        ("[run]\ntimeout_sec = 604800", "", false),
        ("[run]\nverify_timeout_sec = 1000", "", true),
        ("[run]\nemit = [\"patch\"]", "", true),
        ("[run]\nemit = \"pr\"", "", false),
        ("[run]\nemit = [\"patch\", \"worktree\"]", "", false),
        ("[run]\nemit = \"pr\"", "[run]\nemit = [\"pr\", \"patch\"]", true),
        ("[run]\ncommand = \"make\"", "", true),
        ("[budget]\nmax_cost = 5", "", true),
        ("[budget]\nmax_cost = 5", "[budget]\nmax_cost = 1.5", false),
        ("[budget]\nmax_cost = 0", "[budget]\nmax_cost = 1.5", false),
        ("[budget]\nmax_cost = 1.25", "[budget]\nmax_cost = 1.5", true),
        ("[policy]\nallow_delete = false", "[policy]\nallow_delete = true", true),
        ("[policy]\nallow_delete = true", "", false),
        ("[policy]\nallow_ci_files = true", "", false),
        ("[policy]\nallow_test_edits = true", "", false),
        ("[policy]\nallow_test_edits = true", "[policy]\nallow_test_edits = true", true),
        ("[paths]\nallowed = [\".rs\"]", "", true),
        ("[paths]\nallowed = [\".rs\"]", "[paths]\nallowed = [\".rs\", \".py\"]", true),
        ("[paths]\nallowed = [\".rs\", \".sh\"]", "[paths]\nallowed = [\".rs\"]", false),
        ("[paths]\nallowed = []", "[paths]\nallowed = [\".rs\"]", false),
        ("[llm]\nprovider = \"suggestions\"", "[llm]\nprovider = \"openai\"", true),
        ("[llm]\nprovider = \"anthropic\"", "", false),
        ("[llm]\nprovider = \"replay:/etc/passwd\"", "", false),
        ("[llm]\nprice_file = \"/etc/passwd\"", "", false),
        ("[pr]\ndraft = true", "", true),
        ("[pr]\ndraft = false", "[pr]\ndraft = true", false),
        ("[pr]\nauto_merge = true", "", false),
        ("[pr]\nlabels = [\"safe to test\"]", "", false),
        ("[trace]\nraw = true", "", false),
        ("[trace]\ndir = \"t\"", "", true),
        ("[trace]\ndir = \"/var/t\"", "", false),
        ("[out]\ndir = \"../out\"", "", false),
        ("[out]\njunit = \"/home/u/.bashrc\"", "", false),
        ("[out]\nsarif = \".git/config\"", "", false),
        ("[trust]\nthis_repository = true", "", false),
        ("[trust]\nrepositories = [\"/**\"]", "", false),
    ] {
        let message = refusal(&[], asked, own);
        assert_eq!(message.is_empty(), is_free, "{asked} beside {own}: {message}");
        assert!(is_free || message.starts_with("repo/papayu.toml:2: `"), "{message}");
    }
    let error = resolve(&[], "[run]\nmax_attempts = 5").unwrap_err();
    assert_eq!(
        error.to_string(),
        "repo/papayu.toml:2: `run.max_attempts` is the integer 5, but the repository may only lower it, to at most 2"
    );
    let hint = error.hint().unwrap();
    assert!(hint.contains("PAPAYU_MAX_ATTEMPTS") && hint.contains("--trust-repository-settings"));
}

#[test]
fn a_trusted_repository_sets_all_but_secrets_and_the_places_they_go_to() {
    let asked =
        "[run]\nemit = \"pr\"\n[policy]\nallow_delete = true\n[out]\njunit = \"/tmp/j.xml\"\n";
    assert!(!refusal(&[], asked, "").is_empty());
    let flag = [("trust.this_repository", "true".to_owned(), "--trust-repository-settings")];
    assert_eq!(refusal(&flag, asked, ""), "");
    assert_eq!(refusal(&[], asked, "[trust]\nrepositories = [\"/work/*\"]"), "");
    assert!(
        !refusal(&[], asked, "[trust]\nrepositories = [\"/work\", \"repo\", \"**\"]").is_empty()
    );
    for never in [
        "[llm]\napi_key = \"k\"",
        "[llm]\napi_url = \"https://thief.example\"",
        "[run]\nkeep_env = [\"NPM_TOKEN\"]",
        "[github]\napi_url = \"https://thief.example\"",
    ] {
        assert!(!refusal(&flag, never, "").is_empty(), "{never}");
    }
    let mut file = of_repository(asked);
    file.can_be_trusted = false;
    let sources =
        SettingsSources { flags: &flag, repository: Some(file), ..SettingsSources::default() };
    assert!(load(sources).is_err(), "the file of the change itself is not trusted");
}

#[test]
fn protected_paths_of_the_repository_are_added_to_those_of_the_user() {
    let repository = Some(of_repository("[paths]\nprotected = [\"b/**\"]"));
    let user = Some((Path::new("u.toml"), "[paths]\nprotected = [\"a/**\"]"));
    let of_file = load(SettingsSources { repository, user, ..SettingsSources::default() }).unwrap();
    assert_eq!(of_file.paths_protected.value, ["b/**", "a/**"]);
    let environment = [("PAPAYU_PROTECTED_PATHS".to_owned(), "c/**,d/**".to_owned())];
    let environment = &environment[..];
    let of_all =
        load(SettingsSources { environment, repository, user, ..SettingsSources::default() })
            .unwrap();
    assert_eq!(of_all.paths_protected.value, ["b/**", "c/**", "d/**"]);
}

#[test]
fn a_file_in_a_folder_narrows_what_the_file_above_it_permits_and_never_widens_it() {
    let load_both = |top: &str, own: &str, is_trusted: bool| {
        let flags = [("trust.this_repository", is_trusted.to_string(), "--trust")];
        let own = RepositoryFile { prefix: "app/", ..of_repository(own) };
        let above = [RepositoryFile { path: Path::new("r/papayu.toml"), ..of_repository(top) }];
        let sources = SettingsSources {
            above: &above,
            repository: Some(own),
            flags: &flags,
            ..SettingsSources::default()
        };
        load(sources).map_err(|error| error.to_string())
    };
    let top = "[paths]\nprotected = [\"app/secret.py\", \"/infra/\", \"*.sql\"]\n[budget]\nmax_cost = 1.0\n[run]\nnetwork = \"off\"\n";
    for is_trusted in [false, true] {
        let own = "[paths]\nprotected = [\"b/**\"]\n[budget]\nmax_cost = 0.5\n";
        let settings = load_both(top, own, is_trusted).unwrap();
        let protected = ["b/**", "//app/secret.py", "//infra/", "*.sql"];
        assert_eq!(settings.paths_protected.value, protected, "{is_trusted}");
        assert_eq!(settings.budget_max_cost.value.to_string(), "0.5");
        assert_eq!(settings.run_network.value, papayu_system::NetworkMode::Off);
        for wider in ["[budget]\nmax_cost = 2.0\n", "[run]\nnetwork = \"on\"\n"] {
            assert!(load_both(top, wider, is_trusted).is_err(), "{wider} {is_trusted}");
        }
        let settings = load_both(top, "", is_trusted).unwrap();
        assert_eq!(settings.budget_max_cost.value.to_string(), "1");
        assert_eq!(settings.paths_protected.value, protected[1..]);
    }
}

#[test]
fn a_value_that_a_flag_overrides_does_no_harm_and_is_no_error() {
    let flags = [("run.emit", "worktree".to_owned(), "--emit")];
    assert_eq!(refusal(&flags, "[run]\nemit = \"pr\"", ""), "");
}

#[test]
fn the_profile_is_stronger_than_the_defaults_and_weaker_than_all_that_anybody_writes() {
    let user = (Path::new("u.toml"), "[run]\ntimeout_sec = 9000\n");
    let environment = [("PAPAYU_TIMEOUT_SEC".to_owned(), "600".to_owned())];
    let flags = [("run.timeout_sec", "60".to_owned(), "--timeout")];
    let bare = SettingsSources { profile: Some(ProjectKind::Maven), ..SettingsSources::default() };
    let narrowed =
        SettingsSources { repository: Some(of_repository("[run]\ntimeout_sec = 2000\n")), ..bare };
    let narrowed_below_user = SettingsSources { user: Some(user), ..narrowed };
    let with_variable = SettingsSources { environment: &environment, ..narrowed_below_user };
    let shown = |sources: SettingsSources<'_>| {
        let settings = load(sources).unwrap();
        let limit = settings.run_timeout_sec;
        format!("{} {}", limit.value.as_secs(), limit.origin)
    };
    for (sources, expected) in [
        (SettingsSources::default(), "1800 default"),
        (
            SettingsSources { profile: Some(ProjectKind::Go), ..SettingsSources::default() },
            "1800 default",
        ),
        (bare, "2400 profile (Maven)"),
        (SettingsSources { user: Some(user), ..bare }, "9000 u.toml:2"),
        (narrowed, "2000 repo/papayu.toml:2"),
        (narrowed_below_user, "2000 repo/papayu.toml:2"),
        (with_variable, "600 env PAPAYU_TIMEOUT_SEC"),
        (SettingsSources { flags: &flags, ..with_variable }, "60 flag --timeout"),
    ] {
        assert_eq!(shown(sources), expected);
    }
}

#[test]
fn a_repository_narrows_the_limit_of_its_profile_and_a_smaller_one_of_the_user() {
    let refused = |asked: &str, user: &str, profile| {
        let repository = Some(of_repository(asked));
        let user = Some((Path::new("u.toml"), user));
        let profile = Some(profile);
        let sources = SettingsSources { repository, user, profile, ..SettingsSources::default() };
        load(sources).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let asked = "[run]\ntimeout_sec = 2400";
    assert_eq!(refused(asked, "", ProjectKind::Maven), "");
    assert!(refused(asked, "", ProjectKind::Python).ends_with("to at most 1800"));
    assert!(
        refused("[run]\ntimeout_sec = 2401", "", ProjectKind::Maven).ends_with("to at most 2400")
    );
    let user = "[run]\ntimeout_sec = 300";
    assert!(refused(asked, user, ProjectKind::Maven).ends_with("to at most 300"));
}

#[test]
fn values_of_a_profile_are_not_exported_as_the_users() {
    let profile = Some(ProjectKind::Dotnet);
    let sources = SettingsSources { profile, ..SettingsSources::default() };
    assert_eq!(export_settings(&load(sources).unwrap()).unwrap(), "");
}

#[test]
fn the_limits_of_every_kind_leave_room_for_two_calls_and_end_before_a_job_does() {
    for kind in ProjectKind::all() {
        let sources = SettingsSources { profile: Some(kind), ..SettingsSources::default() };
        let settings = load(sources).unwrap();
        let (whole, one) = (settings.run_timeout_sec.value, settings.run_verify_timeout_sec.value);
        assert!(whole >= 2 * one, "{kind:?}");
        // The workflows of `examples/` end a job after 45 minutes.
        assert!(whole < Duration::from_mins(45), "{kind:?}");
        let names: Vec<_> = settings
            .rows()
            .filter(|row| *row.origin == ValueOrigin::Profile(kind.name()))
            .map(|row| row.key)
            .collect();
        let KindLimits { verify_timeout_sec, timeout_sec, max_files } = kind.limits();
        let set = [verify_timeout_sec, timeout_sec, max_files];
        assert_eq!(names.len(), set.iter().flatten().count(), "{kind:?}: {names:?}");
    }
}
