//! `papayu-batch batch`: many repositories from one manifest.

mod begin;
mod desk;
mod leave;
mod matrix;
mod merge;
#[cfg(feature = "redis")]
mod queue;
mod run;
mod watch;
#[cfg(feature = "redis")]
mod worker;

pub(in crate::cli) use merge::merge;
#[cfg(feature = "redis")]
pub(in crate::cli) use queue::{enqueue, queue};
pub(in crate::cli) use run::run;
#[cfg(feature = "redis")]
pub(in crate::cli) use worker::worker;
