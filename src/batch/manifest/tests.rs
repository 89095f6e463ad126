//! What manifests say in each form, and what is said of each mistake.

use std::path::Path;

use proptest::prelude::*;

use super::*;

fn problems(form: ManifestFormat, text: &str) -> String {
    match read_manifest(Path::new("m"), text.as_bytes(), form) {
        Ok(manifest) => format!("{:?}", manifest.tasks),
        Err(error) => error.to_string(),
    }
}

/// Keys of a folder's task on the third line, and what is said of them.
const KEYS: &[(&str, &str)] = &[
    (
        "budget = { max_tokns = 1 }",
        "3: `max_tokns` is not a key of `budget`; did you mean `max_tokens`?",
    ),
    ("budget = 3", "3: `budget` is a number, expected a table"),
    ("budget = { max_cost = -1 }", "3: `max_cost` is a number, expected a number from 0"),
    ("budget = { max_requests = 1.5 }", "3: `max_requests` is a number, expected a whole number"),
    ("goal = true", "3: `goal` is a switch, expected text"),
    (
        "emit = [\"path\"]",
        "3: `emit` cannot be `path` (did you mean `patch`?); it is one of patch, worktree, bundle, branch, pr",
    ),
    ("emit = { a = 1 }", "3: `emit` is a table, expected text, or a list of texts"),
    ("provider = \"opnai\"", "3: `provider` cannot be `opnai` (did you mean `openai`?)"),
    ("name = \"../a\"", "3: `../a` cannot name a task: letters, digits"),
    ("branch = \"main\"", "1: `branch` is for addresses"),
];

/// The same of an address's task.
const AWAY: &[(&str, &str)] = &[
    ("branch = \"-x\"", "3: `-x` is not the name of a branch"),
    ("emit = \"branch\"", "1: `emit = branch` sets a branch in a folder's own repository"),
    ("emit = \"worktree\"", "1: `emit = worktree` changes a folder in place"),
];

/// Whole files, and what is said of them.
const FILES: &[(ManifestFormat, &str, &str)] = &[
    (ManifestFormat::Toml, "\n[defaults", "2: not TOML: "),
    (ManifestFormat::Json, "{\n\"repositories\": [,]}", "2: not JSON: expected value"),
    (ManifestFormat::Yaml, "repositories:\n  - repo: [a", "2: not YAML: "),
    (ManifestFormat::Toml, "", "1: it names no repository"),
    (ManifestFormat::Lines, "# nothing\n", "1: it names no repository"),
    (
        ManifestFormat::Toml,
        "[default]\n",
        "1: `default` is not a key of the manifest; did you mean `defaults`?",
    ),
    (
        ManifestFormat::Toml,
        "[defaults]\ngaol = \"x\"\n",
        "2: `gaol` is not a key of `defaults`; did you mean `goal`?",
    ),
    (ManifestFormat::Toml, "[defaults]\nname = \"x\"\n", "2: `name` is not a key of `defaults`"),
    (
        ManifestFormat::Yaml,
        "repositories:\n  - repo: a\n    goals: x",
        "3: `goals` is not a key of a repository; did you mean `goal`?",
    ),
    (
        ManifestFormat::Json,
        "[\n{\"repo\": \"a\",\n\"run\": \"x\",\n\"run\": \"y\"}]",
        "4: `run` is repeated",
    ),
    (
        ManifestFormat::Toml,
        "[[repositories]]\nrun = \"x\"\n",
        "1: a repository is missing: `repo` is",
    ),
    (ManifestFormat::Yaml, "repositories: a", "1: `repositories` is text, expected a list"),
    (
        ManifestFormat::Json,
        "[[]]",
        "1: `a repository` is a list, expected text, or a table with `repo`",
    ),
    (ManifestFormat::Lines, "a\n\nb\na\n", "4: `a` is named on line 1 already; give each a `name`"),
    (
        ManifestFormat::Lines,
        "ftp://h/r",
        "1: `ftp` addresses are not cloned; use https, ssh, git or file",
    ),
    (ManifestFormat::Lines, "ext::sh -c x", "1: `ext` addresses are not cloned"),
    (
        ManifestFormat::Lines,
        "https://u:secret@h/r",
        "1: the address contains a user or password; a token",
    ),
    (
        ManifestFormat::Lines,
        "https://ghp_token@h/r",
        "1: the address contains a user or password; a token",
    ),
    (ManifestFormat::Lines, "org/[a", "1: `org/[a` is not a pattern: unclosed character class"),
    (
        ManifestFormat::Toml,
        "[[repositories]]\nrepo = \"o/*\"\nname = \"n\"\n",
        "1: `o/*` matches many repositories, which cannot share the name `n`",
    ),
    (ManifestFormat::Toml, "[[repositories]]\nrepo = \"a\"\nrepo = \"b\"\n", "3: not TOML: "),
    (ManifestFormat::Yaml, "- repo: a\n  run: x\n  run: y\n", "3: `run` is repeated"),
    (
        ManifestFormat::Yaml,
        "- {repo: a, name: n}\n- {repo: b, name: n}\n",
        "2: `n` is named on line 1 already",
    ),
    (ManifestFormat::Json, "\u{feff}[\n1]", "2: `a repository` is a number, expected text"),
    (ManifestFormat::Yaml, "\u{feff}- a\n- [b]\n", "2: `a repository` is a list, expected text"),
    (ManifestFormat::Yaml, "a: &x 1\n", "1: anchors and aliases are not read"),
    (
        ManifestFormat::Yaml,
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nrepositories: [*c, *c]\n",
        "1: anchors and aliases are not read",
    ),
    (ManifestFormat::Yaml, "- a\n- *x\n", "2: not YAML: "),
    (ManifestFormat::Lines, "a\nb\0c\n", "2: it has zero bytes, as UTF-16 does; write it as UTF-8"),
    (ManifestFormat::Yaml, "- a\n---\n- b\n", "2: a second document begins here"),
];

#[test]
fn each_mistake_has_its_own_message_with_its_line() {
    let task = |repo: &str, keys: &str| format!("[[repositories]]\nrepo = \"{repo}\"\n{keys}\n");
    let keys = KEYS.iter().map(|(keys, message)| (ManifestFormat::Toml, task("a", keys), *message));
    let away = AWAY
        .iter()
        .map(|(keys, message)| (ManifestFormat::Toml, task("https://h/o/r", keys), *message));
    let files = FILES.iter().map(|(form, text, message)| (*form, (*text).to_owned(), *message));
    let json = "[".repeat(100_000) + &"]".repeat(100_000);
    let deep = [
        (ManifestFormat::Yaml, "[".repeat(100_000), "1: not YAML: recursion limit exceeded"),
        (ManifestFormat::Yaml, "- ".repeat(100_000), "1: values are nested too deep"),
        (ManifestFormat::Json, json, "1: values are nested too deep"),
        (ManifestFormat::Toml, format!("a = {}", "[".repeat(100_000)), "1: not TOML: "),
        (ManifestFormat::Lines, "r\n".repeat(10_001), "1: it names more than 10000 repositories"),
        (
            ManifestFormat::Json,
            format!("[1{}]", ",1".repeat(10_000)),
            "1: it names more than 10000",
        ),
        (ManifestFormat::Lines, "r".repeat(5000), "1: the repository is longer than 4096 bytes"),
        (ManifestFormat::Lines, "r\n".repeat(9_000_000), "1: it is longer than 16777216 bytes"),
    ];
    for (form, text, message) in keys.chain(away).chain(files).chain(deep) {
        let told = problems(form, &text);
        let shown: String = text.chars().take(60).collect();
        assert!(told.starts_with(&format!("m:{message}")), "{shown:?}: {told}");
        assert_eq!(told.lines().count(), 1, "{shown:?}: {told}");
        assert!(!told.contains("secret") && !told.contains("ghp_token"), "{told}");
    }
    let bytes = |bytes: &[u8]| {
        read_manifest(Path::new("m"), bytes, ManifestFormat::Lines).unwrap_err().to_string()
    };
    assert_eq!(bytes(b"a\n\xff"), "m:2: it is not UTF-8");
    let wide: Vec<u8> = "\u{feff}a\nb\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(bytes(&wide), "m:1: it has zero bytes, as UTF-16 does; write it as UTF-8");
}

#[test]
fn every_mistake_of_a_file_is_told_at_once_in_its_order() {
    let text =
        "[defaults]\nrunn = \"x\"\n[[repositories]]\nrepo = \"a\"\ngoal = 1\n[[repositories]]\n";
    let lines: Vec<String> =
        problems(ManifestFormat::Toml, text).lines().map(str::to_owned).collect();
    let starts = ["m:2: `runn`", "m:5: `goal`", "m:6: a repository is missing"];
    assert_eq!(lines.len(), starts.len(), "{lines:?}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }
}

#[test]
fn all_forms_say_the_same() {
    let toml = "[defaults]\nrun = \"make\"\nemit = [\"pr\"]\nbudget = { max_cost = 0.5, max_tokens = 10 }\n\n\
        [[repositories]]\nrepo = \"https://h/o/r\"\ngoal = \"\u{1f680}\"\nbudget = { max_tokens = 20 }\n";
    let yaml = "# comment\ndefaults:\n  run: make\n  emit: [pr]\n  budget: {max_cost: 0.5, max_tokens: 10}\n\
        repositories:\n  - repo: https://h/o/r\n    goal: \u{1f680}\n    budget:\n      max_tokens: 20\n";
    let json = "\u{feff}{\"defaults\": {\"run\": \"make\", \"emit\": \"pr\", \"budget\": {\"max_cost\": 0.5, \"max_tokens\": 10}},\r\n\
        \t\"repositories\": [{\"repo\": \"https:\\/\\/h/o/r\", \"goal\": \"\\ud83d\\ude80\", \"budget\": {\"max_tokens\": 20}}]}";
    let mut all = Vec::new();
    for (form, text) in
        [(ManifestFormat::Toml, toml), (ManifestFormat::Yaml, yaml), (ManifestFormat::Json, json)]
    {
        let manifest = read_manifest(Path::new("m"), text.as_bytes(), form).unwrap();
        let [task] = &manifest.tasks[..] else { panic!("{form:?}: {:?}", manifest.tasks) };
        all.push(ManifestTask { line: 0, ..task.clone() });
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:#?}");
    let task = &all[0];
    assert_eq!(task.source, TaskRepository::Address("https://h/o/r".into()));
    assert_eq!(
        (task.options.run.as_deref(), task.options.goal.as_deref()),
        (Some("make"), Some("\u{1f680}"))
    );
    assert_eq!(task.options.emit, Some(vec!["pr".to_owned()]));
    let limits = TaskBudget { max_cost: Some(0.5), max_tokens: Some(20), ..TaskBudget::default() };
    assert_eq!(task.options.limits, limits, "budgets are laid over key by key");
}

#[test]
fn folders_addresses_and_patterns_are_told_apart() {
    let address = |text: &str| TaskRepository::Address(text.into());
    let folder = |text: &str| TaskRepository::Folder(text.into());
    for (text, expected) in [
        ("../a b", folder("../a b")),
        ("/srv/r", folder("/srv/r")),
        ("./org/*", folder("./org/*")),
        ("org/name", folder("org/name")),
        ("a:b/c", folder("a:b/c")),
        ("git@h:o/r.git", address("git@h:o/r.git")),
        ("ssh://git@h/o/r", address("ssh://git@h/o/r")),
        (
            "org/api-*",
            TaskRepository::Owner(Box::new(RepositoryPattern {
                owner: "org".into(),
                names: "api-*".into(),
            })),
        ),
    ] {
        let manifest =
            read_manifest(Path::new("m"), text.as_bytes(), ManifestFormat::Lines).unwrap();
        assert_eq!(manifest.tasks[0].source, expected, "{text}");
    }
}

proptest! {
    #[test]
    fn nothing_that_is_written_makes_a_reader_panic(text in "[\\[\\]{}\":,\\- a-z0-9\\n\\t#&*'|>=]{0,200}") {
        for form in [ManifestFormat::Toml, ManifestFormat::Yaml, ManifestFormat::Json, ManifestFormat::Lines] {
            let _ = read_manifest(Path::new("m"), text.as_bytes(), form);
        }
    }
}
