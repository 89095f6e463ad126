//! `papayu-batch schema`: the schemas as they stand in the repository.

use crate::cli::args::{SchemaArgs, SchemaName};
use crate::cli::{CliError, Output};
use crate::domain::ExitCode;

const OUTCOME: &str = include_str!("../../../schemas/outcome.schema.json");
const TRACE: &str = include_str!("../../../schemas/trace.schema.json");
const SETTINGS: &str = include_str!("../../../schemas/papayu.schema.json");

/// Prints the schema's own bytes.
pub(in crate::cli) fn run(args: &SchemaArgs) -> Result<ExitCode, CliError> {
    let text = match args.name {
        SchemaName::Outcome => OUTCOME,
        SchemaName::Trace => TRACE,
        SchemaName::Settings => SETTINGS,
    };
    Output::data(text)?;
    Ok(ExitCode::Ok)
}
