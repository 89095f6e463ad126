//! The class of a path: source, test, test support, configuration and so on.
//!
//! One table, `path_table`, and the conventions of test runners in `test_path` decide; gates, context and
//! proof ask here. Every question about a path is answered by its name, except those that only the
//! content of the file can answer.

use std::sync::LazyLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::path_table::{PathClass, ROWS, TEST_MODULES};
use super::python_standard::is_python_standard;
use super::{Family, is_test};

impl PathClass {
    /// Returns the class of a path by its name alone.
    // The patterns are in lower case.
    pub fn of_path(path: &str) -> Self {
        // Without the table every path counts as configuration.
        let lower = path.to_lowercase();
        let Some(table) = TABLE.as_ref() else { return Self::Configuration };
        // The first row of the table wins, whatever the order of the matches.
        let row = table.matches(&lower).into_iter().filter_map(|at| ROW_OF_PATTERN.get(at)).min();
        let class = row.and_then(|row| ROWS.get(*row)).map(|(class, _)| *class);
        match class {
            // `src/build.rs` is a module like any other.
            Some(Self::Build) if Family::of_path(path) == Family::Rust && is_in_source(&lower) => {
                Self::Source
            }
            Some(class) => class,
            None if !is_test(path) || is_product_by_place(path) => Self::Source,
            None if Family::of_path(path).is_code() => Self::Test,
            None => Self::TestSupport,
        }
    }

    /// Returns the class of a file with this text; a name that runners do not insist on makes a test only of
    /// a file that has one.
    /// `of_path` alone is for paths without a text, such as new files in a gate.
    pub fn of_file(path: &str, text: &str) -> Self {
        let class = Self::of_path(path);
        if class != Self::Test || has_test_words(text) || !is_loosely_named(path) {
            return class;
        }
        Self::Source
    }

    /// Returns the name of the class in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Test => "test",
            Self::TestSupport => "test support",
            Self::Configuration => "configuration",
            Self::Build => "build description",
            Self::Manifest => "manifest",
            Self::Ci => "CI configuration",
            Self::Generated => "generated file",
        }
    }
}

/// Returns whether a file that is new at this path would be read by a runner, an interpreter or a build
/// because of its name or place.
pub fn is_loaded_by_name(path: &str) -> bool {
    // A file that is loaded without being imported can change what the tests do.
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    matches!(PathClass::of_path(path), PathClass::Configuration | PathClass::Build)
        || name == "conftest.py"
        || lower.contains("__mocks__/")
        || shadows_module(path)
        || JVM_TEST_PACKAGES.iter().any(|package| lower.contains(package))
}

/// Packages of test libraries and of the languages themselves, as folders.
const JVM_TEST_PACKAGES: [&str; 8] = [
    "org/junit/", "junit/framework/", "org/hamcrest/", "org/assertj/", "org/mockito/",
    "org/testng/", "kotlin/test/", "src/main/java/java/",
];

/// Headers of the standard library and of test libraries.
const C_HEADERS: [&str; 14] = [
    "assert.h", "cassert", "setjmp.h", "signal.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h",
    "stdlib.h", "string.h", "unity.h", "check.h", "cmocka.h", "catch.hpp",
];

/// Names of Ruby's test libraries, as files that `require` finds in `lib`.
const RUBY_TEST_MODULES: [&str; 6] =
    ["rspec", "minitest", "test-unit", "test/unit", "simplecov", "set"];

/// Returns whether a new module would be found before one of the standard library or of a test library.
fn shadows_module(path: &str) -> bool {
    match Family::of_path(path) {
        Family::Python => {
            let module = path.strip_suffix("/__init__.py").or_else(|| path.strip_suffix(".py"));
            // A package and a module shadow alike.
            let Some(module) = module else { return false };
            let (folder, name) = module.rsplit_once('/').unwrap_or(("", module));
            // The folders that come first in the search path.
            let is_first = matches!(folder, "" | "src" | "lib" | "python") || is_test(path);
            is_first && (is_python_standard(name) || TEST_MODULES.contains(name))
        }
        Family::Ruby => {
            let module = path.strip_suffix(".rb").and_then(|it| it.strip_prefix("lib/"));
            module.is_some_and(|module| RUBY_TEST_MODULES.contains(&module))
        }
        Family::C => {
            let name = path.rsplit('/').next().unwrap_or(path);
            C_HEADERS.contains(&name) || path.contains("gtest/") || path.contains("catch2/")
        }
        _ => false,
    }
}

/// Returns whether a path that looks like a test is the product's by where it is.
fn is_product_by_place(path: &str) -> bool {
    let family = Family::of_path(path);
    let lower = path.to_lowercase();
    let folders = lower.rsplit_once('/').map_or("", |(folders, _)| folders);
    // In names such as `CartTests.cs` the capitals count.
    let name = path.rsplit('/').next().unwrap_or(path);
    // Maven and Gradle compile `src/main` into the product whatever the names are.
    // The slashes at both ends are for the first and the last folder.
    if family == Family::Jvm && format!("/{folders}/").contains("/src/main/") {
        return true;
    }
    // `spec` is a folder of tests for RSpec, Jasmine and their kin only.
    let is_spec_only = !is_test(name)
        && folders
            .split('/')
            .all(|it| matches!(it, "spec" | "specs") || !is_test(&format!("{it}/x")));
    let has_specs = matches!(
        family,
        Family::Ruby | Family::Script | Family::Php | Family::OtherCode | Family::Jvm
    );
    is_spec_only && !has_specs && !folders.contains("spec/")
}

/// Returns `true` below a folder `src`, where a file is rarely a test by the name of its folder
/// alone.
fn is_in_source(lower: &str) -> bool {
    lower.starts_with("src/") || lower.contains("/src/")
}

/// Returns whether the file is a test by a prefix or suffix of its name alone.
fn is_loosely_named(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    // The folder makes it a test already, so that the name is not the reason.
    if is_test(&format!("{folders}/x")) && !folders.is_empty() {
        // A library of JavaScript may keep its specifications, not tests, in `spec`.
        return Family::of_path(path) == Family::Script
            && !is_test(name)
            && folders
                .split('/')
                .all(|it| matches!(it, "spec" | "specs") || !is_test(&format!("{it}/x")));
    }
    // Runners find files only by these infixes, so that they are tests without doubt.
    let is_strict = [".test.", ".tests.", ".spec.", ".test-d.", ".cy.", ".e2e."];
    let lower = name.to_lowercase();
    Family::of_path(path) != Family::Go && !is_strict.iter().any(|infix| lower.contains(infix))
}

/// Words that a file of tests has.
const TEST_WORDS: [&str; 17] = [
    "assert", "def test", "unittest", "pytest", "doctest", "expect", "describe(", "it(", "test(",
    "#[test]", "::test]", "cfg(test)", "@Test", "[Fact]", "[Test", "process.exit", "throw ",
];

/// Returns `true` if a text contains a word of tests.
fn has_test_words(text: &str) -> bool {
    // Cheap and broad: a word in a comment counts as well.
    TEST_WORDS.iter().any(|word| text.contains(word))
}

// Compiled at the first question; `None` if a pattern is invalid, which a test excludes.
static TABLE: LazyLock<Option<GlobSet>> = LazyLock::new(compile);

/// The rows of the patterns in [`TABLE`], in the same order.
static ROW_OF_PATTERN: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let rows = ROWS.iter().enumerate();
    rows.flat_map(|(index, (_, patterns))| patterns.split_whitespace().map(move |_| index))
        .collect()
});

/// Compiles all patterns of the table into one set, so that a path is matched once. A pattern
/// without a leading `/` applies at any depth.
fn compile() -> Option<GlobSet> {
    let patterns = ROWS.iter().flat_map(|(_, patterns)| patterns.split_whitespace());
    compile_globs(patterns.map(|pattern| {
        let (anywhere, rest) = match pattern.strip_prefix('/') {
            Some(rest) => ("", rest),
            None => ("**/", pattern),
        };
        // `x/` is the folder with everything below it.
        let below = if rest.ends_with('/') { "**" } else { "" };
        format!("{anywhere}{rest}{below}")
    }))
}

/// Compiles patterns into one set, in which each has its position; `None` if one is invalid. `*` stays within a segment,
/// and `{a,}` may be empty.
pub fn compile_globs(patterns: impl IntoIterator<Item: AsRef<str>>) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let mut glob = GlobBuilder::new(pattern.as_ref());
        set.add(glob.literal_separator(true).empty_alternates(true).build().ok()?);
    }
    set.build().ok()
}

#[cfg(test)]
mod tests;
