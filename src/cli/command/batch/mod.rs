//! `papayu-batch batch`, `report merge`, `enqueue`, `worker` and `queue`.

mod keep;
#[cfg(feature = "nats")]
mod queue;
mod rows;
mod run;
mod summary;
mod watch;

pub(crate) use keep::publish_folders;
#[cfg(feature = "nats")]
pub(crate) use queue::{run_enqueue, run_queue, run_worker};
pub(crate) use run::{merge_shards, run_batch};
