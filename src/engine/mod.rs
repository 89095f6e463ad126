//! The run itself: a pure table returns the next step, and the driver performs it.
//!
//! The order of calls; a change of policy belongs to [`state`], one of a step to its file:
//! ```text
//! run() → drive::drive → loop: state::next returns a step, drive performs it and returns an event
//!   CheckBefore    checking::before → run_check::check      runs the command, reads the failures
//!   Recipes, Quickfix, Ask  recipe_step, quickfix_step, request → landing::land → vet::vet
//!   Commit         landing::commit → apply::commit
//!   CheckAfter     checking::after → confirm::confirm       → Judge or RollBack
//!   Judge          judge::judge_change                      → Settle or RollBack
//! ```
//!
//! The inputs of a run are `EngineInputs`, which no step changes. Its state is `Run`, with one part for each stage; a
//! function takes the parts that it needs, and `Run` only if it needs several.

mod all_faults;
mod assume;
mod attempts;
mod base;
mod bisect;
mod blame;
mod change_state;
mod check_log;
mod checking;
mod citations;
mod closing;
mod closing_record;
mod code_review;
mod compression;
mod confirm;
mod context_window;
mod conversation;
mod costs;
mod culprit;
mod dialogue;
mod drive;
mod end_text;
mod engine_inputs;
mod exchange;
mod failure_places;
mod fatal;
mod finishing;
mod flake;
mod formatting;
mod gathered_context;
mod judge;
mod judge_packet;
mod judged_code;
mod kept_changes;
mod known_failure;
mod landing;
mod learn_step;
mod left_out;
mod messages;
mod model_request;
mod online;
pub mod plan_file;
mod proof_doubts;
mod quickfix_step;
mod recipe_step;
mod reply_checks;
mod reply_numbers;
mod reports;
mod request;
mod research_step;
mod review;
pub mod rules;
mod run;
mod run_check;
mod self_check;
mod sending;
mod setup;
pub mod spend;
pub mod state;
mod step;
pub mod task;
mod tracing;
mod tracked_files;
mod triage_step;
mod web_summary;
mod world_facts;

pub use base::check_commit;
pub use context_window::ContextWindow;
pub use finishing::Finished;
pub use task::{
    AttemptHistory, Background, Budget, CheckCommand, EngineConfig, FilesSurvey, FlaggedFix,
    GitState, Guard, GuardKind, MemoryPatch, Model, SetupPlan, SetupStep, Task, TraceConfig, World,
};
pub use web_summary::{read_summary, summary_request};

use papayu_base::domain::RunId;

/// Runs a task to its end. On return the tree is either changed and proved, or restored.
pub fn run(world: World<'_>, config: &EngineConfig, task: Task, id: RunId) -> Finished {
    let inputs = engine_inputs::EngineInputs::new(world, config, task, id);
    let mut run = run::Run::new(&inputs);
    let end = drive::drive(&mut run);
    finishing::finish(run, end)
}
