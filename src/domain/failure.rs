//! What a red build said, in one form whatever tool said it.

use serde::{Deserialize, Serialize};

/// A place that a log names, as the log spells it; nobody has checked that it exists.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Location {
    /// The path as printed: absolute runner paths and bare base names included.
    pub path: String,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column.
    pub column: Option<u32>,
}

/// What sort of failure it is; decides which extra context is gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A test that ran and failed.
    Test,
    /// A compiler or type checker refused the code.
    Compile,
    /// A module or package could not be found; manifests are gathered for these.
    Import,
    /// A linter or formatter complained.
    Lint,
    /// The program ended in an unhandled exception or panic outside a test.
    Crash,
    /// Something failed and no parser knows it.
    Unknown,
}

/// One failure: a test, a diagnostic or a crash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Failure {
    /// What sort it is.
    pub kind: FailureKind,
    /// The parser that read it: `rust`, `python`, `node`, `typescript`, `go`, `generic`.
    pub toolchain: String,
    /// The failing test's full name, where there is one.
    pub test: Option<String>,
    /// The tool's own code (`E0425`, `TS2304`), where there is one.
    pub code: Option<String>,
    /// The message, first line first; at most a few lines.
    pub message: String,
    /// Places in order of closeness to the fault: the diagnostic's own span or the innermost frame
    /// first.
    pub locations: Vec<Location>,
}

impl Failure {
    /// Returns what identifies the failure in another run of the same command: no line numbers.
    pub fn identity(&self) -> String {
        let path = self.locations.first().map_or("", |place| place.path.as_str());
        match &self.test {
            Some(test) => test.clone(),
            None => format!(
                "{path}: {} {}",
                self.code.as_deref().unwrap_or(""),
                self.message.lines().next().unwrap_or("")
            ),
        }
    }
}

/// Everything read out of one log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FailureReport {
    /// Deduplicated, the first actionable error first.
    pub failures: Vec<Failure>,
    /// Locations that no failure claims (a bare `path:line` in the text), in order of appearance.
    pub mentions: Vec<Location>,
    /// The part of the log worth showing: colours, CI timestamps and noise gone, bounded.
    pub excerpt: String,
    /// How many bytes the log had.
    pub log_bytes: u64,
}

impl FailureReport {
    /// Returns every location once, failures' own first.
    pub fn locations(&self) -> Vec<&Location> {
        let mut seen = std::collections::HashSet::new();
        self.failures
            .iter()
            .flat_map(|failure| &failure.locations)
            .chain(&self.mentions)
            .filter(|place| seen.insert(*place))
            .collect()
    }

    /// Tells whether any failure is a missing module or package.
    pub fn has_import_error(&self) -> bool {
        self.failures.iter().any(|failure| failure.kind == FailureKind::Import)
    }
}
