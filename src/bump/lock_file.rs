//! Reads versions of packages from the lock files of npm and from `go.mod`.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::named_version::NamedVersion;

/// Deepest nesting of packages in the lock file of npm 6 that is read.
const MAX_DEPTH: usize = 50;

/// Returns the versions of a package in a lock file, nested ones included.
pub(super) fn read_npm_versions(text: &str, package: &str) -> Vec<String> {
    let Ok(lock) = serde_json::from_str::<Json>(text) else { return Vec::new() };
    let mut found = Vec::new();
    match lock.get("packages").and_then(Json::as_object) {
        Some(packages) => {
            let is_named = |path: &str| {
                path.rsplit_once("node_modules/").is_some_and(|(_, name)| name == package)
            };
            let entries = packages.iter().filter(|(path, _)| is_named(path));
            found.extend(entries.filter_map(|(_, entry)| entry.get("version")?.as_str()));
        }
        None => read_nested(&lock, package, MAX_DEPTH, &mut found),
    }
    found.into_iter().map(str::to_owned).collect()
}

/// Adds the versions of a package in nested dependencies of npm's first lock format, at most `depth` levels
/// down.
fn read_nested<'v>(entry: &'v Json, package: &str, depth: usize, found: &mut Vec<&'v str>) {
    let inner = entry.get("dependencies").and_then(Json::as_object);
    for (name, entry) in inner.into_iter().flatten().filter(|_| depth > 0) {
        found.extend(entry.get("version").and_then(Json::as_str).filter(|_| name == package));
        read_nested(entry, package, depth - 1, found);
    }
}

/// Returns the modules that a `go.mod` requires and does not replace, without the `v` that advisories leave out.
pub(super) fn list_go_versions(text: &str) -> Vec<NamedVersion> {
    read_go_mod(text).0
}

/// Returns the same, and the modules that it replaces, with a folder, a module or a version in place of theirs.
pub(super) fn list_go_modules(text: &str) -> Vec<NamedVersion> {
    let (required, replaced) = read_go_mod(text);
    required.into_iter().chain(replaced).collect()
}

/// Returns the modules that a `go.mod` requires and does not replace, and those that it replaces with what takes their place.
fn read_go_mod(text: &str) -> (Vec<NamedVersion>, BTreeMap<String, String>) {
    let mut block = "";
    let (mut required, mut replaced) = (Vec::<NamedVersion>::new(), BTreeMap::new());
    for line in text.lines() {
        // The grammar has lines of words, blocks in parentheses and comments (<https://go.dev/ref/mod#go-mod-file-grammar>).
        let line = line.split("//").next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().map(|it| it.trim_matches('"')).collect();
        match (block, words.as_slice()) {
            (_, [verb, "("]) => {
                block = if *verb == "require" || *verb == "replace" { verb } else { "other" };
            }
            (_, [")"]) => block = "",
            ("require", [module, version]) | ("", ["require", module, version]) => {
                required.push(((*module).to_owned(), version.trim_start_matches('v').to_owned()));
            }
            ("replace", [module, rest @ ..]) | ("", ["replace", module, rest @ ..]) => {
                let target = match rest.rsplit(|word| *word == "=>").next().unwrap_or_default() {
                    [other, version] if other == module => {
                        version.trim_start_matches('v').to_owned()
                    }
                    target => target.join("@"),
                };
                replaced.insert((*module).to_owned(), target);
            }
            _ => {}
        }
    }
    required.retain(|(module, _)| !replaced.contains_key(module));
    (required, replaced)
}
