//! The engine as a library: mends the repository in a folder and prints how it went.
//!
//! `cargo run --example fix -- path/to/repository "cargo test"`
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "this is a program of its own"
)]

use std::process::ExitCode;

use papayu_base::domain::{Event, EventSink};
use papayu_batch::{FixRequest, fix};

/// Says what is going on; secrets are masked by then.
struct Told;

impl EventSink for Told {
    fn emit(&self, event: Event) {
        eprintln!("{}", event.name.as_str());
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(repository), Some(command)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: fix REPOSITORY COMMAND");
        return ExitCode::from(2);
    };
    // Nothing is inherited but what is handed over: here all of it, `PAPAYU_*` settings too.
    let request = FixRequest::new(repository)
        .environment(std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }))
        .setting("run.command", command);
    let fixed = fix(request, &Told);
    println!("{}: {}", fixed.outcome.outcome.name(), fixed.outcome.reason);
    print!("{}", String::from_utf8_lossy(&fixed.patch));
    ExitCode::from(fixed.outcome.exit_code)
}
