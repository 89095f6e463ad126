//! `papayu-batch worker`: does tasks from a queue until it is empty, or somebody says stop.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use std::time::Duration;

use super::begin::lock;
use super::desk::Desk;
use super::leave::leave;
use super::queue::{open, warn_of_loss};
use super::run::{absolute, journal_of, shared};
use super::watch::Watch;
use crate::batch::Row;
use crate::batch::journal::{Journal, Past};
use crate::batch::ledger::{Ended, Ledger, with_next};
use crate::batch::plan::{BatchLimits, Stop};
use crate::batch::queue::{Begun, Queue, QueueError, WorkError, Worked, Worker, work};
use crate::batch::summary::Summary;
use crate::cli::args::{GlobalArgs, WorkerArgs};
use crate::cli::{CliError, Output};
use crate::domain::{ExitCode, OutcomeKind, Sha256};
use crate::fix::FixError;
use crate::fix::handover::variable;

/// How often a worker looks whether there is a batch by now.
const NAP: Duration = Duration::from_secs(1);

/// Works at one batch after the other.
pub(in crate::cli) fn worker(
    global: &GlobalArgs,
    args: &WorkerArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let desk = Desk::open(global, args.flags())?;
    let queue = open(&desk)?;
    let root = desk.session.tree.root();
    let default = || root.join(".papa-yu/worker");
    let out = absolute(&desk.session.settings.out_dir.resolved(root).unwrap_or_else(default))?;
    let _lock = lock(&desk, &out)?;
    warn_of_loss(&queue)?;
    queue.begun()?;
    loop {
        let Some(begun) = wait_for_batch(args, &desk, &queue)? else {
            return Ok(ExitCode::Interrupted);
        };
        let (journal, past) = written_down(&desk, &begun, &out)?;
        let started_at = Some(past.started_at.clone()).filter(|at| !at.is_empty());
        let started_at = started_at.unwrap_or_else(|| desk.outside.started.clone());
        let (worked, rows) = worked(args, &desk, (&begun, &out), (journal, past))?;
        let goes_on = worked.other && worked.error.is_none();
        let code = ended(&desk, (begun, started_at), &out, (worked, rows), output)?;
        if !goes_on {
            return Ok(code);
        }
    }
}

/// Returns the batch that the queue holds; nothing where a signal ended the waiting for one.
fn wait_for_batch(
    args: &WorkerArgs,
    desk: &Desk,
    queue: &Queue<'_>,
) -> Result<Option<Begun>, CliError> {
    let clock = desk.outside.system().clock;
    let mut has_said = false;
    loop {
        let why = match queue.begun() {
            Ok(Some(begun)) => return Ok(Some(begun)),
            Ok(None) if args.until_empty => return Err(QueueError::NeverFilled.into()),
            Ok(None) => "nothing was put into the queue yet".to_owned(),
            // It has answered before.
            Err(error) if error.passes() => error.to_string(),
            Err(error) => return Err(error.into()),
        };
        if !has_said {
            has_said = true;
            Output::words(&format!("{why}; waiting\n"));
        }
        if !clock.sleep(NAP) {
            return Ok(None);
        }
    }
}

/// Goes on with the journal of this batch, or begins one where none is unfinished.
fn written_down<'a>(
    desk: &'a Desk,
    begun: &Begun,
    out: &Path,
) -> Result<(Journal<'a>, Past), CliError> {
    let (path, disk) = (journal_of(out), &desk.session.disk);
    let past =
        Past::read(disk, &path).map_err(|source| FixError::Read { path: path.clone(), source })?;
    let journal = match &past.manifest {
        Some(known) if *known == begun.manifest => {
            let journal = Journal::go_on(disk, &path, &past);
            return Ok((journal.map_err(|source| FixError::Write { path, source })?, past));
        }
        Some(_) if !past.complete => {
            return Err(CliError::OtherManifest { folder: out.to_owned() });
        }
        _ => begin(desk, begun, &path),
    };
    Ok((journal?, Past::default()))
}

fn begin<'a>(desk: &'a Desk, begun: &Begun, path: &Path) -> Result<Journal<'a>, CliError> {
    let digest = Sha256::parse(&begun.manifest);
    let digest = digest.ok_or(QueueError::Damaged("the manifest's digest is none".to_owned()))?;
    let disk = &desk.session.disk;
    let journal = Journal::begin(disk, path, (&digest, &BTreeMap::new()), &desk.outside.started);
    Ok(journal.map_err(|source| FixError::Write { path: path.to_owned(), source })?)
}

fn worked(
    args: &WorkerArgs,
    desk: &Desk,
    (begun, out): (&Begun, &Path),
    (journal, past): (Journal<'_>, Past),
) -> Result<(Worked, io::Result<Ledger>), CliError> {
    let settings = &desk.session.settings;
    // Paths of jobs are absolute; their branches come with them.
    let nothing = (out.to_owned(), std::iter::empty());
    let system = desk.outside.system();
    let staying = || settings.run_emit.value.iter().find_map(|emit| emit.staying());
    let staying = (!args.change.emit.is_empty()).then(staying);
    let worker = Worker {
        shared: shared(args.task_flags(), desk, nothing, out)?,
        queue: open(desk)?,
        pulse: open(desk)?,
        manifest: begun.manifest.clone(),
        name: name(desk),
        lease: Duration::from_secs(settings.queue_lease_sec.value),
        max_tries: u32::try_from(settings.queue_max_tries.value).unwrap_or(u32::MAX),
        jobs: usize::try_from(settings.batch_jobs.value).unwrap_or(1),
        until_empty: args.until_empty,
        staying: staying.flatten(),
        limits: BatchLimits {
            max_cost: args.budget.max_cost,
            max_tokens: args.budget.max_tokens,
            max_requests: args.budget.max_requests,
            max_time: args.budget.max_time.map(Duration::from_secs),
            ..BatchLimits::default()
        },
        spent: past.spent,
        journal,
        system,
    };
    let masker = desk.outside.masker.clone();
    let watch = Watch::new(args.way.progress.as_deref(), 0, masker.clone());
    let say = |text: &str| Output::warning(&masker.mask(text));
    let mut worked = work(&worker, &watch, &say);
    let before = past.rows.into_iter().map(|(key, row)| (key, Ended::Written(row)));
    let mut rows: HashMap<Sha256, Ended> = before.collect();
    rows.extend(std::mem::take(&mut worked.rows));
    let ledger = worker.journal.open(rows.into_values().collect());
    Ok((worked, ledger.and_then(Ledger::by_name)))
}

/// Returns a name that no other worker has and that says to people where it is.
fn name(desk: &Desk) -> String {
    let host = variable(&desk.session, "HOSTNAME").unwrap_or_default();
    let fits = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
    let host: String = host.chars().filter(fits).take(60).collect();
    let host = if host.is_empty() { "worker".to_owned() } else { host };
    let id = desk.outside.system().clock.fresh_id();
    format!("{host}-{id}")
}

/// Leaves the summary of what was done here, whatever ended it.
fn ended(
    desk: &Desk,
    (begun, started_at): (Begun, String),
    out: &Path,
    (worked, rows): (Worked, io::Result<Ledger>),
    output: &Output,
) -> Result<ExitCode, CliError> {
    let Worked { spent, stop, error, .. } = worked;
    let next = "`papayu-batch queue report` has what every worker did";
    let fault = |source| FixError::Write { path: journal_of(out), source: with_next(source, next) };
    let own = |error| match error {
        WorkError::Queue(error) => CliError::from(error),
        WorkError::Disk(source) => fault(source).into(),
    };
    let rows = match rows {
        Ok(rows) => rows,
        // What ended the worker says more than what it could not read then.
        Err(source) => return Err(error.map_or_else(|| fault(source).into(), own)),
    };
    let ended_at = desk.outside.system().clock.timestamp();
    // What was not begun here is in the queue, for others.
    let stopped: (Option<&Stop>, usize) = (stop.as_ref(), 0);
    let times = (started_at, ended_at);
    let spent = (spent, desk.http.down());
    let mut summary = Summary::new(begun.manifest, times, &rows, stopped, spent).map_err(fault)?;
    if let Some(error) = &error {
        summary.stopped = Some(error.to_string());
        summary.outcome = match error {
            WorkError::Queue(error) => error.code().row().outcome,
            WorkError::Disk(_) => OutcomeKind::NotFixed,
        };
        summary.exit_code = summary.outcome.exit_code().number();
    }
    let results = |row: &Row| Some(row.name.clone());
    let masker = &desk.outside.masker;
    let code = leave((&desk.session, masker), out, summary, &results, output)?;
    error.map_or(Ok(code), |error| Err(own(error)))
}
