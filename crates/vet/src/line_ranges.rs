//! Refuses a replaced line range that tears code in two, before a command runs.

use super::syntax::find_new_error;
use papayu_base::domain::ErrorCode;
use papayu_base::domain::hunk::HunkFault;
use papayu_base::text::encoding;
use papayu_patch::preview::Change;
use papayu_patch::protocol::Refusal;
use papayu_patch::{Preview, TreeAction, TreeOp};

/// Lines around a range in which any line that is repeated shows that the numbers are wrong.
const NEAR: usize = 5;

/// Fewest letters and digits of a line that is compared: `}` and `else` are everywhere.
const LEAST_LETTERS: usize = 6;

/// Lines shown above and below.
const MARGIN: usize = 3;

/// Most lines shown.
const MAX_SHOWN: usize = 60;

/// Words that begin a statement with a block, which may occur twice in a function.
const CONTROL: [&str; 14] = [
    "if", "elif", "else", "for", "while", "switch", "match", "case", "try", "catch", "except",
    "finally", "with", "loop",
];

/// Refuses a `REPLACE_RANGE` with line numbers that cannot be right: its first line is just outside of the range, or
/// the file cannot be parsed any more, though it could before.
///
/// # Errors
///
/// `ERR_PATCH_APPLY_FAILED` with the real lines of the file.
pub(super) fn check(actions: &[TreeAction], preview: &Preview) -> Result<(), Refusal> {
    for action in actions {
        let TreeOp::ReplaceRange { before, start_line, end_line, content } = &action.op else {
            continue;
        };
        let text = encoding::shown(before);
        let lines: Vec<&str> = text.lines().collect();
        let range = ReplacedLines {
            start: usize::try_from(*start_line).unwrap_or(usize::MAX),
            end: usize::try_from(*end_line).unwrap_or(usize::MAX),
        };
        let mut changes = preview.changes().iter().filter(|change| *change.path() == action.path);
        let after = changes.find_map(|change| match change {
            Change::WriteFile { after, .. } => Some(encoding::shown(after)),
            _ => None,
        });
        let fault = find_repeated(&lines, range, content).map(|line| {
            format!("its first line is at line {line}, outside of the lines that it replaces")
        });
        let fault = fault.or_else(|| {
            let line = find_new_error(&action.path, &text, after.as_deref()?)?;
            Some(format!("the file cannot be parsed after it, first at its new line {line}"))
        });
        if let Some(reason) = fault {
            return Err(refuse_range(action, &lines, range, reason));
        }
    }
    Ok(())
}

/// The lines that an action replaces, from 1, the last included; `end` is before `start` if it only inserts.
#[derive(Clone, Copy)]
struct ReplacedLines {
    start: usize,
    end: usize,
}

/// Returns the number of the only line that equals the first line of the content, if it is outside of the range and
/// would be there twice afterwards: near the range any line, farther away the head of a definition.
fn find_repeated(lines: &[&str], range: ReplacedLines, content: &str) -> Option<usize> {
    let first = content.lines().map(str::trim_end).find(|line| !line.is_empty())?;
    if first.chars().filter(|c| c.is_alphanumeric()).count() < LEAST_LETTERS {
        return None;
    }
    let mut same = lines.iter().zip(1..).filter(|(line, _)| line.trim_end() == first);
    let (_, line) = same.next().filter(|_| same.next().is_none())?;
    if range.start <= line && line <= range.end {
        return None;
    }
    // The new lines may contain the old line again where it was meant to be moved.
    let is_near = line + NEAR >= range.start && line <= range.end.saturating_add(NEAR);
    (is_near || is_head(first)).then_some(line)
}

/// Returns `true` for a line that begins the block of a definition.
fn is_head(line: &str) -> bool {
    let opens = line.ends_with(['{', ':']) && line.contains('(');
    let first = line.trim_start_matches(|c: char| c.is_whitespace() || c == '}');
    let word = first.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    opens && !CONTROL.contains(&word)
}

fn refuse_range(
    action: &TreeAction,
    lines: &[&str],
    range: ReplacedLines,
    reason: String,
) -> Refusal {
    let TreeOp::ReplaceRange { content, .. } = &action.op else {
        return Refusal::of_reply(ErrorCode::PatchApplyFailed, reason);
    };
    let first = range.start.saturating_sub(MARGIN + 1).min(lines.len());
    let end = range.end.saturating_add(MARGIN).min(lines.len()).max(first);
    let real = lines.get(first..end).unwrap_or_default().iter().take(MAX_SHOWN);
    let hunk = HunkFault {
        hunk: action.index + 1,
        reason: reason.clone(),
        body: content.clone(),
        first_line: first + 1,
        real: real.map(|line| (*line).to_owned()).collect(),
    };
    let reason = format!("cannot have lines {}..={} replaced: {reason}", range.start, range.end);
    Refusal {
        hunk: Some(Box::new(hunk)),
        ..Refusal::of_action(
            ErrorCode::PatchApplyFailed,
            action.index,
            action.path.as_str(),
            reason,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::{ActionKind, RepoPath};

    const CODE: &str = "class Cart:\n    def total(self):\n        return sum(self.items)\n\n    def count(self):\n        return len(self.items)\n";

    fn checked(path: &str, before: &str, lines: (u64, u64), content: &str) -> Option<String> {
        let (start_line, end_line) = lines;
        let path = RepoPath::parse(path).unwrap();
        let after = papayu_patch::range::replace_range(before, start_line, end_line, content);
        let change = Change::WriteFile {
            path: path.clone(),
            before: before.into(),
            after: after.unwrap().into_bytes(),
        };
        let op = TreeOp::ReplaceRange {
            before: before.into(),
            start_line,
            end_line,
            content: content.to_owned(),
        };
        let action = TreeAction { index: 0, kind: ActionKind::ReplaceRange, path, op };
        check(&[action], &Preview::new(vec![change])).err().map(|refusal| refusal.reason)
    }

    #[test]
    fn a_range_whose_first_line_stands_outside_of_it_is_refused() {
        let method = "    def total(self):\n        return 0\n";
        let refused = checked("a.py", CODE, (3, 3), method).unwrap();
        assert!(refused.contains("its first line is at line 2"), "{refused}");
        assert_eq!(checked("a.py", CODE, (2, 3), method), None);
        // The head of a definition is found anywhere, another line only near the range.
        let long = format!("{CODE}{}", "\n\n\nx = 1\n".repeat(10));
        assert!(checked("a.py", &long, (40, 40), method).is_some());
        assert_eq!(checked("a.txt", &long, (46, 46), "        return sum(self.items)\n"), None);
        assert_eq!(checked("a.txt", "one line\nanother\n", (2, 2), "third line\n"), None);
    }

    #[test]
    fn a_range_after_which_the_file_cannot_be_parsed_is_refused() {
        let code = "fn a() -> u32 {\n    let x = 1;\n    x\n}\n\nfn b() {}\n";
        let refused = checked("a.rs", code, (2, 4), "    let x = 2;\n    x\n").unwrap();
        assert!(refused.contains("the file cannot be parsed after it"), "{refused}");
        assert_eq!(checked("a.rs", code, (2, 3), "    let x = 2;\n    x\n"), None);
        // A file that could not be parsed before may be repaired step by step.
        assert_eq!(
            checked("a.rs", &code.replace("fn b() {}", "fn b() {"), (2, 2), "    let y = 1;\n"),
            None
        );
        assert_eq!(checked("a.unknown", "{\n}\n", (2, 2), "{\n"), None);
    }
}
