//! Lines of scripts, recipes and ignore files that make a check pass or run less.

use super::measure::CountedMark;
use papayu_base::text::{Pattern, WordList};

/// The words of lines that run a check.
const CHECKS: &str = r"(?i)\b(?:test|tests|lint|check|jest|vitest|pytest|mocha|ava|eslint|tsc|mypy|ruff|clippy|vet|phpunit|rspec|tox|nox|coverage|unittest|ctest|playwright|typecheck|pyright|prettier|biome|golangci-lint)\b";

/// Parts of a command that hide its failure, or make it run fewer tests.
const SWALLOWED: &str = r#"(?x)
    \|\|\s*(?:true|:|exit\s+0|echo\b|/bin/true)(?:$|[\s"';)&|])
  | ;\s*(?:true|exit\s+0|:)\s*(?:$|["';)]) | \|\s*(?:cat|tee)\s*(?:$|["';)])
  | --(?:passWithNoTests|pass-with-no-tests|exit-zero|no-fail|nofail|if-present|force-exit|forceExit|allow-empty|no-error-on-unmatched-pattern|exclude|ignore|deselect|skip|testPathIgnorePatterns|ignore-pattern|max-warnings|retries|reruns|test-timeout|testTimeout|timeout)\b
  | (?:^|\s)-k\s+["']?not\b | (?:^|\s)-m\s+["']?not\b | (?:^|\s)-p\s+no: "#;

/// The compiled form of [`CHECKS`].
static CHECK: Pattern = Pattern::new(CHECKS);
/// The compiled form of [`SWALLOWED`].
static SWALLOW: Pattern = Pattern::new(SWALLOWED);

/// Names of files that contain commands.
static RUNS: WordList = WordList::new(
    "package.json composer.json deno.json makefile gnumakefile justfile tox.ini pytest.ini \
    setup.cfg pyproject.toml noxfile.py taskfile.yml dockerfile rakefile lefthook.yml \
    .pre-commit-config.yaml cargo.toml config.toml .mocharc.json .mocharc.yml turbo.json",
);

/// Targets of a recipe that are checks.
const TARGETS: &[&str] = &[
    "test", "tests", "check", "lint", "ci", "verify", "typecheck", "unit", "coverage", "validate",
    "fmt-check",
];

/// Adds a mark for each line that makes a check pass or run less: a new line of an ignore file,
/// or a hidden failure such as `pytest || true`.
pub(super) fn find_lines(path: &str, text: &str, found: &mut Vec<CountedMark>) {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    if is_ignore_file(&name) {
        let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
        let real = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        found.extend(
            real.map(|(number, line)| CountedMark::new("leaves more out of a check", line, number)),
        );
        return;
    }
    let runs = RUNS.contains(&name)
        || [".sh", ".mk", ".yml", ".yaml", ".bash"].iter().any(|end| name.ends_with(end));
    if !runs {
        return;
    }
    for (number, line) in text.lines().enumerate() {
        // In `pytest.ini` every line is an option of the runner, so no word for a check is
        // needed.
        let is_check = name == "pytest.ini" || CHECK.is_match(line);
        let hit = is_check.then(|| SWALLOW.find(line)).flatten();
        if let Some(hit) = hit {
            let rule = "takes the force of a command that checks";
            found.push(CountedMark::new(rule, hit.as_str().trim(), number + 1));
        }
    }
}

/// Returns the recipe lines of checks in a makefile, which may not be removed.
pub(super) fn find_recipes(path: &str, text: &str) -> Vec<CountedMark> {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_recipe = ["makefile", "gnumakefile", "justfile"].contains(&name.as_str())
        || name.rsplit_once('.').is_some_and(|(_, extension)| extension == "mk");
    let mut found = Vec::new();
    if !is_recipe {
        return found;
    }
    let mut is_check = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with(['\t', ' ']) {
            if is_check && !line.trim().is_empty() {
                let rule = "changes what a check runs";
                found.push(CountedMark::new(rule, line.trim(), number + 1));
            }
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            let target = line.split(':').next().unwrap_or_default();
            let parts = target.split(|c: char| c.is_whitespace() || c == '-' || c == '_');
            is_check = line.contains(':') && parts.into_iter().any(|part| TARGETS.contains(&part));
        }
    }
    found
}

/// Returns `true` for a file that excludes paths from a tool, such as `.eslintignore`. A new line
/// in it weakens the tool.
fn is_ignore_file(name: &str) -> bool {
    static TOOLS: WordList = WordList::new(
        "eslint prettier stylelint markdownlint biome jest test nyc semgrep codecov gitleaks \
        trivy shellcheck ansible-lint flake8 lint jshint sonar cspell oxlint bundler-audit snyk \
        helmlint",
    );
    name.strip_prefix('.')
        .and_then(|name| name.strip_suffix("ignore").or_else(|| name.strip_suffix("-ignore")))
        .is_some_and(|tool| TOOLS.contains(tool.trim_end_matches('-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        assert!(CHECK.is_valid() && SWALLOW.is_valid());
    }
}
