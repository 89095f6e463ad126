//! Writes findings as protocol replies: a PLAN, an APPLY of either version, or `NO_CHANGES:`.

use serde_json::{Value, json};

use super::findings::{FileFix, Findings};
use crate::domain::{RepoPath, Version};
use crate::providers::exchange::Request;

/// Lines of a list that a summary shows; the rest is counted.
const MAX_LISTED: usize = 20;

/// A reply has at most 200 actions (section 4, gate `count`).
const MAX_FILES: usize = 200;

/// Returns a PLAN: every fix named, and the files to read before it can be applied.
pub(super) fn plan(findings: &Findings, request: &Request, run: Option<&str>) -> Value {
    let files = proposed(findings);
    let requests: Vec<Value> = files
        .iter()
        .filter(|file| !request.shown.iter().any(|(path, _)| *path == file.path))
        .map(|file| json!({ "type": "read_file", "path": file.path }))
        .collect();
    let summary = if files.is_empty() {
        nothing_to_propose(findings)
    } else {
        let heading = format!("Diagnosis: {}. The compiler's own fixes:", findings.account);
        with_rest(&heading, files, findings, run)
    };
    json!({ "actions": [], "summary": summary, "context_requests": requests })
}

/// Returns an APPLY: one action a file that was shown as it was when the tool ran; the others are
/// left out, since their base would be refused.
pub(super) fn apply(findings: &Findings, request: &Request, run: Option<&str>) -> Value {
    let files: Vec<&FileFix> = proposed(findings)
        .iter()
        .filter(|file| {
            request.shown.iter().any(|(path, digest)| *path == file.path && *digest == file.base())
        })
        .collect();
    let summary = if files.is_empty() {
        let reason = match proposed(findings) {
            [] => nothing_to_propose(findings),
            not_shown => format!(
                "the files to fix were not shown as they are on disk: {}",
                list(not_shown.iter().map(|file| file.path.as_str()), ", ")
            ),
        };
        format!("NO_CHANGES: {reason}")
    } else {
        with_rest("Applied the compiler's own fixes:", files.iter().copied(), findings, run)
    };
    let actions: Vec<Value> = files.iter().map(|file| action(file, request.version)).collect();
    json!({ "actions": actions, "summary": summary })
}

fn proposed(findings: &Findings) -> &[FileFix] {
    findings.files.get(..MAX_FILES).unwrap_or(&findings.files)
}

fn action(file: &FileFix, version: Version) -> Value {
    match version {
        Version::V1 => {
            json!({ "kind": "UPDATE_FILE", "path": file.path, "content": file.after })
        }
        Version::V2 => json!({
            "kind": "PATCH_FILE",
            "path": file.path,
            "base_sha256": file.base(),
            "patch": patch(&file.path, &file.before, &file.after),
        }),
    }
}

fn patch(path: &RepoPath, before: &str, after: &str) -> String {
    diffy::DiffOptions::new()
        .set_context_len(3)
        .set_original_filename(format!("a/{path}"))
        .set_modified_filename(format!("b/{path}"))
        .create_patch(before, after)
        .to_string()
}

fn with_rest<'f>(
    heading: &str,
    files: impl IntoIterator<Item = &'f FileFix>,
    findings: &Findings,
    run: Option<&str>,
) -> String {
    let notes = files.into_iter().flat_map(|file| &file.notes).map(String::as_str);
    let mut summary = format!("{heading}\n- {}", list(notes, "\n- "));
    if !findings.unfixed.is_empty() {
        summary.push_str("\nLeft as they are:\n- ");
        summary.push_str(&list(findings.unfixed.iter().map(String::as_str), "\n- "));
    }
    if let Some(run) = run {
        summary.push_str("\nVerify with: ");
        summary.push_str(run);
    }
    summary
}

fn nothing_to_propose(findings: &Findings) -> String {
    let mut text = format!("no tool suggests a fix; {}", findings.account);
    if !findings.unfixed.is_empty() {
        text.push_str(":\n- ");
        text.push_str(&list(findings.unfixed.iter().map(String::as_str), "\n- "));
    }
    text
}

fn list<'t>(items: impl Iterator<Item = &'t str>, separator: &str) -> String {
    let items: Vec<&str> = items.collect();
    match items.get(..MAX_LISTED) {
        Some(first) if items.len() > MAX_LISTED => {
            format!("{}{separator}… and {} more", first.join(separator), items.len() - MAX_LISTED)
        }
        _ => items.join(separator),
    }
}

#[cfg(test)]
mod tests;
