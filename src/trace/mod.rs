//! What a run leaves for those who look later: trace files, golden traces, events on stderr.
//!
//! Protocol section 8. A trace is one line of JSON in one file, so that `grep` and `jq` are enough
//! to read a folder of them; secrets are masked before anything is written.

mod console;
mod error;
mod golden;
mod reader;
mod record;
mod writer;

pub use console::{Console, ConsoleForm};
pub use error::{TraceError, TraceFault};
pub use golden::{check, to_golden};
pub use reader::{files, golden_files, read, read_golden};
pub use record::{TraceRecord, trace_schema};
pub use writer::write;
