//! Ranges of lines: which fit a budget, which are new, and how a part of a file is written.

use std::borrow::Cow;
use std::fmt::Write as _;

/// First and last line, from 1.
pub type LineRange = (u32, u32);

/// Returns the ranges in order, cut to lines 1 to `last`, overlapping and adjacent ones as one. Both ends of a
/// range belong to it.
///
/// ```
/// use papayu_batch::context::line_ranges::join_ranges;
///
/// assert_eq!(join_ranges(vec![(8, 20), (1, 3), (4, 5)], 10), [(1, 5), (8, 10)]);
/// ```
pub fn join_ranges(mut ranges: Vec<LineRange>, last: u32) -> Vec<LineRange> {
    ranges.sort_unstable();
    let mut joined: Vec<LineRange> = Vec::new();
    for (start, end) in ranges {
        let (start, end) = (start.max(1), end.min(last));
        match joined.last_mut() {
            _ if start > end => {}
            Some(before) if start <= before.1.saturating_add(1) => before.1 = before.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// Returns the parts of `ranges` that are in none of `known`. Both are in order and joined.
pub fn new_ranges(ranges: &[LineRange], known: &[LineRange]) -> Vec<LineRange> {
    let mut new = Vec::new();
    for &(start, end) in ranges {
        let mut from = start;
        for &(known_start, known_end) in known.iter().filter(|held| held.1 >= start) {
            if known_start > end {
                break;
            }
            if from < known_start {
                new.push((from, known_start - 1));
            }
            from = from.max(known_end.saturating_add(1));
        }
        if from <= end {
            new.push((from, end));
        }
    }
    new
}

/// Returns the number of the last line; 1 for an empty text.
pub fn last_line(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX).max(1)
}

/// Returns the ranges of at most `budget` characters in order: as many whole ranges as fit, in the given
/// order, and the head and the tail of the first that does not. Without ranges, the whole text is wanted.
pub fn fit_ranges(text: &str, wanted: &[LineRange], budget: usize) -> Vec<LineRange> {
    let last = last_line(text);
    let sizes: Vec<usize> = text.split_inclusive('\n').map(|line| line.chars().count()).collect();
    let whole = [(1, last)];
    let wanted = if wanted.is_empty() { &whole[..] } else { wanted };
    let mut left = budget;
    let mut kept: Vec<LineRange> = Vec::new();
    for range in wanted {
        let parts = new_ranges(&join_ranges(vec![*range], last), &kept);
        let size: usize = parts.iter().map(|part| size_of(&sizes, *part)).sum();
        if size > left {
            kept.extend(fit_ends(&sizes, &parts, left));
            kept = join_ranges(kept, last);
            break;
        }
        left -= size;
        kept.extend(parts);
        kept = join_ranges(kept, last);
    }
    kept
}

/// Returns the first and the last lines of ranges in order, each of at most half the budget.
fn fit_ends(sizes: &[usize], parts: &[LineRange], budget: usize) -> Vec<LineRange> {
    let mut fitting = Vec::new();
    let mut left = budget / 2;
    for part in parts {
        let Some(head) = fit_lines(sizes, *part, left) else { break };
        left -= size_of(sizes, head);
        fitting.push(head);
        if head != *part {
            break;
        }
    }
    let mut left = budget / 2;
    for part in parts.iter().rev() {
        let Some(tail) = fit_last_lines(sizes, *part, left) else { break };
        left -= size_of(sizes, tail);
        fitting.push(tail);
        if tail != *part {
            break;
        }
    }
    fitting
}

/// Returns the lines around one line: at most `reach` before and after it, and at most `budget` characters.
/// The line itself is always one of them.
pub fn lines_around(sizes: &[usize], line: u32, reach: u32, budget: usize) -> LineRange {
    let last = u32::try_from(sizes.len()).unwrap_or(u32::MAX).max(1);
    let line = line.clamp(1, last);
    let (mut start, mut end) = (line, line);
    let mut left = budget.saturating_sub(size_of(sizes, (line, line)));
    for distance in 1..=reach {
        let before = line.checked_sub(distance).filter(|line| *line > 0);
        let after = line.checked_add(distance).filter(|line| *line <= last);
        let size = before.into_iter().chain(after).map(|line| size_of(sizes, (line, line))).sum();
        if left < size {
            break;
        }
        left -= size;
        (start, end) = (before.unwrap_or(start), after.unwrap_or(end));
    }
    (start, end)
}

/// Returns the last lines of a range that fit.
fn fit_last_lines(sizes: &[usize], range: LineRange, budget: usize) -> Option<LineRange> {
    let mut left = budget;
    let mut start = range.1 + 1;
    while start > range.0 {
        let size = sizes.get(start as usize - 2).copied().unwrap_or_default();
        if size > left {
            break;
        }
        left -= size;
        start -= 1;
    }
    (start <= range.1).then_some((start, range.1))
}

/// Returns the text with lines of more than `limit` characters cut to their head and tail, so that a file of one long line
/// is shown in part. The number of lines stays.
pub fn shorten_lines(text: &str, limit: usize) -> Cow<'_, str> {
    // Below this, the mark would be longer than what it leaves.
    if limit < 200 || text.lines().all(|line| line.len() <= limit || line.chars().count() <= limit)
    {
        return Cow::Borrowed(text);
    }
    let mut short = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let count = line.chars().count();
        if count <= limit {
            short.push_str(line);
            continue;
        }
        let half = (limit - 80) / 2;
        let mark = format!("...[{} characters of this line left out]...", count - 2 * half);
        short.extend(line.chars().take(half));
        short.push_str(&mark);
        short.extend(line.chars().skip(count - half));
    }
    Cow::Owned(short)
}

/// Returns the first lines of a range that fit.
fn fit_lines(sizes: &[usize], range: LineRange, budget: usize) -> Option<LineRange> {
    let mut left = budget;
    let mut end = range.0 - 1;
    while end < range.1 {
        let size = sizes.get(end as usize).copied().unwrap_or_default();
        if size > left {
            break;
        }
        left -= size;
        end += 1;
    }
    (end >= range.0).then_some((range.0, end))
}

fn size_of(sizes: &[usize], range: LineRange) -> usize {
    let range = range.0 as usize - 1..(range.1 as usize).min(sizes.len());
    sizes.get(range).unwrap_or_default().iter().sum()
}

/// Returns how many characters the lines have.
pub fn count_chars(text: &str, ranges: &[LineRange]) -> usize {
    let sizes: Vec<usize> = text.split_inclusive('\n').map(|line| line.chars().count()).collect();
    ranges.iter().map(|range| size_of(&sizes, *range)).sum()
}

/// Returns the lines, with a mark that has the numbers of the lines in each gap, and the ranges that
/// are written: a gap shorter than its mark is filled. Lines that are `known` to the reader are named as such.
pub fn write_ranges(
    text: &str,
    ranges: &[LineRange],
    known: &[LineRange],
) -> (String, Vec<LineRange>) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let last = last_line(text);
    let written = fill_gaps(&lines, join_ranges(ranges.to_vec(), last));
    let mut out = String::new();
    let mut next = 1;
    for &(start, end) in &written {
        write_mark(&mut out, (next, start - 1), known);
        for line in lines.iter().take(end as usize).skip(start as usize - 1) {
            out.push_str(line);
        }
        next = end + 1;
    }
    write_mark(&mut out, (next, last), known);
    (out, written)
}

/// Joins ranges over gaps if the mark would be longer than their lines.
fn fill_gaps(lines: &[&str], ranges: Vec<LineRange>) -> Vec<LineRange> {
    let last = u32::try_from(lines.len()).unwrap_or(u32::MAX).max(1);
    let is_short = |gap: LineRange| {
        let gap_lines = lines.iter().take(gap.1 as usize).skip(gap.0 as usize - 1);
        gap_lines.map(|line| line.chars().count()).sum::<usize>()
            <= mark_text(gap, "left out").len()
    };
    let mut filled: Vec<LineRange> = Vec::new();
    for (start, end) in ranges {
        match filled.last_mut() {
            Some(before) if is_short((before.1 + 1, start - 1)) => before.1 = end,
            None if start > 1 && is_short((1, start - 1)) => filled.push((1, end)),
            _ => filled.push((start, end)),
        }
    }
    if let Some(end) = filled.last_mut()
        && end.1 < last
        && is_short((end.1 + 1, last))
    {
        end.1 = last;
    }
    filled
}

/// Writes the mark for a gap between shown lines, with the reason; nothing for an empty gap.
fn write_mark(out: &mut String, gap: LineRange, known: &[LineRange]) {
    if gap.0 > gap.1 {
        return;
    }
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    let new = new_ranges(&[gap], known);
    let why = match new.as_slice() {
        [] => "shown above",
        [all] if *all == gap => "left out",
        _ => "shown above or left out",
    };
    let _ = writeln!(out, "{}", mark_text(gap, why));
}

/// Returns the mark of a gap, for example `...[lines 3–9 left out]...`.
fn mark_text(gap: LineRange, why: &str) -> String {
    if gap.0 == gap.1 {
        format!("...[line {} {why}]...", gap.0)
    } else {
        format!("...[lines {}–{} {why}]...", gap.0, gap.1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbered(count: u32) -> String {
        (1..=count).fold(String::new(), |text, line| text + &format!("this is line {line}\n"))
    }

    #[test]
    fn a_gap_is_named_by_its_lines_and_filled_where_the_mark_is_longer() {
        let text = numbered(10);
        let (shown, written) = write_ranges(&text, &[(3, 4), (6, 6)], &[]);
        assert_eq!(written, [(3, 6)]);
        assert!(shown.starts_with("...[lines 1–2 left out]...\nthis is line 3\n"), "{shown}");
        assert!(shown.ends_with("line 6\n...[lines 7–10 left out]...\n"), "{shown}");
        assert_eq!(write_ranges("a\nb\nc", &[(2, 2)], &[]), ("a\nb\nc".to_owned(), vec![(1, 3)]));
    }

    #[test]
    fn lines_of_an_earlier_message_are_named_as_shown() {
        let text = numbered(30);
        let (shown, _) = write_ranges(&text, &[(20, 22)], &[(1, 19), (25, 27)]);
        assert!(shown.starts_with("...[lines 1–19 shown above]...\n"), "{shown}");
        assert!(shown.ends_with("...[lines 23–30 shown above or left out]...\n"), "{shown}");
    }

    #[test]
    fn ranges_fit_in_the_given_order_and_a_file_without_ranges_shows_head_and_tail() {
        let text = "123456789\n".repeat(10);
        assert_eq!(fit_ranges(&text, &[(8, 9), (1, 4)], 45), [(1, 1), (4, 4), (8, 9)]);
        assert_eq!(fit_ranges(&text, &[], 60), [(1, 3), (8, 10)]);
        assert_eq!(fit_ranges(&text, &[], 100), [(1, 10)]);
        assert_eq!(fit_ranges(&text, &[(1, 10)], 5), []);
        assert_eq!(fit_ranges("", &[(4, 2)], 5), []);
    }

    #[test]
    fn a_range_that_does_not_fit_shows_its_head_and_tail_around_what_is_kept_already() {
        let text = "123456789\n".repeat(100);
        assert_eq!(fit_ranges(&text, &[(1, 2), (11, 60)], 120), [(1, 2), (11, 15), (56, 60)]);
        assert_eq!(fit_ranges(&text, &[(11, 60)], 1_000), [(11, 60)]);
        let around = [(40, 42), (1, u32::MAX)];
        assert_eq!(fit_ranges(&text, &around, 130), [(1, 5), (40, 42), (96, 100)]);
        let near_the_end = [(3, 98), (1, 100)];
        assert_eq!(fit_ranges(&text, &near_the_end, 990), [(1, 1), (3, 98), (100, 100)]);
    }

    #[test]
    fn the_lines_around_a_line_are_as_many_before_it_as_after_it() {
        let sizes = [10; 100];
        assert_eq!(lines_around(&sizes, 50, 8, 1_000), (42, 58));
        assert_eq!(lines_around(&sizes, 50, 80, 70), (47, 53));
        assert_eq!(lines_around(&sizes, 3, 8, 1_000), (1, 11));
        assert_eq!(lines_around(&sizes, 200, 2, 1_000), (98, 100));
        assert_eq!(lines_around(&sizes, 50, 8, 0), (50, 50));
        assert_eq!(lines_around(&[], 5, 8, 10), (1, 1));
    }

    #[test]
    fn a_long_line_shows_its_head_and_tail() {
        let text = format!("first\n{}END\nlast\n", "x".repeat(60_000));
        let short = shorten_lines(&text, 1_000);
        assert!(short.starts_with("first\nxxx") && short.ends_with("xEND\nlast\n"), "{short}");
        assert!(short.contains("...[59084 characters of this line left out]..."), "{short}");
        assert!(
            short.lines().all(|line| line.chars().count() <= 1_000) && short.lines().count() == 3
        );
        assert_eq!(shorten_lines("short\n", 1_000), "short\n");
    }

    proptest! {
        #[test]
        fn new_and_known_lines_are_the_wanted_ones(
            wanted in prop::collection::vec((1_u32..60, 1_u32..60), 0..6),
            known in prop::collection::vec((1_u32..60, 1_u32..60), 0..6),
        ) {
            let has = |ranges: &[LineRange], line: u32| ranges.iter().any(|r| r.0 <= line && line <= r.1);
            let (wanted, known) = (join_ranges(wanted, 50), join_ranges(known, 50));
            let new = new_ranges(&wanted, &known);
            for line in 1..60 {
                prop_assert_eq!(has(&new, line), has(&wanted, line) && !has(&known, line));
            }
        }
    }
}
