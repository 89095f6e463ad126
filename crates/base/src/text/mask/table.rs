//! Reads tables with a head: values with commas or tabs between them, and the tables that databases and Markdown print.

use std::ops::Range;

use super::value::{MAX_VALUE, place_of};

/// The most lines of a table that are read.
const MAX_ROWS: usize = 200;

/// The bytes of a table that are read.
const MAX_TABLE: usize = 4 * MAX_VALUE;

/// The longest name in a head.
const MAX_HEAD: usize = 40;

const SEPARATORS: [char; 4] = [',', '\t', '|', ';'];

/// Returns `true` if the name before this text may be one of the head of a table.
pub(super) fn may_be_column(rest: &[u8]) -> bool {
    let name = rest
        .iter()
        .take(MAX_HEAD)
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
    let rest = rest.get(name.count()..).unwrap_or_default();
    let blanks = rest.iter().take(MAX_HEAD).take_while(|byte| b" \"".contains(byte)).count();
    rest.get(blanks).is_none_or(|byte| b",\t|;\r\n".contains(byte))
}

/// Returns the cells below a name in the head of a table, without quotes and blanks; none if its line is no head.
pub(super) fn cells_below(text: &str, name: &Range<usize>) -> Vec<Range<usize>> {
    let Some((start, near)) = table_at(text, name.start) else { return Vec::new() };
    let mut lines = near.split('\n');
    let head = lines.next().unwrap_or_default();
    let Some((separator, cells)) =
        SEPARATORS.into_iter().find_map(|it| Some((it, head_cells(head, it)?)))
    else {
        return Vec::new();
    };
    let before = head.get(..name.start - start).unwrap_or_default();
    let column = before.matches(separator).count();
    let rows = lines.take(MAX_ROWS).filter(|line| !is_rule(line)).map_while(|line| {
        let row: Vec<&str> = line.split(separator).collect();
        (row.len() == cells).then(|| row.get(column).copied().unwrap_or_default())
    });
    rows.map(|cell| place_of(text, without_quotes(cell))).filter(|cell| !cell.is_empty()).collect()
}

/// Returns the start of the line around a place, and the text from there.
fn table_at(text: &str, at: usize) -> Option<(usize, &str)> {
    let line = super::value::line_before(text, at);
    let start = at - line.len();
    let end = text.floor_char_boundary(start + MAX_TABLE);
    Some((start, text.get(start..end)?))
}

/// Returns the number of cells of a head: two or more names.
fn head_cells(line: &str, separator: char) -> Option<usize> {
    let inner = line.trim().trim_matches('|');
    let is_name = |cell: &str| {
        let cell = without_quotes(cell);
        !cell.is_empty()
            && cell.len() <= MAX_HEAD
            && cell.chars().all(|c| c.is_alphanumeric() || "_- .".contains(c))
    };
    let is_head = inner.contains(separator) && inner.split(separator).all(is_name);
    is_head.then(|| line.split(separator).count())
}

fn without_quotes(cell: &str) -> &str {
    cell.trim_matches([' ', '"', '\'', '\r'])
}

/// Returns `true` for a line between the head and the rows.
fn is_rule(line: &str) -> bool {
    !line.trim().is_empty() && line.trim().chars().all(|c| "-+|=: ".contains(c))
}
