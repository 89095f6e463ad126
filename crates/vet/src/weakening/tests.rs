//! Both sides of every rule, as a table; hostile spellings; and sizes that must stay linear.
#![expect(
    clippy::too_many_lines,
    clippy::disallowed_methods,
    reason = "they are tables, and one takes the time"
)]

use std::time::{Duration, Instant};

use super::*;
use papayu_lang::ChangedText;

/// Path, before, after, and a part of what is said of it; empty for what passes.
type Row = (&'static str, &'static str, &'static str, &'static str);

fn verdict(path: &str, before: &str, after: &str) -> Vec<String> {
    let found = judge(&[ChangedText { path, before, after }]);
    found.into_iter().map(|it| format!("{}:{} {}", it.path, it.line, it.rule)).collect()
}

fn hold(rows: &[Row]) {
    let mut wrong = Vec::new();
    for (at, (path, before, after, wanted)) in rows.iter().enumerate() {
        for (style, ending) in [("LF", "\n"), ("CRLF", "\r\n")] {
            let text = |text: &str| text.replace('\n', ending);
            let found = verdict(path, &text(before), &text(after));
            let right = match *wanted {
                "" => found.is_empty(),
                wanted => found.iter().any(|it| it.contains(wanted)),
            };
            if !right {
                wrong.push(format!(
                    "{at} {style} {path}: {after:?} wanted {wanted:?}, got {found:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const RUST: &str = "pub fn add(a: i32, b: i32) -> i32 { a - b }
#[cfg(test)]
mod tests {
    use super::*;
    fn two() -> i32 { 2 }
    fn same(a: i32, b: i32) { assert_eq!(a, b); }
    #[test]
    fn adds() {
        assert_eq!(add(1, two()), 3);
        same(add(0, 0), 0);
    }
    #[test]
    fn adds_none() {
        let sum = add(0, 0);
        assert!(sum == 0, \"none\");
    }
}
";

/// Returns the Rust file with one text in another's place.
fn rust(from: &str, to: &str) -> (String, String) {
    assert!(RUST.contains(from), "{from}");
    (RUST.to_owned(), RUST.replace(from, to))
}

#[test]
fn tests_inside_rust_files_may_grow_and_be_renamed_and_nothing_else() {
    let last = "    #[test]\n    fn adds_none";
    for (from, to, wanted) in [
        // What passes.
        ("a - b", "a + b", ""),
        ("two()", "pair()", ""),
        ("fn adds()", "fn sums()", ""),
        ("add(1, two())", "add(1, two(), None)", ""),
        ("add(1, two())", "add(1, two()).unwrap()", ""),
        ("add(1, two())", "add(&1, two() )", ""),
        (", 3);", ", 3, \"one and two\");", ""),
        (", 3);", ",\n            3,\n        );", ""),
        (", 3);", ", 3_i32);", ""),
        ("let sum = add(0, 0);", "let sum = add(0, 0);\n        assert!(sum >= 0);", ""),
        ("let sum", "let mut sum", ""),
        (
            last,
            "    #[test]\n    fn more() { assert_eq!(add(2, 2), 4); }\n    #[test]\n    fn adds_none",
            "",
        ),
        (
            last,
            "    #[test]\n    #[should_panic]\n    fn overflows() { add(i32::MAX, 1); }\n    #[test]\n    fn adds_none",
            "",
        ),
        ("    use super::*;\n", "    use super::add;\n", ""),
        ("a - b", "a + b // was a - b", ""),
        // What does not.
        (", 3);", ", -1);", "an assertion of the test `adds`"),
        (", 3);", ", 4);", "an assertion of the test `adds`"),
        (", 3);", ", add(1, 2));", "an assertion of the test `adds`"),
        ("assert_eq!(add(1, two()), 3);", "", "an assertion of the test `adds`"),
        (
            "assert_eq!(add(1, two()), 3);",
            "// assert_eq!(add(1, two()), 3);",
            "an assertion of the test `adds`",
        ),
        ("assert_eq!(add", "assert_ne!(add", "an assertion of the test `adds`"),
        ("assert!(sum == 0,", "assert!(sum == 0 || true,", "an assertion of the test `adds_none`"),
        ("assert!(sum == 0,", "assert!(!(sum == 0),", "an assertion of the test `adds_none`"),
        ("assert!(sum == 0,", "assert!(sum.max(0) == 0,", "an assertion of the test `adds_none`"),
        ("let sum = add(0, 0);", "let sum = 0;", "out of the test `adds_none`"),
        (
            "let sum = add(0, 0);",
            "return;\n        let sum = add(0, 0);",
            "puts `return` into the test `adds_none`",
        ),
        (
            "assert!(sum == 0, \"none\");",
            "if false { assert!(sum == 0, \"none\"); }",
            "a constant condition",
        ),
        ("same(add(0, 0), 0);", "", "out of the test `adds`"),
        ("assert_eq!(a, b);", "", "tests share"),
        ("    #[test]\n    fn adds_none", "    fn adds_none", "takes the test `adds_none` away"),
        (
            "    #[test]\n    fn adds_none",
            "    #[test]\n    #[ignore]\n    fn adds_none",
            "keeps a test from running",
        ),
        (
            "    #[test]\n    fn adds_none",
            "    #[test]\n    #[cfg(target_os = \"none\")]\n    fn adds_none",
            "to the test `adds_none`",
        ),
        (
            "    #[test]\n    fn adds_none",
            "    #[should_panic]\n    #[test]\n    fn adds_none",
            "should_panic",
        ),
        (
            "    #[test]\n    fn adds_none",
            "    #[test]\n    #[cfg_attr(all(), ignore)]\n    fn adds_none",
            "keeps a test",
        ),
        ("pub fn add", "#[allow(clippy::all)]\npub fn add", "silences a checker"),
        ("pub fn add", "#![allow(warnings)]\npub fn add", "silences a checker"),
        ("pub fn add", "#[expect(dead_code)]\npub fn add", "silences a checker"),
    ] {
        let (before, after) = rust(from, to);
        let found = verdict("src/lib.rs", &before, &after);
        let right = if wanted.is_empty() {
            found.is_empty()
        } else {
            found.iter().any(|it| it.contains(wanted))
        };
        assert!(right, "{from:?} → {to:?}: wanted {wanted:?}, got {found:?}");
    }
}

#[test]
fn marks_that_keep_tests_from_running_are_refused_and_their_look_alikes_pass() {
    hold(&[
        (
            "src/a.mjs", "it('a', () => {});\n", "it.skip('a', () => {});\n",
            "keeps a test from running",
        ),
        (
            "src/a.mjs", "it('a', () => {});\n", "it.only('a', () => {});\n",
            "keeps a test from running",
        ),
        ("src/a.mjs", "it('a', () => {});\n", "xit('a', () => {});\n", "keeps a test from running"),
        ("src/a.mjs", "test('a', () => {});\n", "test.todo('a');\n", "keeps a test from running"),
        (
            "src/a.mjs",
            "test('a', f);\n",
            "test('a', { skip: true }, f);\n",
            "keeps a test from running",
        ),
        (
            "src/a.mjs", "describe('a', f);\n", "describe\n  .skip('a', f);\n",
            "keeps a test from running",
        ),
        ("src/a.ts", "items.filter(x => x);\n", "items.skip(1).only();\n", ""),
        ("src/a.ts", "parser.next();\n", "this.skip();\n", ""),
        ("src/a.ts", "log('a');\n", "log('it.skip(1)'); // xit('a') and it.only\n", ""),
        ("src/a.ts", "fit(model, data);\n", "fit(model, data, 2);\n", ""),
        (
            "app/a.py",
            "def f(): pass\n",
            "import pytest\n@pytest.mark.skip\ndef f(): pass\n",
            "keeps a test",
        ),
        (
            "app/a.py",
            "def f(): pass\n",
            "@pytest.mark.xfail(strict=False)\ndef f(): pass\n",
            "keeps a test",
        ),
        (
            "app/a.py",
            "def f(): pass\n",
            "@unittest.skipIf(True, 'x')\ndef f(): pass\n",
            "keeps a test",
        ),
        ("app/a.py", "def f(): pass\n", "def f(): raise SkipTest('x')\n", "keeps a test"),
        ("app/a.py", "rows = read()\n", "rows = read(skip=1)\nreader.skip(2)\n", ""),
        ("src/A.java", "class A {}\n", "class A { @Disabled void a() {} }\n", "keeps a test"),
        ("src/A.java", "class A {}\n", "class A { @Override void disabled() {} }\n", ""),
        (
            "src/a.go",
            "package a\n",
            "package a\nfunc f(t *testing.T) { t.Skip(\"x\") }\n",
            "keeps a test",
        ),
        ("src/a.go", "package a\n", "package a\nfunc f(r *Reader) { r.Skip(1) }\n", ""),
        (
            "src/A.cs",
            "class A {}\n",
            "class A { [Fact(Skip = \"x\")] void B() {} }\n",
            "keeps a test",
        ),
        ("src/A.php", "<?php\n", "<?php\n$this->markTestSkipped('x');\n", "keeps a test"),
        ("test/a.rb", "it 'a' do\nend\n", "xit 'a' do\nend\n", "keeps a test"),
        ("lib/a.rb", "list.skip(1)\n", "list.skip(2)\n", ""),
        ("src/a.cpp", "int a;\n", "TEST(A, DISABLED_b) {}\n", "keeps a test"),
        (
            "src/lib.rs",
            "/// ```\n/// f();\n/// ```\n",
            "/// ```ignore\n/// f();\n/// ```\n",
            "documentation test",
        ),
        ("src/lib.rs", "/// text\n", "/// ```\n/// f();\n/// ```\n/// text\n", ""),
    ]);
}

#[test]
fn comments_and_attributes_that_silence_are_refused_and_moved_ones_pass() {
    hold(&[
        ("a.py", "import os\n", "import os  # noqa\n", "silences a checker"),
        ("a.py", "import os\n", "import os  # noqa: F401\n", "silences a checker"),
        ("a.py", "x = f()\n", "x = f()  # type: ignore[arg-type]\n", "silences a checker"),
        ("a.py", "x = f()\n", "x = f()  # pylint: disable=all\n", "silences a checker"),
        ("a.py", "def f():\n", "def f():  # pragma: no cover\n", "silences a checker"),
        ("a.py", "import os  # noqa: F401\nx = 1\n", "x = 1\nimport os  # noqa: F401\n", ""),
        ("a.py", "import os  # noqa: F401\n", "import os  # noqa\n", "silences a checker"),
        ("a.py", "import os  # noqa: F401\n", "import os\n", ""),
        ("a.py", "x = 1\n", "x = '# noqa'\n", ""),
        ("a.ts", "f();\n", "// eslint-disable-next-line\nf();\n", "silences a checker"),
        ("a.ts", "f();\n", "/* eslint-disable */\nf();\n", "silences a checker"),
        ("a.ts", "f();\n", "// @ts-ignore\nf();\n", "silences a checker"),
        ("a.ts", "f();\n", "// @ts-expect-error: later\nf();\n", "silences a checker"),
        ("a.ts", "f();\n", "// biome-ignore lint: later\nf();\n", "silences a checker"),
        (
            "a.js",
            "const a = /`/g;\nf();\n",
            "const a = /`/g;\n/* eslint-disable */\nf();\n// `\n",
            "silences a checker",
        ),
        ("a.js", "f();\n", "const a = /'/g; const s = '// eslint-disable';\nf();\n", ""),
        ("a.ts", "f();\n", "const s = '// @ts-ignore';\nf();\n", ""),
        ("a.ts", "f();\n", "// see https://example.org/eslint\nf();\n", ""),
        ("a.go", "package a\n", "package a //nolint:errcheck\n", "silences a checker"),
        ("a.cpp", "int a;\n", "int a; // NOLINT\n", "silences a checker"),
        (
            "A.java",
            "class A {}\n",
            "@SuppressWarnings(\"all\")\nclass A {}\n",
            "silences a checker",
        ),
        (
            "A.cs",
            "class A {}\n",
            "#pragma warning disable CS0168\nclass A {}\n",
            "silences a checker",
        ),
        ("a.rb", "x\n", "x # rubocop:disable all\n", "silences a checker"),
        (
            "src/a.rs",
            "#[allow(dead_code)]\nfn a() {}\nfn b() {}\n",
            "fn a() {}\n#[allow(dead_code)]\nfn b() {}\n",
            "",
        ),
        ("src/a.rs", "#[allow(dead_code)]\nfn a() {}\n", "fn a() {}\n", ""),
        ("src/a.rs", "fn a() {}\n", "#[derive(Debug)]\n#[must_use]\nfn a() {}\n", ""),
        ("src/a.rs", "fn a() {}\n", "// #[allow(x)] is not wanted\nfn a() {}\n", ""),
        ("src/a.rs", "let x = 1;\n", "let _x = 1;\n", ""),
    ]);
}

#[test]
fn settings_of_tests_and_linters_may_not_become_laxer_and_others_may_change() {
    hold(&[
        (
            "tsconfig.json",
            "{\"compilerOptions\": {\"strict\": true}}",
            "{\"compilerOptions\": {\"strict\": false}}",
            "switches a check off",
        ),
        (
            "tsconfig.json",
            "{\"compilerOptions\": {\"strict\": true}}",
            "{\"compilerOptions\": {}}",
            "switches a check off",
        ),
        (
            "tsconfig.json",
            "{\"compilerOptions\": {}}",
            "{\"compilerOptions\": {\"skipLibCheck\": true}}",
            "switches an exception on",
        ),
        (
            "tsconfig.json",
            "{\"compilerOptions\": {\"lib\": [\"es2020\"]}}",
            "{\"compilerOptions\": {\"lib\": [\"es2022\"], \"strict\": true}}",
            "",
        ),
        (
            "tsconfig.json",
            "{\"exclude\": [\"dist\"]}",
            "{\"exclude\": [\"dist\", \"src/a.ts\"]}",
            "leaves more out",
        ),
        (
            ".eslintrc.json",
            "{\"rules\": {\"no-undef\": \"error\"}}",
            "{\"rules\": {\"no-undef\": \"off\"}}",
            "lowers a level",
        ),
        (
            ".eslintrc.json",
            "{\"rules\": {\"no-undef\": \"error\"}}",
            "{\"rules\": {\"no-undef\": [\"warn\", {\"a\": 1}]}}",
            "lowers a level",
        ),
        (
            ".eslintrc.json",
            "{\"rules\": {\"no-undef\": \"error\"}}",
            "{\"rules\": {}}",
            "takes away a rule",
        ),
        (
            ".eslintrc.json",
            "{\"env\": {}, \"rules\": {}}",
            "{\"env\": {\"node\": true}, \"rules\": {\"eqeqeq\": \"error\"}}",
            "",
        ),
        (
            "eslint.config.js",
            "export default [{ rules: { semi: 'error' } }];\n",
            "export default [{ rules: { semi: 'off' } }];\n",
            "lowers a level",
        ),
        (
            "eslint.config.js",
            "export default [{ ignores: ['dist'] }];\n",
            "export default [{ ignores: ['dist', 'src'] }];\n",
            "leaves more out",
        ),
        (
            "eslint.config.js",
            "export default [];\n",
            "import globals from 'globals';\nexport default [{ languageOptions: { globals: globals.node } }];\n",
            "",
        ),
        (".eslintignore", "dist\n", "dist\nsrc/a.js\n", "leaves more out"),
        (".gitignore", "dist\n", "dist\nbuild\n", ""),
        (
            "Cargo.toml",
            "[lints.clippy]\nunwrap_used = \"deny\"\n",
            "[lints.clippy]\nunwrap_used = \"allow\"\n",
            "lowers a level",
        ),
        (
            "Cargo.toml",
            "[lints.rust]\nunsafe_code = { level = \"forbid\", priority = 1 }\n",
            "[lints.rust]\nunsafe_code = { level = \"warn\", priority = 1 }\n",
            "lowers a level",
        ),
        (
            "Cargo.toml",
            "[dependencies]\nserde = \"1\"\n",
            "[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n",
            "",
        ),
        (
            "Cargo.toml",
            "[lib]\nname = \"a\"\n",
            "[lib]\nname = \"a\"\ntest = false\n",
            "switches a check off",
        ),
        (
            "clippy.toml",
            "too-many-lines-threshold = 60\n",
            "too-many-lines-threshold = 600\n",
            "raises a limit",
        ),
        ("clippy.toml", "", "allow-unwrap-in-tests = true\n", "switches an exception on"),
        (
            "pyproject.toml",
            "[tool.ruff.lint]\nselect = [\"E\", \"F\"]\n",
            "[tool.ruff.lint]\nselect = [\"E\"]\n",
            "includes less",
        ),
        (
            "pyproject.toml",
            "[tool.ruff.lint]\nignore = []\n",
            "[tool.ruff.lint]\nignore = [\"F821\"]\n",
            "leaves more out",
        ),
        (
            "pyproject.toml",
            "[tool.mypy]\nstrict = true\n",
            "[tool.mypy]\nstrict = false\n",
            "switches a check off",
        ),
        (
            "pyproject.toml",
            "[tool.mypy]\nstrict = true\n",
            "[tool.mypy]\nstrict = true\nignore_errors = true\n",
            "switches an exception on",
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = []\n",
            "[project]\ndependencies = [\"requests\"]\n[tool.setuptools.packages.find]\nexclude = [\"docs\"]\n",
            "",
        ),
        (
            "pyproject.toml",
            "[tool.coverage.report]\nfail_under = 90\n",
            "[tool.coverage.report]\nfail_under = 50\n",
            "lowers a threshold",
        ),
        (
            "setup.cfg",
            "[flake8]\nmax-line-length = 88\nignore = E1\n",
            "[flake8]\nmax-line-length = 88\nignore =\n    E1,\n    W5\n",
            "leaves more out",
        ),
        (
            "mypy.ini",
            "[mypy]\n",
            "[mypy]\nignore_missing_imports = True\n",
            "switches an exception on",
        ),
        (
            "pytest.ini",
            "[pytest]\naddopts = -q\n",
            "[pytest]\naddopts = -q --deselect tests/test_a.py::b\n",
            "takes the force",
        ),
        (
            "pytest.ini",
            "[pytest]\naddopts = -q\n",
            "[pytest]\naddopts = -q --strict-markers\nmarkers =\n    slow: x\n",
            "",
        ),
        (
            "jest.config.js",
            "module.exports = { testTimeout: 5000 };\n",
            "module.exports = { testTimeout: 60000 };\n",
            "raises a limit",
        ),
        (
            "jest.config.js",
            "module.exports = {};\n",
            "module.exports = { testPathIgnorePatterns: ['src/a.test.js'] };\n",
            "leaves more out",
        ),
        (
            "jest.config.js",
            "module.exports = {};\n",
            "module.exports = { moduleNameMapper: { '^@/(.*)$': '<rootDir>/src/$1' } };\n",
            "",
        ),
        (
            "vitest.config.ts",
            "export default defineConfig({ test: {} });\n",
            "export default defineConfig({ test: { exclude: ['a'] } });\n",
            "leaves more out",
        ),
        (
            "vite.config.ts",
            "export default defineConfig({ optimizeDeps: {} });\n",
            "export default defineConfig({ optimizeDeps: { exclude: ['a'] } });\n",
            "",
        ),
        (
            "vitest.config.ts",
            "export default { test: { coverage: { thresholds: { lines: 90 } } } };\n",
            "export default { test: { coverage: { thresholds: { lines: 10 } } } };\n",
            "lowers a threshold",
        ),
        (
            "package.json",
            "{\"scripts\": {\"test\": \"jest\"}}",
            "{\"scripts\": {\"test\": \"jest || true\"}}",
            "changes what a check runs",
        ),
        (
            "package.json",
            "{\"scripts\": {\"test\": \"jest\"}}",
            "{\"scripts\": {\"test\": \"echo ok\"}}",
            "changes what a check runs",
        ),
        (
            "package.json",
            "{\"scripts\": {\"build\": \"tsc\"}}",
            "{\"scripts\": {\"build\": \"tsc || true\"}}",
            "takes the force",
        ),
        (
            "package.json",
            "{\"scripts\": {\"test\": \"jest\"}}",
            "{\"scripts\": {\"test\": \"jest\", \"build\": \"tsc -p .\"}, \"dependencies\": {\"a\": \"1\"}}",
            "",
        ),
        ("Makefile", "test:\n\tpytest -q\n", "test:\n\tpytest -q || true\n", "takes the force"),
        ("Makefile", "test:\n\tpytest -q\n", "test:\n\t@true\n", "changes what a check runs"),
        ("Makefile", "build:\n\tcc a.c\n", "build:\n\tcc a.c -lm\n", ""),
        (
            "ci.yml",
            "steps:\n  - run: npm test\n",
            "steps:\n  - run: npm test\n    continue-on-error: true\n",
            "switches an exception on",
        ),
        ("deploy.sh", "rm x\n", "rm x || true\n", ""),
        (
            "codecov.yml",
            "coverage:\n  status:\n    project:\n      target: 90%\n",
            "coverage:\n  status:\n    project:\n      target: 10%\n",
            "lowers a threshold",
        ),
    ]);
}

#[test]
fn every_spelling_of_a_setting_is_read_as_its_tool_reads_it() {
    const CI: &str = "steps:\n  - run: npm test\n";
    hold(&[
        (
            "pyproject.toml",
            "",
            "[tool.ruff.lint.per-file-ignores]\n\"a.py\" = [\"F401\"]\n",
            "leaves more out",
        ),
        (
            "pyproject.toml",
            "[tool.ruff]\nlint.ignore = []\n",
            "[tool.ruff]\nlint.\"\\u0069gnore\" = [\"E1\"]\n",
            "leaves more out",
        ),
        (
            "pyproject.toml",
            "[project]\n",
            "[project]\ndescription = \"\"\"\n[tool.mypy]\nignore_errors = true\n\"\"\"\n",
            "",
        ),
        (
            ".eslintrc.json",
            "{\"rules\": {\"no-undef\": \"error\"}}",
            "{\"ru\\u006ces\": {\"no-undef\": \"off\"}}",
            "lowers a level",
        ),
        (
            ".eslintrc", "rules:\n  no-undef: error\n", "rules: {\"no-undef\": off}\n",
            "lowers a level",
        ),
        ("tsconfig.json", "{}", "// a\n{\"exclude\": [\"src/a.ts\",],}", "leaves more out"),
        (
            "tsconfig.json",
            "{\"compilerOptions\": {\"strict\": true}}",
            "{\"compilerOptions\": {\"strict\": null}}",
            "switches a check off",
        ),
        (
            ".rubocop.yml",
            "Style/For: {Enabled: true}\n",
            "Style/For: {Enabled: false}\n",
            "switches a check off",
        ),
        (
            "ci.yml",
            CI,
            "steps:\n  - {run: npm test, continue-on-error: true}\n",
            "switches an exception on",
        ),
        (
            "ci.yml",
            CI,
            "steps:\n  - run: npm test\n    continue-on-error:\ttrue\n",
            "switches an exception on",
        ),
        (
            "ci.yml",
            CI,
            "steps:\n  - run: npm test\n    ? \"continue-on-error\"\n    : true\n",
            "switches an exception on",
        ),
        (
            "ci.yml",
            CI,
            "x: &x {run: npm test, \"continue-on\\x2derror\": true}\nsteps:\n  - <<: *x\n",
            "switches an exception on",
        ),
        ("ci.yml", CI, "steps:\n  - run: |\n      npm test\n      # continue-on-error: true\n", ""),
        (".flake8", "[flake8]\n", "[flake8]\n  IGNORE : E1\n", "leaves more out"),
        ("setup.cfg", "[flake8]\n", "[flake8]\nignore =\n    # none\n", ""),
    ]);
}

#[test]
fn settings_that_cannot_be_read_are_refused_and_their_repair_passes() {
    let (whole, broken) = ("{\"exclude\": [\"dist\"]}", "{\"exclude\": [\"dist\"");
    hold(&[
        ("tsconfig.json", whole, broken, "writes settings that cannot be read"),
        ("tsconfig.json", "", broken, "writes settings that cannot be read"),
        ("tsconfig.json", broken, whole, ""),
        ("tsconfig.json", whole, "", ""),
        ("chart/templates/a.yaml", "", "{{- if .x }}\na: b\n{{- end }}\n", ""),
        ("ci.yml", "a: [b]\n", "a: [b\n", "writes settings that cannot be read"),
    ]);
}

#[test]
fn ends_patches_and_time_limits() {
    hold(&[
        ("app/a.py", "f()\n", "import os\nos._exit(0)\nf()\n", "as if all were well"),
        ("app/a.py", "f()\n", "import sys\nsys.exit(0)\nf()\n", "as if all were well"),
        ("app/a.py", "f()\n", "if __name__ == '__main__':\n    f()\n    sys.exit(0)\n", ""),
        ("app/a.py", "f()\n", "def main():\n    return sys.exit(1)\n", ""),
        ("src/a.js", "f();\n", "process.exit(0);\nf();\n", "as if all were well"),
        (
            "src/cli.js",
            "f();\n",
            "function main() {\n  if (help) {\n    process.exit(0);\n  }\n}\n",
            "",
        ),
        ("src/a.js", "f();\n", "process.exit = () => {};\n", "as if all were well"),
        ("src/a.js", "f();\n", "global.it = () => {};\n", "changes how the test runner works"),
        (
            "conftest.py",
            "",
            "def pytest_runtest_makereport(item, call):\n    pass\n",
            "changes how the test runner works",
        ),
        (
            "conftest.py",
            "",
            "collect_ignore = ['test_a.py']\n",
            "changes how the test runner works",
        ),
        ("conftest.py", "", "import pytest\n@pytest.fixture\ndef db():\n    return 1\n", ""),
        ("sitecustomize.py", "", "x = 1\n", "changes how the test runner works"),
        (
            "app/a.py",
            "class A: pass\n",
            "class A:\n    def __eq__(self, other):\n        return True\n",
            "changes how the test runner works",
        ),
        (
            "app/a.py",
            "class A: pass\n",
            "class A:\n    def __eq__(self, other):\n        return self.x == other.x\n",
            "",
        ),
        (
            "src/setup.js", "jest.setTimeout(5000);\n", "jest.setTimeout(60000);\n",
            "lengthens a time limit",
        ),
        ("src/setup.js", "jest.setTimeout(5 * 1000);\n", "jest.setTimeout(4_000);\n", ""),
        ("src/setup.js", "f();\n", "jest.setTimeout(60000);\n", "lengthens a time limit"),
        (
            "app/a.py",
            "@pytest.mark.timeout(5)\ndef f(): pass\n",
            "@pytest.mark.timeout(50)\ndef f(): pass\n",
            "lengthens a time limit",
        ),
        ("src/a.js", "setTimeout(f, 100);\n", "setTimeout(f, 5000);\n", ""),
        ("src/http.py", "TIMEOUT = 5\n", "TIMEOUT = 30\n", ""),
        (
            "app/a.py",
            "def test_a():\n    assert f() == 1\n",
            "def test_a():\n    assert f() == 2\n",
            "assertion of the test `test_a`",
        ),
        (
            "app/a.py",
            "def test_a():\n    assert f() == 1\n",
            "def test_a():\n    assert f() == 1\n\ndef test_b():\n    assert f() == 1\n",
            "",
        ),
        (
            "app/a.py",
            "def test_a():\n    assert f() == 1\n",
            "def f(): return 1\n",
            "takes the test `test_a` away",
        ),
        (
            "src/a.mjs",
            "it('a', () => { expect(f()).toBe(1); });\n",
            "it('a', () => { expect(f()).toBeTruthy(); });\n",
            "an assertion of the test `a`",
        ),
        (
            "src/a.mjs",
            "it('a', () => { expect(f()).toBe(1); });\n",
            "it('a', () => { expect(f()).toBe(1); expect(g()).toBe(2); });\n",
            "",
        ),
        (
            "src/a.mjs",
            "it('a', () => { expect(f()).toBe(1); });\n",
            "it('a', () => { try { expect(f()).toBe(1); } catch {} });\n",
            "puts `try` into the test",
        ),
    ]);
}

#[test]
fn disguises_are_seen_through() {
    hold(&[
        ("app/a.py", "def f(): pass\n", "@pytest.mark.ｓｋｉｐ\ndef f(): pass\n", "keeps a test"),
        (
            "app/a.py",
            "def f(): pass\n",
            "@pytest.mark.sk\u{200b}ip\ndef f(): pass\n",
            "keeps a test",
        ),
        ("src/a.mjs", "it('a', f);\n", "it.\u{455}kip('a', f);\n", "keeps a test"),
        ("src/a.mjs", "it('a', f);\n", "it.\\u0073kip('a', f);\n", "keeps a test"),
        ("src/a.mjs", "it('a', f);\n", "it.\\u{73}kip('a', f);\n", "takes the test `a` away"),
        ("src/a.mjs", "it('a', f);\n", "it['skip']('a', f);\n", "keeps a test"),
        ("src/a.mjs", "it('a', f);\n", "it['sk' + 'ip']('a', f);\n", "keeps a test"),
        ("src/a.mjs", "it('a', f);\n", "it /* x */ . /* y */ skip('a', f);\n", "keeps a test"),
        ("a.py", "x = 1\n", "x = 1  # no\u{200d}qa\n", "silences a checker"),
        ("a.py", "x = 1\n", "x = 1  # NOQA\n", "silences a checker"),
        ("a.ts", "f();\n", "//@ts-ignore\nf();\n", "silences a checker"),
        ("src/a.rs", "fn a() {}\n", "# [ allow ( dead_code ) ]\nfn a() {}\n", "silences a checker"),
        (
            "src/a.rs",
            "fn a() {}\n",
            "#[cfg_attr(all(), allow(dead_code))]\nfn a() {}\n",
            "silences a checker",
        ),
    ]);
}

#[test]
fn what_moves_from_one_file_to_another_nets_out() {
    let test = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert!(f()); }\n}\n";
    let moved = [
        ChangedText { path: "src/a.rs", before: test, after: "#[cfg(test)]\nmod tests;\n" },
        ChangedText {
            path: "src/a/tests.rs",
            before: "",
            after: "#[test]\nfn a() { assert!(f()); }\n",
        },
    ];
    assert_eq!(judge(&moved), []);
    let lost = judge(&moved[..1]);
    assert_eq!(lost.len(), 1, "{lost:?}");
    let suppressed = [
        ChangedText { path: "a.py", before: "import os  # noqa: F401\n", after: "" },
        ChangedText { path: "b.py", before: "", after: "import os  # noqa: F401\n" },
    ];
    assert_eq!(judge(&suppressed), []);
}

#[test]
fn a_refusal_names_file_line_and_rule() {
    let found = verdict("a.py", "x = 1\ny = 2\n", "x = 1\ny = 2  # noqa\n");
    assert_eq!(found, ["a.py:2 adds a comment that silences a checker: `noqa`"]);
}

#[test]
fn the_same_text_never_weakens_and_odd_bytes_break_nothing() {
    for path in [
        "a.rs", "a.py", "a.ts", "package.json", "x.toml", "a.yml", "Makefile", "a", "A.java",
        "a.rb",
    ] {
        for text in [
            RUST, "\u{feff}\0\r\r\n'\"`\\", "((((([[[[{{{{", "]]]}}}", "r#\"", "'''", "/*/*", "#[",
            "'a",
        ] {
            assert_eq!(verdict(path, text, text), Vec::<String>::new(), "{path} {text:?}");
            let _ = verdict(path, "", text);
            let _ = verdict(path, text, "");
        }
    }
}

#[test]
fn a_huge_file_is_judged_in_linear_time() {
    for (path, unit) in [
        ("a.rs", "#[test]\nfn a() { assert_eq!(f(), 1); }\n"),
        ("a.rs", "#[test] fn a() { ((((( "),
        ("a.rs", "#[a]"),
        ("a.js", "it('a', () => { it('b', "),
        ("a.js", "process.exit(0);"),
        ("a.py", "def test_a(): assert f("),
        ("a.py", "class TestA:\n  def test_a(self):\n    assert 1\n"),
        ("a.py", "# noqa "),
        ("package.json", "{\"scripts\": {\"test\": [["),
        ("a.yml", "a:\n - b: c\n"),
        ("setup.cfg", "[flake8]\nignore = E1\n E2\n"),
        ("A.java", "@Test void a() { assertEquals(1, 2); }\n"),
    ] {
        let (before, after) =
            (unit.repeat(200_000 / unit.len()), unit.repeat(199_000 / unit.len()));
        let start = Instant::now();
        let _ = verdict(path, &before, &after);
        assert!(start.elapsed() < Duration::from_mins(5), "{path} {unit:?}: {:?}", start.elapsed());
    }
}
