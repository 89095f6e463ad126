//! A recording's lines: a header, then one exchange a line.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::exchange::{FinishReason, Merge, ModelRequest, ProviderFault, ProviderReply};
use papayu_base::domain::{Sha256, Usage};
use papayu_system::Disk;

/// The version of recordings written, and the highest one read.
pub(crate) const VERSION: u64 = 1;

/// The header's field that makes a file a recording.
pub(crate) const MARK: &str = "papayu_recording";

/// Longest recording read, in bytes.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// One exchange; unknown fields are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordedExchange {
    /// The key of the request; see [`request_key`].
    pub(crate) key: Sha256,
    /// Why it was made.
    pub(crate) ask: String,
    /// `plan` or `apply`.
    pub(crate) mode: String,
    /// The protocol's number.
    pub(crate) protocol: u8,
    /// The parts that the key is made of.
    pub(crate) stable: Vec<String>,
    /// The request, for people to read; it is not read back.
    #[serde(skip_deserializing)]
    pub(crate) request: Texts,
    /// The answer.
    #[serde(flatten)]
    pub(crate) answer: RecordedReply,
}

/// The texts of a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Texts {
    system: String,
    prefix: String,
    tail: String,
    /// Reply and following message, in turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    turns: Vec<[String; 2]>,
}

/// A reply, or why there was none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RecordedReply {
    /// A reply.
    Reply {
        /// The model's text.
        text: String,
        /// Why it ended.
        finish: FinishReason,
        /// Tokens.
        #[serde(default)]
        usage: Usage,
        /// Requests sent for it.
        #[serde(default = "default_requests")]
        requests: u32,
        /// The providers behind it, where there are several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        merge: Option<Merge>,
    },
    /// No reply.
    Error {
        /// The reason.
        fault: ProviderFault,
        /// Requests sent before giving up.
        #[serde(default = "default_requests")]
        requests: u32,
    },
}

/// Returns the count of recordings of earlier versions, which did not store it.
fn default_requests() -> u32 {
    1
}

impl RecordedExchange {
    /// Puts a request and its answer on record.
    pub(crate) fn new(request: &ModelRequest, answer: RecordedReply) -> Self {
        Self {
            key: request_key(request),
            ask: request.ask.name(),
            mode: request.mode.name().to_owned(),
            protocol: request.version.number(),
            stable: request.stable.clone(),
            request: Texts {
                system: request.system.clone(),
                prefix: request.prefix.to_string(),
                tail: request.tail.to_string(),
                turns: request
                    .turns
                    .iter()
                    .map(|turn| [turn.reply.to_string(), turn.message.to_string()])
                    .collect(),
            },
            answer,
        }
    }
}

impl From<&ProviderReply> for RecordedReply {
    fn from(reply: &ProviderReply) -> Self {
        let ProviderReply { text, finish, usage, requests, merge } = reply.clone();
        Self::Reply { text, finish, usage, requests, merge }
    }
}

/// Returns what a request is found by in a recording: a digest of why it is made, its mode, its
/// protocol and its stable lines, and of nothing that differs between machines.
pub(crate) fn request_key(request: &ModelRequest) -> Sha256 {
    key_of(&request.ask.name(), request.mode.name(), request.version.number(), &request.stable)
}

/// Returns the key of an exchange: a digest of the parts of the request that do not change from run
/// to run.
fn key_of(ask: &str, mode: &str, protocol: u8, stable: &[String]) -> Sha256 {
    let mut text = format!("{ask}\n{mode}\n{protocol}\n");
    for line in stable {
        // A line break inside a line must not look like two lines.
        text.push_str(&line.replace('\\', "\\\\").replace('\n', "\\n"));
        text.push('\n');
    }
    Sha256::of(text.as_bytes())
}

/// A recording that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("recording {}, line {line}: {kind}", file.display())]
pub struct RecordingError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The reason.
    pub kind: RecordingFault,
}

/// The reason why a recording is unusable.
#[derive(Debug, thiserror::Error)]
pub enum RecordingFault {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// The first line is not a recording's header.
    #[error("not a recording: the first line has no `papayu_recording`")]
    Foreign,
    /// Written by a newer program.
    #[error("version {0} is newer than this program reads (1)")]
    TooNew(u64),
    /// The last line has no end: the recording run was killed while it wrote.
    #[error("the line is cut off")]
    CutOff,
    /// The line is not an exchange.
    #[error("not an exchange: {0}")]
    Corrupt(serde_json::Error),
    /// The line was changed by hand.
    #[error("`key` is not the digest of the other fields")]
    WrongKey,
}

/// A recording as read: the header and the exchanges in order.
pub(crate) type Contents = (Value, Vec<RecordedExchange>);

/// Reads and checks a whole recording of at most [`MAX_BYTES`] bytes.
///
/// Fails with the line (from 1) and a [`RecordingFault`]: the file cannot be read, is no recording or of a
/// newer version, has a line that is cut off or no exchange, or an exchange that was changed by hand.
pub(crate) fn read_recording(disk: &dyn Disk, path: &Path) -> Result<Contents, RecordingError> {
    let failed = |line, kind| RecordingError { file: path.to_owned(), line, kind };
    let mut bytes = Vec::new();
    // The limit guards the memory when the path names a file of another kind.
    let mut file = disk.open(path).map_err(|error| failed(1, error.into()))?.take(MAX_BYTES);
    let began = file.by_ref().take(1).read_to_end(&mut bytes);
    began.map_err(|error| failed(1, error.into()))?;
    if bytes != b"{" {
        return Err(failed(1, RecordingFault::Foreign));
    }
    file.read_to_end(&mut bytes).map_err(|error| failed(1, error.into()))?;
    let mut header = None;
    let mut exchanges = Vec::new();
    for (line, number) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
        if header.is_none() {
            header = Some(parse_header(line).map_err(|kind| failed(number, kind))?);
        } else if !line.trim_ascii().is_empty() {
            exchanges.push(parse_exchange(line).map_err(|kind| failed(number, kind))?);
        }
    }
    let header = header.ok_or_else(|| failed(1, RecordingFault::Foreign))?;
    Ok((header, exchanges))
}

/// Parses the first line, which marks the file as a recording and names its version.
fn parse_header(line: &[u8]) -> Result<Value, RecordingFault> {
    let header: Value = serde_json::from_slice(line).map_err(|_| RecordingFault::Foreign)?;
    match header.get(MARK).and_then(Value::as_u64) {
        None => Err(RecordingFault::Foreign),
        Some(version) if version > VERSION => Err(RecordingFault::TooNew(version)),
        Some(_) => Ok(header),
    }
}

/// Parses the line of one exchange.
fn parse_exchange(line: &[u8]) -> Result<RecordedExchange, RecordingFault> {
    let exchange: RecordedExchange = serde_json::from_slice(line).map_err(|error| {
        // Only the last line can lack its end, and then the writer was killed.
        if line.ends_with(b"\n") { RecordingFault::Corrupt(error) } else { RecordingFault::CutOff }
    })?;
    let RecordedExchange { ask, mode, protocol, stable, .. } = &exchange;
    // An edited line would be found for the wrong request, or never.
    if exchange.key != key_of(ask, mode, *protocol, stable) {
        return Err(RecordingFault::WrongKey);
    }
    Ok(exchange)
}
