//! The kinds of files that a change may touch only if the run allows it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of files that a change may touch only if the run allows it (`--allow`).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Allowance {
    /// Existing tests, their data and helpers, and what the command reads as its check.
    Tests,
    /// Recorded results of tests.
    Snapshots,
    /// Settings of test runners, linters, type checkers, task runners and package managers.
    Settings,
    /// Lists of the files that a package ships.
    Packaging,
    /// Build descriptions, language levels, features of the package, and sources of dependencies.
    Build,
    /// CI definitions and other files that programs run by themselves.
    Ci,
}

impl Allowance {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Tests, Self::Snapshots, Self::Settings, Self::Packaging, Self::Build, Self::Ci];

    /// The kinds of `--allow-test-edits`. A change of one of them may alter what the command runs.
    pub const OF_TEST_EDITS: [Self; 3] = [Self::Tests, Self::Snapshots, Self::Settings];

    /// Returns the word used in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tests => "tests",
            Self::Snapshots => "snapshots",
            Self::Settings => "settings",
            Self::Packaging => "packaging",
            Self::Build => "build",
            Self::Ci => "ci",
        }
    }

    /// Returns what a proof still means after such a change, as the end of a sentence.
    pub fn proof_meaning(self) -> &'static str {
        match self {
            Self::Tests => "the tests that prove the fix may be other ones",
            Self::Snapshots => "the results that the tests expect may be other ones",
            Self::Settings => "other tests may run, or by other rules",
            Self::Packaging => "the tests are as they were; what the package ships has changed",
            Self::Build => "the tests are as they were; other code may be compiled",
            Self::Ci => "the tests are as they were; what CI runs has changed",
        }
    }

    /// Returns `true` if the tests and what they are run with stay as they were.
    pub fn keeps_tests(self) -> bool {
        matches!(self, Self::Packaging | Self::Build | Self::Ci)
    }
}

/// Returns the words of kinds, separated by commas.
pub fn join_allowances(kinds: &BTreeSet<Allowance>) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(",")
}
