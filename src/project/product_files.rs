//! Finds files that are tests by their names only: code of the product imports them, and they have no tests.

use std::collections::BTreeSet;

use papayu_base::domain::RepoPath;
use papayu_index::{FileId, Index, ResolvedImports, module_word};
use papayu_lang::PathClass;
use papayu_system::Tree;
use papayu_vet::Policy;

/// Returns the identities of those of `paths` that code of the product imports. Code that the command names, or that is
/// part of its check, is none: it may be there to run tests.
pub(crate) fn find_product_files(
    index: &Index,
    tree: &dyn Tree,
    paths: &[RepoPath],
    command: &str,
    policy: &Policy,
) -> BTreeSet<String> {
    let links = ResolvedImports::of(index);
    let is_product = |path: &RepoPath| {
        let is_importer = |id: &FileId| {
            index.file(*id).is_some_and(|file| {
                let importer = RepoPath::parse(&file.path);
                PathClass::of_path(&file.path) == PathClass::Source
                    && !command.contains(&file.path)
                    && importer.is_ok_and(|it| !policy.checks.contains(&it.identity()))
            })
        };
        let Some(target) = index.find_path(path.as_str()) else { return false };
        let takes = |id: &FileId| {
            links.imports_of(*id).iter().any(|link| link.target.files().contains(&target))
        };
        let named = index.find_named(&[module_word(path.as_str())], usize::MAX).files;
        named.iter().any(|id| *id != target && is_importer(id) && takes(id))
    };
    let is_named_only = |path: &&RepoPath| {
        let bytes = tree.read(path, u64::MAX).unwrap_or_default();
        is_product(path) && !papayu_vet::has_tests(path.as_str(), &String::from_utf8_lossy(&bytes))
    };
    paths.iter().filter(is_named_only).map(RepoPath::identity).collect()
}
