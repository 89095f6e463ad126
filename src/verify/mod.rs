//! Runs the command that proves a fix, and reads what it proves.

mod command;
mod compare;
mod policy;
mod runner_options;
mod shell_list;
mod subcommands;

pub use command::{Ran, VerifyConfig, VerifyError, run_command, split_command};
pub use compare::{
    Verdict, compare_reports, count_fixed, failures_line_list, has_build_failure, has_failure,
    is_progress,
};
pub use policy::{Blocked, check_tool};
pub use runner_options::RunnerOptions;
pub use shell_list::{always_passes, hiding_operator, list_commands, with_pipefail};
