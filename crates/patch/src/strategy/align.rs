//! Alignment of a hunk's old lines with the file's lines in a narrow band, at the lowest cost.
//!
//! This is the algorithm of Needleman and Wunsch (1970) restricted to a band: a line of the hunk matches
//! a line of the file, or one of them is skipped, each at its cost.

use crate::line_roles::{HunkLine, HunkReading, LineRole};
use crate::similarity::{fold_line, is_blank, is_distinctive, is_misspelt, is_reworded, is_typo};
use crate::source::SourceText;

/// The largest difference between skipped file lines and skipped hunk lines.
pub(super) const BAND: usize = 6;
const WIDTH: usize = 2 * BAND + 1;

/// The cost of each line of distance from the expected start, so that of equals the nearest wins.
const DISTANCE_COST: f32 = 0.001;
/// The cost of a match that differs in blanks, quotes or dashes.
const SPELLING_COST: f32 = 0.15;
/// The cost of a match of a bracket or keyword with another indentation.
const BRACKET_COST: f32 = 1.2;
const MISSPELT_COST: f32 = 0.6;
const REWORDED_COST: f32 = 0.9;
const SKIPPED_FILE_LINE_COST: f32 = 1.0;
const SKIPPED_FILE_BLANK_COST: f32 = 0.2;
const SKIPPED_OWN_BLANK_COST: f32 = 0.3;
/// The cost of skipping a blank line of the hunk next to new lines.
const SKIPPED_EDGE_BLANK_COST: f32 = 0.9;

/// The lines of the file that match the old lines.
pub(super) struct Alignment {
    /// For each old line, the file line; `None` where the file lacks it.
    pub(super) map: Vec<Option<usize>>,
    /// The sum of the costs of all steps; lower is better.
    pub(super) cost: f32,
}

/// The step that reaches a cell of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AlignStep {
    None,
    Match,
    SkipFile,
    SkipOwn,
}

/// The steps of the alignment. In row r and column c, r old lines are aligned, and the next file line
/// is `first + r + c`.
struct AlignmentTable<'t, 'a> {
    source: &'t SourceText<'t>,
    old: Vec<HunkLine<'a>>,
    first: isize,
    /// The header states the line in the middle of the band.
    stated: bool,
    steps: Vec<[AlignStep; WIDTH]>,
}

type CostRow = [f32; WIDTH];

/// A position in the table.
#[derive(Clone, Copy)]
struct Cell {
    /// The number of old lines that are aligned.
    row: usize,
    /// The next file line, counted from `first + row`.
    column: usize,
}

/// Aligns the old lines with the file's lines from about `start` on; `stated` if a header states that
/// line. Returns `None` if they cannot be aligned there.
pub(super) fn align_reading(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    start: isize,
    stated: bool,
) -> Option<Alignment> {
    let old = reading.old_lines();
    let steps = vec![[AlignStep::None; WIDTH]; old.len() + 1];
    // The expected line is in the middle of the band, so that the hunk may begin above or below it.
    let first = start - BAND.cast_signed();
    let mut table = AlignmentTable { source, old, first, stated, steps };
    let skip_rules = collect_skip_rules(reading);
    let new_before = find_new_before(reading);
    let mut costs: CostRow = std::array::from_fn(|column| {
        #[expect(clippy::cast_precision_loss, reason = "at most the width of the band")]
        let distance = column.abs_diff(BAND) as f32;
        distance * DISTANCE_COST
    });
    for row in 0..table.old.len() {
        // A blank line next to new lines decides where they go.
        let near_new = new_before.iter().skip(row).take(2).any(|new| *new);
        costs = table.align_next(row, &costs, near_new);
        let rule = skip_rules.get(row + 1).copied().unwrap_or(SkipRule::Nothing);
        table.skip_file_lines(row + 1, &mut costs, rule);
    }
    let cheapest = costs.iter().enumerate().min_by(|one, other| one.1.total_cmp(other.1));
    let (column, cost) = cheapest.filter(|(_, cost)| cost.is_finite())?;
    Some(Alignment { map: table.trace_back(column)?, cost: *cost })
}

impl AlignmentTable<'_, '_> {
    fn line_at(&self, row: usize, column: usize) -> Option<usize> {
        let line = self.first.checked_add_unsigned(row + column)?;
        usize::try_from(line).ok().filter(|line| *line < self.source.len())
    }

    /// Aligns one more old line: with the next file line, which keeps the column, or with none, which
    /// moves one column to the left.
    fn align_next(&mut self, row: usize, costs: &CostRow, near_new: bool) -> CostRow {
        let empty = HunkLine { role: LineRole::Context, text: "" };
        let line = self.old.get(row).copied().unwrap_or(empty);
        let own = QuotedLine::new(self.source, line);
        let may_skip = line.role == LineRole::Context && is_blank(line.text);
        let skip_cost = if near_new { SKIPPED_EDGE_BLANK_COST } else { SKIPPED_OWN_BLANK_COST };
        let mut next: CostRow = [f32::INFINITY; WIDTH];
        for (column, cost) in costs.iter().copied().enumerate() {
            if let Some(line) = self.line_at(row, column).filter(|_| cost.is_finite()) {
                let is_stated = self.stated && column == BAND;
                let cost = cost + own.match_cost(self.source.line(line), is_stated);
                self.record_step(&mut next, Cell { row: row + 1, column }, cost, AlignStep::Match);
            }
            if let Some(left) = column.checked_sub(1).filter(|_| may_skip) {
                let cell = Cell { row: row + 1, column: left };
                self.record_step(&mut next, cell, cost + skip_cost, AlignStep::SkipOwn);
            }
        }
        next
    }

    /// Skips file lines before an old line; each moves one column to the right.
    fn skip_file_lines(&mut self, row: usize, costs: &mut CostRow, rule: SkipRule) {
        for column in 1..WIDTH {
            let Some(line) = self.line_at(row, column - 1) else { continue };
            let cost = match (rule, is_blank(self.source.line(line))) {
                (SkipRule::Nothing, _) | (SkipRule::Blanks, false) => continue,
                (_, true) => SKIPPED_FILE_BLANK_COST,
                (SkipRule::Any, false) => SKIPPED_FILE_LINE_COST,
            };
            let cost = cost + costs.get(column - 1).copied().unwrap_or(f32::INFINITY);
            self.record_step(costs, Cell { row, column }, cost, AlignStep::SkipFile);
        }
    }

    /// Records a step to the cell in this row and column if it is cheaper than the known one.
    fn record_step(&mut self, costs: &mut CostRow, cell: Cell, cost: f32, step: AlignStep) {
        let Cell { row, column } = cell;
        let cell = self.steps.get_mut(row).and_then(|steps| steps.get_mut(column));
        if let (Some(known), Some(cell)) = (costs.get_mut(column), cell)
            && cost < *known
        {
            (*known, *cell) = (cost, step);
        }
    }

    /// Returns the file line of every old line on the way to a column of the last row.
    fn trace_back(&self, mut column: usize) -> Option<Vec<Option<usize>>> {
        let mut row = self.old.len();
        let mut map = vec![None; row];
        while row > 0 {
            match self.steps.get(row).and_then(|row| row.get(column))? {
                AlignStep::Match => {
                    row -= 1;
                    *map.get_mut(row)? = self.line_at(row, column);
                }
                AlignStep::SkipFile => column -= 1,
                AlignStep::SkipOwn => (row, column) = (row - 1, column + 1),
                AlignStep::None => return None,
            }
        }
        Some(map)
    }
}

/// A line of the hunk, prepared for comparison with lines of the file.
struct QuotedLine<'t, 'a> {
    source: &'t SourceText<'t>,
    line: HunkLine<'a>,
    folded: Vec<u8>,
    /// The file does not have the line, so it may be misquoted.
    misquoted: bool,
}

impl<'t, 'a> QuotedLine<'t, 'a> {
    fn new(source: &'t SourceText<'t>, line: HunkLine<'a>) -> Self {
        let misquoted = !source.has_folded(line.text);
        Self { source, line, folded: fold_line(line.text), misquoted }
    }

    /// Returns the cost of a match with a line of the file, infinite if they do not match; `stated` if
    /// the header states that line.
    fn match_cost(&self, file: &str, stated: bool) -> f32 {
        let text = self.line.text;
        if text.trim_end() == file.trim_end() {
            return 0.0;
        }
        if is_blank(text) || is_blank(file) {
            return f32::INFINITY;
        }
        if self.folded == fold_line(file) {
            // A `}` or an `end` with another indentation is probably a different one.
            return if is_distinctive(text) { SPELLING_COST } else { BRACKET_COST };
        }
        if !self.misquoted {
            return f32::INFINITY;
        }
        if (stated && is_typo(text, file))
            || is_misspelt(text, file, |word| self.source.has_word(word))
        {
            return MISSPELT_COST;
        }
        if self.line.role == LineRole::Context && is_reworded(text, file) {
            return REWORDED_COST;
        }
        f32::INFINITY
    }
}

/// The file lines that may be skipped before an old line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SkipRule {
    Any,
    Blanks,
    Nothing,
}

/// Returns the rule for each old line.
///
/// Between deleted lines only blank lines may be skipped. Nothing may be skipped next to a deleted blank
/// line, or where new lines between two context lines would have two places.
fn collect_skip_rules(reading: &HunkReading<'_>) -> Vec<SkipRule> {
    let mut rules = Vec::new();
    let mut last: Option<HunkLine<'_>> = None;
    let mut inserts = false;
    for line in &reading.lines {
        if line.role == LineRole::Insert {
            inserts = true;
            continue;
        }
        let last_role = last.map(|last| last.role);
        let blank = is_blank(line.text) || last.is_some_and(|last| is_blank(last.text));
        rules.push(match (last_role, line.role) {
            (Some(LineRole::Delete), LineRole::Delete) if blank => SkipRule::Nothing,
            (Some(LineRole::Delete), LineRole::Delete) => SkipRule::Blanks,
            (Some(LineRole::Context), LineRole::Context) if inserts => SkipRule::Nothing,
            _ => SkipRule::Any,
        });
        (last, inserts) = (Some(*line), false);
    }
    rules
}

/// Returns, for each old line and for the end, whether new lines precede it.
fn find_new_before(reading: &HunkReading<'_>) -> Vec<bool> {
    let mut new = vec![false];
    for line in &reading.lines {
        match (line.role, new.last_mut()) {
            (LineRole::Insert, Some(last)) => *last = true,
            _ => new.push(false),
        }
    }
    new
}
