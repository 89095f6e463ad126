//! What kind of project a repository holds, and what follows from that.

pub mod detect;
pub mod profile;

pub use detect::detect;
pub use profile::{Profile, ProjectKind};
