//! The packages, actions and images that have another version in a changed file.

use std::collections::BTreeMap;

use crate::bump::list_versions;
use papayu_base::domain::changes::DependencyMove;

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
