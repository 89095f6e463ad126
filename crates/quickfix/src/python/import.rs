//! Writes the import of a module or name where the file has its others.

use std::ops::Range;

use super::super::findings::TextEdit;
use super::super::known_names::{KnownImport, KnownNames};
use super::super::line_index::LineIndex;
use super::statement::{PythonImport, head};
use papayu_base::domain::RepoPath;
use papayu_base::text::is_word_char;
use papayu_lang::is_python_standard;

/// The import to add.
pub(super) enum WantedImport {
    /// A module, whole.
    Module(String),
    /// A name of a module of the repository.
    Name {
        /// As the file spells it.
        module: String,
        /// The name.
        name: String,
    },
}

/// Returns the edit that takes it.
pub(super) fn add_import(path: &RepoPath, source: &LineIndex, wanted: &WantedImport) -> TextEdit {
    let known = head(source);
    let (range, text) = match wanted {
        WantedImport::Module(name) => {
            let line = format!("import {name}");
            let is_standard = is_python_standard(top(name));
            let place = if is_standard { place_standard(&known, name) } else { place_own(&known) };
            placed(source, place, &line)
        }
        WantedImport::Name { module, name } => {
            let same = known.iter().find(|it| it.is_from && it.module == *module);
            same.and_then(|statement| extended(source, statement, name)).unwrap_or_else(|| {
                let line = format!("from {module} import {name}");
                placed(source, place_own(&known), &line)
            })
        }
    };
    TextEdit { path: path.clone(), range, text }
}

/// The place of a new statement among the existing ones.
#[derive(Clone, Copy)]
enum StatementPosition {
    Before(u32),
    /// With a blank line between.
    ApartBefore(u32),
    After(u32),
    /// With a blank line between.
    ApartAfter(u32),
    Alone,
}

/// Before the plain import that follows in the order of letters, else behind the last of them.
fn place_standard(known: &[PythonImport], name: &str) -> StatementPosition {
    let is_standard = |it: &&PythonImport| is_python_standard(top(&it.module));
    let mut plain = known.iter().filter(|it| !it.is_from).filter(is_standard);
    if let Some(next) = plain.clone().find(|it| it.module.as_str() > name) {
        return StatementPosition::Before(next.first);
    }
    if let Some(last) = plain.next_back() {
        return StatementPosition::After(last.last);
    }
    match known.iter().find(|it| it.module != "__future__") {
        Some(first) if is_standard(&first) => StatementPosition::Before(first.first),
        Some(first) => StatementPosition::ApartBefore(first.first),
        None => known
            .last()
            .map_or(StatementPosition::Alone, |last| StatementPosition::ApartAfter(last.last)),
    }
}

/// Returns the place for an import of the project's own: the last of the three groups of PEP 8.
fn place_own(known: &[PythonImport]) -> StatementPosition {
    match known.last() {
        Some(last) if is_python_standard(top(&last.module)) => {
            StatementPosition::ApartAfter(last.last)
        }
        Some(last) => StatementPosition::After(last.last),
        None => StatementPosition::Alone,
    }
}

/// Returns the package of a dotted path, which decides its group.
pub(super) fn top(module: &str) -> &str {
    module.split('.').next().unwrap_or(module)
}

/// Returns the range and text of an import line at its place, with the blank lines that separate
/// groups.
fn placed(source: &LineIndex, place: StatementPosition, line: &str) -> (Range<usize>, String) {
    let end = source.line_ending();
    let start = |number: u32| source.line_start(number);
    let tail = |number: u32| start(number) + source.line_text(number).len();
    let (at, text) = match place {
        StatementPosition::Before(number) => (start(number), format!("{line}{end}")),
        StatementPosition::ApartBefore(number) => (start(number), format!("{line}{end}{end}")),
        StatementPosition::After(number) => (tail(number), format!("{end}{line}")),
        StatementPosition::ApartAfter(number) => (tail(number), format!("{end}{end}{line}")),
        StatementPosition::Alone => {
            let is_code = |number: &u32| {
                source.word_at(start(*number)).is_some()
                    || source.line_text(*number).starts_with('@')
            };
            // Strings are no code here, so a docstring stays above the import.
            let first = (1..=source.line_count()).find(is_code).unwrap_or(source.line_count());
            let text = source.line_text(first);
            let is_block = ["def ", "class ", "async ", "@"].iter().any(|it| text.starts_with(it));
            // Two blank lines surround a definition at the top of a file (PEP 8).
            let gap = if is_block { end.repeat(2) } else { end.to_owned() };
            (start(first), format!("{line}{end}{gap}"))
        }
    };
    (at..at, text)
}

/// Adds a name to a statement: in order if the others are in order, else last; `None` for a statement of
/// several lines without parentheses.
fn extended(
    source: &LineIndex,
    statement: &PythonImport,
    name: &str,
) -> Option<(Range<usize>, String)> {
    let words = source.words_in(&statement.names);
    if words.iter().any(|(_, word)| *word == "as") || words.is_empty() {
        return None;
    }
    let (first, _) = words.first()?;
    let many_lines = source.line_number(first.start) != statement.first;
    let body = source.text.get(statement.names.clone())?;
    if statement.first != statement.last && !body.contains('(') {
        return None;
    }
    let line = source.line(source.line_number(first.start))?;
    let indent = source.text.get(line.start..first.start).unwrap_or_default();
    let gap = if many_lines { format!("{}{indent}", source.line_ending()) } else { " ".to_owned() };
    if words.is_sorted_by_key(|(_, word)| *word)
        && let Some((next, _)) = words.iter().find(|(_, word)| *word > name)
    {
        return Some((next.start..next.start, format!("{name},{gap}")));
    }
    let (last, _) = words.last()?;
    Some((last.end..last.end, format!(",{gap}{name}")))
}

/// Returns the path of a module without its ending; that of a package is its folder.
pub(super) fn module_path(path: &str) -> Option<&str> {
    let bare = path.strip_suffix(".py")?;
    Some(bare.strip_suffix("/__init__").unwrap_or(bare))
}

/// Returns the module name that a file uses for a file of the repository: as other files do, relative if the
/// file uses relative imports, else from the folder of its packages.
pub(super) fn dotted(
    lookup: &KnownNames<'_>,
    files: &[String],
    from: &RepoPath,
    target: &str,
) -> Option<String> {
    let bare = module_path(target)?;
    let stem = bare.rsplit('/').next().unwrap_or(bare);
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(it, _)| it.to_owned());
    let own = lookup.imports(from.as_str());
    let is_sibling = folder(from.as_str()) == folder(bare);
    if is_sibling && own.iter().any(|it| it.module.starts_with('.')) {
        return Some(format!(".{stem}"));
    }
    let others = lookup.importers(target);
    let has_init = |folder: &str| {
        let init = format!("{folder}/__init__.py");
        files.binary_search(&init).is_ok()
    };
    let mut root = folder(bare);
    while !root.is_empty() && has_init(&root) {
        root = folder(&root);
    }
    // In a package the bare name is what does not work.
    let is_spelling = |it: &&KnownImport| {
        it.targets.iter().any(|path| path == target)
            && !it.module.starts_with('.')
            && it.module.rsplit('.').next() == Some(stem)
            && (it.module.contains('.') || root == folder(bare))
    };
    if let Some(spelt) = own.iter().chain(&others).find(is_spelling) {
        return Some(spelt.module.clone());
    }
    if is_sibling && root == folder(bare) {
        return Some(stem.to_owned());
    }
    // Without packages only a source root that everybody knows is taken off.
    let root = if root == folder(bare) { "src".to_owned() } else { root };
    let below = bare.strip_prefix(&format!("{root}/")).unwrap_or(bare);
    let is_name = |part: &str| !part.is_empty() && part.chars().all(is_word_char);
    below.split('/').all(is_name).then(|| below.replace('/', "."))
}
