//! The files and lines of a unified diff that a forge returns.

use super::PullFile;

/// Returns the files of a diff in git's format. A file with a name that git quotes is left out.
pub(super) fn split_diff(diff: &str) -> Vec<PullFile> {
    let files = diff.split("\ndiff --git ").filter(|file| !file.trim().is_empty());
    files.filter_map(parse_file).collect()
}

/// Returns a file of a diff, without the words `diff --git` of its first line.
fn parse_file(text: &str) -> Option<PullFile> {
    let hunks = text.find("\n@@ ").and_then(|at| text.get(at + 1..));
    let head = hunks.and_then(|hunks| text.strip_suffix(hunks)).unwrap_or(text);
    let named = |mark: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(mark))?;
        // A path with a space is followed by a tab.
        line.split('\t').next()?.split_once('/').map(|(_, path)| path)
    };
    // A deleted file has `/dev/null` after `+++`, and a binary or renamed one no such line.
    let added = named("+++ b").and_then(|_| named("+++ "));
    let of_first = || head.lines().next()?.rsplit_once(" b/").map(|(_, path)| path);
    let path = added.or_else(|| named("--- ")).or_else(of_first)?.to_owned();
    Some(PullFile { path, patch: hunks.map(str::to_owned) })
}

/// The place of a line in the hunks of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinePlace {
    /// The change adds it.
    Added,
    /// It is unchanged, and has this number before the change.
    Kept(u32),
}

/// Returns the place of a line of the changed file, 1-based; `None` outside the hunks.
pub(super) fn find_line(hunks: &str, wanted: u32) -> Option<LinePlace> {
    let (mut old, mut new) = (0, 0);
    for line in hunks.lines() {
        if let Some(head) = line.strip_prefix("@@ -") {
            (old, new) = parse_head(head)?;
            continue;
        }
        let place = match line.chars().next() {
            Some('+') => LinePlace::Added,
            Some('-') => {
                old += 1;
                continue;
            }
            // `\ No newline at end of file`
            Some('\\') => continue,
            _ => LinePlace::Kept(old),
        };
        if new == wanted {
            return Some(place);
        }
        new += 1;
        old += u32::from(matches!(place, LinePlace::Kept(_)));
    }
    None
}

/// Returns the first old and new line of `1,2 +3,4 @@ …`.
fn parse_head(head: &str) -> Option<(u32, u32)> {
    let (old, rest) = head.split_once(" +")?;
    let first = |range: &str| range.split([',', ' ']).next()?.parse().ok();
    Some((first(old)?, first(rest)?))
}

/// Returns lines in a block that a person can accept as a change. `mark` follows the word `suggestion`.
pub(super) fn suggestion_block(replacement: &str, mark: &str) -> String {
    // A fence longer than any run of backticks in the lines cannot be closed by them.
    let longest = replacement.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let end = if replacement.is_empty() || replacement.ends_with('\n') { "" } else { "\n" };
    format!("{fence}suggestion{mark}\n{replacement}{end}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/a b.txt b/a b.txt\nindex 1..2 100644\n--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -2,3 +2,4 @@ fn\n one\n-two\n+TWO\n+more\n three\n\\ No newline at end of file\ndiff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n";

    #[test]
    fn a_diff_is_split_into_its_files() {
        let files = split_diff(&format!("\n{DIFF}"));
        let names: Vec<(&str, bool)> =
            files.iter().map(|file| (file.path.as_str(), file.patch.is_some())).collect();
        assert_eq!(names, [("a b.txt", true), ("gone", true), ("logo.png", false)]);
        assert_eq!(split_diff(""), []);
        assert_eq!(split_diff("words\n@@ -1 +1 @@\n"), []);
    }

    #[test]
    fn a_line_is_found_with_its_number_before_the_change() {
        let files = split_diff(&format!("\n{DIFF}"));
        let hunks = files[0].patch.as_deref().unwrap();
        let found: Vec<_> = (1..=6).map(|line| find_line(hunks, line)).collect();
        let kept = |line| Some(LinePlace::Kept(line));
        let added = Some(LinePlace::Added);
        assert_eq!(found, [None, kept(2), added, added, kept(4), None]);
        assert_eq!(find_line("@@ -x +1 @@\n+a", 1), None);
    }

    #[test]
    fn lines_cannot_end_the_block_that_they_are_in() {
        assert_eq!(suggestion_block("```\n@all", ":-1+0"), "````suggestion:-1+0\n```\n@all\n````");
        assert_eq!(suggestion_block("", ""), "```suggestion\n```");
    }
}
