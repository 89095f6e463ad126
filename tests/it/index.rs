//! What `index` says of a repository's code, and how it answers to names it does not know.

use serde_json::{Value, json};

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
        (1, "error: the index holds no definition called `zzzzzz`\n")
    );
}

#[test]
fn bad_usage_ends_with_2() {
    let env = shop();
    for arguments in [
        &["index", "definition"][..],
        &["index", "nonsense"],
        &["index", "search", "--regex", "("],
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

#[test]
fn cycles_notes_outlines_and_lines_are_printed() {
    let env = shop();
    let text = |arguments: &[&str]| {
        let ran = env.run(&[&["index"], arguments].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
        ran.stdout
    };
    assert_eq!(text(&["cycles"]), "2 files: tools/one.py -> tools/two.py -> tools/one.py\n");
    assert_eq!(text(&["todos", "packages"]), "packages/core/src/cart.ts:5  TODO round\n");
    assert!(text(&["outline", "packages/core/src/cart.ts"]).contains("class"));
    assert_eq!(text(&["search", "two.second"]), "tools/one.py:4  return two.second()\n");
    assert_eq!(text(&["search", "--regex", "^def .n"]), "tools/one.py:3  def one():\n");
    assert!(text(&["hubs"]).starts_with("no file has more than 5 dependents\n"));
    assert!(text(&["complexity", "tools"]).contains("tools/one.py"));
}
