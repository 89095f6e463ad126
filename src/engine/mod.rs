//! The run itself: a pure table returns the next step, and the driver performs it.
//!
//! The order of calls; a change of policy belongs to [`state`], one of a step to its file:
//!
//! ```text
//! run() → drive::drive → loop: state::next returns a step, drive performs it and returns an event
//!   CheckBefore    checking::before → run_check::check      runs the command, reads the failures
//!   Quickfix, Ask  quickfix_step, request → landing::land   → vet::vet
//!   Commit         landing::commit → apply::commit
//!   CheckAfter     checking::after → confirm::confirm       → Settle or RollBack
//! ```

mod base;
mod checking;
mod compression;
mod confirm;
mod confirmation;
mod context_window;
mod conversation;
mod drive;
mod exchange;
mod finished;
mod finishing;
mod flake;
mod formatting;
mod gathering;
mod keep_step;
mod kept_changes;
mod landing;
mod memory_patch;
mod messages;
mod online;
mod online_record;
pub mod plan_file;
mod quickfix_step;
mod reports;
mod request;
mod restoration;
mod review;
pub mod rules;
mod run;
mod run_check;
mod shares;
mod shown_digests;
pub mod spend;
pub mod state;
mod step;
pub mod task;
mod tracing;
mod tracked_files;
mod triage_step;
mod world_facts;

pub use base::check_commit;
pub use context_window::ContextWindow;
pub use finished::Finished;
pub use task::{
    AttemptHistory, Background, Budget, CheckCommand, EngineConfig, FlaggedFix, GitState, Guard,
    GuardKind, MemoryPatch, Model, Survey, Task, TraceConfig, World,
};

use crate::domain::{OutcomeKind, RunId};

/// Runs a task to its end. On return the tree is either changed and proved, or restored, whatever
/// happened.
pub fn run(world: World<'_>, config: &EngineConfig, task: Task, id: RunId) -> Finished {
    let mut run = run::Run::new(world, config, task, id);
    let end = drive::drive(&mut run);
    let outcome = finishing::outcome(&run, end);
    let plan = finishing::plan_text(&run, &outcome);
    let partial = match run.kept.kept() {
        Some(kept) if outcome.outcome == OutcomeKind::NotFixed => {
            crate::patch::render::render(kept.whole())
        }
        _ => Vec::new(),
    };
    let mut failure = run.first_report.unwrap_or_else(|| run.report.clone());
    failure.place_below(&format!("{}/", run.world.tree.root().display()));
    let summary = run.world.masker.mask(&run.last_summary).into_owned();
    let (patch, change, log) = (run.patch, run.change, run.report.excerpt);
    let remembered = run.remembered;
    Finished { outcome, patch, partial, plan, log, failure, summary, change, remembered }
}
