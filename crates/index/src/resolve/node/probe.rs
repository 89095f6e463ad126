//! Candidate files for a path without its extension, or with the extension it is built to.

use serde_json::Value;

use crate::code::FileId;
use crate::resolve::paths::{join, join_name};
use crate::resolve::tree::FileTable;

/// Suffixes added to a path that names no file, in the order of preference.
const ADDED: [&str; 14] = [
    ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue",
    ".svelte", ".d.mts", ".d.cts",
];

/// Source extensions of each written extension.
const SOURCES: [(&str, &[&str]); 8] = [
    (".d.ts", &[".ts", ".tsx", ".js", ".jsx"]),
    (".d.mts", &[".mts", ".ts", ".mjs"]),
    (".d.cts", &[".cts", ".ts", ".cjs"]),
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
    (".jsx", &[".tsx", ".d.ts"]),
    (".mjs", &[".mts", ".ts", ".d.mts", ".js"]),
    (".cjs", &[".cts", ".ts", ".d.cts", ".js"]),
    (".css", &[".scss", ".sass", ".less"]),
];

/// Returns the path's stem with the endings of what it may be built from, its own ending first.
pub(super) fn source_paths(path: &str) -> Vec<String> {
    for (ending, sources) in SOURCES {
        if let Some(stem) = path.strip_suffix(ending) {
            let own = std::iter::once(path.to_owned());
            return own.chain(sources.iter().map(|source| format!("{stem}{source}"))).collect();
        }
    }
    vec![path.to_owned()]
}

/// Returns the file of a path: itself, its source, with a suffix added, or the index of the folder. `None` if
/// none of them exists.
pub(super) fn probe_path(tree: &FileTable<'_>, path: &str) -> Option<FileId> {
    probe_file(tree, path).or_else(|| probe_folder(tree, path))
}

/// Returns the file of a path that is not a folder: itself, its source, or with a suffix added. `None` if none
/// exists.
pub(super) fn probe_file(tree: &FileTable<'_>, path: &str) -> Option<FileId> {
    if path.is_empty() {
        return None;
    }
    let built = || source_paths(path).into_iter().find_map(|path| tree.file(&path));
    let longer = || ADDED.iter().find_map(|added| tree.file(&format!("{path}{added}")));
    tree.file(path).or_else(built).or_else(longer)
}

/// Returns the file that an import of a folder means: by its `package.json`, else its index file.
fn probe_folder(tree: &FileTable<'_>, path: &str) -> Option<FileId> {
    if !tree.has_folder(path) {
        return None;
    }
    let manifest = tree.index.manifest(&join_name(path, "package.json"));
    let manifest = manifest.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let named = manifest.iter().flat_map(|manifest| {
        ["main", "module", "types"].into_iter().filter_map(|key| manifest[key].as_str())
    });
    let mut named = named.filter_map(|main| join(path, main));
    named.find_map(|main| probe_file(tree, &main)).or_else(|| probe_index(tree, path))
}

/// Returns the index file of a folder. `None` if it has none.
pub(super) fn probe_index(tree: &FileTable<'_>, folder: &str) -> Option<FileId> {
    probe_file(tree, &join_name(folder, "index"))
}
