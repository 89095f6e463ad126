//! Selects the lines of a file to show: whole blocks, best first, as many as fit.

use super::evidence::words::ScoredBlock;
use super::line_ranges::{LineRange, new_ranges};

/// A head of imports up to this many characters is always shown.
const HEAD_CHARS: usize = 1_200;

/// Blocks with less than this share of the best score are not shown, even where they fit.
const LEAST_SHARE: f32 = 0.15;

/// Gaps of up to this many lines are filled, because a mark for the gap would be as long.
const HOLE: u32 = 3;

/// Returns separate line ranges in order, of about `budget` characters at most, without the lines of `prose`.
pub fn choose_windows(
    text: &str,
    blocks: &[ScoredBlock],
    prose: &[LineRange],
    budget: usize,
) -> Vec<LineRange> {
    new_ranges(&choose_blocks(text, blocks, prose, budget), prose)
}

fn choose_blocks(
    text: &str,
    blocks: &[ScoredBlock],
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
    let mut left = budget;
    let mut chosen: Vec<(u32, u32)> = Vec::new();
    if let Some(first) = blocks.first().map(|held| &held.block) {
        let head = size(first.start, first.end);
        if first.start <= 40 && head <= HEAD_CHARS.min(budget / 4) {
            left -= head;
            chosen.push((first.start, first.end));
        }
    }
    let mut is_begun = false;
    let least = blocks.iter().map(|held| held.score).fold(0.0, f32::max) * LEAST_SHARE;
    for at in order_blocks(blocks) {
        let Some(block) = blocks.get(at).map(|held| &held.block) else { continue };
        if is_begun && blocks.get(at).is_some_and(|held| held.score < least) {
            break;
        }
        if chosen.contains(&(block.start, block.end)) {
            continue;
        }
        let needed = size(block.start, block.end);
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
        assert_eq!(choose_windows(&text, &blocks(&[0.0, 1.0, 0.0], 100), &[], 3_000), [(1, 300)]);
        assert_eq!(choose_windows(&text, &blocks(&[0.0, 1.0, 0.5], 100), &[], 1_000), [(101, 200)]);
        assert_eq!(
            choose_windows(&text, &blocks(&[0.5, 0.0, 1.0], 100), &[], 2_000),
            [(1, 100), (201, 300)]
        );
    }

    #[test]
    fn a_block_too_large_is_begun() {
        let text = "123456789\n".repeat(300);
        assert_eq!(choose_windows(&text, &blocks(&[0.0, 1.0, 0.0], 100), &[], 500), [(101, 150)]);
        assert_eq!(choose_windows("", &[], &[], 0), [(1, 1)]);
    }
}
