//! `git_commit`: commits changed files on the current branch; it never pushes.

use std::io::ErrorKind;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::TypedAnswer;
use super::error::ToolError;
use super::reading::{MAX_FILE_BYTES, is_shown, parse_path};
use super::tool::{Access, Tool, ToolResult};
use super::workspace::ToolSession;
use papayu_base::domain::RepoPath;
use papayu_forge::git::CommittedFile;
use papayu_system::Entry;

/// The parameters of `git_commit`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GitCommitParams {
    /// The message of the commit.
    #[schemars(length(min = 1))]
    pub message: String,
    /// The files to commit; every changed file if they are left out.
    #[serde(default)]
    pub files: Option<Vec<String>>,
}

/// A new commit.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Commit {
    /// The object name of the commit.
    pub commit: String,
    /// The committed files.
    pub files: Vec<String>,
}

/// The tool `git_commit`.
pub(super) struct GitCommit;

impl Tool for GitCommit {
    type Params = GitCommitParams;
    type Output<'w> = Commit;
    const NAME: &'static str = "git_commit";
    const DESCRIPTION: &'static str =
        "Commits changed files on the current branch. Hooks do not run, and nothing is pushed.";
    const ACCESS: Access = Access::Adds;
    const USES_INDEX: bool = false;

    fn run<'w>(params: GitCommitParams, workspace: &'w ToolSession<'w>) -> ToolResult<Commit> {
        let git = workspace.open_git()?;
        let changed: Vec<RepoPath> = git
            .list_changes(None)?
            // Paths of git are relative to the top of the repository, those of the tool to its
            // folder.
            .iter()
            .filter_map(|row| RepoPath::parse(row.path.strip_prefix(git.prefix())?).ok())
            .filter(|path| is_shown(path.as_str()))
            .collect();
        let wanted = match &params.files {
            None => changed,
            Some(named) => named_files(named, &changed)?,
        };
        if wanted.is_empty() {
            let fault = "no file differs from the last commit".to_owned();
            return Err(ToolError::Parameter { name: "files".to_owned(), fault });
        }
        let read = |path: &RepoPath| read_file(workspace, path);
        let files = wanted.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let message = format!("{}\n", params.message.trim_end());
        let commit = git.commit_files(&files, &message)?.to_string();
        let files: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let text = format!("committed {} files as {commit}", files.len());
        Ok(TypedAnswer::new(Commit { commit, files: files.clone() }, text, files))
    }
}

/// Returns the named files; a folder names the changed files below it.
fn named_files(named: &[String], changed: &[RepoPath]) -> Result<Vec<RepoPath>, ToolError> {
    let mut wanted = Vec::new();
    for name in named {
        let path = parse_path("files", name)?;
        let below = changed.iter().filter(|it| **it == path || it.is_below(&path));
        let before = wanted.len();
        wanted.extend(below.cloned());
        if wanted.len() == before {
            let fault = format!("`{path}` does not differ from the last commit");
            return Err(ToolError::Parameter { name: "files".to_owned(), fault });
        }
    }
    wanted.sort();
    wanted.dedup();
    Ok(wanted)
}

/// Reads a file for the commit; a removed file has no bytes.
fn read_file(workspace: &ToolSession<'_>, path: &RepoPath) -> Result<CommittedFile, ToolError> {
    let fault = |error: std::io::Error| ToolError::Unreadable {
        path: path.to_string(),
        reason: error.to_string(),
    };
    let executable = match workspace.tree.entry(path).map_err(fault)? {
        Entry::File { mode, .. } => mode & 0o111 != 0,
        Entry::Missing => false,
        _ => {
            let reason = "only regular files are committed".to_owned();
            return Err(ToolError::Unreadable { path: path.to_string(), reason });
        }
    };
    let after = match workspace.tree.read(path, MAX_FILE_BYTES) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(fault(error)),
    };
    Ok(CommittedFile { path: path.clone(), after, executable })
}
