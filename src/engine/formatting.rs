//! Formats the files of a change as the project's formatter does, where the files were formatted before.

use std::collections::BTreeMap;

use super::engine_inputs::EngineInputs;
use super::run::Run;
use papayu_base::domain::RepoPath;
use papayu_base::domain::event::{Event as RunEvent, EventName};
use papayu_patch::{self as patch, Change};

/// Most files of one change that are formatted.
const MAX_FILES: usize = 30;

/// New texts of files by path.
pub(super) type FormattedTexts = BTreeMap<RepoPath, Vec<u8>>;

/// Returns the formatted text of each file of the change that the project's formatter would
/// change. The files are on disk already.
///
/// Actions that a user passed with `apply` are not formatted: the user has decided about every
/// byte.
pub(super) fn format_written(run: &Run<'_>) -> FormattedTexts {
    let mut texts = FormattedTexts::new();
    let is_given = run.attempts.is_given();
    let Some(change) = run.changes.vetted.as_ref().filter(|_| !is_given) else { return texts };
    for change in change.step().changes().iter().take(MAX_FILES) {
        let (Change::CreateFile { path, after } | Change::WriteFile { path, after, .. }) = change
        else {
            continue;
        };
        let text = format_file(run.inputs, path).map(String::into_bytes);
        texts.extend(text.filter(|text| text != after).map(|text| (path.clone(), text)));
    }
    texts
}

/// Replaces files of the change by their formatted texts, once the tree is restored.
///
/// A changed file is formatted only if its old text was formatted already. In any other file
/// the formatter would change lines that the fix does not concern. If the gates refuse the
/// formatted change, the unformatted one is kept.
pub(super) fn accept_formatted(run: &mut Run<'_>, mut texts: FormattedTexts) {
    let Some(change) = run.changes.vetted.clone() else { return };
    for change in change.whole().changes() {
        let Change::WriteFile { path, before, .. } = change else { continue };
        if texts.contains_key(path) {
            // The tree has the old text now: the formatter leaves a formatted file as it is.
            let text = format_file(run.inputs, path);
            if text.is_none_or(|text| text.as_bytes() != before) {
                texts.remove(path);
            }
        }
    }
    if texts.is_empty() {
        return;
    }
    let snapshot = run.inputs.snapshot(&run.dialogue.shown, run.changes.kept.kept());
    if let Ok(change) = papayu_vet::vet_formatted(&change, &texts, &snapshot, &run.policy()) {
        let names: Vec<&str> = texts.keys().map(RepoPath::as_str).collect();
        let text = format!("formatted by the project's formatter: {}", names.join(", "));
        run.inputs.emit_event(RunEvent::new(EventName::Notice).with("text", text));
        run.changes.patch = patch::render::render(change.whole());
        run.changes.vetted = Some(change);
    }
}

/// Returns the formatted text of a file; `None` without a formatter for it or if the formatter
/// fails.
fn format_file(inputs: &EngineInputs<'_>, path: &RepoPath) -> Option<String> {
    // A signal is seen by the next step: a change that is being written is not interrupted.
    inputs.world.formatter?.format(path, inputs.time_left()).ok().flatten()
}
