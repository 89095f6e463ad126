//! `papayu-batch schema`: prints the schemas of the repository.

use crate::cli::args::{SchemaArgs, SchemaName};
use crate::cli::{CliError, output};
use crate::domain::{ExitCode, Version};
use crate::protocol::schema::compiled_schema;
use crate::protocol::wire_schema::wire_schema;

const OUTCOME: &str = include_str!("../../../schemas/outcome.schema.json");
const TRACE: &str = include_str!("../../../schemas/trace.schema.json");
const BUNDLE: &str = include_str!("../../../schemas/bundle.schema.json");
const BATCH: &str = include_str!("../../../schemas/batch.schema.json");
const SUMMARY: &str = include_str!("../../../schemas/summary.schema.json");
const SETTINGS: &str = include_str!("../../../schemas/papayu.schema.json");

/// Prints the schema's own bytes, or the wire schema made from it.
pub(crate) fn print_schema(args: &SchemaArgs) -> Result<ExitCode, CliError> {
    let (text, version) = match args.name {
        SchemaName::V1 => (compiled_schema(Version::V1).text(), Some(Version::V1)),
        SchemaName::V2 => (compiled_schema(Version::V2).text(), Some(Version::V2)),
        SchemaName::V3 => (compiled_schema(Version::V3).text(), Some(Version::V3)),
        SchemaName::Outcome => (OUTCOME, None),
        SchemaName::Trace => (TRACE, None),
        SchemaName::Bundle => (BUNDLE, None),
        SchemaName::Batch => (BATCH, None),
        SchemaName::Summary => (SUMMARY, None),
        SchemaName::Settings => (SETTINGS, None),
    };
    match version {
        Some(version) if args.wire => output::print_data(&format!("{:#}", wire_schema(version).1))?,
        None if args.wire => return Err(CliError::NoWireSchema),
        _ => output::print_data(text)?,
    }
    Ok(ExitCode::Ok)
}
