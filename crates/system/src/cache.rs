//! A cache of small blobs by key. It may lose any entry at any time; callers recompute what is
//! missing.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

/// A part of the cache that is loaded on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shelf {
    /// The definitions of a file, and the stamp of the file's state.
    Facts,
    /// Callers and callees.
    Calls,
    /// Bags of words.
    Words,
}

impl Shelf {
    /// Every shelf.
    pub const ALL: [Self; 3] = [Self::Facts, Self::Calls, Self::Words];

    /// Returns its name in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Facts => "facts",
            Self::Calls => "calls",
            Self::Words => "words",
        }
    }
}

/// One change of the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheChange {
    /// A blob takes the place of what was there.
    Put(Shelf, String, Vec<u8>),
    /// Every shelf forgets the key.
    Forget(String),
}

/// The cache. Several processes may use one; a caller checks what it gets, because blobs of two
/// shelves may be of different times, and damage is found only by those who know what to expect.
pub trait BlobCache: Send + Sync {
    /// Passes every blob of a shelf to `each`, in no particular order.
    ///
    /// An error when another process locks the cache for too long or it cannot be read; the blobs
    /// passed until then are valid.
    fn load(&self, shelf: Shelf, each: &mut dyn FnMut(String, Vec<u8>)) -> io::Result<()>;

    /// Makes all of the changes or, on an error, none.
    fn change(&self, changes: &[CacheChange]) -> io::Result<()>;
}

/// Records and lists that several machines share. It may lose any of them, and others write to it, so a caller checks
/// what it gets. Nothing fails because of the store, except reading a list.
pub trait SharedStore: Send + Sync {
    /// Returns the records of the keys, in their order; `None` for a key without one.
    fn fetch(&self, keys: &[String]) -> Vec<Option<Vec<u8>>>;

    /// Adds records by key, or replaces them.
    fn add(&self, records: &[(String, Vec<u8>)]);

    /// Appends an item to a list.
    fn append(&self, list: &str, item: &str);

    /// Returns the newest items of a list, at most `most`, the oldest of them first.
    ///
    /// # Errors
    ///
    /// The reason why the store cannot be read.
    fn read_list(&self, list: &str, most: usize) -> Result<Vec<Vec<u8>>, String>;
}

/// A cache that lasts as long as the process.
#[derive(Debug, Default)]
pub struct MemoryCache {
    blobs: Mutex<BTreeMap<(Shelf, String), Vec<u8>>>,
}

impl BlobCache for MemoryCache {
    fn load(&self, shelf: Shelf, each: &mut dyn FnMut(String, Vec<u8>)) -> io::Result<()> {
        let blobs = self.blobs.lock().unwrap_or_else(PoisonError::into_inner);
        for ((_, key), blob) in blobs.iter().filter(|((of, _), _)| *of == shelf) {
            each(key.clone(), blob.clone());
        }
        Ok(())
    }

    fn change(&self, changes: &[CacheChange]) -> io::Result<()> {
        let mut blobs = self.blobs.lock().unwrap_or_else(PoisonError::into_inner);
        for change in changes {
            match change {
                CacheChange::Put(shelf, key, blob) => {
                    blobs.insert((*shelf, key.clone()), blob.clone());
                }
                CacheChange::Forget(key) => {
                    for shelf in Shelf::ALL {
                        blobs.remove(&(shelf, key.clone()));
                    }
                }
            }
        }
        Ok(())
    }
}
