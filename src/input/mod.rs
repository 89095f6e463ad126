//! Brings a run's input in: bytes from outside, no meaning of its own.

mod log;
mod matchers;

pub use log::{InputError, Log, read_log};
pub use matchers::Lessons;
