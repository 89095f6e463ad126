//! Runs one task of a batch: from its repository to its outcome.

use std::any::Any;
use std::collections::HashMap;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::clones::{CloneContext, Clones};
use super::expand::{PlannedTask, RepositoryOrigin};
use super::finding_tasks::find_finding;
use super::manifest::TaskBudget;
use super::plan::BudgetLeft;
use super::slow_notice::SLOW;
use crate::emit;
use crate::fix::ci_environment::describes_job;
use crate::fix::fetched_recipes::FetchedRecipes;
use crate::fix::publication::{BundleRequest, publish_through};
use crate::fix::{FixError, FixReport, FixRequest, Input, LogSource, SessionSource, fix_through};
use crate::publish::PublishError;
use crate::recipes::RecipeGate;
use crate::settings::FlagValue;
use papayu_base::domain::{Goal, HostToken, NoEvents, Outcome, OutcomeKind, RunId, Sha256};
use papayu_base::text::Masker;
use papayu_logs::findings::Finding;
use papayu_system::os::OsClock;
use papayu_system::os::timed::TimedProcess;
use papayu_system::{Disk, Http, SharedSandbox, System, find_top};

/// Variables that describe the CI job of the batch itself, not the repositories of its tasks.
const JOB_VARIABLES: [&str; 12] = [
    "GITHUB_REPOSITORY", "PAPAYU_GITHUB_REPOSITORY", "PAPAYU_FORGE_REPOSITORY", "GITHUB_REF",
    "GITHUB_REF_TYPE", "GITHUB_SHA", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "PAPAYU_OUT",
    "PAPAYU_OUT_JUNIT", "PAPAYU_OUT_SARIF", "PAPAYU_TRACE_DIR",
];

/// Longest `outcome.json` read.
const MAX_OUTCOME: u64 = 64 * 1024 * 1024;

/// The work of a task in its repository.
pub(super) enum TaskWork {
    /// A fix is made.
    Fix,
    /// The fix of an earlier batch is published.
    Publish {
        /// The bundles, by the name of the task.
        bundles: HashMap<String, TaskBundle>,
        /// `true` for pull requests, `false` for branches.
        as_pull_request: bool,
    },
}

/// The bundle of a task, and the digest that its batch recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TaskBundle {
    pub(super) folder: PathBuf,
    pub(super) digest: Sha256,
}

/// The environment that all tasks of a batch share.
pub(super) struct WorkerShared {
    /// The work of each task.
    pub(super) work: TaskWork,
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
    /// The time limit of a task without one of its own.
    pub(super) timeout: Duration,
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
    /// The common part of all tasks' sandboxes: the commands of one do not see the folders of the others.
    pub(super) sandbox: Arc<SharedSandbox>,
    /// The folder of the recipes that tasks learn.
    pub(super) recipes: PathBuf,
    /// Makes tasks with the same failure wait for the recipe of one.
    pub(super) gate: Arc<RecipeGate>,
    /// The recipes of git repositories.
    pub(super) fetched: FetchedRecipes,
    /// Locks of the folders that tasks change in place.
    pub(super) folders: FolderLocks,
}

/// A task with the finding that it fixes, if it is about one, and its budget.
struct Assigned<'a> {
    planned: &'a PlannedTask,
    finding: Option<Finding>,
    left: BudgetLeft,
    /// The time that its clone left.
    time_left: Duration,
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
        // A server that never answers ends its own task only.
        let limit = self.timeout_of(planned);
        let clock = OsClock::new(self.interrupted.clone()).ending_at(limit);
        let limited = TimedProcess::new(system.process, clock.clone());
        let assigned = finding.map(|finding| Assigned { planned, finding, left, time_left: limit });
        let fixed = match (&planned.origin, assigned) {
            (_, Err(error)) => FixReport::failed_to_start(id.clone(), error, out.clone()),
            (RepositoryOrigin::Folder(path), Ok(assigned)) => {
                let folder = self.manifest_folder.join(&**path);
                let lock = self.folders.get(system.disk, &folder);
                let _lock = lock.lock().unwrap_or_else(PoisonError::into_inner);
                self.run_in_folder(id, assigned, folder)
            }
            (RepositoryOrigin::Address(address), Ok(assigned)) => {
                let context = CloneContext {
                    system: System { process: &limited, ..system },
                    environment: &self.environment,
                    masker: &self.masker,
                    token: self.token.as_ref(),
                };
                let branch = planned.options.branch.as_deref();
                match self.clones.checkout(context, address, branch, &name) {
                    Ok(checkout) => {
                        let assigned = Assigned { time_left: clock.limit(limit), ..assigned };
                        self.run_in_folder(id, assigned, checkout.path.clone())
                    }
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

    /// Returns the time limit of a task; that of the command line wins over that of the manifest.
    fn timeout_of(&self, planned: &PlannedTask) -> Duration {
        let is_flag = self.flags.iter().any(|(key, ..)| *key == "run.timeout_sec");
        let own = planned.options.limits.timeout_sec.filter(|_| !is_flag);
        own.map_or(self.timeout, Duration::from_secs)
    }

    /// Returns the notice about a publication that takes long; `None` for a fix.
    pub(super) fn waits_for(&self, planned: &PlannedTask) -> Option<String> {
        let TaskWork::Publish { .. } = self.work else { return None };
        let (most, slow) = (self.timeout_of(planned).as_secs(), SLOW.as_secs());
        let repo = self.masker.mask(&planned.repo);
        Some(format!(
            "`{}` is not published after {slow} s: it waits for the git server or the forge of `{repo}`, at most {most} s \
             (`--timeout`)",
            planned.name()
        ))
    }

    /// Returns the folder of a task's repository; `None` for a clone.
    pub(super) fn folder_of(&self, planned: &PlannedTask) -> Option<String> {
        let RepositoryOrigin::Folder(path) = &planned.origin else { return None };
        Some(self.manifest_folder.join(&**path).display().to_string())
    }

    /// Does the work of a task in the folder of its repository.
    fn run_in_folder(&self, id: &RunId, assigned: Assigned<'_>, repo: PathBuf) -> FixReport {
        let Assigned { planned, finding, left, time_left } = assigned;
        let place = self.session_source(planned, left, repo);
        let (id, interrupted) = (id.clone(), self.interrupted.clone());
        let TaskWork::Publish { bundles, as_pull_request } = &self.work else {
            let logs = planned.options.log.iter().map(|log| {
                let log = log.replace("{name}", &planned.name());
                LogSource::File(self.manifest_folder.join(log))
            });
            let goal = planned.options.goal.as_deref().map(Goal::parse);
            let input = Input { goal, logs: logs.collect(), finding, ..Input::default() };
            let gate = Some(self.gate.clone());
            let fetched = self.fetched.clone();
            let id = Some(id);
            let request = FixRequest { id, place, input, interrupted, gate, fetched };
            return fix_through(request, &NoEvents, self.http.clone());
        };
        let out = self.out.join(&*planned.name());
        let Some(TaskBundle { folder, digest }) = bundles.get(&*planned.name()).cloned() else {
            let missing = PublishError::Unreadable("the batch recorded none".to_owned());
            return FixReport::failed_to_start(id, FixError::Publish(missing), out);
        };
        let as_pull_request = *as_pull_request;
        let request = BundleRequest {
            id: id.clone(),
            place,
            folder,
            digest,
            as_pull_request,
            time_left,
            interrupted,
        };
        match publish_through(request, self.http.clone()) {
            Ok(outcome) => FixReport::of_outcome(outcome, out),
            Err(error) => FixReport::failed_to_start(id, error, out),
        }
    }

    /// Returns the repository of a task, and every source of its settings.
    fn session_source(
        &self,
        planned: &PlannedTask,
        left: BudgetLeft,
        repo: PathBuf,
    ) -> SessionSource {
        let temporary = matches!(planned.origin, RepositoryOrigin::Address(_));
        // A folder of results or clones that contains the repository cannot be hidden from it.
        let own = [self.clones.folder(), &self.out, &self.recipes].into_iter();
        let hidden = own.filter(|folder| temporary || !repo.starts_with(folder));
        let hidden = hidden.map(Path::to_owned).collect();
        SessionSource {
            repo,
            temporary,
            config: self.config.clone(),
            environment: self.environment.clone(),
            flags: self.flags_of(planned, left),
            notices: self.notices.clone(),
            hidden,
            sandbox: Some(self.sandbox.clone()),
        }
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
            ("recipes.dir", Some(self.recipes.display().to_string())),
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
