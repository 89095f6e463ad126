//! Detects the kind of a project and its test command from the files at its root.

use super::build_command::BuildCommand;
use super::profile::{KINDS, Profile, ProjectKind};
use super::python;
use super::root::{Root, matches_pattern};
use super::test_command::find_test_command;
use papayu_base::domain::RepoPath;
use papayu_system::Tree;

/// Returns the profile of a repository.
///
/// Detection never fails: a file that cannot be read counts as empty.
pub fn detect(tree: &dyn Tree) -> Profile {
    // One listing of the root serves all questions.
    let root = Root::list(tree);
    let found = find_kinds(&root);
    let kind = found.first().copied().unwrap_or(ProjectKind::Unknown);
    // A project without tests of its own kind may still have them behind `make test`.
    let verify = found.iter().find_map(|kind| find_test_command(*kind, &root));
    let manifests = list_manifests(&root, kind);
    let marker = root.find(kind.markers()).map(str::to_owned);
    Profile { kind, marker, verify, manifests, commands: list_commands(found) }
}

/// Returns the kind of a repository: the first of the table with a marker at the root.
pub fn detect_kind(tree: &dyn Tree) -> ProjectKind {
    find_kinds(&Root::list(tree)).first().copied().unwrap_or(ProjectKind::Unknown)
}

/// Returns the kinds with a marker at the root, in order of precedence.
pub(super) fn find_kinds(root: &Root<'_>) -> Vec<ProjectKind> {
    let has_marker = |kind: &ProjectKind| root.find(kind.markers()).is_some();
    let mut found: Vec<ProjectKind> = ProjectKind::all().filter(has_marker).collect();
    // A folder of tests is the weakest marker, so that it is asked last.
    if found.is_empty() && python::has_test_folder(root) {
        found.push(ProjectKind::Python);
    }
    found
}

/// Returns the commands that build and test projects of these kinds.
fn list_commands(kinds: Vec<ProjectKind>) -> Vec<BuildCommand> {
    // Nothing at the root of a repository with several projects may show their kinds.
    let kinds = if kinds.is_empty() { ProjectKind::all().collect() } else { kinds };
    kinds.into_iter().flat_map(ProjectKind::build_commands).copied().collect()
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
