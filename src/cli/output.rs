//! The one place that prints: data on stdout, words on stderr.

use std::io::{self, BufWriter, IsTerminal as _, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::args::Format;
use super::diff_text::paint_patch;
use super::ending::Ending;
use super::environment_masker::environment_masker;
use super::error::{self, CliError};
use super::loudness::Loudness;
use super::terminal;
use crate::domain::ExitCode;
use crate::engine::plan_file::PlanFile;

/// The output of a command, in the format that the user chose.
pub(super) struct Output {
    format: Format,
    loudness: Loudness,
    /// The command line, as a shell reads it.
    invocation: String,
}

impl Output {
    /// Prints in that form.
    pub(super) fn new(format: Format, loudness: Loudness, invocation: String) -> Self {
        Self { format, loudness, invocation }
    }

    /// Prints a result: `text` for people, `json` for programs.
    pub(super) fn print_result(&self, text: &str, json: &impl Serialize) -> Result<(), CliError> {
        match self.format {
            Format::Text => Self::print_data(text),
            Format::Json => Self::print_json(json),
        }
    }

    /// Prints the end of a run: what failed, the change, the result, the next step. Data (the patch,
    /// the plan or the outcome) is on stdout, everything else on stderr. Returns the exit code.
    pub(super) fn print_ending(&self, ending: &Ending<'_>) -> Result<ExitCode, CliError> {
        let is_terminal = io::stdout().is_terminal();
        let width = terminal::width();
        if self.loudness != Loudness::Quiet {
            Self::print_words(&ending.failures(width));
        }
        match (self.format, ending.plan) {
            (Format::Json, _) => {
                let json = serde_json::to_string_pretty(ending.outcome).unwrap_or_default();
                Self::print_data(&json)?;
            }
            (Format::Text, Some(plan)) => Self::print_data(&describe_plan(plan, width))?,
            (Format::Text, None) if is_terminal && !ending.patch.is_empty() => {
                Self::print_data(&paint_patch(&String::from_utf8_lossy(ending.patch)))?;
            }
            (Format::Text, None) => Self::print_bytes(ending.patch)?,
        }
        Self::print_words(&ending.verdict(&self.invocation, width));
        Ok(ending.outcome.process_code())
    }

    /// Returns the command line, as a shell reads it.
    pub(super) fn invocation(&self) -> &str {
        &self.invocation
    }

    /// Returns the amount of text that a run prints about its steps.
    pub(super) fn loudness(&self) -> Loudness {
        self.loudness
    }

    /// Prints a warning on stderr.
    pub(super) fn print_warning(text: &str) {
        let style = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
        Self::print_words(&format!("{style}warning:{style:#} {text}\n"));
    }

    /// Prints words on stderr, where a CI system reads its commands.
    pub(super) fn print_words(text: &str) {
        // A closed stderr cannot be reported anywhere.
        let _ = anstream::stderr().lock().write_all(text.as_bytes());
    }

    /// Prints bytes on stdout as they are: a patch is no text for a terminal to change.
    fn print_bytes(bytes: &[u8]) -> Result<(), CliError> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
            _ => Ok(()),
        }
    }

    /// Prints a text on stdout, with a line end. A closed pipe is no error.
    pub(super) fn print_data(text: &str) -> Result<(), CliError> {
        let mut stdout = anstream::stdout().lock();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let written = write!(stdout, "{text}{end}").and_then(|()| stdout.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
            _ => Ok(()),
        }
    }

    /// Prints JSON on stdout, piece after piece: it may be long.
    fn print_json(value: &impl Serialize) -> Result<(), CliError> {
        let mut stdout = BufWriter::new(io::stdout().lock());
        let written = serde_json::to_writer_pretty(&mut stdout, value).map_err(io::Error::from);
        match written.and_then(|()| writeln!(stdout)).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
            _ => Ok(()),
        }
    }

    /// Prints an error with its hint on stderr and returns the exit code it ends with.
    pub(super) fn print_error(error: &CliError) -> ExitCode {
        // An error may quote what a server or a file gave.
        Self::print_words(&environment_masker().mask(&error::render_error(error)));
        error.exit_code()
    }
}

/// Returns a plan file in words: the diagnosis with its steps, and the change as far as there is one.
fn describe_plan(plan: &str, width: Option<usize>) -> String {
    let Ok(PlanFile { summary, diff, .. }) = serde_json::from_str(plan) else {
        return plan.to_owned();
    };
    let summary = terminal::wrap(summary.trim(), width, "  ");
    let diff = diff.map(|diff| format!("\n{}", paint_patch(&diff))).unwrap_or_default();
    format!("{summary}\n{diff}")
}

/// Prints what clap has to say (help and the version on stdout, a refusal on stderr) and returns
/// the exit code it ends with.
pub(super) fn print_refusal(refusal: &clap::Error) -> ExitCode {
    let _ = refusal.print();
    if refusal.use_stderr() { ExitCode::Usage } else { ExitCode::Ok }
}
