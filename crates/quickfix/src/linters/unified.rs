//! Takes printed unified diffs of several files apart; the counts of a hunk say where it ends, not what a line looks like.

/// The diff of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormattedDiff<'t> {
    /// The file as the diff names it.
    pub(super) name: &'t str,
    text: String,
}

impl FormattedDiff<'_> {
    /// Returns the changed text; `None` where the diff is not of this text.
    pub(super) fn applied(&self, before: &str) -> Option<String> {
        let patch = diffy::Patch::from_str(&self.text).ok()?;
        diffy::apply(before, &patch).ok()
    }
}

/// Returns the diffs in a tool's output, in their order; lines between them are passed over.
pub(super) fn diffs(output: &str) -> Vec<FormattedDiff<'_>> {
    let mut found: Vec<FormattedDiff<'_>> = Vec::new();
    let mut lines = output.split_inclusive('\n').peekable();
    let mut is_open = false;
    while let Some(line) = lines.next() {
        let old = line.strip_prefix("--- ");
        if let (Some(name), Some(new)) = (old, lines.next_if(|line| line.starts_with("+++ "))) {
            let text = [line, new].concat();
            found.push(FormattedDiff { name: name.trim_end(), text });
            is_open = true;
            continue;
        }
        let counts = counts(line);
        is_open &= counts.is_some();
        let (Some((mut old, mut new)), Some(diff)) = (counts, found.last_mut()) else { continue };
        if !is_open {
            continue;
        }
        diff.text.push_str(line);
        while old > 0 || new > 0 {
            let Some(line) = lines.next() else { break };
            diff.text.push_str(line);
            match line.as_bytes().first() {
                Some(b'-') => old = old.saturating_sub(1),
                Some(b'+') => new = new.saturating_sub(1),
                Some(b'\\') => {}
                _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
        }
        if let Some(note) = lines.next_if(|line| line.starts_with('\\')) {
            diff.text.push_str(note);
        }
    }
    found
}

/// Returns how many old and new lines a hunk has.
fn counts(line: &str) -> Option<(usize, usize)> {
    let ranges = line.strip_prefix("@@ -")?;
    let (ranges, _) = ranges.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    Some((count(old)?, count(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_look_like_headers_are_lines_and_noise_is_passed_over() {
        let output = "warning: old\n--- a.py\n+++ a.py\n@@ -1,3 +1,2 @@\n one\n--- two\n--- x\n+++ y\n\
            @@ -9 +8 @@\n-nine\n\\ No newline at end of file\n+NINE\n\\ No newline at end of file\n\n\
            @@ -1 +1 @@\n-noise\n+NOISE\n--- b.py\n+++ b.py\n@@ -0,0 +1 @@\n+é\nWould fix 3 errors.\n";
        let found = diffs(output);
        assert_eq!(found.iter().map(|diff| diff.name).collect::<Vec<_>>(), ["a.py", "b.py"]);
        let before = "one\n-- two\n-- x\nfour\nfive\nsix\nseven\neight\nnine";
        let after = "one\n++ y\nfour\nfive\nsix\nseven\neight\nNINE";
        assert_eq!(found[0].applied(before).as_deref(), Some(after));
        assert_eq!(found[0].applied("other"), None);
        assert_eq!(found[1].applied("").as_deref(), Some("é\n"));
    }

    #[test]
    fn a_diff_cut_short_is_none_and_does_no_harm() {
        for output in ["", "--- a", "--- a\n+++ a\n@@ -1,9 +1,9 @@\n-x\n", "@@ -1 +1 @@\n-a\n+b\n"]
        {
            assert!(
                diffs(output)
                    .iter()
                    .all(|diff| diff.applied("x\n").is_none_or(|after| after == "x\n"))
            );
        }
    }
}
