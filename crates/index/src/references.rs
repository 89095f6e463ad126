//! The uses of a name: every line that contains it, and whether it certainly means the same
//! definition.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::code::FileId;
use super::facts::FileFacts;
use super::imports::ResolvedImports;
use super::queries::find_definitions;
use papayu_base::text::has_word;
use papayu_lang::Language;

/// Maximum number of characters shown of a line.
const MAX_SHOWN: usize = 200;

/// The role of a name on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NameRole {
    /// The line defines the name.
    Definition,
    /// The line imports or exports the name.
    Import,
    /// Any other use.
    Use,
}

/// A line that contains a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reference {
    /// Its file.
    pub path: String,
    /// 1-based line number.
    pub line: u32,
    /// The role of the name on this line.
    pub role: NameRole,
    /// True if the imports of the file resolve to the definition. Otherwise only the name is the
    /// same, as for members, and it may mean another definition.
    pub certain: bool,
    /// The line, trimmed and shortened.
    pub text: String,
}

/// Returns the lines of code files that contain a name as a whole word, sorted by path and line.
///
/// The result is empty if the name is not defined anywhere. `text` reads a file by path, and may return `None` for
/// a file without the last part of the name.
pub fn find_references(
    links: &ResolvedImports<'_>,
    name: &str,
    text: &mut dyn FnMut(&str) -> Option<String>,
) -> Vec<Reference> {
    let index = links.index();
    let defined: HashSet<(&str, u32)> =
        find_definitions(index, name).iter().map(|found| (found.path, found.line)).collect();
    let word = find_last_name(name);
    if defined.is_empty() || word.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for id in index.find_named(&[word], usize::MAX).files {
        let Some(file) = index.file(id) else { continue };
        if !file.language().is_some_and(is_code) {
            continue;
        }
        let Some(text) = text(&file.path).filter(|text| text.contains(word)) else {
            continue;
        };
        let Some(facts) = file.facts() else { continue };
        // Once for each file: a name means the same in all of a file.
        let leads = leads_to(links, id, word, &defined);
        for (line, number) in text.lines().zip(1..) {
            if !has_word(line, word) {
                continue;
            }
            let is_here = defined.contains(&(file.path.as_str(), number));
            let role = if is_here { NameRole::Definition } else { line_role(facts, word, number) };
            found.push(Reference {
                path: file.path.clone(),
                line: number,
                role,
                certain: is_here || leads,
                text: line.trim().chars().take(MAX_SHOWN).collect(),
            });
        }
    }
    found
}

/// Returns `method` of `Class.method`: uses of a member need not contain more.
pub fn find_last_name(name: &str) -> &str {
    name.rsplit(['.', ':', '#', '\\']).next().unwrap_or(name)
}

fn is_code(language: Language) -> bool {
    !matches!(language, Language::Json | Language::Yaml)
}

fn leads_to(
    links: &ResolvedImports<'_>,
    file: FileId,
    word: &str,
    defined: &HashSet<(&str, u32)>,
) -> bool {
    let places = links.follow(file, word);
    places.iter().any(|(id, at)| {
        links.index().file(*id).is_some_and(|target| {
            let symbol = links.index().symbol(*id, *at);
            symbol.is_some_and(|symbol| defined.contains(&(target.path.as_str(), symbol.line)))
        })
    })
}

fn line_role(facts: &FileFacts, word: &str, line: u32) -> NameRole {
    let takes = facts
        .imports
        .iter()
        .any(|import| import.names.iter().any(|taken| &*taken.name == word) && import.line == line);
    let gives = facts.exports.iter().any(|export| &*export.name == word && export.line == line);
    let defines = facts.symbols.iter().any(|symbol| &*symbol.name == word && symbol.line == line);
    match (defines, takes || gives) {
        (true, _) => NameRole::Definition,
        (false, true) => NameRole::Import,
        (false, false) => NameRole::Use,
    }
}
