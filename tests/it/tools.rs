//! The tools from the shell: each of them once, wrong parameters, and edits that the gates refuse.
#![expect(clippy::disallowed_methods, reason = "the test runs git itself")]

use papayu_batch::tools::{COMPOSED, SINGLE};
use serde_json::{Value, json};

use crate::model::Model;
use crate::support::{Ran, TestEnv};

const MONEY: &str = r#""""Money."""
# TODO: currencies


class Purse:
    def __init__(self):
        self.coins = []

    def add(self, coin):
        self.coins.append(coin)


def total(coins):
    return sum(coins) + 1
"#;

const TEST: &str = "import unittest\nfrom src.money import total\n\n\nclass T(unittest.TestCase):\n    \
    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n";

/// A committed repository with a failing test.
pub(crate) fn shop() -> TestEnv {
    let env = TestEnv::new();
    for (path, text) in [
        (".gitignore", ".papa-yu\n__pycache__\n"),
        (".env", "KEY=1\n"),
        ("pyproject.toml", "[project]\nname = \"x\"\n"),
        ("src/__init__.py", ""),
        ("src/money.py", MONEY),
        ("tests/__init__.py", ""),
        ("tests/test_money.py", TEST),
    ] {
        env.write(path, text);
    }
    git(&env, &["init", "--quiet"]);
    git(&env, &["add", "--force", "."]);
    git(&env, &["commit", "--quiet", "-m", "one"]);
    env
}

pub(crate) fn git(env: &TestEnv, arguments: &[&str]) -> String {
    let output = std::process::Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-C"])
        .arg(env.repo())
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn call(env: &TestEnv, arguments: &[&str]) -> Ran {
    env.run(&[&["tool"], arguments].concat())
}

fn data(env: &TestEnv, arguments: &[&str]) -> Value {
    let ran = env.run(&[&["--format", "json", "tool"], arguments].concat());
    assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
    ran.json()
}

#[test]
fn reading_tools_answer_with_lines_definitions_and_places() {
    let env = shop();
    let lines =
        data(&env, &["get_lines", "--path", "src/money.py", "--start", "13", "--end", "14"]);
    assert_eq!(lines["content"], "def total(coins):\n    return sum(coins) + 1\n");
    assert_eq!(
        (&lines["start"], &lines["end"], &lines["total"]),
        (&json!(13), &json!(14), &json!(14))
    );
    let function = data(&env, &["get_function", "--path", "src/money.py", "--name", "Purse.add"]);
    assert_eq!(function["definitions"][0]["start"], 9);
    let class = data(&env, &["get_class", "--path", "src/money.py", "--name", "Purse"]);
    assert_eq!(class["definitions"][0]["end"], 10);
    let structure = data(&env, &["get_structure", "--path", "src"]);
    let paths: Vec<_> =
        structure["files"].as_array().unwrap().iter().map(|it| &it["path"]).collect();
    assert_eq!(paths, ["src/__init__.py", "src/money.py"]);
    let found = data(&env, &["find_definition", "--symbol", "total"]);
    assert_eq!(found["definitions"][0]["line"], 13);
    let found = data(&env, &["find_usages", "--symbol", "total"]);
    let lines: Vec<_> =
        found["references"].as_array().unwrap().iter().map(|it| &it["line"]).collect();
    assert_eq!(lines, [13, 2, 7]);
    let found = data(&env, &["get_dependencies", "--path", "tests/test_money.py"]);
    assert_eq!(found["imports"][1]["paths"], json!(["src/money.py"]));
    let found = data(&env, &["get_dependents", "--path", "src/money.py"]);
    assert_eq!(found["tests"], json!(["tests/test_money.py"]));
    let found = data(&env, &["get_complexity", "--path", "src/money.py"]);
    assert_eq!(found["files"][0]["complexity"]["loc"], 8);
    let found = data(&env, &["get_todos"]);
    assert_eq!(found["todos"][0]["text"], "currencies");
}

#[test]
fn the_parts_of_a_head_are_fields_of_each_definition() {
    let env = TestEnv::new();
    let cart = "export class Cart<T> extends Base<T> implements Store {\n  private static readonly limit: number = 3;\n  \
        protected async load(id: string, size = 1, ...rest: T[]): Promise<void> {}\n}\n";
    env.write("src/cart.ts", cart);
    env.write("src/other.ts", "export let count = 1;\n");
    let class = json!({ "extends": ["Base<T>"], "implements": ["Store"] });
    let method = json!({
        "parameters": [
            { "name": "id", "type": "string" },
            { "name": "size", "type": null, "default": "1", "optional": true },
            { "name": "rest", "type": "T[]", "variadic": true },
        ],
        "return_type": "Promise<void>",
        "visibility": "protected",
        "is_async": true,
    });
    let limit = json!({ "value_type": "number", "visibility": "private", "is_static": true, "is_readonly": true });

    let found = data(&env, &["get_class", "--path", "src/cart.ts", "--name", "Cart"]);
    assert_eq!(found["definitions"][0]["declaration"], class);
    let found = data(&env, &["get_function", "--path", "src/cart.ts", "--name", "load"]);
    assert_eq!(found["definitions"][0]["declaration"], method);
    let found = data(&env, &["symbol", "--name", "Cart.load"]);
    assert_eq!(found["definitions"][0]["definition"]["declaration"], method);
    let found = data(&env, &["get_structure", "--path", "src/cart.ts"]);
    let symbols = found["files"][0]["symbols"].as_array().unwrap();
    let declarations: Vec<_> = symbols.iter().map(|row| &row["declaration"]).collect();
    assert_eq!(declarations, [&class, &method]);
    // Of a folder only the signatures are listed.
    let found = data(&env, &["get_structure", "--path", "src"]);
    assert_eq!(found["files"][0]["symbols"][0].get("declaration"), None);

    let ask = |question: &[&str]| {
        env.run(&[&["index"], question, &["--format", "json"]].concat()).json()["symbols"].clone()
    };
    let rows = ask(&["outline", "src/cart.ts"]);
    let declarations: Vec<_> =
        rows.as_array().unwrap().iter().map(|row| &row["declaration"]).collect();
    assert_eq!(declarations, [&class, &limit, &method]);
    assert_eq!(ask(&["definition", "limit"])[0]["declaration"], limit);
    assert_eq!(ask(&["symbols", "loa"])[0]["declaration"], method);
}

#[test]
fn composed_tools_answer_in_one_call_and_never_show_secrets() {
    let env = shop();
    let found = data(&env, &["symbol", "--name", "total"]);
    assert_eq!(found["definitions"][0]["callers"], json!(["tests/test_money.py:7 test_total"]));
    let found = data(&env, &["graph", "--path", "src/money.py"]);
    assert_eq!(found["dependents"], json!(["tests/test_money.py"]));
    let read = data(&env, &["read", "--path", "src/money.py", "--name", "total"]);
    assert_eq!(read["start"], 13);
    let hits = data(&env, &["search_code", "--query", "c.ins\\)", "--regex", "--glob", "src/*.py"]);
    assert_eq!(hits["lines"].as_array().unwrap().len(), 2);
    env.write("key.txt", "token = \"AKIAIOSFODNN7EXAMPLE\"\n");
    let hits = data(&env, &["search_code", "--query", "AKIAIOSFODNN7EXAMPLE"]);
    assert!(!hits.to_string().contains("AKIAIOSFODNN7"), "{hits}");
    let hits = data(&env, &["search_code", "--query", "KEY=1"]);
    assert_eq!(hits["lines"], json!([]));
    let log = "FAIL: test_total (tests.test_money.T.test_total)\nTraceback (most recent call last):\n  File \
        \"tests/test_money.py\", line 7, in test_total\n    self.assertEqual(total([1, 2]), 3)\nAssertionError: 4 != 3\n";
    let found = data(&env, &["failure_context", "--log", log]);
    assert_eq!(found["failures"][0]["test"], "tests.test_money.T.test_total");
    let paths: Vec<_> = found["files"].as_array().unwrap().iter().map(|it| &it["path"]).collect();
    assert!(paths.contains(&&json!("src/money.py")), "{paths:?}");
}

#[test]
fn a_path_is_verified_by_the_runner_inside_a_compound_script() {
    let env = shop();
    env.write(
        "package.json",
        r#"{"scripts": {"test": "npm run lint && npm run unit", "lint": "eslint .", "unit": "python3 -m unittest -q"}}"#,
    );
    env.write_user_settings("[run]\ncommand = \"npm test\"\n");
    let ran = call(&env, &["verify", "--path", "tests/test_money.py", "--timeout_sec", "60"]);
    let head = "`python3 -m unittest -q tests/test_money.py` failed; 1 failure";
    assert!(ran.stdout.starts_with(head), "{ran:?}");
}

#[test]
fn an_edit_is_verified_committed_and_undone() {
    let env = shop();
    let ran = call(&env, &["verify"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("test_total: AssertionError: 4 != 3"), "{ran:?}");
    assert!(ran.stdout.contains("failed; 1 failure\ntests/test_money.py:7: "), "{ran:?}");
    let root = env.repo().canonicalize().unwrap();
    assert!(!ran.stdout.contains(&*root.to_string_lossy()), "{ran:?}");
    let edit =
        ["edit_lines", "--path", "src/money.py", "--start", "14", "--end", "14", "--content"];
    let edited = data(&env, &[&edit[..], &["    return sum(coins)\n"]].concat());
    assert!(edited["patch"].as_str().unwrap().contains("-    return sum(coins) + 1"), "{edited}");
    assert_eq!(data(&env, &["run_tests", "--filter", "test_total"])["passed"], true);
    data(
        &env,
        &[
            "create_file",
            "--path",
            "src/bank.py",
            "--content",
            "def open_account():\n    return 1\n",
        ],
    );
    assert!(
        data(&env, &["git_diff", "--path", "src"])["diff"]
            .as_str()
            .unwrap()
            .contains("+    return sum(coins)\n")
    );
    let committed =
        data(&env, &["git_commit", "--message", "Fix the total", "--files", "src/money.py"]);
    assert_eq!(git(&env, &["rev-parse", "HEAD"]).trim(), committed["commit"].as_str().unwrap());
    assert_eq!(git(&env, &["show", "--stat", "--format=%s"]).lines().next(), Some("Fix the total"));
    let status = data(&env, &["git_status"]);
    assert_eq!(status["files"], json!([{ "path": "src/bank.py", "state": "??" }]));
    let refused = call(&env, &["delete_file", "--path", "src/bank.py"]);
    assert_eq!(refused.code, 4, "{refused:?}");
    let allowed = [("PAPAYU_ALLOW_DELETE", "1")];
    let removed = env.run_with(&["tool", "delete_file", "--path", "src/bank.py"], &allowed);
    assert_eq!(removed.code, 0, "{removed:?}");
    assert_eq!(env.run(&["undo"]).code, 0);
    assert_eq!(env.read("src/bank.py"), "def open_account():\n    return 1\n");
}

/// Calls with a wrong parameter, and a part of the message of each.
const WRONG_CALLS: &[(&[&str], &str)] = &[
    (&["get_lines"], "--path <TEXT>"),
    (&["get_lines", "--path", "src/money.py", "--start", "one"], "'one' for '--start <N>'"),
    (
        &["get_lines", "--path", "src/money.py", "--start", "0"],
        "parameter `start`: 0 is less than the minimum of 1",
    ),
    (
        &["get_lines", "--path", "src/money.py", "--start", "99"],
        "parameter `start`: the file has 14 lines",
    ),
    (&["get_lines", "--path", "../../etc/passwd"], "parameter `path`:"),
    (&["get_lines", "--path", ".env"], "`.env` cannot be shown"),
    (&["get_lines", "--path", "src/mony.py"], "there is no file `src/mony.py`"),
    (&["get_function", "--path", "src/mony.py", "--name", "total"], "there is `src/money.py`"),
    (&["get_function", "--path", "src/money.py", "--name", "totl"], "there is `total`"),
    (&["get_class", "--path", "src/money.py", "--name", "Purs"], "there is `Purse`"),
    (&["get_structure", "--path", "sorce"], "there is no file `sorce`"),
    (&["find_definition", "--symbol", "totl"], "there is no definition `totl`; there is `total`"),
    (&["find_references", "--symbol", "totl"], "there is `total`"),
    (&["get_dependencies", "--path", "nope"], "there is no file `nope`"),
    (&["get_dependents", "--path", "nope"], "there is no file `nope`"),
    (&["get_complexity", "--path", "nope"], "there is no file `nope`"),
    (&["get_todos", "--path", "nope"], "there is no file `nope`"),
    (&["git_status", "--branch", "x"], "unexpected argument '--branch'"),
    (&["git_diff", "--path", "/etc"], "parameter `path`:"),
    (&["git_commit", "--message", "m"], "parameter `files`: no file differs"),
    (
        &["git_commit", "--message", "m", "--files", "src/money.py"],
        "`src/money.py` does not differ",
    ),
    (&["run_command", "--command", "rm -rf x"], "`rm -rf x` is blocked"),
    (&["run_command", "--command", "curl x"], "`curl x` is not an allowed command"),
    (&["run_command", "--command", "git log | cat"], "needs a shell"),
    (&["run_tests", "--filter", "-x"], "parameter `filter`: begins with `-`"),
    (
        &["edit_lines", "--path", "src/money.py", "--start", "90", "--end", "91", "--content", "x"],
        "src/money.py",
    ),
    (&["create_file", "--path", "src/money.py", "--content", "x"], "src/money.py"),
    (&["create_file", "--path", ".git/config", "--content", "x"], ".git/config"),
    (&["delete_file", "--path", "nope.py"], "there is no file `nope.py`"),
    (&["search_code", "--query", "(", "--regex"], "parameter `query`:"),
    (&["failure_context"], "parameter `log`: missing"),
    (&["failure_context", "--log", "\n"], "parameter `log`: empty"),
    (&["get_line"], "get_lines"),
    (&["symbol", "--name", "totl"], "there is `total`"),
    (&["graph", "--path", "src/mony.py"], "there is `src/money.py`"),
    (&["read", "--path", "src/money.py", "--end", "0"], "parameter `end`: 0 is less than"),
    (&["verify", "--filter", "-x"], "parameter `filter`: begins with `-`"),
];

#[test]
fn a_wrong_parameter_is_named_with_the_expected_value() {
    let env = shop();
    for (arguments, words) in WRONG_CALLS {
        let ran = call(&env, arguments);
        assert!((1..=5).contains(&ran.code), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(words), "{arguments:?}: {ran:?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
    for tool in SINGLE.iter().chain(COMPOSED) {
        let has_row = WRONG_CALLS.iter().any(|(arguments, _)| arguments[0] == tool.name);
        assert!(has_row, "there is no wrong call of {}", tool.name);
    }
    assert_eq!(git(&env, &["status", "--porcelain"]), "");
}

#[test]
fn commands_are_added_and_denied_by_settings_and_a_repository_cannot_add_any() {
    let env = shop();
    let allow = [("PAPAYU_TOOLS_ALLOW", "printf ok")];
    let ran = env.run_with(&["tool", "run_command", "--command", "printf ok"], &allow);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "`printf ok`: exit code 0\nok\n"), "{ran:?}");
    let ran = env.run_with(&["tool", "run_command", "--command", "printf no"], &allow);
    assert_eq!(ran.code, 4, "{ran:?}");
    let deny = [("PAPAYU_TOOLS_ALLOW", "printf"), ("PAPAYU_TOOLS_DENY", "printf ok")];
    let ran = env.run_with(&["tool", "run_command", "--command", "printf ok"], &deny);
    assert!(ran.stderr.contains("is denied by `printf ok` of `tools.deny`"), "{ran:?}");
    env.write("papayu.toml", "[tools]\nallow = [\"printf\"]\n");
    let ran = call(&env, &["run_command", "--command", "printf ok"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn build_commands_run_in_projects_of_their_kind_only() {
    for (files, command, is_allowed) in [
        (&["Makefile"][..], "make", true),
        (&["composer.json", "Makefile"], "make", true),
        (&["composer.json"], "make", false),
        (&["shop/Makefile"], "make -C shop", true),
        (&["pom.xml"], "mvn test deploy", false),
    ] {
        let env = TestEnv::new();
        for file in files {
            env.write(file, "all:\n\t@echo built\n");
        }
        let ran = call(&env, &["run_command", "--command", command]);
        assert_eq!(ran.code, if is_allowed { 0 } else { 4 }, "{files:?} {command}: {ran:?}");
        assert_eq!(ran.stdout.contains("built"), is_allowed, "{files:?} {command}: {ran:?}");
        assert_eq!(ran.stderr.contains("is not an allowed command"), !is_allowed, "{ran:?}");
    }
}

#[test]
fn notes_for_agents_are_read_from_the_base_and_shown_as_untrusted_text() {
    let env = shop();
    let notes = "Run the tests with unittest.\n\n[tools]\nallow = [\"printf\"]\n";
    env.write("AGENTS.md", notes);
    git(&env, &["add", "AGENTS.md"]);
    git(&env, &["commit", "--quiet", "-m", "notes"]);
    let base = git(&env, &["rev-parse", "HEAD"]).trim().to_owned();
    env.write("AGENTS.md", "From the pull request.\n");
    git(&env, &["commit", "--quiet", "--all", "-m", "other notes"]);
    env.write("AGENTS.md", "From the working tree.\n");
    let event = env.home().join("event.json");
    let pull = json!({ "pull_request": { "base": { "sha": base } } });
    std::fs::write(&event, pull.to_string()).unwrap();
    let event = event.to_string_lossy().into_owned();
    let job = [("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_PATH", event.as_str())];
    let title = "AGENTS.md (untrusted text of the repository";
    for (variables, shown) in
        [(&job[..], "Run the tests with unittest."), (&[], "From the pull request.")]
    {
        let model = Model::serve([]);
        let variables = [&model.variables(), variables].concat();
        let _ = env.run_with(&["fix", "--run", "python3 -m unittest"], &variables);
        let prompts = model.prompts();
        assert!(prompts[0].contains(title), "{}", prompts[0]);
        assert!(prompts[0].contains(shown), "{}", prompts[0]);
        assert!(!prompts[0].contains("From the working tree."), "{}", prompts[0]);
    }
    let ran = env.run_with(&["tool", "run_command", "--command", "printf ok"], &job);
    assert_eq!(ran.code, 4, "the notes are no settings: {ran:?}");
}

#[test]
fn the_index_knows_kinds_of_files_local_names_and_complexity_and_leaves_out_what_a_setting_names() {
    let env = TestEnv::new();
    let cart = "import Shop, { total as sum } from './shop';\nimport * as tax from './tax';\nimport './side';\n\
        export const cart = () => { if (sum()) { return tax.rate; } return new Shop(); };\n";
    env.write("src/cart.ts", cart);
    env.write(
        "src/shop.ts",
        "export default class Shop {}\nexport function total() { return 1; }\n",
    );
    env.write("src/tax.ts", "export const rate = 1;\n");
    env.write("src/side.ts", "");
    env.write("generated/api.ts", "export function generated() {}\n");
    env.write("src/cart.snap", "generated\n");
    env.write("papayu.toml", "[index]\nignore = [\"generated/\", \"*.snap\"]\n");
    std::fs::write(env.repo().join("src/logo.png"), [0, 1, 2]).unwrap();
    std::os::unix::fs::symlink("shop.ts", env.repo().join("src/link.ts")).unwrap();

    let found = data(&env, &["get_dependencies", "--path", "src/cart.ts"]);
    let bindings: Vec<_> =
        found["imports"].as_array().unwrap().iter().map(|row| &row["bindings"]).collect();
    let binding = |local: &str, imported: &str| json!({ "local": local, "imported": imported });
    assert_eq!(
        bindings,
        [
            &json!([binding("Shop", "default"), binding("sum", "total")]),
            &json!([binding("tax", "*")]),
            &json!([]),
        ]
    );
    let text = call(&env, &["get_dependencies", "--path", "src/cart.ts"]).stdout;
    assert!(
        text.contains("line 1: ./shop (default as Shop, total as sum) -> src/shop.ts"),
        "{text}"
    );

    let found = data(&env, &["get_structure"]);
    let files = found["files"].as_array().unwrap();
    let kinds: Vec<_> = files
        .iter()
        .map(|file| (file["path"].as_str().unwrap(), file["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("src/cart.ts", "text"),
            ("src/link.ts", "link"),
            ("src/logo.png", "binary"),
            ("src/shop.ts", "text"),
            ("src/side.ts", "text"),
            ("src/tax.ts", "text"),
        ]
    );
    assert_eq!((&files[0]["complexity"]["loc"], &files[2]["bytes"]), (&json!(4), &json!(3)));
    let text = call(&env, &["get_structure"]).stdout;
    assert!(text.contains("src/logo.png (binary, 3 bytes)"), "{text}");
    let ran = call(&env, &["find_definition", "--symbol", "generated"]);
    assert!(ran.stderr.contains("there is no definition `generated`"), "{ran:?}");
    let ran = env.run(&["index", "definition", "generated"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let wrong = [("PAPAYU_INDEX_IGNORE", "a[")];
    let ran = env.run_with(&["tool", "get_structure"], &wrong);
    assert!(ran.code == 2 && ran.stderr.contains("index.ignore"), "{ran:?}");
}
