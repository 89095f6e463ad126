//! Sums rows up into all that a summary says.

use std::collections::BTreeMap;
use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::batch::limits::Down;
use crate::batch::plan::{Spent, Stop};
use crate::batch::row::{Row, Rows, Take, worst};
use crate::domain::OutcomeKind;

/// The version of a summary's form.
pub(super) const FORM: u32 = 1;

/// What was spent, earlier calls counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// US dollars, of what has a known price.
    pub cost_usd: f64,
    /// Tokens.
    pub tokens: u64,
    /// Requests to providers.
    pub requests: u64,
}

/// `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Summary")]
pub struct Summary<T = Vec<Row>> {
    /// Version of this form: 1.
    pub schema_version: u32,
    /// The digest of the manifest.
    pub manifest: String,
    /// When the batch began first, RFC 3339 in UTC.
    pub started_at: String,
    /// When this call ended.
    pub ended_at: String,
    /// The worst outcome, or why the batch stopped.
    pub outcome: OutcomeKind,
    /// The program's exit code.
    pub exit_code: u8,
    /// Why nothing new was started; `null` where every task has ended.
    pub stopped: Option<String>,
    /// Tasks selected and not started.
    pub not_started: usize,
    /// Tasks by how they ended.
    pub counts: BTreeMap<String, usize>,
    /// What was spent.
    pub spent: Totals,
    /// Servers that did not answer and were left alone for a while.
    pub left_alone: Vec<Down>,
    /// One row a task that ended, in the order of the manifest.
    pub tasks: T,
}

impl<'r> Summary<&'r dyn Rows> {
    /// Sums up; `times` are the batch's begin and this call's end. An error where the rows cannot be read.
    pub fn new(
        manifest: String,
        times: (String, String),
        tasks: &'r dyn Rows,
        (stop, not_started): (Option<&Stop>, usize),
        (spent, left_alone): (Spent, Vec<Down>),
    ) -> io::Result<Self> {
        let (counts, worst) = counts(tasks)?;
        let stopped_as = match stop {
            Some(Stop::Interrupted) => Some(OutcomeKind::Interrupted),
            Some(Stop::Budget(_)) => Some(OutcomeKind::OverBudget),
            Some(Stop::FailFast(_)) | None => None,
        };
        // What stopped the batch is its outcome: with it, the batch can be gone on with.
        let outcome = stopped_as.unwrap_or(worst);
        let stopped = stop.map(|stop| match stop {
            Stop::Interrupted => "a signal ended it".to_owned(),
            Stop::Budget(words) => words.clone(),
            Stop::FailFast(name) => format!("`{name}` did not end well, and `--fail-fast` is set"),
        });
        let Spent { cost, tokens, requests } = spent;
        Ok(Self {
            schema_version: FORM,
            manifest,
            started_at: times.0,
            ended_at: times.1,
            outcome,
            exit_code: outcome.exit_code().number(),
            stopped,
            not_started,
            counts,
            spent: Totals { cost_usd: cost, tokens, requests },
            left_alone,
            tasks,
        })
    }

    /// Hands the rows over, what went wrong first.
    pub(super) fn worst_first(&self, take: &mut Take<'_>) -> io::Result<()> {
        for good in [false, true] {
            self.tasks.each(&mut |row| if row.is_good() == good { take(row) } else { Ok(()) })?;
        }
        Ok(())
    }
}

impl<T> Summary<T> {
    /// Returns the same with the rows as something else has them.
    pub fn with<U>(self, tasks: U) -> Summary<U> {
        Summary {
            schema_version: self.schema_version,
            manifest: self.manifest,
            started_at: self.started_at,
            ended_at: self.ended_at,
            outcome: self.outcome,
            exit_code: self.exit_code,
            stopped: self.stopped,
            not_started: self.not_started,
            counts: self.counts,
            spent: self.spent,
            left_alone: self.left_alone,
            tasks,
        }
    }

    /// Returns one line that says how it went.
    pub fn line(&self) -> String {
        let counts = self.counts.iter().map(|(name, count)| format!("{count} {name}"));
        let mut parts: Vec<String> = counts.collect();
        if self.not_started > 0 {
            parts.push(format!("{} not started", self.not_started));
        }
        if parts.is_empty() {
            parts.push("nothing to do".to_owned());
        }
        let stopped = self.stopped.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
        format!("{}{stopped}", parts.join(", "))
    }
}

/// Returns how many tasks ended in each way, and the worst of these.
fn counts(tasks: &dyn Rows) -> io::Result<(BTreeMap<String, usize>, OutcomeKind)> {
    let (mut counts, mut all) = (BTreeMap::new(), worst([]));
    tasks.each(&mut |row| {
        count(&mut counts, row);
        all = worst([all, row.outcome]);
        Ok(())
    })?;
    Ok((counts, all))
}

/// Counts a row by how it ended.
pub(super) fn count(counts: &mut BTreeMap<String, usize>, row: &Row) {
    *counts.entry(row.outcome.name().to_owned()).or_default() += 1;
}
