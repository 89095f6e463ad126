//! What the model may say and what of it is allowed: a reply's text in, checked actions or a typed refusal out; no disk.
//!
//! [`decode_plan`] and [`decode_actions`] read a reply; [`screen`] runs the gates that need no file
//! and tells which paths to look up; [`check()`] runs the rest on what was found there. Only `check`
//! makes [`CheckedActions`], and only those can be previewed.

pub mod check;
pub mod decode;
pub mod extract;
pub mod facts;
pub mod policy;
pub mod refusal;
pub mod schema;
pub mod wire_schema;

mod gate;
mod mend;
mod order;
mod scan;

pub use check::{CheckedAction, CheckedActions, CheckedOp, Screened, check, screen};
pub use decode::{decode_actions, decode_plan};
pub use facts::{Fact, Facts};
pub use policy::{GlobFault, Globs, Policy};
pub use refusal::Refusal;

/// Makes what every reply is held against, if that has not been done yet: it takes milliseconds.
pub fn prepare(version: crate::domain::Version) {
    schema::compiled_schema(version);
    gate::prepare();
}

/// Tells whether a path is protected in every run: such a file is neither changed nor shown.
pub fn is_protected(path: &crate::domain::RepoPath) -> bool {
    gate::protected::is_protected(&path.identity())
}
