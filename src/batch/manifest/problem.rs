//! The problems of a manifest, reported all at once.

use std::path::PathBuf;

use papayu_base::text::spelling::find_nearest;

/// All problems of a manifest, one line each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", problems.iter().map(|it| format!("{}:{}: {}", path.display(), it.line, it.kind)).collect::<Vec<_>>().join("\n"))]
pub struct ManifestError {
    /// The file.
    pub path: PathBuf,
    /// In the order of the file.
    pub problems: Vec<ManifestProblem>,
}

/// A problem and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestProblem {
    /// 1-based.
    pub line: usize,
    /// The kind of problem.
    pub kind: ManifestProblemKind,
}

/// A kind of problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestProblemKind {
    /// The file is not in the format of its extension.
    #[error("not {0}: {1}")]
    Syntax(&'static str, String),
    /// The file is too long.
    #[error("it is longer than {0} bytes")]
    TooLong(usize),
    /// The file is not UTF-8.
    #[error("it is not UTF-8")]
    NotText,
    /// The file has zero bytes.
    #[error("it has zero bytes, as UTF-16 does; write it as UTF-8")]
    ZeroBytes,
    /// Values are nested too deep.
    #[error("values are nested too deep")]
    TooDeep,
    /// A YAML anchor or alias.
    #[error("anchors and aliases are not read; what tasks share goes into `defaults`")]
    Anchor,
    /// A second YAML document.
    #[error("a second document begins here, and a manifest is one")]
    SecondDocument,
    /// No repository.
    #[error("it names no repository")]
    Empty,
    /// More repositories than a batch may have.
    #[error("it names more than {0} repositories")]
    TooMany(usize),
    /// An unknown key.
    #[error("`{name}` is not a key of {place}{}", nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    UnknownKey {
        /// As written.
        name: String,
        /// The table of the key.
        place: &'static str,
        /// The nearest known one.
        nearest: Option<&'static str>,
    },
    /// A repeated key.
    #[error("`{0}` is repeated")]
    TwiceKey(String),
    /// A value of the wrong type.
    #[error("`{key}` is {got}, expected {expected}")]
    WrongValue {
        /// The key.
        key: String,
        /// The kind of value found.
        got: String,
        /// The kind of value expected.
        expected: &'static str,
    },
    /// An unknown word.
    #[error("`{key}` cannot be `{word}`{}; it is one of {}", find_nearest(word, known.iter().copied()).map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default(), known.join(", "))]
    UnknownWord {
        /// The key.
        key: &'static str,
        /// As written.
        word: String,
        /// The known words.
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
    /// A user or password in an address.
    #[error(
        "the address contains a user or password; a token comes from `PAPAYU_GITHUB_TOKEN` or git's credential helpers"
    )]
    Password,
    /// A pattern that cannot be read.
    #[error("`{0}` is not a pattern: {1}")]
    Pattern(String, String),
    /// A name that is no valid folder name.
    #[error(
        "`{0}` cannot name a task: letters, digits, `.`, `_` and `-`, at most 100, and no `.` first"
    )]
    Name(String),
    /// Two tasks of one name.
    #[error("`{name}` is named on line {line} already; give each a `name` of its own")]
    TwiceNamed {
        /// The name.
        name: String,
        /// The line of the first one.
        line: usize,
    },
    /// One name for many repositories.
    #[error("`{0}` matches many repositories, which cannot share the name `{1}`")]
    NamedPattern(String, String),
    /// A local branch would be deleted with the clone.
    #[error(
        "`emit = branch` sets a branch in a folder's own repository; for an address use `pr` or `bundle`"
    )]
    BranchOfClone,
    /// A change in place would be deleted with the clone.
    #[error(
        "`emit = worktree` changes a folder in place; for an address use `patch`, `pr` or `bundle`"
    )]
    WorktreeOfClone,
    /// Not a branch's name.
    #[error("`{0}` is not the name of a branch")]
    Branch(String),
    /// A branch of a folder that is worked on as it is.
    #[error("`branch` is for addresses; a folder is worked on as it is checked out")]
    BranchOfFolder,
}
