//! The state folder of the program in the repository: its locks and its journals.

use std::io::ErrorKind;

use papayu_base::domain::{RepoPath, RunId, Sha256};
use papayu_system::{Entry, Lock, Tree, find_top};

use super::ApplyError;
use super::journal::ChangeJournal;
use super::state_dir::{HOME, init_state_dir, read_entry};
use super::step::PathChange;

/// Number of kept changes that can be undone.
pub const DEPTH: usize = 10;

/// Each journal is one file here; see [`super::journal`] for the names and the format.
const JOURNALS: &str = ".papa-yu/journal";
/// All folders that a run may write to.
const OWN_FOLDERS: [&str; 5] =
    [HOME, JOURNALS, ".papa-yu/cache", ".papa-yu/runs", ".papa-yu/traces"];
/// Locked for the time of one transaction.
const LOCK: &str = ".papa-yu/lock";
/// Locked for a whole run. `git clean` by the user's command may remove the file, so the root
/// folder is locked too.
const RUN_LOCK: &str = ".papa-yu/run.lock";
/// Suffix of copies of files that were changed between a change and its roll-back.
const COPY: &str = ".copy";
/// Longest journal read, in bytes; the limits on a change are far below it.
const MAX_JOURNAL: u64 = 1 << 30;

/// The state of a change; the documentation of `journal` describes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JournalState {
    New,
    Begun,
    Kept,
    Undoing,
    Undone,
    Redoing,
}

/// The states with the endings of their file names, which are part of the format on disk.
const STATES: [(JournalState, &str); 6] = [
    (JournalState::New, "new"),
    (JournalState::Begun, "begun"),
    (JournalState::Kept, "kept"),
    (JournalState::Undoing, "undoing"),
    (JournalState::Undone, "undone"),
    (JournalState::Redoing, "redoing"),
];

/// Locks the repository for a whole run, from its first read to its report: a change that another
/// run makes and undoes meanwhile would be read as the original tree.
///
/// # Errors
///
/// `Locked` when another living run has the lock, `NotAFolder` and `BrokenJournal` when the
/// repository brings something else under the names of the program.
pub fn lock_repository(tree: &dyn Tree) -> Result<RepositoryLock, ApplyError> {
    let tree = find_top(tree);
    // The root folder is locked because the user's command does not remove it. The lock file is for
    // file systems that cannot lock folders.
    let root = lock_root_dir(tree)?;
    check_own_folders(tree)?;
    let file = make_folders(tree).and_then(|()| lock_file(tree, RUN_LOCK));
    // Without the second lock no change can be committed either, so a read-only tree needs no lock
    // file.
    if is_unwritable(&file) && is_unwritable(&lock_file(tree, LOCK)) {
        return Ok(RepositoryLock { _root: root, file: None });
    }
    Ok(RepositoryLock { _root: root, file: Some(file?) })
}

/// Returns `true` if the lock file cannot be created, as on a read-only tree. Such a tree cannot be
/// changed either.
fn is_unwritable(locked: &Result<Box<dyn Lock>, ApplyError>) -> bool {
    matches!(locked, Err(ApplyError::Write { .. }))
}

/// Locks the repository for `undo` and `redo`, which create no state folder: without one there
/// is nothing to undo.
///
/// Fails with [`ApplyError::Locked`] if another living run has the lock, and with [`ApplyError::BrokenJournal`]
/// if the lock file is a link or a folder.
pub(super) fn lock_existing(tree: &dyn Tree) -> Result<RepositoryLock, ApplyError> {
    let tree = find_top(tree);
    let root = lock_root_dir(tree)?;
    let home = read_entry(tree, &RepoPath::parse(HOME)?)?;
    let file = match (home == Entry::Dir).then(|| lock_file(tree, RUN_LOCK)).transpose() {
        // A read-only tree may have nothing to undo, and its root is locked.
        Err(ApplyError::Write { .. }) if root.is_some() => None,
        file => file?,
    };
    Ok(RepositoryLock { _root: root, file })
}

/// The lock on a repository; dropping it unlocks.
#[must_use = "dropping it unlocks the repository"]
/// Both locks are released by dropping them.
pub struct RepositoryLock {
    _root: Option<Box<dyn Lock>>,
    file: Option<Box<dyn Lock>>,
}

impl RepositoryLock {
    /// Creates the state folder on disk, with a `.gitignore`. Waits for the disk, so callers run it
    /// in parallel with other work; a commit without it does the same first.
    ///
    /// # Errors
    ///
    /// `Write` and `Read` of the files; none on a read-only tree.
    pub fn init_state_dir(&self, tree: &dyn Tree) -> Result<(), ApplyError> {
        match self.file.as_ref().map(|_| init_state_dir(find_top(tree))) {
            // On a read-only tree nothing can change.
            None | Some(Err(ApplyError::Write { .. })) => Ok(()),
            Some(done) => done,
        }
    }
}

/// Refuses own folders that the repository brings as links to other places.
fn check_own_folders(tree: &dyn Tree) -> Result<(), ApplyError> {
    for folder in OWN_FOLDERS {
        // `entry` does not follow links, so a link to a folder elsewhere is not taken for a
        // folder.
        let path = RepoPath::parse(folder)?;
        if !matches!(read_entry(tree, &path)?, Entry::Dir | Entry::Missing) {
            return Err(not_a_folder(&path));
        }
    }
    Ok(())
}

/// Locks the root folder itself; `None` where the platform or the file system has no such lock.
fn lock_root_dir(tree: &dyn Tree) -> Result<Option<Box<dyn Lock>>, ApplyError> {
    match tree.lock_root() {
        Ok(lock) => Ok(Some(lock)),
        // Another error means that the platform has no such lock; the lock file is used then.
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            Err(ApplyError::Locked { path: RepoPath::parse(RUN_LOCK)? })
        }
        Err(_) => Ok(None),
    }
}

/// Locks an own file, which the repository may have brought as something else.
fn lock_file(tree: &dyn Tree, name: &str) -> Result<Box<dyn Lock>, ApplyError> {
    let path = RepoPath::parse(name)?;
    // A folder or a link in its place was put there by the repository.
    if !matches!(read_entry(tree, &path)?, Entry::Missing | Entry::File { .. }) {
        return Err(ApplyError::broken_journal(&path, "is not a file"));
    }
    tree.lock(&path).map_err(|source| match source.kind() {
        ErrorKind::WouldBlock => ApplyError::Locked { path },
        _ => ApplyError::Write { path, source },
    })
}

/// Creates the folders that are missing.
fn make_folders(tree: &dyn Tree) -> Result<(), ApplyError> {
    let mut is_new = false;
    for folder in [HOME, JOURNALS] {
        let path = RepoPath::parse(folder)?;
        match read_entry(tree, &path)? {
            Entry::Dir => continue,
            Entry::Missing => {}
            _ => return Err(not_a_folder(&path)),
        }
        match tree.create_dir(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => created.map_err(ApplyError::write_failed(&path))?,
        }
        // A new folder has no `.gitignore` yet, which makes `init_state_dir` sync it.
        match path.parent().filter(|_| !is_new) {
            Some(home) => tree.sync_dir(Some(&home)).map_err(ApplyError::write_failed(&home))?,
            None => is_new = true,
        }
    }
    Ok(())
}

/// The locked state folder. No other process of this program changes the tree or the journals
/// while this value exists.
pub(super) struct StateFolder<'a> {
    tree: &'a dyn Tree,
    _lock: Box<dyn Lock>,
}

impl<'a> StateFolder<'a> {
    /// Creates the folder if it is missing and locks it.
    ///
    /// Fails with [`ApplyError::Locked`], [`ApplyError::NotAFolder`] or [`ApplyError::BrokenJournal`] as
    /// [`lock_repository`] does, and with [`ApplyError::Write`] on a full or read-only disk.
    pub(super) fn open_or_create(tree: &'a dyn Tree) -> Result<Self, ApplyError> {
        let tree = find_top(tree);
        make_folders(tree)?;
        let folder = Self::open_locked(tree)?;
        init_state_dir(tree)?;
        Ok(folder)
    }

    /// Locks the folder; `None` when there are no journals.
    ///
    /// Fails with [`ApplyError::NotAFolder`] if an own folder is a link or a file, and with
    /// [`ApplyError::Locked`] if another process has the lock.
    pub(super) fn open_existing(tree: &'a dyn Tree) -> Result<Option<Self>, ApplyError> {
        let tree = find_top(tree);
        check_own_folders(tree)?;
        // Without a folder of journals there is nothing to restore.
        match read_entry(tree, &RepoPath::parse(JOURNALS)?)? {
            Entry::Missing => Ok(None),
            _ => Self::open_locked(tree).map(Some),
        }
    }

    /// Opens the state folder under the lock that is taken. Links in place of its folders are
    /// refused: they would lead writes out of the repository.
    fn open_locked(tree: &'a dyn Tree) -> Result<Self, ApplyError> {
        for folder in [HOME, JOURNALS] {
            let path = RepoPath::parse(folder)?;
            if read_entry(tree, &path)? != Entry::Dir {
                return Err(not_a_folder(&path));
            }
        }
        Ok(Self { tree, _lock: lock_file(tree, LOCK)? })
    }

    /// Returns the tree of the repository's top.
    pub(super) fn tree(&self) -> &'a dyn Tree {
        self.tree
    }

    /// Returns the number and state of every journal, oldest first. Files with other names are
    /// ignored.
    ///
    /// # Errors
    ///
    /// Returns [`ApplyError::Read`] if the folder cannot be listed.
    pub(super) fn list_journals(&self) -> Result<Vec<(u32, JournalState)>, ApplyError> {
        let folder = RepoPath::parse(JOURNALS)?;
        let names = self.tree.list(Some(&folder)).map_err(ApplyError::read_failed(&folder))?;
        let mut found: Vec<_> = names.iter().filter_map(|name| parse_name(name)).collect();
        found.sort_by_key(|(number, _)| *number);
        Ok(found)
    }

    /// Reads the journal with this number (from 1) and checks its seal.
    ///
    /// # Errors
    ///
    /// Returns [`ApplyError::Read`] if the file cannot be read or is longer than [`MAX_JOURNAL`] bytes, and
    /// [`ApplyError::BrokenJournal`] for a file without a valid seal, or with another format.
    pub(super) fn load_journal(
        &self,
        number: u32,
        state: JournalState,
    ) -> Result<ChangeJournal, ApplyError> {
        let path = journal_path(number, state)?;
        if !matches!(read_entry(self.tree, &path)?, Entry::File { .. }) {
            return Err(ApplyError::broken_journal(&path, "is not a file"));
        }
        let bytes = self.tree.read(&path, MAX_JOURNAL).map_err(ApplyError::read_failed(&path))?;
        ChangeJournal::decode(&path, number, self.open_seal(&path, &bytes)?)
    }

    /// Returns the journal below its seal. Anything else in the folder came with the repository, or
    /// was written by its code, and would change files past every gate.
    fn open_seal<'b>(&self, path: &RepoPath, bytes: &'b [u8]) -> Result<&'b [u8], ApplyError> {
        let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
        let (first, journal) = bytes.split_at_checked(end).unwrap_or((bytes, &[]));
        let expected = self.tree.seal(journal).ok().map(|seal| seal_line(Some(seal)));
        if expected.is_some_and(|expected| expected.as_bytes() == first) {
            return Ok(journal);
        }
        let reason = "was not written by this user on this machine for this folder";
        Err(ApplyError::broken_journal(path, reason))
    }

    /// Writes the journal of a change that is about to begin, with the next number.
    ///
    /// Fails as [`write_journal`](Self::write_journal) and [`next_number`](Self::next_number) do; no journal
    /// remains then.
    pub(super) fn begin_journal(
        &self,
        run_id: RunId,
        created_at: String,
        steps: Vec<PathChange>,
    ) -> Result<ChangeJournal, ApplyError> {
        let number = self.next_number()?;
        let journal = ChangeJournal { number, run_id, created_at, steps };
        self.write_journal(&journal)?;
        Ok(journal)
    }

    /// Writes a journal and marks it `begun`; it is on the disk when this returns.
    ///
    /// Fails with [`ApplyError::Write`]. The journal is removed again then, also a `begun` one that was there
    /// before.
    pub(super) fn write_journal(&self, journal: &ChangeJournal) -> Result<(), ApplyError> {
        self.replace_journal(journal).inspect_err(|_| {
            // The tree is untouched; a journal that cannot be removed now is removed by the next
            // The error of the write is reported; the leftover file is harmless.
            // run.
            let _ = self.remove_journal(journal.number, JournalState::Begun);
        })
    }

    /// Writes a journal over an older one that has begun; the older one stays when this fails.
    ///
    /// Fails with [`ApplyError::Write`].
    pub(super) fn replace_journal(&self, journal: &ChangeJournal) -> Result<(), ApplyError> {
        let path = journal_path(journal.number, JournalState::New)?;
        // Written under another name first: a journal cut off by a kill must not count as begun.
        let bytes = journal
            .encode()
            .map_err(|error| ApplyError::Write { path: path.clone(), source: error.into() })?;
        // Without a seal the change can be rolled back by this process, but by no later one.
        let seal = seal_line(self.tree.seal(&bytes).ok());
        let bytes = [seal.as_bytes(), &bytes].concat();
        let written =
            self.tree.create(&path, &bytes, 0o600).map_err(ApplyError::write_failed(&path));
        written
            .and_then(|()| {
                self.mark_journal(journal.number, JournalState::New, JournalState::Begun)
            })
            .inspect_err(|_| {
                let _ = self.tree.remove_file(&path);
            })
    }

    /// Changes the state of a journal by renaming its file, which is atomic, and syncs the
    /// folder.
    ///
    /// Fails with [`ApplyError::Write`]: the journal is in the old state, or in the new one if only the sync
    /// failed.
    pub(super) fn mark_journal(
        &self,
        number: u32,
        from: JournalState,
        to: JournalState,
    ) -> Result<(), ApplyError> {
        // Not synced, the rename could be lost in a power cut although the tree has changed
        // already.
        let (from, to) = (journal_path(number, from)?, journal_path(number, to)?);
        self.tree.rename(&from, &to).map_err(ApplyError::write_failed(&to))?;
        self.sync_journals()
    }

    /// Removes a journal; a missing one is no error.
    ///
    /// Fails with [`ApplyError::Write`].
    pub(super) fn remove_journal(
        &self,
        number: u32,
        state: JournalState,
    ) -> Result<(), ApplyError> {
        let path = journal_path(number, state)?;
        // A journal may have been removed by `git clean`.
        match self.tree.remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            removed => removed.map_err(ApplyError::write_failed(&path))?,
        }
        self.sync_journals()
    }

    /// Returns the run that wrote the journal in that state; `None` when there is none.
    ///
    /// Fails with [`ApplyError::Read`], and with [`ApplyError::BrokenJournal`] as
    /// [`load_journal`](Self::load_journal) does.
    pub(super) fn journal_owner(
        &self,
        number: u32,
        state: JournalState,
    ) -> Result<Option<RunId>, ApplyError> {
        if read_entry(self.tree, &journal_path(number, state)?)? == Entry::Missing {
            return Ok(None);
        }
        self.load_journal(number, state).map(|journal| Some(journal.run_id))
    }

    /// Returns the number for the next journal: one more than the last.
    ///
    /// Fails with [`ApplyError::Read`] if the folder cannot be listed, and with [`ApplyError::BrokenJournal`]
    /// if a file has the last number.
    pub(super) fn next_number(&self) -> Result<u32, ApplyError> {
        let last = self.list_journals()?.last().map_or(0, |(number, _)| *number);
        let path = RepoPath::parse(JOURNALS)?;
        let next = last.checked_add(1);
        next.ok_or_else(|| ApplyError::broken_journal(&path, "has no number left for a journal"))
    }

    /// Removes the journals of undone changes, of changes more than [`DEPTH`] back, and old copies.
    ///
    /// Fails with [`ApplyError::Read`] or [`ApplyError::Write`]; the rest is removed by the next call.
    pub(super) fn prune_journals(&self) -> Result<(), ApplyError> {
        let journals = self.list_journals()?;
        let kept = journals.iter().filter(|(_, state)| *state == JournalState::Kept);
        let old = kept.clone().count().saturating_sub(DEPTH);
        let undone = journals.iter().filter(|(_, state)| *state == JournalState::Undone);
        for (number, state) in undone.chain(kept.take(old)) {
            self.remove_journal(*number, *state)?;
        }
        self.prune_copies(journals.last().map_or(0, |(number, _)| *number))
    }

    /// Deletes copies of files that belong to transactions which cannot be undone any more.
    fn prune_copies(&self, last: u32) -> Result<(), ApplyError> {
        let folder = RepoPath::parse(JOURNALS)?;
        for name in self.tree.list(Some(&folder)).map_err(ApplyError::read_failed(&folder))? {
            let number = name.strip_suffix(COPY).and_then(|name| name.split_once('-'));
            let number = number.and_then(|(number, _)| number.parse::<u32>().ok());
            if number.is_some_and(|number| last.saturating_sub(number) as usize > DEPTH) {
                let path = folder.join(&name)?;
                self.tree.remove_file(&path).map_err(ApplyError::write_failed(&path))?;
            }
        }
        Ok(())
    }

    /// Copies bytes that neither side of the journal has, and returns the path of the copy. `index` is the
    /// number of the step, from 0.
    ///
    /// An existing copy is not replaced. Fails with [`ApplyError::Write`].
    pub(super) fn write_copy(
        &self,
        number: u32,
        index: usize,
        bytes: &[u8],
    ) -> Result<RepoPath, ApplyError> {
        let path = RepoPath::parse(&format!("{JOURNALS}/{number:08}-{index}{COPY}"))?;
        match self.tree.create(&path, bytes, 0o600) {
            // An earlier roll-back that failed later has written it.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            kept => kept.map_err(ApplyError::write_failed(&path))?,
        }
        Ok(path)
    }

    /// Flushes the folder of journals, so that renamed journals survive a loss of power.
    fn sync_journals(&self) -> Result<(), ApplyError> {
        let path = RepoPath::parse(JOURNALS)?;
        self.tree.sync_dir(Some(&path)).map_err(ApplyError::write_failed(&path))
    }
}

/// Returns the path of a journal, such as `00000012.begun` in the folder of journals.
///
/// Fails with [`ApplyError::Path`] for an invalid path, which does not occur: the name has only digits and
/// letters.
pub(super) fn journal_path(number: u32, state: JournalState) -> Result<RepoPath, ApplyError> {
    let name = STATES.iter().find(|(known, _)| *known == state).map_or("", |(_, name)| *name);
    Ok(RepoPath::parse(&format!("{JOURNALS}/{number:08}.{name}"))?)
}

/// Returns the first line of a journal: its seal as 64 hexadecimal digits, or `unsealed`.
fn seal_line(seal: Option<Sha256>) -> String {
    seal.map_or_else(|| "unsealed\n".to_owned(), |seal| format!("{seal}\n"))
}

/// Returns the error of a link or file in the place of an own folder.
fn not_a_folder(path: &RepoPath) -> ApplyError {
    ApplyError::NotAFolder { path: path.clone() }
}

/// Parses the name of a journal, `00000012.begun`: number and state.
fn parse_name(name: &str) -> Option<(u32, JournalState)> {
    let (number, ending) = name.split_once('.')?;
    let (state, _) = STATES.iter().find(|(_, known)| *known == ending)?;
    let parsed: u32 = number.parse().ok()?;
    // Only names that this program writes, so that no two names mean one journal.
    (format!("{parsed:08}") == number).then_some((parsed, *state))
}
