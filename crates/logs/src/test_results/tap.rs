//! The Test Anything Protocol: node:test, tape, ava `--tap`, bats.

use papayu_base::domain::outcome::TestCounts;
use papayu_base::text::{Pattern, group};

use super::javascript::NodeTotals;
use super::line::indentation;
use super::results::{TestResults, TestStatus, count};

static POINT: Pattern = Pattern::new(
    r"^\s*(?<status>ok|not ok) \d+(?: - | )?(?<name>.*?)(?:\s+# (?<directive>SKIP|TODO|skip|todo).*|\s+# time=.*|\s+in \d+ms)?$",
);
static PLAN: Pattern = Pattern::new(r"^1\.\.(?<count>\d+)(?: #.*)?$");

/// The points so far.
#[derive(Debug, Default)]
pub(super) struct TapReader {
    /// Names, with results, of points without points below them.
    leaves: Vec<(String, TestStatus)>,
    /// The same of points that end a group.
    groups: Vec<(String, TestStatus)>,
    /// Points that the plans at the outermost level announce.
    planned: Option<u64>,
    /// Points at the outermost level.
    outer: u64,
    indent: usize,
    totals: NodeTotals,
}

impl TapReader {
    /// Returns `true` if the line is part of this protocol.
    pub(super) fn read_line(&mut self, line: &str, _results: &mut TestResults) -> bool {
        if let Some(comment) = line.strip_prefix("# ") {
            return self.totals.read_line(comment);
        }
        if let Some(found) = PLAN.captures(line) {
            let number: Option<u64> = group(&found, "count").and_then(|text| text.parse().ok());
            *self.planned.get_or_insert_default() += number.unwrap_or_default();
            return true;
        }
        let text = line.trim_start();
        if !text.starts_with("ok ") && !text.starts_with("not ok ") {
            return false;
        }
        let Some(found) = POINT.captures(line) else { return false };
        let status = match (group(&found, "directive"), group(&found, "status")) {
            (Some(_), _) => TestStatus::Skipped,
            (None, Some("ok")) => TestStatus::Passed,
            _ => TestStatus::Failed,
        };
        let point = (group(&found, "name").unwrap_or_default().to_owned(), status);
        let indent = indentation(line);
        if indent < self.indent {
            self.groups.push(point);
        } else {
            self.leaves.push(point);
        }
        self.outer += u64::from(indent == 0);
        self.indent = indent;
        true
    }

    /// Ends the output.
    pub(super) fn finish(&mut self, results: &mut TestResults) {
        if self.leaves.is_empty() {
            let is_zero = self.totals.finish() == Some(TestCounts::default());
            results.is_idle |= is_zero || self.planned == Some(0);
            return;
        }
        // A group is a suite, or a test with tests inside it, which node counts as a test.
        let suites = self.totals.suites.unwrap_or(count(self.groups.len()));
        let mut points = std::mem::take(&mut self.leaves);
        if suites == 0 {
            points.append(&mut self.groups);
        }
        let seen = |wanted| count(points.iter().filter(|(_, status)| *status == wanted).count());
        if let Some(totals) = self.totals.finish() {
            results.add_totals(totals);
        } else if self.planned == Some(self.outer) {
            results.add_totals(TestCounts {
                passed: seen(TestStatus::Passed),
                failed: seen(TestStatus::Failed),
                skipped: seen(TestStatus::Skipped),
            });
        }
        for (name, status) in points {
            results.add(&name, status);
        }
    }
}
