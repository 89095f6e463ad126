//! Removes protected files from the output of git.

use super::reading::is_shown;

/// Most characters of a diff in an answer.
const MAX_DIFF_CHARS: usize = 30_000;

/// Returns a unified diff without protected files, shortened, and the number of characters left out.
pub fn shorten_diff(diff: &str) -> (String, usize) {
    let shown = remove_hidden(diff);
    let kept: String = shown.chars().take(MAX_DIFF_CHARS).collect();
    let left_out = shown.chars().count() - kept.chars().count();
    (kept, left_out)
}

/// Returns a unified diff without the files that are never shown.
fn remove_hidden(diff: &str) -> String {
    let mut kept = String::new();
    let mut hides = false;
    for line in diff.split_inclusive('\n') {
        // Quoted paths (`"a/\303\244.rs"`) are split at the quotes.
        if line.starts_with("diff --git ") {
            hides = line.split([' ', '"', '\n']).any(is_hidden_side);
        }
        if !hides {
            kept.push_str(line);
        }
    }
    kept
}

/// Returns true for `a/PATH` and `b/PATH` of a protected file.
fn is_hidden_side(word: &str) -> bool {
    let bare = word.strip_prefix("a/").or_else(|| word.strip_prefix("b/"));
    bare.is_some_and(|path| !is_shown(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diff_of_a_protected_file_is_left_out() {
        let diff = "diff --git a/.env b/.env\n+KEY=1\ndiff --git a/x.py b/x.py\n+ok\n";
        assert_eq!(remove_hidden(diff), "diff --git a/x.py b/x.py\n+ok\n");
        assert_eq!(remove_hidden(""), "");
    }
}
