//! The classes of paths, as tables.
#![expect(clippy::too_many_lines, reason = "they are tables")]

use super::*;

#[test]
fn each_path_has_the_class_of_its_name_and_place() {
    assert!(TABLE.is_some());
    for (class, paths) in [
        (
            PathClass::Source,
            &[
                "src/a.rs",
                "src/build.rs",
                "app/tasks.py",
                "spec/loader.py",
                "src/main/java/a/ConnectionTest.java",
                "README.md",
                "src/config.ts",
                "api/openapi.yaml",
                "src/setup.ts",
                "src/preload.js",
                "benches/a.rs",
                "src/test.rs",
                "testing/a.py",
                "app.config.ts",
                "src/environment.rs",
                "data/settings.json",
            ][..],
        ),
        (
            PathClass::Test,
            &[
                "tests/a.rs", "test_a.py", "a.test.ts", "spec/a_spec.rb", "src/test/java/a/A.java",
                "spec/a.js", "a_test.go", "CartTests.cs", "CartTests/CartTests.cs",
                "src/CartTest.cpp",
            ],
        ),
        (
            PathClass::TestSupport,
            &[
                "conftest.py", "tests/conftest.py", "pkg/testdata/in.txt", "fixtures/a.py",
                "x/__snapshots__/a.snap", "src/__mocks__/fs.js", "tests/data/a.json",
                "golden/out.txt", "a/b.golden", "src/testutil/a.go", "test_helpers.py",
                "tests/fixtures/Cargo.toml",
            ],
        ),
        (
            PathClass::Configuration,
            &[
                "pytest.ini",
                "tox.ini",
                "setup.cfg",
                ".coveragerc",
                "mypy.ini",
                "ruff.toml",
                ".ruff.toml",
                ".flake8",
                "tsconfig.json",
                "tsconfig.build.json",
                "packages/a/tsconfig.json",
                "jest.config.js",
                "vitest.config.ts",
                "vite.config.ts",
                ".mocharc.cjs",
                "babel.config.js",
                ".babelrc",
                ".eslintrc",
                ".eslintrc.json",
                "eslint.config.mjs",
                ".prettierrc",
                "biome.json",
                "karma.conf.js",
                "playwright.config.ts",
                "cypress.config.ts",
                ".nycrc",
                "clippy.toml",
                "rustfmt.toml",
                ".config/nextest.toml",
                ".golangci.yml",
                "phpunit.xml.dist",
                "phpstan.neon",
                ".rspec",
                ".rubocop.yml",
                "sitecustomize.py",
                "lib/a.pth",
                ".cargo/config.toml",
                "rust-toolchain.toml",
                ".npmrc",
                "jest.setup.ts",
                "setupTests.ts",
                "go.work",
                ".husky/pre-commit",
                ".envrc",
                ".vscode/tasks.json",
                "node_modules/a/index.js",
                ".gitignore",
                "CTestTestfile.cmake",
                "src/test/resources/junit-platform.properties",
                "a.runsettings",
                ".pylintrc",
                "spec/spec_helper.rb",
                "src/main/resources/META-INF/services/a.B",
                ".gitattributes",
            ],
        ),
        (
            PathClass::Build,
            &[
                "Makefile", "GNUmakefile", "justfile", "Taskfile.yml", "noxfile.py", "tasks.py",
                "Rakefile", "build.rs", "crates/a/build.rs", "CMakeLists.txt", "build.gradle.kts",
                "setup.py", "webpack.config.js", "a/BUILD.bazel", "App.csproj", "Dockerfile",
            ],
        ),
        (
            PathClass::Manifest,
            &[
                "Cargo.toml", "package.json", "pyproject.toml", "go.mod", "pom.xml",
                "requirements-dev.txt", "Gemfile",
            ],
        ),
        (PathClass::Ci, &[".github/workflows/ci.yml", ".gitlab-ci.yml", "Jenkinsfile"]),
        (PathClass::Generated, &["Cargo.lock", "package-lock.json", "go.sum", "api/a.pb.go"]),
    ] {
        for path in paths {
            assert_eq!(PathClass::of_path(path), class, "{path}");
        }
    }
}

#[test]
fn a_loose_name_makes_a_test_only_of_a_file_that_has_one() {
    for (path, text, class) in [
        ("src/speed_test.rs", "pub fn measure() {}", PathClass::Source),
        ("src/speed_test.rs", "#[test]\nfn a() {}", PathClass::Test),
        ("app/test_connection.py", "def connect():\n    pass\n", PathClass::Source),
        ("app/test_connection.py", "def test_a():\n    assert True\n", PathClass::Test),
        ("a_test.go", "package a", PathClass::Test),
        ("tests/test_a.py", "", PathClass::Test),
        ("a.test.js", "", PathClass::Test),
        ("spec/loader.js", "export const a = 1;", PathClass::Source),
        ("spec/loader.js", "describe('a', () => {})", PathClass::Test),
    ] {
        assert_eq!(PathClass::of_file(path, text), class, "{path} {text}");
    }
}

#[test]
fn new_files_that_other_programs_load_are_known() {
    for path in [
        "tests/conftest.py",
        "pytest.py",
        "json.py",
        "unittest/__init__.py",
        "src/typing.py",
        "tests/mock.py",
        "lib/minitest.rb",
        "src/test/java/org/junit/Assert.java",
        "GNUmakefile",
        "sitecustomize.py",
        "node_modules/assert/index.js",
        "build.rs",
    ] {
        assert!(is_loaded_by_name(path), "{path}");
    }
    for path in [
        "shop/json.py", "shop/types.py", "src/shop.py", "tests/test_a.py", "lib/shop.rb",
        "src/lib.rs",
    ] {
        assert!(!is_loaded_by_name(path), "{path}");
    }
}
