//! Rendering of a change as a patch that `git apply` accepts.

use super::{Change, Preview, binary};
use papayu_base::domain::RepoPath;
use papayu_base::text::{encoding, line_diff};

/// Renders a change as a git patch, with the files in order of application.
///
/// The result is bytes, because files may have any encoding.
pub fn render(preview: &Preview) -> Vec<u8> {
    render_until(preview, &|| false).unwrap_or_default()
}

/// Does the same, and returns `None` if `stop` asked to end before all files were rendered.
pub fn render_until(preview: &Preview, stop: &dyn Fn() -> bool) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for file in changed_files(preview) {
        if stop() {
            return None;
        }
        render_file(&mut out, file.path, file.before, file.after);
    }
    Some(out)
}

/// Renders a change for people: every text as UTF-8, whatever the encoding of its file is.
pub fn render_shown(preview: &Preview) -> String {
    let mut out = Vec::new();
    for file in changed_files(preview) {
        let before = file.before.map(encoding::shown);
        let after = file.after.map(encoding::shown);
        render_file(
            &mut out,
            file.path,
            before.as_deref().map(str::as_bytes),
            after.as_deref().map(str::as_bytes),
        );
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A changed file; a side is `None` where the file does not exist.
struct RenderedFile<'a> {
    path: &'a RepoPath,
    before: Option<&'a [u8]>,
    after: Option<&'a [u8]>,
}

/// Returns the files of a preview with both contents; folders have no diff.
fn changed_files(preview: &Preview) -> impl Iterator<Item = RenderedFile<'_>> {
    preview.changes().iter().filter_map(|change| {
        let (path, before, after) = match change {
            Change::CreateFile { path, after } => (path, None, Some(after.as_slice())),
            Change::WriteFile { path, before, after } => {
                (path, Some(before.as_slice()), Some(after.as_slice()))
            }
            Change::RemoveFile { path, before } => (path, Some(before.as_slice()), None),
            // Git does not track folders.
            Change::CreateDir { .. } | Change::RemoveDir { .. } => return None,
        };
        Some(RenderedFile { path, before, after })
    })
}

/// Appends the diff of one file in the form that `git apply` takes: text as a unified diff,
/// everything else as binary literals in both directions.
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
    let (from, to) = (before.unwrap_or_default(), after.unwrap_or_default());
    if from.contains(&0) || to.contains(&0) {
        out.extend_from_slice(binary::render_binary_diff(before, after).as_bytes());
        return;
    }
    if from == to {
        return;
    }
    let (old, new) = (header_name(&old, before), header_name(&new, after));
    out.extend_from_slice(format!("--- {old}\n+++ {new}\n").as_bytes());
    out.extend_from_slice(&line_diff::unified_hunks(from, to));
}

/// Returns the name of one side in a file header.
fn header_name(name: &str, content: Option<&[u8]>) -> String {
    // Git ends a name with blanks by a tab, so that a time stamp cannot be confused with it.
    let tab = if name.contains(' ') { "\t" } else { "" };
    content.map_or_else(|| "/dev/null".to_owned(), |_| format!("{name}{tab}"))
}

/// Quotes a name that contains a quote as git does. [`RepoPath`] has no control characters.
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
