//! What the program's folder holds for other programs, and that it is on the disk.

use crate::domain::RepoPath;
use crate::system::{Entry, Tree};

use super::ApplyError;

pub(super) const HOME: &str = ".papa-yu";
const IGNORE: &str = ".papa-yu/.gitignore";
/// What a run leaves behind is nobody's to commit; `project.json`, say, may be.
const IGNORED: &str = "/.gitignore\n/cache/\n/journal/\n/lock\n/run.lock\n/runs/\n/traces/\n\
    /.prettierrc\n/biome.json\n";
/// Formatters that do not ask git would find fault with the JSON of a run. What tells them to leave it: a
/// range of nothing to format, and a configuration of nothing to look at.
const LEFT_ALONE: [(&str, &str); 2] = [
    (".papa-yu/.prettierrc", "{ \"rangeEnd\": 0 }\n"),
    (".papa-yu/biome.json", "{ \"root\": false, \"files\": { \"includes\": [\"!**\"] } }\n"),
];
/// Where one of these stands, such a formatter may run.
const FORMATTED: [&str; 4] = ["package.json", "biome.json", "biome.jsonc", ".prettierrc"];

/// Puts the folders on the disk and writes what they hold for other programs.
pub(super) fn furnish(tree: &dyn Tree) -> Result<(), ApplyError> {
    let is_formatted = FORMATTED.iter().any(|name| {
        let found = RepoPath::parse(name).ok().and_then(|path| tree.entry(&path).ok());
        found.is_some_and(|found| found != Entry::Missing)
    });
    for (path, text) in LEFT_ALONE.into_iter().filter(|_| is_formatted) {
        let path = RepoPath::parse(path)?;
        let state = written(tree, &path, text)?;
        write(tree, (&path, text), state)?;
    }
    let (home, ignore) = (RepoPath::parse(HOME)?, RepoPath::parse(IGNORE)?);
    // It is written last, so that it also witnesses the syncs.
    let state = written(tree, &ignore, IGNORED)?;
    if state != Written::Whole {
        tree.sync_dir(None).map_err(ApplyError::write(&home))?;
        tree.sync_dir(Some(&home)).map_err(ApplyError::write(&home))?;
    }
    write(tree, (&ignore, IGNORED), state)
}

/// What stands of a file of ours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Nothing,
    /// A beginning, torn by a kill or left by an older version.
    Begun,
    Whole,
}

fn written(tree: &dyn Tree, path: &RepoPath, text: &str) -> Result<Written, ApplyError> {
    match entry(tree, path)? {
        Entry::Missing => Ok(Written::Nothing),
        Entry::File { len, .. } if len < text.len() as u64 => {
            let bytes = tree.read(path, len).map_err(ApplyError::read(path))?;
            let is_ours = text.as_bytes().starts_with(&bytes);
            Ok(if is_ours { Written::Begun } else { Written::Whole })
        }
        _ => Ok(Written::Whole),
    }
}

fn write(tree: &dyn Tree, (path, text): (&RepoPath, &str), is: Written) -> Result<(), ApplyError> {
    if is == Written::Begun {
        tree.remove_file(path).map_err(ApplyError::write(path))?;
    }
    if is != Written::Whole {
        tree.create(path, text.as_bytes(), 0o644).map_err(ApplyError::write(path))?;
    }
    Ok(())
}

pub(super) fn entry(tree: &dyn Tree, path: &RepoPath) -> Result<Entry, ApplyError> {
    tree.entry(path).map_err(ApplyError::read(path))
}
