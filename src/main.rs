//! The program: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    papayu_batch::cli::run(std::env::args_os())
}
