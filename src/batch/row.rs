//! What a batch keeps of a task: one row, whatever its run left on disk.

use std::io;

use schemars::JsonSchema;
use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Deserialize, Serialize, Serializer};

use crate::domain::{Outcome, OutcomeKind, Usage};
use crate::text::Masker;

/// Longest text kept of a reason or hint, in characters.
const MAX_TEXT: usize = 500;

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The task's name, and that of its folder of results.
    pub name: String,
    /// What tells it from every other task of the manifest.
    pub key: String,
    /// The repository, without secrets.
    pub repo: String,
    /// How it ended.
    pub outcome: OutcomeKind,
    /// The exit code that `fix` would have had.
    pub exit_code: u8,
    /// Why, cut to a readable length.
    pub reason: String,
    /// The typed code behind the reason.
    pub error_code: Option<String>,
    /// What the user can do.
    pub hint: Option<String>,
    /// Whose fault the failure is.
    pub failure_class: Option<String>,
    /// How many files were changed.
    pub changed_files: usize,
    /// Tokens.
    pub tokens: Usage,
    /// Requests to providers.
    pub requests: u32,
    /// Dollars; `null` where no price is known.
    pub cost_usd: Option<f64>,
    /// Wall time of the run, in milliseconds.
    pub ms: u64,
    /// The branch it was handed over on.
    pub branch: Option<String>,
    /// Its pull request.
    pub pr_url: Option<String>,
    /// When it ended, RFC 3339 in UTC.
    pub ended_at: String,
}

impl Row {
    /// Keeps what a batch needs of the outcome of a task, which ended at that time.
    pub fn of((name, key, repo): (&str, &str, &str), outcome: &Outcome, ended_at: String) -> Self {
        let cut = |text: &String| text.chars().take(MAX_TEXT).collect::<String>();
        Self {
            name: name.to_owned(),
            key: key.to_owned(),
            repo: repo.to_owned(),
            outcome: outcome.outcome,
            exit_code: outcome.exit_code,
            reason: cut(&outcome.reason),
            error_code: outcome.error_code.clone(),
            hint: outcome.hint.as_ref().map(cut),
            failure_class: outcome.failure_class.clone(),
            changed_files: outcome.changed_files.len(),
            tokens: outcome.tokens,
            requests: outcome.requests,
            cost_usd: outcome.cost_usd,
            ms: outcome.timings_ms.total,
            branch: outcome.branch.clone(),
            pr_url: outcome.pr_url.clone(),
            ended_at,
        }
    }

    fn masked(&self, masker: &Masker) -> Self {
        let mask = |text: &String| masker.mask(text).into_owned();
        Self {
            name: mask(&self.name),
            key: mask(&self.key),
            repo: mask(&self.repo),
            reason: mask(&self.reason),
            error_code: self.error_code.as_ref().map(mask),
            hint: self.hint.as_ref().map(mask),
            failure_class: self.failure_class.as_ref().map(mask),
            branch: self.branch.as_ref().map(mask),
            pr_url: self.pr_url.as_ref().map(mask),
            ended_at: self.ended_at.clone(),
            ..*self
        }
    }

    /// Tells whether the task is done: one that a signal ended is not.
    pub fn is_done(&self) -> bool {
        self.outcome != OutcomeKind::Interrupted
    }

    /// Tells whether there is nothing left to do about it.
    pub fn is_good(&self) -> bool {
        matches!(self.outcome, OutcomeKind::Fixed | OutcomeKind::NothingToFix)
    }
}

/// Takes one row after the other.
pub type Take<'a> = dyn FnMut(&Row) -> io::Result<()> + 'a;

/// Rows in the order of the report, which can be gone through more than once and need not be in memory.
pub trait Rows {
    /// Hands each row over; ends with an error of the taker's, or of what the rows are read from.
    fn each(&self, take: &mut Take<'_>) -> io::Result<()>;
}

impl Rows for Vec<Row> {
    fn each(&self, take: &mut Take<'_>) -> io::Result<()> {
        self.iter().try_for_each(take)
    }
}

impl Serialize for dyn Rows + '_ {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut fault = None;
        let ended = self.each(&mut |row| {
            list.serialize_element(row).map_err(|error| {
                fault = Some(error);
                io::ErrorKind::Other.into()
            })
        });
        match (fault, ended) {
            (Some(fault), _) => Err(fault),
            (None, Err(error)) => Err(S::Error::custom(error)),
            (None, Ok(())) => list.end(),
        }
    }
}

/// The same rows without secrets: pages are public.
pub struct Masked<'a> {
    /// With them.
    pub rows: &'a dyn Rows,
    /// Hides them.
    pub masker: &'a Masker,
}

impl Rows for Masked<'_> {
    fn each(&self, take: &mut Take<'_>) -> io::Result<()> {
        self.rows.each(&mut |row| take(&row.masked(self.masker)))
    }
}

/// Outcomes from the best to the worst; a batch ends with the exit code of the worst of its tasks.
///
/// What a person must mend before anything can go on stands above what only this run could not do.
pub const BY_SEVERITY: [OutcomeKind; 12] = [
    OutcomeKind::NothingToFix,
    OutcomeKind::Fixed,
    OutcomeKind::Planned,
    OutcomeKind::NotFixed,
    OutcomeKind::Rejected,
    OutcomeKind::Conflict,
    OutcomeKind::PublishFailed,
    OutcomeKind::OverBudget,
    OutcomeKind::ProviderError,
    OutcomeKind::Internal,
    OutcomeKind::UsageError,
    OutcomeKind::Interrupted,
];

/// Returns the worst of several outcomes; `nothing_to_fix` of none.
pub fn worst(outcomes: impl IntoIterator<Item = OutcomeKind>) -> OutcomeKind {
    let rank = |kind: &OutcomeKind| BY_SEVERITY.iter().position(|known| known == kind);
    outcomes.into_iter().max_by_key(rank).unwrap_or(OutcomeKind::NothingToFix)
}
