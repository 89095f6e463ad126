//! What part a file plays, by its path alone: a source, a test, or neither.

use crate::index::Language;

/// The part a file plays in a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Code that a fix may be in.
    Source,
    /// Tests, fixtures, benchmarks, examples: they say what is wanted.
    Test,
    /// Built or fetched code, data, prose: looked at only where the failure names it.
    Other,
}

/// Words of folders' names whose files only exercise or show the code.
const TEST_FOLDERS: [&str; 22] = [
    "test",
    "tests",
    "spec",
    "specs",
    "testdata",
    "fixture",
    "fixtures",
    "mocks",
    "e2e",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "perf",
    "performance",
    "example",
    "examples",
    "samples",
    "demo",
    "demos",
    "sandbox",
    "playground",
];

/// Folders whose files are built from others or belong to somebody else, or are prose.
const OTHER_FOLDERS: [&str; 16] = [
    "node_modules",
    "dist",
    "build",
    "out",
    "target",
    "vendor",
    "third_party",
    "coverage",
    "docs",
    "doc",
    "website",
    "site-packages",
    "__pycache__",
    "bower_components",
    "generated",
    "deps",
];

/// Endings of code that no grammar here reads.
const OTHER_CODE: [&str; 34] = [
    "kt", "kts", "swift", "scala", "sc", "clj", "cljs", "ex", "exs", "erl", "hrl", "hs", "ml",
    "mli", "fs", "lua", "dart", "m", "mm", "pl", "pm", "r", "jl", "zig", "nim", "sh", "bash",
    "vue", "svelte", "groovy", "vb", "sol", "cr", "v",
];

/// Returns the part a file plays.
pub fn of(path: &str) -> Role {
    let lower = path.to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let within = |names: &[&str]| folders.split('/').any(|folder| names.contains(&folder));
    if !is_code(path) || within(&OTHER_FOLDERS) || name.contains(".min.") {
        return Role::Other;
    }
    let exercises = folders.split(['/', '-', '_']).any(|word| TEST_FOLDERS.contains(&word));
    if exercises || is_test_name(name, path) { Role::Test } else { Role::Source }
}

/// Tells whether the file holds code in any language.
pub fn is_code(path: &str) -> bool {
    match Language::of_path(path) {
        Some(Language::Json | Language::Yaml) => false,
        Some(_) => true,
        None => path.rsplit_once('.').is_some_and(|(_, ending)| OTHER_CODE.contains(&ending)),
    }
}

/// Tells whether the file only declares what others define.
pub fn is_declaration(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts", ".pyi", ".d.tsx"].iter().any(|end| path.ends_with(end))
}

fn is_test_name(lower: &str, path: &str) -> bool {
    let stem = lower.rsplit_once('.').map_or(lower, |(stem, _)| stem);
    let middle = |part: &str| lower.contains(&format!(".{part}."));
    ["test", "spec", "test-d", "bench", "cy", "e2e"].into_iter().any(middle)
        || stem.starts_with("test_")
        || ["_test", "_tests", "_spec", "-test", "-spec", "_bench"].iter().any(|end| stem.ends_with(end))
        || ["conftest", "tests", "test"].contains(&stem)
        // `CartTest.java`, `CartTests.cs`, `CartSpec.kt`: a capital begins the last word.
        || path.rsplit('/').next().and_then(|name| name.split('.').next()).is_some_and(|name| {
            ["Test", "Tests", "Spec", "TestCase", "IT"].iter().any(|end| {
                name.strip_suffix(end).is_some_and(|rest| rest.ends_with(|c: char| c.is_lowercase()))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_say_what_part_a_file_plays() {
        for (path, role) in [
            ("dist/app.js", Role::Other),
            ("docs/conf.py", Role::Other),
            ("CHANGELOG.md", Role::Other),
            ("package.json", Role::Other),
            ("web/jquery.min.js", Role::Other),
            ("src/app.test.ts", Role::Test),
            ("src/app.test-d.ts", Role::Test),
            ("app_test.go", Role::Test),
            ("tests/common/mod.rs", Role::Test),
            ("pkg/test_app.py", Role::Test),
            ("src/test/java/a/CartTest.java", Role::Test),
            ("lib/CartSpec.kt", Role::Test),
            ("src/latest.ts", Role::Source),
            ("src/Contest.java", Role::Source),
            ("src/AUDIT.java", Role::Source),
            ("lib/cart.ex", Role::Source),
            ("a_1.16_test.go", Role::Test),
            ("perf-testing/run.mjs", Role::Test),
        ] {
            assert_eq!(of(path), role, "{path}");
        }
    }
}
