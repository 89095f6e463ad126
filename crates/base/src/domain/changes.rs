//! The changes since the command last passed, as results show them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason why a commit is taken to be green.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GreenSource {
    /// The user named it.
    Named,
    /// The pull request of the job starts there.
    PullRequest,
    /// The last CI run of the same workflow that passed was on it.
    LastRun,
    /// The branch of the job was there before the push, or at the last build that passed.
    Push,
    /// The branch was there when it was last pushed from this clone.
    Remote,
}

impl GreenSource {
    /// Returns where the commit is from, in words that follow its id.
    pub fn words(self) -> &'static str {
        match self {
            Self::Named => "named by `--green`",
            Self::PullRequest => "the base of the pull request",
            Self::LastRun => "the commit of the last CI run that passed",
            Self::Push => "the commit before the push",
            Self::Remote => "the last pushed commit",
        }
    }
}

/// The differences between the green commit and the files as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeRecord {
    /// The green commit; `null` if only the log of a passing run is known.
    pub green: Option<String>,
    /// The reason why it is taken to be green.
    pub source: Option<GreenSource>,
    /// Commits since then, those of merged branches not counted; `null` where the clone does not have them all.
    pub commits: Option<u32>,
    /// The changed files in the order of paths, at most 200.
    pub files: Vec<FileMove>,
    /// Changed files that are not listed.
    pub more_files: u32,
    /// Packages, actions and images with another version, at most 200.
    pub dependencies: Vec<DependencyMove>,
    /// Tools and machines with another version in the log of the passing run, at most 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<ToolMove>,
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileMove {
    /// Its path; of a deleted file, the path that it had.
    pub path: String,
    /// `added`, `deleted`, `renamed` or `changed`.
    pub change: FileChangeKind,
    /// The path that it had before, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// The changed lines; none for a binary file.
    pub hunks: Vec<HunkRange>,
    /// The definitions that changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<DefinitionMove>,
}

/// The kind of change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileChangeKind {
    /// It did not exist.
    Added,
    /// It does not exist any more.
    Deleted,
    /// It has another path.
    Renamed,
    /// Its content differs.
    Changed,
}

/// Lines that were replaced. A range without lines names the line before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HunkRange {
    /// First line in the green commit, from 1.
    pub old_start: u32,
    /// Number of lines there.
    pub old_lines: u32,
    /// First line now, from 1.
    pub new_start: u32,
    /// Number of lines now.
    pub new_lines: u32,
}

/// A definition that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DefinitionMove {
    /// Its name; of a removed one, the name that it had.
    pub name: String,
    /// The kind of change.
    pub change: DefinitionChange,
    /// The name that it had before, where it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// The kind of change of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DefinitionChange {
    /// It is new.
    Added,
    /// It does not exist any more.
    Removed,
    /// It has another name and the same text.
    Renamed,
    /// Its text differs.
    Changed,
}

/// A package, action or image with another version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct DependencyMove {
    /// The manifest or lock file.
    pub path: String,
    /// Its name.
    pub name: String,
    /// The versions or requirements before; `null` for a new one.
    pub from: Option<String>,
    /// Those now; `null` for a removed one.
    pub to: Option<String>,
}

/// A line of both logs that differs in its version alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolMove {
    /// The line as the failed run printed it.
    pub line: String,
    /// The version in the log of the run that passed.
    pub from: String,
    /// The version in the log of the failed run.
    pub to: String,
}

/// The commit that made the command fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CulpritRecord {
    /// The commit.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
    /// The files that it changes and that the failure reaches.
    pub files: Vec<String>,
    /// `proved` if the command passes before it and fails with it; `guess` if nothing was run.
    pub certainty: BlameCertainty,
    /// Runs of the command on earlier commits.
    pub runs: u32,
    /// Commits on which the command shows neither: the build is broken, the tests do not run, or another failure is there.
    pub skipped: u32,
}

/// The way in which the culprit is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CulpritSearch {
    /// None is named.
    Off,
    /// It is concluded from the changed lines; nothing is run.
    Guess,
    /// The command runs on earlier commits.
    Prove,
}

/// The certainty of a blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlameCertainty {
    /// Concluded from the changed lines; nothing was run.
    Guess,
    /// The command passes before the commit and fails with it.
    Proved,
}

impl CulpritRecord {
    /// Returns the blame in one line, without the name of a person.
    pub fn line(&self) -> String {
        let short = self.commit.get(..12).unwrap_or(&self.commit);
        let Self { subject, runs, .. } = self;
        match self.certainty {
            BlameCertainty::Proved => format!(
                "commit {short} ({subject}) made it fail: the command passes before it and fails with it ({runs} runs)"
            ),
            BlameCertainty::Guess => {
                format!("commit {short} ({subject}) may have made it fail: a guess, not proved")
            }
        }
    }
}

impl ChangeRecord {
    /// Returns what changed in one line: counts of files and commits, and the first moved dependencies.
    pub fn line(&self) -> String {
        let since = match (&self.green, self.source) {
            (Some(green), Some(source)) => {
                format!("since {} ({})", green.get(..12).unwrap_or(green), source.words())
            }
            _ => "since the run that passed".to_owned(),
        };
        let files = self.files.len() + self.more_files as usize;
        let commits = self.commits.map(|count| format!(" in {count} commits"));
        let commits = commits.unwrap_or_default();
        let moved = self.dependencies.iter().map(DependencyMove::line).take(3);
        let tools = self.environment.iter().map(|it| format!("{} (was {})", it.line, it.from));
        let files = format!("{since}: {files} files changed{commits}");
        [files].into_iter().chain(moved).chain(tools.take(3)).collect::<Vec<_>>().join("; ")
    }
}

impl DependencyMove {
    /// Returns the move in words: `jinja2 3.0.3 → 3.1.4`.
    pub fn line(&self) -> String {
        let Self { name, from, to, .. } = self;
        match (from, to) {
            (Some(from), Some(to)) => format!("{name} {from} → {to}"),
            (None, Some(to)) => format!("{name} {to} is new"),
            (Some(from), None) => format!("{name} {from} is removed"),
            (None, None) => name.clone(),
        }
    }
}
