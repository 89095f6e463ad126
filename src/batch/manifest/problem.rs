//! What is wrong with a manifest, all of it at once.

use std::path::PathBuf;

use crate::settings::nearest;

/// Everything that is wrong, one line each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", problems.iter().map(|it| format!("{}:{}: {}", path.display(), it.line, it.kind)).collect::<Vec<_>>().join("\n"))]
pub struct ManifestError {
    /// The file.
    pub path: PathBuf,
    /// In the order of the file.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// 1-based.
    pub line: usize,
    /// What it is.
    pub kind: ProblemKind,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProblemKind {
    /// Not of the form that the file's name promises.
    #[error("not {0}: {1}")]
    Syntax(&'static str, String),
    /// Longer than what is read.
    #[error("it is longer than {0} bytes")]
    TooLong(usize),
    /// Not text.
    #[error("it is not UTF-8")]
    NotText,
    /// Another encoding, or no text.
    #[error("it holds zero bytes, as UTF-16 does; write it as UTF-8")]
    ZeroBytes,
    /// Values in values in values.
    #[error("values stand too deep in each other")]
    TooDeep,
    /// YAML's references.
    #[error("anchors and aliases are not read; what tasks share goes into `defaults`")]
    Anchor,
    /// A second YAML document.
    #[error("a second document begins here, and a manifest is one")]
    SecondDocument,
    /// Nothing to do.
    #[error("it names no repository")]
    Empty,
    /// More than a batch takes.
    #[error("it names more than {0} repositories")]
    TooMany(usize),
    /// A key that nobody knows.
    #[error("`{name}` is no key of {place}{}", nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    UnknownKey {
        /// As written.
        name: String,
        /// Where it stands.
        place: &'static str,
        /// The nearest known one.
        nearest: Option<&'static str>,
    },
    /// A key written twice in one table.
    #[error("`{0}` stands here for the second time")]
    TwiceKey(String),
    /// A value of the wrong kind.
    #[error("`{key}` is {got}, expected {expected}")]
    WrongValue {
        /// The key.
        key: String,
        /// What stands there.
        got: String,
        /// What should.
        expected: &'static str,
    },
    /// A word that is not one of a few.
    #[error("`{key}` cannot be `{word}`{}; it is one of {}", nearest(word, known.iter().copied()).map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default(), known.join(", "))]
    UnknownWord {
        /// The key.
        key: &'static str,
        /// As written.
        word: String,
        /// What is known.
        known: &'static [&'static str],
    },
    /// A task without a repository.
    #[error("a repository is missing: `repo` is a folder, an address or `OWNER/*`")]
    NoRepo,
    /// A repository that no system could name.
    #[error("the repository is longer than {0} bytes")]
    LongRepo(usize),
    /// An address of a kind that is not cloned.
    #[error("`{0}` addresses are not cloned; use https, ssh, git or file")]
    Scheme(String),
    /// A secret in a file that is kept and shared.
    #[error(
        "the address holds a user or password; a token comes from `PAPAYU_GITHUB_TOKEN` or git's credential helpers"
    )]
    Password,
    /// A pattern that cannot be read.
    #[error("`{0}` is no pattern: {1}")]
    Pattern(String, String),
    /// A name that cannot be a folder's.
    #[error(
        "`{0}` cannot name a task: letters, digits, `.`, `_` and `-`, at most 100, and no `.` first"
    )]
    Name(String),
    /// Two tasks of one name.
    #[error("`{name}` is named on line {line} already; give each a `name` of its own")]
    TwiceNamed {
        /// The name.
        name: String,
        /// Where it stands first.
        line: usize,
    },
    /// One name for many repositories.
    #[error("`{0}` stands for many repositories, which cannot share the name `{1}`")]
    NamedPattern(String, String),
    /// A branch in a clone that nobody sees.
    #[error(
        "`emit = branch` sets a branch in a folder's own repository; for an address say `pr` or `bundle`"
    )]
    BranchOfClone,
    /// A change in a clone that nobody sees.
    #[error(
        "`emit = worktree` changes a folder in place; for an address say `patch`, `pr` or `bundle`"
    )]
    WorktreeOfClone,
    /// Not a branch's name.
    #[error("`{0}` is not the name of a branch")]
    Branch(String),
    /// A branch of a folder that is worked on as it is.
    #[error("`branch` is for addresses; a folder is worked on as it is checked out")]
    BranchOfFolder,
}
