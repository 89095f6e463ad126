//! Writes `outcome.json`, the patches, `plan.json`, `log.txt` and `judge-packet.md` into the result folder.

use std::io;
use std::path::{Path, PathBuf};

use papayu_base::domain::{Outcome, RepoPath};
use papayu_base::text::{Masked, Masker};
use papayu_system::Disk;

/// The file with the packet by which the change of a run can be judged.
pub const JUDGE_PACKET: &str = "judge-packet.md";

/// The files of a finished run.
/// Fields that are empty lead to no file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Results<'a> {
    /// The change as a git patch; empty when there is none.
    pub patch: &'a [u8],
    /// The changes that fixed a part of the failures, as a git patch; empty when there are none.
    pub partial: &'a [u8],
    /// The last change that was refused or did not help, as a git patch.
    pub refused: Option<&'a Masked<String>>,
    /// The packet by which the change can be judged; empty when there is none.
    pub judge_packet: Option<&'a Masked<String>>,
    /// The plan file's text, when a plan was asked for.
    /// Masked already: a plan quotes the repository and the model.
    pub plan: Option<&'a Masked<String>>,
    /// The failure's excerpt; empty when nothing failed.
    pub log: Option<&'a Masked<String>>,
}

/// A result file that could not be written.
#[derive(Debug, thiserror::Error)]
/// The message names the file as it was given, relative or absolute.
#[error("cannot write `{}`: {source}", path.display())]
pub struct ResultError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// Removes the change of an earlier run from the folder, which would otherwise be taken for this
/// run's.
/// An earlier folder `bundle` is deleted only if it has a `manifest.json`, which is the sign of
/// a bundle that this program wrote.
///
/// # Errors
///
/// The file system's error, with the folder in it. A file that is not there is no error.
pub fn remove_earlier_change(disk: &dyn Disk, out: &Path) -> Result<(), ResultError> {
    let fault = |source| ResultError { path: out.to_owned(), source };
    let bundle = out.join("bundle");
    // A folder named `bundle` without a manifest belongs to someone else.
    if disk.is_file(&bundle.join("manifest.json")) {
        disk.delete_folder(&bundle).map_err(fault)?;
    }
    for name in ["papayu.patch", "partial.patch", "refused.patch", JUDGE_PACKET] {
        let patch = RepoPath::parse(name).map_err(|it| fault(io::Error::other(it)))?;
        // Removed through an opened folder: a symbolic link with this name is not followed.
        match disk.open_tree(out).and_then(|tree| tree.remove_file(&patch)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fault(error)),
            _ => {}
        }
    }
    Ok(())
}

/// Writes the files that have content, masks the outcome and fills in their paths in it.
///
/// `outcome.json` is written last: when it exists, the other files are complete.
///
/// # Errors
///
/// [`ResultError`] with the first file that could not be written. The files before it remain, `outcome.json`
/// does not exist or is an earlier one.
pub fn write_results(
    disk: &dyn Disk,
    out: &Path,
    outcome: &mut Outcome,
    results: &Results<'_>,
    masker: &Masker,
) -> Result<(), ResultError> {
    // Masked as a whole: reasons and notices quote logs and replies.
    let masked = masker.masked_value(outcome);
    *outcome = masked.map_err(|error| fault_of(out, error))?.into_inner();
    if !results.patch.is_empty() {
        outcome.patch_path = Some(write_file(disk, out, "papayu.patch", results.patch)?);
    }
    if !results.partial.is_empty() {
        let path = write_file(disk, out, "partial.patch", results.partial)?;
        outcome.partial_patch_path = Some(path);
    }
    if let Some(refused) = results.refused.filter(|refused| !refused.is_empty()) {
        let path = write_file(disk, out, "refused.patch", refused.as_bytes())?;
        outcome.refused_patch_path = Some(path);
    }
    if let Some(packet) = results.judge_packet.filter(|packet| !packet.is_empty()) {
        write_file(disk, out, JUDGE_PACKET, packet.as_bytes())?;
    }
    if let Some(plan) = results.plan {
        outcome.plan_path = Some(write_file(disk, out, "plan.json", plan.as_bytes())?);
    }
    // A log of no characters would look like a command that printed nothing.
    if let Some(log) = results.log.filter(|log| !log.is_empty()) {
        write_file(disk, out, "log.txt", log.as_bytes())?;
    }
    // The outcome names the paths written above, so it comes last.
    let mut text = serde_json::to_string_pretty(outcome).map_err(|error| fault_of(out, error))?;
    text.push('\n');
    write_file(disk, out, "outcome.json", text.as_bytes()).map(drop)
}

/// Returns the error of an outcome that cannot be encoded.
fn fault_of(out: &Path, error: serde_json::Error) -> ResultError {
    ResultError { path: out.join("outcome.json"), source: error.into() }
}

/// Writes one file of the folder and returns its path for `outcome.json`.
/// The path in `outcome.json` is as the user named the folder, relative or absolute.
fn write_file(
    disk: &dyn Disk,
    out: &Path,
    name: &str,
    bytes: &[u8],
) -> Result<String, ResultError> {
    let path = out.join(name);
    let shown = path.to_string_lossy().into_owned();
    disk.write(&path, bytes).map_err(|source| ResultError { path, source })?;
    Ok(shown)
}
