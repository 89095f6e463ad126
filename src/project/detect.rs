//! Detects the kind of a project and its test command from the files at its root.

use std::path::PathBuf;

use super::build_command::BuildCommand;
use super::profile::{KINDS, Profile, ProjectKind, TestCommand};
use super::python;
use super::root::{Root, matches_pattern};
use super::test_command::find_test_command;
use papayu_base::domain::RepoPath;
use papayu_lang::PathClass;
use papayu_system::{Entry, RepositoryTop, Tree};

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
        .filter_map(|name| root.path(name))
        .filter(|path| root.is_file(path))
        .collect()
}

/// Most folders that are searched for projects, and most projects that are returned.
const MAX_FOLDERS: usize = 300;
const MAX_SUBPROJECTS: usize = 5;

/// A folder below the root of a repository that has a project with tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subproject {
    /// The folder.
    pub folder: RepoPath,
    /// The command that runs its tests, in the folder.
    pub command: String,
}

/// Returns the projects in folders below the root, at most two levels deep and at most five, in the order of their
/// paths.
pub fn find_subprojects(tree: &dyn Tree) -> Vec<Subproject> {
    let mut found = Vec::new();
    let mut searched = 0;
    let top = Root::list(tree);
    for folder in list_folders(&top, tree) {
        if !add_subproject(tree, &folder, &mut found) {
            let root = Root::list_at(tree, Some(&folder));
            for below in list_folders(&root, tree) {
                add_subproject(tree, &below, &mut found);
                searched += 1;
            }
        }
        searched += 1;
        if searched >= MAX_FOLDERS || found.len() >= MAX_SUBPROJECTS {
            break;
        }
    }
    found.truncate(MAX_SUBPROJECTS);
    found
}

/// Returns the folders in a folder that may have a project: none that is hidden or installed.
fn list_folders(root: &Root<'_>, tree: &dyn Tree) -> Vec<RepoPath> {
    let is_own = |name: &&str| !name.starts_with('.');
    let paths = root.names().filter(is_own).filter_map(|name| root.path(name));
    let is_folder = |path: &RepoPath| matches!(tree.entry(path), Ok(Entry::Dir));
    // Installed packages and fixtures have manifests too.
    let is_source = |path: &RepoPath| {
        let class = PathClass::of_path(&format!("{path}/main.c"));
        matches!(class, PathClass::Source | PathClass::Test)
    };
    paths.filter(|path| is_source(path) && is_folder(path)).collect()
}

/// Adds the project in a folder. Returns `false` if it has none with a test command.
fn add_subproject(tree: &dyn Tree, folder: &RepoPath, found: &mut Vec<Subproject>) -> bool {
    let Some(command) = find_command(&Root::list_at(tree, Some(folder))) else { return false };
    found.push(Subproject { folder: folder.clone(), command });
    true
}

/// Returns the command that runs the tests of the project in a folder.
fn find_command(root: &Root<'_>) -> Option<String> {
    let found = find_kinds(root).into_iter().find_map(|kind| find_test_command(kind, root));
    found.map(|TestCommand { command, .. }| command)
}

/// A folder above the root of a run that has a project with tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnclosingProject {
    /// The folder, as an absolute path.
    pub folder: PathBuf,
    /// The command that runs its tests, in the folder.
    pub command: String,
}

/// Returns the nearest project with tests above the root, up to the top of the repository; `None` if there is none, or the
/// root is the top.
pub fn find_enclosing(tree: &dyn Tree) -> Option<EnclosingProject> {
    let RepositoryTop { tree: top, folder } = tree.top()?;
    let mut above = folder.parent();
    loop {
        if let Some(command) = find_command(&Root::list_at(top, above.as_ref())) {
            let folder =
                above.map_or_else(|| top.root().to_owned(), |it| top.root().join(it.as_str()));
            return Some(EnclosingProject { folder, command });
        }
        above = above?.parent();
    }
}
