//! The table of the tools and of the options that a project or a log may choose.
//!
//! An option that no row lists is never passed on: the tool then runs in its plain form.

/// The value of an option, and who may choose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The option has no value, or a word after `=`.
    None,
    /// A word, a number, a pattern or a list of them; the tool reads no path from it.
    Word,
    /// A file of the repository; not taken from a log, because the file may be a program.
    Inside,
    /// Anything; taken only from the user's command itself, which runs with it in any case.
    Own,
}

/// An option that is passed on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flag {
    /// The option as it is written, with its dashes.
    pub(super) name: &'static str,
    /// Its value.
    pub(super) value: Value,
}

/// The files that a tool is asked about when the project's own arguments are not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// The files with failures.
    FailedFiles,
    /// This pattern.
    Pattern(&'static str),
}

/// A row of the table: a program, where it is installed, and its options.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolRow {
    /// The program's name.
    pub(super) name: &'static str,
    /// Its own commands that are meant, where it has several; the first is the default.
    pub(super) commands: &'static [&'static str],
    /// Options that are passed on.
    pub(super) flags: &'static [Flag],
    /// Options without a value that are left out: they change files or the form of the report.
    pub(super) switches: &'static [&'static str],
    /// The same with a value, as the next word or after `=`: also those that name programs or plugins.
    pub(super) valued: &'static [&'static str],
    /// Environment variables that a script of the project may set to a plain word.
    pub(super) variables: &'static [&'static str],
    /// Folders of installed programs, relative to the folder it runs in or one above.
    pub(super) homes: &'static [&'static str],
    /// Allows a program found on `PATH`.
    pub(super) on_path: bool,
    /// Endings of the files it reads; empty for all.
    pub(super) endings: &'static [&'static str],
    /// The plain form's subject.
    pub(super) subject: Subject,
}

/// Folders in which node keeps a project's programs.
pub(super) const NODE_HOMES: &[&str] = &["node_modules/.bin"];

/// Folders in which Python keeps a project's programs.
pub(super) const PYTHON_HOMES: &[&str] = &[".venv/bin", "venv/bin"];

/// Returns an option without a value.
const fn switch(name: &'static str) -> Flag {
    Flag { name, value: Value::None }
}

/// Returns an option whose value is any single word.
const fn word(name: &'static str) -> Flag {
    Flag { name, value: Value::Word }
}

/// Returns an option whose value is a path in the repository; not passed on from a log.
const fn inside(name: &'static str) -> Flag {
    Flag { name, value: Value::Inside }
}

/// Returns an option that is passed on from the user's own command only: its value may name a file
/// outside the repository, or code.
const fn own(name: &'static str) -> Flag {
    Flag { name, value: Value::Own }
}

/// ESLint.
pub(super) const ESLINT: ToolRow = ToolRow {
    name: "eslint",
    commands: &[],
    flags: &[
        inside("--config"),
        inside("-c"),
        inside("--ignore-path"),
        switch("--no-config-lookup"),
        switch("--no-error-on-unmatched-pattern"),
        switch("--no-eslintrc"),
        switch("--no-ignore"),
        switch("--no-inline-config"),
        switch("--no-warn-ignored"),
        switch("--pass-on-no-patterns"),
        switch("--report-unused-disable-directives"),
        word("--env"),
        word("--ext"),
        word("--flag"),
        word("--global"),
        word("--ignore-pattern"),
        word("--max-warnings"),
        word("--report-unused-disable-directives-severity"),
        word("--report-unused-inline-configs"),
        word("--rule"),
    ],
    switches: &[
        "--cache",
        "--color",
        "--debug",
        "--exit-on-fatal-error",
        "--fix",
        "--fix-dry-run",
        "--init",
        "--no-color",
        "--quiet",
        "--stdin",
    ],
    valued: &[
        "--cache-file",
        "--cache-location",
        "--cache-strategy",
        "--fix-type",
        "--format",
        "--output-file",
        "--parser",
        "--parser-options",
        "--plugin",
        "--resolve-plugins-relative-to",
        "--rulesdir",
        "--stdin-filename",
        "-f",
        "-o",
    ],
    variables: &["CI", "ESLINT_USE_FLAT_CONFIG", "NODE_ENV"],
    homes: NODE_HOMES,
    on_path: false,
    endings: &["astro", "cjs", "cts", "js", "jsx", "mjs", "mts", "svelte", "ts", "tsx", "vue"],
    subject: Subject::FailedFiles,
};

/// Biome.
pub(super) const BIOME: ToolRow = ToolRow {
    name: "biome",
    commands: &["check", "lint", "ci"],
    flags: &[
        inside("--config-path"),
        switch("--assist-enabled"),
        switch("--error-on-warnings"),
        switch("--files-ignore-unknown"),
        switch("--formatter-enabled"),
        switch("--linter-enabled"),
        switch("--no-errors-on-unmatched"),
        switch("--organize-imports-enabled"),
        switch("--skip-parse-errors"),
        word("--files-max-size"),
        word("--only"),
        word("--skip"),
    ],
    switches: &[
        "--apply",
        "--apply-unsafe",
        "--fix",
        "--unsafe",
        "--verbose",
        "--watch",
        "--write",
    ],
    valued: &[
        "--colors",
        "--diagnostic-level",
        "--log-file",
        "--log-kind",
        "--log-level",
        "--max-diagnostics",
        "--reporter",
        "--reporter-file",
        "--stdin-file-path",
        "--vcs-root",
    ],
    variables: &["CI", "NODE_ENV"],
    homes: NODE_HOMES,
    on_path: false,
    endings: &[
        "astro", "cjs", "css", "cts", "js", "json", "jsonc", "jsx", "mjs", "mts", "svelte", "ts",
        "tsx", "vue",
    ],
    subject: Subject::FailedFiles,
};

/// ruff.
pub(super) const RUFF: ToolRow = ToolRow {
    name: "ruff",
    commands: &["check"],
    flags: &[
        inside("--config"),
        switch("--force-exclude"),
        switch("--ignore-noqa"),
        switch("--isolated"),
        switch("--no-force-exclude"),
        switch("--no-preview"),
        switch("--no-respect-gitignore"),
        switch("--preview"),
        switch("--respect-gitignore"),
        word("--dummy-variable-rgx"),
        word("--exclude"),
        word("--extend-exclude"),
        word("--extend-fixable"),
        word("--extend-ignore"),
        word("--extend-per-file-ignores"),
        word("--extend-select"),
        word("--extension"),
        word("--fixable"),
        word("--ignore"),
        word("--line-length"),
        word("--per-file-ignores"),
        word("--select"),
        word("--target-version"),
        word("--unfixable"),
    ],
    switches: &[
        "--diff",
        "--exit-non-zero-on-fix",
        "--exit-zero",
        "--fix",
        "--fix-only",
        "--no-cache",
        "--no-fix",
        "--no-fix-only",
        "--no-show-fixes",
        "--no-unsafe-fixes",
        "--quiet",
        "--show-files",
        "--show-fixes",
        "--show-settings",
        "--silent",
        "--statistics",
        "--unsafe-fixes",
        "--verbose",
        "--watch",
        "-e",
        "-n",
        "-q",
        "-s",
        "-v",
        "-w",
    ],
    valued: &["--cache-dir", "--output-file", "--output-format", "--stdin-filename", "-o"],
    variables: &["CI"],
    homes: PYTHON_HOMES,
    on_path: true,
    endings: &["ipynb", "py", "pyi"],
    subject: Subject::FailedFiles,
};

/// typos.
pub(super) const TYPOS: ToolRow = ToolRow {
    name: "typos",
    commands: &[],
    flags: &[
        inside("--config"),
        inside("-c"),
        switch("--binary"),
        switch("--force-exclude"),
        switch("--hidden"),
        switch("--isolated"),
        switch("--no-check-filenames"),
        switch("--no-check-files"),
        switch("--no-ignore"),
        switch("--no-ignore-dot"),
        switch("--no-ignore-files"),
        switch("--no-ignore-global"),
        switch("--no-ignore-parent"),
        switch("--no-ignore-vcs"),
        switch("--no-unicode"),
        switch("--sort"),
        word("--exclude"),
        word("--locale"),
        word("--threads"),
        word("-j"),
    ],
    switches: &[
        "--diff",
        "--dump-config",
        "--files",
        "--highlight-identifiers",
        "--highlight-words",
        "--identifiers",
        "--quiet",
        "--type-list",
        "--verbose",
        "--words",
        "--write-changes",
        "-q",
        "-v",
        "-w",
    ],
    valued: &["--color", "--format"],
    variables: &["CI"],
    homes: PYTHON_HOMES,
    on_path: true,
    endings: &[],
    subject: Subject::FailedFiles,
};

/// `go vet` and `go test`, which vets too.
pub(super) const GO: ToolRow = ToolRow {
    name: "go",
    commands: &["vet", "test"],
    flags: &[
        switch("-appends"),
        switch("-asmdecl"),
        switch("-assign"),
        switch("-atomic"),
        switch("-bools"),
        switch("-buildtag"),
        switch("-cgocall"),
        switch("-composites"),
        switch("-copylocks"),
        switch("-defers"),
        switch("-directive"),
        switch("-errorsas"),
        switch("-framepointer"),
        switch("-hostport"),
        switch("-httpresponse"),
        switch("-ifaceassert"),
        switch("-loopclosure"),
        switch("-lostcancel"),
        switch("-nilfunc"),
        switch("-printf"),
        switch("-race"),
        switch("-shift"),
        switch("-sigchanyzer"),
        switch("-slog"),
        switch("-stdmethods"),
        switch("-stdversion"),
        switch("-stringintconv"),
        switch("-structtag"),
        switch("-testinggoroutine"),
        switch("-tests"),
        switch("-timeformat"),
        switch("-unmarshal"),
        switch("-unreachable"),
        switch("-unsafeptr"),
        switch("-unusedresult"),
        switch("-waitgroup"),
        word("-tags"),
    ],
    switches: &["-json", "-n", "-v", "-x", "-fix", "-diff"],
    valued: &[
        "-asmflags",
        "-c",
        "-exec",
        "-fixtool",
        "-gccgoflags",
        "-gcflags",
        "-ldflags",
        "-modfile",
        "-o",
        "-overlay",
        "-pkgdir",
        "-toolexec",
        "-vettool",
    ],
    variables: &["CGO_ENABLED", "GOARCH", "GOOS"],
    homes: &[],
    on_path: true,
    endings: &["go"],
    subject: Subject::Pattern("./..."),
};

/// cargo, as far as it builds; its options come from the user's command alone.
pub(super) const CARGO: ToolRow = ToolRow {
    name: "cargo",
    commands: &[],
    flags: &[
        own("--config"),
        own("--manifest-path"),
        own("--target-dir"),
        own("-Z"),
        switch("--all"),
        switch("--all-features"),
        switch("--all-targets"),
        switch("--benches"),
        switch("--bins"),
        switch("--document-private-items"),
        switch("--examples"),
        switch("--frozen"),
        switch("--ignore-rust-version"),
        switch("--lib"),
        switch("--locked"),
        switch("--no-default-features"),
        switch("--no-deps"),
        switch("--offline"),
        switch("--release"),
        switch("--tests"),
        switch("--workspace"),
        switch("-r"),
        word("--bench"),
        word("--bin"),
        word("--cargo-profile"),
        word("--example"),
        word("--exclude"),
        word("--features"),
        word("--jobs"),
        word("--package"),
        word("--profile"),
        word("--target"),
        word("--test"),
        word("-F"),
        word("-p"),
    ],
    switches: &[],
    valued: &["--color", "--message-format", "-j"],
    variables: &[],
    homes: &[],
    on_path: true,
    endings: &["rs"],
    subject: Subject::Pattern("--all-targets"),
};

/// `cargo fmt`, up to its `--`; its options come from the user's command alone.
pub(super) const CARGO_FMT: ToolRow = ToolRow {
    flags: &[switch("--all"), word("-p"), word("--package"), own("--manifest-path")],
    switches: &["--check", "-q", "--quiet", "-v", "--verbose"],
    valued: &["--message-format"],
    subject: Subject::Pattern("--all"),
    ..CARGO
};

/// `rustfmt`, or what follows the `--` of `cargo fmt`; its options come from the user's command alone.
pub(super) const RUSTFMT: ToolRow = ToolRow {
    name: "rustfmt",
    flags: &[
        own("--config"),
        own("--config-path"),
        switch("--skip-children"),
        switch("--unstable-features"),
        word("--edition"),
        word("--style-edition"),
    ],
    switches: &["--check", "-q", "--quiet", "-v", "--verbose", "-l", "--files-with-diff"],
    valued: &["--color", "--emit"],
    ..CARGO
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_passes_on_an_option_that_names_a_program_or_writes_a_file() {
        let hostile = [
            "--cache-location",
            "--fix-to",
            "--output-file",
            "--parser",
            "--plugin",
            "--reporter-file",
            "--resolve-plugins-relative-to",
            "--rulesdir",
            "--rustc-wrapper",
            "-exec",
            "-fixtool",
            "-modfile",
            "-o",
            "-overlay",
            "-toolexec",
            "-vettool",
        ];
        for row in [ESLINT, BIOME, RUFF, TYPOS, GO, CARGO, CARGO_FMT, RUSTFMT] {
            for name in hostile {
                assert!(row.flags.iter().all(|flag| flag.name != name), "{} {name}", row.name);
            }
        }
        let programs = ["NODE_OPTIONS", "GOFLAGS", "RUSTC_WRAPPER", "PATH", "PYTHONPATH"];
        for row in [ESLINT, BIOME, RUFF, TYPOS, GO, CARGO, CARGO_FMT, RUSTFMT] {
            assert!(row.variables.iter().all(|name| !programs.contains(name)), "{}", row.name);
        }
    }
}
