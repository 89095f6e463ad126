//! The zero-token provider: proposes the fixes that the project's own tools suggest, through the same protocol as any model.
//!
//! A source is a tool and lives in a folder of its own; it returns findings. What is
//! proposed is proved like any other change, by the user's command.

mod code;
mod desk;
mod findings;
mod format;
mod golang;
mod ground;
mod land;
mod linters;
mod lookup;
mod near;
mod offers;
mod page;
mod probe;
mod provider;
mod python;
mod reach;
mod reply;
mod ruler;
mod rustc;
mod sources;
mod tsc;

#[cfg(test)]
pub(crate) mod tests;

pub use lookup::{Definition, Import, Lookup};
pub use provider::{Suggestions, SuggestionsConfig};
