//! `papayu-batch batch`: many repositories from one manifest.

mod desk;
mod matrix;
mod run;
mod watch;

pub(in crate::cli) use run::run;
