//! Where a linter's source works: runs the tool, reads its JSON and the files that it names, each once.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::probe::{Interrupted, Probe};
use super::ruler::Ruler;
use crate::domain::RepoPath;
use crate::failure::map_to_repo;
use crate::system::{CommandSpec, End};

/// Files of one repository that are looked through, at most.
const MAX_FILES: usize = 200_000;

/// Most bytes of a tool's report that are read.
const MAX_REPORT_BYTES: usize = 64 << 20;

/// A command of a tool that changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tool {
    /// The folder it runs in, relative to the repository; empty for the root.
    pub(super) folder: String,
    /// Assignments on top of the environment.
    pub(super) env: Vec<(String, String)>,
    /// Program and arguments.
    pub(super) argv: Vec<String>,
}

impl Tool {
    /// Returns the command as an account names it.
    pub(super) fn shown(&self) -> String {
        format!("`{}`", self.argv.join(" "))
    }

    /// Returns the same command with more arguments.
    pub(super) fn with(&self, arguments: &[&str]) -> Self {
        let mut tool = self.clone();
        tool.argv.extend(arguments.iter().map(|&word| word.to_owned()));
        tool
    }
}

/// What a tool printed, on both of its streams, and its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) exit: i32,
}

/// Runs and reads for one source, within the time that it has.
pub(super) struct Desk<'a> {
    pub(super) probe: &'a Probe<'a>,
    began: Duration,
    files: OnceCell<Vec<String>>,
    texts: BTreeMap<RepoPath, Result<Ruler, &'static str>>,
}

impl<'a> Desk<'a> {
    /// The source's time begins to run.
    pub(super) fn new(probe: &'a Probe<'a>) -> Self {
        let began = probe.system.clock.elapsed();
        Self { probe, began, files: OnceCell::new(), texts: BTreeMap::new() }
    }

    /// Runs a tool to its end. The inner error says, as an account does, why it has no answer.
    pub(super) fn ask(&self, tool: &Tool) -> Result<Result<Answer, String>, Interrupted> {
        let Probe { system, tree, config, time_limit, .. } = self.probe;
        let time_left =
            time_limit.saturating_sub(system.clock.elapsed().saturating_sub(self.began));
        let spec = CommandSpec {
            argv: tool.argv.clone(),
            cwd: tree.root().join(&tool.folder),
            env: tool.env.clone(),
            keep_env: config.keep_env.clone(),
            timeout: time_left,
            max_output: config.max_output,
        };
        let mut bytes = Vec::new();
        let end = system.process.run(&spec, &mut |more| {
            let room = MAX_REPORT_BYTES.saturating_sub(bytes.len());
            bytes.extend_from_slice(more.get(..room).unwrap_or(more));
        });
        let shown = tool.shown();
        Ok(match end {
            Err(error) => Err(format!("{shown} could not be started: {error}")),
            Ok(End::Interrupted) => return Err(Interrupted),
            Ok(End::TimedOut) => {
                Err(format!("{shown} did not end within {} s", time_left.as_secs()))
            }
            Ok(End::TooMuchOutput) => Err(format!("{shown} printed too much")),
            Ok(End::Signal(signal)) => Err(format!("{shown} was ended by signal {signal}")),
            Ok(End::Code(exit)) => {
                Ok(Answer { text: String::from_utf8_lossy(&bytes).into_owned(), exit })
            }
        })
    }

    /// Tells whether a regular file, or a link to one, stands there.
    pub(super) fn stands(&self, path: &str) -> bool {
        self.probe.system.disk.is_file(&self.probe.tree.root().join(path))
    }

    /// Finds the file that a tool which ran in `folder` names: absolute, or relative to that folder.
    pub(super) fn find(&self, folder: &str, name: &str) -> Option<RepoPath> {
        let name = Path::new(name);
        let root = self.probe.tree.root();
        let place = if name.is_absolute() { name.to_owned() } else { root.join(folder).join(name) };
        let mut segments = Vec::new();
        for segment in place.strip_prefix(root).ok()?.to_str()?.split('/') {
            match segment {
                "" | "." => {}
                ".." => drop(segments.pop()?),
                name => segments.push(name),
            }
        }
        let path = segments.join("/");
        self.files().binary_search(&path).ok().and_then(|_| RepoPath::parse(&path).ok())
    }

    /// Finds the file that a report of another machine names, where the repository stood elsewhere.
    pub(super) fn find_reported(&self, name: &str) -> Option<RepoPath> {
        let here = self.find("", name);
        let is_absolute =
            name.starts_with('/') || name.contains("://") || name.as_bytes().get(1) == Some(&b':');
        if here.is_some() || !is_absolute {
            return here;
        }
        let exists = |path: &str| self.files().binary_search_by(|it| (**it).cmp(path)).is_ok();
        let root = self.probe.tree.root().to_string_lossy();
        RepoPath::parse(&map_to_repo(name, &exists, Some(&root))?).ok()
    }

    fn files(&self) -> &[String] {
        // An unreadable repository has no file that may be changed.
        let walk = || self.probe.system.disk.walk(self.probe.tree.root(), MAX_FILES);
        self.files.get_or_init(|| walk().unwrap_or_default())
    }

    /// Returns the text of a file; the error says why it is left alone.
    pub(super) fn text(&mut self, path: &RepoPath) -> Result<&Ruler, &'static str> {
        let read = || self.probe.read(path).map(Ruler::new);
        self.texts.entry(path.clone()).or_insert_with(read).as_ref().map_err(|reason| *reason)
    }

    /// Ends the work and returns the texts that were read.
    pub(super) fn into_texts(self) -> BTreeMap<RepoPath, String> {
        let read = self.texts.into_iter();
        read.filter_map(|(path, text)| Some((path, text.ok()?.into_text()))).collect()
    }
}
