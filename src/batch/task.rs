//! Runs one task of a batch: from its repository to its outcome.

use std::any::Any;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use super::clones::{CloneContext, Clones};
use super::expand::{PlannedTask, RepositoryOrigin};
use super::finding_tasks::find_finding;
use super::manifest::TaskBudget;
use super::plan::BudgetLeft;
use crate::emit;
use crate::fix::ci_environment::describes_job;
use crate::fix::{FixError, FixReport, FixRequest, Input, LogSource, SessionSource, fix_through};
use crate::publish::PublishError;
use crate::settings::FlagValue;
use papayu_base::domain::{Goal, HostToken, NoEvents, Outcome, OutcomeKind, RunId};
use papayu_base::text::Masker;
use papayu_logs::findings::Finding;
use papayu_system::{Disk, Http, System, find_top};

/// Variables that describe the CI job of the batch itself, not the repositories of its tasks.
const JOB_VARIABLES: [&str; 12] = [
    "GITHUB_REPOSITORY", "PAPAYU_GITHUB_REPOSITORY", "PAPAYU_FORGE_REPOSITORY", "GITHUB_REF",
    "GITHUB_REF_TYPE", "GITHUB_SHA", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "PAPAYU_OUT",
    "PAPAYU_OUT_JUNIT", "PAPAYU_OUT_SARIF", "PAPAYU_TRACE_DIR",
];

/// Longest `outcome.json` read.
const MAX_OUTCOME: u64 = 64 * 1024 * 1024;

/// The environment that all tasks of a batch share.
pub(super) struct WorkerShared {
    /// Values of the command line, which override the manifest.
    pub(super) flags: Vec<FlagValue>,
    /// A settings file read in place of the repository's and the user's.
    pub(super) config: Option<PathBuf>,
    /// The user's environment.
    pub(super) environment: Vec<(String, String)>,
    /// Weaknesses of this process that every outcome states.
    pub(super) notices: Vec<String>,
    /// The budget of a task without one of its own.
    pub(super) limits: TaskBudget,
    /// The folder that paths of the manifest are relative to.
    pub(super) manifest_folder: PathBuf,
    /// The folder of results.
    pub(super) out: PathBuf,
    /// Set when a signal asks the batch to stop.
    pub(super) interrupted: Arc<AtomicBool>,
    /// The HTTP client of all requests.
    pub(super) http: Arc<dyn Http>,
    /// The cache of clones.
    pub(super) clones: Clones,
    /// Hides secrets.
    pub(super) masker: Arc<Masker>,
    /// The forge's token with the only host that it may be sent to.
    pub(super) token: Option<HostToken>,
    /// The folders of all tasks without a clone; the commands of one do not see the others.
    pub(super) repositories: Arc<BTreeSet<OsString>>,
    /// Locks of the folders that tasks change in place.
    pub(super) folders: FolderLocks,
}

/// A task with the finding that it fixes, if it is about one, and its budget.
struct Assigned<'a> {
    planned: &'a PlannedTask,
    finding: Option<Finding>,
    left: BudgetLeft,
}

/// Locks kept before the unused ones are dropped.
const MAX_LOCKS: usize = 64;

/// One lock for each repository, so that two tasks in it run one after the other.
#[derive(Default)]
pub(super) struct FolderLocks(Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>);

impl FolderLocks {
    /// Returns the lock of a folder. Tasks in one folder run one after another, since they change
    /// the same files.
    fn get(&self, disk: &dyn Disk, folder: &Path) -> Arc<Mutex<()>> {
        // A folder has several paths, so its resolved path is the key; the task itself reports one that cannot be
        // opened.
        let tree = disk.open_tree(folder);
        // Folders of one repository share its journals, and a command in one may write to another.
        let folder = tree.as_ref().map_or(folder, |tree| find_top(tree.as_ref()).root());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A worker of a queue may see any number of folders.
        if all.len() >= MAX_LOCKS {
            all.retain(|_, lock| Arc::strong_count(lock) > 1);
        }
        all.entry(folder.to_owned()).or_default().clone()
    }
}

impl WorkerShared {
    /// Returns the user's environment without the variables of the batch's own CI job.
    pub(super) fn task_environment(environment: &[(String, String)]) -> Vec<(String, String)> {
        let is_kept = |name: &str| !JOB_VARIABLES.contains(&name) && !describes_job(name);
        environment.iter().filter(|(name, _)| is_kept(name)).cloned().collect()
    }

    /// Runs a task and writes its results. The id of an interrupted run continues what that run delivered. A panic
    /// becomes the outcome of its task, so that other tasks are not affected.
    pub(super) fn run_task(
        &self,
        id: &RunId,
        system: System<'_>,
        planned: &PlannedTask,
        left: BudgetLeft,
    ) -> Outcome {
        // The shared state is behind locks that survive a panic.
        let run = AssertUnwindSafe(|| self.run_in_repository(id, system, planned, left));
        catch_unwind(run).unwrap_or_else(|panic| {
            let mut outcome =
                Outcome::new(id.clone(), OutcomeKind::Internal, panic_message(&*panic));
            outcome.hint = Some("please report this as a bug".to_owned());
            self.write_outcome(system, &planned.name(), &mut outcome);
            outcome
        })
    }

    /// Returns the outcome that a run left in the folder of results; `None` where the run did not end.
    pub(super) fn read_outcome(&self, disk: &dyn Disk, name: &str, run: &RunId) -> Option<Outcome> {
        let file = disk.open(&self.out.join(name).join("outcome.json")).ok()?;
        let outcome: Outcome = serde_json::from_reader(file.take(MAX_OUTCOME)).ok()?;
        // A run that was interrupted is done again.
        let is_its_end = outcome.outcome != OutcomeKind::Interrupted && outcome.run_id == *run;
        is_its_end.then_some(outcome)
    }

    /// Prepares the repository of a task and runs the task in it.
    fn run_in_repository(
        &self,
        id: &RunId,
        system: System<'_>,
        planned: &PlannedTask,
        left: BudgetLeft,
    ) -> Outcome {
        let name = planned.name();
        let out = self.out.join(&*name);
        let finding = find_finding(planned, system, &self.manifest_folder);
        let assigned = finding.map(|finding| Assigned { planned, finding, left });
        let fixed = match (&planned.origin, assigned) {
            (_, Err(error)) => FixReport::failed_to_start(id.clone(), error, out.clone()),
            (RepositoryOrigin::Folder(path), Ok(assigned)) => {
                let folder = self.manifest_folder.join(&**path);
                let lock = self.folders.get(system.disk, &folder);
                let _lock = lock.lock().unwrap_or_else(PoisonError::into_inner);
                self.run_fix(id, assigned, folder)
            }
            (RepositoryOrigin::Address(address), Ok(assigned)) => {
                let context = CloneContext {
                    system,
                    environment: &self.environment,
                    masker: &self.masker,
                    token: self.token.as_ref(),
                };
                let branch = planned.options.branch.as_deref();
                match self.clones.checkout(context, address, branch, &name) {
                    Ok(checkout) => self.run_fix(id, assigned, checkout.path.clone()),
                    Err(error) => {
                        let error = FixError::Publish(PublishError::Git(error));
                        FixReport::failed_to_start(id.clone(), error, out.clone())
                    }
                }
            }
        };
        let is_written = fixed.outcome_written;
        let mut outcome = fixed.outcome;
        if !is_written {
            outcome.reason = self.masker.mask(&outcome.reason).into_owned();
            self.write_outcome(system, &name, &mut outcome);
        }
        outcome
    }

    /// Writes `outcome.json` for a task if its run did not; an error is appended to the reason.
    pub(super) fn write_outcome(&self, system: System<'_>, name: &str, outcome: &mut Outcome) {
        outcome.started_at = system.clock.timestamp();
        let results = emit::Results::default();
        if let Err(error) =
            emit::write_results(system.disk, &self.out.join(name), outcome, &results, &self.masker)
        {
            outcome.reason = format!("{}; {error}", outcome.reason);
        }
    }

    /// Runs the fix of a task. A panic becomes the result of the task, so that the others go on.
    fn run_fix(&self, id: &RunId, assigned: Assigned<'_>, repo: PathBuf) -> FixReport {
        let Assigned { planned, finding, left } = assigned;
        let temporary = matches!(planned.origin, RepositoryOrigin::Address(_));
        let logs = planned.options.log.iter().map(|log| {
            let log = log.replace("{name}", &planned.name());
            LogSource::File(self.manifest_folder.join(log))
        });
        let goal = planned.options.goal.as_deref().map(Goal::parse);
        // A folder of results or clones that contains the repository cannot be hidden from it.
        let own = [self.clones.folder(), &self.out].into_iter();
        let hidden = own.filter(|folder| temporary || !repo.starts_with(folder));
        let hidden = hidden.map(Path::to_owned).collect();
        let place = SessionSource {
            repo,
            temporary,
            config: self.config.clone(),
            environment: self.environment.clone(),
            flags: self.flags_of(planned, left),
            notices: self.notices.clone(),
            hidden,
            neighbours: self.repositories.clone(),
        };
        let input = Input { goal, logs: logs.collect(), finding, ..Input::default() };
        let interrupted = self.interrupted.clone();
        let request = FixRequest { id: Some(id.clone()), place, input, interrupted };
        fix_through(request, &NoEvents, self.http.clone())
    }

    /// Returns the task's settings: the command line's, and of the manifest what that does not say.
    fn flags_of(&self, planned: &PlannedTask, left: BudgetLeft) -> Vec<FlagValue> {
        let options = &planned.options;
        let own = options.limits;
        let out = self.out.join(&*planned.name());
        let list = |list: &Option<Vec<String>>| list.as_ref().map(|all| all.join(","));
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let whole = |own: Option<u64>, shared: Option<u64>, left: Option<u64>| {
            // 0 is no limit; the remaining budget of the batch still counts.
            let limit = own.or(shared).filter(|limit| *limit > 0);
            number(limit.into_iter().chain(left).min())
        };
        let cost = own.max_cost.or(self.limits.max_cost).filter(|cost| *cost > 0.0);
        let cost = cost.into_iter().chain(left.cost).reduce(f64::min);
        let entries = [
            ("run.command", options.run.clone()),
            ("run.setup", options.setup.as_ref().map(|all| all.join("\n"))),
            ("run.emit", list(&options.emit)),
            ("llm.provider", options.provider.clone()),
            ("llm.model", options.model.clone()),
            ("pr.labels", list(&options.labels)),
            ("pr.base", options.branch.clone()),
            ("run.timeout_sec", number(own.timeout_sec)),
            ("run.verify_timeout_sec", number(own.verify_timeout_sec)),
            ("budget.max_cost", cost.map(|cost| cost.to_string())),
            ("budget.max_tokens", whole(own.max_tokens, self.limits.max_tokens, left.tokens)),
            (
                "budget.max_requests",
                whole(own.max_requests, self.limits.max_requests, left.requests),
            ),
            ("out.dir", Some(out.display().to_string())),
            ("trace.dir", Some(out.join("traces").display().to_string())),
        ];
        // Flags of the command line win over the manifest.
        let mut flags = self.flags.clone();
        for (key, value) in entries {
            if let Some(value) =
                value.filter(|_| !self.flags.iter().any(|(known, ..)| *known == key))
            {
                flags.push((key, value, "MANIFEST"));
            }
        }
        flags
    }
}

/// Returns the message of a panic: a text in all panics of the standard macros.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
    format!("the program itself failed: {message}")
}
