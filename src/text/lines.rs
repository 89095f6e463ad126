//! Splits texts into lines with their own endings, and cuts texts to a budget with marks in the gaps.

/// One line of a file: its text and the ending it really has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Without the ending.
    pub text: &'a str,
    /// `\n`, `\r\n`, or empty on a last line without one.
    pub ending: &'a str,
}

/// The line endings that changed files get (`PAPAYU_NORMALIZE_EOL`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEndings {
    /// The file's own.
    #[default]
    Keep,
    /// `\n`.
    Lf,
}

/// Splits a text so that joining `text` and `ending` of every line gives it back.
pub fn split(text: &str) -> Vec<Line<'_>> {
    text.split_inclusive('\n').map(line).collect()
}

/// Returns a raw line as text and ending, `\n` or `\r\n`.
fn line(raw: &str) -> Line<'_> {
    let text = raw.strip_suffix('\n').map_or(raw, |rest| rest.strip_suffix('\r').unwrap_or(rest));
    Line { text, ending: raw.get(text.len()..).unwrap_or_default() }
}

/// Returns the ending most lines have; `\n` for a text without any.
pub fn dominant_ending(text: &str) -> &'static str {
    let crlf = text.matches("\r\n").count();
    let all = text.matches('\n').count();
    if crlf * 2 > all { "\r\n" } else { "\n" }
}

/// Returns the text with every `\r\n` as `\n`, ending in exactly the newline it had or one if it had
/// none (`PAPAYU_NORMALIZE_EOL=lf`). A lone `\r` ends no line, here as elsewhere.
pub fn normalize_to_lf(text: &str) -> String {
    let mut out = text.replace("\r\n", "\n");
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// Cuts a text to about `budget` characters, with `...[TRUNCATED n chars]...` in each gap (protocol
/// section 6).
///
/// The `wanted` ranges of 1-based lines come first, then the head and the tail in equal shares.
pub fn window(text: &str, wanted: &[(u32, u32)], budget: usize) -> String {
    if text.chars().count() <= budget {
        return text.to_owned();
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut kept = KeptLines::new(&lines, budget);
    // The middle of a range is the most relevant line of it.
    for index in order_outward(wanted, lines.len()) {
        if !kept.keep(index) {
            break;
        }
    }
    let (mut head, mut tail) = (0, lines.len());
    while head < tail && kept.keep(head) {
        head += 1;
        tail -= 1;
        if head >= tail || !kept.keep(tail) {
            break;
        }
    }
    join_kept(&lines, &kept.is_kept)
}

/// The lines that fit a budget of characters.
struct KeptLines {
    sizes: Vec<usize>,
    is_kept: Vec<bool>,
    budget: usize,
}

impl KeptLines {
    fn new(lines: &[&str], budget: usize) -> Self {
        let sizes = lines.iter().map(|line| line.chars().count()).collect();
        Self { sizes, is_kept: vec![false; lines.len()], budget }
    }

    /// Keeps a line; returns `false` if it does not fit the rest of the budget.
    fn keep(&mut self, index: usize) -> bool {
        match (self.sizes.get(index), self.is_kept.get_mut(index)) {
            (Some(size), Some(is_kept)) if !*is_kept && *size <= self.budget => {
                *is_kept = true;
                self.budget -= size;
                true
            }
            (Some(_), Some(is_kept)) => *is_kept,
            _ => false,
        }
    }
}

/// Orders the lines of the ranges from each range's middle outwards, the ranges in turn, so that a
/// budget too small for all of them cuts the edges.
fn order_outward(wanted: &[(u32, u32)], count: usize) -> Vec<usize> {
    let mut queues = Vec::new();
    for (first, last) in wanted {
        let first = (*first).max(1) as usize - 1;
        let last = (*last as usize).min(count);
        if first >= last {
            continue;
        }
        let middle = usize::midpoint(first, last - 1);
        let mut order: Vec<usize> = (first..last).collect();
        order.sort_by_key(|index| index.abs_diff(middle));
        queues.push(order);
    }
    let longest = queues.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest)
        .flat_map(|step| queues.iter().filter_map(move |queue| queue.get(step).copied()))
        .collect()
}

/// Joins the kept lines with a mark in each gap.
fn join_kept(lines: &[&str], keep: &[bool]) -> String {
    let mut out = String::new();
    let mut missing = 0;
    for (line, kept) in lines.iter().zip(keep) {
        if *kept {
            close_gap(&mut out, &mut missing);
            out.push_str(line);
        } else {
            missing += line.chars().count();
        }
    }
    close_gap(&mut out, &mut missing);
    out
}

/// Appends the mark of a gap, on a line of its own.
fn close_gap(out: &mut String, missing: &mut usize) {
    if *missing > 0 {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&truncation_mark(*missing));
        out.push('\n');
        *missing = 0;
    }
}

/// Returns the mark for a gap of `chars` characters.
pub fn truncation_mark(chars: usize) -> String {
    format!("...[TRUNCATED {chars} chars]...")
}

/// Returns at most the first `chars` characters.
///
/// # Examples
///
/// ```
/// assert_eq!(papayu_batch::text::first_chars("größer", 3), "grö");
/// ```
pub fn first_chars(text: &str, chars: usize) -> &str {
    // A text has at least as many bytes as characters.
    if text.len() <= chars {
        return text;
    }
    text.char_indices().nth(chars).and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn split_lines_join_to_the_same_text(text in "(a|b|\r|\n|\r\n|é){0,40}") {
            let joined: String = split(&text).iter().flat_map(|l| [l.text, l.ending]).collect();
            prop_assert_eq!(joined, text);
        }

        #[test]
        fn a_window_keeps_close_to_its_budget(
            lines in prop::collection::vec("[a-zé]{0,30}", 0..80), first in 0_u32..90, budget in 0_usize..900,
        ) {
            let text = lines.join("\n");
            let cut = window(&text, &[(first, first + 4)], budget);
            let kept: usize = cut.lines().filter(|l| !l.starts_with("...[")).map(|l| l.chars().count()).sum();
            prop_assert!(kept <= budget.max(text.chars().count().min(budget)));
        }
    }

    #[test]
    fn the_wanted_lines_survive_and_the_marks_count_what_is_gone() {
        let text = "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\n";
        let cut = window(text, &[(5, 5)], 21);
        assert_eq!(
            cut,
            "line 1\n...[TRUNCATED 21 chars]...\nline 5\n...[TRUNCATED 21 chars]...\nline 9\n"
        );
    }

    #[test]
    fn a_text_within_its_budget_is_not_touched() {
        assert_eq!(window("a\r\nb", &[], 4), "a\r\nb");
    }
}
