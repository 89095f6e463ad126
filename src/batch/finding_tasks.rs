//! Tasks with a scanner's report: each finding of it becomes a task of its own.

use std::path::Path;
use std::sync::Arc;

use super::expand::PlannedTask;
use super::manifest::TaskOptions;
use crate::fix::FixError;
use crate::fix::findings_input::read_report_file;
use papayu_base::domain::Sha256;
use papayu_logs::findings::Finding;
use papayu_system::System;

/// Most characters of a name that come from the repository, so that the suffix fits.
const MAX_STEM: usize = 90;

/// Replaces each task with a report by one task a finding. A report without findings leaves no task.
///
/// # Errors
///
/// [`FixError::Read`] if a report cannot be read.
pub(super) fn expand_findings(
    tasks: Vec<PlannedTask>,
    system: System<'_>,
    folder: &Path,
) -> Result<Vec<PlannedTask>, FixError> {
    let mut all = Vec::with_capacity(tasks.len());
    for task in tasks {
        if task.options.findings.is_none() || task.options.finding.is_some() {
            all.push(task);
            continue;
        }
        let mut keys: Vec<String> =
            read_findings_of(&task, system, folder)?.iter().map(Finding::key).collect();
        keys.sort();
        // The same package in two lock files is one name of a finding; the first place is fixed.
        keys.dedup();
        for key in keys {
            let stem: String = task.name().chars().take(MAX_STEM).collect();
            let digest = Sha256::of(key.as_bytes()).to_string();
            let suffix: String = digest.chars().take(8).collect();
            let findings = Some(report_of(&task));
            let finding = Some(key.clone());
            let options = TaskOptions { findings, finding, ..(*task.options).clone() };
            all.push(PlannedTask {
                named: Some(format!("{stem}-{suffix}").into()),
                key: format!("{}#{key}", task.key).into(),
                options: Arc::new(options),
                ..task.clone()
            });
        }
    }
    Ok(all)
}

/// Returns the finding that a task is about; `None` for a task without a report.
///
/// # Errors
///
/// [`FixError::Read`] if the report cannot be read, and [`FixError::Provider`] if it does not have the finding.
pub(super) fn find_finding(
    task: &PlannedTask,
    system: System<'_>,
    folder: &Path,
) -> Result<Option<Finding>, FixError> {
    let Some(key) = task.options.finding.as_ref().filter(|_| task.options.findings.is_some())
    else {
        return Ok(None);
    };
    let mut findings = read_findings_of(task, system, folder)?.into_iter();
    let found = findings.find(|finding| finding.key() == *key);
    let missing = || FixError::Provider(format!("the report does not have the finding `{key}`"));
    found.ok_or_else(missing).map(Some)
}

fn read_findings_of(
    task: &PlannedTask,
    system: System<'_>,
    folder: &Path,
) -> Result<Vec<Finding>, FixError> {
    let path = folder.join(report_of(task));
    Ok(read_report_file(system.disk, system.clock, &path)?.findings)
}

fn report_of(task: &PlannedTask) -> String {
    task.options.findings.as_deref().unwrap_or_default().replace("{name}", &task.name())
}
