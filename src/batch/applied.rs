//! Applies the fixes of a batch to the folders that they were made for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::error::BatchError;
use super::report::{ShardSummaries, read_shards};
use super::row::TaskRow;
use super::select::NamePatterns;
use super::session::{BatchSession, absolute_path};
use papayu_base::domain::OutcomeKind;
use papayu_system::{CommandSpec, Disk as _, End};

/// The name of a task's patch in its folder of results.
const PATCH: &str = "papayu.patch";

/// Time limit of one call of git.
const LIMIT: Duration = Duration::from_mins(5);

/// The result for one fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AppliedFix {
    /// The name of the task.
    pub task: String,
    /// The folder of the repository.
    pub folder: PathBuf,
    /// The result in one word.
    pub result: ApplyResult,
    /// The error of git; empty without one.
    pub error: String,
}

/// The result of applying a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ApplyResult {
    /// The files are changed.
    Applied,
    /// The files have the change already.
    Present,
    /// The files are as they were.
    Failed,
}

impl ApplyResult {
    /// Returns the result in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Present => "applied before",
            Self::Failed => "not applied",
        }
    }
}

/// The result of applying a batch.
#[derive(Debug)]
pub struct AppliedBatch {
    /// The result of each fix.
    pub fixes: Vec<AppliedFix>,
    /// The folders of shards that have not ended.
    pub unfinished: Vec<PathBuf>,
}

/// Applies the patch of each fix that was made for a folder, with git, all files of a patch or none. A fix that is in the
/// files already is left alone, so that a call can be repeated.
///
/// # Errors
///
/// [`BatchError::Fix`] if a summary cannot be read, [`BatchError::Merge`] if the folders are not of one batch,
/// [`BatchError::NotEnded`] if none of them has ended, [`BatchError::Select`] for a pattern that is wrong or that no name
/// fits, and [`BatchError::NoPatch`] if there is no fix for a folder.
pub fn apply_batch(
    batch: &BatchSession,
    folders: &[PathBuf],
    names: &[String],
) -> Result<AppliedBatch, BatchError> {
    let ShardSummaries { summary, folder_of, unfinished } = read_shards(batch, folders, None)?;
    let patterns = NamePatterns::compile(names)?;
    patterns.check_any(summary.tasks.iter().map(|row| &row.name))?;
    let mut done = Vec::new();
    for row in &summary.tasks {
        let is_fix = row.outcome == OutcomeKind::Fixed && patterns.matches(&row.name);
        let (true, Some(folder), Some(shard)) = (is_fix, &row.folder, folder_of.get(&row.name))
        else {
            continue;
        };
        done.push(apply_fix(batch, row, Path::new(folder), Path::new(shard))?);
    }
    if done.is_empty() {
        return Err(BatchError::NoPatch { folder: folders.first().cloned().unwrap_or_default() });
    }
    Ok(AppliedBatch { fixes: done, unfinished })
}

/// Applies the patch of one task.
fn apply_fix(
    batch: &BatchSession,
    row: &TaskRow,
    folder: &Path,
    shard: &Path,
) -> Result<AppliedFix, BatchError> {
    let patch = absolute_path(&shard.join(&row.name).join(PATCH))?;
    let (result, error) = match git_apply(batch, folder, &patch, &[]) {
        Ok(()) => (ApplyResult::Applied, String::new()),
        // A patch that can be taken back is in the files.
        Err(_) if git_apply(batch, folder, &patch, &["--reverse", "--check"]).is_ok() => {
            (ApplyResult::Present, String::new())
        }
        Err(error) => (ApplyResult::Failed, error),
    };
    Ok(AppliedFix { task: row.name.clone(), folder: folder.to_owned(), result, error })
}

/// Calls `git apply` in a folder, and returns what it prints where it fails.
fn git_apply(
    batch: &BatchSession,
    folder: &Path,
    patch: &Path,
    options: &[&str],
) -> Result<(), String> {
    if !batch.session.disk.is_file(patch) {
        return Err(format!("there is no `{}`", patch.display()));
    }
    // The paths of a patch begin at the folder, which may be below the top of a repository: no repository above it is found.
    let above = folder.parent().unwrap_or(folder).display().to_string();
    let words = ["git", "apply", "--whitespace=nowarn"].iter().chain(options);
    let argv = words.map(|word| (*word).to_owned()).chain([patch.display().to_string()]);
    let spec = CommandSpec {
        argv: argv.collect(),
        cwd: folder.to_owned(),
        env: vec![("GIT_CEILING_DIRECTORIES".to_owned(), above)],
        keep_env: Vec::new(),
        timeout: LIMIT,
        max_output: 1 << 20,
        confinement: None,
    };
    let mut output = Vec::new();
    let ended = batch.outside.system().process.run(&spec, &mut |bytes| output.extend(bytes));
    match ended {
        Ok(End::Code(0)) => Ok(()),
        Ok(_) => Err(String::from_utf8_lossy(&output).trim().to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
