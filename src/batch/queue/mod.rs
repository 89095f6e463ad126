//! A batch that several machines share through a NATS server.
//!
//! A stream has the job of each task until it is acknowledged, a bucket its record, and an object store its results. The
//! server leases a job to one worker at a time, counts its deliveries and keeps everything on the disk. A worker stores the
//! results, then the row, and acknowledges the job after that: a kill at any instant leaves one of them, and a job that is
//! delivered again although it has a row is acknowledged without work.
//!
//! The limit of deliveries is the worker's, not the server's: a job that the server gives up has no row, and its advisory
//! is kept nowhere.

pub(super) mod fault;
mod inspect;
mod job;
mod outage;
mod recipes;
mod records;
mod results;
mod source;
#[cfg(test)]
mod tests;
mod worker;

pub use fault::QueueError;
pub use inspect::{EnqueueOptions, Enqueued, enqueue, queue_status, report_queue, retry_parked};
pub use job::{JobError, QueueJob, decode, encode};
pub use records::{AddedTasks, Queue, QueueStatus, QueuedBatch, Running};
pub use worker::{QueueWorker, WorkerOptions, WorkerRun};

/// The version of the form of a job and of the records. A worker refuses tasks of another version, so that machines with
/// different releases cannot misread each other.
const FORM: u32 = 2;
