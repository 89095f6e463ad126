//! The zero-token provider: proposes the fixes that the project's own tools suggest, through the same protocol as any model.
//!
//! A source is a tool and lives in a folder of its own; it returns findings. What is
//! proposed is proved like any other change, by the user's command.

mod desk;
mod findings;
mod land;
mod linters;
mod offers;
mod probe;
mod provider;
mod reply;
mod ruler;
mod rustc;
mod sources;

#[cfg(test)]
mod tests;

pub use provider::{Suggestions, SuggestionsConfig};
