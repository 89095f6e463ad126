//! The table of files that runs read and write.

/// A file or folder that runs read or write.
#[derive(Clone, Copy, Debug)]
pub struct UsedFile {
    /// Its path; `RUN_ID` is the id of a run.
    pub path: &'static str,
    /// One sentence for the documentation.
    pub meaning: &'static str,
}

/// Every file and folder that runs read and write by default.
pub const FILES: &[UsedFile] = &[
    UsedFile { path: "papayu.toml", meaning: "Settings of the repository." },
    UsedFile { path: "~/.config/papayu/papayu.toml", meaning: "The user's settings." },
    UsedFile {
        path: ".papa-yu/runs/RUN_ID/",
        meaning: "Results of a run: outcome.json, papayu.patch, plan.json, log.txt, report.md.",
    },
    UsedFile {
        path: ".papa-yu/traces/",
        meaning: "One JSON line for each exchange with a provider.",
    },
    UsedFile {
        path: ".papa-yu/project.json",
        meaning: "The repository's part of the engineering memory.",
    },
    UsedFile {
        path: ".papa-yu/architecture.md",
        meaning: "Description of the architecture, which models are shown.",
    },
    UsedFile {
        path: "~/.local/share/papayu-batch/preferences.json",
        meaning: "The user's part of the engineering memory.",
    },
    UsedFile {
        path: "~/.local/share/papayu-batch/notes/",
        meaning: "Notes on earlier failures, a file for each repository.",
    },
    UsedFile {
        path: "~/.local/state/papayu-batch/journal.key",
        meaning: "Key that seals the journals of this user.",
    },
    UsedFile {
        path: "~/.cache/papayu-batch/",
        meaning: "Indexes of repositories, and clones of `batch`.",
    },
];
