//! Reads the replies of models: JSON out of any text, held to a schema, decoded into a plan or a set of actions.
//!
//! [`decode_plan`] and [`decode_actions`] read a reply, and no disk. What an action may do is decided
//! in `vet`.

pub mod decode;
pub mod extract;
pub mod refusal;
pub mod schema;
pub mod wire_schema;

mod mend;
mod mode;
mod scan;

pub use decode::{decode_actions, decode_plan};
pub use refusal::Refusal;

/// Compiles the schema of a version, unless that is done: it takes milliseconds.
pub fn prepare(version: crate::domain::Version) {
    schema::compiled_schema(version);
}
