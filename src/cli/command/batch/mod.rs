//! `papayu-batch batch`, `report merge`, `enqueue`, `worker` and `queue`.

#[cfg(feature = "redis")]
mod queue;
mod run;
mod watch;

#[cfg(feature = "redis")]
pub(crate) use queue::{run_enqueue, run_queue, run_worker};
pub(crate) use run::{merge_shards, run_batch};
