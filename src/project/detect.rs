//! Detects the kind of a project and its test command from the files at its root.

use super::profile::{KINDS, Profile, ProfileRow, ProjectKind};
use super::python;
use super::root::{Root, matches_pattern};
use super::test_command::find_test_command;
use crate::domain::RepoPath;
use crate::system::Tree;

/// Returns the profile of a repository.
///
/// Detection never fails: a file that cannot be read counts as empty.
pub fn detect(tree: &dyn Tree) -> Profile {
    // One listing of the root serves all questions.
    let root = Root::list(tree);
    let has_marker = |row: &&ProfileRow| root.find(row.markers).is_some();
    let mut found: Vec<ProjectKind> = KINDS.iter().filter(has_marker).map(|row| row.kind).collect();
    // A folder of tests is the weakest marker, so that it is asked last.
    if found.is_empty() && python::has_test_folder(&root) {
        found.push(ProjectKind::Python);
    }
    let kind = found.first().copied().unwrap_or(ProjectKind::Unknown);
    // A project without tests of its own kind may still have them behind `make test`.
    let verify = found.iter().find_map(|kind| find_test_command(*kind, &root));
    Profile { kind, verify, manifests: list_manifests(&root, kind) }
}

/// Manifests of the project's own kind come first, then those of the other kinds.
fn list_manifests(root: &Root<'_>, kind: ProjectKind) -> Vec<RepoPath> {
    let (own, others): (Vec<_>, Vec<_>) = KINDS.iter().partition(|row| row.kind == kind);
    own.into_iter()
        .chain(others)
        .flat_map(|row| row.manifests)
        .flat_map(|pattern| root.names().filter(|name| matches_pattern(pattern, name)))
        .filter_map(|name| RepoPath::parse(name).ok())
        .filter(|path| root.is_file(path))
        .collect()
}
