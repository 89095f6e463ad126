//! Both sides of the rules, as tables.
#![expect(clippy::too_many_lines, reason = "they are tables")]

use super::{BasisFile, find_basis_changes};

fn reason(path: &str, before: Option<&str>, after: Option<&str>) -> Vec<String> {
    let found = find_basis_changes(&[BasisFile { path, before, after }]);
    found.into_iter().map(|it| it.reason).collect()
}

/// Path, before, after, and a part of what is said of it; empty for what passes.
type Row = (&'static str, &'static str, &'static str, &'static str);

fn hold(rows: &[Row]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(path, before, after, wanted)| {
            let side = |text: &'static str| (text != "-").then_some(text);
            let found = reason(path, side(before), side(after));
            let right = match *wanted {
                "" => found.is_empty(),
                wanted => found.iter().any(|it| it.contains(wanted)),
            };
            (!right).then(|| format!("{path}: {after:?} wanted {wanted:?}, got {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn existing_tests_support_and_settings_may_change_their_layout_only() {
    hold(&[
        ("tests/test_a.py", "assert a(1,2)\n", "assert a(1, 2)\n", ""),
        ("tests/test_a.py", "assert a(1,2)\n", "assert a(1, 3)\n", "is an existing test"),
        ("tests/test_a.py", "assert a()\n", "-", "is an existing test"),
        ("tests/test_b.py", "-", "assert a()\n", ""),
        ("conftest.py", "a = 1\n", "a = 2\n", "is an existing test support"),
        ("tests/conftest.py", "-", "a = 2\n", "is new"),
        ("tests/data/a.json", "{}", "{\"a\": 1}", "is an existing test support"),
        ("src/__snapshots__/a.snap", "a", "b", "is an existing test support"),
        (
            "jest.config.js", "module.exports = {}", "module.exports = { bail: 1 }",
            "is an existing configuration",
        ),
        ("Makefile", "test:\n\tpytest\n", "test:\n\ttrue\n", "is an existing build description"),
        (
            "pytest.ini",
            "[pytest]\naddopts = -q\n",
            "[pytest]\naddopts = -q -k a\n",
            "`pytest.addopts`",
        ),
        ("pytest.ini", "[pytest]\naddopts = -q\n", "# a\n[pytest]\naddopts = -q\n", ""),
        ("pytest.ini", "-", "[pytest]\n", "is new"),
        ("json.py", "-", "a = 1\n", "is new"),
        (".gitignore", "a\n", "a\ndist/\n", ""),
        (".gitignore", "a\n", "a\nsrc/cart.py\n", "is an existing configuration"),
        ("src/cart.py", "a = 1\n", "a = 2\n", ""),
        ("spec/loader.py", "a = 1\n", "a = 2\n", ""),
        (".github/workflows/ci.yml", "a: 1\n", "a: 2\n", ""),
    ]);
}

#[test]
fn keys_of_dependencies_may_change_and_no_others() {
    let cargo = "[package]\nname = \"a\"\nversion = \"1.0.0\"\n[dependencies]\nserde = \"1.0\"\n";
    for (from, to, wanted) in [
        ("\"1.0\"", "\"1.1\"", ""),
        ("\"1.0\"", "{ version = \"1.1\", features = [\"derive\"] }", ""),
        ("\"1.0\"\n", "\"1.0\"\nanyhow = \"1\"\n", ""),
        ("\"1.0\"\n", "\"1.0\"\nother = { path = \"../other\" }\n", ""),
        ("serde = \"1.0\"\n", "", ""),
        ("1.0.0", "1.0.1", ""),
        ("\"1.0\"\n", "\"1.0\"\n[features]\nextra = []\n", ""),
        ("\"1.0\"\n", "\"1.0\"\n[features]\ndefault = [\"x\"]\n", "`features.default`"),
        ("\"1.0\"", "{ path = \"fake\" }", "`dependencies.serde"),
        ("\"1.0\"\n", "\"1.0\"\n[[test]]\nname = \"a\"\npath = \"b.rs\"\n", "`test`"),
        ("\"1.0\"\n", "\"1.0\"\n[patch.crates-io]\nserde = { path = \"x\" }\n", "`patch.crates-io"),
        ("\"1.0\"\n", "\"1.0\"\n[lints.rust]\nunused = \"allow\"\n", "`lints.rust.unused`"),
        ("name = \"a\"", "name = \"a\"\nautotests = false", "`package.autotests`"),
        ("\"1.0\"\n", "\"1.0\"\n[lib]\ntest = false\n", "`lib.test`"),
        ("\"1.0\"\n", "\"1.0\"\n[", "cannot be compared"),
    ] {
        let found = reason("Cargo.toml", Some(cargo), Some(&cargo.replacen(from, to, 1)));
        let right = if wanted.is_empty() {
            found.is_empty()
        } else {
            found.iter().any(|it| it.contains(wanted))
        };
        assert!(right, "{to} {found:?}");
    }
    hold(&[
        (
            "package.json",
            "{\"dependencies\": {\"a\": \"^1\"}}",
            "{\"dependencies\": {\"a\": \"^2.1.0\"}}",
            "",
        ),
        (
            "package.json",
            "{\"dependencies\": {\"a\": \"^1\"}}",
            "{\"dependencies\": {\"a\": \"file:./fake\"}}",
            "`dependencies.a`",
        ),
        (
            "package.json",
            "{\"scripts\": {\"test\": \"jest\"}}",
            "{\"scripts\": {\"test\": \"true\"}}",
            "`scripts.test`",
        ),
        ("package.json", "{}", "{\"jest\": {\"bail\": true}}", "`jest.bail`"),
        ("package.json", "{}", "{\"bin\": {\"jest\": \"x.js\"}}", "`bin.jest`"),
        ("package.json", "{}", "{\"exports\": {\".\": \"./x.js\"}}", ""),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\"a\"]\n",
            "[project]\ndependencies = [\"a>=2\", \"b\"]\n",
            "",
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = []\n",
            "[project]\ndependencies = [\"pytest @ file:///x\"]\n",
            "`project.dependencies`",
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = []\n",
            "[project]\ndependencies = [\"pytest-rerunfailures\"]\n",
            "`project.dependencies`",
        ),
        (
            "pyproject.toml",
            "",
            "[tool.pytest.ini_options]\naddopts = \"-k a\"\n",
            "`tool.pytest.ini_options.addopts`",
        ),
        ("pyproject.toml", "", "[tool.unknown]\na = 1\n", "`tool.unknown.a`"),
        (
            "pyproject.toml",
            "[tool.ruff]\nexclude = [\"a\"]\n",
            "[tool.ruff]\nexclude = [\"a\", \"dist\"]\n",
            "",
        ),
        (
            "pyproject.toml",
            "[tool.ruff]\nexclude = [\"a\"]\n",
            "[tool.ruff]\nexclude = [\"a\", \"src\"]\n",
            "`tool.ruff.exclude`",
        ),
        (
            "tsconfig.json",
            "{\"compilerOptions\": {\"strict\": true}}",
            "{\"compilerOptions\": {\"strict\": false}}",
            "`compilerOptions.strict`",
        ),
        (
            "tsconfig.json",
            "{\"compilerOptions\": {\"strict\": true}}",
            "{\n  \"compilerOptions\": { \"strict\": true } // a\n}",
            "",
        ),
        (
            "setup.cfg",
            "[options]\ninstall_requires =\n  a\n",
            "[options]\ninstall_requires =\n  a\n  b>=1\n",
            "",
        ),
        ("setup.cfg", "[flake8]\nmax = 1\n", "[flake8]\nmax = 2\n", "`flake8.max`"),
        ("requirements.txt", "a==1\n", "a==2\nb>=1,<2  # c\n", ""),
        ("requirements.txt", "a==1\n", "-e ./fake\n", "is an existing manifest"),
        ("go.mod", "module a\n\nrequire b v1.0.0\n", "module a\n\nrequire b v1.0.1\n", ""),
        ("go.mod", "module a\n", "module a\n\nreplace b => ./fake\n", "is an existing manifest"),
        ("Gemfile", "gem 'a'\n", "gem 'a', '~> 2'\n", ""),
        ("Gemfile", "gem 'a'\n", "gem 'a', path: './fake'\n", "is an existing manifest"),
        (
            "build.gradle",
            "dependencies {\n  implementation 'a:b:1'\n}\n",
            "dependencies {\n  implementation 'a:b:2'\n}\n",
            "",
        ),
        (
            "build.gradle",
            "  compile 'net.x:buddy:1.5.3'\n",
            "  compile 'net.x:buddy:1.5.4'\n  provided 'a:b:1'\n",
            "",
        ),
        (
            "build.gradle",
            "test { }\n",
            "test { ignoreFailures = true }\n",
            "is an existing build description",
        ),
        (
            "pom.xml",
            "<project><dependencies><dependency><version>1</version></dependency></dependencies></project>",
            "<project><dependencies><dependency><version>2</version></dependency></dependencies></project>",
            "",
        ),
        (
            "pom.xml",
            "<project><properties></properties></project>",
            "<project><properties><skipTests>true</skipTests></properties></project>",
            "`project/properties/skipTests`",
        ),
    ]);
}

const RUST: &str = "/// Adds.
///
/// ```
/// assert_eq!(shop::add(1, 2), 3);
/// ```
pub fn add(a: i32, b: i32) -> i32 { a - b }
#[cfg(test)]
mod tests {
    use super::*;
    fn two() -> i32 { 2 }
    #[test]
    fn adds() {
        assert_eq!(add(1, two()), 3);
    }
}
";

#[test]
fn tests_inside_rust_files_stay_token_for_token() {
    for (from, to, wanted) in [
        ("a - b", "a + b", ""),
        ("add(1, two())", "add( 1, two() , )", ""),
        (
            "    #[test]",
            "    #[test]\n    fn more() { assert_eq!(add(2, 2), 4); }\n    #[test]",
            "",
        ),
        (
            "#[cfg(test)]",
            "#[cfg(test)]\nmod more {\n    use super::*;\n    #[test]\n    fn more() {}\n}\n#[cfg(test)]",
            "",
        ),
        (", 3);\n    }", ", -1);\n    }", "the test `adds`"),
        ("{ 2 }", "{ 3 }", "the item `two`"),
        ("#[cfg(test)]", "#[cfg(tests)]", "the test `adds`"),
        ("    #[test]\n", "    #[test]\n    #[ignore]\n", "the test `adds`"),
        ("    #[test]\n", "", "the test `adds`"),
        ("use super::*;", "use super::*;\n    use crate::fake::add;", "gains an import"),
        (
            "mod tests {",
            "mod tests {\n    fn add(_: i32, _: i32) -> i32 { 3 }",
            "gains the item `add`",
        ),
        ("shop::add(1, 2), 3", "shop::add(1, 2), -1", "the documentation's example"),
        ("/// ```\n/// assert", "/// ```ignore\n/// assert", "the documentation's example"),
    ] {
        assert!(RUST.contains(from), "{from}");
        let found = reason("src/lib.rs", Some(RUST), Some(&RUST.replacen(from, to, 1)));
        let right = if wanted.is_empty() {
            found.is_empty()
        } else {
            found.iter().any(|it| it.contains(wanted))
        };
        assert!(right, "{to} {found:?}");
    }
    let moved = [
        BasisFile { path: "src/lib.rs", before: Some(RUST), after: None },
        BasisFile { path: "src/add.rs", before: None, after: Some(RUST) },
    ];
    assert_eq!(find_basis_changes(&moved), []);
}

#[test]
fn tests_inside_other_sources_stay_token_for_token() {
    let doctest = "def add(a, b):\n    \"\"\"Adds.\n\n    >>> add(1, 2)\n    3\n    \"\"\"\n    return a - b\n";
    let vitest = "export const a = 1;\nif (import.meta.vitest) {\n  it('a', () => { expect(a).toBe(2) })\n}\n";
    let go = "package a\n\nfunc Add(a, b int) int { return a - b }\n\nfunc ExampleAdd() {\n\tfmt.Println(Add(1, 2))\n\t// Output: 3\n}\n";
    for (path, before, from, to, wanted) in [
        ("shop/a.py", doctest, "a - b", "a + b", ""),
        ("shop/a.py", doctest, "    3\n", "    -1\n", "a doctest"),
        ("shop/a.py", doctest, "    >>> add(1, 2)\n    3\n", "", "a doctest"),
        ("shop/a.py", doctest, ">>> add(1, 2)", ">>> add(1, 2)  # doctest: +SKIP", "a doctest"),
        ("src/a.ts", vitest, "a = 1", "a = 2", ""),
        ("src/a.ts", vitest, "toBe(2)", "toBe(1)", "the block of its tests"),
        ("a.go", go, "a - b", "a + b", ""),
        ("a.go", go, "Output: 3", "Output: -1", "a test"),
    ] {
        let found = reason(path, Some(before), Some(&before.replacen(from, to, 1)));
        let right = if wanted.is_empty() {
            found.is_empty()
        } else {
            found.iter().any(|it| it.contains(wanted))
        };
        assert!(right, "{to} {found:?}");
    }
}
