//! Attacks of the kinds that have succeeded before; each must fail. The data is in `tests/attacks`.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]
#![expect(
    clippy::unwrap_used,
    clippy::format_collect,
    reason = "a test may stop at the first thing that is wrong, and need not be fast"
)]

mod commands;
mod damage;
mod deadlines;
mod forms;
mod grants;
mod masking;
mod outputs;
mod policy;
mod small;
mod stand_ins;
mod waits;
mod ways_out;
