//! Where a name is used: every line that bears it, and whether it is known to mean the one asked for.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use memchr::memmem::Finder;
use serde::Serialize;

use super::code::FileId;
use super::facts::FileFacts;
use super::language::Language;
use super::links::Links;
use super::queries::definition;

/// The most characters of a line that are shown.
const MAX_SHOWN: usize = 200;

/// What a line does with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Defines it.
    Definition,
    /// Takes it from, or gives it to, another file.
    Import,
    /// Anything else.
    Use,
}

/// A line that bears a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reference {
    /// Its file.
    pub path: String,
    /// Its number.
    pub line: u32,
    /// What it does with the name.
    pub role: Role,
    /// Whether the file's imports lead to the definition; else it bears the same name, as a member
    /// does, and may mean another.
    pub certain: bool,
    /// The line, blanks around it taken off, cut to a readable length.
    pub text: String,
}

/// Returns the lines of code files that bear a name as a whole word, by path and line; empty when it
/// is not defined anywhere. `text` reads a file.
pub fn references(
    links: &Links<'_>,
    name: &str,
    text: &mut dyn FnMut(&str) -> Option<String>,
) -> Vec<Reference> {
    let index = links.index();
    let defined: HashSet<(&str, u32)> =
        definition(index, name).iter().map(|found| (found.path, found.line)).collect();
    let word = name.rsplit(['.', ':', '#', '\\']).next().unwrap_or(name);
    if defined.is_empty() || word.is_empty() {
        return Vec::new();
    }
    let finder = Finder::new(word);
    let mut found = Vec::new();
    for (file, id) in index.files().iter().zip((0..).map(FileId)) {
        let Some(facts) = file.facts().filter(|facts| is_code(facts.language)) else {
            continue;
        };
        let Some(text) = text(&file.path).filter(|text| finder.find(text.as_bytes()).is_some())
        else {
            continue;
        };
        let leads = leads(links, id, word, &defined);
        for (line, number) in text.lines().zip(1..) {
            if !has_word(line, word, &finder) {
                continue;
            }
            let is_here = defined.contains(&(file.path.as_str(), number));
            let role = if is_here { Role::Definition } else { role(facts, word, number) };
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

fn is_code(language: Language) -> bool {
    !matches!(language, Language::Json | Language::Yaml)
}

fn leads(links: &Links<'_>, file: FileId, word: &str, defined: &HashSet<(&str, u32)>) -> bool {
    let places = links.follow(file, word);
    places.iter().any(|(id, at)| {
        links.index().file(*id).is_some_and(|target| {
            let symbols =
                target.facts().into_iter().filter_map(|facts| facts.symbols.get(*at as usize));
            let mut lines = symbols.map(|symbol| symbol.line);
            lines.any(|line| defined.contains(&(target.path.as_str(), line)))
        })
    })
}

fn role(facts: &FileFacts, word: &str, line: u32) -> Role {
    let takes = facts
        .imports
        .iter()
        .any(|import| import.names.iter().any(|taken| &*taken.name == word) && import.line == line);
    let gives = facts.exports.iter().any(|export| &*export.name == word && export.line == line);
    let defines = facts.symbols.iter().any(|symbol| &*symbol.name == word && symbol.line == line);
    match (defines, takes || gives) {
        (true, _) => Role::Definition,
        (false, true) => Role::Import,
        (false, false) => Role::Use,
    }
}

/// Tells whether a line has the word with no letter, digit or underscore beside it.
fn has_word(line: &str, word: &str, finder: &Finder<'_>) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    finder.find_iter(line.as_bytes()).any(|at| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(in_word) && !after.is_some_and(in_word)
    })
}
