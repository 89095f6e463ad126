//! Publishes the bundles of a batch, as a batch of its own that runs no code of the repositories.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::error::BatchError;
use super::expand::{PUBLISHED, PlannedTask};
use super::hold::BatchHold;
use super::journal::{BatchHead, BatchHistory, BatchJournal};
use super::manifest::{ManifestFormat, read_manifest};
use super::plan::{BatchLimits, BatchPlan};
use super::pool::{self, BatchWatcher, Pool, PoolState};
use super::report::{BatchReport, ShardSummaries, note_unfinished, read_shards, write_reports};
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

/// The fixes that [`publish_batch`] would publish if none was published before.
#[derive(Debug)]
pub struct ListedFixes {
    /// Their rows.
    pub rows: Vec<TaskRow>,
    /// The names in rows that are not published, since no manifest could have them.
    pub refused: Vec<String>,
    /// The folders of shards that have not ended.
    pub unfinished: Vec<PathBuf>,
    /// Why there is nothing to publish; `None` if there is a fix.
    pub nothing: Option<String>,
}

/// The bundles of a batch, and what it has besides them.
struct FoundBundles {
    tasks: Vec<PlannedTask>,
    bundles: HashMap<String, TaskBundle>,
    /// Identifies the set of bundles.
    digest: Sha256,
    /// Those that the patterns select.
    listed: ListedFixes,
    names: NamePatterns,
}

/// Publishes the bundle of each fix that the batch recorded, and writes the summary into the folder `publish` of the first
/// folder, or that of `out.dir`. What an earlier call published is not published again; what it did not is tried again.
/// A batch without a fix to publish, as on a night when everything is green, is a success.
///
/// # Errors
///
/// - [`BatchError::Fix`] if a summary cannot be read, or a file cannot be written
/// - [`BatchError::Merge`] if the folders are not of one batch, or the summary has another digest
/// - [`BatchError::NotEnded`] if no shard has ended
/// - [`BatchError::NoBundle`] if there are fixes without a bundle, and [`BatchError::Select`] if no task fits the patterns
/// - [`BatchError::InUse`] if another call publishes it
pub fn publish_batch(
    batch: &BatchSession,
    options: &BatchPublication,
    watcher: &dyn BatchWatcher,
) -> Result<BatchReport, BatchError> {
    let FoundBundles { tasks, bundles, digest, listed, names } = find_bundles(batch, options)?;
    let first = options.folders.first().cloned().unwrap_or_default();
    let out = batch.out_folder(&absolute_path(&first.join(PUBLISHED))?)?;
    let _lock = batch.lock_folder(&out)?;
    let (journal, mut history) = open_journal(batch, &out, &digest)?;
    let keys: Vec<_> = tasks.iter().map(|task| task.key.clone()).collect();
    let tasks = tasks.into_iter().filter(|task| names.matches(&task.name())).collect();
    let tasks = TaskSelection::new(&[], None, None)?.apply(tasks, &history.rows, true)?;
    watcher.tasks_selected(tasks.len());

    let system = batch.outside.system();
    let limits = BatchLimits { pulls_per_hour: options.pulls_per_hour, ..BatchLimits::default() };
    let ages = history.pull_request_ages(&system.clock.timestamp());
    let order = tasks.iter().enumerate().map(|(index, task)| (index, task.opens));
    let plan = BatchPlan::new(order, limits, history.spent);
    let plan = plan.with_pull_requests(ages, system.clock.elapsed());
    let folder = absolute_path(Path::new("."))?;
    let shared = batch.share_environment(options.flags.clone(), &tasks, folder, &out)?;
    let work = TaskWork::Publish { bundles, as_pull_request: options.as_pull_request };
    let shared = WorkerShared { work, ..shared };
    let jobs = batch.jobs().min(tasks.len()).max(1);
    let total = Some(tasks.len());
    let pool = Pool { shared: &shared, journal: &journal, watcher, system, jobs, total };
    let rows = std::mem::take(&mut history.rows);
    let source = ManifestSource::new(&tasks, &history.unfinished, system, &options.hold, watcher);
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
        manifest: digest.to_string(),
        started_at: history.head.map_or(batch.outside.started.clone(), |head| head.started_at),
        ended_at,
        stop,
        not_started: plan.waiting(),
        left_alone: batch.http.hosts_down(),
        ..BatchEnd::default()
    };
    let rows = keys.iter().filter_map(|key| rows.remove(&**key)).collect();
    write_summary(batch, &out, BatchSummary::new(end, rows), listed)
}

/// Writes the summary of a publication. It is no success if a row was refused or a shard has not ended.
fn write_summary(
    batch: &BatchSession,
    out: &Path,
    mut summary: BatchSummary,
    listed: ListedFixes,
) -> Result<BatchReport, BatchError> {
    for name in &listed.refused {
        summary.add_stop(OutcomeKind::PublishFailed, refusal_of(name));
    }
    note_unfinished(&mut summary, &listed.unfinished);
    let report = write_reports(batch, out, summary, &|row| Some(row.name.clone()))?;
    Ok(BatchReport { unfinished: listed.unfinished, nothing: listed.nothing, ..report })
}

/// Returns the fixes that [`publish_batch`] would publish if none was published before.
///
/// # Errors
///
/// Those of [`publish_batch`] before its first task.
pub fn list_bundles(
    batch: &BatchSession,
    options: &BatchPublication,
) -> Result<ListedFixes, BatchError> {
    Ok(find_bundles(batch, options)?.listed)
}

/// Returns the message about a row that is not published. The name may have been made to deceive.
pub fn refusal_of(name: &str) -> String {
    format!(
        "`{}` is not published: its row in `summary.json` was changed, so that no manifest could have it",
        name.escape_debug()
    )
}

/// Reads the summaries and returns the tasks with a bundle.
///
/// Fails as [`publish_batch`] does.
fn find_bundles(
    batch: &BatchSession,
    options: &BatchPublication,
) -> Result<FoundBundles, BatchError> {
    let shards = read_shards(batch, &options.folders, options.digest)?;
    let ShardSummaries { summary, folder_of, unfinished } = shards;
    let names = NamePatterns::compile(&options.names)?;
    names.check_any(summary.tasks.iter().map(|row| &row.name))?;
    let (mut tasks, mut bundles, mut all) = (Vec::new(), HashMap::new(), String::new());
    let mut listed =
        ListedFixes { rows: Vec::new(), refused: Vec::new(), unfinished, nothing: None };
    let (mut others, mut has_unbundled) = (Vec::new(), false);
    for row in summary.tasks {
        let is_chosen = names.matches(&row.name);
        let is_fixed = row.outcome == OutcomeKind::Fixed;
        if !is_fixed || row.bundle_digest.is_none() {
            has_unbundled |= is_chosen && is_fixed && row.pr_url.is_none();
            others.extend(is_chosen.then_some(row));
            continue;
        }
        let found = bundle_digest(&row).zip(folder_of.get(&row.name));
        let planned = plan_task(&row, options.as_pull_request);
        let (Some((digest, shard)), Some(task)) = (found, planned) else {
            listed.refused.extend(is_chosen.then_some(row.name));
            continue;
        };
        let folder = Path::new(shard).join(&row.name).join("bundle");
        // Another set of bundles is another publication.
        all.extend([row.key.as_str(), " ", &digest.to_string(), "\n"]);
        bundles.insert(row.name.clone(), TaskBundle { folder, digest });
        tasks.push(task);
        listed.rows.extend(is_chosen.then_some(row));
    }
    if listed.rows.is_empty() && listed.refused.is_empty() {
        if has_unbundled {
            let folder = options.folders.first().cloned().unwrap_or_default();
            return Err(BatchError::NoBundle { folder });
        }
        listed.nothing = Some(describe_others(&others));
    }
    Ok(FoundBundles { tasks, bundles, digest: Sha256::of(all.as_bytes()), listed, names })
}

/// Returns how tasks without a bundle ended, in counts.
fn describe_others(rows: &[TaskRow]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        let is_open = row.outcome == OutcomeKind::Fixed && row.pr_url.is_some();
        let words = if is_open { "with a pull request already" } else { row.outcome.words() };
        *counts.entry(words).or_default() += 1;
    }
    let parts: Vec<String> =
        counts.iter().map(|(words, count)| format!("{count} {words}")).collect();
    if parts.is_empty() { "the batch has done no task".to_owned() } else { parts.join(", ") }
}

/// Returns the digest of the bundle of a task that ended with a fix.
fn bundle_digest(row: &TaskRow) -> Option<Sha256> {
    let digest = row.bundle_digest.as_deref().filter(|_| row.outcome == OutcomeKind::Fixed);
    digest.and_then(Sha256::parse)
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
