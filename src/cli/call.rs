//! One call of the program: the arguments that every command has, and the form of its results.

use std::io::{self, IsTerminal as _};

use serde::Serialize;

use super::args::{GlobalArgs, OutputFormat};
use super::diff_text::paint_patch;
use super::ending::RunSummary;
use super::error::CliError;
use super::loudness::Loudness;
use super::{output, terminal};
use crate::engine::plan_file::PlanFile;
use crate::fix::known_secrets::environment_masker;
use papayu_base::domain::ExitCode;
use papayu_system::os::environment;

/// One call of the program.
pub(super) struct Call {
    /// The arguments that every command has.
    pub(super) global: GlobalArgs,
    /// The command line, as a shell reads it.
    pub(super) invocation: String,
}

impl Call {
    /// Returns the amount of text that a run prints about its steps; `--quiet` is the stronger flag.
    pub(super) fn loudness(&self) -> Loudness {
        match (self.global.quiet, self.global.verbose) {
            (true, _) => Loudness::Quiet,
            (false, true) => Loudness::Verbose,
            (false, false) => Loudness::Normal,
        }
    }

    /// Prints a result: `text` for people, `json` for programs; secrets in both are masked.
    ///
    /// # Errors
    ///
    /// `Stdout` if stdout cannot be written; a closed pipe is no error.
    pub(super) fn print_result(&self, text: &str, json: &impl Serialize) -> Result<(), CliError> {
        let masker = environment_masker(&environment::snapshot());
        match self.global.format {
            OutputFormat::Text => output::print_text(&masker.mask(text)),
            OutputFormat::Json => {
                let json = serde_json::to_value(json).map_err(|it| CliError::Stdout(it.into()))?;
                output::print_json(&masker.masked_json(json).into_inner())
            }
        }
    }

    /// Prints the end of a run: what failed, the change, the result, the next step. Data (the patch,
    /// the plan or the outcome) is on stdout, everything else on stderr. Returns the exit code.
    ///
    /// # Errors
    ///
    /// `Stdout` if stdout cannot be written.
    pub(super) fn print_ending(&self, ending: &RunSummary<'_>) -> Result<ExitCode, CliError> {
        let is_terminal = io::stdout().is_terminal();
        let width = terminal::width();
        if self.loudness() != Loudness::Quiet {
            output::print_words(&ending.failures(width));
        }
        match (self.global.format, ending.plan) {
            (OutputFormat::Json, _) => output::print_json(ending.outcome)?,
            (OutputFormat::Text, Some(plan)) => output::print_text(&describe_plan(plan, width))?,
            (OutputFormat::Text, None) if is_terminal && !ending.patch.is_empty() => {
                output::print_text(&paint_patch(&String::from_utf8_lossy(ending.patch)))?;
            }
            (OutputFormat::Text, None) => output::print_patch(ending.patch)?,
        }
        output::print_words(&ending.verdict(&self.invocation, width));
        Ok(ending.outcome.process_code())
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
