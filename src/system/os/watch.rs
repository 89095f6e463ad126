//! Change notifications of the operating system; a watcher reports when it cannot cover a folder.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::system::survey::{News, Watcher};

/// True where one watch covers a whole tree at no cost. Linux counts each folder, and folders that
/// `.gitignore` names are often most of them.
const WHOLE: bool = cfg!(not(any(target_os = "linux", target_os = "android")));

/// Removed folders remembered by name; beyond this number every watch is set again.
const MAX_LOST: usize = 4096;

/// Watches the folders of one repository.
pub struct OsWatcher {
    root: PathBuf,
    source: RecommendedWatcher,
    inbox: Arc<Inbox>,
    watched: BTreeSet<String>,
    /// Some folder has no watch.
    blind: bool,
}

#[derive(Default)]
struct Inbox {
    mail: Mutex<Mail>,
    arrived: Condvar,
}

#[derive(Default)]
struct Mail {
    changed: bool,
    /// Paths that were removed or moved together with their watches.
    lost: BTreeSet<PathBuf>,
    lost_all: bool,
}

impl Inbox {
    fn lock_mail(&self) -> MutexGuard<'_, Mail> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that an event occurred. Its details are dropped, because a scan of the disk is more
    /// exact.
    fn note_event(&self, root: &Path, event: notify::Result<Event>) {
        let mut mail = self.lock_mail();
        match event {
            Ok(event) if event.need_rescan() => mail.lost_all = true,
            Ok(event) => {
                if !is_relevant(root, &event) {
                    return;
                }
                if matches!(
                    event.kind,
                    EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
                ) {
                    mail.lost.extend(event.paths);
                    mail.lost_all |= mail.lost.len() > MAX_LOST;
                }
            }
            Err(_) => mail.lost_all = true,
        }
        mail.changed = true;
        self.arrived.notify_all();
    }
}

/// Returns true for an event that can change the index: not a read, and not in `.git` or our
/// folder.
fn is_relevant(root: &Path, event: &Event) -> bool {
    let is_own = |path: &PathBuf| {
        let below = path.strip_prefix(root).ok();
        let first = below.and_then(|below| below.components().next());
        first.is_some_and(|first| [".git", ".papa-yu"].iter().any(|own| first.as_os_str() == *own))
    };
    !matches!(event.kind, EventKind::Access(_))
        && (event.paths.is_empty() || !event.paths.iter().all(is_own))
}

impl OsWatcher {
    /// Returns a watcher that watches nothing yet. Fails when the system gives no news at all.
    pub fn new(root: &Path) -> io::Result<Self> {
        let inbox = Arc::<Inbox>::default();
        let (to, above) = (Arc::clone(&inbox), root.to_owned());
        let source = notify::recommended_watcher(move |event| to.note_event(&above, event));
        let source = source.map_err(io::Error::other)?;
        let (root, watched) = (root.to_owned(), BTreeSet::new());
        Ok(Self { root, source, inbox, watched, blind: false })
    }

    /// Removes the watches of folders that no longer exist or have moved.
    fn let_go(&mut self, wanted: &BTreeSet<String>) {
        let mut mail = self.inbox.lock_mail();
        let (lost, all) = (std::mem::take(&mut mail.lost), std::mem::take(&mut mail.lost_all));
        drop(mail);
        let is_lost = |folder: &String| {
            all || !wanted.contains(folder)
                || !lost.is_empty()
                    && self.root.join(folder).ancestors().any(|path| lost.contains(path))
        };
        let gone: Vec<_> = self.watched.iter().filter(|folder| is_lost(folder)).cloned().collect();
        for folder in gone {
            // The system has removed most of these watches itself.
            let _ = self.source.unwatch(&folder_path(&self.root, &folder));
            self.watched.remove(&folder);
        }
    }
}

fn folder_path(root: &Path, folder: &str) -> PathBuf {
    if folder.is_empty() { root.to_owned() } else { root.join(folder) }
}

impl Watcher for OsWatcher {
    fn follow(&mut self, folders: &[String]) -> io::Result<bool> {
        let wanted: BTreeSet<String> =
            folders.iter().filter(|folder| !WHOLE || folder.is_empty()).cloned().collect();
        self.let_go(&wanted);
        self.blind = false;
        let mut new = false;
        for folder in wanted {
            if self.watched.contains(&folder) {
                continue;
            }
            let mode = if WHOLE { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
            let place = folder_path(&self.root, &folder);
            match self.source.watch(&place, mode) {
                Ok(()) => {
                    self.watched.insert(folder);
                    new = true;
                }
                // The next look no longer finds it.
                Err(_) if !place.is_dir() => {}
                Err(_) => self.blind = true,
            }
        }
        Ok(new)
    }

    fn is_blind(&self) -> bool {
        self.blind
    }

    fn news(&mut self, wait: Duration) -> io::Result<News> {
        let mail = self.inbox.lock_mail();
        let waited = self.inbox.arrived.wait_timeout_while(mail, wait, |mail| !mail.changed);
        let (mut mail, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let changed = std::mem::take(&mut mail.changed);
        Ok(if changed { News::Changed } else { News::Quiet })
    }
}
