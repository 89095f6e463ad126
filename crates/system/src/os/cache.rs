//! The cache as a `SQLite` file that several processes may share; an unusable file is replaced.
#![expect(clippy::disallowed_methods, reason = "only this module uses the disk")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::cache::{BlobCache, CacheChange, Shelf};

/// The `SQLite` application id of our files: `papy` as a number.
const APPLICATION: i32 = 0x7061_7079;

/// Longest wait for another process. A longer one would take more time than recomputing
/// everything.
const PATIENCE: Duration = Duration::from_millis(400);

/// A write-ahead log would need shared memory, which network disks lack. A power cut may damage the
/// file; every reader of a blob checks it.
const SETUP: &str =
    "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY;
    PRAGMA page_size=8192; PRAGMA cache_size=-2000; PRAGMA synchronous=OFF;";

/// Cache size while writing, in KiB as a negative number. Keys come in no order, so pages are
/// visited many times; a read goes over the file once and needs less.
const ROOM_TO_WRITE: &str = "PRAGMA cache_size=-12000";

/// A cache in one file.
#[derive(Debug)]
pub struct OsCache {
    /// The file.
    path: PathBuf,
    /// A text that changes with the version of the data, so that an old cache is not used.
    stamp: String,
    /// Opened on first use.
    connection: Mutex<Option<Connection>>,
}

/// The content of the file.
enum CacheContent {
    /// Nothing yet.
    Nothing,
    /// This version's cache.
    Ours,
    /// Another version's cache, or a damaged one.
    Stale,
    /// The data of another program.
    Foreign,
}

impl OsCache {
    /// Returns the cache in this file; its folder is created on first use. A file with another
    /// stamp is replaced.
    pub fn new(path: &Path, stamp: &str) -> Self {
        Self { path: path.to_owned(), stamp: stamp.to_owned(), connection: Mutex::new(None) }
    }

    /// Does something with the open file. A damaged file is removed.
    ///
    /// # Errors
    ///
    /// Returns `InvalidData` for damage, and the error of the file system or `SQLite` for
    /// anything else.
    fn with_connection<T>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, CacheFault>,
    ) -> io::Result<T> {
        let mut held = self.lock_connection();
        if held.is_none() {
            *held = Some(self.open_or_replace()?);
        }
        let Some(connection) = held.as_mut() else { return Err(io::ErrorKind::NotFound.into()) };
        job(connection).map_err(|trouble| match trouble {
            CacheFault::Passing(error) => error,
            CacheFault::Damage => {
                *held = None;
                self.remove_files();
                io::ErrorKind::InvalidData.into()
            }
        })
    }

    /// Returns the connection. A thread that panicked leaves a usable one: `SQLite` rolls its
    /// transaction back.
    fn lock_connection(&self) -> MutexGuard<'_, Option<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the cache, and replaces a damaged one: everything in it can be computed again.
    fn open_or_replace(&self) -> io::Result<Connection> {
        match self.try_open() {
            Ok(connection) => Ok(connection),
            Err(CacheFault::Passing(error)) => Err(error),
            Err(CacheFault::Damage) => {
                self.remove_files();
                self.try_open().map_err(CacheFault::into_io)
            }
        }
    }

    /// Opens the cache file and checks its form.
    fn try_open(&self) -> Result<Connection, CacheFault> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        // An old cache in a folder that cannot be written is still worth reading.
        let made = fs::create_dir_all(folder);
        let folder = fs::canonicalize(folder).map_err(|error| made.err().unwrap_or(error))?;
        let path = folder.join(self.path.file_name().unwrap_or_default());
        // SQLite would wait for a pipe's other end, and follow a link.
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            let message = format!("`{}` is not a regular file", path.display());
            return Err(io::Error::new(io::ErrorKind::Unsupported, message).into());
        }
        let shared = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let write = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | shared;
        let read = OpenFlags::SQLITE_OPEN_READ_ONLY | shared;
        let mut connection = Connection::open_with_flags(&path, write)
            .or_else(|_| Connection::open_with_flags(&path, read))?;
        connection.busy_timeout(PATIENCE)?;
        // The file may come from elsewhere: with these options a crafted schema cannot run code
        // (sqlite.org/security.html).
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
        connection.execute_batch(SETUP)?;
        self.prepare_tables(&mut connection)?;
        Ok(connection)
    }

    /// Makes the tables where there are none; two processes may be at it.
    // Checked again under the lock: another process may create the tables at the same time.
    fn prepare_tables(&self, connection: &mut Connection) -> Result<(), CacheFault> {
        if matches!(self.classify_content(connection)?, CacheContent::Nothing) {
            let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if matches!(self.classify_content(&begun)?, CacheContent::Nothing) {
                begun.execute_batch(&format!("PRAGMA application_id={APPLICATION}"))?;
                for table in table_statements() {
                    begun.execute_batch(&table)?;
                }
                begun.execute("INSERT INTO stamp(value) VALUES (?1)", [&self.stamp])?;
                begun.commit()?;
            }
        }
        match self.classify_content(connection)? {
            CacheContent::Ours => Ok(()),
            CacheContent::Foreign => {
                let message = format!("`{}` has the data of another program", self.path.display());
                Err(io::Error::new(io::ErrorKind::AlreadyExists, message).into())
            }
            CacheContent::Stale | CacheContent::Nothing => Err(CacheFault::Damage),
        }
    }

    /// Returns whether the database is ours, empty, or that of another program, which is not
    /// touched.
    fn classify_content(&self, connection: &Connection) -> Result<CacheContent, CacheFault> {
        let application: i32 =
            connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        let mut statement = connection
            .prepare("SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY rowid")?;
        let found = statement.query_map([], |row| row.get::<_, String>(0))?;
        let found = found.collect::<Result<Vec<_>, _>>()?;
        Ok(match (application, found) {
            (0, found) if found.is_empty() => CacheContent::Nothing,
            (APPLICATION, found) if found == table_statements() => {
                let stamp: String =
                    connection.query_row("SELECT value FROM stamp", [], |row| row.get(0))?;
                if stamp == self.stamp { CacheContent::Ours } else { CacheContent::Stale }
            }
            (APPLICATION, _) => CacheContent::Stale,
            _ => CacheContent::Foreign,
        })
    }

    /// Removes the file; a process that has it open continues with the unlinked one.
    fn remove_files(&self) {
        let mut journal = self.path.clone().into_os_string();
        journal.push("-journal");
        let _ = fs::remove_file(journal);
        let _ = fs::remove_file(&self.path);
    }
}

/// The statements that make the tables, as the file itself keeps them.
fn table_statements() -> Vec<String> {
    let stamp = "CREATE TABLE stamp(value TEXT NOT NULL)".to_owned();
    let shelf = |shelf: Shelf| {
        format!("CREATE TABLE {}(key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL)", shelf.name())
    };
    std::iter::once(stamp).chain(Shelf::ALL.map(shelf)).collect()
}

impl BlobCache for OsCache {
    fn load(&self, shelf: Shelf, each: &mut dyn FnMut(String, Vec<u8>)) -> io::Result<()> {
        self.with_connection(|connection| {
            // In the order they lie in, which is one pass over the file.
            let all = format!("SELECT key, value FROM {} ORDER BY rowid", shelf.name());
            let mut statement = connection.prepare(&all)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (ValueRef::Text(key), ValueRef::Blob(blob)) =
                    (row.get_ref(0)?, row.get_ref(1)?)
                else {
                    return Err(CacheFault::Damage);
                };
                let key = std::str::from_utf8(key).map_err(|_| CacheFault::Damage)?;
                each(key.to_owned(), blob.to_owned());
            }
            Ok(())
        })
    }

    fn change(&self, changes: &[CacheChange]) -> io::Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        self.with_connection(|connection| {
            connection.execute_batch(ROOM_TO_WRITE)?;
            let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            {
                let mut puts = Vec::new();
                let mut forgets = Vec::new();
                for shelf in Shelf::ALL {
                    let table = shelf.name();
                    let put = format!("INSERT OR REPLACE INTO {table} VALUES (?1, ?2)");
                    puts.push((shelf, begun.prepare(&put)?));
                    forgets.push(begun.prepare(&format!("DELETE FROM {table} WHERE key = ?1"))?);
                }
                for change in changes {
                    match change {
                        CacheChange::Put(shelf, key, blob) => {
                            for (_, put) in puts.iter_mut().filter(|(of, _)| of == shelf) {
                                put.execute((key, blob))?;
                            }
                        }
                        CacheChange::Forget(key) => {
                            for forget in &mut forgets {
                                forget.execute([key])?;
                            }
                        }
                    }
                }
            }
            begun.commit()?;
            Ok(())
        })
    }
}

/// Why the file cannot be used.
enum CacheFault {
    /// For now, or by this process; the file may be good.
    Passing(io::Error),
    /// The content is not what was written.
    Damage,
}

impl CacheFault {
    /// Returns the error for callers outside of this file.
    fn into_io(self) -> io::Error {
        match self {
            Self::Passing(error) => error,
            Self::Damage => io::ErrorKind::InvalidData.into(),
        }
    }
}

impl From<io::Error> for CacheFault {
    fn from(error: io::Error) -> Self {
        Self::Passing(error)
    }
}

impl From<rusqlite::Error> for CacheFault {
    fn from(error: rusqlite::Error) -> Self {
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => io::ErrorKind::WouldBlock,
            Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                io::ErrorKind::PermissionDenied
            }
            Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory) => {
                io::ErrorKind::Other
            }
            // Every other error of `SQLite` shows content that this program did not write.
            _ => return Self::Damage,
        };
        Self::Passing(io::Error::new(kind, error))
    }
}

#[cfg(test)]
mod tests;
