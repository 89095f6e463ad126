//! Questions about who calls whom.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::answers;
use super::open::{FreshIndex, IndexAnswer};
use crate::cli::CliError;
use papayu_index::ResolvedImports;
use papayu_index::calls::{CallGraph, Called, Certainty, called_definitions};

/// Lists who calls a function, or with `down` whom it calls.
///
/// Fails with [`CliError::NotIndexed`] and the most similar name if there is no such function.
pub(super) fn list_calls(
    code: &FreshIndex<'_>,
    name: &str,
    down: bool,
) -> Result<IndexAnswer, CliError> {
    let graph = CallGraph::of(&ResolvedImports::of(code.index), &code.calls());
    let found = called_definitions(code.index, &graph, name);
    if found.is_empty() {
        return Err(answers::unknown_name(code.index, name));
    }
    let mut text = String::new();
    for of in &found {
        let row = &of.definition;
        let _ = writeln!(text, "{}:{}  {}", row.path, row.line, row.head());
        if down { write_callees(of, &mut text) } else { write_callers(of, &mut text) }
    }
    let rows: Vec<Value> = found
        .iter()
        .map(|of| {
            let (name, rows) =
                if down { ("callees", json!(of.callees)) } else { ("callers", json!(of.callers)) };
            json!({ "definition": of.definition, name: rows })
        })
        .collect();
    Ok(IndexAnswer::new(text, json!({ "name": name, "definitions": rows })))
}

/// Writes the callers; `?` marks a call that was found by the name alone.
fn write_callers(of: &Called<'_>, text: &mut String) {
    for row in &of.callers {
        let mark = if row.certainty == Certainty::Followed { ' ' } else { '?' };
        let caller = row.caller.unwrap_or("(top of the file)");
        let _ = writeln!(text, "  {}:{} {mark} {caller}", row.path, row.line);
    }
    if of.callers.is_empty() {
        text.push_str("  no call in the repository is known to mean it\n");
    }
}

/// Writes the functions that are called.
fn write_callees(of: &Called<'_>, text: &mut String) {
    for row in &of.callees {
        let _ = writeln!(text, "  {}:{}  {}", row.path, row.line, row.head());
    }
    if of.callees.is_empty() {
        text.push_str("  it calls nothing that the repository defines\n");
    }
}
