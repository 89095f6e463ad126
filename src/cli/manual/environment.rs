//! The table of environment variables that are not settings.

/// An environment variable that is not a setting.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// One sentence for the documentation.
    pub meaning: &'static str,
}

/// Every environment variable that is read and is not a setting; `settings::KEYS` has those of the settings.
pub const VARIABLES: &[Variable] = &[
    Variable { name: "NO_COLOR", meaning: "If set, nothing is coloured." },
    Variable {
        name: "CLICOLOR_FORCE",
        meaning: "If set, text is coloured even where it does not go to a terminal.",
    },
    Variable {
        name: "XDG_CONFIG_HOME",
        meaning: "Folder of the user's settings file; ~/.config if unset.",
    },
    Variable {
        name: "XDG_STATE_HOME",
        meaning: "Folder of the key that seals journals; ~/.local/state if unset.",
    },
    Variable {
        name: "XDG_DATA_HOME",
        meaning: "Folder of the user's part of the engineering memory and of notes; ~/.local/share if unset.",
    },
    Variable {
        name: "XDG_CACHE_HOME",
        meaning: "Folder of indexes and clones; ~/.cache if unset.",
    },
    Variable {
        name: "CI",
        meaning: "If set and not `false`, the index is kept in the repository, in .papa-yu/cache.",
    },
    Variable { name: "GITHUB_ACTIONS", meaning: "If `true`, annotations are printed." },
    Variable { name: "GITHUB_OUTPUT", meaning: "File for the outputs of the step." },
    Variable { name: "GITHUB_STEP_SUMMARY", meaning: "File for the summary of the step." },
    Variable {
        name: "JOB_COMPLETION_INDEX",
        meaning: "Number of the shard for `--shard auto/N`, from 0.",
    },
    Variable { name: "CI_NODE_INDEX", meaning: "Number of the shard for `--shard auto`, from 1." },
    Variable { name: "CI_NODE_TOTAL", meaning: "Number of shards for `--shard auto`." },
    Variable {
        name: "OTEL_EXPORTER_OTLP_ENDPOINT",
        meaning: "Base URL of an OpenTelemetry receiver for spans; unset sends nothing.",
    },
    Variable {
        name: "TRACEPARENT",
        meaning: "Span of the CI job, which becomes the parent of the run's span.",
    },
];
