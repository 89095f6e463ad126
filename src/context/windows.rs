//! Selects the lines of a file to show: whole blocks, best first, as many as fit.

use super::evidence::words::ScoredBlock;
use super::line_ranges::{LineRange, count_chars, lines_around, new_ranges};

/// Blocks with less than this share of the best score are not shown, even where they fit.
const LEAST_SHARE: f32 = 0.05;

/// Gaps of up to this many lines are filled, because a mark for the gap would be as long.
const HOLE: u32 = 3;

/// Lines shown before and after a place of the failure that is in no definition of a usual length.
const REACH: u32 = 80;

/// Returns separate line ranges in order, of about `budget` characters at most, without the lines of `prose`.
///
/// The `places` are lines of the failure for which no block is enough, the most important first.
pub fn choose_windows(
    text: &str,
    blocks: &[ScoredBlock],
    places: &[u32],
    prose: &[LineRange],
    budget: usize,
) -> Vec<LineRange> {
    let chosen = choose_blocks(text, blocks, places, prose, budget);
    new_ranges(&add_blank_lines(text, chosen), prose)
}

/// Adds the blank line before and after each range: a new definition is inserted there.
fn add_blank_lines(text: &str, mut ranges: Vec<LineRange>) -> Vec<LineRange> {
    let is_blank: Vec<bool> = text.lines().map(|line| line.trim().is_empty()).collect();
    let is_blank = |line: u32| {
        (line as usize).checked_sub(1).and_then(|at| is_blank.get(at)).copied().unwrap_or_default()
    };
    for (start, end) in &mut ranges {
        *start -= u32::from(is_blank(start.saturating_sub(1)));
        *end += u32::from(is_blank(end.saturating_add(1)));
    }
    join_ranges(ranges)
}

fn choose_blocks(
    text: &str,
    blocks: &[ScoredBlock],
    places: &[u32],
    prose: &[LineRange],
    budget: usize,
) -> Vec<LineRange> {
    let is_prose = |line: u32| {
        let next = prose.partition_point(|(_, end)| *end < line);
        prose.get(next).is_some_and(|(start, _)| *start <= line)
    };
    let size_of = |(line, number): (&str, u32)| {
        if is_prose(number) { 0 } else { line.chars().count() + 1 }
    };
    let sizes: Vec<usize> = text.lines().zip(1..).map(size_of).collect();
    let last = u32::try_from(sizes.len()).unwrap_or(u32::MAX).max(1);
    if sizes.iter().sum::<usize>() <= budget {
        return vec![(1, last)];
    }
    let size = |start: u32, end: u32| -> usize {
        sizes
            .get(start as usize - 1..(end as usize).min(sizes.len()))
            .unwrap_or_default()
            .iter()
            .sum()
    };
    let mut chosen = choose_places(&sizes, places, budget);
    let shown: usize = chosen.iter().map(|(start, end)| size(*start, *end)).sum();
    let mut left = budget.saturating_sub(shown);
    let mut is_begun = !places.is_empty();
    let least = blocks.iter().map(|held| held.score).fold(0.0, f32::max) * LEAST_SHARE;
    for at in order_blocks(blocks) {
        let Some(block) = blocks.get(at).map(|held| &held.block) else { continue };
        if is_begun && blocks.get(at).is_some_and(|held| held.score < least || held.score <= 0.0) {
            break;
        }
        if chosen.iter().any(|(start, end)| *start <= block.start && block.end <= *end) {
            continue;
        }
        let needed = size(block.start, block.end);
        if needed == 0 {
            // All of it is prose.
            continue;
        }
        if needed <= left {
            left -= needed;
            is_begun = true;
            chosen.push((block.start, block.end));
        } else if !is_begun {
            // Even the best block is too large: only its start fits.
            let mut end = block.start;
            while end < block.end && size(block.start, end + 1) <= left {
                end += 1;
            }
            chosen.push((block.start, end));
            break;
        }
    }
    join_ranges(chosen)
}

/// Returns the number of characters of the lines that are shown around the places, at most `budget`.
pub fn count_chars_around(text: &str, places: &[u32], budget: usize) -> usize {
    let sizes: Vec<usize> = text.lines().map(|line| line.chars().count() + 1).collect();
    count_chars(text, &choose_places(&sizes, places, budget)).min(budget)
}

/// Returns the lines around each place, as long as a fourth of the budget is left.
fn choose_places(sizes: &[usize], places: &[u32], budget: usize) -> Vec<LineRange> {
    let mut chosen: Vec<LineRange> = Vec::new();
    let mut left = budget;
    for place in places {
        let is_shown = chosen.iter().any(|(start, end)| start <= place && place <= end);
        if is_shown || left < budget / 4 {
            continue;
        }
        let (start, end) = lines_around(sizes, *place, REACH, left);
        let lines = sizes.get(start as usize - 1..(end as usize).min(sizes.len()));
        left = left.saturating_sub(lines.unwrap_or_default().iter().sum());
        chosen.push((start, end));
    }
    chosen
}

/// Returns the positions of the blocks, best first.
fn order_blocks(blocks: &[ScoredBlock]) -> Vec<usize> {
    let mut worthy: Vec<usize> = (0..blocks.len()).collect();
    let score = |at: &usize| blocks.get(*at).map_or(0.0, |held| held.score);
    worthy.sort_by(|one, other| score(other).total_cmp(&score(one)).then(one.cmp(other)));
    worthy
}

/// Joins ranges that touch or nearly touch.
fn join_ranges(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut out: Vec<(u32, u32)> = Vec::new();
    for (start, end) in ranges {
        match out.last_mut() {
            Some(before) if start <= before.1.saturating_add(HOLE + 1) => {
                before.1 = before.1.max(end);
            }
            _ => out.push((start, end)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::evidence::blocks::CodeBlock;

    fn blocks(scores: &[f32], lines: u32) -> Vec<ScoredBlock> {
        let block = |(score, at): (&f32, u32)| ScoredBlock {
            block: CodeBlock { start: at * lines + 1, end: (at + 1) * lines, name: None },
            score: *score,
        };
        scores.iter().zip(0..).map(block).collect()
    }

    #[test]
    fn what_fits_is_shown_whole_and_else_the_worthiest_blocks() {
        let text = "123456789\n".repeat(300);
        let choose =
            |scores: &[f32], budget| choose_windows(&text, &blocks(scores, 100), &[], &[], budget);
        assert_eq!(choose(&[0.0, 1.0, 0.0], 3_000), [(1, 300)]);
        assert_eq!(choose(&[0.0, 1.0, 0.5], 1_000), [(101, 200)]);
        assert_eq!(choose(&[0.5, 0.0, 1.0], 2_000), [(1, 100), (201, 300)]);
        // A block too large is begun.
        assert_eq!(choose(&[0.0, 1.0, 0.0], 500), [(101, 150)]);
        assert_eq!(choose_windows("", &[], &[], &[], 0), [(1, 1)]);
    }

    #[test]
    fn a_place_outside_of_definitions_is_shown_with_80_lines_around_it_or_as_many_as_fit() {
        let text = "123456789\n".repeat(1_000);
        let choose = |places: &[u32], budget| {
            choose_windows(&text, &blocks(&[1.0; 10], 100), places, &[], budget)
        };
        assert_eq!(choose(&[500], 1_650), [(420, 580)]);
        assert_eq!(choose(&[500], 600), [(471, 529)]);
        // A second place near the first one is shown with it.
        assert_eq!(choose(&[500, 520], 1_650), [(420, 580)]);
        // A block in addition, if it fits.
        assert_eq!(choose(&[500], 2_700), [(1, 100), (420, 580)]);
    }

    #[test]
    fn a_best_block_of_prose_alone_leaves_the_room_to_the_next_one() {
        let text = "123456789\n".repeat(300);
        let blocks = blocks(&[1.0, 0.5, 0.0], 100);
        assert_eq!(choose_windows(&text, &blocks, &[], &[(1, 100)], 50), [(101, 105)]);
    }

    #[test]
    fn the_blank_lines_around_a_block_are_shown_with_it() {
        let text = "123456789\n123456789\n\n".repeat(10);
        let block = |at: u32| ScoredBlock {
            block: CodeBlock { start: at * 3 + 1, end: at * 3 + 2, name: None },
            score: if at == 4 { 1.0 } else { 0.0 },
        };
        let blocks: Vec<ScoredBlock> = (0..10).map(block).collect();
        assert_eq!(choose_windows(&text, &blocks, &[], &[], 30), [(12, 15)]);
    }
}
