//! The part a file plays by its path: a test, code, or neither. Every question about it is answered here.

use super::Family;
use papayu_base::text::WordList;

/// The part a file plays in a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// Code that a fix may be in.
    Source,
    /// Tests, fixtures, benchmarks and examples: they show what is wanted.
    Test,
    /// Built or fetched code, data, prose: read only where the failure names it.
    Other,
}

/// Folders of tests, in lower case.
const TEST_FOLDERS: [&str; 9] =
    ["test", "tests", "__test__", "__tests__", "spec", "specs", "__snapshots__", "testdata", "e2e"];

/// Words in the names of folders that only exercise or show the code.
static EXERCISE_WORDS: WordList = WordList::new(
    "test tests spec specs testdata fixture fixtures mocks e2e bench benches benchmark benchmarks \
    perf performance example examples samples demo demos sandbox playground",
);

/// Folders of built files, of other projects' files, and of prose.
static OTHER_FOLDERS: WordList = WordList::new(
    "node_modules dist build out target vendor third_party coverage docs doc website \
    site-packages __pycache__ bower_components generated deps",
);

/// Words of the paths of tests and of what sets them up.
const SETUP_WORDS: [&str; 8] =
    ["test", "tests", "spec", "specs", "conftest", "jest", "vitest", "e2e"];

/// Returns whether a file is a test or belongs to one, by the conventions that test runners follow.
///
/// ```
/// use papayu_lang::is_test;
///
/// assert!(is_test("src/cart.test.ts") && is_test("tests/common/mod.rs") && is_test("test_cart.py"));
/// assert!(!is_test("src/cart.ts") && !is_test("src/contest.py"));
/// ```
pub fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(is_test_folder) || is_test_name(name)
}

/// Returns `true` for a folder of tests.
fn is_test_folder(folder: &str) -> bool {
    let folder = folder.to_ascii_lowercase();
    // .NET calls the project with the tests of `Shop` `Shop.Tests`.
    let last = folder.rsplit('.').next().unwrap_or(&folder);
    TEST_FOLDERS.contains(&folder.as_str()) || ["test", "tests"].contains(&last)
}

/// Returns `true` for the name of a test file: `a.test.ts`, `a_test.go`, `test_a.py`, `ATest.java`,
/// `a_spec.rb`.
fn is_test_name(name: &str) -> bool {
    let family = Family::of_path(name);
    let lower = name.to_ascii_lowercase();
    let (stem, ending) = lower.rsplit_once('.').unwrap_or((&lower, ""));
    let infixes = [".test.", ".tests.", ".spec.", ".test-d.", ".cy.", ".e2e."];
    let suffixes = ["_test", "_tests", "_spec", "-test", "-spec"];
    ending == "snap"
        || infixes.iter().any(|infix| lower.contains(infix))
        || (family.is_code() && stem.starts_with("test_"))
        || (family.is_code() && suffixes.iter().any(|suffix| stem.ends_with(suffix)))
        || (family.is_code() && ["conftest", "tests"].contains(&stem))
        // The runners of Node and Python take `test.js` and `test.py`; in Rust `test.rs` is any module.
        || (matches!(family, Family::Script | Family::Python) && stem == "test")
        || is_camel_test(name, family)
}

/// `CartTest.java`, `CartTests.cs`, `CartSpec.kt`: a capital begins the last word.
fn is_camel_test(name: &str, family: Family) -> bool {
    if !matches!(family, Family::Jvm | Family::CSharp | Family::Php | Family::C) {
        return false;
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let before = |suffix: &str| stem.strip_suffix(suffix).filter(|rest| !rest.is_empty());
    // A `Spec` of Java or Go is as often a production type.
    let has_specs = ["kt", "scala", "groovy", "swift"].contains(&ending);
    ["Test", "Tests", "TestCase"].iter().any(|suffix| before(suffix).is_some())
        || (has_specs && before("Spec").is_some())
        // `AUDIT` ends with the letters of `IT`.
        || before("IT").is_some_and(|rest| rest.ends_with(|c: char| c.is_lowercase()))
}

/// Returns whether a word of the path is about tests: the broadest answer, for files that set tests up.
pub fn concerns_tests(path: &str) -> bool {
    path.to_lowercase().split(['/', '.', '_', '-']).any(|word| SETUP_WORDS.contains(&word))
}

impl FileRole {
    /// Returns the part a file plays.
    pub fn of_path(path: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let is_foreign = folders.split('/').any(|folder| OTHER_FOLDERS.contains(folder));
        if !Family::of_path(path).is_code() || is_foreign || name.contains(".min.") {
            return Self::Other;
        }
        let exercises = folders.split(['/', '-', '_']).any(|word| EXERCISE_WORDS.contains(word));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let is_bench = name.contains(".bench.") || stem.ends_with("_bench");
        if exercises || is_bench || is_test(path) { Self::Test } else { Self::Source }
    }
}

/// Returns whether a file only declares what others define.
pub fn is_declaration(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts", ".pyi", ".d.tsx"].iter().any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_the_names_that_runners_look_for() {
        for path in [
            "tests/a.rs", "test/helper.js", "a/tests/b/c.py", "src/__tests__/a.tsx", "test_a.py",
            "pkg/test_a.py", "pkg/a_test.py", "conftest.py", "shop/tests.py", "test.js",
            "a_test.go", "src/a.test.ts", "src/a.test-d.ts", "src/a.spec.mjs", "spec/a_spec.rb",
            "src/test/java/A.java", "lib/ATest.java", "Lib/ATests.cs", "Shop.Tests/A.cs",
            "lib/CartIT.java", "lib/CartSpec.kt", "Tests/AppTests/A.swift", "src/parser/tests.rs",
            "src/tests.rs", "x/__snapshots__/a.snap", "a.snap", "pkg/testdata/in.txt",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in [
            "src/a.rs", "src/latest.java", "src/Contest.java", "src/AUDIT.java",
            "src/PodSpec.java", "Test.java", "src/contest.py", "src/attest.go", "testing/a.py",
            "src/test_utils/a.py", "src/inspector.rs", "pytest.ini", "test_data.json",
            "src/spec.rs", "src/test.rs",
        ] {
            assert!(!is_test(path), "{path}");
        }
    }

    #[test]
    fn paths_say_what_part_a_file_plays() {
        for (path, role) in [
            ("dist/app.js", FileRole::Other),
            ("docs/conf.py", FileRole::Other),
            ("CHANGELOG.md", FileRole::Other),
            ("package.json", FileRole::Other),
            ("web/jquery.min.js", FileRole::Other),
            ("src/app.test.ts", FileRole::Test),
            ("tests/common/mod.rs", FileRole::Test),
            ("src/test/java/a/CartTest.java", FileRole::Test),
            ("src/latest.ts", FileRole::Source),
            ("src/Contest.java", FileRole::Source),
            ("lib/cart.ex", FileRole::Source),
            ("a_1.16_test.go", FileRole::Test),
            ("perf-testing/run.mjs", FileRole::Test),
            ("benches/a.rs", FileRole::Test),
        ] {
            assert_eq!(FileRole::of_path(path), role, "{path}");
        }
    }
}
