//! Runs the command that proves a fix, and reads what it proves.

mod command;
mod compare;
mod policy;

pub use command::{Ran, VerifyConfig, VerifyError, run, words};
pub use compare::{Verdict, failures_line_list, is_progress, mended, verdict};
pub use policy::{Blocked, is_allowed_tool};
