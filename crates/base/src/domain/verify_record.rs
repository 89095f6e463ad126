//! The runs of the command that `outcome.json` records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Totals of the tests that a command ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestCounts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that were skipped, or were expected to fail.
    pub skipped: u64,
}

impl TestCounts {
    /// Returns the number of tests that ran: passed or failed.
    pub fn ran(self) -> u64 {
        self.passed + self.failed
    }
}

/// One run of the verification command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRecord {
    /// The command as the user wrote it.
    pub command: String,
    /// Its exit code; `null` when a signal or the time limit ended it.
    pub exit_code: Option<i32>,
    /// `true` if the time limit ended it.
    pub timed_out: bool,
    /// The failures, one line each, at most 50.
    pub failures: Vec<String>,
    /// Totals of the tests that ran; `null` where the output shows none.
    #[serde(default)]
    pub tests: Option<TestCounts>,
    /// Wall time in milliseconds.
    pub ms: u64,
}

/// The proof of the fix of a flaky test: the command passes so often that a change without an effect hardly would.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlakeRecord {
    /// Re-runs before the fix.
    pub reruns: u32,
    /// Those of them that failed.
    pub failures: u32,
    /// Passing runs that a proof of 95 % needs.
    pub needed: u32,
    /// Passing runs in a row with the fix.
    pub passed: u32,
    /// The probability with which a change without an effect passes as often.
    pub chance: f64,
}

/// A command that must not get worse by the fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuardRecord {
    /// Without the fix.
    pub before: CheckRecord,
    /// With it.
    pub after: CheckRecord,
}

/// The runs of the command before and after the change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerifyRecord {
    /// The commands that installed what the project needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<CheckRecord>,
    /// Before any change.
    pub before: Option<CheckRecord>,
    /// After the last change.
    pub after: Option<CheckRecord>,
    /// Once more with only a comment added, to see that the failure is no accident.
    #[serde(default)]
    pub control: Option<CheckRecord>,
    /// After the fix once more with it and then without it, to see that it is the cause.
    #[serde(default)]
    pub repeated: Vec<CheckRecord>,
    /// A wider command on both sides of the fix.
    #[serde(default)]
    pub guard: Option<GuardRecord>,
    /// The type checker of the project on both sides of the fix.
    #[serde(default)]
    pub type_check: Option<GuardRecord>,
    /// The runs that prove the fix of a flaky test.
    #[serde(default)]
    pub flake: Option<FlakeRecord>,
    /// The command on the newest commit of the branch, where that moved during the run; the fix is published on it.
    #[serde(default)]
    pub newer_base: Option<GuardRecord>,
}
