//! Maps the path of a built file that is not in the tree to its source.

use super::config::Config;
use super::probe::source_paths;
use crate::code::FileId;
use crate::resolve::paths::{join_name, strip_folder};
use crate::resolve::tree::FileTable;

/// Folders of build output.
const BUILT: [&str; 14] = [
    "dist", "lib", "build", "esm", "cjs", "es", "umd", "out", "types", "typings", "output",
    "commonjs", "module", "modern",
];

/// Folders of sources.
const SOURCE: [&str; 4] = ["src", "source", "lib", ""];

/// Returns the one file a built path of a package comes from: by the config's own folders, else by
/// the usual names; `None` when there are several.
pub(super) fn find_source(
    tree: &FileTable<'_>,
    package: &str,
    config: Option<&Config>,
    path: &str,
) -> Option<FileId> {
    find_by_config(tree, config, path).or_else(|| find_by_names(tree, package, path))
}

/// Returns the source of a built file by `rootDir` and `outDir` of its `tsconfig.json`: `dist/a.js`
/// is `src/a.ts`.
fn find_by_config(tree: &FileTable<'_>, config: Option<&Config>, path: &str) -> Option<FileId> {
    let config = config?;
    let root = config.root_dir.as_deref()?;
    let rest = config.out_dirs.iter().find_map(|out| strip_folder(out, path))?;
    find_written(tree, &join_name(root, rest))
}

/// Returns the source of a built file by the usual names of output folders, where no configuration
/// names them.
fn find_by_names(tree: &FileTable<'_>, package: &str, path: &str) -> Option<FileId> {
    let mut rest = strip_folder(package, path)?;
    let mut built = false;
    while let Some((first, after)) = rest.split_once('/')
        && BUILT.contains(&first)
    {
        (rest, built) = (after, true);
    }
    if !built {
        return None;
    }
    let mut rests = vec![rest];
    // Some builds keep the folder: `dist/src/a.js`.
    rests.extend(rest.strip_prefix("src/"));
    let folders = SOURCE.iter().map(|source| join_name(package, source));
    let folders: Vec<String> =
        folders.map(|folder| folder.trim_end_matches('/').to_owned()).collect();
    let paths = rests.iter().flat_map(|rest| folders.iter().map(move |at| join_name(at, rest)));
    let mut found: Vec<FileId> = paths.filter_map(|path| find_written(tree, &path)).collect();
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

/// Returns the file that is built to this path, one with no ending too.
fn find_written(tree: &FileTable<'_>, path: &str) -> Option<FileId> {
    let own = source_paths(path).into_iter().find_map(|path| tree.file(&path));
    own.or_else(|| super::probe::probe_path(tree, path))
}
