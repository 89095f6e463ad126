//! The fixes that need no model: what the project's own tools suggest, and what their errors leave no doubt about.
//!
//! [`Quickfix::propose`] takes a failure report and a read-only view of the repository and returns a
//! [`Proposal`]: whole new texts of files with the digests of their bases, and hints for what has no
//! safe fix. The user's command proves the change, as with a model's.
//!
//! A source is a tool and has a folder of its own; it returns findings.

mod cc;
mod checked_invocation;
mod diagnostic_context;
mod findings;
mod fix_batches;
mod format;
mod golang;
mod import_cycles;
mod java;
mod known_names;
mod land;
mod line_index;
mod linters;
mod messages;
mod misspelling;
mod module_path;
mod node;
mod packages;
mod php;
mod proposal;
mod python;
mod ruby;
mod rustc;
mod sources;
mod stage;
mod tool_context;
mod tool_table;
mod tsc;

#[cfg(test)]
pub(crate) mod tests;

pub use fix_batches::FixBatches;
pub use format::Formatter;
pub use known_names::IndexSource;
pub use proposal::{FileFix, Proposal};
pub use python::declared_packages;
pub use stage::{KnownChanges, Quickfix};
pub use tool_context::{Interrupted, QuickfixConfig};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
