//! The FILE block: a file's name, the sha256 of the whole of it, and as much of it as there is room for.

use crate::domain::{RepoPath, Sha256};

/// Returns `FILE[path] (sha256=<64 hex>):` and the content; the digest is of the whole file on disk,
/// whatever is shown (protocol section 6).
pub fn file_block(path: &RepoPath, digest: Sha256, shown: &str) -> String {
    let newline = if shown.is_empty() || shown.ends_with('\n') { "" } else { "\n" };
    format!("FILE[{path}] (sha256={digest}):\n{shown}{newline}\n")
}
