//! The settings that may not become laxer: a table of files, keys and guards.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use super::measure::CountedMark;
use super::settings::{ConfigEntry, ConfigSettings};
use papayu_base::text::Pattern;

/// A change that a setting may not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GuardedChange {
    /// A level falls: `error` over `warn` over `off`.
    Level,
    /// A check is switched off, or written as off.
    On,
    /// An exception is switched on.
    Off,
    /// A list gets longer.
    Grows,
    /// A list that was there gets shorter, or gets there.
    Shrinks,
    /// A number gets larger, or gets there.
    Rises,
    /// A number gets smaller or goes.
    /// The list of exceptions or limits must keep its value, because values cannot be ordered.
    Falls,
    /// The value of what is there changes.
    Fixed,
}

/// A row: in these files, these keys are guarded.
struct SettingRule {
    /// Matched against the path in lower case.
    files: &'static str,
    /// Matched against the dotted key.
    keys: &'static str,
    guard: GuardedChange,
}

/// Returns a row of the table.
const fn new_rule(files: &'static str, keys: &'static str, guard: GuardedChange) -> SettingRule {
    SettingRule { files, keys, guard }
}

/// Linters of JavaScript and CSS.
const ESLINT: &str = r"(?:^|/)(?:\.eslintrc(?:\.\w+)?|eslint\.config\.\w+|\.oxlintrc\.json|biome\.jsonc?|package\.json|\.stylelintrc(?:\.\w+)?|stylelint\.config\.\w+|\.markdownlint\S*|tslint\.json|deno\.jsonc?)$";
/// The TypeScript compiler and Deno.
const TSCONFIG: &str = r"(?:^|/)(?:tsconfig|jsconfig)[^/]*\.json$|(?:^|/)deno\.jsonc?$";
/// Linters, type checkers and test runners of Python.
const PYTHON: &str = r"(?:^|/)(?:pyproject\.toml|\.?ruff\.toml|setup\.cfg|tox\.ini|\.flake8|\.?pylintrc|\.?mypy\.ini|pytest\.ini|\.?pytest\.toml|pyrightconfig\.json|\.coveragerc|\.bandit)$";
/// Test runners of JavaScript.
const RUNNERS: &str = r"(?:^|/)(?:(?:jest|vitest|vite|playwright|cypress|wdio|karma|ava|web-test-runner)[\w.-]*\.config\.\w+|karma\.conf\.\w+|\.mocharc(?:\.\w+)?|\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|package\.json|bunfig\.toml|jest\.setup\.\w+|vitest\.setup\.\w+|vitest\.workspace\.\w+)$";
/// cargo-nextest.
const NEXTEST: &str = r"(?:^|/)(?:\.config/)?nextest\.toml$";
/// Services that check the coverage.
const COVERAGE: &str = r"(?:^|/)\.?codecov\.ya?ml$|(?:^|/)\.coveralls\.ya?ml$";
/// `RuboCop`.
const RUBY: &str = r"(?:^|/)\.rubocop(?:_todo)?\.yml$";
/// `PHPStan`, Psalm, `PHP_CodeSniffer` and PHPUnit.
const PHP: &str = r"(?:^|/)(?:phpstan|psalm|phpcs|phpunit)\S*\.(?:neon|xml|dist)$";
/// golangci-lint.
const GO: &str = r"(?:^|/)\.golangci\.(?:ya?ml|toml|json)$";
/// `SwiftLint` and detekt.
const SWIFT: &str = r"(?:^|/)\.swiftlint\.yml$|(?:^|/)detekt\S*\.yml$";
/// Files with scripts of a package manager.
const SCRIPTS: &str = r"(?:^|/)(?:package|composer|deno)\.jsonc?$";
/// Any YAML file: the keys of CI services that ignore a failure.
const ANY_YAML: &str = r"\.ya?ml$";

/// The table. A key that no row matches may change freely.
const RULES: &[SettingRule] = &[
    new_rule(
        TSCONFIG,
        r"(?i)compilerOptions\.(?:strict\w*|noImplicit\w+|noUnused\w+|noUnchecked\w+|noFallthrough\w+|noPropertyAccess\w+|noUncheckedSideEffect\w+|exactOptional\w+|alwaysStrict|useUnknownInCatch\w+|noEmitOnError|checkJs|forceConsistent\w+|verbatimModuleSyntax|erasableSyntaxOnly)$",
        GuardedChange::On,
    ),
    new_rule(
        TSCONFIG,
        r"(?i)compilerOptions\.(?:skip\w*LibCheck|suppress\w+|allowUnreachableCode|allowUnusedLabels|noCheck|keyofStringsOnly)$",
        GuardedChange::Off,
    ),
    // Files that are not part of the project are not checked.
    new_rule(TSCONFIG, r"^exclude$", GuardedChange::Grows),
    new_rule(TSCONFIG, r"^(?:include|files)$", GuardedChange::Shrinks),
    // `"eqeqeq": "error"` to `"warn"`, or 2 to 1: only errors fail the command.
    new_rule(ESLINT, r"(?i)(?:^|\.)(?:rules|diagnostics)\.", GuardedChange::Level),
    new_rule(
        ESLINT,
        r"(?i)(?:^|\.)(?:ignorePatterns|ignores|ignoreFiles|ignore|excludedFiles)$",
        GuardedChange::Grows,
    ),
    new_rule(
        ESLINT,
        r"(?i)(?:^|\.)(?:linter|formatter|assist|organizeImports)\.enabled$|(?:^|\.)recommended$",
        GuardedChange::On,
    ),
    // Without these options a comment in the code can switch rules off.
    new_rule(
        ESLINT,
        r"(?i)(?:^|\.)(?:noInlineConfig|reportUnusedDisableDirectives)$",
        GuardedChange::On,
    ),
    // `[lints.rust]` and `[workspace.lints.clippy]`: `deny` to `warn` or `allow`.
    new_rule(r"(?:^|/)cargo\.toml$", r"(?:^|\.)lints\.", GuardedChange::Level),
    new_rule(
        r"(?:^|/)cargo\.toml$",
        r"(?:^|\.)(?:autotests|autobenches|doctest|harness|overflow-checks|debug-assertions)$|^(?:lib|test|bin)\.test$",
        GuardedChange::On,
    ),
    new_rule(
        r"(?:^|/)\.?clippy\.toml$",
        r"threshold|limit|^max-|-max$|complexity|^too-|^array-size",
        GuardedChange::Rises,
    ),
    // `allow-unwrap-in-tests` and its like switch a lint off in some places.
    new_rule(r"(?:^|/)\.?clippy\.toml$", r"^allow-|^suppress-|^avoid-breaking", GuardedChange::Off),
    new_rule(r"(?:^|/)\.?clippy\.toml$", r"^(?:allowed|ignore|doc-valid)", GuardedChange::Grows),
    new_rule(
        r"(?:^|/)\.?clippy\.toml$",
        r"^(?:disallowed|await-holding|enforced|warn-on)",
        GuardedChange::Shrinks,
    ),
    new_rule(r"(?:^|/)\.?rustfmt\.toml$", r"^ignore$", GuardedChange::Grows),
    new_rule(r"(?:^|/)\.?rustfmt\.toml$", r"^disable_all_formatting$", GuardedChange::Off),
    new_rule(
        NEXTEST,
        r"(?:^|\.)(?:retries|count|period|terminate-after|slow-timeout|leak-timeout|global-timeout)$",
        GuardedChange::Rises,
    ),
    // A filter decides which tests run at all; whether a new one is narrower cannot be judged.
    new_rule(NEXTEST, r"(?:^|\.)(?:default-filter|filter)$", GuardedChange::Fixed),
    new_rule(
        PYTHON,
        r"(?:^|[.:])(?:ignore|extend-ignore|extend_ignore|unfixable|exclude|extend-exclude|extend_exclude|force-exclude|per-file-ignores\S*|extend-per-file-ignores\S*|per_file_ignores|disable|disable_error_code|ignore-paths|ignore-patterns|ignored-modules|ignored-classes|omit|exclude_lines|exclude_also|norecursedirs|collect_ignore|skips|exclude_dirs|exclude-protected|good-names)$|per-file-ignores\.",
        GuardedChange::Grows,
    ),
    new_rule(
        PYTHON,
        r"(?:^|[.:])(?:select|extend-select|extend_select|enable|enable_error_code|testpaths|python_files|python_classes|python_functions|files|packages|source|include)$",
        GuardedChange::Shrinks,
    ),
    new_rule(
        PYTHON,
        r"(?:^|[.:])(?:ignore_errors|ignore_missing_imports|implicit_reexport|implicit_optional|allow_untyped\w*|allow_redefinition|skip_covered|disable_all_formatting|no_site_packages|exit-zero)$",
        GuardedChange::Off,
    ),
    new_rule(
        PYTHON,
        r"(?:^|[.:])(?:strict\w*|disallow_\w+|check_untyped_defs|warn_\w+|no_implicit_\w+|extra_checks|xfail_strict|branch|strictListInference|strictDictionaryInference)$",
        GuardedChange::On,
    ),
    // Pyright: `reportMissingImports = "error"`.
    new_rule(PYTHON, r"(?:^|[.:])report[A-Z]\w+$", GuardedChange::Level),
    // Modes without an order: any other value may check less.
    new_rule(PYTHON, r"(?:^|[.:])(?:follow_imports|typeCheckingMode)$", GuardedChange::Fixed),
    new_rule(
        PYTHON,
        r"(?:^|[.:])(?:line-length|max-line-length|max_line_length|max-complexity|max_complexity|max-args|max-locals|max-branches|max-statements|max-returns|max-\w+)$|pytest\S*[.:](?:timeout|faulthandler_timeout|reruns)$",
        GuardedChange::Rises,
    ),
    // The share of lines that tests must cover, of coverage.py and pytest-cov.
    new_rule(PYTHON, r"(?:^|[.:])(?:fail_under|fail-under|cov-fail-under)$", GuardedChange::Falls),
    new_rule(
        RUNNERS,
        r"(?i)(?:^|\.)(?:testPathIgnorePatterns|modulePathIgnorePatterns|watchPathIgnorePatterns|coveragePathIgnorePatterns|testIgnore|excludeSpecPattern|grepInvert)$|(?:^|\.)(?:test|coverage|nyc|c8|mocha|ava|typecheck)\.(?:exclude|ignore)$|^(?:exclude|ignore)$",
        GuardedChange::Grows,
    ),
    new_rule(
        RUNNERS,
        r"(?i)(?:^|\.)(?:testMatch|testRegex|specPattern|roots|projects|spec|collectCoverageFrom)$",
        GuardedChange::Shrinks,
    ),
    new_rule(
        RUNNERS,
        r"(?i)(?:^|\.)(?:passWithNoTests|allowOnly|dangerouslyIgnoreUnhandledErrors|forceExit|allow-uncaught|allowUncaught)$",
        GuardedChange::Off,
    ),
    new_rule(
        RUNNERS,
        r"(?i)(?:^|\.)(?:forbidOnly|forbidPending|check-coverage|checkCoverage|failZero|errorOnDeprecated|failFast)$",
        GuardedChange::On,
    ),
    new_rule(
        RUNNERS,
        r"(?i)(?:^|\.)(?:testTimeout|hookTimeout|teardownTimeout|timeout|globalTimeout|actionTimeout|navigationTimeout|defaultCommandTimeout|pageLoadTimeout|retries|retry|slowTestThreshold|browserNoActivityTimeout)$",
        GuardedChange::Rises,
    ),
    new_rule(
        RUNNERS,
        r"(?i)(?:coverageThreshold|thresholds?|coverage|nyc|c8)\S*\.(?:branches|functions|lines|statements)$|(?:^|\.)(?:branches|functions|lines|statements)$",
        GuardedChange::Falls,
    ),
    new_rule(COVERAGE, r"(?:^|\.)(?:target|min_coverage)$", GuardedChange::Falls),
    // By how much the coverage may fall without a failure (docs.codecov.com).
    new_rule(COVERAGE, r"(?:^|\.)threshold$", GuardedChange::Rises),
    new_rule(COVERAGE, r"(?:^|\.)(?:ignore|informational)$", GuardedChange::Grows),
    // RuboCop: `Enabled: false`, longer `Exclude` lists, larger `Max`.
    new_rule(RUBY, r"(?:^|\.)Enabled$", GuardedChange::On),
    new_rule(RUBY, r"(?:^|\.)Exclude$", GuardedChange::Grows),
    new_rule(RUBY, r"(?:^|\.)Max$", GuardedChange::Rises),
    // PHPStan checks more with a higher `level`. Psalm's `errorLevel` counts the other way, so
    // raising it is not seen here.
    new_rule(PHP, r"(?:^|\.)(?:level|errorLevel)$", GuardedChange::Falls),
    new_rule(PHP, r"(?:^|\.)(?:ignoreErrors|excludePaths|excludes_analyse)$", GuardedChange::Grows),
    new_rule(
        GO,
        r"(?:^|\.)(?:disable|exclude|exclude-rules|skip-dirs|skip-files|exclude-dirs|exclude-files|linters|text|path)$",
        GuardedChange::Grows,
    ),
    // golangci-lint: only the linters of this list run.
    new_rule(GO, r"(?:^|\.)enable$", GuardedChange::Shrinks),
    new_rule(GO, r"(?:^|\.)(?:enable-all)$", GuardedChange::On),
    new_rule(SWIFT, r"(?:^|\.)(?:disabled_rules|excluded|excludes)$", GuardedChange::Grows),
    new_rule(SWIFT, r"(?:^|\.)active$", GuardedChange::On),
    new_rule(
        SCRIPTS,
        r"^(?:scripts|tasks)\.(?:pre|post)?(?:test|tests|lint|check|checks|typecheck|type-check|types|tsc|verify|validate|ci|coverage|format:check|prettier:check)(?:[:\-_].*)?$",
        GuardedChange::Fixed,
    ),
    new_rule(
        ANY_YAML,
        r"(?:^|\.)(?:continue-on-error|allow_failure|soft_fail|continueOnError)$",
        GuardedChange::Off,
    ),
];

/// The patterns of the keys, in the order of [`RULES`].
static KEYS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| RULES.iter().map(|rule| Pattern::new(rule.keys)).collect());

/// The patterns of the files, each once.
static FILES: LazyLock<BTreeMap<&str, Pattern>> =
    LazyLock::new(|| RULES.iter().map(|rule| (rule.files, Pattern::new(rule.files))).collect());

/// Texts of which every path of a settings file contains one.
const PARTS: &[&str] = &[
    "json", "yml", "yaml", "toml", "cfg", "ini", "neon", "xml", "dist", "conf", "setup",
    "workspace", "flake8", "bandit", "markdownlint",
];

/// Returns `true` if a path can be one of settings. Most paths are not, and need no pattern to
/// exclude them.
fn may_be_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.contains("rc") || PARTS.iter().any(|part| path.contains(part))
}

/// Files that contain the settings of other programs too.
const SHARED: &[&str] = &["pyproject.toml", "setup.cfg", "tox.ini"];

/// The tools with settings that count in shared files.
const TOOLS: &[&str] = &[
    "ruff", "mypy", "pytest", "coverage", "pylint", "flake8", "pyright", "bandit", "isort",
    "black", "pydocstyle", "pycodestyle", "pyre",
];

/// Returns `true` if a key is one of a tool. In a file that many tools share (`package.json`,
/// `pyproject.toml`) the key must name the tool.
fn is_of_tool(path: &str, key: &str) -> bool {
    !SHARED.iter().any(|name| path.ends_with(name)) || TOOLS.iter().any(|tool| key.contains(tool))
}

/// A setting that became laxer.
pub(super) struct LaxerSetting {
    pub(super) mark: CountedMark,
    /// The line is one of the file before the change.
    pub(super) is_before: bool,
}

/// Returns the settings of a file that became laxer.
///
/// All values of a key that is repeated count together. A rule that only adds an exception counts where the
/// file could be read before: in one that could not, the exception may have been there.
pub(super) fn compare_settings(
    path: &str,
    before: &ConfigSettings,
    after: &ConfigSettings,
) -> Vec<LaxerSetting> {
    let path = path.to_lowercase();
    let mut found = Vec::new();
    for (rule, keys) in RULES.iter().zip(&*KEYS) {
        if !FILES.get(rule.files).is_some_and(|files| files.is_match(&path)) {
            continue;
        }
        let wanted = |key: &str| keys.is_match(key) && is_of_tool(&path, key);
        // A key may occur several times, as in a YAML file with several documents.
        let was = group_values(&before.entries, &wanted);
        let is = group_values(&after.entries, &wanted);
        let names: BTreeSet<&str> = was.keys().chain(is.keys()).copied().collect();
        for name in names {
            let (old, new) = (was.get(name), is.get(name));
            // A file that could not be parsed before may have had the value already.
            if old.is_none() && before.broken_at.is_some() {
                continue;
            }
            let Some(why) = given_up(rule.guard, old, new) else { continue };
            let line = new.or(old).map_or(1, |values| values.line);
            found.push(LaxerSetting {
                mark: CountedMark::new(why, name, line),
                is_before: new.is_none(),
            });
        }
    }
    found
}

/// Returns `true` if a path is one of settings that the table knows.
pub(super) fn is_known(path: &str) -> bool {
    let path = path.to_lowercase();
    may_be_settings(&path) && FILES.values().any(|files| files.is_match(&path))
}

/// Returns `true` if a path is known only as YAML of an unknown program.
pub(super) fn is_any_yaml(path: &str) -> bool {
    let path = path.to_lowercase();
    let named = FILES.iter().filter(|(files, _)| **files != ANY_YAML);
    !named.into_iter().any(|(_, files)| files.is_match(&path))
}

/// The values of one key.
#[derive(Clone, Debug, Default)]
struct Values {
    /// In the order of the file.
    all: Vec<String>,
    /// From 1.
    line: usize,
}

/// Returns the values of the wanted keys, grouped by key: a list has several.
fn group_values<'a>(
    entries: &'a [ConfigEntry],
    wanted: &dyn Fn(&str) -> bool,
) -> BTreeMap<&'a str, Values> {
    let mut groups: BTreeMap<&str, Values> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| wanted(&entry.key)) {
        let group = groups.entry(entry.key.as_str()).or_default();
        group.all.extend(entry.values.iter().cloned());
        group.line = entry.line;
    }
    groups
}

/// Returns the reason if a change of values weakens the check that a guard protects; `None` if
/// it does not.
fn given_up(
    guard: GuardedChange,
    old: Option<&Values>,
    new: Option<&Values>,
) -> Option<&'static str> {
    let was = old.map(|it| it.all.as_slice()).unwrap_or_default();
    let is = new.map(|it| it.all.as_slice()).unwrap_or_default();
    match guard {
        GuardedChange::Level => {
            let (was, is) = (read_level(was), read_level(is));
            match (was, is) {
                // A setting without a value has the tool's default, which may be as strict.
                (Some(was), Some(is)) if is < was => Some("lowers a level"),
                // A rule that was removed is off, unless the tool's default has it on; the
                // strict reading is used.
                (Some(was), None) if was > 0 && new.is_none() => {
                    Some("takes away a rule that was on")
                }
                (None, Some(0 | 1)) if old.is_none() => Some("lowers a level"),
                _ => None,
            }
        }
        GuardedChange::On => {
            let falls = has_any(is, NO) && !has_any(was, NO);
            let goes = has_any(was, YES) && new.is_none();
            (falls || goes).then_some("switches a check off")
        }
        GuardedChange::Off => {
            (has_any(is, YES) && !has_any(was, YES)).then_some("switches an exception on")
        }
        GuardedChange::Grows => has_other(is, was).then_some("leaves more out"),
        GuardedChange::Shrinks => has_other(was, is).then_some("includes less"),
        GuardedChange::Rises => {
            let (was, is) = (find_largest(was), find_largest(is));
            is.is_some_and(|is| was.is_none_or(|was| is > was)).then_some("raises a limit")
        }
        GuardedChange::Falls => {
            let (was, is) = (find_largest(was), find_largest(is));
            was.is_some_and(|was| is.is_none_or(|is| is < was)).then_some("lowers a threshold")
        }
        GuardedChange::Fixed => (old.is_some() && was != is).then_some("changes what a check runs"),
    }
}

/// The spellings of a switch that is off.
const NO: &[&str] = &["false", "False", "off", "no", "0"];
/// The spellings of a switch that is on.
const YES: &[&str] = &["true", "True", "on", "yes", "1"];

/// Returns `true` if any of the values is one of the words.
fn has_any(values: &[String], words: &[&str]) -> bool {
    values.iter().any(|value| words.contains(&value.as_str()))
}

/// Returns `true` if some of `these` are not among `those`.
fn has_other(these: &[String], those: &[String]) -> bool {
    let known: HashSet<&String> = those.iter().collect();
    these.iter().any(|it| !known.contains(it))
}

/// Returns a level as a number: `off` is 0, `warn` 1, `error` 2, `forbid` 3. Any other value is
/// that of a rule that is on, with options.
fn read_level(values: &[String]) -> Option<u8> {
    let first = values.iter().find_map(|value| match value.to_lowercase().as_str() {
        "off" | "0" | "allow" | "none" | "false" => Some(0),
        "warn" | "1" | "warning" | "information" | "info" | "on" => Some(1),
        "error" | "2" | "deny" | "true" => Some(2),
        "forbid" => Some(3),
        _ => None,
    });
    first.or((!values.is_empty()).then_some(2))
}

/// Returns the largest number among the values.
fn find_largest(values: &[String]) -> Option<f64> {
    values.iter().filter_map(|value| read_number(value)).reduce(f64::max)
}

/// Returns the number at the start of a value; `2m` is 120 seconds.
fn read_number(value: &str) -> Option<f64> {
    let plain = value.replace('_', "");
    let end = plain.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(plain.len());
    let unit = if value.ends_with('m') { 60.0 } else { 1.0 };
    plain.get(..end)?.parse::<f64>().ok().map(|number| number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        let all = RULES.iter().zip(&*KEYS);
        let broken = all.filter(|(rule, keys)| {
            !keys.is_valid() || !FILES.get(rule.files).is_some_and(Pattern::is_valid)
        });
        assert_eq!(broken.map(|(rule, _)| rule.keys).collect::<Vec<_>>(), Vec::<&str>::new());
    }
    #[test]
    fn what_is_looked_at_first_leaves_no_file_of_settings_out() {
        for path in [
            "a/.eslintrc", "eslint.config.js", ".oxlintrc.json", "biome.jsonc", ".stylelintrc.yml",
            ".markdownlint/rules.rb", "tsconfig.base.json", "pyproject.toml", ".ruff.toml",
            "setup.cfg", ".flake8", ".pylintrc", "mypy.ini", ".coveragerc", ".bandit",
            "vitest.config.ts", "karma.conf.js", ".mocharc.cjs", ".c8rc", "jest.setup.ts",
            "vitest.workspace.ts", ".config/nextest.toml", "codecov.yml", ".rubocop_todo.yml",
            "phpunit/unit.xml.dist", "phpstan.neon", ".golangci.yaml", "detekt/all.yml",
            "composer.json", ".github/workflows/ci.yaml",
        ] {
            assert!(is_known(path), "{path}");
        }
        assert!(!is_known("src/cart.py") && !is_known("src/search.py"));
    }
}
