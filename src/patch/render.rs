//! Renders a change as a patch that `git apply` takes.

use crate::domain::RepoPath;

use super::{Change, Preview, binary};
use crate::text::encoding;

/// Renders every file of a change as a git patch, paths in order; bytes, because files may be any.
pub fn render(preview: &Preview) -> Vec<u8> {
    let mut out = Vec::new();
    for (path, before, after) in files(preview) {
        render_file(&mut out, path, before, after);
    }
    out
}

/// Renders the same for eyes: every text as UTF-8, whatever encoding its file is in.
pub fn render_shown(preview: &Preview) -> String {
    let mut out = Vec::new();
    for (path, before, after) in files(preview) {
        let text = |side: Option<&[u8]>| side.map(|bytes| encoding::shown(bytes).into_owned());
        let (before, after) = (text(before), text(after));
        let bytes = |side: &Option<String>| side.as_ref().map(|text| text.clone().into_bytes());
        render_file(&mut out, path, bytes(&before).as_deref(), bytes(&after).as_deref());
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A file with what it holds before and after.
type File<'a> = (&'a RepoPath, Option<&'a [u8]>, Option<&'a [u8]>);

fn files(preview: &Preview) -> impl Iterator<Item = File<'_>> {
    preview.changes().iter().filter_map(|change| match change {
        Change::CreateFile { path, after } => Some((path, None, Some(after.as_slice()))),
        Change::WriteFile { path, before, after } => {
            Some((path, Some(before.as_slice()), Some(after.as_slice())))
        }
        Change::RemoveFile { path, before } => Some((path, Some(before.as_slice()), None)),
        Change::CreateDir { .. } | Change::RemoveDir { .. } => None,
    })
}

fn render_file(out: &mut Vec<u8>, path: &RepoPath, before: Option<&[u8]>, after: Option<&[u8]>) {
    if before == after {
        return;
    }
    let (old, new) = (quote_path("a/", path), quote_path("b/", path));
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
        out.extend_from_slice(binary::render_binary_diff(before, after).as_bytes());
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
fn quote_path(side: &str, path: &RepoPath) -> String {
    let name = path.as_str();
    if name.contains('"') {
        format!("\"{side}{}\"", name.replace('"', "\\\""))
    } else {
        format!("{side}{name}")
    }
}

#[cfg(test)]
mod tests;
