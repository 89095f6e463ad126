//! The flags that say how a fix is offered, and `papayu-batch publish`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::value::{flag_values, list_value, number_value, path_value, switch_value};
use super::way::{HoldArgs, WayArgs, per_hour};
use crate::settings::FlagValue;
use papayu_base::domain::Allowance;

/// The options of a pull request.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pull request and CI")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct OfferArgs {
    /// Target branch of the pull request [default: the checked-out branch]; a failure that this
    /// branch has too is not fixed without `--fix-base`
    #[arg(long, value_name = "BRANCH")]
    pub base: Option<String>,
    /// Label of the pull request; may be given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub label: Vec<String>,
    /// Reviewer, a team as team/NAME; may be given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub reviewer: Vec<String>,
    /// Open it as a draft
    #[arg(long)]
    pub draft: bool,
    /// Merge it automatically when all required checks have passed
    #[arg(long)]
    pub auto_merge: bool,
    /// Wait for its checks, 600 seconds if no number is given, and name those that never ran
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "600")]
    pub wait_checks: Option<u64>,
    /// Open none if the repository has so many open ones of papayu-batch; 0 is no limit [default: 0]
    #[arg(long, value_name = "N")]
    pub max_open: Option<u64>,
    /// Open and update none while an open issue or pull request of the repository has this label; OWNER/REPOSITORY#LABEL
    /// is looked for in that repository
    #[arg(long, value_name = "LABEL")]
    pub pause_label: Option<String>,
    /// Reopen it if a person closed it
    #[arg(long)]
    pub reopen: bool,
    /// Maximum number of attempts at one failure across runs; 0 is no limit [default: 2]
    #[arg(long, value_name = "N")]
    pub max_attempts_total: Option<u64>,
    /// Add a check run to the commit
    #[arg(long)]
    pub check_run: bool,
    /// File for the failures found and fixed, as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit_out: Option<PathBuf>,
    /// File for the failures found and fixed, as SARIF
    #[arg(long, value_name = "FILE")]
    pub sarif_out: Option<PathBuf>,
}

/// Publish the fix of a bundle, or all fixes of a batch; asks no model and runs no command of a repository.
#[derive(Debug, Args)]
pub struct PublishArgs {
    /// The folder that `fix --emit bundle` wrote, or the folders of results of a batch or its shards
    #[arg(value_name = "BUNDLE", required_unless_present = "sweep")]
    pub folders: Vec<PathBuf>,
    /// Close the open pull requests of papayu-batch with a base that is green again, and those that conflict with it; bring
    /// the others up to date
    #[arg(long, conflicts_with_all = ["folders", "digest", "emit"])]
    pub sweep: bool,
    /// Expected digest of its manifest: the output `bundle-digest` of the job that wrote it; of a batch, the SHA-256 of
    /// its `summary.json`
    #[arg(long, value_name = "SHA256")]
    pub digest: Option<String>,
    /// Result to produce from it
    #[arg(long, value_name = "WHAT", value_parser = ["branch", "pr"], default_value = "pr")]
    pub emit: String,
    /// Of a batch, only tasks with a name that matches this pattern; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub filter: Vec<String>,
    /// Of a batch, limit of pull requests opened or updated in an hour, as N/h
    #[arg(long, value_name = "N/h", value_parser = per_hour)]
    pub limit_prs: Option<u32>,
    /// Of a batch, the times when nothing is published.
    #[command(flatten)]
    pub hold: HoldArgs,
    /// Time limit of the publication of one fix, and of its clone, in seconds [default: 1800]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
    /// Of a batch, list what would be published
    #[arg(long)]
    pub dry_run: bool,
    /// Of a batch, the way the fixes are published.
    #[command(flatten)]
    pub way: WayArgs,
    /// The files that a change may touch.
    #[command(flatten)]
    pub allow: AllowArgs,
    /// The options of a pull request.
    #[command(flatten)]
    pub offer: OfferArgs,
}

/// The files that a change may touch.
#[derive(Debug, Args)]
pub struct AllowArgs {
    /// Kind of files that a change may touch although the proof depends on them: tests, snapshots, settings, packaging,
    /// build or ci (repeatable)
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = PossibleValuesParser::new(Allowance::ALL.map(Allowance::name)))]
    pub allow: Vec<String>,
    /// Allow deletion of files and folders
    #[arg(long)]
    pub allow_delete: bool,
    /// The same as `--allow ci`
    #[arg(long)]
    pub allow_ci_files: bool,
    /// The same as `--allow tests,snapshots,settings`
    #[arg(long)]
    pub allow_test_edits: bool,
}

impl OfferArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let attempts = number_value(self.max_attempts_total);
        flag_values([
            ("pr.base", self.base.clone(), "--base"),
            ("pr.labels", list_value(&self.label), "--label"),
            ("pr.reviewers", list_value(&self.reviewer), "--reviewer"),
            ("pr.draft", switch_value(self.draft), "--draft"),
            ("pr.auto_merge", switch_value(self.auto_merge), "--auto-merge"),
            ("pr.wait_checks", number_value(self.wait_checks), "--wait-checks"),
            ("pr.max_open", number_value(self.max_open), "--max-open"),
            ("pr.pause_label", self.pause_label.clone(), "--pause-label"),
            ("pr.reopen", switch_value(self.reopen), "--reopen"),
            ("run.max_attempts_total", attempts, "--max-attempts-total"),
            ("pr.check_run", switch_value(self.check_run), "--check-run"),
            ("out.junit", path_value(self.junit_out.as_deref()), "--junit-out"),
            ("out.sarif", path_value(self.sarif_out.as_deref()), "--sarif-out"),
        ])
    }
}

impl AllowArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        flag_values([
            ("policy.allow", list_value(&self.allow), "--allow"),
            ("policy.allow_delete", switch_value(self.allow_delete), "--allow-delete"),
            ("policy.allow_ci_files", switch_value(self.allow_ci_files), "--allow-ci-files"),
            ("policy.allow_test_edits", switch_value(self.allow_test_edits), "--allow-test-edits"),
        ])
    }
}

impl AllowArgs {
    /// Returns the flags as they are written, each with a blank before it: what permits a fix is also needed where the fix is
    /// published.
    pub fn words(&self) -> String {
        let mut words = String::new();
        if !self.allow.is_empty() {
            words = format!(" --allow {}", self.allow.join(","));
        }
        let switches = [
            (self.allow_delete, " --allow-delete"),
            (self.allow_ci_files, " --allow-ci-files"),
            (self.allow_test_edits, " --allow-test-edits"),
        ];
        words.extend(switches.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| *flag));
        words
    }
}

impl PublishArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let own = flag_values([("run.timeout_sec", number_value(self.timeout), "--timeout")]);
        [self.allow.flags(), self.offer.flags(), own].concat()
    }
}
