//! The command line: reads arguments, calls one function of the library, prints its result.
//!
//! No file is read and no process is started before all arguments are valid, so that `--help` is
//! immediate and a mistyped flag costs nothing.

pub mod args;
mod ci;
mod command;
mod command_output;
mod diff_text;
mod ending;
mod environment_masker;
mod error;
mod event_text;
mod launch;
mod loudness;
pub mod manual;
mod output;
mod progress;
mod runs_text;
mod runtime;
mod terminal;
mod wording;

use std::ffi::OsString;

use clap::Parser as _;

pub(crate) use crate::fix::Session;
use args::{Cli, Command};
pub use error::CliError;
use loudness::Loudness;
use output::Output;

use crate::domain::ExitCode;
use crate::text;

/// Runs one call of the program and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> std::process::ExitCode {
    // The library returns a code; only `main` ends the process.
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let invocation = text::mask(&wording::quote_command(&arguments)).into_owned();
    let code = match Cli::try_parse_from(arguments) {
        Ok(cli) => dispatch(cli, invocation),
        Err(refusal) => output::print_refusal(&refusal),
    };
    code.number().into()
}

fn dispatch(cli: Cli, invocation: String) -> ExitCode {
    let loudness = Loudness::new(cli.global.quiet, cli.global.verbose);
    let output = Output::new(cli.global.format, loudness, invocation);
    let result = match cli.command {
        Command::Fix(args) => command::fix::run_fix(&cli.global, &args, &output),
        Command::Init(args) => command::init::write_files(&cli.global, &args, &output),
        Command::Plan(args) => command::fix::run_plan(&cli.global, &args, &output),
        Command::Apply(args) => command::apply::run_apply(&cli.global, &args, &output),
        Command::Publish(args) => command::publish::run_publish(&cli.global, &args, &output),
        Command::Batch(args) => command::batch::run_batch(&cli.global, &args, &output),
        #[cfg(feature = "redis")]
        Command::Enqueue(args) => command::batch::run_enqueue(&cli.global, &args, &output),
        #[cfg(feature = "redis")]
        Command::Worker(args) => command::batch::run_worker(&cli.global, &args, &output),
        #[cfg(feature = "redis")]
        Command::Queue(args) => command::batch::run_queue(&cli.global, &args, &output),
        #[cfg(not(feature = "redis"))]
        Command::Enqueue(_) => Err(CliError::NoQueue),
        Command::Undo => command::apply::undo_change(&cli.global, &output),
        Command::Redo => command::apply::redo_change(&cli.global, &output),
        Command::Context(args) => command::context::print_context(&cli.global, &args, &output),
        Command::Research(args) => command::research::print_research(&cli.global, &args, &output),
        Command::Index(args) => command::index::run(&cli.global, &args, &output),
        Command::Tool(args) => command::tool::call_tool(&cli.global, &args, &output),
        Command::Mcp(args) => command::mcp::serve_tools(&cli.global, &args, &output),
        Command::Replay(args) => command::replay::run_replay(&cli.global, &args, &output),
        Command::Trace(args) => command::trace::run_traces(&cli.global, &args, &output),
        Command::Report(args) => command::report::print_report(&cli.global, &args, &output),
        Command::Runs(args) => command::runs::run_runs(&cli.global, &args, &output),
        Command::Memory(args) => command::memory::run_memory(&cli.global, &args, &output),
        Command::Notes(args) => command::notes::run_notes(&cli.global, &args, &output),
        Command::Doctor(args) => command::doctor::run_doctor(&cli.global, &args, &output),
        Command::Schema(args) => command::schema::print_schema(&args),
        Command::Completions(args) => command::completions::print_completions(&args),
        Command::Man(args) => command::man::print_man(&cli.global, &args),
        Command::Debug(args) => command::debug::answer_lines(&args.command),
    };
    result.unwrap_or_else(|error| Output::print_error(&error))
}
