//! The flags of `papayu-batch fix` for the findings of a scanner.

use std::path::PathBuf;

use clap::Args;

use super::value::flag_values;
use crate::fix::FindingsSource;
use crate::settings::FlagValue;

/// The findings of a scanner, each of which is a task.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Findings of a scanner")]
pub struct FindingsArgs {
    /// Fix each finding of this report: JSON of npm audit, cargo audit, pip-audit or osv-scanner; - is stdin
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["goal", "goal_file", "log", "junit", "sarif", "ci_run", "issue", "record"])]
    pub findings: Option<PathBuf>,
    /// Fix each open issue of this project in Snyk; its token comes from `PAPAYU_SNYK_TOKEN`
    #[arg(long, value_name = "ID", conflicts_with_all = ["findings", "goal", "goal_file", "log", "junit", "sarif", "ci_run", "issue", "record"])]
    pub snyk_project: Option<String>,
    /// Identifier of the organization of that project
    #[arg(long, value_name = "ID", requires = "snyk_project")]
    pub snyk_org: Option<String>,
    /// Command of the scanner; it runs with each change in place, and must not report the finding any more
    #[arg(long, value_name = "CMD")]
    pub scan: Option<String>,
}

impl FindingsArgs {
    /// Returns the source of findings, if one is named.
    pub fn source(&self) -> Option<FindingsSource> {
        let report = self.findings.clone().map(FindingsSource::Report);
        report.or_else(|| self.snyk_project.clone().map(FindingsSource::SnykProject))
    }

    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let Self { findings: _, snyk_project: _, snyk_org, scan } = self;
        flag_values([
            ("snyk.org", snyk_org.clone(), "--snyk-org"),
            ("findings.scan", scan.clone(), "--scan"),
        ])
    }
}
