//! The tables of environment variables that are not settings, and of files that runs read and write.

/// A name that users meet outside the command line, such as `NO_COLOR`.
#[derive(Clone, Copy, Debug)]
pub struct VariableEntry {
    /// A variable, or a path; `RUN_ID` in it is the id of a run.
    pub name: &'static str,
    /// One sentence for the documentation.
    pub meaning: &'static str,
}

const fn entry(name: &'static str, meaning: &'static str) -> VariableEntry {
    VariableEntry { name, meaning }
}

/// Every environment variable that is read and is not a setting; `settings::KEYS` has those of the settings.
pub const VARIABLES: &[VariableEntry] = &[
    entry("NO_COLOR", "If set, nothing is coloured."),
    entry("CLICOLOR_FORCE", "If set, text is coloured even where it does not go to a terminal."),
    entry("XDG_CONFIG_HOME", "Folder of the user's settings file; ~/.config if unset."),
    entry("XDG_STATE_HOME", "Folder of the key that seals journals; ~/.local/state if unset."),
    entry(
        "XDG_DATA_HOME",
        "Folder of the user's part of the engineering memory and of notes; ~/.local/share if unset.",
    ),
    entry("XDG_CACHE_HOME", "Folder of indexes and clones; ~/.cache if unset."),
    entry("CI", "If set and not `false`, the index is kept in the repository, in .papa-yu/cache."),
    entry("GITHUB_ACTIONS", "If `true`, annotations are printed."),
    entry("GITHUB_OUTPUT", "File for the outputs of the step."),
    entry("GITHUB_STEP_SUMMARY", "File for the summary of the step."),
    entry("JOB_COMPLETION_INDEX", "Number of the shard for `--shard auto/N`, from 0."),
    entry("CI_NODE_INDEX", "Number of the shard for `--shard auto`, from 1."),
    entry("CI_NODE_TOTAL", "Number of shards for `--shard auto`."),
    entry(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "Base URL of an OpenTelemetry receiver for spans; unset sends nothing.",
    ),
    entry("TRACEPARENT", "Span of the CI job, which becomes the parent of the run's span."),
];

/// Every file and folder that runs read and write by default.
pub const FILES: &[VariableEntry] = &[
    entry("papayu.toml", "Settings of the repository."),
    entry("~/.config/papayu/papayu.toml", "The user's settings."),
    entry(
        ".papa-yu/runs/RUN_ID/",
        "Results of a run: outcome.json, papayu.patch, plan.json, log.txt, report.md.",
    ),
    entry(".papa-yu/traces/", "One JSON line for each exchange with a provider."),
    entry(".papa-yu/project.json", "The repository's part of the engineering memory."),
    entry(".papa-yu/architecture.md", "Description of the architecture, which models are shown."),
    entry(
        "~/.local/share/papayu-batch/preferences.json",
        "The user's part of the engineering memory.",
    ),
    entry(
        "~/.local/share/papayu-batch/notes/",
        "Notes on earlier failures, a file for each repository.",
    ),
    entry("~/.local/state/papayu-batch/journal.key", "Key that seals the journals of this user."),
    entry("~/.cache/papayu-batch/", "Indexes of repositories, and clones of `batch`."),
];
