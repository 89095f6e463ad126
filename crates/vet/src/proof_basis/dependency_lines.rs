//! Files that name a dependency in each line: those lines may change.

use papayu_base::text::Pattern;

/// Patterns of file paths in lower case, each with the pattern of a line that names a
/// dependency.
static ROWS: [(Pattern, Pattern); 4] = [
    (
        Pattern::new(
            r"(?:^|/)[^/]*(?:requirements|constraints)[^/]*\.(?:txt|in)$|(?:^|/)requirements/[^/]+$",
        ),
        Pattern::new(
            r"^[A-Za-z0-9][\w.-]*(?:\[[\w,\s-]*\])?\s*(?:[=<>!~]=?[^/@]*)?(?:;[^/@]*)?(?:\s+\\|\s+--hash=\S+)*\s*(?:#.*)?$",
        ),
    ),
    (
        Pattern::new(r"(?:^|/)go\.mod$"),
        Pattern::new(r"^(?:require\s*\(?\s*)?(?:\S+\s+v\d\S*)?(?:\s*//.*)?$|^\)$"),
    ),
    (
        Pattern::new(r"(?:^|/)gemfile$|\.gemspec$"),
        Pattern::new(
            r#"^(?:\w+\.)?(?:gem|add_\w*dependency)[\s(]+["'][\w-]+["'](?:,\s*["'][^"'/]*["'])*\)?$"#,
        ),
    ),
    (
        Pattern::new(r"(?:^|/)[^/]*\.gradle(?:\.kts)?$"),
        Pattern::new(
            r#"^\w+[\s(]+(?:platform\()?(?:["'][\w.-]+:[\w.-]+(?::[\w.+$-]+)?["']|libs(?:\.\w+)+)\)*$"#,
        ),
    ),
];

/// Packages that run a failed test again until it passes, or keep failures from the exit code.
const RETRYING: [&str; 8] = [
    "rerunfailures", "flaky", "pytest-retry", "pytest-ignore-flaky", "pytest-custom-exit-code",
    "rspec-retry", "minitest-retry", "pytest-skip",
];

/// Returns `true` if a package changes how failures are counted, so that adding it is no
/// ordinary dependency.
pub(super) fn is_retrying(name: &str) -> bool {
    RETRYING.iter().any(|part| name.contains(part))
}

/// Returns `true` if the file has a dependency in each line, and every line that was added or
/// removed is such a line.
pub(super) fn are_all(path: &str, before: &str, after: &str) -> bool {
    let lower = path.to_lowercase();
    let Some((_, line)) = ROWS.iter().find(|(name, _)| name.is_match(&lower)) else {
        return false;
    };
    let (old, new): (Vec<_>, Vec<_>) =
        (before.lines().map(str::trim).collect(), after.lines().map(str::trim).collect());
    let is_dependency = |text: &&&str| {
        text.is_empty()
            || text.starts_with('#')
            || text.starts_with("//")
            || (line.is_match(text) && !is_retrying(text))
    };
    // A package that retries tests may be removed, but not added.
    let goes = old
        .iter()
        .filter(|text| !new.contains(text))
        .all(|text| is_dependency(&text) || is_retrying(text));
    let comes = new.iter().filter(|text| !old.contains(text)).all(|text| is_dependency(&text));
    goes && comes
}
