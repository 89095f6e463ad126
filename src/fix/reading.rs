//! The repository's files and what they hold, read while the first command runs.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::error::FixError;
use super::indexed::Indexed;
use super::session::Session;
use crate::context::Known;
use crate::domain::event::{Event, EventName, EventSink};
use crate::engine::Survey;
use crate::index::Index;
use crate::index::language::spawn_roomy;
use crate::system::{System, cores, give_way};

/// Files listed of a repository at the most.
const MAX_FILES: usize = 50_000;

/// Read once, by whoever asks first; all others wait for it.
pub(super) struct Reading<'a> {
    session: &'a Session,
    system: System<'a>,
    events: &'a dyn EventSink,
    code: OnceLock<Result<Indexed, FixError>>,
    files: OnceLock<Vec<String>>,
    /// Whether somebody wanted what could not be read.
    missed: AtomicBool,
    nothing: Index,
}

impl<'a> Reading<'a> {
    /// Nothing is read yet.
    pub(super) fn new(session: &'a Session, system: System<'a>, events: &'a dyn EventSink) -> Self {
        let (code, files, missed, nothing) = Default::default();
        Self { session, system, events, code, files, missed, nothing }
    }

    /// Does the job, and reads meanwhile where a thread is worth it and to be had.
    pub(super) fn meanwhile<T>(&self, job: impl FnOnce() -> T) -> T {
        if cores() == 1 {
            return job();
        }
        thread::scope(|scope| {
            let read = || {
                self.code(&GivesWay(self.events));
            };
            let _ = spawn_roomy(scope, ("reading", 1), || read);
            job()
        })
    }

    /// Reads now where no thread does it meanwhile.
    pub(super) fn begin(&self) {
        if cores() == 1 {
            self.code(self.events);
        }
    }

    /// Returns what the files define; nothing where they could not be read.
    pub(super) fn index(&self) -> &Index {
        self.known().map_or(&self.nothing, |known| known.index)
    }

    /// Returns why the files could not be read, where somebody wanted to know what is in them.
    pub(super) fn error(self) -> Option<FixError> {
        let missed = self.missed.into_inner();
        self.code.into_inner().and_then(Result::err).filter(|_| missed)
    }

    /// Reads, unless somebody has or does: then that is waited for.
    fn code(&self, events: &dyn EventSink) -> &Result<Indexed, FixError> {
        self.code.get_or_init(|| Indexed::read(self.session, self.system, events))
    }
}

impl Survey for Reading<'_> {
    fn known(&self) -> Option<Known<'_>> {
        let code = self.code(self.events).as_ref().map(Indexed::known);
        code.inspect_err(|_| self.missed.store(true, Ordering::Relaxed)).ok()
    }

    fn files(&self) -> &[String] {
        let code = || self.code(self.events).as_ref();
        self.files.get_or_init(|| code().map(|code| code.files(MAX_FILES)).unwrap_or_default())
    }
}

/// Told that the repository is large, the thread that reads it gives way: what the user's command proves must not
/// depend on how busy we are. With a small one it would wait longer than it works.
struct GivesWay<'a>(&'a dyn EventSink);

impl EventSink for GivesWay<'_> {
    fn emit(&self, event: Event) {
        if event.name == EventName::IndexLarge {
            give_way();
        }
        self.0.emit(event);
    }
}
