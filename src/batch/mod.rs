//! Many repositories at once: who is to be mended, in what order, and what came of each.
//!
//! A [`manifest`] says what; [`expand()`] names every task; [`select`] leaves those that this call is to do;
//! [`plan`] is the whole policy of what is started next, as one table of state and event; [`pool`] does it on
//! a bounded number of threads, each task a run of [`crate::fix()`] with [`limits`] before its
//! requests and [`clones`] beneath its repository; [`journal`] is what a killed batch goes on from;
//! [`summary`] is what people and programs are told. With the feature `redis`, `queue` shares a batch among machines. Of a task that has ended nothing is kept in memory but where the journal has its [`Row`].

mod breaker;
pub mod clones;
mod expand;
pub mod journal;
pub mod ledger;
pub mod limits;
pub mod manifest;
pub mod plan;
pub mod pool;
#[cfg(feature = "redis")]
pub mod queue;
pub mod row;
pub mod select;
pub mod summary;
mod task;

pub use expand::{Origin, Planned, expand};
pub use row::{BY_SEVERITY, Row, Rows, worst};
pub use task::{Shared, Turns};
