//! The search for the first commit on which a command fails, among commits in a row.

/// The result of a run of the command on a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProbeResult {
    /// The tests that fail now pass there.
    Good,
    /// They fail there in the same way.
    Bad,
    /// Neither: the build is broken, the tests do not run, or fail otherwise.
    Skip,
}

/// The commits by number: 0 is the green commit, 1 the oldest after it.
#[derive(Clone, Debug)]
pub(super) struct Bisect {
    verdicts: Vec<Option<ProbeResult>>,
    /// The number of runs on each commit.
    runs: Vec<u32>,
    /// The commits that are suspected, the most likely first.
    guesses: Vec<usize>,
    /// `true` if a commit has passed and failed.
    is_flaky: bool,
}

impl Bisect {
    /// Starts the search among `count` commits. `is_last_bad` is true if the newest one is known to fail.
    pub(super) fn new(count: usize, guesses: Vec<usize>, is_last_bad: bool) -> Self {
        let mut verdicts = vec![None; count + 1];
        if let Some(last) = verdicts.last_mut().filter(|_| is_last_bad) {
            *last = Some(ProbeResult::Bad);
        }
        Self { runs: vec![0; count + 1], verdicts, guesses, is_flaky: false }
    }

    /// Returns the commit that fails while the one before it passes; `None` if the runs so far do not prove one, and for a
    /// flaky failure.
    pub(super) fn found(&self) -> Option<usize> {
        self.candidate().filter(|bad| self.repeat(*bad).is_none())
    }

    /// Returns the commit that fails while the one before it passes, by one run of each.
    fn candidate(&self) -> Option<usize> {
        let bad = self.first_bad().filter(|_| !self.is_flaky)?;
        (self.at(bad.checked_sub(1)?) == Some(ProbeResult::Good)).then_some(bad)
    }

    /// Returns the commit to run again before this one is blamed: a rare flake fails once, and then passes on
    /// any commit.
    fn repeat(&self, bad: usize) -> Option<usize> {
        let count = |at: usize| self.runs.get(at).copied().unwrap_or(0);
        let before = bad.checked_sub(1)?;
        if count(bad) == 0 { Some(bad) } else { (count(before) < 2).then_some(before) }
    }

    /// Returns the commit to run next: the parent of a suspect that fails, a suspect, the middle of what is left, else one to
    /// run again.
    /// `None` at the end of the search.
    pub(super) fn next(&self) -> Option<usize> {
        let last = self.verdicts.len().checked_sub(1).filter(|_| !self.is_flaky)?;
        let Some(bad) = self.first_bad() else {
            return self.at(last).is_none().then_some(last);
        };
        let before = bad.checked_sub(1)?;
        let low = (0..bad).rev().find(|at| self.at(*at) == Some(ProbeResult::Good));
        if low == Some(before) {
            return self.repeat(bad);
        }
        let is_open = |at: &usize| self.at(*at).is_none() && low.is_none_or(|low| *at > low);
        if self.guesses.contains(&bad) && is_open(&before) {
            return Some(before);
        }
        if let Some(guess) =
            self.guesses.iter().copied().find(|at| *at < bad && *at > 0 && is_open(at))
        {
            return Some(guess);
        }
        let (first, middle) =
            (low.map_or(0, |low| low + 1), usize::midpoint(low.unwrap_or(0), bad));
        // The green commit is taken to pass until nothing else is left.
        let open = (first.max(1)..bad).rev().filter(is_open);
        let nearest = open.min_by_key(|at| at.abs_diff(middle));
        nearest.or_else(|| is_open(&0).then_some(0))
    }

    /// Records a run. Another result than before of the same commit ends the search.
    pub(super) fn record(&mut self, at: usize, verdict: ProbeResult) {
        if let Some(held) = self.verdicts.get_mut(at) {
            self.is_flaky |= held.is_some_and(|before| before != verdict);
            *held = Some(verdict);
        }
        self.runs.iter_mut().skip(at).take(1).for_each(|runs| *runs += 1);
    }

    /// Returns the number of commits that show neither.
    pub(super) fn count_skipped(&self) -> usize {
        self.verdicts.iter().filter(|it| **it == Some(ProbeResult::Skip)).count()
    }

    /// Returns `true` if a commit has passed and failed.
    pub(super) fn is_flaky(&self) -> bool {
        self.is_flaky
    }

    fn at(&self, at: usize) -> Option<ProbeResult> {
        self.verdicts.get(at).copied().flatten()
    }

    /// Returns the oldest commit that fails.
    fn first_bad(&self) -> Option<usize> {
        self.verdicts.iter().position(|it| *it == Some(ProbeResult::Bad))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches among commits with these results, `+` good, `-` bad, `?` skip, the first the green one. Returns the
    /// culprit and the number of runs.
    fn search(results: &str, guesses: &[usize]) -> (Option<usize>, usize) {
        let results: Vec<char> = results.chars().collect();
        let mut bisect = Bisect::new(results.len() - 1, guesses.to_vec(), true);
        let mut runs = 0;
        while let Some(at) = bisect.next() {
            runs += 1;
            assert!(runs <= results.len() + 2, "{results:?}");
            let verdict = match results[at] {
                '+' => ProbeResult::Good,
                '-' => ProbeResult::Bad,
                _ => ProbeResult::Skip,
            };
            bisect.record(at, verdict);
        }
        (bisect.found(), runs)
    }

    #[test]
    fn a_right_guess_costs_three_runs_and_a_wrong_one_is_halved() {
        assert_eq!(search("+++++-----------", &[5]), (Some(5), 3));
        assert_eq!(search("+++++++++++++++-", &[15]), (Some(15), 3));
        assert_eq!(search("+++++-----------", &[]).0, Some(5));
        assert!(search("++++++++++------+", &[3, 14]).1 <= 8);
        for culprit in 1..=16 {
            let results = "+".repeat(culprit) + &"-".repeat(17 - culprit);
            let (found, runs) = search(&results, &[]);
            assert_eq!(found, Some(culprit));
            assert!(runs <= 7, "{culprit}: {runs}");
        }
    }

    #[test]
    fn nothing_is_named_without_a_pass_right_before_the_failure() {
        assert_eq!(search("-----", &[2]).0, None);
        assert_eq!(search("++??-", &[4]).0, None);
        assert_eq!(search("?????-", &[]).0, None);
        assert_eq!(search("+?+?+-?-", &[1]).0, Some(5));
        assert_eq!(search("??+++---", &[]).0, Some(5));
        assert_eq!(search("+-", &[]), (Some(1), 3));
    }

    #[test]
    fn a_commit_that_passes_and_fails_ends_the_search_without_a_culprit() {
        let (good, bad) = (ProbeResult::Good, ProbeResult::Bad);
        // The last commit is known to fail by the run that began everything.
        for steps in [vec![(3, good), (4, good)], vec![(3, good), (4, bad), (3, bad)]] {
            let mut bisect = Bisect::new(4, vec![4], true);
            for (at, verdict) in steps {
                assert_eq!((bisect.next(), bisect.found()), (Some(at), None));
                bisect.record(at, verdict);
            }
            assert!(bisect.is_flaky());
            assert_eq!((bisect.found(), bisect.next()), (None, None));
        }
    }
}
