//! A batch that many machines share through a Redis: [`Queue`] holds its tasks and their rows, [`work`] is one
//! worker at it.
//!
//! The queue is Redis's own: a stream with a consumer group, through the `redis` crate, since there the server
//! itself hands out, counts how often (so that a task which kills its workers is parked) and measures by its one
//! clock how long a worker was silent. The job libraries do less of it: apalis-redis 1.0 and oxana 2.5 put what a
//! dead worker held back without counting and judge life by each machine's clock (and the former's script fails once
//! 8,000 tasks wait), celery's and sidekiq's ports lose what a killed worker had taken, fang wants an SQL database
//! and faktory a server of its own.
//!
//! Each step that must hold together is one script in `scripts/`, which the server runs whole or not at all. A task
//! is taken away only together with its row's coming, so that a kill at any instant leaves one of them there.

mod fault;
mod job;
mod outage;
mod status;
mod store;
#[cfg(test)]
mod tests;
mod work;

pub use fault::QueueError;
pub use job::{Job, JobFault, decode, encode};
pub use status::{Begun, Running, Status};
pub use store::{Added, Queue, Taken, Ticket};
pub use work::{Sayer, WorkError, Worked, Worker, work};
