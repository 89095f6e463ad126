//! The command line: reads arguments, calls one function of the library, prints its result.
//!
//! No file is read and no process is started before all arguments are valid, so that `--help` is
//! immediate and a mistyped flag costs nothing.

pub mod args;
mod ci;
mod command;
mod doors;
mod error;
mod launch;
mod output;
mod progress;

use std::ffi::OsString;

use clap::Parser as _;

pub(crate) use crate::fix::Session;
use args::{Cli, Command};
pub use error::CliError;
use output::Output;

use crate::domain::ExitCode;

/// Runs one call of the program and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> std::process::ExitCode {
    let code = match Cli::try_parse_from(arguments) {
        Ok(cli) => dispatch(cli),
        Err(refusal) => output::refusal(&refusal),
    };
    code.number().into()
}

fn dispatch(cli: Cli) -> ExitCode {
    let output = Output::new(cli.global.format);
    let result = match cli.command {
        Command::Fix(args) => command::fix::fix(&cli.global, &args, &output),
        Command::Plan(args) => command::fix::plan(&cli.global, &args, &output),
        Command::Apply(args) => command::apply::run(&cli.global, &args, &output),
        Command::Publish(args) => command::publish::run(&cli.global, &args, &output),
        Command::Batch(args) => command::batch::run(&cli.global, &args, &output),
        #[cfg(feature = "redis")]
        Command::Enqueue(args) => command::batch::enqueue(&cli.global, &args, &output),
        #[cfg(feature = "redis")]
        Command::Worker(args) => command::batch::worker(&cli.global, &args, &output),
        #[cfg(feature = "redis")]
        Command::Queue(args) => command::batch::queue(&cli.global, &args, &output),
        Command::Undo => command::apply::undo(&cli.global, &output),
        Command::Redo => command::apply::redo(&cli.global, &output),
        Command::Context(args) => command::context::run(&cli.global, &args, &output),
        Command::Index(args) => command::index::run(&cli.global, &args, &output),
        Command::Replay(args) => command::replay::run(&cli.global, &args, &output),
        Command::Trace(args) => command::trace::run(&cli.global, &args, &output),
        Command::Report(args) => command::report::run(&cli.global, &args, &output),
        Command::Runs(args) => command::runs::run(&cli.global, &args, &output),
        Command::Doctor => command::doctor::run(&cli.global, &output),
        Command::Schema(args) => command::schema::run(&args),
        Command::Completions(args) => command::completions::run(&args),
        Command::Man => command::man::run(),
        Command::Debug(args) => command::debug::answer_lines(&args.command),
    };
    result.unwrap_or_else(|error| Output::error(&error))
}
