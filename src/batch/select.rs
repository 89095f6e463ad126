//! Which tasks of a manifest this call is to do: by name, by shard, by how they ended before.

use globset::{Glob, GlobMatcher};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::expand::Planned;
use super::ledger::Ended;

/// One of several machines that share a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// From 1.
    index: u32,
    count: u32,
}

/// What cannot be selected by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectFault {
    /// Not `I/N`.
    #[error("`{0}` is no shard: write `2/4`, `auto`, or `auto/4`")]
    Shard(String),
    /// `auto`, and nothing says which one this is.
    #[error("no variable says which shard this is: `JOB_COMPLETION_INDEX` or `CI_NODE_INDEX`")]
    NoIndex,
    /// `auto`, and nothing says how many there are.
    #[error("no variable says how many shards there are: write `auto/N`, or set `CI_NODE_TOTAL`")]
    NoCount,
    /// A word mistyped is no batch without tasks.
    #[error("no task is called like {0}: `batch --dry-run` lists their names")]
    NoTask(String),
    /// Not a glob.
    #[error("`{0}` is no pattern: {1}")]
    Pattern(String, String),
}

impl Shard {
    /// Reads `I/N`, `auto` or `auto/N`. The index of `auto` is that of a Kubernetes indexed job (from 0) or
    /// of a CI system's parallel job (from 1).
    pub fn read(
        text: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, SelectFault> {
        let wrong = || SelectFault::Shard(text.to_owned());
        let number = |name: &str| -> Option<u32> { variable(name)?.trim().parse().ok() };
        let (index, count) = match text.split_once('/') {
            Some((index, count)) => (index, Some(count.parse().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let (index, count) = if index == "auto" {
            let of_job = || Some(number("JOB_COMPLETION_INDEX")?.saturating_add(1));
            let index = of_job().or_else(|| number("CI_NODE_INDEX"));
            let index = index.ok_or(SelectFault::NoIndex)?;
            let count = count.or_else(|| number("CI_NODE_TOTAL"));
            (index, count.ok_or(SelectFault::NoCount)?)
        } else {
            (index.parse().map_err(|_| wrong())?, count.ok_or_else(wrong)?)
        };
        let fits = index >= 1 && index <= count;
        if fits { Ok(Self { index, count }) } else { Err(wrong()) }
    }

    /// Tells whether the other is one of as many.
    pub fn is_beside(self, other: Self) -> bool {
        self.count == other.count
    }

    /// Tells whether a task is this shard's. It depends on the task's own key alone, so that tasks that
    /// come and go move no others.
    pub fn holds(self, key: &str) -> bool {
        shard_of(key, self.count) == self.index
    }
}

/// Returns the shard of a task, from 1.
pub fn shard_of(key: &str, count: u32) -> u32 {
    let digest = Sha256::digest(key.as_bytes());
    let number = digest.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    u32::try_from(number % u64::from(count.max(1))).unwrap_or_default() + 1
}

/// Patterns of names.
pub struct Names(Vec<GlobMatcher>);

impl Names {
    /// Reads globs.
    pub fn read(patterns: &[String]) -> Result<Self, SelectFault> {
        let one = |text: &String| {
            let wrong = |error: globset::Error| {
                SelectFault::Pattern(text.clone(), error.kind().to_string())
            };
            Glob::new(text).map(|glob| glob.compile_matcher()).map_err(wrong)
        };
        patterns.iter().map(one).collect::<Result<_, _>>().map(Self)
    }

    /// An error where none of the tasks is called like that.
    pub fn fit_some(&self, tasks: &[Planned]) -> Result<(), SelectFault> {
        if self.0.is_empty() || tasks.iter().any(|task| self.fit(&task.name())) {
            return Ok(());
        }
        let patterns = self.0.iter().map(|pattern| format!("`{}`", pattern.glob()));
        Err(SelectFault::NoTask(patterns.collect::<Vec<_>>().join(" or ")))
    }

    /// Tells whether a name fits one of them; where there are none, every name does.
    pub fn fit(&self, name: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| pattern.is_match(name))
    }
}

/// Which of the tasks that a batch has rows of are done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// None: what has ended stays.
    Nothing,
    /// Those that did not end well.
    Failed,
}

impl Again {
    /// Tells whether a task that ended like this is to be done.
    pub fn takes(self, ended: Option<&Ended>) -> bool {
        match (self, ended) {
            (_, None) => true,
            (Self::Nothing, Some(_)) => false,
            (Self::Failed, Some(ended)) => !ended.is_good(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, variables: &[(&str, &str)]) -> Result<(u32, u32), SelectFault> {
        let find = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Shard::read(text, &find).map(|shard| (shard.index, shard.count))
    }

    #[test]
    fn a_shard_is_written_or_found_out_and_nonsense_is_refused() {
        let wrong = |text: &str| Err(SelectFault::Shard(text.to_owned()));
        for text in ["", "1", "0/4", "5/4", "1/0", "x/4", "1/x", "-1/4", "1/2/3"] {
            assert_eq!(read(text, &[]), wrong(text), "{text}");
        }
        assert_eq!(read("2/4", &[]), Ok((2, 4)));
        assert_eq!(read("auto/4", &[("JOB_COMPLETION_INDEX", "0")]), Ok((1, 4)));
        assert_eq!(read("auto", &[("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "3")]), Ok((3, 3)));
        assert_eq!(read("auto/4", &[("JOB_COMPLETION_INDEX", "4")]), wrong("auto/4"));
        assert_eq!(read("auto/4", &[]), Err(SelectFault::NoIndex));
        assert_eq!(read("auto", &[("JOB_COMPLETION_INDEX", "0")]), Err(SelectFault::NoCount));
    }

    proptest! {
        #[test]
        fn every_task_is_in_exactly_one_shard_whatever_else_there_is(
            key in ".{0,40}", count in 1_u32..64,
        ) {
            let holders: Vec<u32> = (1..=count)
                .filter(|index| Shard { index: *index, count }.holds(&key))
                .collect();
            prop_assert_eq!(holders, vec![shard_of(&key, count)]);
        }
    }
}
