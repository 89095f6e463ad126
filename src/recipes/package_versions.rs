//! The versions of the packages that a repository depends on.

use std::collections::{BTreeMap, BTreeSet};

use crate::bump::{list_versions, names_versions, normalize_name};
use papayu_lang::PathClass;

/// The versions of packages, by their names: those of lock files, and those that manifests pin.
#[derive(Debug, Default)]
pub(crate) struct PackageVersions {
    locked: VersionsByName,
    pinned: VersionsByName,
}

type VersionsByName = BTreeMap<String, BTreeSet<String>>;

impl PackageVersions {
    /// Reads the files among `paths` that name versions.
    pub(crate) fn read(paths: &[String], text: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut versions = Self::default();
        for path in paths.iter().filter(|path| names_versions(path)) {
            let is_lock = PathClass::of_path(path) == PathClass::Generated;
            let all = if is_lock { &mut versions.locked } else { &mut versions.pinned };
            for (name, version) in list_versions(path, &text(path).unwrap_or_default()) {
                if is_lock || is_pin(path, &version) {
                    all.entry(name).or_default().insert(version);
                }
            }
        }
        versions
    }

    /// Returns the versions of a package, or of the one that a module belongs to.
    pub(crate) fn find(&self, package: &str) -> Vec<String> {
        let found = find_in(&self.locked, package).or_else(|| find_in(&self.pinned, package));
        found.into_iter().flatten().cloned().collect()
    }
}

/// Returns whether a manifest names one version. In `Cargo.toml` a plain one is a range, too.
fn is_pin(path: &str, version: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".+-_!".contains(c);
    !path.ends_with("Cargo.toml")
        && version.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit())
        && version.chars().all(is_plain)
        && !version.split('.').any(|part| matches!(part, "x" | "X"))
}

fn find_in<'v>(all: &'v VersionsByName, package: &str) -> Option<&'v BTreeSet<String>> {
    let is_spelling = |name: &&String| normalize_name(name) == normalize_name(package);
    // A module of Go is the beginning of the paths of its packages.
    let is_module = |name: &&String| {
        name.contains('/')
            && package.strip_prefix(name.as_str()).is_some_and(|it| it.starts_with('/'))
    };
    let of = |is_it: &dyn Fn(&&String) -> bool| all.keys().find(is_it).and_then(|it| all.get(it));
    all.get(package).or_else(|| of(&is_spelling)).or_else(|| of(&is_module))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_comes_before_the_manifest_and_only_pins_of_it_count() {
        let files = BTreeMap::from([
            (
                "package.json",
                r#"{"dependencies": {"left": "^1.0", "right": "2.0.0", "up": "1.x"}}"#,
            ),
            ("package-lock.json", r#"{"packages": {"node_modules/left": {"version": "1.4.0"}}}"#),
            ("requirements.txt", "Acme_Kit==3.1.4\nother>=1,<2\n"),
            ("Cargo.toml", "[dependencies]\nserde = \"1.0.0\"\n"),
            ("go.mod", "module x\nrequire acme.com/kit v1.2.3\n"),
            ("src/left.js", "left"),
        ]);
        let paths: Vec<String> = files.keys().map(|&path| path.to_owned()).collect();
        let read = |path: &str| files.get(path).map(|&text| text.to_owned());
        let versions = PackageVersions::read(&paths, &read);
        for (package, expected) in [
            ("left", &["1.4.0"][..]),
            ("right", &["2.0.0"]),
            ("up", &[]),
            ("acme-kit", &["3.1.4"]),
            ("acme_kit", &["3.1.4"]),
            ("other", &[]),
            ("serde", &[]),
            ("acme.com/kit/net", &["1.2.3"]),
            ("acme.com/kitten", &[]),
        ] {
            assert_eq!(versions.find(package), expected, "{package}");
        }
    }
}
