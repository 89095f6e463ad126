//! The store of `store.url`, in which machines share facts of files and outcomes of runs.

use super::error::FixError;
use super::request::FixReport;
use super::run_context::RunContext;
use papayu_base::domain::{Event, EventName, Outcome};
use papayu_base::text::{is_invisible, mask_texts};
use papayu_forge::git::Remote;
use papayu_system::cache::SharedStore;

/// Most runs that are read from the store.
const MAX_RUNS: usize = 1000;

/// The runs of a repository in the store.
#[derive(Debug, Default)]
pub(crate) struct SharedRuns {
    /// The oldest first.
    pub(crate) outcomes: Vec<Outcome>,
    /// Items that are no outcome of a run.
    pub(crate) skipped: usize,
}

/// Returns the store of the settings; `None` without one. Nothing is opened yet.
pub(crate) fn open_store(context: RunContext<'_>) -> Option<Box<dyn SharedStore + '_>> {
    connect(context).unwrap_or_else(|reason| {
        let text = format!("the shared store is not used: {reason}");
        context.events.emit(Event::new(EventName::Notice).with("text", text));
        None
    })
}

/// Appends the outcome of a run to those of its repository, if there is a store.
pub(super) fn append_run(context: RunContext<'_>, report: &FixReport) {
    // An outcome that was written is masked.
    if report.outcome_written
        && let Some(store) = open_store(context)
        && let Ok(text) = serde_json::to_string(&report.outcome)
        && let Some(list) = find_runs_key(context)
    {
        store.append(&list, &text);
    }
}

/// Returns the latest runs of this repository on all machines.
///
/// # Errors
///
/// There is no store, it cannot be read, or the repository has no remote.
pub(crate) fn read_runs(context: RunContext<'_>) -> Result<SharedRuns, FixError> {
    let store = connect(context).map_err(FixError::SharedStore)?.ok_or(FixError::NoSharedStore)?;
    let list = find_runs_key(context).ok_or_else(|| {
        FixError::SharedStore("the repository has no remote, by which its runs are found".into())
    })?;
    let mut runs = SharedRuns::default();
    for item in store.read_list(&list, MAX_RUNS).map_err(FixError::SharedStore)? {
        match decode_outcome(&item) {
            Some(outcome) => runs.outcomes.push(outcome),
            None => runs.skipped += 1,
        }
    }
    // They are appended at their ends.
    runs.outcomes.sort_by(|one, two| one.started_at.cmp(&two.started_at));
    Ok(runs)
}

/// Returns the outcome of an item; `None` if it is none.
fn decode_outcome(item: &[u8]) -> Option<Outcome> {
    let mut value = serde_json::from_slice(item).ok()?;
    // Others may have written it, and it is printed on terminals.
    let is_shown = |c: &char| !(c.is_control() || is_invisible(*c)) || matches!(c, '\n' | '\t');
    mask_texts(&mut value, &|text| text.chars().filter(is_shown).collect());
    serde_json::from_value(value).ok()
}

/// Returns the key of a repository's runs, which its clones have in common; `None` without a remote.
fn find_runs_key(context: RunContext<'_>) -> Option<String> {
    let git = context.open_git().ok()?;
    let name = context.session.remote_name();
    let place = Remote::find_remote(&git, name).ok()?.place();
    Some(format!("papayu:runs:{}/{}", place.host, place.path))
}

/// Returns the store of the settings; an error for a wrong address.
#[cfg(feature = "redis")]
fn connect(context: RunContext<'_>) -> Result<Option<Box<dyn SharedStore + '_>>, String> {
    use std::time::Duration;

    use secrecy::ExposeSecret as _;

    use papayu_system::os::RedisStore;

    let settings = &context.session.settings;
    let Some(url) = settings.store_url.value.as_ref() else { return Ok(None) };
    let expiry = Duration::from_hours(24 * settings.store_expire_days.value);
    let clock = context.runtime.system().clock;
    match RedisStore::new(url.expose_secret(), expiry, clock, context.events) {
        Ok(store) => Ok(Some(Box::new(store))),
        Err(fault) => Err(fault.to_string()),
    }
}

/// Returns `None`: a session with the setting is not opened by this program.
#[cfg(not(feature = "redis"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature an address can be wrong")]
fn connect(_context: RunContext<'_>) -> Result<Option<Box<dyn SharedStore + '_>>, String> {
    Ok(None)
}
