//! The inputs of a run, which no step changes, and what follows from them alone.

use std::collections::BTreeMap;
use std::time::Duration;

use super::fatal::Fatal;
use super::rules::{CommandCheck, RunRules, Seat};
use super::task::{EngineConfig, Task, World, find_second_model};
use crate::apply::TreeFacts;
use crate::changes::record_changes;
use crate::context::RepositoryIndex;
use crate::project::find_check_files;
use crate::verify;
use papayu_base::domain::event::Event;
use papayu_base::domain::goal::Route;
use papayu_base::domain::{
    ChangeRecord, ErrorCode, Failure, FailureClass, FailureReport, RepoPath, ReportedFinding,
    RunId, Sha256, Version,
};
use papayu_patch::prompts;
use papayu_vet::{Policy, Snapshot, VettedChange};

/// Most rounds of a free provider: tools that show one kind of error at a time need several.
const FREE_ROUNDS: u32 = 8;

/// The inputs of a run: environment, limits, task, and the rules of the table that follow from them.
pub(super) struct EngineInputs<'a> {
    pub(super) world: World<'a>,
    pub(super) config: &'a EngineConfig,
    pub(super) task: Task,
    pub(super) rules: RunRules,
    pub(super) id: RunId,
    /// The limits on a change, with the files that the command reads as its check.
    pub(super) policy: Policy,
    /// The files, as the gates look them up.
    facts: TreeFacts<'a>,
}

impl<'a> EngineInputs<'a> {
    pub(super) fn new(world: World<'a>, config: &'a EngineConfig, task: Task, id: RunId) -> Self {
        let rules = derive_rules(&world, config, &task);
        let command = task.check.as_ref().map(|check| check.command.as_str());
        let checks = command.map(|command| find_check_files(command, world.tree));
        let policy = Policy { checks: checks.unwrap_or_default(), ..config.policy.clone() };
        Self { world, config, task, rules, id, policy, facts: TreeFacts(world.tree) }
    }

    /// Emits an event of the run.
    pub(super) fn emit_event(&self, event: Event) {
        self.world.events.emit(event);
    }

    /// Returns milliseconds since the start of the run.
    pub(super) fn now_ms(&self) -> u64 {
        u64::try_from(self.world.system.clock.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the time that the run has left; zero after its time limit.
    pub(super) fn time_left(&self) -> Duration {
        self.config.budget.timeout.saturating_sub(self.world.system.clock.elapsed())
    }

    /// Returns the absolute path of the repository with a `/` at its end.
    pub(super) fn root_prefix(&self) -> String {
        self.world.tree.root().to_string_lossy().into_owned() + "/"
    }

    /// Returns what changed since the command last passed; `None` if that is not known.
    pub(super) fn record_changes(&self) -> Option<ChangeRecord> {
        let moved = self.task.log.as_ref().map_or(&[][..], |log| log.moved.as_slice());
        record_changes(self.task.changes.as_deref(), moved)
    }

    /// Returns the command that proves a fix, for messages.
    pub(super) fn command_name(&self) -> &str {
        self.task.check.as_ref().map_or("the command", |check| check.command.as_str())
    }

    /// Returns `true` if the run has the quickfix stage and no model.
    pub(super) fn has_only_tools(&self) -> bool {
        self.world.quickfix.is_some() && self.world.models.is_empty()
    }

    /// Returns the system message of a protocol: its rules, then the engineering memory.
    pub(super) fn system_message(&self, version: Version) -> String {
        let memory = self.task.background.memory.as_ref();
        let rules = prompts::system_prompt(version);
        memory.map_or_else(|| rules.to_owned(), |block| format!("{rules}\n{}", block.as_str()))
    }

    /// Returns what is known of the files; the caller knows why they cannot be read.
    ///
    /// Fails with [`Fatal`] (an internal error) if no earlier step read the files.
    pub(super) fn known_files(&self) -> Result<RepositoryIndex<'a>, Fatal> {
        let unread = || Fatal::bug("the repository's files could not be read");
        self.world.survey.known().ok_or_else(unread)
    }

    /// Returns the state of the repository that a change is vetted against; `shown` and `earlier` as in [`Snapshot`].
    pub(super) fn snapshot<'s>(
        &'s self,
        shown: &'s BTreeMap<RepoPath, Sha256>,
        earlier: Option<&'s VettedChange>,
    ) -> Snapshot<'s> {
        Snapshot { files: &self.facts, shown, earlier, masker: self.world.masker }
    }

    /// Checks the plan's base: an accepted plan is valid only for the files it has read.
    ///
    /// # Errors
    ///
    /// Returns [`Fatal`] with the code of a base mismatch if one of the files has changed.
    pub(super) fn check_plan_base(&self) -> Result<(), Fatal> {
        for (path, digest) in &self.task.reads {
            let bytes = self.world.tree.read(path, u64::MAX).ok();
            if bytes.is_none_or(|bytes| Sha256::of(&bytes) != *digest) {
                let code = ErrorCode::BaseMismatch;
                let reason = format!("{code}: `{path}` changed since the plan was made");
                let hint = "make a new plan";
                let fatal = Fatal::new(code.row().outcome, reason, hint);
                return Err(Fatal { code: Some(code), ..fatal });
            }
        }
        Ok(())
    }
}

/// Returns `true` if the log of the task shows a failure, or the cause of one. Findings of scanners are none of the command.
fn shows_failure(task: &Task) -> bool {
    let has_cause = task.log_triage.class != FailureClass::Unknown;
    let has_failed = |code: i32| code != 0;
    let is_finding = |failure: &Failure| ReportedFinding::is_scanner(&failure.toolchain);
    let is_scan =
        |log: &FailureReport| !log.failures.is_empty() && log.failures.iter().all(is_finding);
    task.log.as_ref().filter(|log| !is_scan(log)).is_some_and(|log| {
        has_cause || log.exit_code.is_some_and(has_failed) || verify::has_failure(log)
    })
}

/// Returns the rules of the table for this run.
fn derive_rules(world: &World<'_>, config: &EngineConfig, task: &Task) -> RunRules {
    let models = world.models.iter().map(|_| Seat::Model);
    let attempts: Vec<Seat> = if task.given.is_some() {
        let left = task.after_recipe.as_ref().filter(|_| !world.models.is_empty());
        let models = models.filter(|_| left.is_some());
        // The proved change of the recipe is taken alone if the models add nothing to it.
        let last = left.filter(|left| !left.is_empty()).map(|_| Seat::Given);
        [Seat::Given].into_iter().chain(models).chain(last).collect()
    } else {
        // A review changes nothing, so the tools have nothing to do.
        let quickfix = world.quickfix.filter(|_| task.route != Route::Review);
        let quickfix = quickfix.map(|_| Seat::Quickfix);
        // A rule for a failure is no help for a goal.
        let recipes =
            world.recipes.filter(|_| task.route == Route::PlanThenApply && task.goal.is_none());
        let again = recipes.filter(|stage| stage.has_gate() && !world.models.is_empty());
        let free = recipes.map(|_| Seat::Recipes).into_iter().chain(quickfix);
        let free = free.chain(again.map(|_| Seat::NewRecipes));
        free.chain(models).collect()
    };
    let first_model = attempts.iter().take_while(|seat| **seat != Seat::Model).count();
    let check = match &task.check {
        None => CommandCheck::None,
        Some(_) if task.goal.is_some() || task.given.is_some() => CommandCheck::Goal,
        // Without a failure in a log, the command is all that shows one.
        Some(check) if !shows_failure(task) && (check.by_user || task.log.is_none()) => {
            CommandCheck::Failure
        }
        Some(_) => CommandCheck::Log,
    };
    RunRules {
        route: task.route,
        version: config.version,
        fallback: config.fallback,
        direct: config.direct,
        rounds: config.max_rounds,
        flake_reruns: config.flake_reruns,
        control_run: config.control_run,
        fixes_flakes: config.prove_runs > 0,
        confirms: config.control_run || !task.guards.is_empty() || config.prove_runs > 0,
        judges: config.judges && !world.models.is_empty(),
        check,
        keeps_tree: config.keep_tree,
        attempts,
        second_model_from: find_second_model(world.models).map(|at| at + first_model),
        on_error: config.on_error,
        free_rounds: FREE_ROUNDS,
        researches: config.research.as_ref().is_some_and(|it| it.is_automatic),
        on_conflict: config.on_conflict,
    }
}
