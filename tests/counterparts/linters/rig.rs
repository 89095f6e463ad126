//! A folder with the real tools linked into it, and the quickfix stage asked about it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use papayu_logs::failure::{LogReader, ReportLimits};
use papayu_quickfix::{FixBatches, Quickfix, QuickfixConfig};
use papayu_system::os::{OsClock, OsDisk, OsProcess, environment};
use papayu_system::{CommandNetwork, Disk, Http, HttpError, HttpRequest, HttpResponse, System};
use tempfile::TempDir;

struct NoHttp;

impl Http for NoHttp {
    fn send(&self, _: &HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::Connection("linters need no network".to_owned()))
    }
}

/// A project in a temporary folder.
pub(crate) struct Folder {
    root: TempDir,
    flag: Arc<AtomicBool>,
    /// Longest time for the tools.
    pub(crate) timeout: Duration,
}

/// What the stage proposes.
#[derive(Debug)]
pub(crate) struct Proposed {
    /// The changed files with their new texts.
    pub(crate) files: BTreeMap<String, String>,
    /// What it says about that.
    pub(crate) summary: String,
}

/// Where `setup.sh` installed the tools.
pub(crate) fn installed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/counterparts")
}

impl Folder {
    /// Makes the folder, its files, and links to the tools as npm and venv would install them.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self {
            root: tempfile::tempdir().unwrap(),
            flag: Arc::default(),
            timeout: Duration::from_mins(2),
        };
        symlink(installed().join("node_modules"), folder.path("node_modules")).unwrap();
        symlink(installed().join("venv"), folder.path(".venv")).unwrap();
        folder.write(".gitignore", "node_modules\n.venv\n");
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    /// Returns where a file is.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.root.path()).unwrap().join(path)
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Reads a file.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Runs a tool in the folder, whatever its exit code; returns what it printed.
    pub(crate) fn run(&self, argv: &[&str]) -> String {
        let mut command = Command::new(self.path(argv[0]));
        command.args(&argv[1..]).current_dir(self.path(""));
        String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
    }

    /// Asks about a project whose command is `run`.
    pub(crate) fn asked(&self, run: &str) -> Proposed {
        self.asked_about(Some(run), "")
    }

    /// Asks about a log.
    pub(crate) fn asked_about(&self, run: Option<&str>, log: &str) -> Proposed {
        let mut reader = LogReader::new(ReportLimits::default());
        reader.push(log.as_bytes());
        let report = reader.finish();
        let root = self.path("");
        let tree = OsDisk.open_tree(&root).unwrap();
        let mut variables = environment::snapshot();
        for (_, value) in variables.iter_mut().filter(|(name, _)| name == "PATH") {
            // As an activated venv would have it.
            *value = format!("{}:{value}", installed().join("venv/bin").display());
        }
        let process = OsProcess::new(Arc::clone(&self.flag), variables);
        let clock = OsClock::new(Arc::clone(&self.flag));
        let system = System { disk: &OsDisk, process: &process, http: &NoHttp, clock: &clock };
        let config = QuickfixConfig {
            network: CommandNetwork::On,
            allow_test_edits: false,
            run: run.map(str::to_owned),
            timeout: self.timeout,
            max_output: 64 << 20,
            keep_env: Vec::new(),
        };
        let stage = Quickfix::new(system, &*tree, config);
        let proposal = stage.propose(&mut FixBatches::default(), &report, self.timeout).unwrap();
        let summary = proposal.summary("Applied the tools' own fixes:", run);
        let files = proposal.files.into_iter().map(|file| (file.path.to_string(), file.after));
        Proposed { files: files.collect(), summary }
    }
}

/// One file a case.
pub(crate) fn cases(table: &str, separator: &str, ending: &str) -> Vec<(String, String)> {
    let texts = table.split(separator).filter(|text| !text.trim().is_empty());
    let name = |number: usize| format!("cases/case_{number:03}.{ending}");
    texts.enumerate().map(|(number, text)| (name(number), text.trim_start().to_owned())).collect()
}

/// Compares each case's proposed text with what the tool itself made of it; returns those that it changed.
pub(crate) fn equal_cases(
    cases: &[(String, String)],
    proposed: &Proposed,
    tool: &Folder,
) -> BTreeSet<String> {
    let mut changed = BTreeSet::new();
    for (path, before) in cases {
        let after = tool.read(path);
        let ours = proposed.files.get(path).unwrap_or(before);
        assert_eq!(*ours, after, "{path} was\n{before}\n{}", proposed.summary);
        if after != *before {
            changed.insert(path.clone());
        }
    }
    changed
}
