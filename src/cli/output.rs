//! The one place that prints: data on stdout, words on stderr.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::args::Format;
use super::error::{self, CliError};
use crate::domain::{ExitCode, Outcome};

/// The output of a command, in the format that the user chose.
pub(super) struct Output {
    format: Format,
}

impl Output {
    /// Prints in that form.
    pub(super) fn new(format: Format) -> Self {
        Self { format }
    }

    /// Prints a result: `text` for people, `json` for programs.
    pub(super) fn print_result(&self, text: &str, json: &impl Serialize) -> Result<(), CliError> {
        match self.format {
            Format::Text => Self::print_data(text),
            Format::Json => Self::print_json(json),
        }
    }

    /// Prints how a run ended: the patch, the plan or the outcome on stdout, a sentence on stderr.
    /// Returns the exit code.
    pub(super) fn print_outcome(
        &self,
        outcome: &Outcome,
        patch: &[u8],
        plan: Option<&str>,
        out: &Path,
    ) -> Result<ExitCode, CliError> {
        let hint = outcome.hint.as_ref().map(|hint| format!("hint: {hint}\n")).unwrap_or_default();
        let (word, reason, results) = (outcome.outcome.name(), &outcome.reason, out.display());
        // A closed stderr cannot be reported anywhere.
        let _ = write!(anstream::stderr().lock(), "{word}: {reason}\n{hint}results: {results}\n");
        match (self.format, plan) {
            (Format::Json, _) => {
                let json = serde_json::to_string_pretty(outcome).unwrap_or_default();
                Self::print_data(&json)?;
            }
            (Format::Text, Some(plan)) => Self::print_data(plan)?,
            (Format::Text, None) => Self::print_bytes(patch)?,
        }
        Ok(outcome.outcome.exit_code())
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
        // A closed stderr cannot be reported anywhere.
        let _ = write!(anstream::stderr().lock(), "{}", error::render_error(error));
        error.exit_code()
    }
}

/// Prints what clap has to say (help and the version on stdout, a refusal on stderr) and returns
/// the exit code it ends with.
pub(super) fn print_refusal(refusal: &clap::Error) -> ExitCode {
    let _ = refusal.print();
    if refusal.use_stderr() { ExitCode::Usage } else { ExitCode::Ok }
}
