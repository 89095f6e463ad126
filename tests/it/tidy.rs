//! The rules of this repository that no lint checks: sizes, names, layers and language.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

mod graph;
mod layers;
mod type_names;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::project_path;

/// The most lines of a file without its tests.
const MAX_LINES: usize = 500;
/// The most lines of a `mod.rs`, with the examples of its documentation.
const MAX_MOD_LINES: usize = 100;
/// `mod.rs` files that define a contract, and may be as long as other files.
const CONTRACTS: [&str; 1] = ["crates/system/src/lib.rs"];
/// The most lines of tests inside a file; longer tests go to `tests.rs`.
const MAX_INLINE_TESTS: usize = 150;

/// Names that do not describe the content of a file.
const BANNED: [&str; 11] = [
    "util", "utils", "helper", "helpers", "common", "types", "misc", "imp", "manager", "service",
    "handler",
];

struct Source {
    /// Relative to the project, `/`-separated.
    path: String,
    text: String,
}

impl Source {
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    /// Returns the lines without tests, and the number of lines of tests.
    fn split(&self) -> (Vec<&str>, usize) {
        let lines: Vec<_> = self.text.lines().collect();
        if self.name() == "tests.rs" || self.path.contains("/tests/") {
            return (Vec::new(), 0);
        }
        let tests = lines.windows(2).position(|pair| {
            pair[0] == "#[cfg(test)]"
                && (pair[1] == "mod tests {" || pair[1].starts_with("#[expect("))
        });
        let end = tests.unwrap_or(lines.len());
        (lines[..end].to_vec(), lines.len() - end)
    }
}

/// Returns the folders of the sources of the root package and of all crates.
fn source_folders() -> Vec<String> {
    let entries = fs::read_dir(project_path("crates")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut folders: Vec<String> = names.map(|name| format!("crates/{name}/src")).collect();
    folders.push("src".to_owned());
    folders.sort();
    folders
}

/// Returns the sources of the root package and of all crates.
fn all_sources() -> Vec<Source> {
    source_folders().iter().flat_map(|folder| sources(folder)).collect()
}

fn sources(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    walk(&project_path(folder), &mut found);
    found.sort();
    let root = project_path("");
    found
        .iter()
        .map(|path| Source {
            path: path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/"),
            text: fs::read_to_string(path).unwrap(),
        })
        .collect()
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns all violations of a rule, so that one run of the test names all of them.
fn violations(files: &[Source], rule: impl Fn(&Source) -> Option<String>) -> Vec<String> {
    files.iter().filter_map(|file| Some(format!("{}: {}", file.path, rule(file)?))).collect()
}

#[test]
fn every_file_begins_with_a_doc_comment() {
    let mut files = all_sources();
    files.extend(sources("tests"));
    let silent = violations(&files, |file| {
        let first = file.text.lines().next().unwrap_or_default();
        (!first.starts_with("//! ")).then(|| format!("begins with `{first}`"))
    });
    assert_eq!(silent, Vec::<String>::new());
}

#[test]
fn files_stay_short_enough_to_read() {
    let files = all_sources();
    let long = violations(&files, |file| {
        let (shipped, tests) = file.split();
        let is_mod = file.name() == "mod.rs" && !CONTRACTS.contains(&file.path.as_str());
        let most = if is_mod { MAX_MOD_LINES } else { MAX_LINES };
        if shipped.len() > most {
            Some(format!("{} lines, at most {most}", shipped.len()))
        } else if tests > MAX_INLINE_TESTS {
            Some(format!(
                "{tests} lines of tests, at most {MAX_INLINE_TESTS}; move them to tests.rs"
            ))
        } else {
            None
        }
    });
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn names_describe_the_content() {
    let banned = violations(&all_sources(), |file| {
        let parts = file.path.trim_end_matches(".rs").split('/');
        let bad = parts.into_iter().find(|part| BANNED.contains(part))?;
        Some(format!("`{bad}` does not describe the content"))
    });
    assert_eq!(banned, Vec::<String>::new());
}

#[test]
fn pure_crates_touch_nothing_outside() {
    let crates = layers::documented_rows("//! | layer | crates |");
    let pure: Vec<Source> =
        crates[0].iter().flat_map(|name| sources(&layers::crate_folder(name))).collect();
    assert!(pure.len() > 100, "{}", pure.len());
    let touching = violations(&pure, |file| {
        let (shipped, _) = file.split();
        let outside =
            ["std::fs", "std::env", "std::net", "std::process", "Instant::now", "SystemTime"];
        let found = outside.iter().find(|name| shipped.iter().any(|line| line.contains(**name)))?;
        Some(format!("names `{found}`"))
    });
    assert_eq!(touching, Vec::<String>::new());
}

#[test]
fn each_cited_section_of_the_protocol_has_a_heading() {
    let page = fs::read_to_string(project_path("docs/protocol.md")).unwrap();
    let cites = violations(&all_sources(), |file| {
        let mut rest = file.text.as_str();
        let mut unknown = Vec::new();
        while let Some((_, after)) = rest.split_once("protocol section ") {
            let number: String = after.chars().take_while(char::is_ascii_digit).collect();
            if !page.contains(&format!("\n## {number}. ")) {
                unknown.push(number);
            }
            rest = after;
        }
        (!unknown.is_empty()).then(|| format!("cites {}", unknown.join(", ")))
    });
    assert_eq!(cites, Vec::<String>::new());
}

#[test]
fn no_test_file_is_forgotten() {
    let main = fs::read_to_string(project_path("tests/it/main.rs")).unwrap();
    let mut forgotten = Vec::new();
    for entry in fs::read_dir(project_path("tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        if module != "main" && !main.lines().any(|line| line == format!("mod {module};")) {
            forgotten.push(name);
        }
    }
    assert_eq!(forgotten, Vec::<String>::new());
}

#[test]
fn nothing_refers_to_what_is_not_in_the_repository() {
    let mut files = all_sources();
    files.extend(sources("tests"));
    let outside = concat!("..", "/shared");
    let referring =
        violations(&files, |file| file.text.contains(outside).then(|| "refers outside".into()));
    assert_eq!(referring, Vec::<String>::new());
}
