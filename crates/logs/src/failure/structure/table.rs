//! Reads tables of results and findings by the names of their columns.
//!
//! ```text
//! TEST NAME       OUTCOME  MESSAGE
//! ──────────────  ───────  ────────────────────
//! CalcTest.adds   Fail     Expected: 3, Actual: 4
//!                          CalcTest: line 19
//! ```

/// The roles of columns, and the names that each has.
const COLUMNS: [(ColumnRole, &[&str]); 6] = [
    (ColumnRole::Status, &["outcome", "status", "result", "state", "severity", "level", "verdict"]),
    (ColumnRole::Line, &["line", "line(s)", "lines", "line:column", "line:col", "row"]),
    (ColumnRole::Path, &["file", "path", "filename"]),
    (
        ColumnRole::Message,
        &["message", "description", "problem", "solution", "reason", "error", "details", "issue"],
    ),
    (ColumnRole::Job, &["environment", "job", "step", "stage", "target", "board", "platform"]),
    (ColumnRole::Test, &["test", "test name", "test case", "testcase", "scenario", "check"]),
];
/// Beginnings of the words for a failure.
const FAILURES: [&str; 7] = ["fail", "error", "broken", "critical", "✗", "✘", "❌"];
/// Beginnings of the words for a success.
const SUCCESSES: [&str; 4] = ["pass", "ok", "success", "✓"];
/// Most rows.
const MAX_ROWS: usize = 200;

/// The meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnRole {
    Status,
    Line,
    Path,
    Message,
    /// The name of a job, which is no test.
    Job,
    Test,
}

/// A table with a column for the status of its rows.
#[derive(Debug, Default)]
pub(super) struct ResultTable {
    /// The rows with a failure.
    pub(super) failed: Vec<TableRow>,
    /// A row has a success.
    pub(super) has_passed: bool,
    /// The number of lines.
    pub(super) used: usize,
}

/// A row with a failure; cells that the table does not have are empty.
#[derive(Debug, Default)]
pub(super) struct TableRow {
    pub(super) test: String,
    pub(super) path: String,
    pub(super) line: Option<u32>,
    /// Its lines are those of the row and of the rows below that continue it.
    pub(super) message: String,
}

/// The columns of a table.
struct TableColumns {
    /// The roles, and the first character of each column.
    columns: Vec<(Option<ColumnRole>, usize)>,
    /// The bar between the columns, where there is one.
    bar: Option<char>,
}

/// Reads a table that begins with the names of its columns and a rule.
pub(super) fn read_table(lines: &[&str]) -> Option<ResultTable> {
    let (header, rule) = (lines.first()?, lines.get(1)?);
    if !is_rule(rule) {
        return None;
    }
    let columns = TableColumns::read(header)?;
    let mut table = ResultTable { used: 2, ..ResultTable::default() };
    let mut is_open = false;
    let is_of_jobs = columns.columns.iter().any(|(role, _)| *role == Some(ColumnRole::Job));
    for line in lines.iter().skip(2).take(MAX_ROWS).take_while(|line| !line.trim().is_empty()) {
        table.used += 1;
        if is_rule(line) {
            continue;
        }
        let cell = |role| columns.cell(line, role);
        let status = cell(ColumnRole::Status).to_lowercase();
        let message = cell(ColumnRole::Message);
        if status.is_empty() && is_open && cell(ColumnRole::Test).is_empty() {
            if let Some(row) = table.failed.last_mut() {
                row.message.extend(["\n", message.as_str()]);
            }
            continue;
        }
        is_open = FAILURES.iter().any(|word| status.starts_with(word));
        table.has_passed |= !is_of_jobs && SUCCESSES.iter().any(|word| status.starts_with(word));
        if is_open && !is_of_jobs {
            let number = cell(ColumnRole::Line);
            let line = number.split(':').next().and_then(|number| number.parse().ok());
            let (test, path) = (cell(ColumnRole::Test), cell(ColumnRole::Path));
            table.failed.push(TableRow { test, path, line, message });
        }
    }
    (is_of_jobs || !table.failed.is_empty()).then_some(table)
}

impl TableColumns {
    /// Reads the names of the columns. `None` without a status, or with nothing to which it belongs.
    fn read(header: &str) -> Option<Self> {
        let bar = ['|', '│'].into_iter().find(|bar| header.contains(*bar));
        let mut columns = Vec::new();
        let (mut start, mut blanks, mut name) = (0, 2, String::new());
        for (at, c) in header.chars().chain("  ".chars()).enumerate() {
            let is_end = bar.map_or(c == ' ' && blanks > 0, |bar| c == bar)
                || at + 1 > header.chars().count();
            if is_end && !name.trim().is_empty() {
                columns.push((role_of(name.trim()), start));
                name.clear();
            }
            blanks = if c == ' ' { blanks + 1 } else { 0 };
            if c != ' ' && Some(c) != bar && name.trim().is_empty() {
                (start, name) = (at, String::new());
            }
            if Some(c) != bar {
                name.push(c);
            }
        }
        let has = |role| columns.iter().any(|(own, _)| *own == Some(role));
        let has_subject =
            [ColumnRole::Test, ColumnRole::Line, ColumnRole::Job].into_iter().any(has);
        let is_wanted = has(ColumnRole::Status) && has_subject;
        is_wanted.then_some(Self { columns, bar })
    }

    /// Returns the text of a column in a row.
    fn cell(&self, line: &str, role: ColumnRole) -> String {
        let Some(at) = self.columns.iter().position(|(own, _)| *own == Some(role)) else {
            return String::new();
        };
        if let Some(bar) = self.bar {
            let line = line.trim().trim_matches(bar);
            return line.split(bar).nth(at).unwrap_or_default().trim().to_owned();
        }
        let start = self.columns.get(at).map_or(0, |column| column.1);
        let next = self.columns.get(at + 1).map_or(usize::MAX, |column| column.1);
        let text: String = line.chars().skip(start).take(next - start).collect();
        text.trim().to_owned()
    }
}

fn role_of(name: &str) -> Option<ColumnRole> {
    let name = name.to_lowercase();
    COLUMNS.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(role, _)| *role)
}

/// Returns `true` for a line of a table between its rows.
fn is_rule(line: &str) -> bool {
    let marks = line.chars().filter(|c| !c.is_whitespace()).count();
    marks > 5 && !line.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_those_below_the_names_of_the_columns() {
        let text = [
            "TEST NAME      OUTCOME  MESSAGE",
            "─────────────  ───────  ──────────",
            "A.opens        Pass",
            "A.adds         Fail     3, not 4",
            "                        at line 19",
        ];
        let table = read_table(&text).unwrap();
        let row = table.failed.first().unwrap();
        assert_eq!((row.test.as_str(), row.message.as_str()), ("A.adds", "3, not 4\nat line 19"));
        assert!(table.has_passed && table.failed.len() == 1 && table.used == 5);
        let barred = [
            "  Rule   |  severity  |  line(s)  | Solution",
            "---------+------------+-----------+-----------",
            "  a_01   | Error      |        3  | Move it.",
            "  a_02   | Warning    |        4  | Move it.",
        ];
        let table = read_table(&barred).unwrap();
        let row = table.failed.first().unwrap();
        assert_eq!((row.line, row.message.as_str()), (Some(3), "Move it."));
        assert_eq!(table.failed.len(), 1);
        assert!(read_table(&["NAME  READY  STATUS", "a     0/1    Error"]).is_none());
    }
}
