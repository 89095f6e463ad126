//! The import graph of the source files, computed from `use` declarations and paths.
#![expect(clippy::string_slice, reason = "positions come from searches in the same text")]

use std::collections::{BTreeMap, BTreeSet};

use super::Source;

/// The files that each file uses, by path.
pub(super) type Edges = BTreeMap<String, BTreeSet<String>>;

/// A source file as a module.
struct Module {
    file: String,
    /// The file without comments, string contents and tests.
    code: String,
    /// The path that each imported name means.
    imports: BTreeMap<String, Vec<String>>,
}

/// The modules of a crate by their path, `edit` for `crates/patch/src/edit/mod.rs`.
struct Modules(BTreeMap<Vec<String>, Module>);

/// Returns the import graph. Re-exports are followed to the file that defines an item, and a re-export
/// of a child module is no edge.
///
/// `folder` is the folder of the crate's root.
pub(super) fn import_graph(folder: &str, files: &[Source]) -> Edges {
    let mut modules = Modules(BTreeMap::new());
    for file in files {
        let (shipped, _) = file.split();
        if file.path == "src/main.rs" || shipped.is_empty() {
            continue;
        }
        let path = module_path(file.path.strip_prefix(folder).unwrap());
        let code = strip_text(&shipped.join("\n"));
        let module = Module { file: file.path.clone(), code, imports: BTreeMap::new() };
        modules.0.insert(path, module);
    }
    let paths: Vec<Vec<String>> = modules.0.keys().cloned().collect();
    let mut references = Vec::new();
    for path in &paths {
        let found = modules.references_of(path);
        if let Some(module) = modules.0.get_mut(path) {
            for reference in found.iter().filter(|reference| reference.imported) {
                if let Some(name) = reference.path.last() {
                    module.imports.insert(name.clone(), reference.path.clone());
                }
            }
        }
        references.push(found);
    }
    let mut edges = Edges::new();
    for (path, references) in paths.iter().zip(references) {
        let from = &modules.0[path].file;
        for reference in references {
            let child = reference.path.starts_with(path) && reference.path.len() > path.len();
            if reference.exported && child {
                continue;
            }
            let to = modules.file_of(&reference.path, 0);
            if to != *from {
                edges.entry(from.clone()).or_default().insert(to);
            }
        }
    }
    edges
}

/// Returns the groups of files that use each other.
pub(super) fn find_cycles(edges: &Edges) -> Vec<String> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        edges.keys().map(|file| (file, reachable(edges, file))).collect();
    let mut cycles = BTreeSet::new();
    for (file, targets) in &reached {
        let group: Vec<&str> = targets
            .iter()
            .filter(|target| reached.get(**target).is_some_and(|back| back.contains(file)))
            .map(|target| target.as_str())
            .collect();
        if group.len() > 1 {
            cycles.insert(group.join(" "));
        }
    }
    cycles.into_iter().collect()
}

fn reachable<'e>(edges: &'e Edges, from: &String) -> BTreeSet<&'e String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&String> = edges.get(from).into_iter().flatten().collect();
    while let Some(file) = open.pop() {
        if found.insert(file) {
            open.extend(edges.get(file).into_iter().flatten());
        }
    }
    found
}

/// Returns `[edit, find]` for `/edit/find.rs`, a path below the folder of the crate's root.
fn module_path(file: &str) -> Vec<String> {
    let path = file.trim_start_matches('/').trim_end_matches(".rs").trim_end_matches("/mod");
    if path == "lib" { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

/// A path in the code, from the root of the crate.
struct Reference {
    path: Vec<String>,
    imported: bool,
    exported: bool,
}

impl Modules {
    fn references_of(&self, module: &[String]) -> Vec<Reference> {
        let code = &self.0[module].code;
        let mut found = Vec::new();
        for (at, word) in words(code) {
            let rest = &code[at..];
            let declared = word == "use" && rest.starts_with("use ");
            let tree = if declared { rest[4..].trim_start() } else { rest };
            let first: String = tree.chars().take_while(|c| is_word(*c)).collect();
            let relative = ["crate", "super", "self"].contains(&first.as_str());
            let line = code[..at].rsplit(['\n', ';', '{', '}']).next().unwrap_or_default();
            // A path inside a `use` declaration was read with the declaration.
            if !declared
                && (!relative || line.contains("use ") || !tree[first.len()..].starts_with("::"))
            {
                continue;
            }
            let mut child = module.to_vec();
            child.push(first);
            if declared && !relative && !self.0.contains_key(&child) {
                continue;
            }
            let mut paths = Vec::new();
            expand_tree(tree, &[], &mut paths);
            for path in paths {
                let path = absolute_path(module, &path);
                let exported = declared && line.trim_start().starts_with("pub");
                found.push(Reference { path, imported: declared, exported });
            }
        }
        found
    }

    /// Returns the file that defines the item of a path.
    fn file_of(&self, path: &[String], depth: usize) -> String {
        let known = (0..=path.len()).rev().find(|len| self.0.contains_key(&path[..*len]));
        let known = known.unwrap_or(0);
        let module = &self.0[&path[..known]];
        let import = path.get(known).and_then(|name| module.imports.get(name));
        match import {
            Some(import) if depth < 8 && import != path => self.file_of(import, depth + 1),
            _ => module.file.clone(),
        }
    }
}

/// Returns a path from the root of the crate for a path written in a module.
fn absolute_path(module: &[String], path: &[String]) -> Vec<String> {
    let mut base = module.to_vec();
    let mut rest = path;
    while let Some((first, tail)) = rest.split_first() {
        match first.as_str() {
            "crate" => base.clear(),
            "super" => drop(base.pop()),
            "self" => {}
            _ => break,
        }
        rest = tail;
    }
    base.extend(rest.iter().filter(|part| *part != "self" && *part != "*").cloned());
    base
}

/// Appends every path of a use tree such as `a::{b, c::d}`; returns the rest of the text.
fn expand_tree<'t>(text: &'t str, prefix: &[String], out: &mut Vec<Vec<String>>) -> &'t str {
    let mut path = prefix.to_vec();
    let mut rest = text.trim_start();
    loop {
        if let Some(mut group) = rest.strip_prefix('{') {
            loop {
                group = group.trim_start().trim_start_matches(',').trim_start();
                if group.is_empty() || group.starts_with('}') {
                    return group.get(1..).unwrap_or_default();
                }
                let after = expand_tree(group, &path, out);
                // Skips `as name`, and any text that is no path.
                group = &after[after.find([',', '}']).unwrap_or(after.len())..];
            }
        }
        let end = rest.find(|c| !is_word(c) && c != '*').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if !name.is_empty() {
            path.push(name.to_owned());
        }
        match after.strip_prefix("::") {
            Some(after) if !name.is_empty() => rest = after,
            _ => {
                out.push(path);
                return after;
            }
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns every word with its position.
fn words(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in code.char_indices().chain([(code.len(), ' ')]) {
        match (start, is_word(c)) {
            (None, true) => start = Some(at),
            (Some(begin), false) => {
                found.push((begin, &code[begin..at]));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Removes comments and the contents of strings.
fn strip_text(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if let Some(skip) =
            ["'\"'", "'\\\"'", "'\\''"].iter().find(|c| rest.starts_with(**c))
        {
            rest = &rest[skip.len()..];
        } else if rest.starts_with("r#\"") {
            rest = rest[3..].split_once("\"#").map_or("", |(_, after)| after);
        } else if c == '"' {
            rest = skip_string(&rest[1..]);
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn skip_string(text: &str) -> &str {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}
