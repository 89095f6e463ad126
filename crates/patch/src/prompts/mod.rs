//! The words of every request, built from typed parts; pure.
//!
//! A request has three parts: [`system_prompt`] (fixed for a protocol version, so that
//! providers
//! cache it), the repository's text from the module `context`, and [`user_message()`], which
//! changes
//! with every request. A rule of the protocol belongs into `templates/`, a fact of the run into
//! [`UserMessage`].

mod aggregation;
mod failed_attempt;
mod judge;
mod other_forms;
mod user_message;

pub use aggregation::{OtherReply, aggregation_message};
pub use failed_attempt::{AttemptEnd, FailedAttempt};
pub use judge::{JUDGE_SYSTEM, JudgedPart, MAX_JUDGE_CHARS, judge_again_message, judge_message};
pub use other_forms::{
    CONVERSATION_SUMMARY_MESSAGE, RECIPE_SYSTEM, WEB_SUMMARY_SYSTEM, recipe_message,
    review_message, self_check_message, web_summary_message,
};
pub use user_message::{OtherFault, Refused, UserMessage, user_message};

use papayu_base::domain::Version;

// Part of the binary: a run needs no files of its own.
const SYSTEM_V1: &str = include_str!("templates/system_v1.md");
const SYSTEM_V2: &str = include_str!("templates/system_v2.md");
const SYSTEM_V3: &str = include_str!("templates/system_v3.md");

/// Returns the system message: the same in every request of a version, so that it can be cached.
/// A changed byte of it makes every provider's cache useless once.
pub fn system_prompt(version: Version) -> &'static str {
    match version {
        Version::V1 => SYSTEM_V1,
        Version::V2 => SYSTEM_V2,
        Version::V3 => SYSTEM_V3,
    }
}
