//! The packet by which a change is judged: the command and its output before, the failing test, the change, and the code
//! that it leaves. It has nothing of the reasoning behind the change.

use super::change_state::ChangeState;
use super::engine_inputs::EngineInputs;
use super::failure_places::place_in_repository;
use super::judged_code::{find_definition, find_names, show_blocks};
use super::known_failure::KnownFailure;
use super::review::tests_of;
use papayu_base::domain::{Failure, RepoPath};
use papayu_base::text::encoding;
use papayu_base::text::line_diff::changed_lines;
use papayu_lang::{Family, Language};
use papayu_logs::failure::list_failures;
use papayu_patch::preview::Change;
use papayu_patch::prompts::{JudgedPart, judge_message};
use papayu_patch::render::render_shown;
use papayu_vet::VettedChange;

/// Largest file that is read for the packet, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Most files of tests in the packet.
const MAX_TESTS: usize = 3;

/// Most files that are searched for the name of a changed data file.
const MAX_SEARCHED: usize = 2_000;

/// Most places in the packet that read a changed data file, and most of documents.
const MAX_PLACES: usize = 4;

/// Shorter names of definitions are words of any document.
const MIN_NAME: usize = 4;

/// Returns the packet of the change that a run has vetted last, masked; empty without one.
pub(super) fn write_packet(
    inputs: &EngineInputs<'_>,
    failure: &KnownFailure,
    changes: &ChangeState<'_>,
) -> String {
    let Some(change) = &changes.vetted else { return String::new() };
    let mut report = failure.original().clone();
    place_in_repository(&mut report, &inputs.world);
    let part = |title, share, text: String| JudgedPart {
        title,
        share,
        text: inputs.world.masker.mask(&text.replace(&inputs.root_prefix(), "")).into_owned(),
    };
    let output = format!("{}\n{}", list_failures(&report), report.excerpt);
    let (code, data) = (list_changed_code(change), list_changed_data(change));
    judge_message(&[
        part("COMMAND", 300, inputs.command_name().to_owned()),
        part("OUTPUT BEFORE THE CHANGE", 1_300, output.trim_start().to_owned()),
        part("FAILING TEST", 1_500, show_tests(inputs, change, &report.failures)),
        part("CHANGE", 2_300, render_shown(change.whole())),
        part("CHANGED CODE AFTERWARDS", 1_300, show_changed_code(&code)),
        part("READERS OF CHANGED DATA", 500, show_readers(inputs, change, &data)),
        part("DOCUMENTS ABOUT IT", 500, show_documents(inputs, change, &code, &data)),
    ])
}

/// Returns the failing tests as they were: by the places in the output, else by their names, else the tests and scripts
/// of the command.
fn show_tests(inputs: &EngineInputs<'_>, change: &VettedChange, failures: &[Failure]) -> String {
    let mut shown: Vec<(RepoPath, Vec<u32>)> = Vec::new();
    for failure in failures {
        let places = failure.locations.iter().filter_map(|place| {
            let path = RepoPath::parse(&place.path).ok()?;
            let is_test = papayu_vet::is_test(&path)
                || failure.test.is_some()
                    && Language::of_path(path.as_str()) == Some(Language::Rust);
            place.line.filter(|_| is_test).map(|line| (path, line))
        });
        for (path, line) in places {
            match shown.iter_mut().find(|(known, _)| *known == path) {
                Some((_, lines)) => lines.push(line),
                None => shown.push((path, vec![line])),
            }
        }
    }
    if shown.is_empty() {
        let command = inputs.task.check.as_ref().map_or("", |check| check.command.as_str());
        let named = shlex::split(command).unwrap_or_default();
        let scripts =
            named.iter().filter_map(|word| RepoPath::parse(word.trim_start_matches("./")).ok());
        let tests = tests_of(inputs, change).into_iter().chain(scripts);
        for path in tests {
            let Some(text) = read_before(inputs, change, &path) else { continue };
            let names =
                failures.iter().filter_map(|failure| Some(last_name(failure.test.as_ref()?)));
            let lines = names.filter_map(|name| find_definition(path.as_str(), &text, name));
            let lines: Vec<u32> = lines.collect();
            if shown.iter().all(|(known, _)| *known != path) {
                shown.push((path, lines));
            }
        }
        // A file with the test comes before one that only has a fitting name.
        shown.sort_by_key(|(_, lines)| lines.is_empty());
    }
    let texts = shown.iter().take(MAX_TESTS).filter_map(|(path, lines)| {
        Some(show_blocks(path.as_str(), &read_before(inputs, change, path)?, lines))
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the name of a test without those of its file and class: `tests/a.py::A::test_b[1]` → `test_b`.
fn last_name(test: &str) -> &str {
    let name = test.split(['[', '(']).next().unwrap_or(test).trim_end();
    name.rsplit([':', '.', '#', '>', '/']).next().unwrap_or(name).trim()
}

/// Returns a file as it was before the change; `None` if it cannot be read as text.
fn read_before(
    inputs: &EngineInputs<'_>,
    change: &VettedChange,
    path: &RepoPath,
) -> Option<String> {
    let changed = change.whole().changes().iter().find(|it| it.path() == path);
    let bytes = match changed {
        Some(Change::WriteFile { before, .. } | Change::RemoveFile { before, .. }) => {
            before.clone()
        }
        Some(_) => return None,
        None => inputs.world.tree.read(path, MAX_BYTES).ok()?,
    };
    let text = encoding::shown(&bytes).into_owned();
    let is_hidden = papayu_vet::is_hidden(path) || papayu_vet::holds_credentials(path, &text);
    (!is_hidden).then_some(text)
}

/// A changed file of code: its path, its text with the change, and the lines that the change touches, from 1.
struct ChangedCode<'a> {
    path: &'a RepoPath,
    text: String,
    lines: Vec<u32>,
}

/// Returns the files of code that the change writes.
fn list_changed_code(change: &VettedChange) -> Vec<ChangedCode<'_>> {
    let mut changed = Vec::new();
    for file in change.whole().changes() {
        let (path, before, after) = match file {
            Change::WriteFile { path, before, after } => (path, before.as_slice(), after),
            Change::CreateFile { path, after } => (path, &[][..], after),
            _ => continue,
        };
        if !Family::of_path(path.as_str()).is_code() {
            continue;
        }
        let lines = changed_lines(before, after).into_iter().flat_map(|run| {
            // After a deletion there is no new line, so the next one shows the place.
            run.after.start..run.after.end.max(run.after.start + 1)
        });
        let lines = lines.filter_map(|line| u32::try_from(line + 1).ok()).collect();
        changed.push(ChangedCode { path, text: encoding::shown(after).into_owned(), lines });
    }
    changed
}

/// Returns the definitions of code that the change touches, as they are with it.
fn show_changed_code(code: &[ChangedCode<'_>]) -> String {
    let shown = code.iter().map(|it| show_blocks(it.path.as_str(), &it.text, &it.lines));
    shown.collect::<Vec<_>>().join("\n")
}

/// Returns the names of the changed files of data.
fn list_changed_data(change: &VettedChange) -> Vec<&str> {
    let changed = change.whole().changes().iter().map(Change::path);
    changed
        .filter(|path| !Family::of_path(path.as_str()).is_code())
        .map(RepoPath::file_name)
        .collect()
}

/// Returns the places of code that name a changed file of data.
fn show_readers(inputs: &EngineInputs<'_>, change: &VettedChange, data: &[&str]) -> String {
    let is_code = |path: &str| Family::of_path(path).is_code();
    show_naming(inputs, change, is_code, data)
}

/// Returns the places of documents that name a changed definition or file of data: what is right may be written there.
fn show_documents(
    inputs: &EngineInputs<'_>,
    change: &VettedChange,
    code: &[ChangedCode<'_>],
    data: &[&str],
) -> String {
    let names: Vec<String> = code
        .iter()
        .flat_map(|it| find_names(it.path.as_str(), &it.text, &it.lines))
        .filter(|name| name.len() >= MIN_NAME)
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(data.iter().copied()).collect();
    let is_document = |path: &str| {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        ["md", "rst", "adoc", "txt"].contains(&ending) && !path.starts_with("tests/")
    };
    show_naming(inputs, change, is_document, &names)
}

/// Returns the places of files of a kind that have one of these words, the first of each file.
fn show_naming(
    inputs: &EngineInputs<'_>,
    change: &VettedChange,
    is_wanted: fn(&str) -> bool,
    words: &[&str],
) -> String {
    if words.is_empty() {
        return String::new();
    }
    let files = inputs.world.survey.files().iter().filter(|path| is_wanted(path));
    let mut shown = Vec::new();
    for path in files.take(MAX_SEARCHED) {
        let Some(text) =
            RepoPath::parse(path).ok().and_then(|path| read_before(inputs, change, &path))
        else {
            continue;
        };
        let at = text.lines().position(|line| words.iter().any(|word| line.contains(word)));
        let Some(line) = at.and_then(|at| u32::try_from(at + 1).ok()) else { continue };
        shown.push(show_blocks(path, &text, &[line]));
        if shown.len() == MAX_PLACES {
            break;
        }
    }
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::last_name;

    #[test]
    fn the_last_part_of_a_name_is_that_of_the_test() {
        for (test, name) in [
            ("tests/test_a.py::TestA::test_b[1-2]", "test_b"),
            ("cart::tests::adds_up", "adds_up"),
            ("test_a (tests.test_a.A)", "test_a"),
            ("com.shop.CartTest#total", "total"),
            ("TestTotal/empty", "empty"),
        ] {
            assert_eq!(last_name(test), name);
        }
    }
}
