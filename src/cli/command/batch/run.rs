//! Does a batch: selects, goes on or begins, runs, and leaves the summary.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::begin::{Begin, lock};
use super::desk::{Desk, addresses};
use super::leave::leave;
use super::matrix;
use super::watch::Watch;
use crate::batch::clones::Clones;
use crate::batch::journal::{Journal, Past};
use crate::batch::ledger::Ended;
use crate::batch::manifest::Limits;
use crate::batch::plan::{BatchLimits, Plan};
use crate::batch::pool::{self, Batch, Done};
use crate::batch::select::{Again, Names, Shard};
use crate::batch::summary::Summary;
use crate::batch::{Origin, Planned, Row, Shared, Turns};
use crate::cli::args::{BatchArgs, BatchCommand, GlobalArgs};
use crate::cli::{CliError, Output, Session};
use crate::domain::ExitCode;
use crate::fix::FixError;
use crate::fix::handover::{git_host, variable};
use crate::index::store;
use crate::settings::{Emit, FlagValue};

/// Does the batch, or prints its matrix.
pub(in crate::cli) fn run(
    global: &GlobalArgs,
    args: &BatchArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    if let Some(BatchCommand::Matrix { manifest, max, filter }) = &args.command {
        return matrix::run(global, manifest, *max, filter);
    }
    let path = args.manifest.clone().unwrap_or_default();
    let desk = Desk::open(global, args.flags())?;
    let read = desk.read(&path)?;
    let out = out_folder(&desk.session, &path)?;
    let lookup = |name: &str| variable(&desk.session, name);
    let shard =
        args.select.pick.shard.as_deref().map(|text| Shard::read(text, &lookup)).transpose()?;
    let begin = Begin::new(args, &read.digest, shard, &out);
    if args.select.dry_run {
        let ended = begin.past(&desk)?.by_number(&read.tasks);
        return foretold(args, &desk, (read.tasks, &ended, shard), output);
    }
    let _lock = lock(&desk, &out)?;
    let mut past = begin.past(&desk)?;
    let started_at = if past.started_at.is_empty() {
        desk.outside.started.clone()
    } else {
        past.started_at.clone()
    };
    let ended = past.by_number(&read.tasks);
    let tasks = selected(args, &desk.session, (read.tasks, &ended, shard))?;
    // Only now is anything of an earlier batch given up.
    let journal = begin.journal(&desk, &past)?;
    let (digest, folder) = (read.digest, read.folder);
    let watch =
        Watch::new(args.select.way.progress.as_deref(), tasks.len(), desk.outside.masker.clone());
    let done = done(args, &desk, (folder, tasks, shard), (journal, past, ended), (&out, &watch))?;
    drop(watch);
    let times = (started_at, desk.outside.system().clock.timestamp());
    let stopped = (done.stop.as_ref(), done.not_started);
    let spent = (done.spent, desk.http.down());
    let summary = Summary::new(digest.to_string(), times, &done.rows, stopped, spent);
    let summary = summary.map_err(|source| FixError::Write { path: journal_of(&out), source })?;
    let results = |row: &Row| Some(row.name.clone());
    leave((&desk.session, &desk.outside.masker), &out, summary, &results, output)
}

/// Returns where a batch writes down what it does.
pub(super) fn journal_of(out: &Path) -> PathBuf {
    out.join("journal.jsonl")
}

fn done(
    args: &BatchArgs,
    desk: &Desk,
    (folder, tasks, shard): (PathBuf, Vec<Planned>, Option<Shard>),
    (journal, past, ended): (Journal<'_>, Past, Vec<Option<Ended>>),
    (out, watch): (&Path, &Watch),
) -> Result<Done, CliError> {
    let settings = &desk.session.settings;
    let limits = BatchLimits {
        max_cost: args.budget.max_cost,
        max_tokens: args.budget.max_tokens,
        max_requests: args.budget.max_requests,
        max_time: args.budget.max_time.map(Duration::from_secs),
        pulls_per_hour: args.select.limit_prs,
        fail_fast: args.select.fail_fast,
    };
    let order = tasks.iter().enumerate().map(|(index, task)| (index, task.opens));
    let clock = desk.outside.system().clock;
    let opened = past.pulls_before(&clock.timestamp());
    let plan = Plan::new(order, limits, past.spent).after(opened, clock.elapsed());
    let batch = Batch {
        shared: shared(args.task_flags(), desk, (folder, addresses(&tasks)), out)?,
        tasks,
        shard,
        jobs: usize::try_from(settings.batch_jobs.value).unwrap_or(1),
        journal,
        past,
        ended,
        system: desk.outside.system(),
    };
    let fault = |source| FixError::Write { path: journal_of(out), source };
    Ok(pool::run(batch, plan, watch).map_err(fault)?)
}

/// Returns what the tasks of a batch share; `flags` are the settings that every one of them gets, `addresses`
/// those of tasks, each with the branch that it begins at.
pub(super) fn shared<'t>(
    flags: Vec<FlagValue>,
    desk: &Desk,
    (manifest_folder, addresses): (PathBuf, impl Iterator<Item = (&'t str, Option<&'t str>)>),
    out: &Path,
) -> Result<Shared, CliError> {
    let settings = &desk.session.settings;
    let root = desk.session.tree.root();
    let lookup = |name: &str| variable(&desk.session, name).map(Into::into);
    let cache = settings.batch_cache_dir.resolved(root);
    let default = || store::folder(root, &lookup).unwrap_or_else(|| out.to_owned()).join("clones");
    let cache = absolute(&cache.unwrap_or_else(default))?;
    let max_bytes = settings.batch_cache_max_mb.value.saturating_mul(1_000_000);
    let api = settings.github_api_url.value.clone().unwrap_or_default();
    Ok(Shared {
        flags,
        config: desk.config.clone(),
        environment: Shared::task_environment(&desk.session.environment),
        limits: Limits {
            max_cost: Some(settings.budget_max_cost.value),
            max_tokens: Some(settings.budget_max_tokens.value),
            max_requests: Some(settings.budget_max_requests.value),
            ..Limits::default()
        },
        clones: Clones::new(&cache, max_bytes, addresses),
        manifest_folder,
        out: out.to_owned(),
        interrupted: desk.interrupted.clone(),
        http: desk.http.clone(),
        folders: Turns::default(),
        masker: desk.outside.masker.clone(),
        token: (settings.github_token.value.clone(), git_host(&api)),
    })
}

/// Returns the tasks that this call is to do.
fn selected(
    args: &BatchArgs,
    session: &Session,
    (mut tasks, ended, shard): (Vec<Planned>, &[Option<Ended>], Option<Shard>),
) -> Result<Vec<Planned>, CliError> {
    let select = &args.select;
    let names = Names::read(&select.pick.filter)?;
    names.fit_some(&tasks)?;
    let again = if select.failed { Again::Failed } else { Again::Nothing };
    // In place: there may be many.
    tasks.retain(|task| {
        names.fit(&task.name())
            && shard.is_none_or(|shard| shard.holds(&task.key))
            && again.takes(ended.get(task.number as usize).and_then(Option::as_ref))
    });
    let by_flag = !args.change.emit.is_empty();
    let shared = session.settings.run_emit.value.contains(&Emit::Pr);
    let opens = |task: &Planned| match &task.wish.emit {
        Some(emit) if !by_flag => emit.iter().any(|word| word == "pr"),
        _ => shared,
    };
    tasks.truncate(select.pick.limit.unwrap_or(usize::MAX));
    for task in &mut tasks {
        task.opens = opens(task);
    }
    let staying = session.settings.run_emit.value.iter().find_map(|emit| emit.staying());
    let address = tasks.iter().find(|task| matches!(task.origin, Origin::Address(_)));
    if let (Some(emit), Some(task), true) = (staying, address, by_flag) {
        return Err(CliError::StaysInClone { emit, task: task.name().into_owned() });
    }
    Ok(tasks)
}

/// What `--dry-run` says of a task.
#[derive(Serialize)]
struct Foretold<'a> {
    branch: Option<&'a str>,
    emit: Option<&'a [String]>,
    goal: Option<&'a str>,
    log: Option<&'a str>,
    opens_pull_request: bool,
    repo: &'a str,
    run: Option<&'a str>,
    task: Cow<'a, str>,
}

#[derive(Serialize)]
struct AllForetold<'a> {
    all: usize,
    tasks: Vec<Foretold<'a>>,
}

impl<'a> Foretold<'a> {
    fn of(planned: &'a Planned) -> Self {
        let wish = &planned.wish;
        Self {
            branch: wish.branch.as_deref(),
            emit: wish.emit.as_deref(),
            goal: wish.goal.as_deref(),
            log: wish.log.as_deref(),
            opens_pull_request: planned.opens,
            repo: &planned.repo,
            run: wish.run.as_deref(),
            task: planned.name(),
        }
    }
}

/// Says what would be done.
fn foretold(
    args: &BatchArgs,
    desk: &Desk,
    (all, ended, shard): (Vec<Planned>, &[Option<Ended>], Option<Shard>),
    output: &Output,
) -> Result<ExitCode, CliError> {
    let count = all.len();
    let tasks = selected(args, &desk.session, (all, ended, shard))?;
    let rows: Vec<Foretold<'_>> = tasks.iter().map(Foretold::of).collect();
    let line = |row: &Foretold<'_>| {
        let what = row.run.or(row.goal).or(row.log).unwrap_or("as its settings say");
        format!("{}\t{}\t{what}\n", row.task, row.repo)
    };
    let lines: String = rows.iter().map(line).collect();
    let text = format!("{lines}{} of {} tasks would be done", tasks.len(), count);
    output.result(&text, &AllForetold { all: count, tasks: rows })?;
    Ok(ExitCode::Ok)
}

fn out_folder(session: &Session, manifest: &Path) -> Result<PathBuf, CliError> {
    let stem = manifest.file_stem().and_then(|stem| stem.to_str());
    let stem = stem.filter(|stem| *stem != "-").unwrap_or("batch");
    let root = session.tree.root();
    let default = || root.join(".papa-yu/batch").join(stem);
    absolute(&session.settings.out_dir.resolved(root).unwrap_or_else(default))
}

pub(super) fn absolute(path: &Path) -> Result<PathBuf, CliError> {
    let fault = |source| FixError::Read { path: path.to_owned(), source };
    Ok(std::path::absolute(path).map_err(fault)?)
}
