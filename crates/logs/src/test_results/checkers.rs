//! Linters, type checkers, formatters and compilers that report the end of a check without findings.

use papayu_base::text::{Pattern, group};

use super::results::TestResults;

/// The last lines of tools that found nothing. `files` is the number of files, if the tool
/// names it.
static CLEAN: [Pattern; 12] = [
    Pattern::new(r"^Success: no issues found in (?<files>\d+) source files?$"),
    Pattern::new(r"^All checks passed!$"),
    Pattern::new(r"^(?<files>\d+) files? already formatted$"),
    Pattern::new(r"^(?<files>\d+) files? would be left unchanged\.$"),
    Pattern::new(r"^All matched files use Prettier code style!$"),
    Pattern::new(r"^Checked (?<files>\d+) files? in [^.]*\. No fixes applied\.$"),
    Pattern::new(r"^0 errors, \d+ warnings?, \d+ (?:informations?|notes?)"),
    Pattern::new(r"^(?<files>\d+) files? inspected, no offenses detected$"),
    Pattern::new(r"^0 issues\.$"),
    Pattern::new(r"^\s*\[OK\] No errors$"),
    Pattern::new(r"^\s+Finished (?:`|\w+ \[|\w+ target)"),
    Pattern::new(r"^Found 0 errors"),
];

/// Adds a check without findings if the line reports one. Returns `true` if it does.
pub(super) fn read_line(line: &str, results: &mut TestResults) -> bool {
    let Some(found) = CLEAN.iter().find_map(|pattern| pattern.captures(line)) else {
        return false;
    };
    let files = group(&found, "files").and_then(|text| text.parse().ok()).unwrap_or(1);
    results.add_checked(files);
    true
}
