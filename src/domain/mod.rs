//! The types that all modules share: plain values without behavior of their own.

pub mod action;
pub mod code;
pub mod digest;
pub mod edit;
pub mod event;
pub mod failure;
pub mod failure_class;
pub mod fingerprint;
pub mod goal;
pub mod hunk;
pub mod id;
mod identity;
pub mod location;
pub mod outcome;
pub mod plan;
pub mod repo_path;
pub mod reported_fix;
pub mod usage;

pub use action::{Action, ActionSet, Kind, Op, Version};
pub use code::{ErrorCode, Stage};
pub use digest::Sha256;
pub use edit::{Edit, EditOp};
pub use event::{Event, EventName, EventSink, NoEvents};
pub use failure::{Failure, FailureKind, FailureReport, Severity};
pub use failure_class::{Evidence, FailureClass, Triage};
pub use fingerprint::Fingerprint;
pub use goal::{Goal, Mode};
pub use id::{RunId, TraceId};
pub use identity::normalize_identity;
pub use location::Location;
pub use outcome::{ExitCode, Outcome, OutcomeKind};
pub use plan::{ContextRequest, Plan};
pub use repo_path::{PathFault, RepoPath};
pub use reported_fix::{ColumnUnit, Region, ReportedChange, ReportedFix};
pub use usage::{Cost, Usage};
