//! `papayu-batch notes`: notes on earlier failures listed, added, pinned, deleted, made of a run.

use serde_json::json;

use super::stored_runs::pick_run;
use crate::cli::args::{NotesArgs, NotesCommand, PickRunArgs};
use crate::cli::{Call, CliError, Session, runtime};
use crate::fix::noted::{add_fix, add_note, change_notes, read_notes};
use crate::fix::runtime::Runtime;
use papayu_base::domain::ExitCode;
use papayu_index::notes::{FixFacts, Note, NoteDraft, NoteOrigin};

/// Lists, shows, adds, pins, deletes or distills notes of the repository, as the arguments name it.
///
/// Fails with [`CliError::NotOneNote`] if an id is not that of one note, [`CliError::EmptyNote`] for a note
/// without words, [`CliError::NothingToDistill`] for a run without a proved fix, and as [`read_notes`] and
/// [`change_notes`] do. Nothing is changed then.
pub(crate) fn run_notes(call: &Call, args: &NotesArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    let outside = runtime::open_runtime(&session)?;
    match &args.command {
        NotesCommand::List => {
            let book = read_notes(&session, &outside)?;
            let lines: Vec<String> = book.notes().iter().map(describe).collect();
            call.print_result(&lines.join("\n"), &json!(book.notes()))?;
        }
        NotesCommand::Show { id } => {
            let book = read_notes(&session, &outside)?;
            let note = find_note(book.notes(), id)?;
            call.print_result(&format!("{}\n{}", describe(note), note.text), note)?;
        }
        NotesCommand::Add { text, ttl } => {
            let ttl_days = ttl.unwrap_or(session.settings.notes_ttl_days.value);
            let (title, text) = text.trim().split_once('\n').unwrap_or((text, ""));
            let draft = NoteDraft { origin: NoteOrigin::User, identity: "", title, text, ttl_days };
            let note = add_note(&session, &outside, draft)?.ok_or(CliError::EmptyNote)?;
            call.print_result(&describe(&note), &note)?;
        }
        NotesCommand::Pin { id } => set_pin(&session, &outside, id, true, call)?,
        NotesCommand::Unpin { id } => set_pin(&session, &outside, id, false, call)?,
        NotesCommand::Delete { ids } => delete_notes(&session, &outside, ids, call)?,
        NotesCommand::Distill(pick) => distill_run(&session, &outside, pick, call)?,
    }
    Ok(ExitCode::Ok)
}

/// Returns a note in one line.
fn describe(note: &Note) -> String {
    let day = note.expires.split('T').next().unwrap_or_default();
    let end = if note.pinned { "pinned".to_owned() } else { format!("until {day}") };
    format!("{}  {:8}  {:16}  {}", note.id, note.origin.name(), end, note.title)
}

/// Returns the one note with an id that begins so.
fn find_note<'n>(notes: &'n [Note], id: &str) -> Result<&'n Note, CliError> {
    // An empty id, such as an unset variable, must not select the only note.
    let found: Vec<&Note> =
        notes.iter().filter(|note| !id.is_empty() && note.id.starts_with(id)).collect();
    match found.as_slice() {
        [note] => Ok(note),
        _ => Err(CliError::NotOneNote { id: id.to_owned(), count: found.len() }),
    }
}

fn set_pin(
    session: &Session,
    outside: &Runtime,
    id: &str,
    pinned: bool,
    call: &Call,
) -> Result<(), CliError> {
    let book = read_notes(session, outside)?;
    let wanted = find_note(book.notes(), id)?;
    change_notes(session, outside, |notes| {
        for note in notes.iter_mut().filter(|note| note.id == wanted.id) {
            note.pinned = pinned;
        }
    })?;
    let note = Note { pinned, ..wanted.clone() };
    call.print_result(&describe(&note), &note)
}

fn delete_notes(
    session: &Session,
    outside: &Runtime,
    ids: &[String],
    call: &Call,
) -> Result<(), CliError> {
    let book = read_notes(session, outside)?;
    // All are found before the first one is deleted.
    let found = ids.iter().map(|id| find_note(book.notes(), id).map(|note| note.id.as_str()));
    let found = found.collect::<Result<Vec<&str>, CliError>>()?;
    change_notes(session, outside, |notes| {
        notes.retain(|note| !found.contains(&note.id.as_str()));
    })?;
    let lines: Vec<String> = found.iter().map(|id| format!("deleted {id}")).collect();
    call.print_result(&lines.join("\n"), &json!({ "deleted": found }))
}

fn distill_run(
    session: &Session,
    outside: &Runtime,
    pick: &PickRunArgs,
    call: &Call,
) -> Result<(), CliError> {
    let run = pick_run(session, pick)?;
    let ttl_days = session.settings.notes_ttl_days.value;
    // The author's summary is not among a run's results.
    let facts = FixFacts { outcome: &run.outcome, summary: "", patch: &run.patch, ttl_days };
    let none = || CliError::NothingToDistill(run.outcome.run_id.as_str().to_owned());
    let note = add_fix(session, outside, facts)?.ok_or_else(none)?;
    call.print_result(&describe(&note), &note)
}
