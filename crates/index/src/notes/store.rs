//! The file of a repository's notes: one line of JSON for each, read with its faults and replaced as a whole.

use std::io;

use super::note::Note;
use papayu_base::domain::{PathFault, RepoPath, Sha256};
use papayu_system::{Clock, Entry, Tree, replace_file, wait_for_lock};

/// Most notes of a repository: the oldest that are not pinned are dropped.
pub const MAX_NOTES: usize = 10_000;
/// Longest file read, in bytes.
const MAX_FILE: u64 = 32 << 20;
/// The folder in the data folder.
const FOLDER: &str = "notes";
/// Hex digits of a file's name.
const NAME_DIGITS: usize = 16;

/// Why notes cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum NoteError {
    /// The file system.
    #[error("cannot use `{path}`: {source}")]
    File {
        /// The file.
        path: String,
        /// The error of the file system.
        source: io::Error,
    },
    /// The file's name.
    #[error(transparent)]
    Path(#[from] PathFault),
}

/// The notes of a repository in the user's data folder.
pub struct NoteStore<'a> {
    data: &'a dyn Tree,
    path: RepoPath,
}

impl<'a> NoteStore<'a> {
    /// Returns the store of the repository with this identity: the address of its remote, or its folder.
    ///
    /// # Errors
    ///
    /// [`NoteError::Path`] if the name of the file is invalid, which does not occur: it is made of hexadecimal
    /// digits. A missing file is no error.
    pub fn new(data: &'a dyn Tree, identity: &str) -> Result<Self, NoteError> {
        let digest = Sha256::of(identity.as_bytes()).to_string();
        let name: String = digest.chars().take(NAME_DIGITS).collect();
        Ok(Self { data, path: RepoPath::parse(&format!("{FOLDER}/{name}.jsonl"))? })
    }

    /// Returns all notes, the oldest first, also expired ones. Lines that are no note are left out; empty
    /// without a file.
    ///
    /// # Errors
    ///
    /// [`NoteError::File`] if the path is a link or a folder, or the file cannot be read or is longer than 32
    /// MiB.
    pub fn read(&self) -> Result<Vec<Note>, NoteError> {
        match self.data.entry(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.fault(error)),
            Ok(Entry::Missing) => return Ok(Vec::new()),
            Ok(Entry::File { .. }) => {}
            Ok(_) => {
                let error = io::Error::new(io::ErrorKind::InvalidData, "it is not a regular file");
                return Err(self.fault(error));
            }
        }
        let bytes = self.data.read(&self.path, MAX_FILE).map_err(|error| self.fault(error))?;
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let notes = lines.filter_map(|line| serde_json::from_slice::<Note>(line).ok());
        Ok(notes.filter(Note::is_bounded).collect())
    }

    /// Changes the notes and replaces the file at once: a kill leaves the old or the new one. Other writers are
    /// waited for. Expired notes are removed, and the oldest ones over [`MAX_NOTES`].
    ///
    /// # Errors
    ///
    /// [`NoteError::File`] if the lock is not free within some seconds (see [`wait_for_lock`]), or the file
    /// cannot be read or replaced. The old notes remain then, even if `change` was already called.
    pub fn change<T>(
        &self,
        clock: &dyn Clock,
        change: impl FnOnce(&mut Vec<Note>) -> T,
    ) -> Result<T, NoteError> {
        let folder = RepoPath::parse(FOLDER)?;
        match self.data.create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(self.fault(error));
            }
            _ => {}
        }
        let lock = RepoPath::parse(&format!("{}.lock", self.path))?;
        let _lock = wait_for_lock(self.data, &lock, clock).map_err(|error| self.fault(error))?;
        let mut notes = self.read()?;
        let result = change(&mut notes);
        let now = clock.timestamp();
        notes.retain(|note| note.is_valid_at(&now));
        let mut over = notes.len().saturating_sub(MAX_NOTES);
        notes.retain(|note| {
            let is_dropped = over > 0 && !note.pinned;
            over -= usize::from(is_dropped);
            !is_dropped
        });
        let mut bytes = Vec::new();
        for note in &notes {
            let line = serde_json::to_vec(note).map_err(|error| self.fault(error.into()))?;
            bytes.extend(line);
            bytes.push(b'\n');
        }
        replace_file(self.data, &self.path, &bytes, 0o600).map_err(|error| self.fault(error))?;
        Ok(result)
    }

    /// Adds a note; it replaces one with the same id, and is pinned if that one was.
    pub fn add(&self, clock: &dyn Clock, mut note: Note) -> Result<(), NoteError> {
        self.change(clock, |notes| {
            let is_pinned = notes.iter().any(|known| known.id == note.id && known.pinned);
            note.pinned |= is_pinned;
            notes.retain(|known| known.id != note.id);
            notes.push(note);
        })
    }

    fn fault(&self, source: io::Error) -> NoteError {
        let path = self.data.root().join(self.path.as_str()).display().to_string();
        NoteError::File { path, source }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::notes::{NoteDraft, NoteOrigin};
    use papayu_base::text::Masker;
    use papayu_system::Disk as _;
    use papayu_system::crash::{Crash, CrashTree};
    use papayu_system::os::{OsClock, OsDisk};

    fn clock() -> OsClock {
        OsClock::new(Arc::default())
    }

    fn note(text: &str, ttl_days: u64) -> Note {
        let draft =
            NoteDraft { origin: NoteOrigin::User, identity: "", title: "t", text, ttl_days };
        Note::new(draft, &clock().timestamp(), &Masker::new([])).unwrap()
    }

    fn open(folder: &std::path::Path) -> Box<dyn Tree> {
        OsDisk.open_tree(folder).unwrap()
    }

    fn texts(tree: &dyn Tree) -> Vec<String> {
        let notes = NoteStore::new(tree, "r").unwrap().read().unwrap();
        notes.into_iter().map(|note| note.text).collect()
    }

    #[test]
    fn a_kill_at_any_operation_leaves_the_old_or_the_new_notes() {
        let mut ends = std::collections::BTreeSet::new();
        for at in 0..10 {
            let folder = tempfile::tempdir().unwrap();
            let tree = open(folder.path());
            NoteStore::new(tree.as_ref(), "r").unwrap().add(&clock(), note("old", 9)).unwrap();
            let killed = CrashTree::new(tree.as_ref(), Crash::ForGood, at);
            let _ = NoteStore::new(&killed, "r").unwrap().add(&clock(), note("new", 9));
            let left = texts(tree.as_ref());
            assert!(left == ["old"] || left == ["old", "new"], "{at}: {left:?}");
            NoteStore::new(tree.as_ref(), "r").unwrap().add(&clock(), note("next", 9)).unwrap();
            ends.insert(left.len());
        }
        assert_eq!(ends.len(), 2, "both ends are seen");
    }

    #[test]
    fn writers_at_the_same_time_lose_nothing_and_repositories_are_apart() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let tree = open(folder.path());
                scope.spawn(move || {
                    let store = NoteStore::new(tree.as_ref(), "r").unwrap();
                    for n in 0..5 {
                        store.add(&clock(), note(&format!("{writer} {n}"), 9)).unwrap();
                    }
                });
            }
        });
        let tree = open(folder.path());
        assert_eq!(texts(tree.as_ref()).len(), 20);
        assert_eq!(NoteStore::new(tree.as_ref(), "other").unwrap().read().unwrap(), Vec::new());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes the file itself")]
    fn damaged_lines_are_left_out_and_expired_notes_removed() {
        let folder = tempfile::tempdir().unwrap();
        let tree = open(folder.path());
        let store = NoteStore::new(tree.as_ref(), "r").unwrap();
        let mut pinned = note("pinned", 0);
        pinned.pinned = true;
        for note in [note("kept", 9), pinned, note("expired", 0)] {
            store.add(&clock(), note).unwrap();
        }
        assert_eq!(texts(tree.as_ref()), ["kept", "pinned"]);
        let path = folder.path().join(store.path.as_str());
        let mut bytes = std::fs::read(&path).unwrap();
        let mut wrong = note("wrong", 9);
        wrong.id = "../../x".to_owned();
        let wrong = serde_json::to_string(&wrong).unwrap();
        bytes.extend(format!("{{\n\u{0}\n{wrong}\n{}\n", "[".repeat(5_000)).into_bytes());
        bytes.extend(b"\xff\n");
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(texts(tree.as_ref()), ["kept", "pinned"]);
        // The same note again keeps its pin.
        store.add(&clock(), note("pinned", 9)).unwrap();
        assert!(store.read().unwrap().iter().any(|note| note.text == "pinned" && note.pinned));
    }

    #[test]
    fn the_oldest_notes_make_place_for_new_ones() {
        let folder = tempfile::tempdir().unwrap();
        let tree = open(folder.path());
        let store = NoteStore::new(tree.as_ref(), "r").unwrap();
        store
            .change(&clock(), |notes| {
                let mut first = note("first", 9);
                first.pinned = true;
                notes.push(first);
                notes.extend((0..=MAX_NOTES).map(|n| note(&n.to_string(), 9)));
            })
            .unwrap();
        let left = texts(tree.as_ref());
        assert_eq!((left.len(), left[0].as_str(), left[1].as_str()), (MAX_NOTES, "first", "2"));
    }
}
