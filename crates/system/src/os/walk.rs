//! Lists a repository's files as git would: ignored ones, caches and git's own folder left out.

use std::io;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

/// Names that are never part of a repository's content; `.git` is a file in submodules.
const OWN_NAMES: [&str; 2] = [".git", ".papa-yu"];

/// Folders of installed and built files. They are skipped even where no `.gitignore` names them:
/// their sources are not the user's, and they are many times more.
const BUILT_FOLDERS: [&str; 4] = ["node_modules", "dist", "target", "vendor"];

/// The folder that some build tools write next to their manifest. Elsewhere a folder of this name is source.
const BUILD_FOLDER: &str = "build";

/// The manifests of these tools.
const BUILD_MANIFESTS: [&str; 8] = [
    "package.json", "build.gradle", "build.gradle.kts", "CMakeLists.txt", "meson.build",
    "pubspec.yaml", "pyproject.toml", "setup.py",
];

/// A file that build tools put into folders that can be made again (bford.info/cachedir); cargo's
/// `target` has one even where no `.gitignore` names it.
const CACHE_MARK: &str = "CACHEDIR.TAG";

/// The file in an environment that Python installs packages into, under whatever name it was made.
const ENVIRONMENT_MARK: &str = "pyvenv.cfg";

/// The files of ignore rules that a walk reads.
const RULES: [&str; 2] = [".gitignore", ".git/info/exclude"];

/// Returns the relative, `/`-separated paths of regular files below `root`, sorted, at most `limit`.
///
/// `.gitignore` is obeyed outside git repositories too, hidden files are listed, links are not followed.
/// Omitted are names that are not UTF-8 or contain control characters, and folders that cannot be read.
///
/// # Errors
///
/// The error of the disk if `root` itself cannot be read. More than `limit` files are no error: the rest is
/// left out.
pub fn walk(root: &Path, limit: usize) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    for entry in walker(root)?.sort_by_file_name(Ord::cmp).build() {
        if paths.len() >= limit {
            break;
        }
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                paths.extend(relative_path(root, &entry));
            }
            Err(error) if error.depth() == Some(0) => return Err(io_error(error)),
            // One unreadable folder must not hide the rest of the repository.
            Ok(_) | Err(_) => {}
        }
    }
    paths.sort_unstable();
    Ok(paths)
}

/// Returns the rules by which a repository is walked. A folder with rules that cannot be read is left out.
///
/// # Errors
///
/// `InvalidInput` if rules for the root are no regular file: reading a pipe would not end.
pub(super) fn walker(root: &Path) -> io::Result<WalkBuilder> {
    let mut above = root.ancestors();
    if let Some(path) = above.find_map(find_unreadable_rules) {
        let message = format!("`{}` is not a regular file", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut rules = WalkBuilder::new(root);
    rules
        .hidden(false)
        .ignore(false)
        .require_git(false)
        // The list must not depend on the machine's own settings.
        .git_global(false)
        .filter_entry(|entry| entry.depth() == 0 || !is_left_out(entry));
    Ok(rules)
}

/// Returns the file of ignore rules in a folder that exists and is no regular file.
fn find_unreadable_rules(folder: &Path) -> Option<PathBuf> {
    let is_special = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
    };
    RULES.iter().map(|name| folder.join(name)).find(is_special)
}

/// Returns `true` for the program's own names, for folders of build results, and for folders with the mark of a cache or of
/// an environment.
fn is_left_out(entry: &DirEntry) -> bool {
    let is_named = |names: &[&str]| names.iter().any(|name| entry.file_name() == *name);
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    is_named(&OWN_NAMES)
        || is_folder
            && (is_named(&BUILT_FOLDERS)
                || is_named(&[BUILD_FOLDER]) && has_build_manifest(entry)
                || [CACHE_MARK, ENVIRONMENT_MARK]
                    .iter()
                    .any(|name| entry.path().join(name).is_file())
                || find_unreadable_rules(entry.path()).is_some())
}

/// Returns `true` if the folder that an entry is in has the manifest of a tool that builds into `build`.
fn has_build_manifest(entry: &DirEntry) -> bool {
    let parent = entry.path().parent();
    parent.is_some_and(|folder| BUILD_MANIFESTS.iter().any(|name| folder.join(name).is_file()))
}

/// Returns the path of an entry relative to the root; `None` if it is not UTF-8 or has control characters.
pub(super) fn relative_path(root: &Path, entry: &DirEntry) -> Option<String> {
    let relative = entry.path().strip_prefix(root).ok()?.to_str()?;
    // No action can name such a file, and its name could pass for a line of the request.
    (!relative.contains(char::is_control)).then(|| relative.to_owned())
}

/// Returns the error of the file system in an error of a walk.
pub(super) fn io_error(error: ignore::Error) -> io::Error {
    error.into_io_error().unwrap_or_else(|| io::ErrorKind::Other.into())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test uses real files")]
mod tests {
    use std::fs;

    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    #[test]
    fn ignored_cached_and_own_files_are_left_out_and_hidden_ones_are_not() {
        let root = tree(&[
            ".git/config",
            ".github/workflows/ci.yml",
            ".papa-yu/runs/x",
            "a.rs",
            "a/b.rs",
            "a/keep.log",
            "out/x.o",
            "sub/.git",
            "sub/x.log",
            "cache/CACHEDIR.TAG",
            "cache/debug/x.rs",
            "own/pyvenv.cfg",
            "own/lib/python3.11/site-packages/x.py",
        ]);
        fs::write(root.path().join(".gitignore"), "*.log\n/out/\n").unwrap();
        fs::write(root.path().join("a/.gitignore"), "!keep.log\n").unwrap();
        let expected = [
            ".github/workflows/ci.yml", ".gitignore", "a.rs", "a/.gitignore", "a/b.rs",
            "a/keep.log",
        ];
        assert_eq!(walk(root.path(), 100).unwrap(), expected);
        assert_eq!(walk(root.path(), 2).unwrap(), expected[..2]);
    }

    #[test]
    fn installed_and_built_files_are_left_out_without_a_gitignore() {
        let root = tree(&[
            "a/node_modules/b/index.js", "a/src/target.rs", "dist", "node_modules/b/index.js",
            "packages/a/dist/a.js", "target/debug/a.rs", "vendor/b/b.go",
        ]);
        assert_eq!(walk(root.path(), 100).unwrap(), ["a/src/target.rs", "dist"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_neither_listed_nor_followed() {
        let root = tree(&["a/b.rs"]);
        std::os::unix::fs::symlink("a", root.path().join("to_folder")).unwrap();
        std::os::unix::fs::symlink("a/b.rs", root.path().join("to_file")).unwrap();
        std::os::unix::fs::symlink("/", root.path().join("out")).unwrap();
        assert_eq!(walk(root.path(), 100).unwrap(), ["a/b.rs"]);
    }

    #[test]
    fn a_root_that_is_not_there_is_an_error() {
        let root = tree(&[]);
        let error = walk(&root.path().join("missing"), 100).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
