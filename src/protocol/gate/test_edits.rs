//! Gate `protected`, the part on tests: what proves a fix is not the fix's to change.

use std::sync::LazyLock;

use globset::GlobSet;

use super::{Located, table};
use crate::domain::{ErrorCode, Kind, RepoPath};
use crate::protocol::facts::Fact;
use crate::protocol::policy::Policy;
use crate::protocol::refusal::Refusal;

/// Where test files are, by each language's own convention.
const TEST_PATHS: [&str; 24] = [
    "**/[tT]est/**",
    "**/[tT]ests/**",
    "**/__tests__/**",
    "**/[sS]pec/**",
    "**/[sS]pecs/**",
    "**/__snapshots__/**",
    "**/testdata/**",
    "**/*.snap",
    "**/e2e/**",
    // Python
    "**/test_*.py",
    "**/*_test.py",
    "**/conftest.py",
    // Go, Rust, Ruby, C++, Dart, Elixir
    "**/*_test.{go,rs,rb,c,cc,cpp,dart,exs}",
    "**/*_tests.rs",
    "**/tests.rs",
    "**/*_spec.rb",
    // JavaScript and TypeScript
    "**/*.test.*",
    "**/*.spec.*",
    "**/*.cy.[jt]s",
    // JVM, .NET, PHP, Swift
    "**/*Test.{java,kt,scala,groovy,cs,php,swift}",
    "**/*Tests.{java,kt,cs,swift,fs}",
    "**/*Spec.{scala,groovy,kt,hs}",
    "**/*IT.java",
    "**/*TestCase.{java,php}",
];

static TESTS: LazyLock<Option<GlobSet>> = LazyLock::new(|| table(&TEST_PATHS));

pub(super) fn prepare() {
    LazyLock::force(&TESTS);
}

/// Refuses to change or remove a test file that exists, unless the run allows it; new ones are fine.
pub(in crate::protocol) fn check(actions: &[Located], policy: &Policy) -> Result<(), Refusal> {
    if policy.allow_test_edits {
        return Ok(());
    }
    for action in actions {
        let mut touched: Vec<&RepoPath> = match (action.named.kind, &action.fact) {
            (_, Fact::File { resolved, .. }) => vec![resolved],
            (Kind::DeleteDir, Fact::Dir { files, .. }) => {
                files.iter().map(|(path, _)| path).collect()
            }
            _ => vec![],
        };
        touched.retain(|path| is_test(path));
        if let Some(path) = touched.first() {
            let what = if **path == action.named.path {
                String::new()
            } else {
                format!("means `{path}`, which ")
            };
            let reason = format!("{what}is an existing test; `--allow-test-edits` would allow it");
            return Err(action.refuse(ErrorCode::ForbiddenPath, reason));
        }
    }
    Ok(())
}

/// Tells whether a path is a test's. A table that does not compile takes everything for one.
pub(in crate::protocol) fn is_test(path: &RepoPath) -> bool {
    TESTS.as_ref().is_none_or(|tests| tests.is_match(path.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_from_code_by_their_path() {
        assert!(TESTS.is_some());
        let is_test = |text: &str| RepoPath::parse(text).map(|path| is_test(&path));
        for text in [
            "tests/a.rs",
            "test/helper.js",
            "a/tests/b/c.py",
            "src/__tests__/a.tsx",
            "test_a.py",
            "pkg/test_a.py",
            "pkg/a_test.py",
            "conftest.py",
            "a_test.go",
            "src/a.test.ts",
            "src/a.spec.mjs",
            "spec/a_spec.rb",
            "src/test/java/A.java",
            "lib/ATest.java",
            "Lib/ATests.cs",
            "Tests/AppTests/A.swift",
            "src/parser/tests.rs",
            "x/__snapshots__/a.snap",
            "a.snap",
            "pkg/testdata/in.txt",
        ] {
            assert_eq!(is_test(text), Ok(true), "{text}");
        }
        for text in [
            "src/a.rs",
            "src/latest.java",
            "src/contest.py",
            "src/attest.go",
            "testing/a.py",
            "src/test_utils/a.py",
            "src/inspector.rs",
            "pytest.ini",
            "src/spec.rs",
            "src/test.rs",
        ] {
            assert_eq!(is_test(text), Ok(false), "{text}");
        }
    }
}
