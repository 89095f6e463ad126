//! Runs the tasks of a manifest: begins a batch or resumes one, and writes its summary.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::error::BatchError;
use super::expand::{PlannedTask, RepositoryOrigin};
use super::hold::BatchHold;
use super::plan::{BatchLimits, BatchPlan, Next};
use super::pool::{self, Assignment, BatchWatcher, NextTask, Pool, PoolState, TaskSource, lock};
use super::report::{BatchReport, write_reports};
use super::resume::{StartMode, StartRequest};
use super::row::TaskRow;
use super::select::{Shard, TaskSelection, shard_of};
use super::session::{BatchSession, NamedTasks};
use super::summary::{BatchEnd, BatchSummary};
use crate::fix::delivery::variable;
use crate::settings::{Emit, FlagValue};
use papayu_base::domain::{RunId, Sha256};
use papayu_system::System;

/// Selects tasks of a manifest.
#[derive(Clone, Debug, Default)]
pub struct TaskFilter {
    /// Globs of names; none is every name.
    pub names: Vec<String>,
    /// A shard as `I/N`, `auto` or `auto/N`.
    pub shard: Option<String>,
    /// Most tasks.
    pub limit: Option<usize>,
}

/// The options of a batch.
#[derive(Debug)]
pub struct BatchOptions {
    /// The manifest; `-` is standard input.
    pub manifest: PathBuf,
    /// Settings of every task, which override the manifest.
    pub task_flags: Vec<FlagValue>,
    /// The goal of every task, which overrides the manifest.
    pub goal: Option<String>,
    /// `true` if the flags set the results of every task.
    pub overrides_emit: bool,
    /// The tasks to do.
    pub filter: TaskFilter,
    /// Begin or resume a batch.
    pub start: StartMode,
    /// The limits of the batch.
    pub limits: BatchLimits,
    /// The reasons to start no task for the moment.
    pub hold: BatchHold,
}

/// The tasks that a batch would do.
#[derive(Debug, Serialize)]
pub struct DryRun {
    /// The number of tasks in the manifest.
    all: usize,
    tasks: Vec<DryTask>,
}

#[derive(Debug, Serialize)]
struct DryTask {
    branch: Option<String>,
    emit: Option<Vec<String>>,
    goal: Option<String>,
    log: Option<String>,
    opens_pull_request: bool,
    repo: String,
    run: Option<String>,
    task: String,
}

/// Runs the selected tasks and writes the summary. Failed tasks are no error.
///
/// # Errors
///
/// - [`BatchError::Manifest`] and [`BatchError::Select`] if the manifest or the selection is wrong
/// - [`BatchError::InUse`] if another call uses the folder of results
/// - [`BatchError::Unfinished`], [`BatchError::OtherManifest`] and [`BatchError::OtherFlags`] if the folder has
///   another batch
/// - [`BatchError::Fix`] if the forge does not list repositories, or a file cannot be read or written
pub fn run_batch(
    batch: &BatchSession,
    options: &BatchOptions,
    watcher: &dyn BatchWatcher,
) -> Result<BatchReport, BatchError> {
    let NamedTasks { tasks, digest, folder } = options.read_tasks(batch)?;
    let out = manifest_out(batch, &options.manifest)?;
    let shard = read_shard(batch, &options.filter)?;
    let start = options.start_request(&digest, shard, &out);
    // Read under the lock: another call may be ending.
    let _lock = batch.lock_folder(&out)?;
    let mut history = start.read_history(batch)?;
    let keys: Vec<_> = tasks.iter().map(|task| task.key.clone()).collect();
    let tasks = select_tasks(batch, options, tasks, &history.rows, shard)?;
    // The journal of an earlier batch is replaced only here, after everything else was found right.
    let journal = start.open_journal(batch, &history)?;
    watcher.tasks_selected(tasks.len());

    let system = batch.outside.system();
    let pull_requests = history.pull_request_ages(&system.clock.timestamp());
    let order = tasks.iter().enumerate().map(|(index, task)| (index, task.opens));
    let plan = BatchPlan::new(order, options.limits, history.spent);
    let plan = plan.with_pull_requests(pull_requests, system.clock.elapsed());
    let pool = Pool {
        shared: &batch.share_environment(options.task_flags.clone(), &tasks, folder, &out)?,
        journal: &journal,
        watcher,
        system,
        jobs: batch.jobs().min(tasks.len()).max(1),
        total: Some(tasks.len()),
    };
    let rows = std::mem::take(&mut history.rows);
    let source = ManifestSource::new(&tasks, &history.unfinished, system, &options.hold, watcher);
    let PoolState { plan, mut rows, error, .. } = pool::run_pool(&pool, &source, plan, rows);
    if let Some(error) = error {
        return Err(error);
    }
    // Commands of tasks can write to the journal; its rows would then be wrong in the next call.
    journal.verify()?;
    let ended_at = system.clock.timestamp();
    let stop = plan.stopped().cloned();
    if stop.is_none() {
        journal.record_completion(&ended_at, shard)?;
    }
    let end = BatchEnd {
        manifest: digest.to_string(),
        started_at: history.head.map_or(batch.outside.started.clone(), |head| head.started_at),
        ended_at,
        stop,
        not_started: plan.waiting(),
        spent: plan.spent(),
        left_alone: batch.http.hosts_down(),
    };
    // The summary has the order of the manifest.
    let rows = keys.iter().filter_map(|key| rows.remove(&**key)).collect();
    write_reports(batch, &out, BatchSummary::new(end, rows), &|row| Some(row.name.clone()))
}

/// Returns the tasks that [`run_batch`] would do; changes nothing.
///
/// # Errors
///
/// Those of [`run_batch`] before its first task.
pub fn dry_run(batch: &BatchSession, options: &BatchOptions) -> Result<DryRun, BatchError> {
    let NamedTasks { tasks, digest, .. } = options.read_tasks(batch)?;
    let out = manifest_out(batch, &options.manifest)?;
    let shard = read_shard(batch, &options.filter)?;
    let history = options.start_request(&digest, shard, &out).read_history(batch)?;
    let all = tasks.len();
    let tasks = select_tasks(batch, options, tasks, &history.rows, shard)?;
    Ok(DryRun { all, tasks: tasks.iter().map(DryTask::new).collect() })
}

impl BatchOptions {
    /// Returns the tasks of the manifest with the goal of the command line.
    fn read_tasks(&self, batch: &BatchSession) -> Result<NamedTasks, BatchError> {
        let mut read = batch.read_tasks(&self.manifest)?;
        if let Some(goal) = &self.goal {
            for task in &mut read.tasks {
                Arc::make_mut(&mut task.options).goal = Some(goal.clone());
            }
        }
        Ok(read)
    }

    fn start_request<'a>(
        &'a self,
        manifest: &'a Sha256,
        shard: Option<Shard>,
        out: &'a Path,
    ) -> StartRequest<'a> {
        let goal = self.goal.clone().map(|goal| ("goal", goal, "--goal"));
        let flags = self.task_flags.iter().cloned().chain(goal).collect();
        StartRequest { mode: self.start, manifest, shard, flags, out }
    }
}

impl DryRun {
    /// Returns one line for each task, and the number of tasks.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for DryTask { run, goal, log, task, repo, .. } in &self.tasks {
            let what = [run, goal, log].into_iter().flatten().next();
            let what = what.map_or("as its settings say", String::as_str);
            text.extend([task, "\t", repo, "\t", what, "\n"]);
        }
        format!("{text}{} of {} tasks would be done", self.tasks.len(), self.all)
    }
}

impl DryTask {
    /// Returns the row of a task that would run.
    fn new(planned: &PlannedTask) -> Self {
        let options = &planned.options;
        Self {
            branch: options.branch.clone(),
            emit: options.emit.clone(),
            goal: options.goal.clone(),
            log: options.log.clone(),
            opens_pull_request: planned.opens,
            repo: planned.repo.to_string(),
            run: options.run.clone(),
            task: planned.name().into_owned(),
        }
    }
}

/// Returns a GitHub matrix with one entry for each shard that has tasks, at most `max`.
///
/// # Errors
///
/// [`BatchError::Manifest`] if the manifest is wrong, and [`BatchError::Select`] if a pattern is wrong or no
/// name fits the patterns.
pub fn shard_matrix(
    batch: &BatchSession,
    manifest: &Path,
    names: &[String],
    max: u32,
) -> Result<Value, BatchError> {
    let selection = TaskSelection::new(names, None, None)?;
    let tasks = batch.read_tasks(manifest)?.tasks;
    let tasks = selection.apply(tasks, &HashMap::new(), false)?;
    let keys: Vec<&str> = tasks.iter().map(|task| &*task.key).collect();
    Ok(json!({ "include": matrix_entries(&keys, max) }))
}

/// Returns the entries of a CI matrix, one for each shard that has tasks.
fn matrix_entries(keys: &[&str], max: u32) -> Vec<Value> {
    let total = u32::try_from(keys.len()).unwrap_or(u32::MAX).min(max);
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for key in keys {
        *counts.entry(shard_of(key, total)).or_default() += 1;
    }
    let entry = |(index, tasks): (&u32, &usize)| json!({ "shard": format!("{index}/{total}"), "index": index, "total": total, "tasks": tasks });
    counts.iter().map(entry).collect()
}

/// Returns the default folder of results, named after the manifest.
fn manifest_out(batch: &BatchSession, manifest: &Path) -> Result<PathBuf, BatchError> {
    let stem = manifest.file_stem().and_then(|stem| stem.to_str());
    // Standard input has no name.
    let stem = stem.filter(|stem| *stem != "-").unwrap_or("batch");
    Ok(batch.out_folder(&Path::new(".papa-yu/batch").join(stem))?)
}

/// Returns the shard of a filter; variables of the CI system say which one `auto` is.
///
/// Fails as [`Shard::parse`] does.
pub(super) fn read_shard(
    batch: &BatchSession,
    filter: &TaskFilter,
) -> Result<Option<Shard>, BatchError> {
    let Some(text) = &filter.shard else { return Ok(None) };
    Ok(Some(Shard::parse(text, &|name| variable(&batch.session, name))?))
}

/// Returns the tasks that this call is to do, each with whether it may open a pull request.
fn select_tasks(
    batch: &BatchSession,
    options: &BatchOptions,
    tasks: Vec<PlannedTask>,
    rows: &HashMap<String, TaskRow>,
    shard: Option<Shard>,
) -> Result<Vec<PlannedTask>, BatchError> {
    let selection = TaskSelection::new(&options.filter.names, shard, options.filter.limit)?;
    let retry_failed = options.start == StartMode::RetryFailed;
    let mut tasks = selection.apply(tasks, rows, retry_failed)?;
    let emits = &batch.session.settings.run_emit.value;
    for task in &mut tasks {
        task.opens = match &task.options.emit {
            Some(emit) if !options.overrides_emit => emit.iter().any(|word| word == "pr"),
            _ => emits.contains(&Emit::Pr),
        };
    }
    if !options.overrides_emit {
        return Ok(tasks);
    }
    let staying = emits.iter().find_map(|emit| emit.staying());
    let cloned = tasks.iter().find(|task| matches!(task.origin, RepositoryOrigin::Address(_)));
    if let (Some(emit), Some(task)) = (staying, cloned) {
        return Err(BatchError::StaysInClone { emit, task: task.name().into_owned() });
    }
    Ok(tasks)
}

/// The tasks of a manifest, in the order that [`BatchPlan`] decides.
pub(super) struct ManifestSource<'a> {
    tasks: &'a [PlannedTask],
    /// The run of each task that an earlier call began and did not end, by key.
    unfinished: &'a HashMap<String, RunId>,
    system: System<'a>,
    /// The reasons to start no task for the moment.
    hold: &'a BatchHold,
    watcher: &'a dyn BatchWatcher,
    /// `true` while one of them applies, or the limit of pull requests, which is reported once.
    is_held: AtomicBool,
}

impl<'a> ManifestSource<'a> {
    /// Returns the source of these tasks. The watcher gets the reasons for starting none.
    pub(super) fn new(
        tasks: &'a [PlannedTask],
        unfinished: &'a HashMap<String, RunId>,
        system: System<'a>,
        hold: &'a BatchHold,
        watcher: &'a dyn BatchWatcher,
    ) -> Self {
        Self { tasks, unfinished, system, hold, watcher, is_held: AtomicBool::new(false) }
    }

    /// Reports once why no task is started.
    fn report_wait(&self, reason: &str) {
        if !self.is_held.swap(true, Ordering::Relaxed) {
            self.watcher.notify(&format!("{reason}; waiting"));
        }
    }
}

impl TaskSource for ManifestSource<'_> {
    type Ticket = usize;

    fn claim(&self, state: &Mutex<PoolState>) -> Result<NextTask<usize>, BatchError> {
        let clock = self.system.clock;
        let (now, is_interrupted) = (clock.elapsed(), clock.interrupted());
        let is_left = lock(state).plan.waiting() > 0;
        if let Some(reason) = self.hold.reason(self.system).filter(|_| is_left) {
            self.report_wait(&reason);
            // Signals and limits end the wait.
            let goes_on = lock(state).plan.next_budget(now, is_interrupted).is_some();
            return Ok(if goes_on { NextTask::Wait(Duration::MAX) } else { NextTask::End });
        }
        let (next, full_for) = {
            let mut state = lock(state);
            (state.plan.next(now, is_interrupted), state.plan.full_for(now))
        };
        let (index, left) = match next {
            Next::Start(index, left) => (index, left),
            Next::Wait(time) => {
                if let Some(left) = full_for {
                    let minutes = left.as_secs().div_ceil(60);
                    self.report_wait(&format!(
                        "as many pull requests as `--limit-prs` permits were opened in the last hour; the next one can be \
                         opened in {minutes} min"
                    ));
                }
                return Ok(NextTask::Wait(time.unwrap_or(Duration::MAX)));
            }
            Next::End => return Ok(NextTask::End),
        };
        self.is_held.store(false, Ordering::Relaxed);
        let Some(planned) = self.tasks.get(index).cloned() else { return Ok(NextTask::End) };
        // The same run id makes the forge and git recognize what the interrupted run delivered.
        let earlier = self.unfinished.get(&*planned.key).cloned();
        let is_resumed = earlier.is_some();
        let run = earlier.unwrap_or_else(|| RunId::new(clock.fresh_id()));
        let task = Assignment { planned, run, is_resumed, left, is_alone: false };
        Ok(NextTask::Run(index, Box::new(task)))
    }

    fn finish(&self, _ticket: &usize, _row: &TaskRow, _parked: bool) -> Result<usize, BatchError> {
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_in_one_entry_and_no_entry_is_empty() {
        let keys: Vec<String> = (0..1000).map(|number| format!("o/r{number}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        for (count, max, most) in
            [(0, 256, 0), (1, 256, 1), (3, 256, 3), (1000, 256, 256), (1000, 7, 7)]
        {
            let entries = matrix_entries(&keys[..count], max);
            assert!(entries.len() <= most, "{count} {max}");
            let tasks: Vec<u64> = entries.iter().filter_map(|it| it["tasks"].as_u64()).collect();
            assert!(tasks.iter().all(|tasks| *tasks > 0));
            assert_eq!(tasks.iter().sum::<u64>(), count as u64);
        }
    }
}
