//! One task of a batch from its repository to its row.

use std::any::Any;
use std::collections::HashMap;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use super::clones::{Clones, Hands};
use super::expand::{Origin, Planned};
use super::manifest::Limits;
use super::plan::Left;
use crate::domain::{Goal, NoEvents, Outcome, OutcomeKind, RunId};
use crate::emit;
use crate::fix::{FixError, FixRequest, Fixed, Input, LogSource, Place, fix_through};
use crate::publish::PublishError;
use crate::settings::FlagValue;
use crate::system::{Disk, Http, System};
use crate::text::Masker;

/// Variables that speak of the job the batch runs in, not of the repositories it works on.
const OF_THE_JOB: [&str; 14] = [
    "GITHUB_REPOSITORY",
    "PAPAYU_GITHUB_REPOSITORY",
    "GITHUB_HEAD_REF",
    "GITHUB_BASE_REF",
    "GITHUB_REF",
    "GITHUB_REF_NAME",
    "GITHUB_REF_TYPE",
    "GITHUB_SHA",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_OUTPUT",
    "PAPAYU_OUT",
    "PAPAYU_OUT_JUNIT",
    "PAPAYU_OUT_SARIF",
    "PAPAYU_TRACE_DIR",
];

/// Longest `outcome.json` read.
const MAX_OUTCOME: u64 = 64 * 1024 * 1024;

/// What every task of a batch shares.
pub struct Shared {
    /// Values of the command line: they win over the manifest.
    pub flags: Vec<FlagValue>,
    /// A settings file read in place of the repository's and the user's.
    pub config: Option<PathBuf>,
    /// The user's environment.
    pub environment: Vec<(String, String)>,
    /// What a task may spend that says nothing itself.
    pub limits: Limits,
    /// The folder that paths of the manifest begin at.
    pub manifest_folder: PathBuf,
    /// The folder of results.
    pub out: PathBuf,
    /// Set when a signal asks the batch to stop.
    pub interrupted: Arc<AtomicBool>,
    /// The door of every request.
    pub http: Arc<dyn Http>,
    /// The cache of clones.
    pub clones: Clones,
    /// Hides secrets.
    pub masker: Arc<Masker>,
    /// The forge's token, and the host it may go to.
    pub token: (Option<secrecy::SecretString>, String),
    /// Folders that are worked on in place: two tasks in one take turns.
    pub folders: Turns,
}

/// Folders that are remembered before those that nobody works in are forgotten.
const MOST_TURNS: usize = 64;

/// One turn a folder.
#[derive(Default)]
pub struct Turns(Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>);

impl Turns {
    fn of(&self, disk: &dyn Disk, folder: &Path) -> Arc<Mutex<()>> {
        // One folder has many names; one that cannot be opened is nobody's turn.
        let tree = disk.open_tree(folder);
        let folder = tree.as_ref().map_or(folder, |tree| tree.root());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_TURNS {
            all.retain(|_, turn| Arc::strong_count(turn) > 1);
        }
        all.entry(folder.to_owned()).or_default().clone()
    }
}

impl Shared {
    /// Returns the environment of a task: the user's, without what speaks of the job at hand.
    pub fn task_environment(environment: &[(String, String)]) -> Vec<(String, String)> {
        let stays = |name: &str| !OF_THE_JOB.contains(&name);
        environment.iter().filter(|(name, _)| stays(name)).cloned().collect()
    }

    /// Does a task as the run of that name and leaves its results; `system` is what clones are made with. The
    /// name of a run that was cut off goes on with what that one handed over. One task's bug is not another's: it
    /// is an outcome.
    pub(super) fn run_as(
        &self,
        id: &RunId,
        system: System<'_>,
        planned: &Planned,
        left: Left,
    ) -> Outcome {
        let run = AssertUnwindSafe(|| self.run(id, system, planned, left));
        catch_unwind(run).unwrap_or_else(|panic| {
            let mut outcome = Outcome::new(id.clone(), OutcomeKind::Internal, told(&*panic));
            outcome.hint = Some("please report this as a bug".to_owned());
            self.leave(system, &planned.name(), &mut outcome);
            outcome
        })
    }

    /// Returns how a run has ended that was killed before anybody else knew, as the folder of results says.
    pub(super) fn ended_before(&self, disk: &dyn Disk, name: &str, run: &RunId) -> Option<Outcome> {
        let file = disk.open(&self.out.join(name).join("outcome.json")).ok()?;
        let outcome: Outcome = serde_json::from_reader(file.take(MAX_OUTCOME)).ok()?;
        let is_its_end = outcome.outcome != OutcomeKind::Interrupted && outcome.run_id == *run;
        is_its_end.then_some(outcome)
    }

    fn run(&self, id: &RunId, system: System<'_>, planned: &Planned, left: Left) -> Outcome {
        let name = planned.name();
        let out = self.out.join(&*name);
        let fixed = match &planned.origin {
            Origin::Folder(path) => {
                let folder = self.manifest_folder.join(&**path);
                let turn = self.folders.of(system.disk, &folder);
                let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                self.fix(id, planned, folder, left)
            }
            Origin::Address(address) => {
                let hands = Hands {
                    system,
                    environment: &self.environment,
                    masker: &self.masker,
                    token: (self.token.0.as_ref(), &self.token.1),
                };
                let branch = planned.wish.branch.as_deref();
                match self.clones.checkout(hands, address, branch, &name) {
                    Ok(checkout) => self.fix(id, planned, checkout.path.clone(), left),
                    Err(error) => {
                        let error = FixError::Publish(PublishError::Git(error));
                        Fixed::unbegun(id.clone(), error, out.clone())
                    }
                }
            }
        };
        let told = fixed.told;
        let mut outcome = fixed.outcome;
        if !told {
            outcome.reason = self.masker.mask(&outcome.reason).into_owned();
            self.leave(system, &name, &mut outcome);
        }
        outcome
    }

    /// Writes `outcome.json` for a task whose run could not; that it cannot be written either stands in the
    /// reason.
    pub(super) fn leave(&self, system: System<'_>, name: &str, outcome: &mut Outcome) {
        outcome.started_at = system.clock.timestamp();
        let results = emit::Results { patch: &[], plan: None, log: "" };
        if let Err(error) = emit::write(system.disk, &self.out.join(name), outcome, &results) {
            outcome.reason = format!("{}; {error}", outcome.reason);
        }
    }

    fn fix(&self, id: &RunId, planned: &Planned, repo: PathBuf, left: Left) -> Fixed {
        let temporary = matches!(planned.origin, Origin::Address(_));
        let log = planned.wish.log.as_ref().map(|log| {
            let log = log.replace("{name}", &planned.name());
            LogSource::File(self.manifest_folder.join(log))
        });
        let goal = planned.wish.goal.as_deref().map(Goal::parse);
        let place = Place {
            repo,
            temporary,
            config: self.config.clone(),
            environment: self.environment.clone(),
            flags: self.flags_of(planned, left),
        };
        let input = Input { goal, log, ..Input::default() };
        let interrupted = self.interrupted.clone();
        let request = FixRequest { id: Some(id.clone()), place, input, interrupted };
        fix_through(request, &NoEvents, self.http.clone())
    }

    /// Returns the task's settings: the command line's, and of the manifest what that does not say.
    fn flags_of(&self, planned: &Planned, left: Left) -> Vec<FlagValue> {
        let wish = &planned.wish;
        let own = wish.limits;
        let out = self.out.join(&*planned.name());
        let list = |list: &Option<Vec<String>>| list.as_ref().map(|all| all.join(","));
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let whole = |own: Option<u64>, shared: Option<u64>, left: Option<u64>| {
            let limit = own.or(shared).filter(|limit| *limit > 0);
            number(limit.into_iter().chain(left).min())
        };
        let cost = own.max_cost.or(self.limits.max_cost).filter(|cost| *cost > 0.0);
        let cost = cost.into_iter().chain(left.cost).reduce(f64::min);
        let said = [
            ("run.command", wish.run.clone()),
            ("run.emit", list(&wish.emit)),
            ("llm.provider", wish.provider.clone()),
            ("llm.model", wish.model.clone()),
            ("pr.labels", list(&wish.labels)),
            ("pr.base", wish.branch.clone()),
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
        let mut flags = self.flags.clone();
        for (key, value) in said {
            if let Some(value) =
                value.filter(|_| !self.flags.iter().any(|(known, ..)| *known == key))
            {
                flags.push((key, value, "MANIFEST"));
            }
        }
        flags
    }
}

fn told(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
    format!("the program itself failed: {said}")
}
