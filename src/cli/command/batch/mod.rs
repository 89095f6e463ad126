//! `papayu-batch batch`: many repositories from one manifest.

mod begin;
mod desk;
mod leave;
mod matrix;
mod merge;
mod run;
mod watch;

pub(in crate::cli) use merge::merge;
pub(in crate::cli) use run::run;
