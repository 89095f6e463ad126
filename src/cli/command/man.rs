//! `papayu-batch man`.

use std::path::Path;

use crate::cli::args::ManArgs;
use crate::cli::manual::{Page, render_pages};
use crate::cli::{Call, CliError, output};
use crate::fix::FixError;
use papayu_base::domain::ExitCode;
use papayu_system::Disk as _;
use papayu_system::os::OsDisk;

/// Prints the page of a command, or writes all pages into the folder of `--out`.
///
/// Fails with [`CliError::NoManualPage`] if there is no such command, and with [`FixError::Write`] if a page
/// cannot be written.
pub(crate) fn print_man(call: &Call, args: &ManArgs) -> Result<ExitCode, CliError> {
    let pages = render_pages().map_err(CliError::Stdout)?;
    if let Some(folder) = &call.global.out {
        write_pages(folder, &pages)?;
        return Ok(ExitCode::Ok);
    }
    let name = args.command.join(" ");
    match pages.iter().find(|page| page.command == name) {
        Some(page) => output::print_data(&page.text)?,
        None => return Err(CliError::NoManualPage(name)),
    }
    Ok(ExitCode::Ok)
}

/// Writes all pages into a folder. Fails with [`FixError::Write`] for the first that cannot be written.
fn write_pages(folder: &Path, pages: &[Page]) -> Result<(), CliError> {
    for page in pages {
        let path = folder.join(page.file_name());
        let written = OsDisk.write(&path, page.text.as_bytes());
        written.map_err(|source| FixError::Write { path, source })?;
    }
    Ok(())
}
