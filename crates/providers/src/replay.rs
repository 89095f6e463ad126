//! Answers from a recording, with no network.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::exchange::{
    CallLimits, ModelRequest, Provider, ProviderError, ProviderFault, ProviderReply,
};
use super::recording::{self, RecordedExchange, RecordedReply, RecordingError, request_key};
use papayu_base::domain::Sha256;
use papayu_system::Disk;

const NAME: &str = "replay";

/// Longest difference shown: lines, and characters a line.
const MAX_LINES: usize = 12;
const MAX_CHARS: usize = 200;

/// A provider that has every answer already. Its answers count against budgets as they did when they
/// were recorded, so that a replayed run goes the same way.
pub struct Replay {
    path: PathBuf,
    header: Value,
    model: String,
    exchanges: Vec<RecordedExchange>,
    unused: Mutex<BTreeMap<Sha256, VecDeque<usize>>>,
}

impl Replay {
    /// Reads a recording; an error names the line that cannot be used.
    pub fn open_recording(disk: &dyn Disk, path: &Path) -> Result<Self, RecordingError> {
        let (header, exchanges) = recording::read_recording(disk, path)?;
        // A queue for each key: a repeated request gets the answers in recorded order.
        let mut unused: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
        for (at, exchange) in exchanges.iter().enumerate() {
            unused.entry(exchange.key).or_default().push_back(at);
        }
        let model = header.get("model").and_then(Value::as_str).unwrap_or(NAME).to_owned();
        Ok(Self { path: path.to_owned(), header, model, exchanges, unused: Mutex::new(unused) })
    }

    /// Returns the first line: what the recorder was given, and `papayu_recording`.
    pub fn header(&self) -> &Value {
        &self.header
    }

    /// Returns the next unused answer to this request: the same request may have had several.
    fn find_answer(&self, request: &ModelRequest) -> Option<&RecordedReply> {
        let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        let at = unused.get_mut(&request_key(request))?.pop_front()?;
        self.exchanges.get(at).map(|exchange| &exchange.answer)
    }

    /// Returns where the request differs from the most similar recorded one.
    fn describe_difference(&self, request: &ModelRequest) -> String {
        let ask = request.ask.name();
        let same_ask = self.exchanges.iter().filter(|exchange| exchange.ask == ask);
        let Some(nearest) = same_ask.min_by_key(|exchange| count_differences(exchange, request))
        else {
            let asks: Vec<_> = self.exchanges.iter().map(|it| it.ask.as_str()).collect();
            return format!("no `{ask}` request was recorded, only: {}", asks.join(", "));
        };
        // The key is known, so its recorded answers are used up.
        if nearest.key == request_key(request) {
            let times = self.exchanges.iter().filter(|it| it.key == nearest.key).count();
            return format!("it was recorded {times} times and is asked once more");
        }
        let lines: Vec<_> = differing_lines(&lines_of(nearest), &asked_lines(request)).collect();
        if lines.is_empty() {
            return "the same lines were recorded in another order".into();
        }
        let shown = lines.iter().take(MAX_LINES).map(|line| shorten_line(line));
        let mut text = shown.collect::<Vec<_>>().join("\n");
        if lines.len() > MAX_LINES {
            text.push_str("\n…");
        }
        text
    }
}

impl Provider for Replay {
    fn name(&self) -> &'static str {
        NAME
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn ask(
        &self,
        request: &ModelRequest,
        _call: &CallLimits<'_>,
    ) -> Result<ProviderReply, ProviderError> {
        let failed = |fault, requests| Err(ProviderError { provider: NAME, fault, requests });
        match self.find_answer(request).cloned() {
            Some(RecordedReply::Reply { text, finish, usage, requests, merge }) => {
                Ok(ProviderReply { text, finish, usage, requests, merge })
            }
            Some(RecordedReply::Error { fault, requests }) => failed(fault, requests),
            None => {
                // A replay must not fall back to a model: the result would depend on the network.
                let file = self.path.display().to_string();
                let difference = self.describe_difference(request);
                failed(ProviderFault::NotRecorded { file, difference }, 0)
            }
        }
    }
}

/// Everything the key is made of besides the ask, a line each.
fn lines_of(exchange: &RecordedExchange) -> Vec<String> {
    let first = format!("{} v{}", exchange.mode, exchange.protocol);
    std::iter::once(first).chain(exchange.stable.iter().cloned()).collect()
}

/// Returns the lines of a request that are compared.
fn asked_lines(request: &ModelRequest) -> Vec<String> {
    let first = format!("{} {}", request.mode.name(), request.version);
    std::iter::once(first).chain(request.stable.iter().cloned()).collect()
}

/// Returns the number of lines that differ.
fn count_differences(exchange: &RecordedExchange, request: &ModelRequest) -> usize {
    differing_lines(&lines_of(exchange), &asked_lines(request)).count()
}

/// Returns the lines that only one side has: `-` recorded, `+` asked.
fn differing_lines(recorded: &[String], asked: &[String]) -> impl Iterator<Item = String> {
    let only = |these: &[String], those: &[String], mark: char| -> Vec<String> {
        let lonely = these.iter().filter(|line| !those.contains(line));
        lonely.map(|line| format!("{mark} {line}")).collect()
    };
    only(recorded, asked, '-').into_iter().chain(only(asked, recorded, '+'))
}

/// Cuts a line for a message.
fn shorten_line(line: &str) -> String {
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
