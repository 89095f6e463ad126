//! Reads files for tools: text only, and never a file with secrets.

use std::fmt::Write as _;

use super::error::ToolError;
use papayu_base::domain::{RepoPath, Sha256};
use papayu_base::text::encoding;
use papayu_system::Tree;

/// Files over this many bytes are not read.
pub(super) const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// A file that may be shown.
pub(super) struct ReadableFile {
    /// The path, with links resolved.
    pub(super) path: RepoPath,
    /// The digest of the bytes.
    pub(super) sha256: Sha256,
    /// The decoded text.
    pub(super) text: String,
}

/// Returns a parsed path.
///
/// # Errors
///
/// `Parameter` for a path that is absolute, leaves the repository or is not written with `/`.
pub(super) fn parse_path(name: &str, path: &str) -> Result<RepoPath, ToolError> {
    RepoPath::parse(path.trim_start_matches("./")).map_err(|fault| ToolError::Parameter {
        name: name.to_owned(),
        fault: format!("`{path}` {fault}; expected a path relative to the repository"),
    })
}

/// Returns the parsed `path` that limits a request; `None` for the whole repository.
///
/// # Errors
///
/// As [`parse_path`].
pub(super) fn parse_below(path: Option<&str>) -> Result<Option<RepoPath>, ToolError> {
    let path = path.filter(|path| !matches!(*path, "." | "./" | ""));
    path.map(|path| parse_path("path", path.trim_end_matches('/'))).transpose()
}

/// Reads a file.
///
/// # Errors
///
/// `Parameter` for a path that cannot be used, `NotFound`, and `Unreadable` for a file with secrets, one that
/// is no text, or one over 4 MiB.
pub(super) fn read_file(tree: &dyn Tree, path: &str) -> Result<ReadableFile, ToolError> {
    let parsed = parse_path("path", path)?;
    let unreadable = |reason: String| ToolError::Unreadable { path: parsed.to_string(), reason };
    let resolved = tree.resolve(&parsed).map_err(|error| unreadable(error.to_string()))?;
    // The resolved path is checked, so that a link cannot show a protected file.
    if papayu_vet::is_hidden(&resolved) {
        return Err(unreadable("files with secrets are never shown".to_owned()));
    }
    let bytes = tree.read(&resolved, MAX_FILE_BYTES).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            ToolError::NotFound { kind: "file", name: parsed.to_string(), nearest: None }
        }
        _ => unreadable(error.to_string()),
    })?;
    let sha256 = Sha256::of(&bytes);
    let text = encoding::decode(&bytes).map_err(|fault| unreadable(fault.to_string()))?.text;
    if papayu_vet::holds_credentials(&resolved, &text) {
        return Err(unreadable("it has credentials, which are never shown".to_owned()));
    }
    Ok(ReadableFile { path: resolved, sha256, text })
}

/// Returns the text of a file, or `None` if it may not be shown.
pub(super) fn read_text(tree: &dyn Tree, path: &str) -> Option<String> {
    read_file(tree, path).ok().map(|file| file.text)
}

/// Returns false for the path of a file with secrets.
pub(super) fn is_shown(path: &str) -> bool {
    RepoPath::parse(path).is_ok_and(|path| !papayu_vet::is_hidden(&path))
}

/// Returns the lines `start..=end` (1-based) with their numbers, one on each line.
pub(super) fn number_lines(text: &str, start: u32, end: u32) -> String {
    let count = (end + 1).saturating_sub(start) as usize;
    let lines = text.lines().zip(1_u32..).skip(start.saturating_sub(1) as usize).take(count);
    lines.fold(String::new(), |mut text, (line, number)| {
        let _ = writeln!(text, "{number:>5}  {line}");
        text
    })
}

/// Returns the lines `start..=end` (1-based) as they are in the text.
pub(super) fn cut_lines(text: &str, start: u32, end: u32) -> String {
    let count = (end + 1).saturating_sub(start) as usize;
    text.split_inclusive('\n').skip(start.saturating_sub(1) as usize).take(count).collect()
}
