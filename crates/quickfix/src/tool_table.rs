//! The table of the tools and of the options that a project or a log may choose.
//!
//! An option that no row lists is never passed on: the tool then runs in its plain form.

/// The value of an option, and who may choose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionValue {
    /// The option has no value, or a word after `=`.
    None,
    /// A word, a number, a pattern or a list of them; the tool reads no path from it.
    Word,
    /// A file of the repository; not taken from a log, because the file may be a program.
    Inside,
    /// Anything; taken only from the user's command itself, which runs with it in any case.
    Own,
}

/// The files that a tool is asked about when the project's own arguments are not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolSubject {
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
    /// Options that are passed on, by what their value may be: none. All options are separated by blanks.
    pub(super) plain: &'static str,
    /// Any single word.
    pub(super) words: &'static str,
    /// A path in the repository; not passed on from a log.
    pub(super) inside: &'static str,
    /// Anything; only from the user's own command, as it may name a file outside the repository, or code.
    pub(super) own: &'static str,
    /// Options without a value that are left out: they change files or the form of the report.
    pub(super) switches: &'static str,
    /// The same with a value, as the next word or after `=`: also those that name programs or plugins.
    pub(super) valued: &'static str,
    /// Environment variables that a script of the project may set to a plain word.
    pub(super) variables: &'static [&'static str],
    /// Folders of installed programs, relative to the folder it runs in or one above.
    pub(super) homes: &'static [&'static str],
    /// Allows a program found on `PATH`.
    pub(super) on_path: bool,
    /// Endings of the files it reads; empty for all.
    pub(super) endings: &'static [&'static str],
    /// The plain form's subject.
    pub(super) subject: ToolSubject,
}

impl ToolRow {
    /// Returns the value that an option may have which is passed on; `None` for any other option.
    pub(super) fn passed_value(&self, name: &str) -> Option<OptionValue> {
        let lists = [
            (self.plain, OptionValue::None),
            (self.words, OptionValue::Word),
            (self.inside, OptionValue::Inside),
            (self.own, OptionValue::Own),
        ];
        lists.into_iter().find(|(list, _)| has_word(list, name)).map(|(_, value)| value)
    }

    /// Returns `true` for an option without a value that is left out.
    pub(super) fn drops_switch(&self, name: &str) -> bool {
        has_word(self.switches, name)
    }

    /// Returns `true` for an option that is left out with its value.
    pub(super) fn drops_valued(&self, name: &str) -> bool {
        has_word(self.valued, name)
    }
}

fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// Folders in which node keeps a project's programs.
pub(super) const NODE_HOMES: &[&str] = &["node_modules/.bin"];

/// Folders in which Python keeps a project's programs.
pub(super) const PYTHON_HOMES: &[&str] = &[".venv/bin", "venv/bin"];

/// ESLint.
pub(super) const ESLINT: ToolRow = ToolRow {
    name: "eslint",
    commands: &[],
    plain: "--no-config-lookup --no-error-on-unmatched-pattern --no-eslintrc --no-ignore \
        --no-inline-config --no-warn-ignored --pass-on-no-patterns \
        --report-unused-disable-directives",
    words: "--env --ext --flag --global --ignore-pattern --max-warnings \
        --report-unused-disable-directives-severity --report-unused-inline-configs --rule",
    inside: "--config -c --ignore-path",
    own: "",
    switches: "--cache --color --debug --exit-on-fatal-error --fix --fix-dry-run --init --no-color \
        --quiet --stdin",
    valued: "--cache-file --cache-location --cache-strategy --fix-type --format --output-file \
        --parser --parser-options --plugin --resolve-plugins-relative-to --rulesdir \
        --stdin-filename -f -o",
    variables: &["CI", "ESLINT_USE_FLAT_CONFIG", "NODE_ENV"],
    homes: NODE_HOMES,
    on_path: false,
    endings: &["astro", "cjs", "cts", "js", "jsx", "mjs", "mts", "svelte", "ts", "tsx", "vue"],
    subject: ToolSubject::FailedFiles,
};

/// Biome.
pub(super) const BIOME: ToolRow = ToolRow {
    name: "biome",
    commands: &["check", "lint", "ci"],
    plain: "--assist-enabled --error-on-warnings --files-ignore-unknown --formatter-enabled \
        --linter-enabled --no-errors-on-unmatched --organize-imports-enabled --skip-parse-errors",
    words: "--files-max-size --only --skip",
    inside: "--config-path",
    own: "",
    switches: "--apply --apply-unsafe --fix --unsafe --verbose --watch --write",
    valued: "--colors --diagnostic-level --log-file --log-kind --log-level --max-diagnostics \
        --reporter --reporter-file --stdin-file-path --vcs-root",
    variables: &["CI", "NODE_ENV"],
    homes: NODE_HOMES,
    on_path: false,
    endings: &[
        "astro", "cjs", "css", "cts", "js", "json", "jsonc", "jsx", "mjs", "mts", "svelte", "ts",
        "tsx", "vue",
    ],
    subject: ToolSubject::FailedFiles,
};

/// ruff.
pub(super) const RUFF: ToolRow = ToolRow {
    name: "ruff",
    commands: &["check"],
    plain: "--force-exclude --ignore-noqa --isolated --no-force-exclude --no-preview \
        --no-respect-gitignore --preview --respect-gitignore",
    words: "--dummy-variable-rgx --exclude --extend-exclude --extend-fixable --extend-ignore \
        --extend-per-file-ignores --extend-select --extension --fixable --ignore --line-length \
        --per-file-ignores --select --target-version --unfixable",
    inside: "--config",
    own: "",
    switches: "--diff --exit-non-zero-on-fix --exit-zero --fix --fix-only --no-cache --no-fix \
        --no-fix-only --no-show-fixes --no-unsafe-fixes --quiet --show-files --show-fixes \
        --show-settings --silent --statistics --unsafe-fixes --verbose --watch -e -n -q -s -v -w",
    valued: "--cache-dir --output-file --output-format --stdin-filename -o",
    variables: &["CI"],
    homes: PYTHON_HOMES,
    on_path: true,
    endings: &["ipynb", "py", "pyi"],
    subject: ToolSubject::FailedFiles,
};

/// typos.
pub(super) const TYPOS: ToolRow = ToolRow {
    name: "typos",
    commands: &[],
    plain: "--binary --force-exclude --hidden --isolated --no-check-filenames --no-check-files \
        --no-ignore --no-ignore-dot --no-ignore-files --no-ignore-global --no-ignore-parent \
        --no-ignore-vcs --no-unicode --sort",
    words: "--exclude --locale --threads -j",
    inside: "--config -c",
    own: "",
    switches: "--diff --dump-config --files --highlight-identifiers --highlight-words --identifiers \
        --quiet --type-list --verbose --words --write-changes -q -v -w",
    valued: "--color --format",
    variables: &["CI"],
    homes: PYTHON_HOMES,
    on_path: true,
    endings: &[],
    subject: ToolSubject::FailedFiles,
};

/// `go vet` and `go test`, which vets too.
pub(super) const GO: ToolRow = ToolRow {
    name: "go",
    commands: &["vet", "test"],
    plain: "-appends -asmdecl -assign -atomic -bools -buildtag -cgocall -composites -copylocks \
        -defers -directive -errorsas -framepointer -hostport -httpresponse -ifaceassert \
        -loopclosure -lostcancel -nilfunc -printf -race -shift -sigchanyzer -slog -stdmethods \
        -stdversion -stringintconv -structtag -testinggoroutine -tests -timeformat -unmarshal \
        -unreachable -unsafeptr -unusedresult -waitgroup",
    words: "-tags",
    inside: "",
    own: "",
    switches: "-json -n -v -x -fix -diff",
    valued: "-asmflags -c -exec -fixtool -gccgoflags -gcflags -ldflags -modfile -o -overlay -pkgdir \
        -toolexec -vettool",
    variables: &["CGO_ENABLED", "GOARCH", "GOOS"],
    homes: &[],
    on_path: true,
    endings: &["go"],
    subject: ToolSubject::Pattern("./..."),
};

/// cargo, as far as it builds; its options come from the user's command alone.
pub(super) const CARGO: ToolRow = ToolRow {
    name: "cargo",
    commands: &[],
    plain: "--all --all-features --all-targets --benches --bins --document-private-items --examples \
        --frozen --ignore-rust-version --lib --locked --no-default-features --no-deps --offline \
        --release --tests --workspace -r",
    words: "--bench --bin --cargo-profile --example --exclude --features --jobs --package --profile \
        --target --test -F -p",
    inside: "",
    own: "--config --manifest-path --target-dir -Z",
    switches: "",
    valued: "--color --message-format -j",
    variables: &[],
    homes: &[],
    on_path: true,
    endings: &["rs"],
    subject: ToolSubject::Pattern("--all-targets"),
};

/// `cargo fmt`, up to its `--`; its options come from the user's command alone.
pub(super) const CARGO_FMT: ToolRow = ToolRow {
    plain: "--all",
    words: "-p --package",
    inside: "",
    own: "--manifest-path",
    switches: "--check -q --quiet -v --verbose",
    valued: "--message-format",
    subject: ToolSubject::Pattern("--all"),
    ..CARGO
};

/// `rustfmt`, or what follows the `--` of `cargo fmt`; its options come from the user's command alone.
pub(super) const RUSTFMT: ToolRow = ToolRow {
    name: "rustfmt",
    plain: "--skip-children --unstable-features",
    words: "--edition --style-edition",
    inside: "",
    own: "--config --config-path",
    switches: "--check -q --quiet -v --verbose -l --files-with-diff",
    valued: "--color --emit",
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
                assert_eq!(row.passed_value(name), None, "{} {name}", row.name);
            }
        }
        let programs = ["NODE_OPTIONS", "GOFLAGS", "RUSTC_WRAPPER", "PATH", "PYTHONPATH"];
        for row in [ESLINT, BIOME, RUFF, TYPOS, GO, CARGO, CARGO_FMT, RUSTFMT] {
            assert!(row.variables.iter().all(|name| !programs.contains(name)), "{}", row.name);
        }
    }
}
