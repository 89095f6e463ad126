//! New files that a program may run without being asked: found by their form, since no list of such programs is complete.

use std::sync::LazyLock;

use serde::Deserialize;

use super::suspicious_place::SuspiciousPlace;
use crate::rules::read_pattern;
use papayu_base::text::Pattern;
use papayu_lang::{ChangedText, Family, PathClass};

/// The forms, with what is no such file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FormTable {
    #[serde(deserialize_with = "read_pattern")]
    command_key: Pattern,
    #[serde(deserialize_with = "read_pattern")]
    agent_head: Pattern,
    data_endings: Vec<String>,
    documents: Vec<String>,
    document_endings: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for tests and readers"))]
    example: Vec<[String; 4]>,
}

/// `None` if the table is wrong, which the examples of the rules exclude.
static FORMS: LazyLock<Option<FormTable>> =
    LazyLock::new(|| toml::from_str(include_str!("new_files.toml")).ok());

/// Returns the new files that have the form of a program or of a description of commands, and those at the root that nothing in
/// the change names.
pub(super) fn find_new_files(changes: &[ChangedText<'_>]) -> Vec<SuspiciousPlace> {
    let Some(forms) = FORMS.as_ref() else { return Vec::new() };
    let new = changes.iter().filter(|it| it.before.is_empty() && !it.after.is_empty());
    let judged = new.filter_map(|it| {
        let name = NewName::of(it.path);
        let found = judge_form(it, &name, forms).map(|(line, why)| ("new_commands", line, why));
        let (rule, line, why) = found.or_else(|| {
            let why = judge_name(it, &name, changes, forms)?;
            Some(("new_name", 1, why))
        })?;
        let message = format!("adds a file that {why}");
        Some(SuspiciousPlace::new(rule, it.path, line, message))
    });
    judged.collect()
}

/// The name of a new file in lower case.
struct NewName {
    name: String,
    /// Empty without one.
    ending: String,
    is_at_root: bool,
}

impl NewName {
    fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_owned();
        Self { name, ending, is_at_root: !path.contains('/') }
    }

    /// Returns `true` for a text or picture for people.
    fn is_document(&self, table: &FormTable) -> bool {
        let is_named = |word: &String| {
            let rest = self.name.strip_prefix(word.as_str());
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        table.document_endings.contains(&self.ending)
            || !Family::of_path(&self.name).is_code() && table.documents.iter().any(is_named)
    }

    /// Returns `true` for a name such as `Jakefile`, `conanfile.py` or `dune`: tools find what they run by it.
    fn is_of_a_tool(&self, table: &FormTable) -> bool {
        let stem = self.name.split('.').next().unwrap_or_default();
        let is_file = stem.len() > 5 && stem.ends_with("file") && !stem.contains(['_', '-']);
        let is_code = Family::of_path(&self.name).is_code();
        self.ending.is_empty() && !self.is_document(table) || is_file && self.is_at_root && is_code
    }
}

/// Returns the line and the form of a new file that a program may run; `None` for any other file.
fn judge_form(
    change: &ChangedText<'_>,
    name: &NewName,
    forms: &FormTable,
) -> Option<(usize, &'static str)> {
    let text = change.after;
    if is_of_tests(change) {
        return None;
    }
    if is_program(text) {
        return Some((1, "is a program which a shell starts by its name"));
    }
    if matches!(name.ending.as_str(), "md" | "mdx" | "mdc") && forms.agent_head.is_match(text) {
        return Some((1, "has the head of instructions for a coding agent"));
    }
    let is_data = name.ending.is_empty() || forms.data_endings.contains(&name.ending);
    let key = forms.command_key.find(text).filter(|_| is_data && !name.is_document(forms));
    key.map(|key| {
        let line = text.get(..key.start()).unwrap_or_default().matches('\n').count() + 1;
        (line, "has keys for commands")
    })
}

/// Returns the reason to look at a new file for its name and place; `None` for any other file.
fn judge_name(
    change: &ChangedText<'_>,
    name: &NewName,
    changes: &[ChangedText<'_>],
    forms: &FormTable,
) -> Option<&'static str> {
    if name.is_of_a_tool(forms) && !is_of_tests(change) {
        return Some("has a name by which tools find what they run");
    }
    is_unnamed(change, name, changes, forms).then_some("is at the root, and nothing names it")
}

/// Returns `true` for a file of tests, or of what they read, below a folder of theirs.
fn is_of_tests(change: &ChangedText<'_>) -> bool {
    let class = PathClass::of_file(change.path, change.after);
    change.path.contains('/') && matches!(class, PathClass::Test | PathClass::TestSupport)
}

/// Returns `true` for a text that names its interpreter. `#![…]` is an attribute of Rust.
fn is_program(text: &str) -> bool {
    let rest = text.trim_start_matches('\u{feff}').strip_prefix("#!");
    rest.is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('/'))
}

/// Returns `true` for a file at the root that is neither code nor a document, and that no other file of the change names.
fn is_unnamed(
    change: &ChangedText<'_>,
    name: &NewName,
    changes: &[ChangedText<'_>],
    forms: &FormTable,
) -> bool {
    let is_named = |it: &ChangedText<'_>| {
        it.path != change.path && it.after.to_lowercase().contains(&name.name)
    };
    name.is_at_root
        && !Family::of_path(change.path).is_code()
        // Known settings have rules of their own.
        && PathClass::of_path(change.path) != PathClass::Configuration
        && !name.is_document(forms)
        && !changes.iter().any(is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_files_are_told_by_their_form() {
        let table = FORMS.as_ref().unwrap();
        assert!(table.command_key.is_valid() && table.agent_head.is_valid());
        for [path, before, after, words] in &table.example {
            for ending in ["\n", "\r\n"] {
                let (before, after) = (before.replace('\n', ending), after.replace('\n', ending));
                let found = find_new_files(&[ChangedText { path, before: &before, after: &after }]);
                let said = found.first().map_or("", |it| it.message.as_str());
                let is_right =
                    if words.is_empty() { said.is_empty() } else { said.starts_with(words) };
                assert!(is_right, "{path}: {after:?} wanted {words:?}, got {said:?}");
            }
        }
    }

    #[test]
    fn a_file_that_the_change_names_is_no_stranger() {
        let data = ChangedText { path: "words.lst", before: "", after: "a\n" };
        let code =
            ChangedText { path: "a.py", before: "x = 1\n", after: "x = open('words.lst')\n" };
        assert_eq!(find_new_files(&[data]).len(), 1);
        assert_eq!(find_new_files(&[data, code]), []);
    }
}
