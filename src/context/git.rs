//! Output of git for the model, without protected files.

use crate::domain::RepoPath;
use crate::vet;

/// Maximum characters shown of the output of git.
const MAX_CHARS: usize = 20_000;

/// Returns the arguments of git for a request.
///
/// The path is validated and cannot be read as an option; `Err` is the reason in words.
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

/// Removes protected files from the output of git, and shortens the rest.
pub(super) fn shorten_output(diff: bool, said: &str) -> String {
    let mut kept = String::new();
    let mut hides = false;
    for line in said.lines() {
        if diff {
            if line.starts_with("diff --git ") {
                hides = line.split([' ', '"']).any(is_hidden);
            }
        } else {
            hides = line.get(3..).is_none_or(|path| is_hidden(path.trim_matches('"')));
        }
        if !hides {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    let cut: String = kept.chars().take(MAX_CHARS).collect();
    if cut.is_empty() { "nothing is changed".to_owned() } else { cut }
}

/// Returns `true` for a path with secrets, with or without the prefix of a diff.
fn is_hidden(word: &str) -> bool {
    let bare = word.strip_prefix("a/").or_else(|| word.strip_prefix("b/")).unwrap_or(word);
    RepoPath::parse(bare).is_ok_and(|path| vet::is_hidden(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protected_files_change_is_never_shown() {
        let said = "diff --git a/.env b/.env\n+KEY=1\ndiff --git a/x.py b/x.py\n+ok\n";
        assert_eq!(shorten_output(true, said), "diff --git a/x.py b/x.py\n+ok\n");
        assert_eq!(shorten_output(false, " M .env\n M x.py\n"), " M x.py\n");
        assert_eq!(shorten_output(true, ""), "nothing is changed");
    }

    #[test]
    fn a_path_is_no_option_and_stays_inside() {
        assert!(git_arguments(true, Some("../x")).is_err());
        assert!(git_arguments(true, Some("--output=x")).is_err());
        let words = git_arguments(false, Some("a/--output=x")).unwrap();
        assert_eq!(words[3..], ["--", "a/--output=x"]);
    }
}
