//! Finds and reads the results of earlier runs, of this machine and of those that share a store with it.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::cli::args::PickRunArgs;
use crate::cli::loudness::Loudness;
use crate::cli::wording::count_noun;
use crate::cli::{CliError, Session, output, runtime};
use crate::emit::JUDGE_PACKET;
use crate::fix::FixError;
use crate::fix::run::RUNS;
use crate::fix::run_context::RunContext;
use crate::fix::shared_store::read_runs;
use crate::report::RecordedRun;
use papayu_base::domain::{Outcome, RunId};
use papayu_system::Disk as _;

/// The longest file read of a run's results, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Returns the folder of the runs' results.
pub(super) fn runs_folder(session: &Session) -> PathBuf {
    session.top().root().join(RUNS)
}

/// Returns the run that is named, or the newest.
///
/// Fails with [`CliError::NoRuns`] if there is no run, and as [`find_run`] and [`read_run`] do.
pub(super) fn pick_run(session: &Session, pick: &PickRunArgs) -> Result<RecordedRun, CliError> {
    if let Some(name) = &pick.run {
        return read_run(session, &find_run(session, name)?);
    }
    let folder = runs_folder(session);
    read_all(session, &folder)?.pop().ok_or(CliError::NoRuns { folder })
}

/// Returns the newest run that left a plan.
///
/// Fails with [`CliError::NoPlan`] if no run left one.
pub(super) fn newest_plan(session: &Session) -> Result<Outcome, CliError> {
    let folder = runs_folder(session);
    let mut runs = read_all(session, &folder)?;
    runs.retain(|run| run.outcome.plan_path.is_some());
    runs.pop().map(|run| run.outcome).ok_or(CliError::NoPlan { folder })
}

/// Reads every run of a folder, the oldest first. Files that are no outcome are skipped with a
/// warning.
///
/// Fails with [`FixError::Read`] if the folder exists and cannot be listed.
pub(super) fn read_all(session: &Session, folder: &Path) -> Result<Vec<RecordedRun>, CliError> {
    let mut runs = Vec::new();
    for path in list_of(session, folder)? {
        match read_run(session, &path) {
            Ok(run) => runs.push(run),
            Err(error) => output::print_warning(&format!("left out: {error}")),
        }
    }
    // Folder names are random ids, so that only the time gives an order.
    runs.sort_by(|one, two| one.outcome.started_at.cmp(&two.outcome.started_at));
    Ok(runs)
}

/// Reads the latest runs of this repository on all machines, the oldest first. Items of the store that are no outcome are
/// skipped with a warning.
pub(super) fn read_shared(session: &Session) -> Result<Vec<Outcome>, CliError> {
    let outside = runtime::open_runtime(session)?;
    let events = runtime::observe_run(session, &outside.masker, Loudness::Normal);
    let runs = read_runs(RunContext { session, runtime: &outside, events: &events })?;
    if runs.skipped > 0 {
        let items = count_noun(runs.skipped, "item");
        output::print_warning(&format!("left out: {items} of the shared store are no outcomes"));
    }
    Ok(runs.outcomes)
}

/// Returns the run of any machine that is named, or the newest.
pub(super) fn pick_shared(session: &Session, pick: &PickRunArgs) -> Result<Outcome, CliError> {
    let folder = PathBuf::from("the shared store");
    let mut runs = read_shared(session)?;
    let Some(name) = &pick.run else { return runs.pop().ok_or(CliError::NoRuns { folder }) };
    runs.retain(|run| is_named(run.run_id.as_str(), name));
    take_only(runs, name, folder)
}

/// Returns `true` if the id begins with a name. An empty name, such as an unset variable, must not select the only run.
fn is_named(id: &str, name: &str) -> bool {
    !name.is_empty() && id.starts_with(name)
}

/// Returns the only run that was found by a name.
///
/// Fails with [`CliError::NotOneRun`] and the number of matches if there is not one.
fn take_only<T>(mut found: Vec<T>, name: &str, folder: PathBuf) -> Result<T, CliError> {
    let count = found.len();
    let only = found.pop().filter(|_| count == 1);
    only.ok_or_else(|| CliError::NotOneRun { name: name.to_owned(), folder, count })
}

/// Returns the folders of runs, sorted by name.
fn list_of(session: &Session, folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let mut entries = match session.disk.list(folder) {
        // Before the first run there is no folder.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        listed => listed.map_err(|source| FixError::Read { path: folder.to_owned(), source })?,
    };
    entries.retain(|entry| session.disk.is_file(&entry.join("outcome.json")));
    Ok(entries)
}

/// Returns the id of a run from its folder.
pub(super) fn run_id_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the folder of the one run that has this name, or a name that begins so.
///
/// Fails with [`CliError::NotOneRun`] and the number of matches if it is not one; an empty name matches none.
pub(super) fn find_run(session: &Session, wanted: &str) -> Result<PathBuf, CliError> {
    let folder = runs_folder(session);
    let mut found = list_of(session, &folder)?;
    found.retain(|path| is_named(&run_id_of(path), wanted));
    take_only(found, wanted, folder)
}

/// Reads a run from its folder.
///
/// Fails with [`FixError::Read`] if `outcome.json` is missing or no outcome, or the patch cannot be read. A
/// missing patch is an empty text.
pub(super) fn read_run(session: &Session, folder: &Path) -> Result<RecordedRun, CliError> {
    let path = folder.join("outcome.json");
    let wrong = |source| FixError::Read { path: path.clone(), source };
    let text = read_lossy(session, &path).map_err(wrong)?;
    let outcome: Outcome = serde_json::from_str(&text)
        .map_err(|error| wrong(io::Error::new(io::ErrorKind::InvalidData, error)))?;
    let patch = folder.join("papayu.patch");
    let patch =
        if session.disk.is_file(&patch) { text_of(session, &patch)? } else { String::new() };
    Ok(RecordedRun { outcome, patch })
}

/// Returns the change of a run that was refused or did not help; empty if there is none.
pub(super) fn read_refused(session: &Session, run_id: &str) -> Result<String, CliError> {
    let path = runs_folder(session).join(run_id).join("refused.patch");
    if session.disk.is_file(&path) { text_of(session, &path) } else { Ok(String::new()) }
}

/// Returns the packet by which the change of a run can be judged.
///
/// Fails with [`FixError::Read`] if the run left none: no change of it passed a command that had failed.
pub(super) fn read_packet(session: &Session, run: &RunId) -> Result<String, CliError> {
    text_of(session, &runs_folder(session).join(run.as_str()).join(JUDGE_PACKET))
}

fn text_of(session: &Session, path: &Path) -> Result<String, CliError> {
    Ok(read_lossy(session, path)
        .map_err(|source| FixError::Read { path: path.to_owned(), source })?)
}

/// Reads a file; bytes that are no UTF-8 are shown as such.
fn read_lossy(session: &Session, path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    session.disk.open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
