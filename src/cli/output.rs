//! The one place that prints: data on stdout, words on stderr.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::error::{self, CliError};
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
    let _ = anstream::stderr().lock().write_all(without_ci_orders(&shown(text)).as_bytes());
}

/// Prints commands for the CI system on stderr, which [`crate::emit::annotations`] has escaped.
pub(super) fn print_ci_commands(lines: &str) {
    let _ = anstream::stderr().lock().write_all(shown(lines).as_bytes());
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

/// Prints bytes on stdout as they are: a patch is no text for a terminal to change.
///
/// Fails with [`CliError::Stdout`]. A closed pipe is no error: the reader has seen enough.
pub(super) fn print_bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
        _ => Ok(()),
    }
}

/// Prints a text for people on stdout as [`print_data`] does; a CI system obeys nothing in it.
///
/// Fails as [`print_data`] does.
pub(super) fn print_text(text: &str) -> Result<(), CliError> {
    print_data(&without_ci_orders(text))
}

/// Prints a text on stdout, with a line end. A closed pipe is no error.
pub(super) fn print_data(text: &str) -> Result<(), CliError> {
    let mut stdout = anstream::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let written = write!(stdout, "{}{end}", shown(text)).and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
        _ => Ok(()),
    }
}

/// Prints JSON on stdout, piece after piece: it may be long.
///
/// Fails with [`CliError::Stdout`]. A closed pipe is no error.
pub(super) fn print_json(value: &impl Serialize) -> Result<(), CliError> {
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
    print_words(&environment_masker(&environment::snapshot()).mask(&error::render_error(error)));
    error.exit_code()
}

/// Prints what clap has to say (help and the version on stdout, a refusal on stderr) and returns
/// the exit code it ends with.
pub(super) fn print_refusal(refusal: &clap::Error) -> ExitCode {
    let _ = refusal.print();
    if refusal.use_stderr() { ExitCode::Usage } else { ExitCode::Ok }
}
