//! Copies a commit with its submodules to a temporary folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::task::World;
use super::super::world_facts::ask_git;
use papayu_system::{CommandSpec, Confinement, End, Scratch};

/// Folders of installed packages, which no commit has: the copy uses those of the working tree, because installing the
/// packages again would need the network.
///
/// A folder is linked only if the working tree has it and the commit does not.
const PACKAGES: [&str; 8] =
    ["node_modules", ".venv", "venv", "vendor", ".bundle", ".yarn", "bower_components", "Pods"];

/// Time limit of each program that builds the copy: reading a commit into an index, writing
/// its files, one link.
const LIMIT: Duration = Duration::from_mins(5);

/// Options of git with which no hook and no file system monitor of the repository runs: both are commands that it chooses.
const SAFE: [&str; 5] = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

/// A copy of a commit, in a temporary folder outside the repository.
pub(in super::super) struct CommitCopy {
    /// Removes the copy when it is dropped.
    _scratch: Box<dyn Scratch>,
    /// The folder of the copy that corresponds to the root of the run: the top folder of the
    /// repository, or a folder below it if the run was started there.
    pub(in super::super) root: PathBuf,
    /// The full hexadecimal id of the commit.
    pub(in super::super) commit: String,
}

/// Lays a commit out in a folder of its own, with the files `newer` of the root of the run as they are now.
///
/// # Errors
///
/// A sentence with the reason: a program failed, the clone of a submodule lacks its commit, or there is no temporary
/// folder.
pub(in super::super) fn copy_commit(
    world: &World<'_>,
    commit: String,
    newer: &[String],
) -> Result<CommitCopy, String> {
    let top = ask_git(world, &["rev-parse", "--show-toplevel"])?;
    let prefix = ask_git(world, &["rev-parse", "--show-prefix"])?;
    let scratch =
        world.system.disk.scratch().map_err(|error| format!("no temporary folder: {error}"))?;
    let folder = scratch.path().join("tree");
    let newer: Vec<String> = newer.iter().map(|path| format!("{prefix}{path}")).collect();
    let layout = Layout { world, scratch: scratch.path() };
    let own = scratch.path().join("git");
    let whole =
        RepositoryPart { top: top.clone(), commit: commit.clone(), folder: folder.clone(), own };
    layout.write_files(&whole, &newer)?;
    let untracked = ask_git(world, &["-C", &top, "ls-files", "-z", "--others", "--directory"]);
    let untracked = untracked.unwrap_or_default();
    let untracked = untracked.split('\0').map(|path| path.trim_end_matches('/'));
    for path in untracked.filter(|it| PACKAGES.contains(&it.rsplit('/').next().unwrap_or(it))) {
        let (from, to) = (Path::new(&top).join(path), folder.join(path));
        let (from, to) = (from.display().to_string(), to.display().to_string());
        // A folder that the commit has stays as it is there.
        layout.run_program(&["ln", "-s", "-n", "--", &from, &to], &[]).ok();
    }
    let root = folder.join(prefix.trim_end_matches('/'));
    Ok(CommitCopy { _scratch: scratch, root, commit })
}

/// A repository with the place for its files: that of the run, or a submodule.
struct RepositoryPart {
    /// Its folder.
    top: String,
    /// Its commit.
    commit: String,
    /// The folder of the copy.
    folder: PathBuf,
    /// The folder in which git keeps its own files.
    own: PathBuf,
}

/// The repository and the temporary folder.
struct Layout<'w> {
    world: &'w World<'w>,
    scratch: &'w Path,
}

impl Layout<'_> {
    /// Writes the files of a repository and of its submodules, with the files `newer` as they are now.
    fn write_files(&self, part: &RepositoryPart, newer: &[String]) -> Result<(), String> {
        let RepositoryPart { top, commit, folder, own } = part;
        let ask = |words: &[&str]| ask_git(self.world, &[&["-C", top], words].concat());
        let objects = ask(&["rev-parse", "--path-format=absolute", "--git-path", "objects"])?;
        let own_objects = own.join("objects");
        // Git takes a missing folder of objects for no repository.
        let made = self.world.system.disk.make_folder(&own_objects);
        made.map_err(|error| format!("no temporary folder: {error}"))?;
        let variables = [
            // An index of its own, so that the index of the user's repository is not touched.
            ("GIT_INDEX_FILE".to_owned(), own.join("index").display().to_string()),
            // New objects go to the temporary folder, too.
            ("GIT_OBJECT_DIRECTORY".to_owned(), own_objects.display().to_string()),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES".to_owned(), objects),
        ];
        let safe = [&SAFE[..], &["-C", top]].concat();
        self.run_program(&[&safe[..], &["read-tree", commit]].concat(), &variables)?;
        // Command lines have a limit of their length.
        for paths in newer.chunks(500) {
            let words = ["update-index", "--add", "--remove", "--replace", "--"];
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            self.run_program(&[&safe[..], &words, &paths].concat(), &variables)?;
        }
        let out = format!("--prefix={}/", folder.display());
        let words = [&safe[..], &["checkout-index", "--all", "--force", &out]].concat();
        self.run_program(&words, &variables)?;
        let blob = format!("--blob={commit}:.gitmodules");
        let listed = ask(&["config", "-z", &blob, "--get-regexp", r"^submodule\..*\.path$"]);
        // A commit without such a file has no submodules.
        let listed = listed.unwrap_or_default();
        let paths = listed.split('\0').filter_map(|entry| entry.split_once('\n'));
        for (number, (_, path)) in paths.enumerate() {
            let inner = Path::new(top).join(path).display().to_string();
            // In one that is not checked out, git finds the repository around it.
            let place = ask_git(self.world, &["-C", &inner, "rev-parse", "--show-prefix"]);
            if !place.is_ok_and(|place| place.is_empty()) {
                continue;
            }
            let commit = ask(&["rev-parse", &format!("{commit}:{path}")])?;
            let (folder, own) = (folder.join(path), own.join(number.to_string()));
            self.write_files(&RepositoryPart { top: inner, commit, folder, own }, &[])?;
        }
        Ok(())
    }

    /// Runs a program with its arguments (`words`) and variables. It may write to the temporary folder only: git runs the
    /// filter programs of the configuration, and the command may have written that of a submodule.
    fn run_program(&self, words: &[&str], variables: &[(String, String)]) -> Result<(), String> {
        let tree = self.scratch.to_owned();
        let spec = CommandSpec {
            argv: words.iter().map(|word| (*word).to_owned()).collect(),
            cwd: self.world.tree.root().to_path_buf(),
            env: variables.to_vec(),
            keep_env: Vec::new(),
            timeout: LIMIT,
            max_output: 1 << 20,
            confinement: Some(Confinement { tree, ..self.world.confinement() }),
        };
        match self.world.system.process.run(&spec, &mut |_| {}) {
            Ok(End::Code(0)) => Ok(()),
            Ok(end) => Err(format!("`{}` ended with {end:?}", words.join(" "))),
            Err(error) => Err(error.to_string()),
        }
    }
}
