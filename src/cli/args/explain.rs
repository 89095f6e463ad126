//! The arguments of `papayu-batch explain`.

use std::path::PathBuf;

use clap::Args;

/// Explain a log or report: cause, failures, places, next step; needs no repository except for `--ci-run`, and asks no model.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Log of the failure, or - for stdin; may be given several times
    #[arg(long, value_name = "FILE|-", required_unless_present_any = ["junit", "sarif", "ci_run"])]
    pub log: Vec<PathBuf>,
    /// JUnit XML or another report of tests, a glob; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub junit: Vec<String>,
    /// SARIF report of findings; may be given several times
    #[arg(long, value_name = "FILE")]
    pub sarif: Vec<PathBuf>,
    /// Commit, tag or branch on which the command passed, to name what changed since then in the repository
    #[arg(long, value_name = "REF")]
    pub green: Option<String>,
    /// Log of a run of the same job that passed, to name the tools that moved
    #[arg(long, value_name = "FILE")]
    pub green_log: Option<PathBuf>,
    /// Failed jobs' logs of this CI run of the repository's forge: a workflow run, pipeline or build
    #[arg(long, visible_alias = "github-run", value_name = "ID")]
    pub ci_run: Option<u64>,
}
