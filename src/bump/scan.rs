//! Runs the user's scanner on the repository with an update, without changing the repository.

use super::tools::{Bump, BumpTools, MAX_FILE_BYTES};
use super::unbumped::Unbumped;
use crate::verify;
use papayu_base::domain::RepoPath;
use papayu_logs::findings::{Finding, read_findings};
use papayu_system::{CommandSpec, Confinement, End, Stream};

/// Most files that are copied for the scanner.
const MAX_FILES: usize = 50_000;

/// The answer of the scanner about a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanResult {
    /// Its report has the finding.
    Reported,
    /// Its report does not have it.
    NotReported,
    /// Its output cannot be read, for this reason.
    Unreadable(String),
}

/// Runs the scanner in a copy of the repository, with the update in it unless that is `None`, and looks for the finding
/// in its report. Scanners exit with 0 or, if findings remain, with 1; any other code is an error of the scanner.
///
/// # Errors
///
/// [`Unbumped`] if the copy cannot be made, the command does not start, or a signal came.
pub fn scan_again(
    tools: BumpTools<'_>,
    command: &str,
    finding: &Finding,
    bump: Option<&Bump>,
) -> Result<ScanResult, Unbumped> {
    let disk = tools.system.disk;
    let scratch = disk.scratch()?;
    for name in disk.walk(tools.tree.root(), MAX_FILES)? {
        let Ok(path) = RepoPath::parse(&name) else { continue };
        let Ok(bytes) = tools.tree.read(&path, MAX_FILE_BYTES) else { continue };
        disk.write(&scratch.path().join(path.as_str()), &bytes)?;
    }
    for file in bump.into_iter().flat_map(|bump| &bump.files) {
        disk.write(&scratch.path().join(file.path.as_str()), file.after.as_bytes())?;
    }
    let failed =
        |reason: &str| Unbumped::Failed { command: command.to_owned(), reason: reason.to_owned() };
    let config = tools.config;
    let spec = CommandSpec {
        argv: verify::split_command(command).ok_or_else(|| failed("the command is empty"))?,
        cwd: scratch.path().to_owned(),
        env: Vec::new(),
        keep_env: config.keep_env.clone(),
        timeout: config.timeout,
        max_output: config.max_output,
        confinement: Some(Confinement {
            tree: scratch.path().to_owned(),
            is_read_only: false,
            network: config.network,
        }),
    };
    let mut output = Vec::new();
    let mut keep = |stream: Stream, bytes: &[u8]| {
        if stream == Stream::Out {
            output.extend_from_slice(bytes);
        }
    };
    match tools.system.process.run_apart(&spec, &[], &mut keep) {
        Ok(End::Interrupted) => return Err(Unbumped::Interrupted),
        Ok(End::Code(0 | 1)) => {}
        Ok(End::Code(code)) => {
            return Ok(ScanResult::Unreadable(format!("it ended with exit code {code}")));
        }
        Ok(_) => return Ok(ScanResult::Unreadable("it was ended at a limit".to_owned())),
        Err(error) => return Err(failed(&error.to_string())),
    }
    Ok(match read_findings(&String::from_utf8_lossy(&output)) {
        Ok(report) if report.findings.iter().any(|it| it.is_same(finding)) => ScanResult::Reported,
        // An entry that is not read may be this finding.
        Ok(report) => match report.unused.iter().chain(&report.skipped).next() {
            Some(entry) => ScanResult::Unreadable(format!("an entry is not used: {entry}")),
            None => ScanResult::NotReported,
        },
        Err(fault) => ScanResult::Unreadable(fault.to_string()),
    })
}
