//! A batch that several machines share through a Redis.
//!
//! [`Queue`] is the client: a stream with a consumer group has the tasks, and a hash their rows. [`QueueWorker`] does
//! tasks from it. Redis itself assigns tasks, counts the attempts (so that a task that kills its workers is parked)
//! and measures with one clock how long a worker was silent.
//!
//! Job libraries do less of that: apalis-redis 1.0 and oxana 2.5 requeue the tasks of a dead worker without counting
//! and compare clocks of machines (and the script of the former fails once 8,000 tasks wait), the ports of celery
//! and sidekiq lose the tasks of a killed worker, fang needs an SQL database and faktory a server of its own.
//!
//! Each change that has to be atomic is one script in `scripts/`, which the server runs completely or not at all. A
//! task is deleted in the same step that adds its row, so that a kill at any instant leaves one of them.

pub(super) mod fault;
mod inspect;
mod job;
mod outage;
mod source;
mod status;
mod store;
#[cfg(test)]
mod tests;
mod worker;

pub use fault::QueueError;
pub use inspect::{EnqueueOptions, Enqueued, enqueue, queue_status, report_queue, retry_parked};
pub use job::{JobError, QueueJob, decode, encode};
pub use status::{QueueStatus, QueuedBatch, Running};
pub use store::{AddedTasks, Queue, TakeReply, Ticket};
pub use worker::{QueueWorker, WorkerOptions, WorkerRun};

/// The version of the form of a job and of the keys in Redis. A worker refuses tasks of another version,
/// so that machines with different releases cannot misread each other.
const FORM: u32 = 1;
