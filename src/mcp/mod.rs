//! The MCP server over stdio: the tools of one repository for coding agents.
//!
//! The official SDK, `rmcp`, speaks the protocol: the revision 2026-07-28 (stateless, `server/discover`) and
//! the earlier ones with `initialize`. One thread owns the index and answers calls in their order, so that
//! pings and cancellations are answered while a command runs.

mod prompts;
mod server;

pub use server::McpError;
pub(crate) use server::{ToolOffer, serve_stdio};
