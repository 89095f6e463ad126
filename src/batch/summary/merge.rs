//! Merges the summaries of a batch's shards.

use std::collections::BTreeMap;

use super::sum::{BatchSummary, FORM, count_outcomes, sum_recipes};
use crate::batch::limits::Down;
use crate::batch::row::{TaskRow, worst};
use papayu_base::text::MASK;

/// The reason why summaries cannot be merged.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There are none.
    #[error("there is no summary to merge")]
    Nothing,
    /// Two shards were made of different manifests.
    #[error("`{one}` and `{other}` are shards of different manifests")]
    OtherManifest {
        /// The first shard.
        one: String,
        /// The one that differs from it.
        other: String,
    },
    /// It is not the summary that was expected.
    #[error("the summary of `{shard}` has the digest {found}, which is not that of `--digest`")]
    OtherDigest {
        /// The shard.
        shard: String,
        /// The digest of its summary.
        found: String,
    },
    /// A newer program wrote one.
    #[error("the summary of `{shard}` is of form {form}; this program reads form {FORM}")]
    OtherForm {
        /// The shard.
        shard: String,
        /// The version of its form.
        form: u32,
    },
}

impl MergeError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::OtherManifest { .. } => {
                Some("merge the folders of results of one batch's shards")
            }
            Self::OtherDigest { .. } => Some(
                "pass the SHA-256 that the job of the batch gave out; if it is that one, the file was changed since",
            ),
            Self::OtherForm { .. } => {
                Some("use the version of papayu-batch that wrote it, or run the batch again")
            }
        }
    }
}

/// Returns the summary of all shards, each given with its name, and the shard of each task. A task
/// that several shards did has one row, the last; the costs of all of them count.
///
/// # Errors
///
/// [`MergeError::Nothing`] without shards, [`MergeError::OtherManifest`] if two are of different manifests, and
/// [`MergeError::OtherForm`] if another version of the program wrote one.
pub fn merge_summaries(
    shards: Vec<(String, BatchSummary)>,
) -> Result<(BatchSummary, BTreeMap<String, String>), MergeError> {
    let mut shards = shards.into_iter();
    let (first, mut all) = shards.next().ok_or(MergeError::Nothing)?;
    check_form(&first, &all)?;
    let mut rows: BTreeMap<TaskKey, (TaskRow, String)> = BTreeMap::new();
    keep_latest(&mut rows, std::mem::take(&mut all.tasks), &first);
    // The outcome of a stopped shard is the reason of its stop.
    let mut stops = Vec::from_iter(all.stopped.is_some().then_some(all.outcome));
    for (name, shard) in shards {
        check_form(&name, &shard)?;
        if shard.manifest != all.manifest {
            return Err(MergeError::OtherManifest { one: first, other: name });
        }
        stops.extend(shard.stopped.is_some().then_some(shard.outcome));
        // Times in RFC 3339 and UTC compare as text.
        all.started_at = all.started_at.min(shard.started_at);
        all.ended_at = all.ended_at.max(shard.ended_at);
        all.stopped = all.stopped.or(shard.stopped.map(|why| format!("{name}: {why}")));
        all.not_started += shard.not_started;
        all.spent += shard.spent;
        shard.left_alone.into_iter().for_each(|down| add_down(&mut all.left_alone, down));
        keep_latest(&mut rows, shard.tasks, &name);
    }
    let from = rows.values().map(|(row, shard)| (row.name.clone(), shard.clone())).collect();
    all.tasks = rows.into_values().map(|(row, _)| row).collect();
    // Shards have no common order.
    all.tasks.sort_by(|one, other| one.name.cmp(&other.name));
    all.outcome = worst(all.tasks.iter().map(|row| row.outcome).chain(stops));
    all.exit_code = all.outcome.exit_code().number();
    all.counts = count_outcomes(&all.tasks);
    all.recipes = sum_recipes(&all.tasks);
    Ok((all, from))
}

/// Refuses a summary of another version of the program: its numbers may mean something else.
fn check_form(name: &str, summary: &BatchSummary) -> Result<(), MergeError> {
    if summary.schema_version == FORM {
        return Ok(());
    }
    Err(MergeError::OtherForm { shard: name.to_owned(), form: summary.schema_version })
}

/// Identifies a task: its key, and its row if the key has a masked secret, since two masked keys
/// may be equal.
type TaskKey = (String, Option<(String, usize)>);

/// Adds rows; of two with one key the later one counts. Keys that were masked are not comparable,
/// so such rows are all kept.
fn keep_latest(rows: &mut BTreeMap<TaskKey, (TaskRow, String)>, tasks: Vec<TaskRow>, shard: &str) {
    for (number, row) in tasks.into_iter().enumerate() {
        let is_hidden = row.key.contains(MASK);
        let key = (row.key.clone(), is_hidden.then(|| (shard.to_owned(), number)));
        let is_later = rows.get(&key).is_none_or(|(known, _)| known.ended_at <= row.ended_at);
        if is_later {
            rows.insert(key, (row, shard.to_owned()));
        }
    }
}

/// Adds an outage of a host to the list.
fn add_down(downs: &mut Vec<Down>, down: Down) {
    match downs.iter_mut().find(|known| known.host == down.host) {
        Some(known) => {
            known.times += down.times;
            known.not_sent += down.not_sent;
        }
        None => downs.push(down),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::plan::BatchSpend;
    use papayu_base::domain::{Outcome, OutcomeKind, RunId};

    fn row(key: &str, outcome: OutcomeKind, ended_at: &str) -> TaskRow {
        let outcome = Outcome::new(RunId::new("run".to_owned()), outcome, "why");
        TaskRow::new(key, key, key, &outcome, ended_at.to_owned())
    }

    fn shard(tasks: Vec<TaskRow>, stopped: Option<OutcomeKind>) -> BatchSummary {
        let outcome = stopped.unwrap_or_else(|| worst(tasks.iter().map(|row| row.outcome)));
        BatchSummary {
            schema_version: FORM,
            manifest: "m".to_owned(),
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            ended_at: "2026-01-01T01:00:00Z".to_owned(),
            outcome,
            exit_code: outcome.exit_code().number(),
            stopped: stopped.map(|_| "the budget is spent".to_owned()),
            not_started: usize::from(stopped.is_some()),
            counts: count_outcomes(&tasks),
            spent: BatchSpend { cost_usd: 0.5, tokens: 10, requests: 1 },
            left_alone: vec![Down {
                host: "h:1".to_owned(),
                times: 1,
                not_sent: 2,
                reason: "503".to_owned(),
            }],
            recipes: Vec::new(),
            tasks,
        }
    }

    #[test]
    fn a_task_stands_once_as_it_ended_last_and_all_that_was_spent_counts() {
        let one = shard(
            vec![
                row("b", OutcomeKind::NotFixed, "2026-01-01T00:10:00Z"),
                row("c", OutcomeKind::Fixed, "2026-01-01T00:11:00Z"),
            ],
            None,
        );
        let other = shard(
            vec![
                row("a", OutcomeKind::Fixed, "2026-01-01T00:12:00Z"),
                row("b", OutcomeKind::Fixed, "2026-01-01T00:13:00Z"),
            ],
            None,
        );
        for order in [[one.clone(), other.clone()], [other, one]] {
            let named = ["1", "2"].map(str::to_owned).into_iter().zip(order);
            let (all, _) = merge_summaries(named.collect()).unwrap();
            let ends: Vec<_> =
                all.tasks.iter().map(|row| (row.name.as_str(), row.outcome.name())).collect();
            assert_eq!(ends, [("a", "fixed"), ("b", "fixed"), ("c", "fixed")]);
            assert_eq!((all.exit_code, all.spent.tokens, all.counts["fixed"]), (0, 20, 3));
            assert_eq!((all.left_alone.len(), all.left_alone[0].not_sent), (1, 4));
        }
    }

    #[test]
    fn a_shard_that_was_stopped_is_never_joined_into_a_success() {
        let good = shard(vec![row("a", OutcomeKind::Fixed, "1")], None);
        let stopped = shard(vec![row("b", OutcomeKind::Fixed, "1")], Some(OutcomeKind::OverBudget));
        let (all, from) =
            merge_summaries(vec![("one".to_owned(), good), ("two".to_owned(), stopped)]).unwrap();
        assert_eq!((all.outcome, all.exit_code, all.not_started), (OutcomeKind::OverBudget, 3, 1));
        assert_eq!(all.stopped.as_deref(), Some("two: the budget is spent"));
        assert_eq!(from["b"], "two");
    }

    #[test]
    fn tasks_whose_keys_had_a_secret_are_never_taken_for_one() {
        let two = || {
            vec![row("p/***", OutcomeKind::NotFixed, "1"), row("p/***", OutcomeKind::Fixed, "2")]
        };
        let shards = ["one", "two"].map(|name| (name.to_owned(), shard(two(), None)));
        let (all, _) = merge_summaries(shards.into()).unwrap();
        assert_eq!((all.tasks.len(), all.outcome), (4, OutcomeKind::NotFixed));
    }

    #[test]
    fn what_does_not_belong_together_is_not_joined() {
        let good = || shard(Vec::new(), None);
        let other = BatchSummary { manifest: "n".to_owned(), ..good() };
        let newer = BatchSummary { schema_version: 9, ..good() };
        let join =
            |part| merge_summaries(vec![("one".to_owned(), good()), ("two".to_owned(), part)]);
        let (one, two) = ("one".to_owned(), "two".to_owned());
        assert_eq!(join(other), Err(MergeError::OtherManifest { one, other: two.clone() }));
        assert_eq!(join(newer), Err(MergeError::OtherForm { shard: two, form: 9 }));
        assert_eq!(merge_summaries(Vec::new()), Err(MergeError::Nothing));
    }
}
