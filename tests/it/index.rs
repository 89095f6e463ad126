//! What `index` says of a repository's code, and how it answers to names it does not know.

#![expect(clippy::disallowed_methods, reason = "the test takes a file away under a watch")]

use std::process::Child;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Deserializer, Value, json};

use crate::support::TestEnv;

/// A small workspace in three languages.
fn shop() -> TestEnv {
    let env = TestEnv::new();
    for (path, text) in [
        ("package.json", r#"{"name": "shop", "workspaces": ["packages/*"]}"#),
        ("packages/core/package.json", r#"{"name": "@shop/core", "exports": "./dist/index.js"}"#),
        ("packages/core/src/index.ts", "export * from './cart';\n"),
        (
            "packages/core/src/cart.ts",
            "import { readFileSync } from 'node:fs';\n\n/** A basket. */\nexport class Cart {\n  // TODO: round\n  total(): number {\n    return readFileSync('x').length;\n  }\n}\n",
        ),
        (
            "packages/app/package.json",
            r#"{"name": "app", "dependencies": {"@shop/core": "workspace:*"}}"#,
        ),
        (
            "packages/app/main.ts",
            "import { Cart } from '@shop/core';\nimport React from 'react';\nimport './gone';\nnew Cart().total();\n",
        ),
        ("tools/one.py", "import two\n\ndef one():\n    return two.second()\n"),
        ("tools/two.py", "import one\n\ndef second():\n    return one.one()\n"),
        ("broken.py", "def (:\n"),
        (".gitignore", "ignored.ts\n"),
        ("ignored.ts", "export const hidden = 1;\n"),
    ] {
        env.write(path, text);
    }
    env
}

fn ask(env: &TestEnv, arguments: &[&str]) -> Value {
    let ran = env.run(&[&["index"], arguments, &["--format", "json"]].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    ran.json()
}

#[test]
fn a_name_that_is_not_known_ends_with_1_and_the_nearest_one() {
    let env = shop();
    for (arguments, nearest) in [
        (&["definition", "Crat"][..], "did you mean `Cart`?"),
        (&["references", "totl"], "did you mean `total`?"),
        (&["outline", "packages/core/src/card.ts"], "did you mean `packages/core/src/cart.ts`?"),
        (&["dependents", "./tools/on.py"], "did you mean `tools/one.py`?"),
    ] {
        let ran = env.run(&[&["index"], arguments].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{arguments:?}");
        assert!(ran.stderr.contains(nearest), "{arguments:?}: {}", ran.stderr);
    }
    let ran = env.run(&["index", "definition", "zzzzzz"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (1, "error: the index has no definition called `zzzzzz`\n")
    );
}

#[test]
fn bad_usage_ends_with_2() {
    let env = shop();
    for arguments in [
        &["index", "definition"][..],
        &["index", "nonsense"],
        &["index", "--watch", "cycles"],
        &["index", "symbols", "--limit", "-1"],
    ] {
        assert_eq!(env.run(arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn the_summary_counts_what_is_there_and_names_what_cannot_be_read() {
    let env = shop();
    let summary = ask(&env, &[]);
    assert_eq!(summary["parse_errors"], json!(["broken.py"]));
    assert_eq!(
        summary["imports"],
        json!({ "internal": 4, "external": 1, "builtin": 1, "unresolved": 1 })
    );
    assert_eq!(summary["languages"], json!({ "json": 3, "python": 3, "type_script": 3 }));
    assert_eq!((&summary["cycles"], &summary["todos"]), (&json!(1), &json!(1)));
    let text = env.run(&["index"]).stdout;
    assert!(text.contains("imports: 4 internal, 1 external, 1 builtin, 1 unresolved\n"), "{text}");
}

#[test]
fn definitions_and_references_are_led_through_the_workspace() {
    let env = shop();
    let symbols = ask(&env, &["definition", "Cart"]);
    let cart = &symbols["symbols"][0];
    assert_eq!(cart["path"], "packages/core/src/cart.ts");
    assert_eq!(
        (&cart["kind"], &cart["line"], &cart["start"]),
        (&json!("class"), &json!(4), &json!(3))
    );
    let references = ask(&env, &["references", "Cart"]);
    let rows = references["references"].as_array().unwrap().iter();
    let rows: Vec<Value> =
        rows.map(|row| json!([row["path"], row["line"], row["role"], row["certain"]])).collect();
    assert_eq!(
        rows,
        [
            json!(["packages/app/main.ts", 1, "import", true]),
            json!(["packages/app/main.ts", 4, "use", true]),
            json!(["packages/core/src/cart.ts", 4, "definition", true]),
        ]
    );
    assert_eq!(ask(&env, &["symbols", "TOT"])["symbols"][0]["name"], "total");
    let ran = env.run(&["index", "symbols", "hidden"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
}

#[test]
fn dependencies_say_where_each_import_leads() {
    let env = shop();
    let answer = ask(&env, &["dependencies", "packages/app/main.ts"]);
    let rows = answer["imports"].as_array().unwrap().iter();
    let rows: Vec<Value> = rows
        .map(|row| json!([row["module"], row["origin"], row["paths"], row["package"]]))
        .collect();
    assert_eq!(
        rows,
        [
            json!(["@shop/core", "internal", ["packages/core/src/index.ts"], null]),
            json!(["react", "external", [], "react"]),
            json!(["./gone", "unresolved", [], null]),
        ]
    );
    assert_eq!(answer["transitive_dependencies"], 2);
    let answer = ask(&env, &["dependents", "packages/core/src/cart.ts"]);
    assert_eq!(answer["dependents"], json!(["packages/core/src/index.ts"]));
    assert_eq!(answer["transitive_dependents"], 2);
}

/// A process that does not outlive the test.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_watched_repository_is_summed_up_again_when_a_file_comes_and_when_it_goes() {
    let env = shop();
    let mut child = Guarded(env.start(&["index", "--watch", "--format", "json"], &[]));
    let stdout = child.0.stdout.take().unwrap();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let sums = Deserializer::from_reader(stdout).into_iter::<Value>();
        sums.map_while(Result::ok).all(|sum| tell.send(sum["files"].clone()).is_ok());
    });
    let next = || told.recv_timeout(Duration::from_mins(1)).unwrap();
    let before = next();
    // The folder is new too.
    env.write("packages/core/src/tax/rate.ts", "export const rate = 19;\n");
    assert_eq!(next(), json!(before.as_u64().unwrap() + 1));
    std::fs::remove_file(env.repo().join("packages/core/src/tax/rate.ts")).unwrap();
    assert_eq!(next(), before);
    child.0.kill().unwrap();
}

#[test]
fn calls_are_led_to_who_is_called_and_a_member_by_name_alone_is_marked() {
    let env = shop();
    let text = |arguments: &[&str]| {
        let ran = env.run(&[&["index"], arguments].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
        ran.stdout
    };
    let ran = env.run(&["index", "callers", "secnd"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("did you mean `second`?"), "{}", ran.stderr);
    let cart = "packages/core/src/cart.ts";
    assert_eq!(
        text(&["callers", "Cart.total"]),
        format!("{cart}:6  total(): number\n  no call in the repository is known to mean it\n")
    );
    assert_eq!(
        text(&["callers", "Cart"]),
        format!("{cart}:4  class Cart\n  packages/app/main.ts:4   (top of the file)\n")
    );
    assert_eq!(
        text(&["callees", "second"]),
        "tools/two.py:3  def second():\n  tools/one.py:3  def one():\n"
    );
    assert_eq!(
        text(&["callees", "one"]),
        "tools/one.py:3  def one():\n  tools/two.py:3  def second():\n"
    );
    let answer = ask(&env, &["callers", "Cart"]);
    let callers = &answer["definitions"][0]["callers"];
    assert_eq!(
        *callers,
        json!([{ "path": "packages/app/main.ts", "line": 4, "caller": null, "certainty": "followed" }])
    );
}

#[test]
fn cycles_notes_outlines_and_lines_are_printed() {
    let env = shop();
    let text = |arguments: &[&str]| {
        let ran = env.run(&[&["index"], arguments].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
        ran.stdout
    };
    assert_eq!(text(&["cycles"]), "2 files: tools/one.py -> tools/two.py -> tools/one.py\n");
    // Options of every command may stand before the question.
    assert_eq!(text(&["--repo", ".", "--force", "cycles"]), text(&["cycles"]));
    assert_eq!(text(&["todos", "packages"]), "packages/core/src/cart.ts:5  TODO round\n");
    assert!(text(&["outline", "packages/core/src/cart.ts"]).contains("class"));
    assert!(text(&["hubs"]).starts_with("no file has more than 5 dependents\n"));
    assert!(text(&["complexity", "tools"]).contains("tools/one.py"));
}

#[test]
fn annotations_of_type_parameters_are_no_errors() {
    let env = TestEnv::new();
    let text = "export interface A<out T> {\n  (t: T): void\n}\nexport type B<\n  in T,\n  in out U = string,\n> = (t: T, u: U) => void\nexport abstract class C<const in T extends B<string>> {\n  abstract run(t: T): void\n}\n";
    env.write("src/a.ts", text);
    let summary = ask(&env, &[]);
    assert_eq!(summary["parse_errors"], json!([]), "{summary:#}");
    let outline = ask(&env, &["outline", "src/a.ts"]);
    let rows = outline["symbols"].as_array().unwrap();
    let named = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(
        (&named("A")["line"], &named("B")["line"], &named("C")["line"]),
        (&json!(1), &json!(4), &json!(8))
    );
    // A head is shown as the source has it.
    assert!(named("A")["signature"].as_str().unwrap().contains("A<out T>"), "{outline:#}");
}

#[test]
fn a_folder_build_is_left_out_where_a_tool_writes_it() {
    let env = TestEnv::new();
    for path in ["apps/web/package.json", "lib/build.gradle", "go.mod"] {
        env.write(path, "{}\n");
    }
    for path in [
        "build/a.js", "apps/web/build/b.js", "lib/build/c.js", "internal/build/d.go",
        "src/build/e.ts",
    ] {
        env.write(path, "");
    }
    let structure = env.run(&["tool", "get_structure"]).stdout;
    for left_out in ["a.js", "b.js", "c.js"] {
        assert!(!structure.contains(left_out), "{structure}");
    }
    assert!(structure.contains("d.go") && structure.contains("e.ts"), "{structure}");
}
