//! The notes of a repository: read before a run, and one more written after a proved fix.

use super::error::FixError;
use super::remembered::{make_data_folder, save_remembered};
use super::repository_texts::open_data_folder;
use super::run_context::{RunContext, open_git};
use super::runtime::Runtime;
use super::session::Session;
use crate::engine::Finished;
use papayu_base::domain::{Event, EventName};
use papayu_forge::git::Remote;
use papayu_index::notes::{FixFacts, Note, NoteBook, NoteDraft, NoteStore, distill_fix};

/// Returns the notes that a request may have; a file that cannot be read is a notice.
pub(super) fn load_notes(context: RunContext<'_>) -> NoteBook {
    let RunContext { session, runtime, events } = context;
    if !session.settings.notes_enabled.value {
        return NoteBook::default();
    }
    read_notes(session, runtime).unwrap_or_else(|error| {
        let text = format!("the notes are not used: {error}");
        events.emit(Event::new(EventName::Notice).with("text", text));
        NoteBook::default()
    })
}

/// Returns the notes of the repository that have not expired; none without a data folder.
///
/// Fails with [`FixError::Notes`] if the file cannot be read.
pub(crate) fn read_notes(session: &Session, runtime: &Runtime) -> Result<NoteBook, FixError> {
    let Some(data) = open_data_folder(session) else { return Ok(NoteBook::default()) };
    let store = NoteStore::new(data.as_ref(), &find_identity(session, runtime))?;
    Ok(NoteBook::new(store.read()?, &runtime.system().clock.timestamp()))
}

/// Changes the notes of the repository and returns the result of the change.
///
/// Fails with [`FixError::NoDataFolder`] if the environment names none, with [`FixError::Write`] if it cannot
/// be created, and with [`FixError::Notes`] if the file cannot be locked, read or replaced; the notes are
/// unchanged then.
pub(crate) fn change_notes<T>(
    session: &Session,
    runtime: &Runtime,
    change: impl FnOnce(&mut Vec<Note>) -> T,
) -> Result<T, FixError> {
    let data = make_data_folder(session)?;
    let store = NoteStore::new(data.as_ref(), &find_identity(session, runtime))?;
    Ok(store.change(runtime.system().clock, change)?)
}

/// Adds a note of the repository, and returns it as it was saved; `None` for a draft without words. Secrets are masked.
///
/// Fails as [`change_notes`] does.
pub(crate) fn add_note(
    session: &Session,
    runtime: &Runtime,
    draft: NoteDraft<'_>,
) -> Result<Option<Note>, FixError> {
    let now = runtime.system().clock.timestamp();
    let note = Note::new(draft, &now, &runtime.masker);
    note.map(|note| save_note(session, runtime, note)).transpose()
}

/// Distills the note of a fix and saves it; `None` for a run that gives none.
///
/// Fails as [`change_notes`] does.
pub(crate) fn add_fix(
    session: &Session,
    runtime: &Runtime,
    facts: FixFacts<'_>,
) -> Result<Option<Note>, FixError> {
    let now = runtime.system().clock.timestamp();
    let note = distill_fix(facts, &now, &runtime.masker);
    note.map(|note| save_note(session, runtime, note)).transpose()
}

/// Saves a note in the user's data folder, which is created if it is missing.
fn save_note(session: &Session, runtime: &Runtime, note: Note) -> Result<Note, FixError> {
    let data = make_data_folder(session)?;
    let store = NoteStore::new(data.as_ref(), &find_identity(session, runtime))?;
    store.add(runtime.system().clock, note.clone())?;
    Ok(note)
}

/// Saves what later runs use: what replies asked to remember, and a note on a proved fix.
pub(super) fn keep_for_later(context: RunContext<'_>, finished: &mut Finished) {
    save_remembered(context, finished);
    note_fix(context, finished);
}

/// Leaves a note on a proved fix; that it cannot is a notice.
fn note_fix(context: RunContext<'_>, finished: &Finished) {
    let RunContext { session, runtime, events } = context;
    let settings = &session.settings;
    if !settings.notes_enabled.value {
        return;
    }
    let patch = String::from_utf8_lossy(&finished.patch);
    let (outcome, summary) = (&finished.outcome, finished.summary.as_str());
    let ttl_days = settings.notes_ttl_days.value;
    let facts = FixFacts { outcome, summary, patch: &patch, ttl_days };
    if let Err(error) = add_fix(session, runtime, facts) {
        let text = format!("no note is left on the fix: {error}");
        events.emit(Event::new(EventName::Notice).with("text", text));
    }
}

/// Returns the name under which the notes of the repository are kept: the address of its remote without credentials, so
/// that clones share them, else its folder.
fn find_identity(session: &Session, runtime: &Runtime) -> String {
    let name = session.remote_name();
    let remote = open_git(session, runtime).ok().and_then(|git| {
        let remote = Remote::find_remote(&git, name).ok()?;
        // Projects in one repository have notes of their own.
        Some(format!("{} {}", remote.address(), git.prefix()))
    });
    remote.unwrap_or_else(|| session.tree.root().display().to_string())
}
