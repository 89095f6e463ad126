//! Adds the parts of their heads to definitions. They are read from the files of an answer, not from the index,
//! which would be larger and slower to build with them.

use std::collections::HashMap;

use super::declaration::Declaration;
use super::language;
use super::queries::Definition;
use papayu_lang::Language;

/// Most files that are parsed for one answer.
pub const MAX_FILES: usize = 20;

/// A definition within its file: its line, its name, and its signature, in which overloads on one line differ.
type DefinitionKey = (u32, Box<str>, Box<str>);

/// Sets the declarations of definitions in the first [`MAX_FILES`] files. `read` returns the text of a file.
///
/// Rows of further files keep no declaration: parsing them would make one answer too slow.
pub fn add_declarations(rows: &mut [Definition<'_>], read: &mut dyn FnMut(&str) -> Option<String>) {
    let mut files: HashMap<&str, HashMap<DefinitionKey, Declaration>> = HashMap::new();
    for row in rows {
        let path = row.path;
        if !files.contains_key(path) {
            if files.len() == MAX_FILES {
                continue;
            }
            files.insert(path, read_file(path, read));
        }
        let key = (row.line, row.name.into(), row.signature.into());
        row.declaration = files.get(path).and_then(|declared| declared.get(&key)).cloned();
    }
}

/// Returns the declarations of a file, without those that have no part.
fn read_file(
    path: &str,
    read: &mut dyn FnMut(&str) -> Option<String>,
) -> HashMap<DefinitionKey, Declaration> {
    let text = Language::of_path(path).and_then(|language| Some((language, read(path)?)));
    let declared = text.map(|(language, text)| language::read_declarations(language, &text));
    let declared = declared.into_iter().flatten();
    declared
        .filter(|one| one.declaration != Declaration::default())
        .map(|one| ((one.symbol.line, one.symbol.name, one.symbol.signature), one.declaration))
        .collect()
}
