//! Refuses a patch with lines that lost their indentation, and one that was placed by a guess and breaks the syntax.

use super::flat_hunks::{find_uncertain_block, is_certain};
use super::syntax::{find_new_error, find_new_lost_block};
use papayu_base::domain::hunk::HunkFault;
use papayu_base::domain::{ErrorCode, RepoPath};
use papayu_base::text::encoding;
use papayu_patch::preview::{Change, PreviewOutcome};
use papayu_patch::protocol::Refusal;
use papayu_patch::{TreeAction, TreeOp};

/// Lines shown above and below.
const MARGIN: usize = 6;

/// Refuses a `PATCH_FILE` after which a file that could be parsed cannot be parsed any more, if a hunk was placed by a
/// tolerant strategy, or if new lines lack the indentation of their block. A repair costs less than an attempt.
///
/// # Errors
///
/// `ERR_PATCH_APPLY_FAILED` with the real lines of the file.
pub(super) fn check(actions: &[TreeAction], outcome: &PreviewOutcome) -> Result<(), Refusal> {
    for action in actions {
        let TreeOp::PatchFile { before, patch } = &action.op else { continue };
        let Some(after) = text_after(outcome, &action.path) else { continue };
        let before = encoding::shown(before);
        let used = outcome.strategies.get(action.path.as_str()).map_or(&[][..], Vec::as_slice);
        let lost = find_new_lost_block(&action.path, &before, &after);
        let lost =
            lost.or_else(|| find_uncertain_block(&action.path, &before, &after, patch, used));
        let fault = lost.map(|line| (line, "lacks the indentation of its block")).or_else(|| {
            is_guessed(used).then_some(())?;
            let line = find_new_error(&action.path, &before, &after)?;
            Some((line, "is a syntax error, and the place of the hunk is not certain"))
        });
        let Some((line, why)) = fault else { continue };
        let text = after.lines().nth(line - 1).unwrap_or_default().trim();
        let reason =
            format!("the line `{text}` {why}; write each line with the indentation of the file");
        return Err(refuse_patch(action, (line, &before), patch, reason));
    }
    Ok(())
}

/// Returns the text of a file after the change.
fn text_after(outcome: &PreviewOutcome, path: &RepoPath) -> Option<String> {
    let mut changes = outcome.preview.changes().iter().filter(|change| change.path() == path);
    changes.find_map(Change::after).map(|after| encoding::shown(after).into_owned())
}

/// Returns `true` if a tolerant strategy placed a hunk of the file.
fn is_guessed(used: &[String]) -> bool {
    used.iter().any(|name| !is_certain(name))
}

/// Returns the refusal with the lines of the file around the place.
fn refuse_patch(action: &TreeAction, place: (usize, &str), patch: &str, reason: String) -> Refusal {
    let (line, before) = place;
    let lines: Vec<&str> = before.lines().collect();
    let first = line.saturating_sub(MARGIN + 1).min(lines.len());
    let end = (line + MARGIN).min(lines.len());
    let real = lines.get(first..end).unwrap_or_default();
    let hunk = HunkFault {
        hunk: 1,
        reason: reason.clone(),
        body: patch.to_owned(),
        first_line: first + 1,
        real: real.iter().map(|line| (*line).to_owned()).collect(),
    };
    let path = action.path.as_str();
    let refusal = Refusal::of_action(ErrorCode::PatchApplyFailed, action.index, path, reason);
    Refusal { hunk: Some(Box::new(hunk)), ..refusal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::ActionKind;
    use papayu_base::text::lines::LineEndings;
    use papayu_patch::preview;

    const BEFORE: &str = "x = 1\n\n\ndef parse(value):\n    for x in value:\n        f(x)\n    return value.strip()\n";

    /// Returns the text after a patch of one hunk, or the reason of its refusal.
    fn checked(path: &str, before: &str, body: &str) -> Result<String, String> {
        let op = TreeOp::PatchFile {
            before: before.into(),
            patch: format!("--- a/{path}\n+++ b/{path}\n@@ -7,1 +7,3 @@\n{body}"),
        };
        let path = RepoPath::parse(path).unwrap();
        let actions =
            [TreeAction { index: 0, kind: ActionKind::PatchFile, path: path.clone(), op }];
        let endings = LineEndings::Keep;
        let outcome = preview::preview_until(&actions, endings, &|| false).unwrap().unwrap();
        check(&actions, &outcome).map_err(|refusal| {
            assert_eq!(refusal.code, ErrorCode::PatchApplyFailed);
            assert!(!refusal.hunk.unwrap().real.is_empty());
            refusal.reason
        })?;
        Ok(text_after(&outcome, &path).unwrap())
    }

    #[test]
    fn lines_without_their_indentation_are_refused_unless_the_result_can_be_parsed() {
        let fix = "+if value is None:\n+return \"\"\n+return value.strip()\n";
        let spaced = fix.replace('+', "+ ");
        for body in [
            format!("-return value.strip()\n{fix}"),
            format!("- return value.strip()\n{spaced}"),
            format!("-    return value.strip()\n{fix}"),
            "-    return value.strip()\n+value = g(value)\n+return value\n".to_owned(),
            "-return value.strip()\n+value = g(value)\n+return value\n".to_owned(),
        ] {
            let refused = checked("a.py", BEFORE, &body).unwrap_err();
            assert!(refused.contains("lacks the indentation of its block"), "{body}: {refused}");
        }
        // One rule moves all lines, and the result is what was meant.
        let body =
            "-return value.strip()\n+if value is None:\n+    return \"\"\n+return value.strip()\n";
        let after = checked("a.py", BEFORE, body).unwrap();
        assert!(after.contains("\n        return \"\"\n"), "{after}");
    }

    #[test]
    fn an_uncertain_place_is_refused_if_the_file_cannot_be_parsed_after_it() {
        let before = "fn a() {\n    b();\n}\n\n\nfn c() {\n    d();\n}\n";
        let refused = checked("a.rs", before, "-d();\n+e(;\n").unwrap_err();
        assert!(refused.contains("is a syntax error"), "{refused}");
        // The command judges a patch that is certain.
        assert!(checked("a.rs", before, "-    d();\n+    e(;\n").is_ok());
        assert!(checked("a.rs", before, "-d();\n+e();\n").is_ok());
    }
}
