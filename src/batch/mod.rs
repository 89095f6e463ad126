//! Runs tasks in many repositories: from a manifest, or from a queue that several machines share.
//!
//! [`manifest`] reads the file, `expand` names every task, [`select`] chooses those of one call. [`pool`] is the
//! worker loop: its threads claim tasks from a `TaskSource`, and each task is one run of [`crate::fix()`].
//! [`plan`] is the policy of what is started next, as a table without threads or clocks. [`limits`] governs the
//! requests, [`clones`] provides the repositories. [`journal`] is what an interrupted batch resumes from, and
//! [`summary`] the result. The feature `nats` adds `queue`.

mod applied;
mod breaker;
pub mod clones;
mod error;
mod expand;
mod finding_tasks;
mod hold;
pub mod journal;
pub mod limits;
pub mod manifest;
pub mod plan;
pub mod pool;
mod publication;
#[cfg(feature = "nats")]
pub mod queue;
mod report;
mod resume;
pub mod row;
mod run;
pub mod select;
mod session;
mod slow_notice;
pub mod summary;
mod task;

pub use applied::{AppliedBatch, AppliedFix, ApplyResult, apply_batch};
pub use error::BatchError;
pub use expand::{PlannedTask, RepositoryOrigin, expand};
pub use hold::{BatchHold, QuietHours};
pub use plan::BatchLimits;
pub use pool::BatchWatcher;
pub use publication::{BatchPublication, ListedFixes, list_bundles, publish_batch, refusal_of};
pub use report::{BatchReport, merge_folders};
pub use resume::StartMode;
pub use row::{BY_SEVERITY, TaskRow, worst};
pub use run::{BatchOptions, DryRun, TaskFilter, dry_run, run_batch, shard_matrix};
pub use session::BatchSession;
pub(crate) use slow_notice::with_notice;
pub use summary::BatchSummary;
