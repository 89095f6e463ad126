//! The rules for imports between files: no import cycles, and no imports from tests, examples or scripts into
//! the product.

use std::collections::BTreeSet;

use super::known_names::KnownNames;
use papayu_base::text::WordList;

/// Most files that are followed. A longer chain is taken for a cycle, which is the safe answer.
const MAX_FILES: usize = 5_000;

/// Folders of code that the product does not import.
static OUTSIDE_PRODUCT: WordList = WordList::new(
    "__mocks__ __tests__ bench benches benchmark benchmarks demo demos doc docs e2e example \
    examples fixtures migrations mocks playground sample samples script scripts spec specs test \
    testdata testing tests testutil testutils",
);

/// Files that are programs of their own.
const ALONE: &[&str] = &["conftest.py", "fabfile.py", "manage.py", "noxfile.py", "setup.py"];

/// Returns `true` if a file, or one that it imports at run time directly or indirectly, meets a
/// condition.
/// Also returns `true` if there are too many files to search.
pub(super) fn any_import(
    lookup: &KnownNames<'_>,
    from: &str,
    mut is: impl FnMut(&str) -> bool,
) -> bool {
    let mut seen = BTreeSet::from([from.to_owned()]);
    let mut open = vec![from.to_owned()];
    while let Some(path) = open.pop() {
        if is(&path) || seen.len() > MAX_FILES {
            return true;
        }
        let taken = lookup.imports(&path).into_iter().filter(|import| !import.type_only);
        for target in taken.flat_map(|import| import.targets) {
            if seen.insert(target.clone()) {
                open.push(target);
            }
        }
    }
    false
}

/// Returns `true` if an import of `target` in `file` closes a cycle.
pub(super) fn leads_back(lookup: &KnownNames<'_>, target: &str, file: &str) -> bool {
    any_import(lookup, target, |path| path == file)
}

/// Returns `true` if `target` is a test, an example or a script that is not part of the same
/// folder as `file`.
pub(super) fn is_outside(target: &str, file: &str) -> bool {
    let (folder, name) = target.rsplit_once('/').unwrap_or(("", target));
    let mut end = 0;
    let apart = folder.split('/').any(|part| {
        end += part.len() + 1;
        let inside = target.get(..end).is_some_and(|above| file.starts_with(above));
        is_outside_folder(part) && !inside
    });
    apart || ALONE.contains(&name)
}

/// Returns `true` for a folder of tests, examples or documents, which import the product and
/// are not imported by it.
fn is_outside_folder(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    OUTSIDE_PRODUCT.contains(&name) || name.ends_with("_test")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beside_the_product_is_for_its_like_alone() {
        for (target, file, expected) in [
            ("examples/a.py", "shop/b.py", true),
            ("shop/migrations/0001.py", "shop/b.py", true),
            ("shop/migrations/0001.py", "shop/migrations/0002.py", false),
            ("examples/one/a.py", "examples/two/b.py", false),
            ("other/tests/a.py", "tests/b.py", true),
            ("internal/testutil/a.go", "main.go", true),
            ("store_test/a.go", "main.go", true),
            ("setup.py", "shop/b.py", true),
            ("shop/latest/a.py", "shop/b.py", false),
            ("a.py", "b.py", false),
        ] {
            assert_eq!(is_outside(target, file), expected, "{target} {file}");
        }
    }
}
