//! A queue of tasks in a NATS server, by calls that wait for their answer.
//!
//! A stream keeps the tasks until they are acknowledged, a bucket the records of tasks, and an object store their results.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::kv::{self, CreateErrorKind, Operation, UpdateErrorKind};
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{
    self, DiscardPolicy, LastRawMessageErrorKind, RetentionPolicy,
};
use async_nats::jetstream::{AckKind, ErrorCode, Message};
use async_nats::{HeaderMap, ServerAddr};
use futures_util::{StreamExt as _, TryStreamExt as _};
use url::Url;

pub use super::nats_link::NatsFault;
use super::nats_link::{CallError, NatsConnection, NatsCredentials, NatsLink, describe_error};
use crate::decode_percent;

/// The name of a queue without one in its address.
const NAME: &str = "papayu";
/// The consumer that all workers share.
const CONSUMER: &str = "workers";
/// Most tasks that run at the same time.
const MAX_RUNNING: i64 = 100_000;
/// Time in which the server takes two messages with one identifier for one.
const DUPLICATES: Duration = Duration::from_mins(2);
/// The answer of a server that has a message with this subject, in its words.
const KNOWN: &str = "maximum messages per subject exceeded";
/// The answer of a server to the number of a message that it does not have.
const NO_MESSAGE: &str = "no message found";

/// The connection to a queue.
pub struct NatsQueue {
    pub(super) link: NatsLink,
    /// The name of the queue, with which the names of its stream and buckets begin.
    name: String,
    /// The address without user and password, for messages.
    shown: String,
    /// Copies of all data.
    replicas: usize,
}

/// A task that was delivered to this process, or read from the stream.
#[derive(Clone)]
pub struct DeliveredTask {
    name: String,
    payload: Arc<[u8]>,
    /// The place in the stream.
    sequence: u64,
    /// `None` for a task that was read, of which the server expects no answer.
    message: Option<Arc<Message>>,
}

/// An answer to a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledgement {
    /// The task is done; the stream forgets it.
    Done,
    /// It is being worked on: its lease begins again.
    Working,
    /// Another worker may have it after this time.
    Again(Duration),
}

/// A value of the bucket, and the revision that a change has to name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketValue {
    /// The value.
    pub bytes: Vec<u8>,
    /// Its revision.
    pub revision: u64,
}

impl fmt::Debug for NatsQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsQueue").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl DeliveredTask {
    /// Returns the name of the task.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the content.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }
}

impl NatsQueue {
    /// Parses an address: `nats://` or `tls://`, several servers separated by commas, and the name of the queue as the path.
    /// Nothing is opened yet. `patience` is the time limit of connecting and of an answer.
    ///
    /// # Errors
    ///
    /// [`NatsFault::Address`] if the text has another form or a name with other characters than letters, digits, `-` and `_`.
    pub fn new(
        address: &str,
        credentials: Option<PathBuf>,
        patience: Duration,
    ) -> Result<Self, NatsFault> {
        let wrong = |text: &str| NatsFault::Address(text.to_owned());
        let (mut servers, mut shown, mut name) = (Vec::new(), Vec::new(), NAME.to_owned());
        let mut found = credentials.map_or(NatsCredentials::Nothing, NatsCredentials::File);
        for part in address.split(',') {
            let mut url = Url::parse(part.trim()).map_err(|error| wrong(&error.to_string()))?;
            if !matches!(url.scheme(), "nats" | "tls") || !url.has_host() {
                return Err(wrong("it does not begin with nats:// or tls://"));
            }
            let path = url.path().trim_matches('/');
            if !path.is_empty() {
                name = format!("{NAME}-{path}");
            }
            url.set_path("");
            if let (NatsCredentials::Nothing, Some(password)) = (&found, url.password()) {
                found = NatsCredentials::Login(
                    decode_percent(url.username()),
                    decode_percent(password),
                );
            }
            let server = ServerAddr::from_url(url.clone());
            servers.push(server.map_err(|error| wrong(&error.to_string()))?);
            let host = url.host_str().unwrap_or_default();
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            shown.push(format!("{}://{host}{port}", url.scheme()));
        }
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) {
            return Err(wrong(
                "the name of the queue has other characters than letters, digits, - and _",
            ));
        }
        let replicas = if servers.len() >= 3 { 3 } else { 1 };
        let link = NatsLink::new(servers, found, patience)?;
        Ok(Self { link, name, shown: shown.join(","), replicas })
    }

    /// Returns the address without its password.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Makes the stream with its consumer, the bucket and the object store, unless they exist. They have three copies where
    /// three servers are named.
    ///
    /// # Errors
    ///
    /// Those of all calls: [`NatsFault::Away`], [`NatsFault::Refused`], [`NatsFault::Untrusted`] or [`NatsFault::Failed`].
    pub fn create(&self, lease: Duration) -> Result<(), NatsFault> {
        let num_replicas = self.replicas;
        self.link.call(async |open| {
            let tasks = stream::Config {
                name: self.stream(),
                subjects: vec![format!("{}.*", self.stream())],
                retention: RetentionPolicy::WorkQueue,
                // A task that waits or runs is not added once more.
                discard: DiscardPolicy::New,
                discard_new_per_subject: true,
                max_messages_per_subject: 1,
                duplicate_window: DUPLICATES,
                num_replicas,
                ..stream::Config::default()
            };
            // Made as streams, because the client asks for the limits of the account before it makes a bucket, and cannot read
            // the answer of version 2.9.
            let records = stream::Config {
                name: format!("KV_{}", self.bucket()),
                subjects: vec![format!("$KV.{}.>", self.bucket())],
                max_messages_per_subject: 1,
                ..store_config(num_replicas)
            };
            let results = stream::Config {
                name: format!("OBJ_{}", self.results()),
                subjects: ["C", "M"].map(|kind| format!("$O.{}.{kind}.>", self.results())).to_vec(),
                ..store_config(num_replicas)
            };
            for config in [tasks, records, results] {
                open.context.get_or_create_stream(config).await?;
            }
            Ok(())
        })?;
        self.set_lease(lease)
    }

    /// Removes all of the queue.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn delete(&self) -> Result<(), NatsFault> {
        self.link.call(async |open| {
            let (bucket, results) = (self.bucket(), self.results());
            for name in [self.stream(), format!("KV_{bucket}"), format!("OBJ_{results}")] {
                match open.context.get_stream(&name).await {
                    Err(error) if is_not_found(&error) => {}
                    Err(error) => return Err(error.into()),
                    Ok(_) => {
                        open.context.delete_stream(&name).await?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Adds a task, unless one of this name waits or runs; returns whether it did. Two calls with one `id` within two minutes
    /// add one.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn add(&self, name: &str, id: &str, payload: Vec<u8>) -> Result<bool, NatsFault> {
        self.link.call(async |open| {
            let mut headers = HeaderMap::new();
            headers.insert("Nats-Msg-Id", id);
            let subject = format!("{}.{name}", self.stream());
            let sent = open.context.publish_with_headers(subject, headers, payload.into()).await?;
            match sent.await {
                Ok(stored) => Ok(!stored.duplicate),
                Err(error) if describe_error(&error).contains(KNOWN) => Ok(false),
                Err(error) => Err(error.into()),
            }
        })
    }

    /// Returns the number of tasks in the stream: those that wait or run.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn count(&self) -> Result<usize, NatsFault> {
        self.link.call(async |open| {
            let stream = open.context.get_stream(self.stream()).await?;
            Ok(usize::try_from(stream.cached_info().state.messages).unwrap_or(usize::MAX))
        })
    }

    /// Returns the names of the tasks in the stream.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn list(&self) -> Result<Vec<String>, NatsFault> {
        self.list_names(&self.stream(), &format!("{}.*", self.stream()))
    }

    /// Returns a task of the stream, also one that the server does not deliver; `None` if it is not there.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn read(&self, name: &str) -> Result<Option<DeliveredTask>, NatsFault> {
        self.link.call(async |open| {
            let stream = open.context.get_stream(self.stream()).await?;
            let subject = format!("{}.{name}", self.stream());
            match stream.get_last_raw_message_by_subject(&subject).await {
                Ok(StreamMessage { payload, sequence, .. }) => {
                    let (name, payload) = (name.to_owned(), Arc::from(&*payload));
                    Ok(Some(DeliveredTask { name, payload, sequence, message: None }))
                }
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
                Err(error) => Err(error.into()),
            }
        })
    }

    /// Sets the lease of all deliveries: the time without a sign of life after which another worker gets the task.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn set_lease(&self, lease: Duration) -> Result<(), NatsFault> {
        self.link.call(async |open| {
            let stream = open.context.get_stream(self.stream()).await?;
            let config = pull::Config {
                durable_name: Some(CONSUMER.to_owned()),
                ack_policy: AckPolicy::Explicit,
                ack_wait: lease,
                max_ack_pending: MAX_RUNNING,
                ..pull::Config::default()
            };
            stream.create_consumer(config).await?;
            Ok(())
        })
    }

    /// Returns a task that waits, or one with a lease that has ended; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn take(&self) -> Result<Option<DeliveredTask>, NatsFault> {
        self.link.call(async |open| {
            let stream = open.context.get_stream(self.stream()).await?;
            let consumer: PullConsumer = stream.get_consumer(CONSUMER).await?;
            let mut messages = consumer.fetch().max_messages(1).messages().await?;
            let Some(message) = messages.next().await.transpose()? else { return Ok(None) };
            Ok(Some(DeliveredTask {
                name: last_part(&message.subject),
                payload: Arc::from(&*message.payload),
                sequence: message.info()?.stream_sequence,
                message: Some(Arc::new(message)),
            }))
        })
    }

    /// Answers a delivery, and waits until the server has the answer. For a task that was read, only its end is sent.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn answer(
        &self,
        delivery: &DeliveredTask,
        answer: Acknowledgement,
    ) -> Result<(), NatsFault> {
        let kind = match answer {
            Acknowledgement::Done => AckKind::Ack,
            Acknowledgement::Working => AckKind::Progress,
            Acknowledgement::Again(time) => AckKind::Nak(Some(time).filter(|it| !it.is_zero())),
        };
        self.link.call(async |open| match &delivery.message {
            Some(message) => message.double_ack_with(kind).await,
            None if answer == Acknowledgement::Done => {
                let stream = open.context.get_stream(self.stream()).await?;
                match stream.delete_message(delivery.sequence).await {
                    // Another process was faster.
                    Err(error) if describe_error(&error).contains(NO_MESSAGE) => Ok(()),
                    done => Ok(done.map(drop)?),
                }
            }
            None => Ok(()),
        })
    }

    /// Returns a value of the bucket; `None` for one that is not there, also without a bucket.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn get(&self, key: &str) -> Result<Option<BucketValue>, NatsFault> {
        self.link.call(async |open| {
            let Some(bucket) = self.find_bucket(open).await? else { return Ok(None) };
            let entry = bucket.entry(key).await?.filter(|it| it.operation == Operation::Put);
            Ok(entry.map(|it| BucketValue { bytes: it.value.to_vec(), revision: it.revision }))
        })
    }

    /// Sets a value of the bucket, if it has this revision, or is not there where none is named; returns whether it did.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn set(&self, key: &str, bytes: Vec<u8>, revision: Option<u64>) -> Result<bool, NatsFault> {
        self.link.call(async |open| {
            let bucket = open.context.get_key_value(self.bucket()).await?;
            if let Some(revision) = revision {
                return match bucket.update(key, bytes.into(), revision).await {
                    Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => Ok(false),
                    done => Ok(done.map(|_| true)?),
                };
            }
            match bucket.create(key, bytes.into()).await {
                Err(error) if error.kind() == CreateErrorKind::AlreadyExists => Ok(false),
                done => Ok(done.map(|_| true)?),
            }
        })
    }

    /// Returns the last parts of the keys `PREFIX.NAME` of the bucket.
    ///
    /// # Errors
    ///
    /// Those of all calls. A bucket that is not there is one.
    pub fn keys(&self, prefix: &str) -> Result<Vec<String>, NatsFault> {
        let bucket = self.bucket();
        self.list_names(&format!("KV_{bucket}"), &format!("$KV.{bucket}.{prefix}.*"))
    }

    /// Returns all values of the bucket with their keys, except those of keys with a prefix.
    ///
    /// # Errors
    ///
    /// Those of all calls. A bucket that is not there is one.
    pub fn values(&self) -> Result<Vec<(String, Vec<u8>)>, NatsFault> {
        let mut found = Vec::new();
        let bucket = self.bucket();
        for key in self.list_names(&format!("KV_{bucket}"), &format!("$KV.{bucket}.*"))? {
            found.extend(self.get(&key)?.map(|value| (key, value.bytes)));
        }
        Ok(found)
    }

    /// Returns the last parts of the subjects of a stream that match a pattern.
    pub(super) fn list_names(
        &self,
        stream: &str,
        subjects: &str,
    ) -> Result<Vec<String>, NatsFault> {
        self.link.call(async |open| {
            let stream = open.context.get_stream(stream).await?;
            let subjects: Vec<(String, usize)> =
                stream.info_with_subjects(subjects).await?.try_collect().await?;
            Ok(subjects.iter().map(|(subject, _)| last_part(subject)).collect())
        })
    }

    fn stream(&self) -> String {
        format!("{}-tasks", self.name)
    }

    fn bucket(&self) -> String {
        format!("{}-records", self.name)
    }

    /// Returns the name of the object store.
    pub(super) fn results(&self) -> String {
        format!("{}-results", self.name)
    }

    async fn find_bucket(&self, open: &NatsConnection) -> Result<Option<kv::Store>, CallError> {
        match open.context.get_stream(format!("KV_{}", self.bucket())).await {
            Err(error) if is_not_found(&error) => Ok(None),
            Err(error) => Err(error.into()),
            Ok(_) => Ok(Some(open.context.get_key_value(self.bucket()).await?)),
        }
    }
}

/// Returns the name of a task by its subject.
fn last_part(subject: &str) -> String {
    subject.rsplit('.').next().unwrap_or_default().to_owned()
}

/// Returns what the streams behind a bucket and an object store have in common.
fn store_config(num_replicas: usize) -> stream::Config {
    stream::Config {
        discard: DiscardPolicy::New,
        allow_rollup: true,
        // Else any server of a cluster answers, also one that has not heard the newest yet.
        allow_direct: false,
        num_replicas,
        ..stream::Config::default()
    }
}

fn is_not_found(error: &GetStreamError) -> bool {
    let GetStreamErrorKind::JetStream(error) = error.kind() else { return false };
    error.error_code() == ErrorCode::STREAM_NOT_FOUND
}
