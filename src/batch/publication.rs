//! Publishes the bundles of a batch, as a batch of its own that runs no code of the repositories.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::error::BatchError;
use super::expand::{PUBLISHED, PlannedTask};
use super::hold::BatchHold;
use super::journal::{BatchHead, BatchHistory, BatchJournal};
use super::manifest::{ManifestFormat, read_manifest};
use super::plan::{BatchLimits, BatchPlan};
use super::pool::{self, BatchWatcher, Pool, PoolState};
use super::report::{BatchReport, ShardSummaries, read_shards, write_reports};
use super::resume::journal_path;
use super::row::TaskRow;
use super::run::ManifestSource;
use super::select::{NamePatterns, TaskSelection};
use super::session::{BatchSession, absolute_path};
use super::summary::{BatchEnd, BatchSummary};
use super::task::{TaskBundle, TaskWork, WorkerShared};
use crate::settings::FlagValue;
use papayu_base::domain::{OutcomeKind, Sha256};

/// The options of [`publish_batch`].
#[derive(Debug)]
pub struct BatchPublication {
    /// The folders of results of the batch, or of its shards.
    pub folders: Vec<PathBuf>,
    /// The expected digest of `summary.json`; only for one folder.
    pub digest: Option<Sha256>,
    /// Globs of names; none is every name.
    pub names: Vec<String>,
    /// Settings of every publication.
    pub flags: Vec<FlagValue>,
    /// `true` for pull requests, `false` for branches.
    pub as_pull_request: bool,
    /// Most pull requests that are opened or updated in an hour.
    pub pulls_per_hour: Option<u32>,
    /// The reasons to publish nothing for the moment.
    pub hold: BatchHold,
}

/// The bundles that are to be published.
struct FoundBundles {
    tasks: Vec<PlannedTask>,
    bundles: HashMap<String, TaskBundle>,
    /// Identifies the set of bundles.
    digest: Sha256,
}

/// Publishes the bundle of each fix that the batch recorded, and writes the summary into the folder `publish` of the first
/// folder, or that of `out.dir`. What an earlier call published is not published again; what it did not is tried again.
///
/// # Errors
///
/// - [`BatchError::Fix`] if a summary cannot be read, or a file cannot be written
/// - [`BatchError::Merge`] if the folders are not of one batch, or the summary has another digest
/// - [`BatchError::NoBundle`] if there is no bundle, and [`BatchError::Select`] if none fits the patterns
/// - [`BatchError::InUse`] if another call publishes it
pub fn publish_batch(
    batch: &BatchSession,
    options: &BatchPublication,
    watcher: &dyn BatchWatcher,
) -> Result<BatchReport, BatchError> {
    let shards = read_shards(batch, &options.folders, options.digest)?;
    let first = options.folders.first().cloned().unwrap_or_default();
    let found = find_bundles(shards, options.as_pull_request);
    if found.tasks.is_empty() {
        return Err(BatchError::NoBundle { folder: first });
    }
    let out = batch.out_folder(&absolute_path(&first.join(PUBLISHED))?)?;
    let _lock = batch.lock_folder(&out)?;
    let (journal, mut history) = open_journal(batch, &out, &found.digest)?;
    let selection = TaskSelection::new(&options.names, None, None)?;
    let keys: Vec<_> = found.tasks.iter().map(|task| task.key.clone()).collect();
    let tasks = selection.apply(found.tasks, &history.rows, true)?;
    watcher.tasks_selected(tasks.len());

    let system = batch.outside.system();
    let limits = BatchLimits { pulls_per_hour: options.pulls_per_hour, ..BatchLimits::default() };
    let ages = history.pull_request_ages(&system.clock.timestamp());
    let order = tasks.iter().enumerate().map(|(index, task)| (index, task.opens));
    let plan = BatchPlan::new(order, limits, history.spent);
    let plan = plan.with_pull_requests(ages, system.clock.elapsed());
    let folder = absolute_path(Path::new("."))?;
    let shared = batch.share_environment(options.flags.clone(), &tasks, folder, &out)?;
    let work =
        TaskWork::Publish { bundles: found.bundles, as_pull_request: options.as_pull_request };
    let shared = WorkerShared { work, ..shared };
    let jobs = batch.jobs().min(tasks.len()).max(1);
    let total = Some(tasks.len());
    let pool = Pool { shared: &shared, journal: &journal, watcher, system, jobs, total };
    let rows = std::mem::take(&mut history.rows);
    let source = ManifestSource {
        tasks: &tasks,
        unfinished: &history.unfinished,
        system,
        hold: &options.hold,
        watcher,
        is_held: AtomicBool::new(false),
    };
    let PoolState { plan, mut rows, error, .. } = pool::run_pool(&pool, &source, plan, rows);
    if let Some(error) = error {
        return Err(error);
    }
    let ended_at = system.clock.timestamp();
    let stop = plan.stopped().cloned();
    if stop.is_none() {
        journal.record_completion(&ended_at, None)?;
    }
    let end = BatchEnd {
        manifest: found.digest.to_string(),
        started_at: history.head.map_or(batch.outside.started.clone(), |head| head.started_at),
        ended_at,
        stop,
        not_started: plan.waiting(),
        left_alone: batch.http.hosts_down(),
        ..BatchEnd::default()
    };
    let rows = keys.iter().filter_map(|key| rows.remove(&**key)).collect();
    write_reports(batch, &out, BatchSummary::new(end, rows), &|row| Some(row.name.clone()))
}

/// Returns the rows of the fixes that [`publish_batch`] would publish if none was published before.
///
/// # Errors
///
/// Those of [`publish_batch`] before its first task.
pub fn list_bundles(
    batch: &BatchSession,
    options: &BatchPublication,
) -> Result<Vec<TaskRow>, BatchError> {
    let shards = read_shards(batch, &options.folders, options.digest)?;
    let patterns = NamePatterns::compile(&options.names)?;
    let mut rows = shards.summary.tasks;
    rows.retain(|row| bundle_digest(row).is_some() && patterns.matches(&row.name));
    Ok(rows)
}

/// Returns the digest of the bundle of a task that ended with a fix.
fn bundle_digest(row: &TaskRow) -> Option<Sha256> {
    let digest = row.bundle_digest.as_deref().filter(|_| row.outcome == OutcomeKind::Fixed);
    digest.and_then(Sha256::parse)
}

/// Returns the tasks with a bundle.
fn find_bundles(shards: ShardSummaries, opens: bool) -> FoundBundles {
    let ShardSummaries { summary, folder_of } = shards;
    let (mut tasks, mut bundles, mut all) = (Vec::new(), HashMap::new(), String::new());
    for row in &summary.tasks {
        let (Some(digest), Some(shard)) = (bundle_digest(row), folder_of.get(&row.name)) else {
            continue;
        };
        let Some(task) = plan_task(row, opens) else { continue };
        let folder = Path::new(shard).join(&row.name).join("bundle");
        // Another set of bundles is another publication.
        all.extend([row.key.as_str(), " ", &digest.to_string(), "\n"]);
        bundles.insert(row.name.clone(), TaskBundle { folder, digest });
        tasks.push(task);
    }
    FoundBundles { tasks, bundles, digest: Sha256::of(all.as_bytes()) }
}

/// Returns the task of a row; `None` for one that no manifest could have, since the row comes from a job that ran code of
/// the repositories.
fn plan_task(row: &TaskRow, opens: bool) -> Option<PlannedTask> {
    let repo = row.folder.as_ref().unwrap_or(&row.repo);
    let text = json!([{ "repo": repo, "name": row.name }]).to_string();
    let read = read_manifest(Path::new("row"), text.as_bytes(), ManifestFormat::Json).ok()?;
    let planned = PlannedTask::from_task(read.tasks.into_iter().next()?)?;
    Some(PlannedTask {
        key: row.key.as_str().into(),
        repo: row.repo.as_str().into(),
        opens,
        ..planned
    })
}

/// Continues the publication of these bundles in the folder of results, or begins one in place of that of others.
fn open_journal<'b>(
    batch: &'b BatchSession,
    out: &Path,
    digest: &Sha256,
) -> Result<(BatchJournal<'b>, BatchHistory), BatchError> {
    let (path, disk) = (journal_path(out), &batch.session.disk);
    let history = BatchHistory::read(disk, &path)?;
    let manifest = digest.to_string();
    if history.head.as_ref().is_some_and(|head| head.manifest == manifest) {
        return Ok((BatchJournal::resume(disk, &path, &history)?, history));
    }
    let started_at = batch.outside.started.clone();
    let head = BatchHead { manifest, flags: BTreeMap::new(), started_at };
    Ok((BatchJournal::create(disk, &path, head)?, BatchHistory::default()))
}
