//! The client of the queue in Redis; each change is one atomic script.

use std::path::Path;
use std::time::Duration;

use super::FORM;
use super::fault::QueueError;
use super::job::{MAX_BYTES, encode};
use crate::batch::{PlannedTask, TaskRow};
use papayu_system::Clock;
use papayu_system::os::redis::{RedisFault, RedisLink, RedisReply, Script};

/// The keys: the batch, the entry of each waiting or running task, the stream of jobs, the rows of
/// ended tasks, the jobs of parked tasks, and the lease of each entry.
pub(super) const KEYS: [&str; 6] = [
    "papayu:batch", "papayu:tasks", "papayu:jobs", "papayu:rows", "papayu:parked", "papayu:leases",
];
/// Jobs added in one step.
const STEP: usize = 200;
/// Bytes added in one step.
const STEP_BYTES: usize = 4 * 1024 * 1024;
/// Time limit of a connection and of an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// A queue.
pub struct Queue<'a> {
    pub(super) link: RedisLink<'a>,
    clock: &'a dyn Clock,
    scripts: Scripts,
}

/// The scripts in Lua. The server runs each as a whole, so that no other client sees a half-made change
/// (redis.io, Scripting with Lua).
struct Scripts {
    begin: Script,
    add: Script,
    take: Script,
    beat: Script,
    finish: Script,
    back: Script,
    retry: Script,
    leave: Script,
}

/// The result of adding tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddedTasks {
    /// New tasks.
    pub new: usize,
    /// Tasks that wait or run already.
    pub known: usize,
}

/// A claimed task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The entry of the stream.
    pub id: String,
    /// The task's key.
    pub key: String,
    /// The job.
    pub job: Vec<u8>,
    /// The number of attempts, including this one.
    pub tries: u32,
    /// The silent worker that had the task before.
    pub from: Option<String>,
    /// Tasks that wait or run, this one counted.
    pub left: usize,
}

/// The answer to a worker that asks for a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakeReply {
    /// A task.
    Task(Box<Ticket>),
    /// No task is waiting; this number of tasks is running.
    Nothing(usize),
    /// Another batch is in the queue by now.
    Other,
}

/// The time when a task that is given back may be claimed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReturnMode {
    /// At once, and this try does not count.
    AtOnce,
    /// After a lease.
    Later,
}

/// A worker: its name, and how long it may be silent before others take its tasks over.
#[derive(Clone, Debug)]
pub(super) struct WorkerId {
    /// The digest of the manifest that it works on.
    pub(super) manifest: String,
    /// The name in the queue, different for each process.
    pub(super) name: String,
    /// The time without a heartbeat after which others take its tasks over.
    pub(super) lease: Duration,
}

impl<'a> Queue<'a> {
    /// Parses the address; no connection is opened yet. An answer is awaited for five seconds, or half of
    /// `lease` if that is less.
    ///
    /// # Errors
    ///
    /// [`QueueError::Server`] if the text is not the address of a Redis server.
    pub fn new(url: &str, lease: Duration, clock: &'a dyn Clock) -> Result<Self, QueueError> {
        // An answer that takes longer than the lease would lose the tasks.
        let patience = PATIENCE.min(lease / 2);
        let link = RedisLink::new(url, patience, clock)
            .map_err(|fault| QueueError::Server { queue: "the address given".to_owned(), fault })?;
        let scripts = Scripts {
            begin: Script::new(include_str!("scripts/begin.lua")),
            add: Script::new(include_str!("scripts/add.lua")),
            take: Script::new(include_str!("scripts/take.lua")),
            beat: Script::new(include_str!("scripts/beat.lua")),
            finish: Script::new(include_str!("scripts/finish.lua")),
            back: Script::new(include_str!("scripts/back.lua")),
            retry: Script::new(include_str!("scripts/retry.lua")),
            leave: Script::new(include_str!("scripts/leave.lua")),
        };
        Ok(Self { link, clock, scripts })
    }

    /// Returns the address without its password.
    pub fn shown(&self) -> &str {
        self.link.shown()
    }

    /// Begins a batch, or continues the one of the same manifest; `restart` drops the batch that is there.
    ///
    /// # Errors
    ///
    /// [`QueueError::OtherManifest`] with the number of unfinished tasks if the batch there is of another
    /// manifest, [`QueueError::OtherForm`] if another version of the program wrote it (nothing is changed in
    /// both cases), and [`QueueError::Server`] if the server does not answer.
    pub fn begin(&self, manifest: &str, now: &str, anew: bool) -> Result<(), QueueError> {
        let (form, anew) = (FORM.to_string(), if anew { "1" } else { "0" });
        let reply = self.run_script(&self.scripts.begin, &[&form, manifest, now, anew])?;
        match first_word(&reply) {
            "ok" => Ok(()),
            "form" => Err(QueueError::OtherForm(text_at(&reply, 1))),
            "busy" => Err(QueueError::OtherManifest(number_at(&reply, 1))),
            _ => Err(unexpected_reply(&reply)),
        }
    }

    /// Adds tasks; one that waits or runs already is not changed.
    ///
    /// # Errors
    ///
    /// [`QueueError::Unfit`] before any task is added, if one cannot be written as a job;
    /// [`QueueError::OtherManifest`] if the batch was replaced in the meantime, and another error if it was
    /// removed; [`QueueError::Server`]. Tasks are added in steps of 200, so that a part may be in the queue
    /// then. Another call adds the rest.
    pub fn add(
        &self,
        manifest: &str,
        tasks: &[PlannedTask],
        folder: &Path,
    ) -> Result<AddedTasks, QueueError> {
        let mut jobs = Vec::new();
        for planned in tasks {
            let job = encode(planned, folder, &self.clock.fresh_id())?;
            jobs.push((&*planned.key, job));
        }
        let mut added = AddedTasks::default();
        let mut jobs = jobs.iter().peekable();
        while jobs.peek().is_some() {
            let mut arguments: Vec<&[u8]> = vec![manifest.as_bytes()];
            let mut bytes = 0;
            // Small steps keep the server responsive for workers.
            while let Some((key, job)) =
                jobs.next_if(|_| arguments.len() < 2 * STEP && bytes < STEP_BYTES)
            {
                bytes += key.len() + job.len();
                arguments.extend([key.as_bytes(), job.as_bytes()]);
            }
            let count = arguments.len() / 2;
            let reply = self.run_script_bytes(&self.scripts.add, &arguments)?;
            if first_word(&reply) != "ok" {
                return Err(unexpected_reply(&reply));
            }
            let new = usize::try_from(number_at(&reply, 1)).unwrap_or_default();
            added.new += new;
            added.known += count.saturating_sub(new);
        }
        Ok(added)
    }

    /// Claims a waiting task, or a task with an expired lease.
    ///
    /// Fails with [`QueueError::Server`], and if the batch is no longer in the queue. A batch of another
    /// manifest is a reply, not an error.
    pub(super) fn claim_task(&self, who: &WorkerId) -> Result<TakeReply, QueueError> {
        // No lease can be renewed while the server is away, so that the script takes its time of running
        // into account.
        let up = self.link.up().map_err(|fault| self.fault(fault))?;
        let (lease, up) = (millis_text(who.lease), millis_text(up));
        let most = MAX_BYTES.to_string();
        let reply =
            self.run_script(&self.scripts.take, &[&who.manifest, &who.name, &lease, &up, &most])?;
        let count = |at| usize::try_from(number_at(&reply, at)).unwrap_or_default();
        match first_word(&reply) {
            "none" => Ok(TakeReply::Nothing(count(1))),
            "other" => Ok(TakeReply::Other),
            "task" => Ok(TakeReply::Task(Box::new(Ticket {
                id: text_at(&reply, 1),
                key: text_at(&reply, 2),
                job: match reply.items().get(3) {
                    Some(RedisReply::Bytes(bytes)) => bytes.clone(),
                    _ => Vec::new(),
                },
                tries: u32::try_from(number_at(&reply, 4)).unwrap_or(u32::MAX),
                // Lua has no null in a list: it would end the list, so that an absent name is empty.
                from: Some(text_at(&reply, 5)).filter(|name| !name.is_empty()),
                left: count(6),
            }))),
            _ => Err(unexpected_reply(&reply)),
        }
    }

    /// Renews the leases of these entries, which are counted from now.
    ///
    /// Fails with [`QueueError::Server`]. An entry that another worker has, and a batch of another manifest,
    /// are no errors.
    pub(super) fn renew_leases(&self, who: &WorkerId, ids: &[String]) -> Result<(), QueueError> {
        let lease = millis_text(who.lease);
        let mut arguments: Vec<&str> = vec![&who.manifest, &who.name, &lease];
        arguments.extend(ids.iter().map(String::as_str));
        self.run_script(&self.scripts.beat, &arguments).map(drop)
    }

    /// Stores a row and deletes its task, even if another worker has claimed it by now. Returns the
    /// number of tasks left; `None` if the task had ended before.
    pub(super) fn finish(
        &self,
        who: &WorkerId,
        ticket: &Ticket,
        row: &TaskRow,
        parked: bool,
    ) -> Result<Option<usize>, QueueError> {
        let row = serde_json::to_string(row).unwrap_or_default();
        let parked = if parked { "1" } else { "0" };
        let arguments = [&who.manifest, &ticket.id, &ticket.key, &row, parked];
        let reply = self.run_script(&self.scripts.finish, &arguments)?;
        match first_word(&reply) {
            "ok" => Ok(Some(usize::try_from(number_at(&reply, 1)).unwrap_or_default())),
            "lost" | "other" => Ok(None),
            _ => Err(unexpected_reply(&reply)),
        }
    }

    /// Gives a task back, for any worker at once (the try is not counted then), or after the time of a lease.
    ///
    /// Fails with [`QueueError::Server`]. A task that another worker has is not changed, which is no error.
    pub(super) fn give_back(
        &self,
        who: &WorkerId,
        ticket: &Ticket,
        again: ReturnMode,
    ) -> Result<(), QueueError> {
        let rest = match again {
            ReturnMode::AtOnce => "0".to_owned(),
            ReturnMode::Later => millis_text(who.lease),
        };
        self.run_script(&self.scripts.back, &[&who.manifest, &who.name, &ticket.id, &rest])
            .map(drop)
    }

    /// Removes the worker if it has no tasks. Tasks that it has claimed are taken over when their leases end.
    ///
    /// Fails with [`QueueError::Server`].
    pub(super) fn remove_worker(&self, who: &WorkerId) -> Result<(), QueueError> {
        self.run_script(&self.scripts.leave, &[&who.name]).map(drop)
    }

    /// Puts parked tasks back, and returns how many.
    ///
    /// # Errors
    ///
    /// [`QueueError::OtherManifest`] if the batch was replaced in the meantime, another error if it was
    /// removed, and [`QueueError::Server`]. Tasks are put back in steps of 200; those of earlier steps remain
    /// in the queue.
    pub fn retry(&self, manifest: &str, keys: &[String]) -> Result<usize, QueueError> {
        let mut back = 0;
        for keys in keys.chunks(STEP) {
            let mut arguments = vec![manifest];
            arguments.extend(keys.iter().map(String::as_str));
            let reply = self.run_script(&self.scripts.retry, &arguments)?;
            if first_word(&reply) != "ok" {
                return Err(unexpected_reply(&reply));
            }
            back += usize::try_from(number_at(&reply, 1)).unwrap_or_default();
        }
        Ok(back)
    }

    /// Runs a script on the keys of the queue.
    fn run_script(&self, script: &Script, arguments: &[&str]) -> Result<RedisReply, QueueError> {
        let bytes: Vec<&[u8]> = arguments.iter().map(|text| text.as_bytes()).collect();
        self.run_script_bytes(script, &bytes)
    }

    /// Runs a script with arguments that need not be text.
    fn run_script_bytes(
        &self,
        script: &Script,
        arguments: &[&[u8]],
    ) -> Result<RedisReply, QueueError> {
        self.link.run(script, &KEYS, arguments).map_err(|fault| self.fault(fault))
    }

    /// Returns an error of the connection with the address of the queue.
    pub(super) fn fault(&self, fault: RedisFault) -> QueueError {
        QueueError::Server { queue: self.shown().to_owned(), fault }
    }
}

/// Returns the error for a reply of a script that is none of the expected ones.
fn unexpected_reply(reply: &RedisReply) -> QueueError {
    match first_word(reply) {
        "gone" => QueueError::Gone,
        // Another batch was begun between two steps.
        "other" => QueueError::OtherManifest(0),
        _ => QueueError::Damaged("an answer that means nothing".to_owned()),
    }
}

/// Returns a duration as an argument of a script.
fn millis_text(time: Duration) -> String {
    time.as_millis().to_string()
}

/// Returns the first item of a reply; scripts return a word and its values.
fn first_word(reply: &RedisReply) -> &str {
    reply.items().first().and_then(RedisReply::text).unwrap_or_default()
}

/// Returns an item of a reply as text, empty if it is absent.
fn text_at(reply: &RedisReply, at: usize) -> String {
    let text = reply.items().get(at).and_then(RedisReply::text);
    text.unwrap_or_default().to_owned()
}

/// Returns an item of a reply as a number, 0 if it is absent.
fn number_at(reply: &RedisReply, at: usize) -> i64 {
    reply.items().get(at).and_then(RedisReply::number).unwrap_or_default()
}
