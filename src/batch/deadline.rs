//! The time limit of a task outside of its run, and a message about a task that takes long.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use papayu_base::domain::SandboxRecord;
use papayu_system::{Clock, CommandSpec, End, Process, Stream};

/// The time after which a task is reported as slow.
pub(crate) const SLOW: Duration = Duration::from_secs(5);

/// Commands that end with the time of a task. A run has a clock of its own for this; the clone before it has none.
pub(super) struct LimitedProcess<'a> {
    inner: &'a dyn Process,
    clock: &'a dyn Clock,
    /// The end, on the clock.
    end: Duration,
}

impl<'a> LimitedProcess<'a> {
    /// Returns the commands for the time that begins now.
    pub(super) fn new(inner: &'a dyn Process, clock: &'a dyn Clock, limit: Duration) -> Self {
        Self { inner, clock, end: clock.elapsed().saturating_add(limit) }
    }

    /// Returns the time that is left.
    pub(super) fn time_left(&self) -> Duration {
        self.end.saturating_sub(self.clock.elapsed())
    }

    /// Returns the command with the time that is left; `None` if there is none.
    fn limited(&self, command: &CommandSpec) -> Option<CommandSpec> {
        let timeout = command.timeout.min(self.time_left());
        (!timeout.is_zero()).then(|| CommandSpec { timeout, ..command.clone() })
    }
}

impl Process for LimitedProcess<'_> {
    fn run(&self, command: &CommandSpec, output: &mut dyn FnMut(&[u8])) -> io::Result<End> {
        let Some(limited) = self.limited(command) else { return Ok(End::TimedOut) };
        self.inner.run(&limited, output)
    }

    fn run_apart(
        &self,
        command: &CommandSpec,
        input: &[u8],
        output: &mut dyn FnMut(Stream, &[u8]),
    ) -> io::Result<End> {
        let Some(limited) = self.limited(command) else { return Ok(End::TimedOut) };
        self.inner.run_apart(&limited, input, output)
    }

    fn sandbox_record(&self) -> Option<SandboxRecord> {
        self.inner.sandbox_record()
    }
}

/// Does the work, and calls `notice` if it takes longer than [`SLOW`].
pub(crate) fn with_notice<T>(notice: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    let (working, ended) = channel::<()>();
    thread::scope(move |scope| {
        let wait = move || {
            if ended.recv_timeout(SLOW) == Err(RecvTimeoutError::Timeout) {
                notice();
            }
        };
        // Without a thread, the work is done without the notice.
        drop(thread::Builder::new().name("notice".to_owned()).spawn_scoped(scope, wait));
        let done = work();
        drop(working);
        done
    })
}
