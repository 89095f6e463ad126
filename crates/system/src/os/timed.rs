//! The time limit of a run as a limit of each command and each exchange: none can be started without it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::{OsClock, OsProcess};
use crate::{CommandSpec, End, Http, HttpError, HttpRequest, HttpResponse, Process, Stream};
use papayu_base::domain::SandboxRecord;

/// Commands that end with the run, or with a part of it.
#[derive(Debug)]
pub struct TimedProcess<P = OsProcess> {
    inner: P,
    clock: OsClock,
}

/// Exchanges that end with the run.
#[derive(Clone)]
pub struct TimedHttp {
    inner: Arc<dyn Http>,
    clock: OsClock,
}

impl<P: Process> TimedProcess<P> {
    /// Returns the commands with the time limit of the clock.
    pub fn new(inner: P, clock: OsClock) -> Self {
        Self { inner, clock }
    }

    /// Returns the same commands with the time limit of another clock.
    #[must_use]
    pub fn with_clock(self, clock: OsClock) -> Self {
        Self { clock, ..self }
    }

    /// Returns the command with the time that is left; `None` if there is none.
    fn limited(&self, command: &CommandSpec) -> Option<CommandSpec> {
        let timeout = self.clock.limit(command.timeout);
        (!timeout.is_zero()).then(|| CommandSpec { timeout, ..command.clone() })
    }
}

impl<P: Process> Process for TimedProcess<P> {
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

impl TimedHttp {
    /// Returns the exchanges with the time limit of the clock.
    pub fn new(inner: Arc<dyn Http>, clock: OsClock) -> Self {
        Self { inner, clock }
    }

    /// Returns the same exchanges with the time limit of another clock.
    #[must_use]
    pub fn with_clock(self, clock: OsClock) -> Self {
        Self { clock, ..self }
    }

    /// Returns the request with the time that is left.
    fn limited(&self, request: &HttpRequest) -> Result<HttpRequest, HttpError> {
        let timeout = self.clock.limit(request.timeout);
        if timeout.is_zero() {
            return Err(HttpError::Timeout(Duration::ZERO));
        }
        Ok(HttpRequest { timeout, ..request.clone() })
    }
}

impl Http for TimedHttp {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, HttpError> {
        self.inner.send(&self.limited(request)?)
    }

    fn stream(
        &self,
        request: &HttpRequest,
        body: &mut dyn FnMut(&[u8]),
    ) -> Result<HttpResponse, HttpError> {
        self.inner.stream(&self.limited(request)?, body)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{Method, PrivateHosts};

    #[test]
    fn a_command_ends_with_the_run_and_none_starts_long_after_it() {
        let clock = OsClock::new(Arc::default()).ending_at(Duration::from_millis(100));
        let process = TimedProcess::new(OsProcess::new(Arc::default(), Vec::new()), clock.clone());
        let command = |seconds: &str| CommandSpec {
            argv: vec!["/bin/sleep".to_owned(), seconds.to_owned()],
            cwd: PathBuf::from("/"),
            env: Vec::new(),
            keep_env: Vec::new(),
            timeout: Duration::from_mins(9),
            max_output: 100,
            confinement: None,
        };
        let end = |seconds: &str| process.run(&command(seconds), &mut |_| {}).unwrap();
        assert_eq!(end("600"), End::TimedOut);
        // What puts the files back has a moment.
        assert_eq!(end("0"), End::Code(0));
        let late = OsClock::new(Arc::default()).ending_at(Duration::ZERO);
        assert!(late.limit(Duration::from_mins(1)) < Duration::from_secs(2));
        while !clock.limit(Duration::from_mins(1)).is_zero() {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(end("0"), End::TimedOut);
    }

    /// Says how long it may take.
    struct Asked;

    impl Http for Asked {
        fn send(&self, request: &HttpRequest) -> Result<HttpResponse, HttpError> {
            Err(HttpError::Timeout(request.timeout))
        }
    }

    #[test]
    fn an_exchange_has_the_time_that_the_run_has() {
        let request = HttpRequest {
            method: Method::Get,
            url: "http://127.0.0.1:9/".to_owned(),
            headers: Vec::new(),
            body: None,
            timeout: Duration::from_mins(15),
            max_bytes: 1,
            private_hosts: PrivateHosts::Allowed,
        };
        let limit = |clock: OsClock| match TimedHttp::new(Arc::new(Asked), clock).send(&request) {
            Err(HttpError::Timeout(limit)) => limit,
            other => panic!("{other:?}"),
        };
        let clock = || OsClock::new(Arc::default());
        assert_eq!(limit(clock()), Duration::from_mins(15));
        assert!(limit(clock().ending_at(Duration::from_secs(10))) <= Duration::from_secs(10));
    }
}
