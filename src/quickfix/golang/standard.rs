//! The packages of Go's standard library, those of later versions included.

use crate::index::go_package_name;

/// Import paths, a line each, sorted.
const PACKAGES: &str = include_str!("std.txt");

/// Returns the import paths of the packages that go by a name.
pub(super) fn paths(name: &str) -> Vec<&'static str> {
    let found = PACKAGES.lines().filter(|path| go_package_name(path) == name);
    found.collect()
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
