//! One validated action becomes a value of its kind, the same way in every version.

use serde_json::Value;

use crate::domain::{Action, Edit, EditOp, Op};

/// Converts one validated action; `None` only for a number that is whole but not an integer.
pub(super) fn decode_action(item: &Value) -> Option<Action> {
    let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
    let number = |name: &str| item.get(name).and_then(Value::as_u64);
    let op = match item.get("kind")?.as_str()? {
        "CREATE_DIR" => Op::CreateDir,
        "CREATE_FILE" => Op::CreateFile { content: text("content") },
        "UPDATE_FILE" => Op::UpdateFile { content: text("content") },
        "PATCH_FILE" => Op::PatchFile { base_sha256: text("base_sha256"), patch: text("patch") },
        "REPLACE_RANGE" => Op::ReplaceRange {
            base_sha256: text("base_sha256"),
            start_line: number("start_line")?,
            end_line: number("end_line")?,
            content: text("content"),
        },
        "EDIT_FILE" => Op::EditFile {
            base_sha256: text("base_sha256"),
            edits: item.get("edits")?.as_array()?.iter().map(decode_edit).collect::<Option<_>>()?,
        },
        "DELETE_FILE" => Op::DeleteFile,
        "DELETE_DIR" => Op::DeleteDir,
        _ => return None,
    };
    Some(Action { path: text("path")?, op })
}

fn decode_edit(item: &Value) -> Option<Edit> {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let op = EditOp::from_name(item.get("op")?.as_str()?)?;
    Some(Edit { op, anchor: text("anchor"), before: text("before"), after: text("after") })
}
