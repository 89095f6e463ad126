//! The words of every request, built from typed parts; pure.

mod user_message;

pub use user_message::{FailedAttempt, Refused, UserMessage, user_message};

use crate::domain::Version;

const SYSTEM_V1: &str = include_str!("templates/system_v1.md");
const SYSTEM_V2: &str = include_str!("templates/system_v2.md");
const SYSTEM_V3: &str = include_str!("templates/system_v3.md");

/// Returns the system message: the same in every request of a version, so that it can be cached.
pub fn system_prompt(version: Version) -> &'static str {
    match version {
        Version::V1 => SYSTEM_V1,
        Version::V2 => SYSTEM_V2,
        Version::V3 => SYSTEM_V3,
    }
}
