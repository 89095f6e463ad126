//! Checks that lines which a model cites exist, in the files as they were shown.

use super::run::Run;
use papayu_base::domain::{RepoPath, Sha256};
use papayu_base::text::encoding;
use papayu_patch::Change;

/// Largest file that is searched for cited lines, in bytes.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Lines of a file that a model cites.
#[derive(Clone, Copy, Debug)]
pub(super) struct Citation<'a> {
    /// Relative to the repository; a leading `./` is ignored.
    pub(super) path: &'a str,
    /// The first cited line, from 1.
    pub(super) first: u64,
    /// The last cited line, which belongs to the citation.
    pub(super) last: u64,
    /// Text that the lines contain; empty for none.
    pub(super) quote: &'a str,
}

/// Returns the path in its usual form if the cited lines exist and contain the quote.
///
/// # Errors
///
/// The reason for which they prove nothing, for people.
pub(super) fn check_citation(run: &Run<'_>, citation: Citation<'_>) -> Result<RepoPath, String> {
    let path = citation.path.trim().trim_start_matches("./");
    if path.is_empty() {
        return Err("no file is cited".to_owned());
    }
    let path = RepoPath::parse(path).map_err(|fault| fault.to_string())?;
    if papayu_vet::is_hidden(&path) {
        return Err("the file is not shown to models".to_owned());
    }
    let Some(bytes) = read_shown(run, &path) else {
        return Err("the file does not exist".to_owned());
    };
    check_lines(&encoding::shown(&bytes), citation).map(|()| path)
}

/// Returns the bytes of a file as it was shown, if they can still be read, else as it is; `None` for a path without a
/// file.
fn read_shown(run: &Run<'_>, path: &RepoPath) -> Option<Vec<u8>> {
    let present = run.inputs.world.tree.read(path, MAX_BYTES).ok();
    let Some(shown) = run.dialogue.shown.get(path) else { return present };
    // The change may be on disk, or changes that were kept before it may have been reverted.
    let sides = |change: &Change| match change {
        Change::WriteFile { path: of, before, after } if of == path => {
            vec![before.clone(), after.clone()]
        }
        Change::RemoveFile { path: of, before } if of == path => vec![before.clone()],
        Change::CreateFile { path: of, after } if of == path => vec![after.clone()],
        _ => Vec::new(),
    };
    let changes = run.changes.vetted.iter().chain(run.changes.kept.kept());
    let changed = changes.flat_map(|change| change.step().changes()).flat_map(sides);
    let candidates = present.clone().into_iter().chain(changed);
    let mut as_shown = candidates.filter(|bytes| Sha256::of(bytes) == *shown);
    as_shown.next().or(present)
}

/// Checks the lines and the quote against the text of the file.
fn check_lines(text: &str, citation: Citation<'_>) -> Result<(), String> {
    let Citation { first, last, quote, .. } = citation;
    let count = text.lines().count();
    let (Ok(from), Ok(to)) = (usize::try_from(first), usize::try_from(last)) else {
        return Err(format!("the file has {count} lines"));
    };
    if from == 0 || from > to {
        return Err("no lines are cited".to_owned());
    }
    if to > count {
        return Err(format!("the file has {count} lines"));
    }
    let cited: Vec<&str> = text.lines().skip(from - 1).take(to - from + 1).collect();
    if words(&cited.join("\n")).contains(&words(quote)) {
        return Ok(());
    }
    Err("the quoted text is not in these lines".to_owned())
}

/// Returns a text with each run of blanks as one space: models change indentation when they quote.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_must_exist_and_contain_the_quote() {
        let text = "def parse(value):\n    return value.trim()\n";
        let check = |first, last, quote| {
            check_lines(text, Citation { path: "a.py", first, last, quote }).err()
        };
        for (first, last, quote) in
            [(1, 1, ""), (1, 2, "def parse(value):\nreturn  value.trim()"), (2, 2, "value.trim()")]
        {
            assert_eq!(check(first, last, quote), None, "{quote}");
        }
        let outside = Some("the file has 2 lines".to_owned());
        assert_eq!(check(2, 3, ""), outside);
        assert_eq!(check(1, u64::MAX, ""), outside);
        for (first, last) in [(0, 0), (0, 1), (2, 1)] {
            assert_eq!(check(first, last, ""), Some("no lines are cited".to_owned()));
        }
        let missing = Some("the quoted text is not in these lines".to_owned());
        assert_eq!(check(1, 1, "value.trim()"), missing);
    }
}
