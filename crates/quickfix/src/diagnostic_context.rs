//! The working set of a source: runs tools, finds and reads the files that they name, collects findings.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use super::checked_invocation::CheckedInvocation;
use super::findings::{TextEdit, ToolFindings, ToolFix};
use super::line_index::{LineIndex, Unit};
use super::tool_context::{NoResult, ToolContext};
use papayu_base::domain::{Failure, Location, RepoPath};
use papayu_base::text::join_path;
use papayu_logs::failure::{find_printed_file, map_to_repo};
use papayu_system::{CommandSpec, Confinement, End};

/// Most files of a repository that are listed.
const MAX_FILES: usize = 200_000;

/// Most characters of a message in a note.
const MAX_MESSAGE: usize = 200;

/// The output of a tool, of both its streams, and the way in which it ended.
pub(super) struct ToolOutput {
    /// At most [`QuickfixConfig::max_output`](super::tool_context::QuickfixConfig).
    pub(super) bytes: Vec<u8>,
    /// The exit code; an error if it has none.
    pub(super) ended: Result<i32, NoResult>,
}

/// The output of a tool, of both its streams, and its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProgramOutput {
    /// The lines of both streams, in the order in which they were printed.
    pub(super) text: String,
    /// The exit code.
    pub(super) exit: i32,
}

impl ProgramOutput {
    /// Returns the error of a tool that should have printed a report.
    pub(super) fn no_report(&self, tool: &CheckedInvocation) -> NoResult {
        NoResult::Silent(format!("{} printed no report (exit {})", tool.shown(), self.exit))
    }
}

/// The decision of a rule about one diagnostic.
pub(super) enum RuleDecision {
    /// These edits fix it.
    Fix(Vec<TextEdit>),
    /// It has no safe fix, for this reason.
    Hint(String),
}

impl RuleDecision {
    /// Returns the verdict that no fix is safe, for this reason.
    pub(super) fn hint(why: &str) -> Self {
        Self::Hint(why.to_owned())
    }
}

/// A diagnostic at a place in a file of the repository.
pub(super) struct Spot {
    /// The file of the diagnostic.
    pub(super) path: RepoPath,
    /// Its text with an index of lines.
    pub(super) source: Rc<LineIndex>,
    /// From 1; 1 if the message names no line.
    pub(super) line: u32,
    /// From 1, in the unit of the tool: bytes, characters or units of UTF-16.
    pub(super) column: Option<u32>,
}

impl Spot {
    /// Returns an edit of its file that replaces a range of bytes.
    pub(super) fn edit(&self, range: Range<usize>, text: impl Into<String>) -> TextEdit {
        TextEdit { path: self.path.clone(), range, text: text.into() }
    }

    /// Returns the fix that replaces these bytes of its file.
    pub(super) fn replace(&self, range: Range<usize>, text: impl Into<String>) -> RuleDecision {
        RuleDecision::Fix(vec![self.edit(range, text)])
    }

    /// Returns the bytes of a name: where the tool points, or where the line has it exactly once. `None` if
    /// neither is so.
    pub(super) fn find_name(&self, name: &str, unit: Unit) -> Option<Range<usize>> {
        let pointed = self.source.find_word(self.line, self.column, name, unit);
        pointed.or_else(|| self.source.only_in_line(self.line, name))
    }

    /// Returns an edit that inserts a line before another one.
    pub(super) fn insert_line(&self, before: u32, line: &str) -> TextEdit {
        let at = self.source.line_start(before);
        self.edit(at..at, format!("{line}{}", self.source.line_ending()))
    }

    /// Returns an edit that inserts a line among those with a beginning: before the first that follows it in the order of
    /// letters, else after the last; `None` if there is none.
    pub(super) fn insert_among(&self, beginning: &str, line: &str) -> Option<TextEdit> {
        let source = &self.source;
        let mut alike = (1..=source.line_count())
            .filter(|number| source.line_text(*number).starts_with(beginning));
        let next = alike.clone().find(|number| source.line_text(*number) > line);
        let place = next.or_else(|| alike.next_back().map(|last| last + 1))?;
        Some(self.insert_line(place, line))
    }

    /// Returns the fix that replaces each of these parts of its file by the same text.
    pub(super) fn replace_all(&self, ranges: Vec<Range<usize>>, text: &str) -> RuleDecision {
        RuleDecision::Fix(ranges.into_iter().map(|range| self.edit(range, text)).collect())
    }
}

/// Runs tools and reads files for one source, within the time that it has.
pub(super) struct DiagnosticContext<'a> {
    /// The tools that may be asked, and the repository.
    pub(super) tools: &'a ToolContext<'a>,
    /// The time at which the source began, to limit all its tools together.
    began: Duration,
    /// Sorted.
    files: OnceCell<Vec<String>>,
    texts: BTreeMap<RepoPath, Result<Rc<LineIndex>, &'static str>>,
    /// The result so far.
    findings: ToolFindings,
}

impl<'a> DiagnosticContext<'a> {
    /// Starts the source's time; nothing is read yet.
    pub(super) fn new(tools: &'a ToolContext<'a>) -> Self {
        let began = tools.system.clock.elapsed();
        let (files, texts) = (OnceCell::new(), BTreeMap::new());
        // Files are listed on first use: many sources find nothing to do.
        Self { tools, began, files, texts, findings: ToolFindings::default() }
    }

    /// Runs a tool to its end and returns what it printed.
    ///
    /// # Errors
    ///
    /// [`NoResult::Interrupted`] after a signal, and [`NoResult::Silent`] with a sentence if the tool has no exit
    /// code.
    pub(super) fn run_tool(&self, tool: &CheckedInvocation) -> Result<ProgramOutput, NoResult> {
        let ToolOutput { bytes, ended } = self.run_to_end(tool);
        Ok(ProgramOutput { text: String::from_utf8_lossy(&bytes).into_owned(), exit: ended? })
    }

    /// Does the same as [`Self::run_tool`], and keeps what a tool printed that has no exit code.
    pub(super) fn run_to_end(&self, tool: &CheckedInvocation) -> ToolOutput {
        let ToolContext { system, tree, config, time_limit, .. } = self.tools;
        let time_left =
            time_limit.saturating_sub(system.clock.elapsed().saturating_sub(self.began));
        let spec = CommandSpec {
            argv: tool.argv().to_vec(),
            cwd: tree.root().join(tool.folder()),
            env: tool.env().to_vec(),
            keep_env: config.keep_env.clone(),
            timeout: time_left,
            max_output: config.max_output,
            confinement: Some(Confinement {
                tree: tree.root().to_owned(),
                is_read_only: tool.is_read_only(),
                network: config.network,
            }),
        };
        let mut bytes = Vec::new();
        let end = system.process.run(&spec, &mut |more| bytes.extend_from_slice(more));
        let shown = tool.shown();
        let silent = |why: String| Err(NoResult::Silent(format!("{shown} {why}")));
        let ended = match end {
            Ok(End::Code(exit)) => Ok(exit),
            Ok(End::Interrupted) => Err(NoResult::Interrupted),
            Ok(End::TimedOut) => silent(format!("did not end within {} s", time_left.as_secs())),
            Ok(End::TooMuchOutput) => silent("printed too much".to_owned()),
            Ok(End::Signal(signal)) => silent(format!("was ended by signal {signal}")),
            Err(error) => silent(format!("could not be started: {error}")),
        };
        ToolOutput { bytes, ended }
    }

    /// Returns `true` if a path is a regular file or a link to one. Package managers link
    /// programs, and whole folders of them.
    pub(super) fn is_file(&self, path: &str) -> bool {
        self.tools.system.disk.is_file(&self.tools.tree.root().join(path))
    }

    /// Returns the repository's files, sorted.
    pub(super) fn files(&self) -> &[String] {
        // An unreadable repository has no file that may be changed.
        let walk = || self.tools.system.disk.walk(self.tools.tree.root(), MAX_FILES);
        self.files.get_or_init(|| walk().unwrap_or_default())
    }

    /// Returns `true` if the repository has the file.
    fn has_file(&self, path: &str) -> bool {
        self.files().binary_search_by(|file| (**file).cmp(path)).is_ok()
    }

    /// Returns the file that a message names. A bare file name is enough if only one file has
    /// it.
    pub(super) fn find_file(&self, printed: &str) -> Option<RepoPath> {
        let root = self.tools.tree.root().to_string_lossy();
        RepoPath::parse(&find_printed_file(printed, &root, self.files())?).ok()
    }

    /// Returns the file that a tool names after running in `folder`: by an absolute path, or relative to that
    /// folder. `None` if it is not in the repository.
    pub(super) fn find_in(&self, folder: &str, name: &str) -> Option<RepoPath> {
        let name = Path::new(name);
        let root = self.tools.tree.root();
        let place = if name.is_absolute() { name.to_owned() } else { root.join(folder).join(name) };
        self.find_below_root(place.strip_prefix(root).ok()?)
    }

    /// Returns the file at a path below the root; `..` in it is followed. `None` if there is no such file.
    pub(super) fn find_below_root(&self, path: &Path) -> Option<RepoPath> {
        let path = join_path("", &path.to_str()?.replace(std::path::MAIN_SEPARATOR, "/"))?;
        if self.has_file(&path) { RepoPath::parse(&path).ok() } else { None }
    }

    /// Returns the file that a report of another machine names, on which the repository was in another folder.
    /// `None` if there is no such file here.
    pub(super) fn find_reported(&self, name: &str) -> Option<RepoPath> {
        let here = self.find_in("", name);
        let is_absolute =
            name.starts_with('/') || name.contains("://") || name.as_bytes().get(1) == Some(&b':');
        if here.is_some() || !is_absolute {
            return here;
        }
        let root = self.tools.tree.root().to_string_lossy();
        let found = map_to_repo(name, &|path: &str| self.has_file(path), Some(&root))?;
        RepoPath::parse(&found).ok()
    }

    /// Reads a file that may be changed; a second call returns the same text. The error is the
    /// reason why it may not be changed.
    pub(super) fn read(&mut self, path: &RepoPath) -> Result<Rc<LineIndex>, &'static str> {
        let tools = self.tools;
        let read = || Ok(Rc::new(LineIndex::new(path.as_str(), tools.read(path)?)));
        self.texts.entry(path.clone()).or_insert_with(read).clone()
    }

    /// Returns the place that a location names. The error is the reason why nothing may be
    /// changed there.
    pub(super) fn locate(&mut self, at: &Location) -> Result<Spot, &'static str> {
        let path = self.find_file(&at.path).ok_or("the file is not one of the repository's")?;
        let source = self.read(&path)?;
        Ok(Spot { path, source, line: at.line.unwrap_or(1), column: at.column })
    }

    /// Adds the verdict of a rule on a failure at a place. If nothing may be changed there, a
    /// hint is added and the rule is not called.
    pub(super) fn judge(
        &mut self,
        tool: &str,
        failure: &Failure,
        at: &Location,
        rule: impl FnOnce(&mut Self, &Spot) -> RuleDecision,
    ) {
        let verdict = match self.locate(at) {
            Ok(spot) => rule(self, &spot),
            Err(why) => RuleDecision::hint(why),
        };
        self.add_verdict(tool, failure, at, verdict);
    }

    /// Adds the verdict on a failure at a place.
    pub(super) fn add_verdict(
        &mut self,
        tool: &str,
        failure: &Failure,
        at: &Location,
        verdict: RuleDecision,
    ) {
        // Fix and hint have the same first words, so that a reader finds a failure in both lists.
        let note = self.note(tool, failure, at);
        match verdict {
            RuleDecision::Fix(edits) => self.add_fix(ToolFix { note, edits }),
            RuleDecision::Hint(why) => self.add_hint(format!("{note} (left out: {why})")),
        }
    }

    /// Adds a fix, unless it is there already.
    pub(super) fn add_fix(&mut self, fix: ToolFix) {
        // A library and its tests report the same error, and one cause can have several failures.
        if !self.findings.fixes.contains(&fix) {
            self.findings.fixes.push(fix);
        }
    }

    /// Adds a line about a fix that a person has to make.
    pub(super) fn leave_fix(&mut self, line: String, edits: &[TextEdit]) {
        self.findings.unfixed.push(line);
        self.findings.left.extend(edits.iter().map(|edit| edit.path.clone()));
    }

    /// Adds a line about a failure without a safe fix.
    pub(super) fn add_hint(&mut self, line: String) {
        self.findings.unfixed.push(line);
    }

    /// Returns a diagnostic as hints name it: `src/a.ts:3:5 TS2304: Cannot find name 'x'.`
    fn note(&self, tool: &str, failure: &Failure, at: &Location) -> String {
        let path =
            self.find_file(&at.path).map_or_else(|| at.path.clone(), |path| path.to_string());
        let numbers = [at.line, at.column].into_iter().flatten();
        let place = numbers.fold(path, |place, number| format!("{place}:{number}"));
        let code = failure.code.as_ref().map(|code| format!(" {code}")).unwrap_or_default();
        let message = failure.message.lines().next().unwrap_or_default();
        let message: String = message.chars().take(MAX_MESSAGE).collect();
        format!("{place} {tool}{code}: {message}")
    }

    /// Returns all findings, with the texts that were read, so that an edit is applied to the
    /// text that its rule has seen.
    pub(super) fn into_findings(self, account: String) -> ToolFindings {
        let read = self.texts.into_iter();
        let texts = read.filter_map(|(path, text)| Some((path, text.ok()?.text.clone()))).collect();
        ToolFindings { texts, account, ..self.findings }
    }
}

/// Returns `true` if a path ends with a dot and this ending.
pub(super) fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, it)| it == ending)
}

/// Returns the number of failures in a tool's report as a sentence.
pub(super) fn count_errors(tool: &str, failures: usize) -> String {
    format!("{tool} reports {failures} {}", if failures == 1 { "error" } else { "errors" })
}
