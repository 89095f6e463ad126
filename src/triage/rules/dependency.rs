//! Lock files, versions and packages that do not fit together.

use super::SignalRule;
use crate::domain::FailureClass;

/// The next step for a lockfile that cannot be parsed.
const BROKEN: &str = "the lockfile cannot be parsed, often after a merge conflict; restore the last good one, or remove it, \
    have the package manager write it again, and commit it";

const BASE: SignalRule = SignalRule::of(FailureClass::Dependency);

pub(super) const RULES: &[SignalRule] = &[
    SignalRule {
        name: "npm-ci-drift",
        cue: "can only install packages when",
        pattern: r"^npm (?:ERR!|error) `npm ci` can only install packages when your package\.json and package-lock\.json",
        source: "docs.npmjs.com, npm ci",
        sample: "npm error `npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync.",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "npm-ci-no-lock",
        cue: "`npm ci` command can only install with an existing",
        pattern: r"^npm (?:ERR!|error) The `npm ci` command can only install with an existing package-lock\.json",
        source: "docs.npmjs.com, npm ci",
        sample: "npm error The `npm ci` command can only install with an existing package-lock.json or",
        next: "package-lock.json is missing or cannot be parsed; restore the last good one, or write it again with `npm install`, and commit it",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "npm-resolve",
        cue: "code E",
        pattern: "^npm (?:ERR!|error) code (?:ERESOLVE|ETARGET|E404|EINTEGRITY|EPEERINVALID|EINVALIDTAGNAME|EBADPLATFORM)$",
        source: "docs.npmjs.com, Common errors",
        sample: "npm error code ERESOLVE",
        next: "name versions that exist and go together",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "yarn-frozen",
        cue: "lockfile",
        pattern: "^error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`|^➤ YN0028: ",
        source: "yarn v1 and yarnpkg.com, error codes",
        sample: "error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "yarn-version",
        cue: "Couldn't find any versions for",
        pattern: "^error Couldn't find any versions for |^error Couldn't find package ",
        source: "yarn v1",
        sample: r#"error Couldn't find any versions for "left-pad" that matches "99.0.0""#,
        next: "name versions that exist and go together",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "pnpm-lock",
        cue: "ERR_PNPM_",
        pattern: r"^ ?(?:\[\w+\] )?ERR_PNPM_(?:OUTDATED_LOCKFILE|NO_LOCKFILE|LOCKFILE_\w+|NO_MATCHING_VERSION\w*|FETCH_404|PEER_DEP_ISSUES|FROZEN_LOCKFILE\w*)\b",
        source: "pnpm.io, error codes",
        sample: r#" ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date with package.json"#,
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "cargo-locked",
        cue: "because --locked was passed",
        pattern: r"^error: cannot (?:update|create) the lock file \S+ because --(?:locked|frozen) was passed|^error: the lock file \S+ needs to be updated but --(?:locked|frozen) was passed",
        source: "cargo, --locked",
        sample: "error: cannot update the lock file /work/Cargo.lock because --locked was passed to prevent this",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("cargo"),
        ..BASE
    },
    SignalRule {
        name: "cargo-locked-old",
        cue: "needs to be updated but --",
        pattern: r"^error: the lock file \S+ needs to be updated but --(?:locked|frozen) was passed",
        source: "cargo before 1.83",
        sample: "error: the lock file /work/Cargo.lock needs to be updated but --locked was passed to prevent this",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("cargo"),
        ..BASE
    },
    SignalRule {
        name: "lockfile-broken",
        cue: "lock",
        pattern: r#"^error: failed to parse lock file at|ERR_PNPM_BROKEN_LOCKFILE|^(?:error An unexpected|SyntaxError|Usage Error: ).* in \S*yarn\.lock|^Unable to read the lock file|^error: Failed to parse `uv\.lock`|^Your (?:Gemfile\.lock|lockfile) (?:contains merge conflicts|is unreadable)|^"?\S*composer\.lock"? does not contain valid JSON|^toml\.decoder\.TomlDecodeError.*\.lock"#,
        source: "the package managers' own sources",
        sample: "error: failed to parse lock file at: /work/Cargo.lock",
        next: BROKEN,
        ..BASE
    },
    SignalRule {
        name: "go-sum-broken",
        cue: "malformed go.sum",
        pattern: r"malformed go\.sum:",
        source: "cmd/go, modfetch",
        sample: "go: malformed go.sum: /work/go.sum:3: wrong number of fields 2",
        next: BROKEN,
        ..BASE
    },
    SignalRule {
        name: "cargo-resolve",
        cue: "error: ",
        pattern: "^error: (?:failed to select a version for (?:the requirement )?`|no matching package (?:named )?`|no matching package found)",
        source: "cargo, resolver",
        sample: r#"error: failed to select a version for the requirement `serde = "=99.0.0"`"#,
        next: "name versions that exist and go together",
        tool: Some("cargo"),
        ..BASE
    },
    SignalRule {
        name: "pip-no-version",
        cue: "No matching distribution found for",
        pattern: "^ERROR: No matching distribution found for ",
        source: "pip.pypa.io, user guide",
        sample: "ERROR: No matching distribution found for requests==99.99",
        next: "name versions that exist and go together",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "pip-impossible",
        cue: "ResolutionImpossible",
        pattern: "^ERROR: ResolutionImpossible: ",
        source: "pip.pypa.io, dependency resolution",
        sample: "ERROR: ResolutionImpossible: for help visit https://pip.pypa.io/en/latest/topics/dependency-resolution/#dealing-with-dependency-conflicts",
        next: "name versions that exist and go together",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "pip-hashes",
        cue: "THESE PACKAGES DO NOT MATCH THE HASHES",
        pattern: "^ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE",
        source: "pip.pypa.io, secure installs",
        sample: "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes.",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "poetry-lock",
        cue: "poetry.lock",
        pattern: r"^(?:Error: )?(?:pyproject\.toml changed significantly since poetry\.lock was last generated|poetry\.lock is not up to date with pyproject\.toml)",
        source: "python-poetry.org",
        sample: "pyproject.toml changed significantly since poetry.lock was last generated. Run `poetry lock` to fix the lock file.",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "poetry-resolve",
        cue: "version solving failed",
        pattern: r"^(?:So, because .*, )?version solving failed\.$|, version solving failed\.$",
        source: "python-poetry.org, PubGrub",
        sample: "So, because app depends on requests (99.0), version solving failed.",
        next: "name versions that exist and go together",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "uv-lock",
        cue: "lockfile at `uv.lock`",
        pattern: r"^error: The lockfile at `uv\.lock` needs to be updated, but `--(?:locked|frozen|check)` was provided",
        source: "docs.astral.sh/uv, locking",
        sample: "error: The lockfile at `uv.lock` needs to be updated, but `--locked` was provided. To update the lockfile, run `uv lock`.",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "uv-resolve",
        cue: "No solution found when resolving",
        pattern: "No solution found when resolving (?:dependencies|tool dependencies|script dependencies)",
        source: "docs.astral.sh/uv, resolution",
        sample: "  × No solution found when resolving dependencies:",
        next: "name versions that exist and go together",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "pipenv-lock",
        cue: "Pipfile.lock",
        pattern: r"^(?:ERROR:: )?Your Pipfile\.lock \(\w+\) is out of date",
        source: "pipenv, --deploy",
        sample: "Your Pipfile.lock (abc123) is out of date. Expected: (def456).",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "go-sum",
        cue: "missing go.sum entry",
        pattern: r"missing go\.sum entry (?:for|needed to verify)",
        source: "go.dev, authenticating modules",
        sample: "main.go:4:2: missing go.sum entry for module providing package github.com/a/b (imported by app); to add:",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("go"),
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "go-checksum",
        cue: "checksum mismatch",
        pattern: r"^verifying \S+: checksum mismatch$",
        source: "go.dev, authenticating modules",
        sample: "verifying github.com/a/b@v1.2.3: checksum mismatch",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("go"),
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "go-mod-updates",
        cue: "updates to go.mod needed",
        pattern: r"^go: updates to go\.mod needed",
        source: "go.dev, -mod=readonly",
        sample: "go: updates to go.mod needed; to update it:",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("go"),
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "go-unknown-revision",
        cue: "unknown revision",
        pattern: "^go: .*: (?:invalid version: )?unknown revision ",
        source: "go.dev, modules",
        sample: "go: github.com/a/b@v9.9.9: invalid version: unknown revision v9.9.9",
        next: "name versions that exist and go together",
        tool: Some("go"),
        ..BASE
    },
    SignalRule {
        name: "bundler-lock",
        cue: "lockfile",
        pattern: "^(?:The gemspecs for path gems changed, but the lockfile can't be updated|The dependencies in your gemfile changed, but the lockfile can't be updated|Your lockfile does not satisfy dependencies of)",
        source: "Bundler, frozen mode",
        sample: "The dependencies in your gemfile changed, but the lockfile can't be updated because frozen mode is set",
        next: "renew the lockfile with the package manager and commit it",
        tool: Some("ruby"),
        ..BASE
    },
    SignalRule {
        name: "bundler-resolve",
        cue: "Could not find gem",
        pattern: "^Could not find gem '",
        source: "Bundler, resolver",
        sample: "Could not find gem 'rails (= 99.0)' in rubygems repository https://rubygems.org/ or installed locally.",
        next: "name versions that exist and go together",
        tool: Some("ruby"),
        ..BASE
    },
    SignalRule {
        name: "composer-resolve",
        cue: "Your requirements could not be resolved",
        pattern: r"^Your requirements could not be resolved to an installable set of packages\.|^Your lock file does not contain a compatible set of packages",
        source: "getcomposer.org",
        sample: "Your requirements could not be resolved to an installable set of packages.",
        next: "name versions that exist and go together",
        ..BASE
    },
    SignalRule {
        name: "maven-artifact",
        cue: "Could not find artifact",
        pattern: r"^\[ERROR\] .*Could not find artifact \S+ in ",
        source: "Maven Resolver",
        sample: "[ERROR] Failed to execute goal on project app: Could not resolve dependencies for project a:b:jar:1: Could not find artifact org.x:y:jar:99 in central (https://repo.maven.apache.org/maven2)",
        next: "name versions that exist and go together",
        tool: Some("jvm"),
        ..BASE
    },
    SignalRule {
        name: "gradle-artifact",
        cue: "> Could not find ",
        pattern: r"^\s*> Could not find \S+:\S+:\S+\.$",
        source: "Gradle",
        sample: "   > Could not find org.x:y:99.",
        next: "name versions that exist and go together",
        tool: Some("jvm"),
        ..BASE
    },
];
