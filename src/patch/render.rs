//! Renders a change as a patch that `git apply` takes.

use crate::domain::RepoPath;

use super::{Change, Preview};

/// Renders every file of a change as a git patch, paths in order; bytes, because files may be any.
pub fn render(preview: &Preview) -> Vec<u8> {
    let mut out = Vec::new();
    for change in preview.changes() {
        match change {
            Change::CreateFile { path, after } => file(&mut out, path, None, Some(after)),
            Change::WriteFile { path, before, after } => {
                file(&mut out, path, Some(before), Some(after));
            }
            Change::RemoveFile { path, before } => file(&mut out, path, Some(before), None),
            Change::CreateDir { .. } | Change::RemoveDir { .. } => {}
        }
    }
    out
}

fn file(out: &mut Vec<u8>, path: &RepoPath, before: Option<&[u8]>, after: Option<&[u8]>) {
    if before == after {
        return;
    }
    let (old, new) = (quoted("a/", path), quoted("b/", path));
    out.extend_from_slice(format!("diff --git {old} {new}\n").as_bytes());
    match (before, after) {
        (None, _) => out.extend_from_slice(b"new file mode 100644\n"),
        (_, None) => out.extend_from_slice(b"deleted file mode 100644\n"),
        _ => {}
    }
    let side = |name: &str, bytes: Option<&[u8]>| {
        let tab = if name.contains(' ') { "\t" } else { "" };
        bytes.map_or_else(|| "/dev/null".to_owned(), |_| format!("{name}{tab}"))
    };
    let (from, to) = (before.unwrap_or_default(), after.unwrap_or_default());
    if from.contains(&0) || to.contains(&0) {
        out.extend_from_slice(format!("Binary files {old} and {new} differ\n").as_bytes());
        return;
    }
    if from == to {
        return;
    }
    out.extend_from_slice(
        format!("--- {}\n+++ {}\n", side(&old, before), side(&new, after)).as_bytes(),
    );
    let body = diffy::create_patch_bytes(from, to);
    let mut text = Vec::new();
    // Writing to a vector cannot fail.
    let written =
        diffy::PatchFormatter::new().suppress_blank_empty(false).write_patch_into(&body, &mut text);
    debug_assert!(written.is_ok(), "{written:?}");
    // The library's own headers give way to git's.
    let hunks = text.windows(3).position(|window| window == b"@@ ").unwrap_or(0);
    out.extend_from_slice(text.get(hunks..).unwrap_or_default());
}

/// Quotes a name as git does when it holds a quote; control characters never get here.
fn quoted(side: &str, path: &RepoPath) -> String {
    let name = path.as_str();
    if name.contains('"') {
        format!("\"{side}{}\"", name.replace('"', "\\\""))
    } else {
        format!("{side}{name}")
    }
}
