//! Runners that print totals only, a line each: Surefire, .NET, RSpec, minitest, PHPUnit, `CTest`.

use papayu_base::domain::outcome::TestCounts;
use papayu_base::text::{Pattern, group};

use super::results::TestResults;

/// The totals of one runner; a group that is missing counts zero. `passed` is what is left of
/// `total` where the runner does not print it. Gradle is not here: it prints totals only when a test fails.
static TOTALS: [Pattern; 8] = [
    // Surefire prints one line a class, with the time, and one for all.
    Pattern::new(
        r"^(?:\[\w+\]\s*)?Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+)$",
    ),
    Pattern::new(
        r"^\s*(?:Passed|Failed)!\s+- Failed:\s+(?<failed>\d+), Passed:\s+(?<passed>\d+), Skipped:\s+(?<skipped>\d+), Total:\s+\d+",
    ),
    Pattern::new(
        r"^(?<total>\d+) examples?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) pending)?(?:, (?<errors>\d+) errors? .*)?$",
    ),
    Pattern::new(
        r"^(?<total>\d+) (?:runs|tests), \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors(?:, \d+ pendings)?(?:, \d+ omissions)?, (?<skipped>\d+) (?:skips|notifications)",
    ),
    Pattern::new(r"^OK \((?<total>\d+) tests?, \d+ assertions?\)$"),
    Pattern::new(
        r"^Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failed>\d+))?(?:, [A-Z][\w ]*?: \d+)*?(?:, Skipped: (?<skipped>\d+))?(?:, [A-Z][\w ]*?: \d+)*\.$",
    ),
    Pattern::new(r"^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$"),
    Pattern::new(r"^(?<total>\d+) tests?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) skipped)?$"),
];

/// Returns `true` if the line has the totals of one of these runners.
pub(super) fn read_totals(line: &str, results: &mut TestResults) -> bool {
    if !line.contains("test")
        && !line.contains("Test")
        && !line.contains("!  - ")
        && !line.contains("examples")
        && !line.contains(" runs, ")
    {
        return false;
    }
    let Some(found) = TOTALS.iter().find_map(|pattern| pattern.captures(line)) else {
        return false;
    };
    let number = |name| group(&found, name).and_then(|text| text.parse::<u64>().ok());
    let failed = number("failed").unwrap_or_default() + number("errors").unwrap_or_default();
    let skipped = number("skipped").unwrap_or_default();
    let rest = number("total").unwrap_or_default().saturating_sub(failed + skipped);
    results.add_totals(TestCounts { passed: number("passed").unwrap_or(rest), failed, skipped });
    true
}
