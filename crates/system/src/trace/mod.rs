//! The records of a run: trace files, golden traces, events on stderr, spans for OpenTelemetry.
//!
//! Protocol section 8. A trace is one line of JSON in one file, so that `grep` and `jq` are enough
//! to read a folder of them; secrets are masked before anything is written.

mod console;
mod error;
mod events;
mod otlp;
mod otlp_config;
mod reader;
mod record;
pub mod spans;
mod writer;

pub use console::{Console, ConsoleForm};
pub use error::{TraceError, TraceFault};
pub use events::{EventLayer, EventOutput, TARGET, TracingSink};
pub use otlp::OtlpLayer;
pub use otlp_config::{OtlpConfig, OtlpConfigError, RemoteParent};
pub use reader::{files, golden_files, read, read_golden};
pub use record::{TraceRecord, trace_schema};
pub use writer::write;
