//! The command line: reads arguments, calls one function of the library, prints its result.
//!
//! No file is read and no process is started before all arguments are valid, so that `--help` is
//! immediate and a mistyped flag costs nothing.

pub mod args;
mod call;
mod ci;
mod command;
mod command_output;
mod diff_text;
mod ending;
mod error;
mod event_lines;
mod event_text;
mod launch;
mod loudness;
pub mod manual;
mod output;
mod progress;
mod runs_text;
mod runtime;
mod silence;
mod streams;
mod terminal;
mod trace_text;
mod wording;

use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _};

pub(crate) use crate::fix::Session;
use args::{Cli, Command};
use call::Call;
pub use error::CliError;

use papayu_base::{domain::ExitCode, text};

/// Runs one call of the program and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> std::process::ExitCode {
    // The library returns a code; only `main` ends the process.
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let invocation = text::mask(&wording::quote_command(&arguments)).into_owned();
    let code = match parse(arguments) {
        Ok(cli) => dispatch(cli, invocation),
        Err(refusal) => output::print_refusal(&refusal),
    };
    code.number().into()
}

/// Parses the arguments, with examples in the help.
fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut definition = manual::with_examples(Cli::command(), "");
    let matches = definition.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut definition))
}

/// Runs a command and returns its exit code; an error is printed.
fn dispatch(cli: Cli, invocation: String) -> ExitCode {
    runtime::remove_leftovers(&cli.command);
    let call = Call { global: cli.global, invocation };
    let result = match cli.command {
        Command::Fix(args) => command::fix::run_fix(&call, &args),
        Command::Init(args) => command::init::write_files(&call, &args),
        Command::Plan(args) => command::fix::run_plan(&call, &args),
        Command::Apply(args) => command::apply::run_apply(&call, &args),
        Command::Publish(args) => command::publish::run_publish(&call, &args),
        Command::Batch(args) => command::batch::run_batch(&call, &args),
        #[cfg(feature = "nats")]
        Command::Enqueue(args) => command::batch::run_enqueue(&call, &args),
        #[cfg(feature = "nats")]
        Command::Worker(args) => command::batch::run_worker(&call, &args),
        #[cfg(feature = "nats")]
        Command::Queue(args) => command::batch::run_queue(&call, &args),
        #[cfg(not(feature = "nats"))]
        Command::Enqueue(_) => Err(CliError::NoQueue),
        Command::Undo => command::apply::undo_change(&call),
        Command::Redo => command::apply::redo_change(&call),
        Command::Explain(args) => command::explain::explain_inputs(&call, &args),
        Command::Context(args) => command::context::print_context(&call, &args),
        Command::Research(args) => command::research::print_research(&call, &args),
        Command::Index(args) => command::index::run(&call, &args),
        Command::Tool(args) => command::tool::call_tool(&call, &args),
        Command::Mcp(args) => command::mcp::serve_tools(&call, &args),
        Command::Replay(args) => command::replay::run_replay(&call, &args),
        Command::Trace(args) => command::trace::run_traces(&call, &args),
        Command::Report(args) => command::report::print_report(&call, &args),
        Command::Runs(args) => command::runs::run_runs(&call, &args),
        Command::Memory(args) => command::memory::run_memory(&call, &args),
        Command::Recipe(args) => command::recipe::run_recipe(&call, &args),
        Command::Notes(args) => command::notes::run_notes(&call, &args),
        Command::Doctor(args) => command::doctor::run_doctor(&call, &args),
        Command::Schema(args) => command::schema::print_schema(&args),
        Command::Completions(args) => command::completions::print_completions(&args),
        Command::Man(args) => command::man::print_man(&call, &args),
        Command::Debug(args) => command::debug::run_debug(&call, &args.command),
    };
    result.unwrap_or_else(|error| output::print_error(&error))
}
