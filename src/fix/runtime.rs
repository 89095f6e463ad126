//! The real world for one run: processes, network, clock, what is secret.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::known_secrets::known_secrets;
use super::session::Session;
use papayu_base::domain::{Event, EventSink};
use papayu_base::text::Masker;
use papayu_system::os::timed::{TimedHttp, TimedProcess};
use papayu_system::os::{OsClock, OsDisk, OsHttp, OsProcess};
use papayu_system::{Clock as _, Http, System};

/// The system interfaces of a run.
pub(crate) struct Runtime {
    /// When the command began, RFC 3339 in UTC.
    pub(crate) started: String,
    disk: OsDisk,
    process: TimedProcess,
    interrupted: Arc<AtomicBool>,
    http: TimedHttp,
    clock: OsClock,
    /// Hides the settings' secrets and those of the environment.
    pub(crate) masker: Arc<Masker>,
}

impl Runtime {
    /// Returns the interfaces; nothing is opened yet. Waiting operations end soon after
    /// `interrupted` becomes true.
    pub(crate) fn new(session: &Session, interrupted: &Arc<AtomicBool>) -> Self {
        Self::through(session, interrupted, Arc::new(OsHttp::new(interrupted.clone())))
    }

    /// Returns the same with the caller's HTTP client.
    pub(crate) fn through(
        session: &Session,
        interrupted: &Arc<AtomicBool>,
        http: Arc<dyn Http>,
    ) -> Self {
        let clock = OsClock::new(interrupted.clone());
        Self {
            started: clock.timestamp(),
            disk: OsDisk,
            process: open_process(session, interrupted, &clock),
            interrupted: interrupted.clone(),
            http: TimedHttp::new(http, clock.clone()),
            clock,
            masker: Arc::new(Masker::new(known_secrets(session))),
        }
    }

    /// Returns the interfaces for a run that ends once its time limit is reached, whatever it does.
    #[must_use]
    pub(crate) fn ending_at(self, limit: Duration) -> Self {
        let clock = self.clock.ending_at(limit);
        Self {
            process: self.process.with_clock(clock.clone()),
            http: self.http.with_clock(clock.clone()),
            clock,
            ..self
        }
    }

    /// Returns the interfaces with the secrets that another run knows, too.
    #[must_use]
    pub(crate) fn with_masker(self, masker: Arc<Masker>) -> Self {
        Self { masker, ..self }
    }

    /// Returns commands for a folder other than the repository: the sandbox is set up for the first folder that it runs in.
    pub(crate) fn open_process(&self, session: &Session) -> TimedProcess {
        open_process(session, &self.interrupted, &self.clock)
    }

    /// Returns the interfaces in the form that the library takes.
    pub(crate) fn system(&self) -> System<'_> {
        System { disk: &self.disk, process: &self.process, http: &self.http, clock: &self.clock }
    }
}

fn open_process(session: &Session, interrupted: &Arc<AtomicBool>, clock: &OsClock) -> TimedProcess {
    let process = OsProcess::new(interrupted.clone(), session.environment.clone())
        .with_sandbox(super::config::sandbox_config(session));
    TimedProcess::new(process, clock.clone())
}

/// Masks secrets in every text of an event before it is passed on.
pub(crate) struct MaskedEvents<'a> {
    pub(crate) sink: &'a dyn EventSink,
    pub(crate) masker: &'a Masker,
}

impl EventSink for MaskedEvents<'_> {
    fn emit(&self, mut event: Event) {
        for (_, value) in &mut event.fields {
            *value = self.masker.masked_json(std::mem::take(value)).into_inner();
        }
        self.sink.emit(event);
    }
}
