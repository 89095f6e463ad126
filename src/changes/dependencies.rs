//! The packages, actions and images that have another version in a changed file.

use std::collections::BTreeMap;

use super::diff::DiffedFile;
use crate::bump::list_versions;
use papayu_base::domain::changes::DependencyMove;
use papayu_base::text::first_chars;

/// Returns the names with other versions than before in a manifest, lock file or CI definition; none for other files.
pub(super) fn find_dependency_moves(path: &str, old: &str, new: &str) -> Vec<DependencyMove> {
    let (old, new) = (versions_by_name(path, old), versions_by_name(path, new));
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let moved = names.into_iter().filter_map(|name| {
        let (before, now) = (old.get(name), new.get(name));
        let only = |one: Option<&Vec<String>>, other: Option<&Vec<String>>| {
            let kept = |version: &&String| !other.is_some_and(|it| it.contains(version));
            let only: Vec<&str> = one?.iter().filter(kept).map(String::as_str).collect();
            (!only.is_empty()).then(|| only.join(", "))
        };
        let (from, to) = (only(before, now), only(now, before));
        let is_moved = from.is_some() || to.is_some();
        is_moved.then(|| DependencyMove { path: path.to_owned(), name: name.clone(), from, to })
    });
    moved.collect()
}

/// Returns the move of a submodule to another commit, of which git prints `Subproject commit ID` as its line.
pub(super) fn find_submodule_move(file: &DiffedFile) -> Option<DependencyMove> {
    let [hunk] = file.hunks.as_slice() else { return None };
    let read =
        |text: &str| Some(first_chars(text.strip_prefix("Subproject commit ")?, 12).to_owned());
    let (from, to) = (read(&hunk.old_text), read(&hunk.new_text));
    let (path, name) = (file.path.clone(), file.path.clone());
    (from.is_some() || to.is_some()).then_some(DependencyMove { path, name, from, to })
}

fn versions_by_name(path: &str, text: &str) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, version) in list_versions(path, text) {
        let versions = all.entry(name).or_default();
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    all
}
