//! JavaScript's and TypeScript's imports, on small trees.

use crate::facts::ImportKind;
use crate::resolve::rig::Rig;

fn leads(texts: &[(&str, &str)], from: &str, modules: &[&str]) -> Vec<String> {
    let rig = Rig::of(texts);
    modules.iter().map(|module| rig.leads(from, module)).collect()
}

#[test]
fn a_path_that_leaves_the_root_differs_in_case_or_is_nothing_is_unresolved() {
    let texts = [("src/a.ts", ""), ("src/Cart.ts", ""), ("x.ts", "")];
    let modules = ["../../x", "./cart", "./none", "", "@/a", "./a/b", "@scope"];
    assert_eq!(leads(&texts, "src/a.ts", &modules), ["unresolved"; 7]);
}

#[test]
fn endings_are_guessed_and_what_is_written_as_built_is_found_as_written() {
    let texts = [
        ("src/a.ts", ""),
        ("src/b.tsx", ""),
        ("src/c.mts", ""),
        ("src/d/index.ts", ""),
        ("src/e/package.json", r#"{"main": "./lib/main.js"}"#),
        ("src/e/lib/main.js", ""),
        ("src/f.js", ""),
        ("src/f.d.ts", ""),
        ("src/g.vue", ""),
        ("src/data.json", ""),
    ];
    let modules = [
        "./b", "./b.js", "./c.mjs", "./d", "./d/", "./e", "./f", "./f.js", "./g.vue",
        "./data.json", "./g.vue?raw", "!!raw!./a", ".", "..",
    ];
    let expected = [
        "src/b.tsx", "src/b.tsx", "src/c.mts", "src/d/index.ts", "src/d/index.ts",
        "src/e/lib/main.js", "src/f.d.ts", "src/f.js", "src/g.vue", "src/data.json", "src/g.vue",
        "src/a.ts", "unresolved", "unresolved",
    ];
    assert_eq!(leads(&texts, "src/a.ts", &modules), expected);
}

#[test]
fn configs_that_extend_each_other_in_a_ring_are_read_once() {
    let texts = [
        ("tsconfig.json", r#"{"extends": "./a.json", "compilerOptions": {"baseUrl": "src"}}"#),
        ("a.json", r#"{"extends": ["./b.json", "./tsconfig.json"]}"#),
        ("b.json", r#"{"extends": "./a", "compilerOptions": {"paths": {"~/*": ["./src/*"]}}}"#),
        ("src/a.ts", ""),
        ("src/x/b.ts", ""),
    ];
    let expected = ["src/x/b.ts", "src/x/b.ts", "unresolved", "external react"];
    assert_eq!(leads(&texts, "src/a.ts", &["~/x/b", "x/b", "~/none", "react"]), expected);
}

#[test]
fn the_nearest_config_counts_with_comments_and_trailing_commas() {
    let texts = [
        ("tsconfig.json", "{\"compilerOptions\": {\"paths\": {\"@/*\": [\"./src/*\"]}}}"),
        (
            "app/tsconfig.json",
            "\u{feff}{ // own\n /* * */ \"compilerOptions\": {\"paths\": {\"@/*\": [\"./gen/*\", \"./lib/*\",], \"@/one\": [\"./two\"],},},}",
        ),
        ("app/lib/a.ts", ""),
        ("app/lib/one.ts", ""),
        ("app/two.ts", ""),
        ("src/a.ts", ""),
        ("src/b.ts", ""),
        ("bad/tsconfig.json", "{"),
        ("bad/x.ts", ""),
    ];
    assert_eq!(leads(&texts, "app/two.ts", &["@/a", "@/one"]), ["app/lib/a.ts", "app/two.ts"]);
    assert_eq!(leads(&texts, "src/b.ts", &["@/a", "@/one"]), ["src/a.ts", "unresolved"]);
    assert_eq!(leads(&texts, "bad/x.ts", &["@/a"]), ["unresolved"]);
}

#[test]
fn a_solution_s_parts_lend_their_paths_and_root_dirs_are_one_folder() {
    let texts = [
        ("tsconfig.json", r#"{"files": [], "references": [{"path": "./tsconfig.app.json"}]}"#),
        (
            "tsconfig.app.json",
            r#"{"compilerOptions": {"paths": {"$lib/*": ["${configDir}/src/lib/*"]}}}"#,
        ),
        ("gen/tsconfig.json", r#"{"compilerOptions": {"rootDirs": ["src", "out/types"]}}"#),
        ("gen/src/a.ts", ""),
        ("gen/out/types/b.d.ts", ""),
        ("src/a.ts", ""),
        ("src/lib/b.ts", ""),
    ];
    assert_eq!(leads(&texts, "src/a.ts", &["$lib/b"]), ["src/lib/b.ts"]);
    assert_eq!(leads(&texts, "gen/src/a.ts", &["./b"]), ["gen/out/types/b.d.ts"]);
}

const WORKSPACE: [(&str, &str); 12] = [
    ("package.json", r#"{"workspaces": {"packages": ["packages/*"]}}"#),
    (
        "packages/app/package.json",
        r##"{"name": "app", "imports": {"#db": "@x/core", "#u/*": "./src/u/*.js", "#no": null}}"##,
    ),
    ("packages/app/src/main.ts", ""),
    ("packages/app/src/u/a.ts", ""),
    (
        "packages/core/package.json",
        r#"{"name": "@x/core", "exports": {".": {"types": "./dist/index.d.ts", "default": "./dist/index.js"},
            "./internal/*": null, "./*": "./dist/*.js", "./package.json": "./package.json"}}"#,
    ),
    ("packages/core/src/index.ts", ""),
    ("packages/core/src/deep/a.ts", ""),
    ("packages/core/src/internal/b.ts", ""),
    ("packages/old/package.json", r#"{"name": "old", "main": "lib/index.js"}"#),
    ("packages/old/src/index.js", ""),
    ("packages/old/src/part.js", ""),
    ("fixtures/copy/package.json", r#"{"name": "old"}"#),
];

#[test]
fn packages_of_the_workspace_are_led_to_their_sources_and_null_closes_a_subpath() {
    let modules = [
        "@x/core", "@x/core/deep/a", "@x/core/internal/b", "@x/core/none", "@x/core/package.json",
        "old", "old/lib/part", "old/none", "#db", "#u/a", "#no", "#none", "app", "left-pad/x",
    ];
    let expected = [
        "packages/core/src/index.ts", "packages/core/src/deep/a.ts", "unresolved", "unresolved",
        "packages/core/package.json", "packages/old/src/index.js", "packages/old/src/part.js",
        "unresolved", "packages/core/src/index.ts", "packages/app/src/u/a.ts", "unresolved",
        "unresolved", "unresolved", "external left-pad",
    ];
    assert_eq!(leads(&WORKSPACE, "packages/app/src/main.ts", &modules), expected);
}

#[test]
fn a_package_sees_itself_by_name_and_one_outside_the_workspace_sees_nobody() {
    let own = leads(&WORKSPACE, "packages/core/src/deep/a.ts", &["@x/core", "@x/core/internal/b"]);
    assert_eq!(own, ["packages/core/src/index.ts", "unresolved"]);
    let texts = [WORKSPACE.as_slice(), &[("fixtures/copy/a.js", "")]].concat();
    assert_eq!(leads(&texts, "fixtures/copy/a.js", &["@x/core"]), ["external @x/core"]);
}

#[test]
fn of_two_packages_of_one_name_the_nearer_counts_and_both_when_they_tie() {
    let texts = [
        ("package.json", r#"{"workspaces": ["**"]}"#),
        ("a/one/package.json", r#"{"name": "same"}"#),
        ("a/one/index.js", ""),
        ("b/one/package.json", r#"{"name": "same"}"#),
        ("b/one/index.js", ""),
        ("a/two/package.json", r#"{"name": "two"}"#),
        ("a/two/x.js", ""),
        ("c/package.json", r#"{"name": "c"}"#),
        ("c/x.js", ""),
    ];
    assert_eq!(leads(&texts, "a/two/x.js", &["same"]), ["a/one/index.js"]);
    assert_eq!(leads(&texts, "c/x.js", &["same"]), ["a/one/index.js b/one/index.js"]);
}

#[test]
fn a_built_path_with_two_sources_or_none_is_not_guessed() {
    let texts = [
        (
            "package.json",
            r#"{"name": "p", "exports": {"./a": "./dist/a.js", "./b": "./dist/b.js", "./c": "./dist/esm/c.mjs"}}"#,
        ),
        ("src/a.ts", ""),
        ("a.ts", ""),
        ("src/c.mts", ""),
        ("test/x.ts", ""),
    ];
    let modules = ["p/a", "p/b", "p/c", "../dist/esm/c.mjs"];
    let expected = ["unresolved", "unresolved", "src/c.mts", "src/c.mts"];
    assert_eq!(leads(&texts, "test/x.ts", &modules), expected);
    let config = ("tsconfig.json", r#"{"compilerOptions": {"outDir": "dist", "rootDir": "src"}}"#);
    let texts = [texts.as_slice(), &[config]].concat();
    assert_eq!(leads(&texts, "test/x.ts", &["p/a"]), ["src/a.ts"]);
}

#[test]
fn manifests_that_are_no_json_say_nothing() {
    let texts = [
        ("package.json", "{\"name\": \"p\", \"workspaces\": [\"*\"]"),
        ("q/package.json", "[[[["),
        ("q/index.js", ""),
        ("x.js", ""),
    ];
    assert_eq!(
        leads(&texts, "x.js", &["q", "p", "./q"]),
        ["external q", "external p", "q/index.js"]
    );
}

#[test]
fn builtins_urls_and_packages_named_by_a_path_are_told_apart() {
    let texts = [
        ("app/package.json", r#"{"dependencies": {"near": "file:../near", "util": "*"}}"#),
        ("app/x.js", ""),
        (
            "near/package.json",
            r#"{"name": "other-name", "exports": {"require": "./main.cjs", "import": "./main.mjs"}}"#,
        ),
        ("near/main.cjs", ""),
        ("near/main.mjs", ""),
    ];
    let modules = [
        "near", "fs/promises", "node:test", "util", "util/", "https://x.dev/a.ts", "@a/b/c",
        "/x.js",
    ];
    let expected = [
        "near/main.mjs", "builtin fs/promises", "builtin test", "builtin util", "external util",
        "external https://x.dev/a.ts", "external @a/b", "app/x.js",
    ];
    assert_eq!(leads(&texts, "app/x.js", &modules), expected);
    let required = Rig::of(&texts).takes("app/x.js", "near", &[], ImportKind::Require);
    assert_eq!(required, "near/main.cjs");
}
