//! The FILE block of requests: path, SHA-256 and content of a file.

use papayu_base::domain::{RepoPath, Sha256};

/// Returns `FILE[path] (sha256=<64 hex>):` followed by the content.
///
/// The digest is that of the whole file on disk, even if only a part is shown (protocol section 6).
pub fn file_block(path: &RepoPath, digest: Sha256, shown: &str) -> String {
    let newline = if shown.is_empty() || shown.ends_with('\n') { "" } else { "\n" };
    format!("FILE[{path}] (sha256={digest}):\n{shown}{newline}\n")
}
