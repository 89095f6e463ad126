//! Any provider, with every exchange kept on disk.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::exchange::{Call, Provider, ProviderError, ProviderFault, Reply, Request};
use super::recording::{Answer, Exchange, MARK, VERSION};
use crate::system::Disk;

/// A provider that writes down what it is asked and what it answers.
pub struct Recorder<'a> {
    inner: Box<dyn Provider + 'a>,
    disk: &'a dyn Disk,
    path: PathBuf,
}

impl<'a> Recorder<'a> {
    /// Starts a recording and replaces an earlier one at the same path.
    ///
    /// The header's fields are for the replay; a `model` among them is the model's name there.
    pub fn new(
        inner: Box<dyn Provider + 'a>,
        disk: &'a dyn Disk,
        path: &Path,
        header: Map<String, Value>,
    ) -> io::Result<Self> {
        let mut first = Map::new();
        first.insert(MARK.to_owned(), VERSION.into());
        first.extend(header);
        disk.write(path, format!("{}\n", Value::Object(first)).as_bytes())?;
        Ok(Self { inner, disk, path: path.to_owned() })
    }

    /// Appends an exchange as one line, so that a kill leaves all earlier ones readable.
    fn append_exchange(&self, request: &Request, answer: Answer) -> Result<(), String> {
        let line = serde_json::to_string(&Exchange::new(request, answer));
        let line = line.map_err(|error| error.to_string())?;
        let written = self.disk.append(&self.path, format!("{line}\n").as_bytes());
        written.map_err(|error| error.to_string())
    }
}

impl Provider for Recorder<'_> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn model(&self) -> &str {
        self.inner.model()
    }

    fn sends_schema(&self) -> bool {
        self.inner.sends_schema()
    }

    fn ask(&self, request: &Request, call: &Call<'_>) -> Result<Reply, ProviderError> {
        let outcome = self.inner.ask(request, call);
        let answer = match &outcome {
            Ok(reply) => Answer::from(reply),
            // An interruption is no property of the model; a replay must not repeat it.
            Err(ProviderError { fault: ProviderFault::Interrupted, .. }) => return outcome,
            Err(error) => Answer::Error { fault: error.fault.clone(), requests: error.requests },
        };
        self.append_exchange(request, answer).map_err(|reason| ProviderError {
            provider: self.inner.name(),
            fault: ProviderFault::Setup(format!(
                "cannot write the recording {}: {reason}",
                self.path.display()
            )),
            requests: outcome.as_ref().map_or(0, |reply| reply.requests),
        })?;
        outcome
    }
}
