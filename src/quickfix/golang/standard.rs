//! The packages of Go's standard library, those of later versions included.

/// Import paths, a line each, sorted.
const PACKAGES: &str = include_str!("std.txt");

/// Returns the import paths of the packages that go by a name.
pub(super) fn paths(name: &str) -> Vec<&'static str> {
    let found = PACKAGES.lines().filter(|path| package_name(path) == name);
    found.collect()
}

/// Returns what a package is called: its last part that is no version.
pub(super) fn package_name(path: &str) -> &str {
    let is_version = |part: &&str| {
        part.strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_one_package_or_for_several() {
        assert!(PACKAGES.lines().is_sorted());
        for (name, expected) in [
            ("fmt", vec!["fmt"]),
            ("json", vec!["encoding/json"]),
            ("rand", vec!["crypto/rand", "math/rand", "math/rand/v2"]),
            ("template", vec!["html/template", "text/template"]),
            ("nothing", vec![]),
        ] {
            assert_eq!(paths(name), expected);
        }
    }
}
