//! Reads the index in the background while the first command runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use super::error::FixError;
use super::indexed::Indexed;
use super::session::Session;
use crate::context::RepositoryIndex;
use crate::engine::FilesSurvey;
use papayu_base::domain::event::{Event, EventName, EventSink};
use papayu_index::Index;
use papayu_quickfix::IndexSource;
use papayu_system::{System, core_count, lower_priority, spawn_workers};

/// Maximum number of files listed.
const MAX_FILES: usize = 50_000;
/// The time for a command that passes at once, which needs no index.
const HEAD_START: Duration = Duration::from_millis(50);

/// The index of the repository. The first caller reads it, all others wait.
pub(super) struct BackgroundIndex<'a> {
    session: &'a Session,
    system: System<'a>,
    events: &'a dyn EventSink,
    code: OnceLock<Result<Indexed, FixError>>,
    files: OnceLock<Vec<String>>,
    /// True if the index was requested and could not be read.
    missed: AtomicBool,
    demand: Demand,
    nothing: Index,
}

/// The need for the index: `true`, `false`, or `None` until it is known.
#[derive(Default)]
struct Demand(Mutex<Option<bool>>, Condvar);

impl Demand {
    /// Records the answer; the first one counts.
    fn settle(&self, is_needed: bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(is_needed);
        self.1.notify_all();
    }

    /// Waits for the answer; after a while the index is read in any case.
    fn wait(&self) -> bool {
        let settled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.1.wait_timeout_while(settled, HEAD_START, |settled| settled.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.unwrap_or(true)
    }
}

impl<'a> BackgroundIndex<'a> {
    /// Creates the index; nothing is read yet.
    pub(super) fn new(session: &'a Session, system: System<'a>, events: &'a dyn EventSink) -> Self {
        let (code, files, missed, demand, nothing) = Default::default();
        Self { session, system, events, code, files, missed, demand, nothing }
    }

    /// Runs the job while another thread reads the index.
    ///
    /// The job must call its argument before it runs a command. It returns once every file is
    /// listed, so that a command cannot replace a folder by a link during the walk. Without a
    /// second thread the index is read in that call.
    pub(super) fn run_alongside<T>(&self, job: impl FnOnce(&dyn Fn()) -> T) -> T {
        // On one core a second thread would only compete with the command.
        if core_count() == 1 {
            let read = || {
                self.get_or_read(self.events, &|| true);
            };
            return job(&read);
        }
        let (to, found) = mpsc::channel();
        thread::scope(|scope| {
            let read = || {
                let to = to.clone();
                move || {
                    let tell = || {
                        let _ = to.send(());
                        self.demand.wait()
                    };
                    self.get_or_read(&LowersPriority(self.events), &tell);
                }
            };
            let _ = spawn_workers(scope, "reading", 1, read);
            // If the thread could not be started, this ends the wait below.
            drop(to);
            let wait = || {
                let _ = found.recv();
            };
            let done = job(&wait);
            self.demand.settle(false);
            done
        })
    }

    /// Writes what was parsed to the cache. Returns the error of reading the index, if the index was
    /// requested.
    pub(super) fn finish(self) -> Option<FixError> {
        let missed = self.missed.into_inner();
        match self.code.into_inner()? {
            Ok(code) => {
                code.keep_parsed();
                None
            }
            Err(error) => Some(error).filter(|_| missed),
        }
    }

    /// Returns the index for a caller that needs it.
    fn read(&self) -> &Result<Indexed, FixError> {
        self.demand.settle(true);
        self.get_or_read(self.events, &|| true)
    }

    /// Reads the index, or waits if another thread is reading it.
    fn get_or_read(
        &self,
        events: &dyn EventSink,
        found: &dyn Fn() -> bool,
    ) -> &Result<Indexed, FixError> {
        self.code.get_or_init(|| Indexed::read_index(self.session, self.system, events, found))
    }
}

impl IndexSource for BackgroundIndex<'_> {
    /// An empty index where the files could not be read.
    fn index(&self) -> &Index {
        let code = self.read().as_ref();
        code.map_or(&self.nothing, |code| code.known().index)
    }
}

impl FilesSurvey for BackgroundIndex<'_> {
    fn known(&self) -> Option<RepositoryIndex<'_>> {
        let code = self.read().as_ref().map(Indexed::known);
        code.inspect_err(|_| self.missed.store(true, Ordering::Relaxed)).ok()
    }

    fn files(&self) -> &[String] {
        let code = || self.read().as_ref();
        self.files.get_or_init(|| code().map(|code| code.files(MAX_FILES)).unwrap_or_default())
    }
}

/// Lowers the priority of indexing in large repositories.
///
/// The result of the user's command must not depend on our load. In a small repository a lower
/// priority would only delay the index.
struct LowersPriority<'a>(&'a dyn EventSink);

impl EventSink for LowersPriority<'_> {
    fn emit(&self, event: Event) {
        if event.name == EventName::IndexLarge {
            lower_priority();
        }
        self.0.emit(event);
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test uses real files")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    use super::*;
    use crate::fix::SessionSource;
    use papayu_base::domain::event::NoEvents;
    use papayu_system::os::{OsClock, OsDisk, OsHttp, OsProcess};

    #[test]
    fn folders_that_become_links_when_all_is_found_lead_nowhere() {
        let (repo, runtime) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(runtime.path().join("theirs.py"), "def theirs(): pass\n").unwrap();
        let folder = |number: usize| repo.path().join(format!("f{number}"));
        for number in 0..300 {
            fs::create_dir(folder(number)).unwrap();
            for name in ["a.py", "b.py"] {
                fs::write(folder(number).join(name), "def ours(): pass\n").unwrap();
            }
        }
        let place = SessionSource { repo: repo.path().to_owned(), ..SessionSource::default() };
        let session = Session::open(place).unwrap();
        let flag = Arc::new(AtomicBool::new(false));
        let (process, clock) =
            (OsProcess::new(flag.clone(), Vec::new()), OsClock::new(flag.clone()));
        let http = OsHttp::new(flag);
        let system = System { disk: &OsDisk, process: &process, http: &http, clock: &clock };
        let reading = BackgroundIndex::new(&session, system, &NoEvents);
        reading.run_alongside(|found| {
            found();
            for number in 0..300 {
                fs::rename(folder(number), repo.path().join(format!("moved{number}"))).unwrap();
                symlink(runtime.path(), folder(number)).unwrap();
            }
            assert_eq!(reading.files().len(), 600);
        });
        assert!(reading.index().definitions("theirs").is_empty());
        assert!(reading.finish().is_none());
        // A command that passes at once needs none.
        let unread = BackgroundIndex::new(&session, system, &NoEvents);
        unread.run_alongside(|found| found());
        assert!(unread.files().is_empty() && unread.code.get().is_some_and(Result::is_err));
    }
}
