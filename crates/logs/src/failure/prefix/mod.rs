//! Takes off what CI systems, containers and runners of several processes put before the lines of a tool.
//!
//! [`stamp`] knows the usual forms of times. [`tag`] finds the names of processes by their repetition.

pub(super) mod stamp;
pub(super) mod tag;
