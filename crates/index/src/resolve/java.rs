//! Java: a package is a folder below a source root, a class the file of its name.

use super::paths::parent;
use super::target::{ImportTarget, ResolveRequest, ResolvedModule};
use super::tree::FileTable;
use crate::code::FileId;
use papayu_lang::Language;

/// The files that declare packages and classes.
const LANGUAGE: Language = Language::Java;

/// The end of their names.
const ENDING: &str = ".java";

/// Folders that precede a package's folder.
const ROOTS: [&str; 4] = ["/java/", "/kotlin/", "/src/", "/source/"];

/// Returns the target of an import: the class's file with the imported member, or all files of the
/// package.
pub(super) fn resolve_import(tree: &FileTable<'_>, request: &ResolveRequest<'_>) -> ResolvedModule {
    let (path, all) = match request.module.strip_suffix(".*") {
        Some(path) => (path, true),
        None => (request.module, request.names.iter().any(|taken| &*taken.name == "*")),
    };
    let segments: Vec<&str> = path.split('.').collect();
    if let Some(found) = find_class(tree, request, &segments) {
        return found;
    }
    // Names may be separate from the package: `a.b` with `C`.
    let classes: Vec<(Box<str>, Vec<FileId>)> = request
        .names
        .iter()
        .filter_map(|taken| {
            let path = [segments.as_slice(), &[&taken.name]].concat();
            Some((taken.name.clone(), find_class(tree, request, &path)?.target.files().to_vec()))
        })
        .collect();
    let mut files: Vec<FileId> = classes.iter().flat_map(|(_, files)| files).copied().collect();
    if all {
        files.extend(package_files(tree, request.from, &segments.join("/")));
    }
    files.sort_unstable();
    files.dedup();
    if !files.is_empty() {
        return ResolvedModule::files(files);
    }
    let is_package = |part: &&str| part.starts_with(|c: char| c.is_lowercase() || c == '_');
    let name: Vec<&str> = segments.iter().copied().take_while(is_package).collect();
    let name = if name.is_empty() { path.to_owned() } else { name.join(".") };
    ResolvedModule::from_target(match segments.first() {
        Some(&("java" | "javax" | "jdk" | "sun")) => ImportTarget::builtin(&name),
        _ => ImportTarget::external(&name),
    })
}

/// Returns the file of the longest beginning of a path that is a class, and the rest of the path.
fn find_class(
    tree: &FileTable<'_>,
    request: &ResolveRequest<'_>,
    segments: &[&str],
) -> Option<ResolvedModule> {
    (1..=segments.len()).rev().take(8).find_map(|length| {
        let (class, rest) = segments.split_at_checked(length)?;
        let files = tree.files_ending(&(class.join("/") + ENDING));
        // A bare name would be found in any folder.
        let files: Vec<FileId> = files
            .into_iter()
            .filter(|id| class.len() > 1 || parent(package_of(tree.path(*id))).is_empty())
            .collect();
        let files = tree.nearest_files(request.from, &files);
        if files.is_empty() {
            return None;
        }
        let last = class.last().map(|last| Box::from(*last));
        let rest = last.into_iter().chain(rest.iter().map(|part| Box::from(*part))).collect();
        Some(ResolvedModule { target: ImportTarget::Internal(files), rest, modules: Vec::new() })
    })
}

/// Returns the files of a package: those of every folder that ends like it, of the importer's own build
/// module where that has some.
fn package_files(tree: &FileTable<'_>, from: FileId, package: &str) -> Vec<FileId> {
    let folders = tree.folders_ending(package);
    let files = folders.into_iter().flat_map(|folder| tree.files_in(folder)).copied();
    let files: Vec<FileId> = files.filter(|id| tree.language(*id) == Some(LANGUAGE)).collect();
    let module = |id: FileId| tree.path(id).split_once("/src/").map_or("", |(module, _)| module);
    let own: Vec<FileId> = files.iter().copied().filter(|id| module(*id) == module(from)).collect();
    if own.is_empty() { files } else { own }
}

/// Returns a path below its source root.
fn package_of(path: &str) -> &str {
    ROOTS.iter().find_map(|root| path.split_once(root)).map_or(path, |(_, rest)| rest)
}

/// Returns the files that see each other's names without an import: those of the same package in
/// this source root and in the others (`main`, `test`).
pub(super) fn package_neighbours(tree: &FileTable<'_>, from: FileId) -> Vec<FileId> {
    let path = tree.path(from);
    let mut files: Vec<FileId> = tree.files_in(parent(path)).to_vec();
    for (one, other) in [("/test/", "/main/"), ("/main/", "/test/")] {
        files.extend_from_slice(tree.files_in(&parent(path).replacen(one, other, 1)));
    }
    files.retain(|id| *id != from && tree.language(*id) == Some(LANGUAGE));
    files.sort_unstable();
    files.dedup();
    files
}
