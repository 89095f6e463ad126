//! Runs the command that proves a fix, and says what failed.

pub mod command;
pub mod compare;

pub use command::{Ran, VerifyConfig, VerifyError, run};
pub use compare::failures_line_list;
