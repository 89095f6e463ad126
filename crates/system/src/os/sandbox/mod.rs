//! Runs repository code where it sees no credentials, changes nothing outside the work tree and leaves no process.
//!
//! The program starts itself twice for each command, because the kernel's restrictions cannot be removed again:
//!
//! ```text
//! papayu-batch ── __supervise ── __confine, which becomes the command
//! ```
//!
//! The supervisor adopts the orphans of the command and ends every descendant before it reports the end of the
//! command. It is outside the sandbox, so that the command cannot signal it. The program opens all that a command may read and change before
//! the first command runs, and makes rules from the descriptors (`place`, `grants`). The confined process restricts itself
//! with these rules of Landlock (`files`), seccomp (`syscalls`), a network namespace (`namespace`) and fewer capabilities
//! (`confine`), then executes the command. Both receive what they need on a socket that is their standard input
//! (`job`), and have an empty environment: no variable of the command affects them.

mod caches;
#[cfg(target_os = "linux")]
mod confine;
mod files;
mod git_guard;
mod grants;
mod hidden;
pub(super) mod job;
mod mounts;
#[cfg(target_os = "linux")]
mod namespace;
mod passing;
mod place;
mod private;
#[cfg(target_os = "linux")]
mod probe;
#[cfg(target_os = "linux")]
mod proxy;
mod registries;
mod regular;
mod setup;
mod subcommand;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
mod syscalls;

use std::process::ExitCode;

pub(super) use git_guard::GitGuard;
pub(super) use passing::send_with;
pub(crate) use private::SharedLinks;
pub(super) use setup::Sandbox;
pub use setup::{find_work_tree, is_in_work_tree};
pub(super) use subcommand::SUPERVISE;

/// Runs the hidden subcommand that this process was started with; `None` in a process that is none of them.
///
/// Call it first in `main`. The sandbox starts the program again, so only a program that calls this
/// function has one.
pub fn run_subcommand() -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    {
        subcommand::set_available();
        match std::env::args_os().nth(1)?.to_str()? {
            SUPERVISE => return Some(supervise::run()),
            subcommand::CONFINE => return Some(confine::run()),
            _ => {}
        }
    }
    None
}
