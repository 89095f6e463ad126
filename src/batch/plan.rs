//! The policy of a batch as a state machine without threads or clocks: which task starts next.

use std::collections::VecDeque;
use std::ops::AddAssign;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::row::TaskRow;

/// The hour that `--limit-prs` counts over.
const HOUR: Duration = Duration::from_hours(1);

/// The limits of a batch; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchLimits {
    /// US dollars of the whole batch, including earlier calls.
    pub max_cost: Option<f64>,
    /// Tokens, likewise.
    pub max_tokens: Option<u64>,
    /// Requests to providers, likewise.
    pub max_requests: Option<u64>,
    /// Wall time of this call.
    pub max_time: Option<Duration>,
    /// Pull requests opened or updated within an hour.
    pub pulls_per_hour: Option<u32>,
    /// `true` to start no task after one has failed.
    pub fail_fast: bool,
}

/// The costs of tasks, those of earlier calls included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BatchSpend {
    /// US dollars, of what has a known price.
    pub cost_usd: f64,
    /// Tokens.
    pub tokens: u64,
    /// Requests to providers.
    pub requests: u64,
}

/// The reason why no more tasks are started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A signal.
    Interrupted,
    /// A limit, in words.
    Budget(String),
    /// A task that did not end well, by name.
    FailFast(String),
}

/// The next step of an idle worker.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Start the task with this index, with this budget.
    Start(usize, BudgetLeft),
    /// Ask again when another task has ended, or after this time.
    Wait(Option<Duration>),
    /// There is no more work.
    End,
}

/// The remaining budget of the batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BudgetLeft {
    /// US dollars.
    pub cost: Option<f64>,
    /// Tokens.
    pub tokens: Option<u64>,
    /// Requests.
    pub requests: Option<u64>,
}

/// The state of a batch.
pub struct BatchPlan {
    /// Tasks not started: the index, and whether it may open a pull request.
    waiting: VecDeque<(usize, bool)>,
    limits: BatchLimits,
    spent: BatchSpend,
    /// The time when each counted pull request is an hour old, the earliest first.
    opened: VecDeque<Duration>,
    /// The number of running tasks that may open a pull request.
    opening: u32,
    stop: Option<StopReason>,
}

impl BatchSpend {
    /// Adds the costs of a task.
    pub fn add(&mut self, row: &TaskRow) {
        self.cost_usd += row.cost_usd.unwrap_or_default();
        self.tokens = self.tokens.saturating_add(row.tokens.total());
        self.requests = self.requests.saturating_add(row.requests.into());
    }
}

impl AddAssign for BatchSpend {
    fn add_assign(&mut self, other: Self) {
        self.cost_usd += other.cost_usd;
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.requests = self.requests.saturating_add(other.requests);
    }
}

impl BatchPlan {
    /// Returns a plan for these tasks in their order; `spent` is the sum of earlier calls.
    pub fn new(
        tasks: impl IntoIterator<Item = (usize, bool)>,
        limits: BatchLimits,
        spent: BatchSpend,
    ) -> Self {
        Self {
            waiting: tasks.into_iter().collect(),
            limits,
            spent,
            opened: VecDeque::new(),
            opening: 0,
            stop: None,
        }
    }

    /// Counts pull requests that earlier calls opened that long before `now`.
    #[must_use]
    pub fn with_pull_requests(
        mut self,
        ages: impl IntoIterator<Item = Duration>,
        now: Duration,
    ) -> Self {
        // Ages of more than an hour have no remaining time and are dropped.
        let left = ages.into_iter().filter_map(|age| HOUR.checked_sub(age));
        self.opened.extend(left.map(|left| now + left));
        self.opened.make_contiguous().sort();
        self
    }

    /// Returns the next step of an idle worker.
    pub fn next(&mut self, now: Duration, interrupted: bool) -> Next {
        if self.waiting.is_empty() {
            return Next::End;
        }
        let Some(left) = self.next_budget(now, interrupted) else { return Next::End };
        // Pull requests older than an hour no longer count.
        self.opened.retain(|end| *end > now);
        let free = self.may_open();
        // Tasks without a pull request overtake those that have to wait for the hour.
        let Some(at) = self.waiting.iter().position(|(_, opens)| free || !opens) else {
            let oldest = self.opened.front().map(|end| end.saturating_sub(now));
            let until_end = self.limits.max_time.map(|max| max.saturating_sub(now));
            return Next::Wait(oldest.into_iter().chain(until_end).min());
        };
        let Some((task, opens)) = self.waiting.remove(at) else { return Next::End };
        // Counted before it opens one, so that parallel tasks do not exceed the limit together.
        self.opening += u32::from(opens);
        Next::Start(task, left)
    }

    /// Returns the time until another pull request may be opened; `None` if the limit does not forbid it now, and while
    /// only running tasks may reach it.
    pub fn full_for(&self, now: Duration) -> Option<Duration> {
        let most = usize::try_from(self.limits.pulls_per_hour?).unwrap_or(usize::MAX);
        // The oldest of the last `most` is the one that has to be an hour old.
        let last = self.opened.len().checked_sub(most)?;
        self.opened.get(last).map(|end| end.saturating_sub(now))
    }

    /// Returns what the next task may spend; `None` when nothing more may be started.
    pub fn next_budget(&mut self, now: Duration, interrupted: bool) -> Option<BudgetLeft> {
        if self.stop.is_none() {
            self.stop =
                if interrupted { Some(StopReason::Interrupted) } else { self.limit_reached(now) };
        }
        self.stop.is_none().then(|| self.remaining())
    }

    /// Records the end of a task.
    pub fn record_end(&mut self, opens: bool, row: &TaskRow, now: Duration) {
        self.opening = self.opening.saturating_sub(u32::from(opens));
        if row.pr_url.is_some() {
            self.opened.push_back(now + HOUR);
        }
        self.spent.add(row);
        // The signal that interrupted one task stops the batch.
        if !row.is_done() {
            self.stop = Some(StopReason::Interrupted);
        } else if self.limits.fail_fast && !row.is_good() && !self.waiting.is_empty() {
            self.stop.get_or_insert(StopReason::FailFast(row.name.clone()));
        }
    }

    /// Returns why tasks were left unstarted; `None` when none was.
    pub fn stopped(&self) -> Option<&StopReason> {
        self.stop.as_ref()
    }

    /// Returns the number of tasks that were not started.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the costs, including earlier calls.
    pub fn spent(&self) -> BatchSpend {
        self.spent
    }

    /// Returns whether a task may start that opens a pull request. Each running one counts as if it
    /// had opened its own.
    fn may_open(&self) -> bool {
        let taken = u32::try_from(self.opened.len()).unwrap_or(u32::MAX);
        let taken = taken.saturating_add(self.opening);
        self.limits.pulls_per_hour.is_none_or(|most| taken < most)
    }

    /// Returns the first limit of the batch that is reached. Running tasks may exceed it by what
    /// they have in flight.
    fn limit_reached(&self, now: Duration) -> Option<StopReason> {
        let BatchLimits { max_cost, max_tokens, max_requests, max_time, .. } = self.limits;
        let words = if let Some(max) = max_cost.filter(|max| self.spent.cost_usd >= *max) {
            format!("the batch's limit of ${max} is reached")
        } else if let Some(max) = max_tokens.filter(|max| self.spent.tokens >= *max) {
            format!("the batch's limit of {max} tokens is reached")
        } else if let Some(max) = max_requests.filter(|max| self.spent.requests >= *max) {
            format!("the batch's limit of {max} requests is reached")
        } else if let Some(max) = max_time.filter(|max| now >= *max) {
            format!("the batch's time limit of {} s is reached", max.as_secs())
        } else {
            return None;
        };
        Some(StopReason::Budget(words))
    }

    /// Returns what is left of the limits, which bounds the budget of the next task.
    fn remaining(&self) -> BudgetLeft {
        let BatchLimits { max_cost, max_tokens, max_requests, .. } = self.limits;
        BudgetLeft {
            cost: max_cost.map(|max| max - self.spent.cost_usd),
            tokens: max_tokens.map(|max| max.saturating_sub(self.spent.tokens)),
            requests: max_requests.map(|max| max.saturating_sub(self.spent.requests)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::{Outcome, OutcomeKind, RunId, Usage};

    const SECOND: Duration = Duration::from_secs(1);

    fn row(kind: OutcomeKind, cost: f64, pulls: bool) -> TaskRow {
        let outcome = Outcome {
            cost_usd: Some(cost),
            tokens: Usage { input: 60, output: 40, cached: 0 },
            requests: 2,
            pr_url: pulls.then(|| "https://x/1".to_owned()),
            ..Outcome::new(RunId::new("r".to_owned()), kind, "")
        };
        TaskRow::new("n", "k", "r", &outcome, String::new())
    }

    fn plan(limits: BatchLimits) -> BatchPlan {
        BatchPlan::new([(0, true), (1, true), (2, false)], limits, BatchSpend::default())
    }

    fn started(next: &Next) -> Option<usize> {
        if let Next::Start(task, _) = next { Some(*task) } else { None }
    }

    #[test]
    fn each_limit_starts_nothing_new_and_names_itself() {
        for (limits, word) in [
            (BatchLimits { max_cost: Some(0.5), ..BatchLimits::default() }, "$0.5"),
            (BatchLimits { max_tokens: Some(100), ..BatchLimits::default() }, "100 tokens"),
            (BatchLimits { max_requests: Some(2), ..BatchLimits::default() }, "2 requests"),
            (BatchLimits { max_time: Some(SECOND), ..BatchLimits::default() }, "1 s"),
        ] {
            let mut plan = plan(limits);
            assert_eq!(started(&plan.next(Duration::ZERO, false)), Some(0), "{word}");
            plan.record_end(true, &row(OutcomeKind::Fixed, 0.5, false), SECOND);
            assert_eq!(plan.next(SECOND, false), Next::End, "{word}");
            let Some(StopReason::Budget(reason)) = plan.stopped() else { panic!("{word}") };
            assert!(reason.contains(word), "{reason}");
            assert_eq!(plan.waiting(), 2);
        }
    }

    #[test]
    fn a_task_gets_what_is_left_and_earlier_calls_count() {
        let limits = BatchLimits { max_tokens: Some(300), ..BatchLimits::default() };
        let spent = BatchSpend { tokens: 100, ..BatchSpend::default() };
        let mut plan = BatchPlan::new([(0, false)], limits, spent);
        let left = BudgetLeft { tokens: Some(200), ..BudgetLeft::default() };
        assert_eq!(plan.next(Duration::ZERO, false), Next::Start(0, left));
        let over = BatchSpend { tokens: 300, ..BatchSpend::default() };
        let mut plan = BatchPlan::new([(0, false)], limits, over);
        assert_eq!(plan.next(Duration::ZERO, false), Next::End);
        assert!(plan.stopped().is_some());
    }

    #[test]
    fn pull_requests_wait_for_the_hour_and_others_go_on() {
        let limits = BatchLimits { pulls_per_hour: Some(1), ..BatchLimits::default() };
        let mut plan = plan(limits);
        assert_eq!(started(&plan.next(Duration::ZERO, false)), Some(0));
        // The running one may open one yet: only what opens none starts beside it.
        assert_eq!(started(&plan.next(Duration::ZERO, false)), Some(2));
        assert_eq!(plan.next(Duration::ZERO, false), Next::Wait(None));
        assert_eq!(plan.full_for(Duration::ZERO), None);
        plan.record_end(true, &row(OutcomeKind::Fixed, 0.0, true), SECOND);
        assert_eq!(plan.next(SECOND * 2, false), Next::Wait(Some(HOUR.saturating_sub(SECOND))));
        assert_eq!(plan.full_for(SECOND * 2), Some(HOUR.saturating_sub(SECOND)));
        assert_eq!(started(&plan.next(HOUR + SECOND, false)), Some(1));
        assert_eq!(plan.next(HOUR + SECOND, false), Next::End);
    }

    #[test]
    fn pull_requests_of_earlier_calls_count_until_their_hour_is_over() {
        let limits = BatchLimits { pulls_per_hour: Some(2), ..BatchLimits::default() };
        let ages = [HOUR / 2, HOUR, HOUR * 2, HOUR.saturating_sub(SECOND * 5)];
        let mut plan = plan(limits).with_pull_requests(ages, SECOND);
        assert_eq!(started(&plan.next(SECOND, false)), Some(2));
        assert_eq!(plan.next(SECOND, false), Next::Wait(Some(SECOND * 5)));
        assert_eq!(started(&plan.next(SECOND * 6, false)), Some(0));
    }

    #[test]
    fn a_signal_and_a_failure_under_fail_fast_end_the_starting() {
        let mut signalled = plan(BatchLimits::default());
        assert_eq!(signalled.next(SECOND, true), Next::End);
        assert_eq!(signalled.stopped(), Some(&StopReason::Interrupted));
        let mut fast = plan(BatchLimits { fail_fast: true, ..BatchLimits::default() });
        assert_eq!(started(&fast.next(SECOND, false)), Some(0));
        fast.record_end(true, &row(OutcomeKind::NotFixed, 0.0, false), SECOND);
        assert_eq!(fast.next(SECOND, false), Next::End);
        assert_eq!(fast.stopped(), Some(&StopReason::FailFast("n".to_owned())));
    }

    #[test]
    fn without_limits_every_task_is_started_once() {
        let mut plan = plan(BatchLimits::default());
        let all: Vec<_> = (0..4).map(|_| started(&plan.next(SECOND, false))).collect();
        assert_eq!(all, [Some(0), Some(1), Some(2), None]);
        assert_eq!(plan.stopped(), None);
    }
}
