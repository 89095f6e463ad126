//! The repository's files and their content, read while the first command runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{OnceLock, mpsc};
use std::thread;

use super::error::FixError;
use super::indexed::Indexed;
use super::session::Session;
use crate::context::Known;
use crate::domain::event::{Event, EventName, EventSink};
use crate::engine::Survey;
use crate::index::Index;
use crate::quickfix::IndexSource;
use crate::system::{System, core_count, lower_priority, spawn_workers};

/// Files listed of a repository at the most.
const MAX_FILES: usize = 50_000;

/// Reads once, in the first caller; all other callers wait for it.
pub(super) struct Reading<'a> {
    session: &'a Session,
    system: System<'a>,
    events: &'a dyn EventSink,
    code: OnceLock<Result<Indexed, FixError>>,
    files: OnceLock<Vec<String>>,
    /// `true` after a caller requested content that could not be read.
    missed: AtomicBool,
    nothing: Index,
}

impl<'a> Reading<'a> {
    /// Nothing is read yet.
    pub(super) fn new(session: &'a Session, system: System<'a>, events: &'a dyn EventSink) -> Self {
        let (code, files, missed, nothing) = Default::default();
        Self { session, system, events, code, files, missed, nothing }
    }

    /// Does the job, and reads meanwhile where a thread is worth it and to be had. What the job is given returns
    /// once every file is found, and has to be called before a command runs: the walk over folders must not see one
    /// become a link that leads elsewhere. Where there is no thread, all is read there.
    pub(super) fn meanwhile<T>(&self, job: impl FnOnce(&dyn Fn()) -> T) -> T {
        if core_count() == 1 {
            let read = || {
                self.code(self.events, &|| ());
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
                    };
                    self.code(&GivesWay(self.events), &tell);
                }
            };
            let _ = spawn_workers(scope, "reading", 1, read);
            // Without the thread there is no other sender.
            drop(to);
            let wait = || {
                let _ = found.recv();
            };
            job(&wait)
        })
    }

    /// Returns why the files could not be read, where somebody wanted to know what is in them.
    pub(super) fn error(self) -> Option<FixError> {
        let missed = self.missed.into_inner();
        self.code.into_inner().and_then(Result::err).filter(|_| missed)
    }

    /// Reads, unless somebody has or does: then that is waited for.
    fn code(
        &self,
        events: &dyn EventSink,
        found: &(dyn Fn() + Sync),
    ) -> &Result<Indexed, FixError> {
        self.code.get_or_init(|| Indexed::read(self.session, self.system, events, found))
    }
}

impl IndexSource for Reading<'_> {
    /// An empty index where the files could not be read.
    fn index(&self) -> &Index {
        let code = self.code(self.events, &|| ()).as_ref();
        code.map_or(&self.nothing, |code| code.known().index)
    }
}

impl Survey for Reading<'_> {
    fn known(&self) -> Option<Known<'_>> {
        let code = self.code(self.events, &|| ()).as_ref().map(Indexed::known);
        code.inspect_err(|_| self.missed.store(true, Ordering::Relaxed)).ok()
    }

    fn files(&self) -> &[String] {
        let code = || self.code(self.events, &|| ()).as_ref();
        self.files.get_or_init(|| code().map(|code| code.files(MAX_FILES)).unwrap_or_default())
    }
}

/// Lowers the priority of the reading thread in a large repository: the result of the user's command must not
/// depend on our load. In a small repository the change of priority would take longer than the reading.
struct GivesWay<'a>(&'a dyn EventSink);

impl EventSink for GivesWay<'_> {
    fn emit(&self, event: Event) {
        if event.name == EventName::IndexLarge {
            lower_priority();
        }
        self.0.emit(event);
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the door is tested on real files")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    use super::*;
    use crate::domain::event::NoEvents;
    use crate::fix::Place;
    use crate::system::os::{OsClock, OsDisk, OsHttp, OsProcess};

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
        let place = Place { repo: repo.path().to_owned(), ..Place::default() };
        let session = Session::open(place).unwrap();
        let flag = Arc::new(AtomicBool::new(false));
        let (process, clock) =
            (OsProcess::new(flag.clone(), Vec::new()), OsClock::new(flag.clone()));
        let http = OsHttp::new(flag);
        let system = System { disk: &OsDisk, process: &process, http: &http, clock: &clock };
        let reading = Reading::new(&session, system, &NoEvents);
        reading.meanwhile(|found| {
            found();
            for number in 0..300 {
                fs::rename(folder(number), repo.path().join(format!("moved{number}"))).unwrap();
                symlink(runtime.path(), folder(number)).unwrap();
            }
        });
        assert_eq!(reading.files().len(), 600);
        assert!(reading.index().definitions("theirs").is_empty());
        assert!(reading.error().is_none());
    }
}
