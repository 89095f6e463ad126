//! Lays a hunk's old lines beside the file's within a narrow band, at the least cost.
//!
//! This is the alignment of Needleman and Wunsch (1970) kept to a band: a line of the hunk is taken for a
//! line of the file, or one of either is left out, each at its cost.

use crate::patch::line_roles::{HunkReading, LineRole};
use crate::patch::similarity::{
    fold_line, is_blank, is_misspelt, is_reworded, is_slip, is_telling,
};
use crate::patch::source::SourceText;

/// How many lines may be left out, on balance.
pub(super) const BAND: usize = 6;
const WIDTH: usize = 2 * BAND + 1;

/// What laying two lines beside each other costs.
/// A place is a line away from where it was looked for: of equals the nearest is taken.
const AWAY: f32 = 0.001;
const SPELLING: f32 = 0.15;
const OTHER_DEPTH: f32 = 1.2;
const MISSPELT: f32 = 0.6;
const REWORDED: f32 = 0.9;
const FILE_LINE_LEFT_OUT: f32 = 1.0;
const FILE_BLANK_LEFT_OUT: f32 = 0.2;
const OWN_BLANK_LEFT_OUT: f32 = 0.3;
const OWN_BLANK_BESIDE_NEW: f32 = 0.9;

/// Where old lines stand.
pub(super) struct Alignment {
    /// The file's line for each old line; `None` where the file does not have it.
    pub(super) map: Vec<Option<usize>>,
    pub(super) cost: f32,
}

/// How a cell of the table was reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    None,
    Match,
    SkipFile,
    SkipOwn,
}

/// Row r, column c: r old lines are laid, and the file goes on at line `first + r + c`.
struct AlignmentTable<'t, 'a> {
    source: &'t SourceText<'t>,
    old: Vec<(LineRole, &'a str)>,
    first: isize,
    /// The header names the line in the middle of the band.
    stated: bool,
    moves: Vec<[Step; WIDTH]>,
}

type Row = [f32; WIDTH];

/// Lays the old lines beside the file's from about a line on, which the header may have named; `None`
/// when they cannot stand there.
pub(super) fn align_reading(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    (start, stated): (isize, bool),
) -> Option<Alignment> {
    let old = reading.old_lines();
    let moves = vec![[Step::None; WIDTH]; old.len() + 1];
    let mut table =
        AlignmentTable { source, old, first: start - BAND.cast_signed(), stated, moves };
    let gaps = collect_gaps(reading);
    let new = new_before(reading);
    let mut costs: Row = std::array::from_fn(|column| {
        #[expect(clippy::cast_precision_loss, reason = "a handful of lines")]
        let away = column.abs_diff(BAND) as f32;
        away * AWAY
    });
    for row in 0..table.old.len() {
        let beside_new = new.get(row) == Some(&true) || new.get(row + 1) == Some(&true);
        costs = table.next_row(row, &costs, beside_new);
        let gap = gaps.get(row + 1).copied().unwrap_or(Gap::Nothing);
        table.leave_out(row + 1, &mut costs, gap);
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

    /// Lays one more old line: beside the file's next line, which keeps the column, or beside none,
    /// which moves left.
    fn next_row(&mut self, row: usize, costs: &Row, beside_new: bool) -> Row {
        let (tag, text) = self.old.get(row).copied().unwrap_or((LineRole::Context, ""));
        let own = QuotedLine::new(self.source, tag, text);
        let may_miss = tag == LineRole::Context && is_blank(text);
        let missing = if beside_new { OWN_BLANK_BESIDE_NEW } else { OWN_BLANK_LEFT_OUT };
        let mut next: Row = [f32::INFINITY; WIDTH];
        for (column, cost) in costs.iter().copied().enumerate() {
            if let Some(line) = self.line_at(row, column).filter(|_| cost.is_finite()) {
                let cost = cost
                    + own.substitution_cost(self.source.line(line), self.stated && column == BAND);
                self.record_move(&mut next, (row + 1, column), cost, Step::Match);
            }
            let Some(left) = column.checked_sub(1).filter(|_| may_miss) else { continue };
            self.record_move(&mut next, (row + 1, left), cost + missing, Step::SkipOwn);
        }
        next
    }

    /// Leaves out lines of the file before an old line, each of which moves right.
    fn leave_out(&mut self, row: usize, costs: &mut Row, gap: Gap) {
        for column in 1..WIDTH {
            let Some(line) = self.line_at(row, column - 1) else { continue };
            let cost = match (gap, is_blank(self.source.line(line))) {
                (Gap::Nothing, _) | (Gap::Blanks, false) => continue,
                (_, true) => FILE_BLANK_LEFT_OUT,
                (Gap::Any, false) => FILE_LINE_LEFT_OUT,
            };
            let cost = cost + costs.get(column - 1).copied().unwrap_or(f32::INFINITY);
            self.record_move(costs, (row, column), cost, Step::SkipFile);
        }
    }

    fn record_move(&mut self, costs: &mut Row, (row, column): (usize, usize), cost: f32, by: Step) {
        let cell = self.moves.get_mut(row).and_then(|moves| moves.get_mut(column));
        if let (Some(known), Some(cell)) = (costs.get_mut(column), cell)
            && cost < *known
        {
            (*known, *cell) = (cost, by);
        }
    }

    /// Returns where every old line stands on the way to this column of the last row.
    fn trace_back(&self, mut column: usize) -> Option<Vec<Option<usize>>> {
        let mut row = self.old.len();
        let mut map = vec![None; row];
        while row > 0 {
            match self.moves.get(row).and_then(|row| row.get(column))? {
                Step::Match => {
                    row -= 1;
                    *map.get_mut(row)? = self.line_at(row, column);
                }
                Step::SkipFile => column -= 1,
                Step::SkipOwn => (row, column) = (row - 1, column + 1),
                Step::None => return None,
            }
        }
        Some(map)
    }
}

/// A line of the hunk that is compared with some of the file's.
struct QuotedLine<'t, 'a> {
    source: &'t SourceText<'t>,
    tag: LineRole,
    text: &'a str,
    folded: Vec<u8>,
    /// Whether it may be a misquoted line: one that the file has is not.
    misquoted: bool,
}

impl<'t, 'a> QuotedLine<'t, 'a> {
    fn new(source: &'t SourceText<'t>, tag: LineRole, text: &'a str) -> Self {
        let misquoted = !source.has_folded(text);
        Self { source, tag, text, folded: fold_line(text), misquoted }
    }

    /// Returns what it costs to take the line for a line of the file; `stated` when the header says that
    /// it is that line.
    fn substitution_cost(&self, file: &str, stated: bool) -> f32 {
        if self.text.trim_end() == file.trim_end() {
            return 0.0;
        }
        if is_blank(self.text) || is_blank(file) {
            return f32::INFINITY;
        }
        if self.folded == fold_line(file) {
            // A `}` or an `end` at another depth is another one.
            return if is_telling(self.text) { SPELLING } else { OTHER_DEPTH };
        }
        let slip = || stated && is_slip(self.text, file);
        if self.misquoted && (slip() || is_misspelt(self.text, file, self.source.text())) {
            return MISSPELT;
        }
        if self.misquoted && self.tag == LineRole::Context && is_reworded(self.text, file) {
            return REWORDED;
        }
        f32::INFINITY
    }
}

/// What of the file may be left out before an old line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Any,
    Blanks,
    Nothing,
}

/// Returns what may be left out before each old line: between deleted lines only blank ones, and
/// nothing where a blank line goes too, or where new lines would have two places.
fn collect_gaps(reading: &HunkReading<'_>) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut last: Option<(LineRole, bool)> = None;
    let mut inserts = false;
    for (tag, text) in &reading.lines {
        match tag {
            LineRole::Insert => inserts = true,
            LineRole::Context | LineRole::Delete | LineRole::Gap => {
                let blank = is_blank(text);
                gaps.push(match (last, tag) {
                    (Some((LineRole::Delete, false)), LineRole::Delete) if !blank => Gap::Blanks,
                    (Some((LineRole::Delete, _)), LineRole::Delete) => Gap::Nothing,
                    (Some((LineRole::Context, _)), LineRole::Context) if inserts => Gap::Nothing,
                    _ => Gap::Any,
                });
                (last, inserts) = (Some((*tag, blank)), false);
            }
        }
    }
    gaps
}

/// Tells before which old lines, and after the last, new lines stand.
fn new_before(reading: &HunkReading<'_>) -> Vec<bool> {
    let mut new = vec![false];
    for (tag, _) in &reading.lines {
        match (tag, new.last_mut()) {
            (LineRole::Insert, Some(last)) => *last = true,
            _ => new.push(false),
        }
    }
    new
}
