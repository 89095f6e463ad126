//! Modules of Python that are not found although the repository has them, or declares a package of a similar name.

use serde_json::Value;

use crate::support::TestEnv;

/// Runs `fix` with a command that imports a file.
fn fix_import(files: &[(&str, &str)]) -> Value {
    let env = TestEnv::new();
    for (path, text) in files {
        env.write(path, text);
    }
    env.outcome(&["fix", "--run", "python3 tests/test_shop.py", "--provider", "suggestions"], &[])
}

const CART: (&str, &str) = ("src/shop/cart.py", "def total():\n    return 1\n");
const TEST: (&str, &str) =
    ("tests/test_shop.py", "from shop.cart import total\n\nassert total() == 1\n");

#[test]
fn a_package_in_a_folder_where_python_does_not_look_is_named_with_its_folder() {
    let path = "set `PYTHONPATH=src` for it";
    for (more, step) in [
        (&[][..], format!("let the command find the folder: {path}")),
        (
            &[("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"1\"\n")],
            format!(
                "install the project before the command (`python3 -m pip install -e .`, or `--setup auto`), or {path}"
            ),
        ),
    ] {
        let outcome = fix_import(&[&[CART, TEST], more].concat());
        assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
        assert_eq!(outcome["failure_class"], "code", "{outcome:#}");
        let reason = outcome["reason"].as_str().unwrap();
        let fact = "; `shop` is in the folder `src`, where the command does not look for modules";
        assert!(reason.ends_with(fact), "{reason}");
        assert_eq!(outcome["hint"], step);
    }
}

#[test]
fn a_misspelt_package_is_named_as_the_declared_one_and_corrected_where_that_is_installed() {
    let test = |name: &str| format!("import {name}\n\nassert {name}.total() == 1\n");
    let declared = ("requirements.txt", "shopcart>=1\n");
    let wrong = test("shopcrat");
    let outcome = fix_import(&[declared, ("tests/test_shop.py", &wrong)]);
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
    let step = "`shopcart` is a package of requirements.txt: if it is meant, correct the import of `shopcrat`";
    assert_eq!(outcome["hint"], step);
    let env = TestEnv::new();
    env.write(declared.0, declared.1);
    env.write("shop.py", &wrong.replace("assert", "print(").replace(" == 1", ")"));
    env.write("installed/shopcart.txt", CART.1);
    let command = "mkdir -p made && cp installed/shopcart.txt made/shopcart.py && PYTHONPATH=made python3 shop.py";
    env.write(".gitignore", "made/\n");
    let fixed = env.outcome(&["fix", "--run", command, "--provider", "suggestions"], &[]);
    assert_eq!(fixed["outcome"], "fixed", "{fixed:#}");
    let patch = env.read("results/papayu.patch");
    assert!(patch.contains("+import shopcart"), "{patch}");
}

#[test]
fn a_misspelt_package_that_is_installed_and_not_declared_is_named_as_such() {
    for (import, step) in [
        (
            "shopcrat",
            "`shopcart` is installed for `.venv/bin/python`, and not declared: if it is meant, correct the import of `shopcrat` and declare the package",
        ),
        ("jsno", "`json` is a module of Python: if it is meant, correct the import of `jsno`"),
    ] {
        let env = TestEnv::new();
        env.write(".gitignore", ".venv/\n");
        env.write("shop.py", &format!("import {import}\n"));
        assert_eq!(env.shell("python3 -m venv --without-pip .venv").code, 0);
        let put = "cd .venv/lib/python3*/site-packages && echo 'value = 1' > shopcart.py";
        assert_eq!(env.shell(put).code, 0);
        let outcome = env.outcome(&["fix", "--run", ".venv/bin/python shop.py"], &[]);
        assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
        assert_eq!(outcome["hint"], step);
    }
}

#[test]
fn a_misspelt_module_of_the_repository_is_named() {
    let cart = ("tests/cart.py", CART.1);
    let outcome = fix_import(&[
        cart,
        ("tests/test_shop.py", "from crat import total\n\nassert total() == 1\n"),
    ]);
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
    let hint = outcome["hint"].as_str().unwrap();
    let step = "`cart` is a module of the repository: if it is meant, correct the import of `crat`";
    assert!(hint.starts_with(step), "{hint}");
}
