//! Python's imports, on small trees.

use crate::facts::ImportKind;
use crate::resolve::rig::Rig;

fn leads(texts: &[(&str, &str)], from: &str, modules: &[&str]) -> Vec<String> {
    let rig = Rig::of(texts);
    modules.iter().map(|module| rig.leads(from, module)).collect()
}

const PACKAGE: [(&str, &str); 9] = [
    ("pyproject.toml", "[project]\nname = 'shop'\n"),
    ("src/shop/__init__.py", ""),
    ("src/shop/cart.py", ""),
    ("src/shop/types.py", ""),
    ("src/shop/sub/__init__.py", ""),
    ("src/shop/sub/deep.py", ""),
    ("src/shop/plain/leaf.py", ""),
    ("tests/test_cart.py", ""),
    ("docs/conf.py", ""),
];

#[test]
fn too_many_dots_and_missing_modules_are_unresolved() {
    let modules = ["......x", ".none", "shop.none", "shop.cart.Cart", "....", ""];
    assert_eq!(leads(&PACKAGE, "src/shop/cart.py", &modules), ["unresolved"; 6]);
}

#[test]
fn relative_and_absolute_modules_are_found_in_a_src_layout() {
    let modules = [".", "..", ".deep", "..cart", "...shop.cart", "shop", "shop.sub.deep"];
    let expected = [
        "src/shop/sub/__init__.py", "src/shop/__init__.py", "src/shop/sub/deep.py",
        "src/shop/cart.py", "src/shop/cart.py", "src/shop/__init__.py", "src/shop/sub/deep.py",
    ];
    assert_eq!(leads(&PACKAGE, "src/shop/sub/deep.py", &modules), expected);
    let far =
        leads(&PACKAGE, "tests/test_cart.py", &["shop.cart", "shop.plain.leaf", "docs", "yaml"]);
    assert_eq!(
        far,
        ["src/shop/cart.py", "src/shop/plain/leaf.py", "external docs", "external yaml"]
    );
}

#[test]
fn names_that_are_modules_lead_to_their_files() {
    let rig = Rig::of(&PACKAGE);
    let taken = |from, module, names: &[&str]| rig.takes(from, module, names, ImportKind::Import);
    assert_eq!(
        taken("tests/test_cart.py", "shop", &["cart", "VERSION"]),
        "src/shop/__init__.py cart=src/shop/cart.py"
    );
    assert_eq!(
        taken("src/shop/cart.py", ".", &["types"]),
        "src/shop/__init__.py types=src/shop/types.py"
    );
    // A namespace has no file of its own.
    assert_eq!(
        taken("src/shop/cart.py", "shop.plain", &["leaf"]),
        "src/shop/plain/leaf.py leaf=src/shop/plain/leaf.py"
    );
    assert_eq!(taken("src/shop/cart.py", "shop.plain", &["none"]), "unresolved");
}

#[test]
fn the_standard_library_is_hidden_by_a_script_s_own_folder_and_by_no_package() {
    let texts = [
        [("tool/logging.py", ""), ("tool/run.py", ""), ("a/src/shop/types.py", "")].as_slice(),
        &PACKAGE,
    ]
    .concat();
    assert_eq!(
        leads(&texts, "tool/run.py", &["logging", "os.path"]),
        ["tool/logging.py", "builtin os"]
    );
    assert_eq!(
        leads(&texts, "src/shop/cart.py", &["types", "logging"]),
        ["builtin types", "builtin logging"]
    );
}

#[test]
fn roots_are_read_from_manifests_and_broken_manifests_name_none() {
    let texts = [
        (
            "a/pyproject.toml",
            "[tool.poetry]\npackages = [{ include = 'one', from = 'lib' }]\n[tool.pytest.ini_options]\npythonpath = 'more'\n",
        ),
        ("a/lib/one/x.py", ""),
        ("a/more/two.py", ""),
        ("a/t/test_x.py", ""),
        (
            "b/setup.cfg",
            "[options]\npackage_dir =\n    = python\n[options.packages.find]\nwhere = python\n",
        ),
        ("b/python/three/__init__.py", ""),
        ("b/t/test_y.py", ""),
        ("c/pyproject.toml", "[tool"),
        ("c/x.py", ""),
    ];
    assert_eq!(
        leads(&texts, "a/t/test_x.py", &["one.x", "two"]),
        ["a/lib/one/x.py", "a/more/two.py"]
    );
    assert_eq!(leads(&texts, "b/t/test_y.py", &["three"]), ["b/python/three/__init__.py"]);
    assert_eq!(leads(&texts, "c/x.py", &["x", "two"]), ["c/x.py", "external two"]);
}

#[test]
fn a_package_elsewhere_counts_only_when_it_is_the_one() {
    let texts = [
        ("one/lib/shop/__init__.py", ""),
        ("two/lib/shop/__init__.py", ""),
        ("two/lib/cart/__init__.py", ""),
        ("x.py", ""),
    ];
    let expected = ["external shop", "two/lib/cart/__init__.py"];
    assert_eq!(leads(&texts, "x.py", &["shop", "cart"]), expected);
}
