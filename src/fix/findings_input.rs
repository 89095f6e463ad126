//! Reads the findings of a run: a scanner's report, or the issues of a project in Snyk.

use std::io;
use std::path::{Path, PathBuf};

use super::error::FixError;
use super::run_context::RunContext;
use super::snyk_api::{load_snyk, load_snyk_issues};
use papayu_base::domain::ReportedFinding;
use papayu_base::domain::event::{Event, EventName};
use papayu_logs::findings::{FindingsReport, read_findings};
use papayu_system::read::read_pieces;
use papayu_system::{Clock, Disk};

/// Longest report that is read, in bytes.
const MAX_REPORT: usize = 64 * 1024 * 1024;

/// The source of findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingsSource {
    /// A report; `-` is standard input.
    Report(PathBuf),
    /// A project in Snyk, by its identifier.
    SnykProject(String),
}

/// Returns the findings of a source.
///
/// # Errors
///
/// [`FixError::Read`] if a file cannot be read or has an unknown format, and those of [`load_snyk`].
pub(crate) fn load_findings(
    context: RunContext<'_>,
    source: &FindingsSource,
) -> Result<FindingsReport, FixError> {
    let system = context.runtime.system();
    match source {
        FindingsSource::Report(path) => read_report_file(system.disk, system.clock, path),
        FindingsSource::SnykProject(project) => load_snyk(context, project),
    }
}

/// Returns the findings of a report in a file; `-` is standard input.
///
/// Fails with [`FixError::Read`] if the file cannot be read, is longer than [`MAX_REPORT`] bytes, or is no
/// report of a known scanner.
pub(crate) fn read_report_file(
    disk: &dyn Disk,
    clock: &dyn Clock,
    path: &Path,
) -> Result<FindingsReport, FixError> {
    let fault = |source| FixError::Read { path: path.to_owned(), source };
    let mut file = disk.open(path).map_err(fault)?;
    let (mut bytes, mut is_long) = (Vec::new(), false);
    let mut keep = |piece: &[u8]| {
        is_long |= bytes.len() + piece.len() > MAX_REPORT;
        if !is_long {
            bytes.extend_from_slice(piece);
        }
    };
    read_pieces(&mut file, clock, &mut keep).map_err(fault)?;
    let odd = |reason: String| fault(io::Error::new(io::ErrorKind::InvalidData, reason));
    if is_long {
        return Err(odd(format!("longer than {MAX_REPORT} bytes")));
    }
    read_findings(&String::from_utf8_lossy(&bytes)).map_err(|error| odd(error.to_string()))
}

/// Returns the open issues of Snyk, none unless the settings ask for them (`snyk.sync`). That they cannot be read is a
/// notice, because the fix does not depend on them.
pub(super) fn sync_snyk(context: RunContext<'_>) -> Vec<ReportedFinding> {
    if !context.session.settings.snyk_sync.value {
        return Vec::new();
    }
    load_snyk_issues(context).unwrap_or_else(|error| {
        let text = format!("the issues of Snyk are not read: {error}");
        context.events.emit(Event::new(EventName::Notice).with("text", text));
        Vec::new()
    })
}
