//! Streams a log file, or standard input, through the failure reader.

use std::io;
use std::path::{Path, PathBuf};

use crate::domain::FailureReport;
use crate::failure::{Limits, LogReader};
use crate::system::System;

/// How much is read at once; memory does not grow with the log.
const CHUNK_BYTES: usize = 64 * 1024;

/// Why an input could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} the log `{}`: {kind}", path.display())]
pub struct InputError {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// `open` or `read`.
    pub doing: &'static str,
    /// What the system said.
    #[source]
    pub kind: io::Error,
}

/// Reads the log at `path` (`-` is standard input) in pieces of 64 KiB and returns what it says. An
/// error of kind `Interrupted` when the run is interrupted while it waits for more of the log.
pub fn read_log(
    system: System<'_>,
    path: &Path,
    limits: Limits,
) -> Result<FailureReport, InputError> {
    let fault = |doing, kind| InputError { path: path.to_owned(), doing, kind };
    let mut source = system.disk.open(path).map_err(|kind| fault("open", kind))?;
    let mut reader = LogReader::new(limits);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return Ok(reader.finish()),
            Ok(count) => reader.push(chunk.get(..count).unwrap_or_default()),
            Err(kind)
                if kind.kind() == io::ErrorKind::Interrupted && !system.clock.interrupted() => {}
            Err(kind) => return Err(fault("read", kind)),
        }
    }
}
