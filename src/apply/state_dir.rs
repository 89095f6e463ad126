//! Creates the state folder, with the files in it that other programs read.

use papayu_base::domain::RepoPath;
use papayu_system::{Entry, Tree};

use super::ApplyError;

/// Name of the state folder in the repository.
pub(super) const HOME: &str = ".papa-yu";
/// It ignores itself, so that a repository stays clean after a run.
const IGNORE: &str = ".papa-yu/.gitignore";
/// The files of a run are not to be committed; other files of the folder, such as `project.json`,
/// may be.
const IGNORED: &str = "/.gitignore\n/cache/\n/journal/\n/lock\n/run.lock\n/runs/\n/traces/\n\
    /.prettierrc\n/biome.json\n";
/// Configurations for formatters that ignore `.gitignore` and would report the JSON files of a run:
/// prettier gets an empty range, biome no files.
const FORMATTER_CONFIGS: [(&str, &str); 2] = [
    (".papa-yu/.prettierrc", "{ \"rangeEnd\": 0 }\n"),
    (".papa-yu/biome.json", "{ \"root\": false, \"files\": { \"includes\": [\"!**\"] } }\n"),
];
/// Files that show that such a formatter may run.
const FORMATTER_SIGNS: [&str; 4] = ["package.json", "biome.json", "biome.jsonc", ".prettierrc"];

/// Creates the files of the state folder and syncs it.
///
/// Files that are longer than the text or have another one belong to the user and are not changed. Fails with
/// [`ApplyError::Read`] or [`ApplyError::Write`]; the next call continues.
pub(super) fn init_state_dir(tree: &dyn Tree) -> Result<(), ApplyError> {
    let is_formatted = FORMATTER_SIGNS.iter().any(|name| {
        let found = RepoPath::parse(name).ok().and_then(|path| tree.entry(&path).ok());
        found.is_some_and(|found| found != Entry::Missing)
    });
    for (path, text) in FORMATTER_CONFIGS.into_iter().filter(|_| is_formatted) {
        let path = RepoPath::parse(path)?;
        let progress = find_progress(tree, &path, text)?;
        finish_file(tree, &path, text, progress)?;
    }
    let (home, ignore) = (RepoPath::parse(HOME)?, RepoPath::parse(IGNORE)?);
    // Written last: a complete `.gitignore` proves that the folders were synced.
    let progress = find_progress(tree, &ignore, IGNORED)?;
    if progress != WriteProgress::Whole {
        tree.sync_dir(None).map_err(ApplyError::write_failed(&home))?;
        tree.sync_dir(Some(&home)).map_err(ApplyError::write_failed(&home))?;
    }
    finish_file(tree, &ignore, IGNORED, progress)
}

/// The part of an own file that is on disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteProgress {
    Nothing,
    /// A beginning, left by a kill or by an older version.
    Begun,
    Whole,
}

/// Returns how much of a file of the state folder exists: a kill may have left its beginning.
fn find_progress(
    tree: &dyn Tree,
    path: &RepoPath,
    text: &str,
) -> Result<WriteProgress, ApplyError> {
    match read_entry(tree, path)? {
        Entry::Missing => Ok(WriteProgress::Nothing),
        // A file that is longer, or other, belongs to the user.
        Entry::File { len, .. } if len < text.len() as u64 => {
            let bytes = tree.read(path, len).map_err(ApplyError::read_failed(path))?;
            let is_ours = text.as_bytes().starts_with(&bytes);
            Ok(if is_ours { WriteProgress::Begun } else { WriteProgress::Whole })
        }
        _ => Ok(WriteProgress::Whole),
    }
}

/// Writes the rest of a file of the state folder.
fn finish_file(
    tree: &dyn Tree,
    path: &RepoPath,
    text: &str,
    progress: WriteProgress,
) -> Result<(), ApplyError> {
    if progress == WriteProgress::Begun {
        tree.remove_file(path).map_err(ApplyError::write_failed(path))?;
    }
    if progress != WriteProgress::Whole {
        tree.create(path, text.as_bytes(), 0o644).map_err(ApplyError::write_failed(path))?;
    }
    Ok(())
}

/// Returns the entry at a path, links not followed; `Missing` is no error.
///
/// Fails with [`ApplyError::Read`].
pub(super) fn read_entry(tree: &dyn Tree, path: &RepoPath) -> Result<Entry, ApplyError> {
    tree.entry(path).map_err(ApplyError::read_failed(path))
}
