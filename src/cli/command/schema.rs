//! `papayu-batch schema`: prints the schemas of the repository.

use crate::cli::args::{SchemaArgs, SchemaName};
use crate::cli::{CliError, output};
use papayu_base::domain::{ExitCode, Version};
use papayu_patch::protocol::ReplyForm;
use papayu_patch::protocol::schema::{compiled_schema, form_schema};
use papayu_patch::protocol::wire_schema::{form_wire_schema, wire_schema};

const OUTCOME: &str = include_str!("../../../schemas/outcome.schema.json");
const TRACE: &str = include_str!("../../../schemas/trace.schema.json");
const BUNDLE: &str = include_str!("../../../schemas/bundle.schema.json");
const BATCH: &str = include_str!("../../../schemas/batch.schema.json");
const SUMMARY: &str = include_str!("../../../schemas/summary.schema.json");
const SETTINGS: &str = include_str!("../../../schemas/papayu.schema.json");

/// Prints the schema's own bytes, or the wire schema made from it.
///
/// Fails with [`CliError::NoWireSchema`] if `--wire` names a schema that is never sent to a provider.
pub(crate) fn print_schema(args: &SchemaArgs) -> Result<ExitCode, CliError> {
    let of_version = |version| (compiled_schema(version).text(), Some(wire_schema(version).1));
    let of_form = |form| (form_schema(form).text(), Some(form_wire_schema(form).1));
    let (text, wire) = match args.name {
        SchemaName::V1 => of_version(Version::V1),
        SchemaName::V2 => of_version(Version::V2),
        SchemaName::V3 => of_version(Version::V3),
        SchemaName::SelfCheck => of_form(ReplyForm::Claims),
        SchemaName::Review => of_form(ReplyForm::Remarks),
        SchemaName::Judge => of_form(ReplyForm::Opinion),
        SchemaName::WebSummary => of_form(ReplyForm::WebSummary),
        SchemaName::ConversationSummary => of_form(ReplyForm::ConversationSummary),
        SchemaName::Recipe => of_form(ReplyForm::Recipe),
        SchemaName::Outcome => (OUTCOME, None),
        SchemaName::Trace => (TRACE, None),
        SchemaName::Bundle => (BUNDLE, None),
        SchemaName::Batch => (BATCH, None),
        SchemaName::Summary => (SUMMARY, None),
        SchemaName::Settings => (SETTINGS, None),
    };
    match wire {
        Some(wire) if args.wire => output::print_data(&format!("{wire:#}"))?,
        None if args.wire => return Err(CliError::NoWireSchema),
        _ => output::print_data(text)?,
    }
    Ok(ExitCode::Ok)
}
