//! Writes a trace: one line, one file, no secrets.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::error::{TraceError, TraceFault};
use super::record::TraceRecord;
use crate::Disk;
use papayu_base::text::mask_texts;

/// Fields that name things and are made here: a masker that takes long hex for a key must not
/// touch them.
const NAMES: [&str; 3] = ["trace_id", "run_id", "schema_hash"];

/// Writes `<folder>/<trace_id>.json`, every text passed through `mask` first, and returns the path.
///
/// # Errors
///
/// [`TraceError`] if the id is no file name, or the file cannot be written.
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

/// Writes a trace as one line of JSON, secrets masked, under its id.
fn write_line(
    disk: &dyn Disk,
    path: &Path,
    record: &TraceRecord,
    mask: &dyn Fn(&str) -> String,
) -> Result<(), TraceFault> {
    let id = record.trace_id.as_str();
    // The id becomes a file name and may come from a file that others wrote.
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Err(TraceFault::Id(id.to_owned()));
    }
    let mut value = serde_json::to_value(record)?;
    if let Value::Object(fields) = &mut value {
        let maskable = fields.iter_mut().filter(|(name, _)| !NAMES.contains(&name.as_str()));
        // Values of every depth are masked; the names of fields are ours.
        maskable.for_each(|(_, field)| mask_texts(field, mask));
    }
    // One line, so that several traces can be joined to a JSON Lines file.
    let mut line = serde_json::to_vec(&value)?;
    line.push(b'\n');
    Ok(disk.write(path, &line)?)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test looks at the disk itself")]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::os::OsDisk;
    use papayu_base::domain::{Mode, RunId, TraceId, Version};

    fn record(id: &str) -> TraceRecord {
        let run = RunId::new("run".into());
        TraceRecord::new(TraceId::new(id.into()), run, Mode::Apply, Version::V2)
    }

    #[test]
    fn a_trace_is_read_back_as_it_was_written_but_for_its_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let mut written = record("0a-1");
        written.schema_hash = "hide".into();
        written.raw_content = Some("line\nhide\u{2028}".into());
        written.validated_json = Some(json!({ "actions": [{ "content": "x = 'hide'" }] }));
        let mask = |text: &str| text.replace("hide", "***");
        let path = write(&OsDisk, &folder.path().join("a/b"), &written, &mask).unwrap();
        assert_eq!(path, folder.path().join("a/b/0a-1.json"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.lines().count(), text.ends_with("}\n")), (1, true));

        let mut expected = written;
        expected.raw_content = Some("line\n***\u{2028}".into());
        expected.validated_json = Some(json!({ "actions": [{ "content": "x = '***'" }] }));
        assert_eq!(super::super::read(&OsDisk, &path).unwrap(), expected);
    }

    #[test]
    fn an_id_that_would_leave_the_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for id in ["", "..", "../x", "a/b", "a.b", "a\0"] {
            let error = write(&OsDisk, folder.path(), &record(id), &str::to_owned).unwrap_err();
            assert!(matches!(error.fault, TraceFault::Id(_)), "{id:?}: {error}");
        }
    }

    #[test]
    fn fields_of_a_later_version_are_let_pass_and_missing_ones_are_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.json");
        let line = r#"{"trace_id":"t","run_id":"r","event":"LLM_PLAN_OK","mode":"plan","new":[1]}"#;
        std::fs::write(&path, line).unwrap();
        let record = super::super::read(&OsDisk, &path).unwrap();
        assert_eq!((record.event.as_str(), record.protocol_attempts), ("LLM_PLAN_OK", vec![]));
        std::fs::write(&path, r#"{"trace_id":"t"}"#).unwrap();
        let error = super::super::read(&OsDisk, &path).unwrap_err().to_string();
        assert!(error.contains("not a trace: missing field `run_id`"), "{error}");
    }
}
