//! Names followed to their definitions, on small trees.

use super::ResolvedImports;
use crate::code::Index;

/// Returns `path:name` of each definition that a name used in a file leads to.
fn follow(texts: &[(&str, &str)], from: &str, names: &[&str]) -> Vec<String> {
    let index = Index::of_texts(texts);
    let links = ResolvedImports::of(&index);
    let from = index.find_path(from).unwrap();
    let shown = |(id, at): &(crate::FileId, u32)| {
        let file = index.file(*id).unwrap();
        let symbol = &file.facts().unwrap().symbols[*at as usize];
        format!("{}:{}", file.path, symbol.name)
    };
    let one =
        |name: &&str| links.follow(from, name).iter().map(shown).collect::<Vec<_>>().join(" ");
    names.iter().map(one).collect()
}

#[test]
fn re_exports_in_a_ring_end_and_still_find_what_is_there() {
    let texts = [
        ("a.ts", "export * from './b';\nexport * from './c';\n"),
        ("b.ts", "export * from './a';\nexport { gone } from './a';\n"),
        ("c.ts", "export * from './a';\nexport function found() {}\n"),
        ("x.ts", "import { found, gone, none } from './a';\n"),
    ];
    assert_eq!(follow(&texts, "x.ts", &["found", "gone", "none", ""]), ["c.ts:found", "", "", ""]);
}

#[test]
fn barrels_aliases_defaults_and_namespaces_are_followed() {
    let texts = [
        ("tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#),
        (
            "src/x.ts",
            "import total, { Cart as Basket, tools } from '@/shop';\nimport * as shop from './shop';\nfunction own() {}\n",
        ),
        (
            "src/shop/index.ts",
            "export { default } from './total';\nexport { Basket as Cart } from './cart';\nexport * as tools from './tools';\n",
        ),
        ("src/shop/total.ts", "export default function sum() {}\n"),
        ("src/shop/cart.ts", "class Inner { add() {} }\nexport { Inner as Basket };\n"),
        ("src/shop/tools.ts", "export const round = () => 1;\n"),
    ];
    let names = [
        "own", "total", "Basket", "tools.round", "shop.Cart", "shop.tools.round", "Basket.add",
        "Inner",
    ];
    let expected = [
        "src/x.ts:own", "src/shop/total.ts:sum", "src/shop/cart.ts:Inner",
        "src/shop/tools.ts:round", "src/shop/cart.ts:Inner", "src/shop/tools.ts:round",
        "src/shop/cart.ts:add", "",
    ];
    assert_eq!(follow(&texts, "src/x.ts", &names), expected);
}

#[test]
fn what_is_imported_and_exported_again_leads_on() {
    let texts = [
        ("a.js", "import { x } from './b.js';\nexport { x as y };\n"),
        ("b.js", "const x = 1;\nexport { x };\n"),
        ("c.js", "const { y } = require('./a');\n"),
    ];
    assert_eq!(follow(&texts, "c.js", &["y"]), ["b.js:x"]);
}

#[test]
fn python_s_packages_pass_names_on_and_modules_are_gone_through() {
    let texts = [
        (
            "shop/__init__.py",
            "from .cart import Cart as Basket\nfrom .sub import *\nfrom . import tools\n",
        ),
        ("shop/cart.py", "from shop import Basket\nclass Cart:\n    def add(self): pass\n"),
        ("shop/sub.py", "from shop import *\ndef deep(): pass\n"),
        ("shop/tools.py", "def round_up(): pass\n"),
        ("run.py", "import shop.tools\nimport shop as s\nfrom shop import Basket, deep, tools\n"),
    ];
    let names = [
        "Basket", "deep", "tools.round_up", "shop.tools.round_up", "s.tools.round_up",
        "Basket.add", "none",
    ];
    let expected = [
        "shop/cart.py:Cart", "shop/sub.py:deep", "shop/tools.py:round_up",
        "shop/tools.py:round_up", "shop/tools.py:round_up", "shop/cart.py:add", "",
    ];
    assert_eq!(follow(&texts, "run.py", &names), expected);
}

#[test]
fn rust_s_pub_use_is_followed_and_paths_go_into_modules_and_types() {
    let texts = [
        ("Cargo.toml", "[package]\nname = 'shop'\n"),
        (
            "src/lib.rs",
            "mod cart;\nmod line;\npub use cart::Cart as Basket;\npub use cart::*;\npub use line as row;\n",
        ),
        (
            "src/cart.rs",
            "pub use super::*;\npub struct Cart;\nimpl Cart { pub fn add(&self) {} }\npub fn total() {}\n",
        ),
        (
            "src/line.rs",
            "use crate::Basket;\npub struct Line;\n#[cfg(test)]\nmod tests { use super::*; }\n",
        ),
        ("tests/it.rs", "use shop::{Basket, row, total};\n"),
    ];
    let names = ["Basket", "total", "row::Line", "Basket::add", "shop::row::Line", "none"];
    let expected = [
        "src/cart.rs:Cart", "src/cart.rs:total", "src/line.rs:Line", "src/cart.rs:add",
        "src/line.rs:Line", "",
    ];
    assert_eq!(follow(&texts, "tests/it.rs", &names), expected);
    let inside = follow(
        &texts,
        "src/line.rs",
        &["Basket", "crate::cart::total", "super::Basket", "self::Line"],
    );
    assert_eq!(
        inside,
        ["src/cart.rs:Cart", "src/cart.rs:total", "src/cart.rs:Cart", "src/line.rs:Line"]
    );
}

#[test]
fn files_of_one_package_see_each_other_s_names() {
    let go = [
        ("go.mod", "module x.y/z\n"),
        ("a.go", "package main\n\nimport s \"x.y/z/store\"\n\nfunc main() { help(); s.Open() }\n"),
        ("b.go", "package main\n\nfunc help() {}\n"),
        ("store/open.go", "package store\n\nfunc Open() {}\n"),
    ];
    assert_eq!(
        follow(&go, "a.go", &["help", "s.Open", "store.Open"]),
        ["b.go:help", "store/open.go:Open", ""]
    );
    let java = [
        ("src/main/java/a/Cart.java", "package a;\npublic class Cart { void add() {} }\n"),
        ("src/test/java/a/CartTest.java", "package a;\nclass CartTest {}\n"),
    ];
    let found = follow(&java, "src/test/java/a/CartTest.java", &["Cart"]);
    assert_eq!(found, ["src/main/java/a/Cart.java:Cart"]);
}

#[test]
fn a_chain_of_a_thousand_barrels_is_given_up_without_harm() {
    let mut files: Vec<(String, String)> = (0..1000)
        .map(|at| (format!("f{at}.ts"), format!("export * from './f{}';\n", at + 1)))
        .collect();
    files.push(("f1000.ts".into(), "export const far = 1;\n".into()));
    files.push((
        "x.ts".into(),
        "import { far } from './f0';\nimport { far as near } from './f990';\n".into(),
    ));
    let texts: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert_eq!(follow(&texts, "x.ts", &["far", "near"]), ["", "f1000.ts:far"]);
}

#[test]
fn wildcards_of_items_do_not_lead_to_ever_longer_paths() {
    let kinds = "pub enum Kind { A }\npub enum Slot { B }\npub enum Entry { C }\nimpl Kind { pub fn make() {} }\n";
    let map = format!(
        "use super::*;\nuse self::Kind::*;\nuse self::Slot::*;\nuse self::Entry::*;\n{kinds}"
    );
    let texts = [
        ("src/lib.rs", "mod map;\nmod user;\npub use map::*;\npub fn top() {}\n"),
        ("src/map.rs", map.as_str()),
        ("src/user.rs", "use super::*;\nuse Kind::*;\n"),
    ];
    assert_eq!(
        follow(&texts, "src/map.rs", &["make", "top"]),
        ["src/map.rs:make", "src/lib.rs:top"]
    );
    assert_eq!(
        follow(&texts, "src/user.rs", &["make", "Slot"]),
        ["src/map.rs:make", "src/map.rs:Slot"]
    );
    let index = Index::of_texts(&texts);
    let links = ResolvedImports::of(&index);
    for file in ["src/map.rs", "src/user.rs"] {
        let found = links.follow_counting(index.find_path(file).unwrap(), "absent");
        assert!(found.places.is_empty() && found.steps < 40, "{file}: {} steps", found.steps);
    }
}
