//! Selects the tasks of a call: by name, by shard, by the results of earlier calls.

use std::collections::HashMap;

use globset::{Glob, GlobMatcher};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::expand::PlannedTask;
use super::row::TaskRow;

/// The variables with the index of a job, each with that of the first: Kubernetes counts from 0, CI systems from 1.
const INDEXES: [(&str, u32); 2] = [("JOB_COMPLETION_INDEX", 0), ("CI_NODE_INDEX", 1)];

/// One of several machines that share a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// From 1.
    index: u32,
    count: u32,
}

/// An invalid selection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// Not `I/N`.
    #[error("`{0}` is not a shard: write `2/4`, `auto`, or `auto/4`")]
    Shard(String),
    /// `auto` with an index of a variable that no shard has.
    #[error("`{variable}` is {value}, which is no shard of {count}: it is from {first} to {last}")]
    Index {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: u32,
        /// The number of shards.
        count: u32,
        /// The index of the first shard.
        first: u32,
        /// The index of the last shard.
        last: u32,
    },
    /// `auto` without a variable for the index.
    #[error("no variable has the index of the shard: `JOB_COMPLETION_INDEX` or `CI_NODE_INDEX`")]
    NoIndex,
    /// `auto` without a number of shards.
    #[error("no variable has the number of shards: write `auto/N`, or set `CI_NODE_TOTAL`")]
    NoCount,
    /// No name matches. A mistyped pattern is an error, not an empty batch.
    #[error("no task name matches {0}: `batch --dry-run` lists their names")]
    NoTask(String),
    /// No parked task of a queue has a matching key.
    #[error("no parked task matches {0}: `queue status` lists them")]
    NoParked(String),
    /// Not a glob.
    #[error("`{0}` is not a pattern: {1}")]
    Pattern(String, String),
}

impl Shard {
    /// Reads `I/N`, `auto` or `auto/N`. The index of `auto` is that of a Kubernetes indexed job
    /// (`JOB_COMPLETION_INDEX`, from 0) or of a CI system's parallel job (`CI_NODE_INDEX`, from 1). Without
    /// `N`, the number of shards is `CI_NODE_TOTAL`.
    ///
    /// # Errors
    ///
    /// [`SelectError::Shard`] if the text has another form or the index is not from 1 to the number of shards,
    /// [`SelectError::Index`] if that of a variable is not, and [`SelectError::NoIndex`] or [`SelectError::NoCount`] if
    /// `auto` finds no variable with a number.
    ///
    /// ```
    /// use papayu_batch::batch::select::Shard;
    ///
    /// assert!(Shard::parse("2/4", &|_| None).is_ok());
    /// assert!(Shard::parse("5/4", &|_| None).is_err());
    /// let job = |name: &str| (name == "JOB_COMPLETION_INDEX").then(|| "1".to_owned());
    /// assert_eq!(Shard::parse("auto/4", &job)?, Shard::parse("2/4", &job)?);
    /// # Ok::<(), papayu_batch::batch::select::SelectError>(())
    /// ```
    pub fn parse(
        text: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, SelectError> {
        let wrong = || SelectError::Shard(text.to_owned());
        let number = |name: &str| -> Option<u32> { variable(name)?.trim().parse().ok() };
        let (index, count) = match text.split_once('/') {
            Some((index, count)) => (index, Some(count.parse().map_err(|_| wrong())?)),
            None => (text, None),
        };
        if index == "auto" {
            let (variable, value, first) = INDEXES
                .iter()
                .find_map(|(name, first)| Some((*name, number(name)?, *first)))
                .ok_or(SelectError::NoIndex)?;
            let count = count.or_else(|| number("CI_NODE_TOTAL")).ok_or(SelectError::NoCount)?;
            // Without a shard, no index would be right.
            let last = count.checked_sub(1).map(|most| most + first).ok_or_else(wrong)?;
            if (first..=last).contains(&value) {
                return Ok(Self { index: value - first + 1, count });
            }
            return Err(SelectError::Index { variable, value, count, first, last });
        }
        let index = index.parse().map_err(|_| wrong())?;
        let count = count.ok_or_else(wrong)?;
        let fits = index >= 1 && index <= count;
        if fits { Ok(Self { index, count }) } else { Err(wrong()) }
    }

    /// Returns whether both shards are of the same number of shards.
    pub fn has_same_count(self, other: Self) -> bool {
        self.count == other.count
    }

    /// Returns whether the shard has the task with this key. Only the key decides, so that new
    /// tasks do not move others.
    pub fn contains(self, key: &str) -> bool {
        shard_of(key, self.count) == self.index
    }
}

/// Returns the shard of a task, from 1.
pub fn shard_of(key: &str, count: u32) -> u32 {
    let digest = Sha256::digest(key.as_bytes());
    // Eight bytes of the digest spread keys evenly over any number of shards.
    let number = digest.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    u32::try_from(number % u64::from(count.max(1))).unwrap_or_default() + 1
}

/// Globs of task names.
pub struct NamePatterns(Vec<GlobMatcher>);

impl NamePatterns {
    /// Compiles globs. Without any, every name matches.
    ///
    /// # Errors
    ///
    /// [`SelectError::Pattern`] with the first text that is no glob.
    pub fn compile(patterns: &[String]) -> Result<Self, SelectError> {
        let one = |text: &String| {
            let wrong = |error: globset::Error| {
                SelectError::Pattern(text.clone(), error.kind().to_string())
            };
            Glob::new(text).map(|glob| glob.compile_matcher()).map_err(wrong)
        };
        patterns.iter().map(one).collect::<Result<_, _>>().map(Self)
    }

    /// Returns an error if no name matches.
    ///
    /// # Errors
    ///
    /// [`SelectError::NoTask`].
    pub fn check_any(
        &self,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<(), SelectError> {
        if self.0.is_empty() || names.into_iter().any(|name| self.matches(name.as_ref())) {
            return Ok(());
        }
        Err(SelectError::NoTask(self.words()))
    }

    /// Returns the patterns in words.
    pub(super) fn words(&self) -> String {
        let patterns = self.0.iter().map(|pattern| format!("`{}`", pattern.glob()));
        patterns.collect::<Vec<_>>().join(" or ")
    }

    /// Returns whether a name matches one of the patterns; without patterns, every name does.
    pub fn matches(&self, name: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| pattern.is_match(name))
    }
}

/// The tasks that one call is to do.
pub struct TaskSelection {
    names: NamePatterns,
    shard: Option<Shard>,
    limit: usize,
}

impl TaskSelection {
    /// Compiles the patterns. Without a pattern, a shard or a limit, all tasks are selected.
    ///
    /// # Errors
    ///
    /// [`SelectError::Pattern`] with the first pattern that is no glob.
    pub fn new(
        filter: &[String],
        shard: Option<Shard>,
        limit: Option<usize>,
    ) -> Result<Self, SelectError> {
        Ok(Self {
            names: NamePatterns::compile(filter)?,
            shard,
            limit: limit.unwrap_or(usize::MAX),
        })
    }

    /// Returns the selected tasks in their order, without those that are done according to `rows`: all that
    /// ended, or with `retry_failed` all that ended well.
    ///
    /// # Errors
    ///
    /// [`SelectError::NoTask`] if no task has a name that fits the patterns. A selection without a task that is
    /// left to do is an empty list.
    pub fn apply(
        &self,
        mut tasks: Vec<PlannedTask>,
        rows: &HashMap<String, TaskRow>,
        retry_failed: bool,
    ) -> Result<Vec<PlannedTask>, SelectError> {
        self.names.check_any(tasks.iter().map(PlannedTask::name))?;
        tasks.retain(|task| {
            let is_done = rows.get(&*task.key).is_some_and(|row| !retry_failed || row.is_good());
            self.names.matches(&task.name())
                && self.shard.is_none_or(|shard| shard.contains(&task.key))
                && !is_done
        });
        // The limit counts tasks that are left to do, so that repeated calls advance.
        tasks.truncate(self.limit);
        Ok(tasks)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, variables: &[(&str, &str)]) -> Result<(u32, u32), SelectError> {
        let find = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Shard::parse(text, &find).map(|shard| (shard.index, shard.count))
    }

    #[test]
    fn a_shard_is_written_or_found_out_and_nonsense_is_refused() {
        let wrong = |text: &str| Err(SelectError::Shard(text.to_owned()));
        for text in ["", "1", "0/4", "5/4", "1/0", "x/4", "1/x", "-1/4", "1/2/3"] {
            assert_eq!(read(text, &[]), wrong(text), "{text}");
        }
        assert_eq!(read("2/4", &[]), Ok((2, 4)));
        assert_eq!(read("auto/4", &[("JOB_COMPLETION_INDEX", "0")]), Ok((1, 4)));
        assert_eq!(read("auto", &[("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "3")]), Ok((3, 3)));
        assert_eq!(read("auto/4", &[("JOB_COMPLETION_INDEX", "3")]), Ok((4, 4)));
        for (variable, value, range) in
            [("JOB_COMPLETION_INDEX", "4", "from 0 to 3"), ("CI_NODE_INDEX", "0", "from 1 to 4")]
        {
            let error = read("auto/4", &[(variable, value)]).unwrap_err().to_string();
            let begin = format!("`{variable}` is {value}, ");
            assert!(error.starts_with(&begin) && error.ends_with(range), "{error}");
        }
        assert_eq!(read("auto/0", &[("JOB_COMPLETION_INDEX", "0")]), wrong("auto/0"));
        assert_eq!(read("auto/4", &[]), Err(SelectError::NoIndex));
        assert_eq!(read("auto", &[("JOB_COMPLETION_INDEX", "0")]), Err(SelectError::NoCount));
    }

    proptest! {
        #[test]
        fn every_task_is_in_exactly_one_shard_whatever_else_there_is(
            key in ".{0,40}", count in 1_u32..64,
        ) {
            let holders: Vec<u32> = (1..=count)
                .filter(|index| Shard { index: *index, count }.contains(&key))
                .collect();
            prop_assert_eq!(holders, vec![shard_of(&key, count)]);
        }
    }
}
