//! `papayu-batch doctor --export` and `--import`: the user's settings as a file.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::{Call, CliError, runtime};
use crate::fix::{FixError, text};
use crate::settings::{self, SettingsSources, export_settings};
use papayu_base::domain::{ExitCode, RepoPath};
use papayu_system::os::OsDisk;
use papayu_system::{Disk as _, Entry, replace_file};

/// Permission bits of the user's own settings file.
const OWN_MODE: u32 = 0o600;

/// Writes the settings that the user changed, as TOML.
///
/// Fails with [`CliError::FileExists`] if the file exists and `force` is not set, and with [`FixError::Write`].
pub(super) fn export(call: &Call, path: &Path, force: bool) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    let exported = export_settings(&session.settings)
        .map_err(|error| FixError::Provider(format!("the settings cannot be written: {error}")))?;
    write(path, &exported, force)?;
    print_written(path, call)
}

/// Checks a settings file and makes it the user's own.
///
/// Fails with [`FixError::Read`] or [`FixError::Settings`] if the file cannot be read or has an invalid value,
/// with [`CliError::NoUserFolder`] if the environment names no folder, with [`CliError::FileExists`] without
/// `force`, and with [`FixError::Write`]. The old settings are unchanged then.
pub(super) fn import(call: &Call, path: &Path, force: bool) -> Result<ExitCode, CliError> {
    let content = text(&OsDisk, path)?;
    // The file alone: a wrong value in it must not be hidden by a stronger source.
    let sources = SettingsSources { user: Some((path, &content)), ..SettingsSources::default() };
    settings::load(sources).map_err(FixError::Settings)?;
    let place = runtime::session_place(call, Vec::new());
    let own: PathBuf = settings::user_file(&place.environment).ok_or(CliError::NoUserFolder)?;
    write_own(&own, &content, force)?;
    print_written(&own, call)
}

/// Writes the user's own file. It may have keys, so no other user may read it.
fn write_own(path: &Path, content: &str, force: bool) -> Result<(), CliError> {
    check_free(path, force)?;
    let written = replace_own(path, content.as_bytes());
    Ok(written.map_err(|source| FixError::Write { path: path.to_owned(), source })?)
}

/// Replaces a file, and removes the rights of other users to it.
fn replace_own(path: &Path, content: &[u8]) -> io::Result<()> {
    let (folder, name) = path.parent().zip(path.file_name()).ok_or(ErrorKind::InvalidInput)?;
    let name = RepoPath::parse(&name.to_string_lossy()).map_err(io::Error::other)?;
    OsDisk.make_folder(folder)?;
    let tree = OsDisk.open_tree(folder)?;
    let mode = match tree.entry(&name)? {
        Entry::File { mode, .. } => mode & OWN_MODE,
        // The file that the link names is changed, and the link stays.
        Entry::Link { .. } => return OsDisk.write(path, content),
        _ => OWN_MODE,
    };
    replace_file(tree.as_ref(), &name, content, mode)
}

/// Refuses to overwrite a file without `force`.
fn check_free(path: &Path, force: bool) -> Result<(), CliError> {
    if !force && OsDisk.open(path).is_ok() {
        return Err(CliError::FileExists { path: path.to_owned() });
    }
    Ok(())
}

/// Writes a file that does not exist, or any with `force`.
fn write(path: &Path, content: &str, force: bool) -> Result<(), CliError> {
    check_free(path, force)?;
    let written = OsDisk.write(path, content.as_bytes());
    Ok(written.map_err(|source| FixError::Write { path: path.to_owned(), source })?)
}

fn print_written(path: &Path, call: &Call) -> Result<ExitCode, CliError> {
    let text = format!("wrote {}\n", path.display());
    call.print_result(&text, &json!({ "written": path }))?;
    Ok(ExitCode::Ok)
}
