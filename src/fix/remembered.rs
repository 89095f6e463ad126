//! Saves changes of the engineering memory: those of the user, and those of a reply that the user accepts.

use super::error::FixError;
use super::run_context::RunContext;
use super::session::Session;
use crate::apply;
use crate::engine::Finished;
use papayu_base::domain::OutcomeKind;
use papayu_base::domain::event::{Event, EventName};
use papayu_system::memory::{Layer, Memory, MemoryError, MemoryFile};
use papayu_system::{Clock, Disk as _, Tree};

/// Saves what the replies of a run asked to remember; that it cannot is a notice of the outcome.
pub(super) fn save_remembered(context: RunContext<'_>, finished: &mut Finished) {
    let RunContext { session, runtime, events } = context;
    let clock = runtime.system().clock;
    if !matches!(
        finished.outcome.outcome,
        OutcomeKind::Fixed
            | OutcomeKind::Planned
            | OutcomeKind::NothingToFix
            | OutcomeKind::NotFixed
    ) {
        // A reply that broke a rule, or a run that was stopped, changes nothing that lasts.
        return;
    }
    for layer in [Layer::User, Layer::Project] {
        let values = finished.remembered.of_layer(layer);
        if values.is_empty() {
            continue;
        }
        let keys: Vec<String> = values.entries().map(|(key, _)| key.dotted()).collect();
        let saved = change_layer(session, clock, layer, |memory| memory.merge(values));
        let outcome = &mut finished.outcome;
        outcome.notices.push(match saved {
            Ok(()) => {
                let names = keys.join(", ");
                let event = Event::new(EventName::MemorySaved).with("keys", names.clone());
                events.emit(event);
                outcome.memory_saved.extend(keys);
                format!("saved to the engineering memory: {names}")
            }
            Err(error) => format!("not saved to the engineering memory: {error}"),
        });
    }
}

/// Changes the file of a layer, under a lock that also other processes respect. The caller has the lock of the
/// repository.
fn change_layer(
    session: &Session,
    clock: &dyn Clock,
    layer: Layer,
    change: impl FnOnce(&mut Memory),
) -> Result<(), FixError> {
    let changed = match layer {
        Layer::User => {
            let tree = make_data_folder(session)?;
            MemoryFile::of_user(tree.as_ref()).and_then(|file| file.change(clock, change))
        }
        Layer::Project => {
            MemoryFile::of_project(session.top()).and_then(|file| file.change(clock, change))
        }
    };
    changed.map(drop).map_err(FixError::Memory)
}

/// Opens the folder of what the program remembers for the user, and makes it if there is none.
pub(super) fn make_data_folder(session: &Session) -> Result<Box<dyn Tree>, FixError> {
    let folder = session.data_folder().ok_or(FixError::NoDataFolder)?;
    let write = |source| FixError::Write { path: folder.clone(), source };
    session.disk.make_folder(&folder).map_err(write)?;
    session.disk.open_tree(&folder).map_err(write)
}

/// Changes the file of a layer for a command that is no run.
///
/// # Errors
///
/// [`FixError::Memory`] if the file cannot be read or written, or has keys without effect; [`FixError::Apply`]
/// while a run is under way in the repository.
pub(crate) fn change_memory(
    session: &Session,
    clock: &dyn Clock,
    layer: Layer,
    change: impl FnOnce(&mut Memory),
) -> Result<(), FixError> {
    if layer == Layer::User {
        return change_layer(session, clock, layer, change);
    }
    let tree = session.tree.as_ref();
    let lock = apply::lock_repository(tree).map_err(FixError::Apply)?;
    // Else git would list the locks of the folder.
    lock.init_state_dir(tree).map_err(FixError::Apply)?;
    change_layer(session, clock, layer, change)
}

/// Returns the text of a layer's own file and its path, as `memory check` reads it; no text without a file.
///
/// Fails as [`MemoryFile::read_text`] does.
pub(crate) fn read_own_file(
    session: &Session,
    layer: Layer,
) -> Result<Option<(String, String)>, MemoryError> {
    let data = super::repository_texts::open_data_folder(session);
    let file = match (layer, &data) {
        (Layer::User, None) => return Ok(None),
        (Layer::User, Some(folder)) => MemoryFile::of_user(folder.as_ref())?,
        (Layer::Project, _) => MemoryFile::of_project(session.top())?,
    };
    Ok(file.read_text()?.map(|text| (file.shown_path(), text)))
}
