//! Rust's paths, on small trees.

use crate::facts::ImportKind;
use crate::resolve::rig::Rig;

fn leads(texts: &[(&str, &str)], from: &str, modules: &[&str]) -> Vec<String> {
    let rig = Rig::of(texts);
    modules.iter().map(|module| rig.leads(from, module)).collect()
}

const CRATE: [(&str, &str); 10] = [
    (
        "Cargo.toml",
        "[package]\nname = 'my-shop'\n[dependencies]\nserde = '1'\nnew_name = { package = 'old-name', version = '1' }\n",
    ),
    ("src/lib.rs", "pub mod cart;\nmod odd;\npub enum Kind { A }\nmod inner { pub mod file; }\n"),
    ("src/main.rs", "mod own;\nfn main() {}\n"),
    ("src/own.rs", ""),
    ("src/cart.rs", "pub mod line;\n#[path = \"strange.rs\"]\nmod renamed;\n"),
    ("src/cart/line.rs", "mod tests { mod deep { use super::super::super::Cart; } }\n"),
    ("src/cart/strange.rs", ""),
    ("src/odd/mod.rs", ""),
    ("src/inner/file.rs", ""),
    ("tests/it.rs", ""),
];

#[test]
fn a_path_above_the_crate_is_unresolved_and_one_past_the_modules_goes_on_inside() {
    let modules = [
        "super::super::super::x", "crate::cart::line::Line", "self", "super", "super::super::odd",
        "crate::none::x", "crate::inner::file::X", "super::renamed",
    ];
    let expected = [
        "unresolved", "src/cart/line.rs :: Line", "src/cart/line.rs", "src/cart.rs",
        "src/odd/mod.rs", "src/lib.rs :: none.x", "src/inner/file.rs :: X",
        "src/cart.rs :: renamed",
    ];
    assert_eq!(leads(&CRATE, "src/cart/line.rs", &modules), expected);
}

#[test]
fn other_targets_see_the_library_by_name_and_dependencies_by_theirs() {
    let modules = [
        "my_shop::cart", "my_shop::Kind", "serde::de", "new_name", "std::fmt", "what", "crate::own",
    ];
    let expected = [
        "src/cart.rs", "src/lib.rs :: Kind", "external serde", "external old-name", "builtin std",
        "external what", "src/own.rs",
    ];
    assert_eq!(leads(&CRATE, "src/main.rs", &modules), expected);
    assert_eq!(leads(&CRATE, "tests/it.rs", &["my_shop::cart::line"]), ["src/cart/line.rs"]);
}

#[test]
fn names_taken_that_are_modules_lead_to_their_files() {
    let rig = Rig::of(&CRATE);
    let taken =
        |module, names: &[&str]| rig.takes("src/odd/mod.rs", module, names, ImportKind::Import);
    assert_eq!(
        taken("crate::cart", &["self", "line", "Cart"]),
        "src/cart.rs self=src/cart.rs line=src/cart/line.rs"
    );
    assert_eq!(taken("crate", &["Kind"]), "src/lib.rs");
    assert_eq!(rig.takes("src/cart.rs", "line", &[], ImportKind::Module), "src/cart/line.rs");
}

#[test]
fn crates_of_a_workspace_are_named_by_dependency_library_and_patch() {
    let texts = [
        (
            "Cargo.toml",
            "[workspace]\nmembers = ['*']\n[workspace.dependencies]\nshared-lib = { path = 'shared' }\n[patch.crates-io]\npatched = { path = 'vendor/patched' }\n",
        ),
        (
            "app/Cargo.toml",
            "[package]\nname = 'app'\n[dependencies]\nshared-lib.workspace = true\npatched = '1'\ngone = { path = '../gone' }\nout = { path = '../../out' }\n[target.'cfg(unix)'.dev-dependencies]\nother = { path = '../other', package = 'other-name' }\n",
        ),
        ("app/src/lib.rs", ""),
        (
            "shared/Cargo.toml",
            "[package]\nname = 'shared-lib'\n[lib]\nname = 'shared_core'\npath = 'root.rs'\n",
        ),
        ("shared/root.rs", ""),
        ("vendor/patched/Cargo.toml", "[package]\nname = 'patched'\n"),
        ("vendor/patched/src/lib.rs", ""),
        ("other/Cargo.toml", "[package]\nname = 'other-name'\n"),
        ("other/src/lib.rs", ""),
        ("bad/Cargo.toml", "[package\n"),
        ("bad/src/lib.rs", ""),
    ];
    let modules = ["shared_core::X", "patched", "other", "gone::x", "out", "bad", "app"];
    let expected = [
        "shared/root.rs :: X", "vendor/patched/src/lib.rs", "other/src/lib.rs", "external gone",
        "external out", "external bad", "app/src/lib.rs",
    ];
    assert_eq!(leads(&texts, "app/src/lib.rs", &modules), expected);
    assert_eq!(
        leads(&texts, "bad/src/lib.rs", &["app", "crate::x"]),
        ["external app", "bad/src/lib.rs :: x"]
    );
}

#[test]
fn files_that_declare_each_other_end_somewhere() {
    let texts = [("a.rs", "#[path = \"b.rs\"] mod b;\n"), ("b.rs", "#[path = \"a.rs\"] mod a;\n")];
    let found = leads(&texts, "a.rs", &["crate::x", "super::super::x", "self::b"]);
    assert_eq!(found.len(), 3);
    assert_eq!(found.last().map(String::as_str), Some("b.rs"));
}
