//! The failures of a red build, in one form for all tools.

use serde::{Deserialize, Serialize};

use super::changes::ToolMove;
use super::identity::normalize_identity;
use super::location::Location;
use super::reported_fix::ReportedFix;

/// The kind of a failure, which decides the extra context that is gathered.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
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
    #[default]
    Unknown,
}

/// The severity in the tool's own words.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// An error, or a tool that knows nothing else.
    #[default]
    Error,
    /// A warning that made the build fail all the same.
    Warning,
    /// A note that made the build fail all the same.
    Note,
}

impl Severity {
    /// Returns the word used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }

    /// Returns `true` for the default severity, which is not serialized.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    fn is_error(&self) -> bool {
        *self == Self::Error
    }
}

/// One failure: a test, a diagnostic or a crash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Failure {
    /// The kind of the failure.
    pub kind: FailureKind,
    /// The severity in the tool's own words; every listed failure made the build fail.
    #[serde(default, skip_serializing_if = "Severity::is_error")]
    pub severity: Severity,
    /// The toolchain: `rust`, `python`, `node`, `typescript`, `go`, `c`, `java`, `ruby`, `php`,
    /// `dotnet`, `swift`; the
    /// format of the report (`junit`, `sarif`) if nothing else is known, else `generic`.
    pub toolchain: String,
    /// The failing test's full name, where there is one.
    pub test: Option<String>,
    /// The tool's own code (`E0425`, `TS2304`), where there is one.
    pub code: Option<String>,
    /// The message, first line first; at most a few lines.
    pub message: String,
    /// The value that a test expected, as its runner printed it; at most a few lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The value that the test got instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The source lines that the tool printed with the failure, without line numbers and marks; at
    /// most a few.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub quoted: String,
    /// Places in order of closeness to the fault: the diagnostic's own span or the innermost frame
    /// first, then the frames outwards; places in dependencies are last.
    pub locations: Vec<Location>,
    /// The fixes that the tool proposes, one per location; not serialized.
    #[serde(skip)]
    pub fixes: Vec<ReportedFix>,
}

impl Failure {
    /// Returns the message in one line: its first line, with the second one if the first announces it by `:`.
    pub fn headline(&self) -> String {
        // Indentation and empty lines differ between versions of a tool.
        let mut lines = self.message.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or_default();
        // `error:` alone would identify nothing.
        match lines.next().filter(|_| first.ends_with(':')) {
            Some(second) => format!("{first} {second}"),
            None => first.to_owned(),
        }
    }

    /// Returns a text that is equal for the same failure in another run: without line numbers,
    /// temporary folders, times,
    /// durations, addresses and hashes.
    pub fn identity(&self) -> String {
        self.identity_below("")
    }

    /// Returns the identity for a repository at `root`, an absolute path that ends with `/`.
    ///
    /// The root is removed from all paths first, because the repository may itself be in a
    /// temporary folder.
    pub fn identity_below(&self, root: &str) -> String {
        // An empty root would match between all characters.
        let bare = |text: &str| {
            if root.is_empty() {
                normalize_identity(text)
            } else {
                normalize_identity(&text.replace(root, ""))
            }
        };
        // A test's name identifies it; its message may contain values that change.
        if let Some(test) = &self.test {
            return bare(test);
        }
        // The first location is the closest to the fault.
        let path = self.locations.first().map_or("", |place| place.path.as_str());
        let code = self.code.as_deref().unwrap_or("");
        // Later lines of a message are notes, which differ more often.
        let first_line = self.message.lines().next().unwrap_or("");
        format!("{}: {code} {}", bare(path), bare(first_line))
    }
}

/// Everything read out of one log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FailureReport {
    /// Deduplicated, the first actionable error first.
    pub failures: Vec<Failure>,
    /// Locations that no failure claims (a bare `path:line` in the text), in order of appearance.
    pub mentions: Vec<Location>,
    /// The command that failed, if the log names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The exit code of the command, if the log names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// An excerpt of the log within its limit, without colors, CI timestamps and passing tests.
    pub excerpt: String,
    /// The end of the log as it was printed, without colors; not serialized.
    #[serde(skip)]
    pub raw: String,
    /// It has no failure, and its end is that of a success; not serialized.
    #[serde(skip)]
    pub passed: bool,
    /// The number of the last line of the runs of tests that passed, from 1; 0 without such a run, not serialized.
    #[serde(skip)]
    pub passed_until: u64,
    /// The length of the log in bytes.
    pub log_bytes: u64,
    /// Lines that the log of a run that passed has with another version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<ToolMove>,
}

impl FailureReport {
    /// Returns every location once, failures' own first.
    pub fn locations(&self) -> Vec<&Location> {
        // The order decides which files enter the context first.
        let mut seen = std::collections::HashSet::new();
        self.failures
            .iter()
            .flat_map(|failure| &failure.locations)
            .chain(&self.mentions)
            .filter(|place| seen.insert(*place))
            .collect()
    }

    /// Makes paths below `root` (an absolute path that ends with `/`) relative to the repository:
    /// interpreters print the
    /// paths of their own machine, which a forge cannot link to.
    pub fn place_below(&mut self, root: &str) {
        // Mentions are locations as well, although no failure claims them.
        let places = self.failures.iter_mut().flat_map(|failure| &mut failure.locations);
        for place in places.chain(&mut self.mentions) {
            if let Some(path) = place.path.strip_prefix(root) {
                place.path = path.to_owned();
            }
        }
    }

    /// Returns `true` if a failure is a missing module or package.
    pub fn has_import_error(&self) -> bool {
        self.failures.iter().any(|failure| failure.kind == FailureKind::Import)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure_at(path: &str, line: u32, message: &str) -> Failure {
        Failure {
            kind: FailureKind::Compile,
            toolchain: "c".into(),
            message: message.into(),
            locations: vec![Location { path: path.into(), line: Some(line), column: None }],
            ..Failure::default()
        }
    }

    #[test]
    fn only_places_in_the_repository_get_its_paths() {
        let mut report = FailureReport {
            failures: vec![failure_at("/w/r/src/a.py", 3, "/w/r/src/a.py is wrong")],
            mentions: ["/w/r/b.py", "/w/run/c.py", "/usr/lib/d.py", "e.py"]
                .map(|path| Location { path: path.into(), line: None, column: None })
                .into(),
            ..FailureReport::default()
        };
        report.place_below("/w/r/");
        let paths: Vec<&str> = report.locations().iter().map(|place| &*place.path).collect();
        assert_eq!(paths, ["src/a.py", "b.py", "/w/run/c.py", "/usr/lib/d.py", "e.py"]);
        assert_eq!(report.failures[0].message, "/w/r/src/a.py is wrong");
    }

    #[test]
    fn the_same_failure_is_known_again_in_another_run() {
        for (one, other) in [
            ("timed out after 30ms", "timed out after 1.5 s"),
            ("no method `x' for #<Calc:0x00007f89edf142c0>", "no method `x' for #<Calc:0x1>"),
            ("open /tmp/pytest-of-root/pytest-0/a1/out.txt: gone", "open /tmp/z/out.txt: gone"),
            ("see src/a.c:10:2", "see src/a.c:11:40"),
            ("Unexpected token (1:29)", "Unexpected token (7:2)"),
            ("at 2026-01-02T03:04:05.678Z", "at 2027-11-12 13:14:15"),
            ("commit 1a2b3c4d is gone", "commit 99ffee11 is gone"),
            ("refused 127.0.0.1:54321", "refused localhost:1"),
            ("id 123e4567-e89b-12d3-a456-426614174000", "id 00000000-0000-0000-0000-000000000000"),
        ] {
            assert_eq!(
                failure_at("a.c", 1, one).identity(),
                failure_at("a.c", 2, other).identity()
            );
        }
    }

    #[test]
    fn different_failures_stay_different() {
        for (one, other) in [
            ("expected 3, got 4", "expected 3, got 5"),
            ("no field `a`", "no field `b`"),
            ("0 items", "1 items"),
            ("bad value 1234567", "bad value 7654321"),
            ("cannot read feedfacade", "cannot read deadbeefed"),
        ] {
            assert_ne!(
                failure_at("a.c", 1, one).identity(),
                failure_at("a.c", 1, other).identity()
            );
        }
        assert_ne!(
            failure_at("/tmp/x/a.c", 1, "m").identity(),
            failure_at("/tmp/x/b.c", 1, "m").identity()
        );
    }

    #[test]
    fn a_report_written_before_there_were_these_fields_is_read() {
        let old = r#"{"failures":[{"kind":"test","toolchain":"go","test":"T","code":null,"message":"m","locations":[]}],"mentions":[],"excerpt":"","log_bytes":1}"#;
        let report: FailureReport = serde_json::from_str(old).unwrap();
        assert_eq!(report.failures[0].severity, Severity::Error);
        assert_eq!(serde_json::to_string(&report).unwrap(), old);
    }

    #[test]
    fn a_repository_in_a_temporary_folder_keeps_its_paths() {
        let failure = failure_at("/tmp/run1/src/a.c", 1, "see /tmp/run1/src/b.c");
        assert_eq!(failure.identity_below("/tmp/run1/"), "src/a.c:  see src/b.c");
    }
}
