//! Whole runs: the project's formatter and type checker go over a change before it counts.

use serde_json::Value;

use crate::examples::rust_homes;
use crate::model::{Model, patch, plan};
use crate::support::TestEnv;

/// Passes when `sum` adds, however the line is formatted.
const CHECK: &str = "sh check.sh";

/// Returns a repository with one wrong file, and a check that passes as soon as the file has a plus.
fn red(path: &str, text: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write(path, text);
    let check = format!(
        "grep -q '[+]' {path} && exit 0\necho \"{path}:2: error: expected 3, found -1\"\nexit 1\n"
    );
    env.write("check.sh", &check);
    env
}

/// Runs `fix` with a model that replaces the second line; returns the outcome and the lines that the patch adds.
fn fix(env: &TestEnv, path: &str, (old, new): (&str, &str), flags: &[&str]) -> (Value, String) {
    let hunk = format!("@@ -2 +2 @@\n-{old}\n+{new}\n");
    let model = Model::serve([plan("add"), patch(path, &hunk)]);
    fix_with(env, &model, flags)
}

fn fix_with(env: &TestEnv, model: &Model, flags: &[&str]) -> (Value, String) {
    let homes = rust_homes();
    let mut variables = model.variables();
    variables.extend(homes.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let outcome = env.outcome(&[&["fix", "--run", CHECK][..], flags].concat(), &variables);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    let patch = env.read("results/papayu.patch");
    let added = patch.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++"));
    (outcome, added.collect::<Vec<_>>().join("\n"))
}

const LIB: &str = "pub fn sum(a: i32, b: i32) -> i32 {\n    a - b\n}\n";
const UNFORMATTED: &str = "pub fn sum(a:i32, b:i32) -> i32 {\n    a - b\n}\n";
const MANIFEST: &str = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

#[test]
fn a_change_of_a_formatted_file_is_formatted_and_that_of_another_file_is_not() {
    let change = ("    a - b", "    a+b");
    for (text, flags, expected) in [
        (LIB, &[][..], "+    a + b"),
        (UNFORMATTED, &[], "+    a+b"),
        (LIB, &["--no-format"], "+    a+b"),
    ] {
        let env = red("shop/src/lib.rs", text);
        env.write("shop/Cargo.toml", MANIFEST);
        let (outcome, added) = fix(&env, "shop/src/lib.rs", change, flags);
        assert_eq!(added, expected, "{outcome:#}");
        assert_eq!(env.read("shop/src/lib.rs"), text, "only a patch was asked for");
    }
}

#[test]
fn the_settings_and_the_edition_of_the_project_count() {
    let text = "pub async fn sum(a: i32, b: i32) -> i32 {\n  a - b\n}\n";
    let env = red("shop/src/lib.rs", text);
    env.write("rustfmt.toml", "tab_spaces = 2\n");
    let workspace =
        "[workspace]\nmembers = [\"shop\"]\n\n[workspace.package]\nedition = \"2024\"\n";
    env.write("Cargo.toml", workspace);
    env.write(
        "shop/Cargo.toml",
        &MANIFEST.replace("edition = \"2024\"", "edition.workspace = true"),
    );
    let (outcome, added) = fix(&env, "shop/src/lib.rs", ("  a - b", "      a+b"), &[]);
    assert_eq!(added, "+  a + b", "{outcome:#}");
}

/// Declares prettier as the formatter of the repository, with a shell script in its place.
fn with_prettier(env: &TestEnv, script: &str) {
    env.write("package.json", "{\"devDependencies\": {\"prettier\": \"3\"}}\n");
    env.write("node_modules/.bin/prettier", &format!("#!/bin/sh\n{script}\n"));
    assert_eq!(env.shell("chmod +x node_modules/.bin/prettier").code, 0);
}

const JS: &str = "function sum(a, b) {\n  return a-b;\n}\n";

#[test]
fn the_text_of_a_formatter_goes_through_the_gates() {
    for (script, expected) in [
        ("sed 's/ + /+/'", "+  return a+b;"),
        // Code that reads the environment is refused, also where the formatter wrote it.
        ("sed 's/a + b/process.env.CI ? 3 : a + b/'", "+  return a + b;"),
        ("sed 's/ + /+/'; exit 1", "+  return a + b;"),
        ("grep -q + || cat", "+  return a + b;"),
        // Only another layout of the same code is taken, and a formatter cannot write.
        ("sed 's/ + /+/;$a steal();'", "+  return a + b;"),
        ("sed 's/ + /+/;s/$/\\r/'", "+  return a + b;"),
        ("sed 's/ + /+/'; echo steal > other.js; echo steal > new.js; true", "+  return a+b;"),
    ] {
        let env = red("sum.js", JS);
        env.write("other.js", "// other\n");
        with_prettier(&env, script);
        let (outcome, added) = fix(&env, "sum.js", ("  return a-b;", "  return a + b;"), &[]);
        assert_eq!(added, expected, "{script}: {outcome:#}");
        assert_eq!(env.read("other.js"), "// other\n", "{script}");
        assert!(!env.repo().join("new.js").exists(), "{script}");
    }
}

#[cfg(feature = "counterparts")]
#[test]
fn the_formatters_of_python_and_javascript_format_the_files_of_a_change() {
    use crate::support::project_path;
    let link = |env: &TestEnv, from: &str, to: &str| {
        let from = project_path(&format!("target/counterparts/{from}"));
        let line = format!("mkdir -p $(dirname {to}) && ln -s {} {to}", from.display());
        assert_eq!(env.shell(&line).code, 0);
    };
    let env = red("shop/cart.py", "def sum(a, b):\n    return a - b\n");
    env.write("pyproject.toml", "[tool.ruff]\nline-length = 90\n");
    link(&env, "venv/bin/ruff", ".venv/bin/ruff");
    let change = ("    return a - b", "    return  a+b");
    let (outcome, added) = fix(&env, "shop/cart.py", change, &[]);
    assert_eq!(added, "+    return a + b", "{outcome:#}");

    let env = red("src/cart.ts", "function sum(a: number, b: number) {\n  return a - b;\n}\n");
    env.write("package.json", "{\"devDependencies\": {\"prettier\": \"3\"}}\n");
    link(&env, "node_modules/prettier", "node_modules/prettier");
    assert_eq!(env.shell("mkdir node_modules/.bin && ln -s ../prettier/bin/prettier.cjs node_modules/.bin/prettier").code, 0);
    let (outcome, added) = fix(&env, "src/cart.ts", ("  return a - b;", "  return a+b"), &[]);
    assert_eq!(added, "+  return a + b;", "{outcome:#}");
}

/// A type checker that refuses `any`, and a repository in which it is declared.
fn with_tsc(env: &TestEnv) {
    env.write("package.json", "{\"devDependencies\": {\"typescript\": \"5\"}}\n");
    env.write("tsconfig.json", "{}\n");
    let script = "#!/bin/sh\ngrep -q '[@]' sum.ts || exit 0\n\
                  echo \"sum.ts(2,3): error TS1127: Invalid character.\"\nexit 2\n";
    env.write("node_modules/.bin/tsc", script);
    assert_eq!(env.shell("chmod +x node_modules/.bin/tsc").code, 0);
}

#[test]
fn a_change_with_a_type_error_is_repaired_once_with_the_message_of_the_type_checker() {
    let ts = JS.replace("a-b", "a - b");
    let env = red("sum.ts", &ts);
    with_tsc(&env);
    let replace =
        |new: &str| patch("sum.ts", &format!("@@ -2 +2 @@\n-  return a - b;\n+  return {new};\n"));
    let model = Model::serve([plan("add"), replace("a + @b"), plan("add"), replace("a + b")]);
    let (outcome, added) = fix_with(&env, &model, &[]);
    assert_eq!((added.as_str(), &outcome["attempts"]), ("+  return a + b;", &Value::from(2)));
    assert_eq!(outcome["verify"]["type_check"]["after"]["exit_code"], 0, "{outcome:#}");
    let prompts = model.prompts();
    assert!(prompts[2].contains("error TS1127: Invalid character."), "{}", prompts[2]);
}

#[test]
fn a_type_checker_that_fails_before_the_change_or_is_turned_off_is_not_compared() {
    let ts = JS.replace("a-b", "a - b");
    let change = ("  return a - b;", "  return a + @b;");
    let env = red("sum.ts", &format!("{ts}// @\n"));
    with_tsc(&env);
    let (outcome, _) = fix(&env, "sum.ts", change, &[]);
    assert_eq!(outcome["verify"]["type_check"], Value::Null, "{outcome:#}");
    let env = red("sum.ts", &ts);
    with_tsc(&env);
    let (outcome, _) = fix(&env, "sum.ts", change, &["--guard", "off"]);
    assert_eq!(outcome["verify"]["type_check"], Value::Null, "{outcome:#}");
}
