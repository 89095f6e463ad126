//! Any provider, with every exchange kept on disk.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::exchange::{
    CallLimits, ModelRequest, Provider, ProviderError, ProviderFault, ProviderReply,
};
use super::recording::{MARK, RecordedExchange, RecordedReply, VERSION};
use papayu_base::text::{Masked, Masker};
use papayu_system::Disk;

/// A provider that writes down what it is asked and what it answers.
pub struct Recorder<'a> {
    inner: Box<dyn Provider + 'a>,
    disk: &'a dyn Disk,
    path: PathBuf,
    masker: &'a Masker,
}

impl<'a> Recorder<'a> {
    /// Starts a recording and replaces an earlier one at the same path.
    ///
    /// The header's fields are for the replay; a `model` among them is the model's name there.
    ///
    /// # Errors
    ///
    /// The error of the disk if the file cannot be written. Later exchanges are appended to this file.
    pub fn new(
        inner: Box<dyn Provider + 'a>,
        disk: &'a dyn Disk,
        path: &Path,
        header: Map<String, Value>,
        masker: &'a Masker,
    ) -> io::Result<Self> {
        let mut first = Map::new();
        first.insert(MARK.to_owned(), VERSION.into());
        first.extend(header);
        let first = masker.masked_json(Value::Object(first));
        disk.write(path, format!("{first}\n").as_bytes())?;
        Ok(Self { inner, disk, path: path.to_owned(), masker })
    }

    /// Returns a recorder of another model, which goes on with the recording that [`Self::new`] has started.
    pub fn append_to(
        inner: Box<dyn Provider + 'a>,
        disk: &'a dyn Disk,
        path: &Path,
        masker: &'a Masker,
    ) -> Self {
        Self { inner, disk, path: path.to_owned(), masker }
    }

    /// Appends an exchange as one line, so that a kill leaves all earlier ones readable.
    fn append_exchange(&self, request: &ModelRequest, answer: RecordedReply) -> Result<(), String> {
        let line = serde_json::to_string(&RecordedExchange::new(request, answer));
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

    fn members(&self) -> Vec<&dyn Provider> {
        self.inner.members()
    }

    fn ask(
        &self,
        request: &ModelRequest,
        call: &CallLimits<'_>,
    ) -> Result<ProviderReply, ProviderError> {
        let outcome = self.inner.ask(request, call);
        let answer = match &outcome {
            // Of the reply only known values are masked: a replay has to read the same change.
            Ok(reply) => {
                let text = self.masker.mask_known(&reply.text).into_owned();
                let merge = reply.merge.as_ref();
                // The errors of several providers may repeat what those received.
                let merge = merge.and_then(|it| self.masker.masked_value(it).ok());
                RecordedReply::from(&ProviderReply {
                    text,
                    merge: merge.map(Masked::into_inner),
                    ..reply.clone()
                })
            }
            // An interruption is no property of the model; a replay must not repeat it.
            Err(ProviderError { fault: ProviderFault::Interrupted, .. }) => return outcome,
            // A server may answer with what it received.
            Err(error) => {
                let fault = self.masker.masked_value(&error.fault);
                let fault = fault.map_or_else(
                    |error| ProviderFault::Setup(error.to_string()),
                    Masked::into_inner,
                );
                RecordedReply::Error { fault, requests: error.requests }
            }
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
