//! A copy of a repository's manifests and lock files, in which package managers run.

use std::path::PathBuf;

use super::tools::{BumpTools, UpdatedText, read_text};
use super::unbumped::Unbumped;
use papayu_base::domain::RepoPath;
use papayu_system::{CommandSpec, Confinement, End, Scratch, Tree};

/// Longest message of a failed command that is quoted, in characters.
const MAX_MESSAGE: usize = 300;

/// Variables that keep package managers from asking, reporting and replacing themselves.
const VARIABLES: [(&str, &str); 5] = [
    ("CI", "1"),
    ("CARGO_TERM_COLOR", "never"),
    ("GOFLAGS", "-mod=mod"),
    ("GOTOOLCHAIN", "local"),
    ("npm_config_update_notifier", "false"),
];

/// A temporary folder with some files of the repository.
pub(super) struct Copy<'a> {
    tools: BumpTools<'a>,
    scratch: Box<dyn Scratch>,
    /// The copied folder, through which no link leads out.
    tree: Box<dyn Tree>,
    /// Files of which the changes are taken over.
    watched: Vec<RepoPath>,
    originals: Vec<(RepoPath, String)>,
}

impl<'a> Copy<'a> {
    /// Copies files of the repository; those that cannot be read, or are no text, are left out. Changes of the
    /// `watched` ones are taken over, the others are only there to be read.
    ///
    /// Fails with the error of the disk if the temporary folder cannot be written.
    pub(super) fn lay_out(
        tools: BumpTools<'a>,
        read: &[RepoPath],
        watched: &[RepoPath],
    ) -> Result<Self, Unbumped> {
        let scratch = tools.system.disk.scratch()?;
        let mut originals = Vec::new();
        for path in read.iter().chain(watched) {
            let Some(text) = tools.read_text(path) else { continue };
            tools.system.disk.write(&scratch.path().join(path.as_str()), text.as_bytes())?;
            if watched.contains(path) {
                originals.push((path.clone(), text));
            }
        }
        let tree = tools.system.disk.open_tree(scratch.path())?;
        Ok(Self { tools, scratch, tree, watched: watched.to_vec(), originals })
    }

    /// Returns the text of a file in the copy; `None` without one, and for a link.
    pub(super) fn read(&self, path: &RepoPath) -> Option<String> {
        read_text(self.tree.as_ref(), path)
    }

    /// Replaces a file in the copy.
    ///
    /// Fails with the error of the disk.
    pub(super) fn write(&self, path: &RepoPath, text: &str) -> Result<(), Unbumped> {
        let place = self.scratch.path().join(path.as_str());
        Ok(self.tools.system.disk.write(&place, text.as_bytes())?)
    }

    /// Returns the watched files that differ from the repository.
    pub(super) fn changed(&self) -> Vec<UpdatedText> {
        let changes = self.watched.iter().filter_map(|path| {
            let before = self.originals.iter().find(|(known, _)| known == path);
            let before = before.map(|(_, text)| text.clone());
            let after = self.read(path).filter(|after| Some(after) != before.as_ref())?;
            Some(UpdatedText { path: path.clone(), before, after })
        });
        changes.collect()
    }

    /// Runs a package manager in a folder of the copy, in the sandbox.
    ///
    /// Fails with [`Unbumped::Failed`] and the first line of its output that is an error, also for a missing
    /// program and after the time limit of the settings, and with [`Unbumped::Interrupted`] after a signal.
    pub(super) fn run(&self, folder: &str, words: &[&str]) -> Result<(), Unbumped> {
        let config = self.tools.config;
        let spec = CommandSpec {
            argv: words.iter().map(|word| (*word).to_owned()).collect(),
            cwd: self.folder(folder),
            env: VARIABLES.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            keep_env: config.keep_env.clone(),
            timeout: config.timeout,
            max_output: config.max_output,
            confinement: Some(Confinement {
                tree: self.scratch.path().to_owned(),
                is_read_only: false,
                network: config.network,
            }),
        };
        let mut output = Vec::new();
        let mut keep = |bytes: &[u8]| output.extend_from_slice(bytes);
        let ended = self.tools.system.process.run(&spec, &mut keep);
        let failed = |reason: String| Unbumped::Failed { command: words.join(" "), reason };
        match ended {
            Ok(End::Code(0)) => Ok(()),
            Ok(End::Interrupted) => Err(Unbumped::Interrupted),
            Ok(End::TimedOut) => Err(failed("it did not end in time".to_owned())),
            Ok(_) => Err(failed(first_error(&String::from_utf8_lossy(&output)))),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// Returns a folder of the copy; an empty name is its root.
    fn folder(&self, name: &str) -> PathBuf {
        if name.is_empty() {
            self.scratch.path().to_owned()
        } else {
            self.scratch.path().join(name)
        }
    }
}

/// Returns the first line of an output that names an error, else its last one.
fn first_error(output: &str) -> String {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut errors = lines().filter(|line| line.to_ascii_lowercase().contains("error"));
    let line = errors.next().or_else(|| lines().next_back()).unwrap_or("it failed");
    line.chars().take(MAX_MESSAGE).collect()
}
