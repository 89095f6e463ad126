//! Writes a trace: one line, one file, no secrets.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::error::{TraceError, TraceFault};
use super::record::TraceRecord;
use crate::system::Disk;

/// Fields that name things and are made here: a masker that takes long hex for a key must not
/// touch them.
const NAMES: [&str; 3] = ["trace_id", "run_id", "schema_hash"];

/// Writes `<folder>/<trace_id>.json`, every text passed through `mask` first, and returns the path.
pub fn write(
    disk: &dyn Disk,
    folder: &Path,
    record: &TraceRecord,
    mask: &dyn Fn(&str) -> String,
) -> Result<PathBuf, TraceError> {
    let id = record.trace_id.as_str();
    let path = folder.join(format!("{id}.json"));
    write_line(disk, &path, record, mask)
        .map_err(|fault| TraceError { path: path.clone(), fault })?;
    Ok(path)
}

fn write_line(
    disk: &dyn Disk,
    path: &Path,
    record: &TraceRecord,
    mask: &dyn Fn(&str) -> String,
) -> Result<(), TraceFault> {
    let id = record.trace_id.as_str();
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Err(TraceFault::Id(id.to_owned()));
    }
    let mut value = serde_json::to_value(record)?;
    if let Value::Object(fields) = &mut value {
        let maskable = fields.iter_mut().filter(|(name, _)| !NAMES.contains(&name.as_str()));
        maskable.for_each(|(_, field)| mask_all(field, mask));
    }
    let mut line = serde_json::to_vec(&value)?;
    line.push(b'\n');
    Ok(disk.write(path, &line)?)
}

fn mask_all(value: &mut Value, mask: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = mask(text),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_all(item, mask)),
        Value::Object(fields) => fields.values_mut().for_each(|field| mask_all(field, mask)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
