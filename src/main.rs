//! The program: arguments in, exit code out.

use std::process::ExitCode;

/// The index is made of many small values, which musl's allocator is slow at, and the system's slower.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(code) = papayu_system::os::sandbox::run_subcommand() {
        return code;
    }
    papayu_system::os::handover::take_environment();
    papayu_batch::cli::run(std::env::args_os())
}
