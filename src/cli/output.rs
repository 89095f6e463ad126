//! The one place that prints: data on stdout, words on stderr.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use anstream::adapter::strip_str;
use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::error::{self, CliError};
use super::streams::{as_output_shows, print_stderr, print_stdout, write_stdout};
use crate::fix::ci_environment::CiEnvironment;
use crate::fix::known_secrets::environment_masker;
use papayu_base::domain::ExitCode;
use papayu_base::text::{is_invisible, without_ci_orders};
use papayu_system::os::environment;

/// Prints a warning on stderr.
pub(super) fn print_warning(text: &str) {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
    print_words(&format!("{style}warning:{style:#} {text}\n"));
}

/// Prints words on stderr. They may quote a log, a reply or the name of a file, so a CI system obeys nothing in them.
pub(super) fn print_words(text: &str) {
    // A closed stderr cannot be reported anywhere.
    let printed = without_deception(&as_output_shows(text, &io::stderr()));
    let _ = print_stderr(&printed);
}

/// Returns a text of others in which a CI system finds no command and a terminal nothing that misleads.
pub(super) fn without_deception(text: &str) -> String {
    without_ci_orders(&shown(text)).into_owned()
}

/// Prints commands for the CI system on stderr, which [`crate::emit::annotations`] has escaped.
pub(super) fn print_ci_commands(lines: &str) {
    let _ = print_stderr(&shown(lines));
}

/// Returns a text without the controls that a terminal obeys besides those of our own colors, and without characters that
/// change the order in which it is read.
fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_deceptive) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_deceptive(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// Returns `true` for controls of eight bits, and for characters that reorder.
fn is_deceptive(c: char) -> bool {
    ('\u{80}'..='\u{9f}').contains(&c) || is_reordering(c)
}

/// Returns `true` for invisible characters, except for those that belong to emoji.
fn is_reordering(c: char) -> bool {
    is_invisible(c) && !matches!(c, '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// Prints a patch on stdout as it is: it is no text for a terminal to change. A job of a CI system prints what it gets through a pipe;
/// a patch with commands for that system is left out there.
///
/// Fails with [`CliError::Stdout`]. A closed pipe is no error: the reader has seen enough.
pub(super) fn print_patch(patch: &[u8]) -> Result<(), CliError> {
    let is_obeyed = CiEnvironment::of(&environment::snapshot()).is_job() && !is_file(&io::stdout());
    let has_orders = || {
        let plain = strip_str(&String::from_utf8_lossy(patch)).to_string();
        without_ci_orders(&plain) != plain
    };
    if is_obeyed && has_orders() {
        print_warning(
            "the patch is not printed, because it has commands that a CI system would obey; it is among the outputs of the run",
        );
        return Ok(());
    }
    print_bytes(patch)
}

/// Returns `true` if the output goes to a file of the user.
fn is_file(output: &impl AsFd) -> bool {
    let file = output.as_fd().try_clone_to_owned().map(File::from);
    file.and_then(|file| file.metadata()).is_ok_and(|found| found.is_file())
}

/// Prints bytes on stdout as they are.
///
/// Fails as [`check_written`] does.
fn print_bytes(bytes: &[u8]) -> Result<(), CliError> {
    check_written(write_stdout(bytes))
}

/// Fails with [`CliError::Stdout`] if stdout cannot be written, or is not read in time. A closed pipe is no error.
fn check_written(written: io::Result<()>) -> Result<(), CliError> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
        _ => Ok(()),
    }
}

/// Prints a text for people on stdout as [`print_data`] does; a CI system obeys nothing in it.
///
/// Fails as [`print_data`] does.
pub(super) fn print_text(text: &str) -> Result<(), CliError> {
    print_data(&without_deception(&as_output_shows(text, &io::stdout())))
}

/// Prints a text on stdout, with a line end. A closed pipe is no error.
pub(super) fn print_data(text: &str) -> Result<(), CliError> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    check_written(print_stdout(&format!("{}{end}", shown(text))))
}

/// Prints JSON on stdout. A CI system finds no command in its texts: they have one `#` of two as an escape.
///
/// Fails with [`CliError::Stdout`]. A closed pipe is no error.
pub(super) fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    let text =
        serde_json::to_string_pretty(value).map_err(|error| CliError::Stdout(error.into()))?;
    // No number, name of a field or sign of JSON has two.
    print_bytes(format!("{}\n", text.replace("##", r"\u0023#")).as_bytes())
}

/// Prints an error with its hint on stderr and returns the exit code it ends with.
pub(super) fn print_error(error: &CliError) -> ExitCode {
    // An error may quote what a server or a file gave.
    print_words(&environment_masker(&environment::snapshot()).mask(&error::render_error(error)));
    error.exit_code()
}

/// Prints what clap has to say (help and the version on stdout, a refusal on stderr) and returns
/// the exit code it ends with.
pub(super) fn print_refusal(refusal: &clap::Error) -> ExitCode {
    let text = refusal.render().ansi().to_string();
    if refusal.use_stderr() {
        let _ = print_stderr(&text);
        return ExitCode::Usage;
    }
    match check_written(print_stdout(&text)) {
        Ok(()) => ExitCode::Ok,
        Err(error) => print_error(&error),
    }
}
