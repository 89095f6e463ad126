//! One validated action becomes a value of its kind, the same way in every version.

use serde_json::Value;

use papayu_base::domain::{Action, Edit, EditOp, Op};

/// Converts one validated action; `None` only for a number that is whole but not an integer.
/// The schema has checked types and required fields before; optional ones are absent here, and
/// the module `vet` refuses them where they are needed.
pub(super) fn decode_action(item: &Value) -> Option<Action> {
    let op = match item.get("kind")?.as_str()? {
        "CREATE_DIR" => Op::CreateDir,
        "CREATE_FILE" => Op::CreateFile { content: text_field(item, "content") },
        "UPDATE_FILE" => Op::UpdateFile { content: text_field(item, "content") },
        "PATCH_FILE" => Op::PatchFile {
            base_sha256: text_field(item, "base_sha256"),
            patch: text_field(item, "patch"),
        },
        "REPLACE_RANGE" => Op::ReplaceRange {
            base_sha256: text_field(item, "base_sha256"),
            start_line: number_field(item, "start_line")?,
            end_line: number_field(item, "end_line")?,
            content: text_field(item, "content"),
        },
        "EDIT_FILE" => Op::EditFile {
            base_sha256: text_field(item, "base_sha256"),
            edits: item.get("edits")?.as_array()?.iter().map(decode_edit).collect::<Option<_>>()?,
        },
        "DELETE_FILE" => Op::DeleteFile,
        "DELETE_DIR" => Op::DeleteDir,
        _ => return None,
    };
    Some(Action { path: text_field(item, "path")?, op })
}

/// Returns one edit of `EDIT_FILE`; `None` for an unknown `op`. Texts that the operation does
/// not use are empty.
fn decode_edit(item: &Value) -> Option<Edit> {
    let op = EditOp::from_name(item.get("op")?.as_str()?)?;
    Some(Edit {
        op,
        anchor: text_field(item, "anchor").unwrap_or_default(),
        before: text_field(item, "before").unwrap_or_default(),
        after: text_field(item, "after").unwrap_or_default(),
    })
}

/// Returns a field's text; `None` if it is absent, so that "" and absent differ.
fn text_field(item: &Value, name: &str) -> Option<String> {
    item.get(name)?.as_str().map(str::to_owned)
}

/// Returns a line number. JSON's `1e3` and `3.0` are whole numbers for the schema, but not for
/// `as_u64`.
fn number_field(item: &Value, name: &str) -> Option<u64> {
    item.get(name)?.as_u64()
}
