//! Runners that name each test on a line of its own: `CTest`, .NET with its normal verbosity, minitest with `-v`.

use papayu_base::text::{Pattern, group};

use super::results::{TestResults, TestStatus};

/// Result lines of `CTest`, .NET and minitest.
static LINES: [Pattern; 3] = [
    Pattern::new(
        r"^\s*\d+/\d+ Test\s+#\d+: (?<name>\S.*?) \.*\s*(?<status>Passed|\*\*\*[A-Z][\w ]*?|[A-Z][\w ]*\*\*\*\w+:?)(?:\s+[\d.]+ sec.*)?$",
    ),
    Pattern::new(
        r"^\s+(?<status>Passed|Failed|Skipped) (?<name>\S.*?) \[(?:< )?[\d.,]+ (?:ms|s|m|h).*\]$",
    ),
    Pattern::new(r"^(?<name>[A-Z][\w:]*#test_\S.*?) = \d+\.\d+ s = (?<status>[.FES])$"),
];

/// Returns `true` if the line is the result of one test.
pub(super) fn read_test(line: &str, results: &mut TestResults) -> bool {
    // Most lines of an output are none of these; the words exclude them without a pattern.
    let is_likely = line.contains(" sec") || line.ends_with(']') || line.contains("#test_");
    let found = LINES.iter().find_map(|pattern| is_likely.then(|| pattern.captures(line))?);
    let Some(found) = found else { return false };
    let (Some(name), Some(status)) = (group(&found, "name"), group(&found, "status")) else {
        return false;
    };
    results.add(name, TestStatus::of_word(status));
    true
}
