//! Output of git for the model, without protected files.

use super::gathered::{Context, TextKind};
use crate::tools;
use papayu_base::domain::RepoPath;
use papayu_base::text::fence_text;

/// Most rows of a status.
const MAX_ROWS: usize = 200;

/// Returns the arguments of git for a request: `diff` against `HEAD`, or else the short status.
///
/// The path is validated and cannot be read as an option. Fails with the message of [`RepoPath::parse`] if it
/// is no path in the repository.
pub(super) fn git_arguments(diff: bool, path: Option<&str>) -> Result<Vec<String>, String> {
    let options: &[&str] = if diff {
        &["diff", "--no-color", "--no-ext-diff", "--no-textconv", "HEAD"]
    } else {
        &["status", "--porcelain=v1", "--no-renames"]
    };
    let mut words: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
    if let Some(path) = path {
        let path = RepoPath::parse(path).map_err(|fault| fault.to_string())?;
        words.extend(["--".to_owned(), path.to_string()]);
    }
    Ok(words)
}

/// Returns the output of git without protected files, shortened.
pub(super) fn shorten_output(diff: bool, output: &str) -> String {
    if diff {
        let (kept, left_out) = tools::shorten_diff(output);
        let more = if left_out > 0 {
            format!("\n({left_out} more characters; ask for one path)")
        } else {
            String::new()
        };
        return if kept.is_empty() { "nothing changed".to_owned() } else { kept + &more };
    }
    let is_shown = |line: &&str| {
        let path = line.get(3..).map(|path| path.trim_matches('"'));
        path.is_some_and(|path| {
            !RepoPath::parse(path).is_ok_and(|path| papayu_vet::is_hidden(&path))
        })
    };
    let rows: Vec<&str> = output.lines().filter(is_shown).collect();
    let (shown, left_out) = (rows.len().min(MAX_ROWS), rows.len().saturating_sub(MAX_ROWS));
    match (rows.get(..shown).unwrap_or_default(), left_out) {
        ([], _) => "nothing changed".to_owned(),
        (rows, 0) => rows.join("\n"),
        (rows, _) => format!("{}\n({left_out} more; ask for one path)", rows.join("\n")),
    }
}

/// Adds a diff without protected files, shortened and fenced.
pub fn add_diff(context: &mut Context, title: String, diff: &str) {
    context.add_text(TextKind::Description, title, fence_text(&shorten_output(true, diff)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protected_files_change_is_never_shown() {
        let output = "diff --git a/.env b/.env\n+KEY=1\ndiff --git a/x.py b/x.py\n+ok\n";
        assert_eq!(shorten_output(true, output), "diff --git a/x.py b/x.py\n+ok\n");
        assert_eq!(shorten_output(false, " M .env\n M x.py\n"), " M x.py");
        assert_eq!(shorten_output(true, ""), "nothing changed");
    }

    #[test]
    fn a_path_is_no_option_and_stays_inside() {
        assert!(git_arguments(true, Some("../x")).is_err());
        assert!(git_arguments(true, Some("--output=x")).is_err());
        let words = git_arguments(false, Some("a/--output=x")).unwrap();
        assert_eq!(words[3..], ["--", "a/--output=x"]);
    }
}
