//! Collects facts about the paths in a reply, as plain values for the gates.

use std::io;

use papayu_base::domain::{ActionKind, RepoPath};
use papayu_system::{Entry, Tree};
use papayu_vet::{PathFact, PathFacts};

/// Largest file, in bytes, that is changed. The model could not have been shown all of a larger
/// one.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Most entries of a folder that an action may delete.
const MAX_DELETED_ENTRIES: usize = 1_000;

/// The working tree, as the gates look it up.
pub struct TreeFacts<'a>(pub &'a dyn Tree);

impl PathFacts for TreeFacts<'_> {
    fn find(&self, path: &RepoPath, kind: ActionKind) -> PathFact {
        look(self.0, path, kind == ActionKind::DeleteDir)
            .unwrap_or_else(|error| PathFact::Unusable { reason: reason(&error) })
    }
}

/// Returns the reason why a path cannot be used, as the end of a sentence that begins with the
/// path.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            format!("leaves the repository or cannot be read ({error})")
        }
        io::ErrorKind::InvalidData => format!("is larger than {MAX_FILE_BYTES} bytes"),
        _ => format!("cannot be read: {error}"),
    }
}

/// Returns the state of a path: a file, a folder, missing with its missing parents, or another
/// spelling of an existing path. With `whole`, a folder is returned with all its content.
fn look(tree: &dyn Tree, path: &RepoPath, whole: bool) -> io::Result<PathFact> {
    // Before all else: with `README.md` in the tree, `readme.md` is missing here and the same file on a
    // Mac.
    if let Some(existing) = other_spelling(tree, path)? {
        return Ok(PathFact::OtherSpelling { existing });
    }
    let mut missing_parents = Vec::new();
    let mut above = path.parent();
    while let Some(folder) = above {
        match tree.entry(&tree.resolve(&folder)?)? {
            Entry::Dir => break,
            Entry::Missing => missing_parents.insert(0, tree.resolve(&folder)?),
            // A link to a folder was resolved, so only a real file or device gets here.
            // A file cannot be the folder of another file.
            _ => return Ok(PathFact::Blocked { by: folder }),
        }
        above = folder.parent();
    }
    let resolved = tree.resolve(path)?;
    Ok(match tree.entry(&resolved)? {
        Entry::Missing => PathFact::Missing { resolved, missing_parents },
        Entry::File { .. } => {
            let bytes = tree.read(&resolved, MAX_FILE_BYTES)?;
            PathFact::File { resolved, bytes }
        }
        Entry::Dir if whole => contents(tree, resolved)?,
        Entry::Dir => PathFact::Dir { resolved, files: Vec::new(), dirs: Vec::new() },
        Entry::Link { .. } => {
            PathFact::Unusable { reason: "is a link that leads nowhere".to_owned() }
        }
        Entry::Other => PathFact::Unusable { reason: "is no regular file".to_owned() },
    })
}

/// Returns an existing entry that another file system would treat as the same path: `README.md`
/// for `readme.md`.
fn other_spelling(tree: &dyn Tree, path: &RepoPath) -> io::Result<Option<RepoPath>> {
    let mut here: Option<RepoPath> = None;
    for segment in path.segments() {
        let below = match &here {
            None => RepoPath::parse(segment),
            Some(folder) => folder.join(segment),
        };
        let Ok(below) = below else { return Ok(None) };
        if tree.entry(&below)? == Entry::Missing {
            let names = match tree.list(here.as_ref()) {
                Ok(names) => names,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                // Another check reports a parent that is missing or a file.
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
                Err(error) => return Err(error),
            };
            let same = names.into_iter().filter_map(|name| match &here {
                None => RepoPath::parse(&name).ok(),
                Some(folder) => folder.join(&name).ok(),
            });
            let wanted = below.identity();
            return Ok(same.into_iter().find(|entry| entry.identity() == wanted));
        }
        here = Some(below);
    }
    Ok(None)
}

/// Returns all files and folders below a folder that is to be removed, because the gates check
/// each of them.
fn contents(tree: &dyn Tree, resolved: RepoPath) -> io::Result<PathFact> {
    let (mut files, mut dirs) = (Vec::new(), Vec::new());
    let mut open = vec![resolved.clone()];
    while let Some(folder) = open.pop() {
        for name in tree.list(Some(&folder))? {
            let unusable =
                |what: &str| PathFact::Unusable { reason: format!("contains `{name}`, {what}") };
            let Ok(path) = folder.join(&name) else {
                return Ok(unusable("a name that cannot be used"));
            };
            match tree.entry(&path)? {
                Entry::Dir => {
                    dirs.push(path.clone());
                    open.push(path);
                }
                Entry::File { .. } => {
                    let bytes = tree.read(&path, MAX_FILE_BYTES)?;
                    files.push((path, bytes));
                }
                _ => return Ok(unusable("which is no regular file")),
            }
            // A limit, so that a reply cannot make the program read a whole installation.
            if files.len() + dirs.len() > MAX_DELETED_ENTRIES {
                return Ok(unusable("one of too many entries to delete at once"));
            }
        }
    }
    Ok(PathFact::Dir { resolved, files, dirs })
}
