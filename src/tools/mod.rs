//! The tools that models, shells and MCP clients call, and one registry.
//!
//! A tool is a type that implements [`Tool`]: its parameters and its output are types from which the JSON
//! schemas are derived. [`call_tool`] checks the parameters, runs the tool and masks the answer. Reading
//! tools show no file with secrets. Editing tools pass [`vet`](mod@papayu_vet) and the transaction of
//! [`apply`](crate::apply). Commands are on an allow-list and run without a shell.
//!
//! To add a tool, implement the trait and add a row to `registry.rs`.

mod answer;
mod command;
mod edit;
mod error;
mod reading;
mod registry;
mod request;
mod text_filter;
mod tool;
mod workspace;

mod find_definition;
mod find_references;
mod get_complexity;
mod get_dependencies;
mod get_dependents;
mod get_function;
mod get_lines;
mod get_structure;
mod get_todos;
mod git_commit;
mod git_diff;
mod git_status;
mod graph;
mod read;
mod run_tests;
mod search_code;
mod symbol;
mod test_runner;
mod verify;

#[cfg(test)]
mod tests;

pub use answer::{ToolAnswer, TypedAnswer};
pub use error::ToolError;
pub(crate) use get_structure::describe_link;
pub use git_diff::shorten_diff;
pub use registry::{COMPOSED, SINGLE, call_tool, find_tool};
pub use request::{answer_request, find_lines, search_text};
pub use text_filter::TextFilter;
pub use tool::{Access, Tool, ToolEntry, ToolResult};
pub use workspace::{CallIndex, CommandRules, IndexedCode, ToolSession};
