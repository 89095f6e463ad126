//! The state of a queue: the batch, waiting, running and parked tasks, and rows.

use serde::Serialize;

use super::FORM;
use super::fault::QueueError;
use super::store::{KEYS, Queue};
use crate::batch::TaskRow;
use papayu_system::os::redis::RedisReply;

/// Fields read in one step.
const STEP: &str = "500";

/// The batch in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedBatch {
    /// The digest of its manifest.
    pub manifest: String,
    /// The time of the first enqueue, RFC 3339 in UTC.
    pub started_at: String,
}

/// A running task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Running {
    /// The worker's name.
    pub worker: String,
    /// Milliseconds since the last heartbeat.
    pub silent_ms: i64,
    /// The number of attempts.
    pub tries: i64,
}

/// The content of a queue.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueStatus {
    /// The number of waiting tasks.
    pub waiting: usize,
    /// The running tasks.
    pub running: Vec<Running>,
    /// Keys of parked tasks.
    pub parked: Vec<String>,
    /// The rows of tasks that ended, in the order of their names.
    pub rows: Vec<TaskRow>,
}

impl Queue<'_> {
    /// Returns the batch in the queue, if there is one.
    pub fn begun(&self) -> Result<Option<QueuedBatch>, QueueError> {
        let reply = self.send_command(&["HMGET", KEYS[0], "form", "manifest", "started_at"])?;
        let text = |at: usize| reply.items().get(at).and_then(RedisReply::text).map(str::to_owned);
        match (text(0), text(1)) {
            (None, _) => Ok(None),
            (Some(form), _) if form != FORM.to_string() => Err(QueueError::OtherForm(form)),
            (Some(_), Some(manifest)) => {
                Ok(Some(QueuedBatch { manifest, started_at: text(2).unwrap_or_default() }))
            }
            (Some(_), None) => Err(QueueError::Damaged("the batch has no manifest".to_owned())),
        }
    }

    /// Returns the content of the queue; at most 10,000 running tasks are counted.
    ///
    /// # Errors
    ///
    /// [`QueueError::Server`] if the server does not answer, and [`QueueError::Damaged`] if a row is not the
    /// JSON of a [`TaskRow`].
    pub fn status(&self) -> Result<QueueStatus, QueueError> {
        let pending = self.send_command(&["XPENDING", KEYS[2], "workers", "-", "+", "10000"])?;
        let given_back = self.given_back(pending.items())?;
        let taken = pending.items().iter().zip(given_back);
        let running: Vec<Running> =
            taken.filter(|(_, is_back)| !is_back).map(|(entry, _)| running_task(entry)).collect();
        let all = self.send_command(&["XLEN", KEYS[2]])?.number().unwrap_or_default();
        // The stream has waiting and running entries.
        let waiting = usize::try_from(all).unwrap_or_default().saturating_sub(running.len());
        let mut parked: Vec<String> =
            self.hash_fields(KEYS[4])?.into_iter().map(|(key, _)| key).collect();
        parked.sort();
        parked.dedup();
        let mut rows: Vec<TaskRow> = Vec::new();
        for (key, row) in self.hash_fields(KEYS[3])? {
            let row = serde_json::from_str(&row);
            rows.push(
                row.map_err(|_| QueueError::Damaged(format!("the row of `{key}` cannot be read")))?,
            );
        }
        rows.sort_by(|one, other| (&one.name, &one.key).cmp(&(&other.name, &other.key)));
        // HSCAN may return a field twice.
        rows.dedup_by(|one, other| one.key == other.key);
        Ok(QueueStatus { waiting, running, parked, rows })
    }

    /// Returns for each claimed entry whether it was given back.
    fn given_back(&self, entries: &[RedisReply]) -> Result<Vec<bool>, QueueError> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let mut words = vec!["HMGET", KEYS[5]];
        words.extend(
            entries
                .iter()
                .map(|entry| entry.items().first().and_then(RedisReply::text).unwrap_or_default()),
        );
        let leases = self.send_command(&words)?;
        let is_back = |lease: &RedisReply| lease.number().is_some_and(|lease| lease <= 0);
        Ok(leases.items().iter().map(is_back).collect())
    }

    /// Returns the fields of a hash; one may be repeated while the hash grows.
    fn hash_fields(&self, key: &str) -> Result<Vec<(String, String)>, QueueError> {
        let mut all = Vec::new();
        let mut cursor = "0".to_owned();
        loop {
            let reply = self.send_command(&["HSCAN", key, &cursor, "COUNT", STEP])?;
            let items = reply.items().get(1).map(RedisReply::items).unwrap_or_default();
            let text = |reply: &RedisReply| reply.text().unwrap_or_default().to_owned();
            all.extend(items.chunks_exact(2).filter_map(|pair| match pair {
                [field, value] => Some((text(field), text(value))),
                _ => None,
            }));
            cursor = reply.items().first().map(text).unwrap_or_default();
            if cursor.is_empty() || cursor == "0" {
                return Ok(all);
            }
        }
    }

    fn send_command(&self, words: &[&str]) -> Result<RedisReply, QueueError> {
        self.link.send(words).map_err(|fault| self.fault(fault))
    }
}

/// Reads an entry of `XPENDING`: id, consumer, milliseconds since the last delivery, number of
/// deliveries (redis.io, XPENDING).
fn running_task(entry: &RedisReply) -> Running {
    let part = |at: usize| entry.items().get(at);
    Running {
        worker: part(1).and_then(RedisReply::text).unwrap_or_default().to_owned(),
        silent_ms: part(2).and_then(RedisReply::number).unwrap_or_default(),
        tries: part(3).and_then(RedisReply::number).unwrap_or_default(),
    }
}
