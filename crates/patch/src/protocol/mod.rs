//! Reads the replies of models: extracts JSON from any text, validates it, and decodes it into a
//! plan or a set of actions.
//!
//!
//! `docs/protocol.md` describes the actions and the codes for users. A reply passes [`extract`]
//! (find the JSON), [`schema`] (is it valid), [`decode`] (typed values) and
//! the gate `mode`; every fault is a [`refusal::Refusal`] with a code. [`wire_schema`] has the
//! forms
//! of the schemas that providers enforce while the model writes.
//! [`decode_plan`] and [`decode_actions`] read a reply, and no files. The module `vet` decides
//! which of the actions are allowed.

pub mod decode;
pub mod extract;
pub mod merge;
pub mod refusal;
pub mod schema;
pub mod wire_schema;

mod json_repair;
mod mode;
mod reply_form;
mod scan;
mod tool_calls;

pub use decode::{PlanReply, decode_actions, decode_form, decode_plan, decode_plan_reply};
pub use extract::Repairs;
pub use refusal::Refusal;
pub use reply_form::{
    Claim, Claims, ConversationSummary, Opinion, Remarks, ReplyForm, WebSummary, WrittenRecipe,
};
pub use tool_calls::{canonical_tool_name, tool_aliases};

/// Compiles the schema of a version, unless that is done: it takes milliseconds.
/// Called early, so that the first reply does not wait for it.
pub fn prepare(version: papayu_base::domain::Version) {
    schema::compiled_schema(version);
}
