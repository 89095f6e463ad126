//! The files that a report names, and the fixes and hints that come of it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::findings::{Edit, Findings, Fix};
use super::page::Page;
use super::probe::Probe;
use crate::domain::{Failure, Location, RepoPath};
use crate::failure::{by_base_name, map_to_repo};

/// Files of one repository that are looked through, at most.
const MAX_FILES: usize = 200_000;

/// Characters of a message that a note shows.
const MAX_MESSAGE: usize = 200;

/// What a source reads and what it makes of it.
pub(super) struct Ground<'a> {
    pub(super) probe: &'a Probe<'a>,
    /// Sorted.
    files: Vec<String>,
    pages: BTreeMap<RepoPath, Rc<Page>>,
    findings: Findings,
}

/// What a source thinks of one diagnostic.
pub(super) enum Verdict {
    /// These edits mend it.
    Fix(Vec<Edit>),
    /// It is not mended, and this is why.
    Hint(String),
}

/// A diagnostic at a place in a file of the repository.
pub(super) struct Spot {
    pub(super) path: RepoPath,
    pub(super) page: Rc<Page>,
    pub(super) line: u32,
    pub(super) column: Option<u32>,
}

impl<'a> Ground<'a> {
    /// Lists the repository's files.
    pub(super) fn of(probe: &'a Probe<'a>) -> Self {
        // An unreadable repository has no file that may be changed.
        let files = probe.system.disk.walk(probe.tree.root(), MAX_FILES).unwrap_or_default();
        Self { probe, files, pages: BTreeMap::new(), findings: Findings::default() }
    }

    /// Returns the repository's files, sorted.
    pub(super) fn files(&self) -> &[String] {
        &self.files
    }

    /// Returns the file that a tool names, where there is exactly one.
    pub(super) fn find(&self, printed: &str) -> Option<RepoPath> {
        let exists = |path: &str| self.files.binary_search_by(|file| (**file).cmp(path)).is_ok();
        let root = self.probe.tree.root().to_string_lossy();
        let found = map_to_repo(printed, &exists, Some(&root));
        let found = found.or_else(|| by_base_name(printed, &self.files))?;
        RepoPath::parse(&found).ok()
    }

    /// Reads a file that may be changed; the error says why it may not.
    pub(super) fn page(&mut self, path: &RepoPath) -> Result<Rc<Page>, &'static str> {
        if let Some(page) = self.pages.get(path) {
            return Ok(Rc::clone(page));
        }
        let text = self.probe.read(path)?;
        let page = Rc::new(Page::new(path.as_str(), text));
        self.pages.insert(path.clone(), Rc::clone(&page));
        Ok(page)
    }

    /// Returns the place that a location names.
    pub(super) fn spot(&mut self, at: &Location) -> Result<Spot, &'static str> {
        let path = self.find(&at.path).ok_or("the file is not one of the repository's")?;
        let page = self.page(&path)?;
        Ok(Spot { path, page, line: at.line.unwrap_or(1), column: at.column })
    }

    /// Takes down what is thought of a failure at a place.
    pub(super) fn add(
        &mut self,
        tool: &str,
        (failure, at): (&Failure, &Location),
        verdict: Verdict,
    ) {
        let note = self.note(tool, failure, at);
        match verdict {
            Verdict::Fix(edits) => {
                let fix = Fix { note, edits };
                if !self.findings.fixes.contains(&fix) {
                    self.findings.fixes.push(fix);
                }
            }
            Verdict::Hint(why) => self.findings.unfixed.push(format!("{note} (left out: {why})")),
        }
    }

    fn note(&self, tool: &str, failure: &Failure, at: &Location) -> String {
        let path = self.find(&at.path).map_or_else(|| at.path.clone(), |path| path.to_string());
        let numbers = [at.line, at.column].into_iter().flatten();
        let place = numbers.fold(path, |place, number| format!("{place}:{number}"));
        let code = failure.code.as_ref().map(|code| format!(" {code}")).unwrap_or_default();
        let message = failure.message.lines().next().unwrap_or_default();
        let message: String = message.chars().take(MAX_MESSAGE).collect();
        format!("{place} {tool}{code}: {message}")
    }

    /// Returns all of it; `None` where nothing was found to say.
    pub(super) fn done(self, account: String) -> Findings {
        let mut findings = Findings { account, ..self.findings };
        let edits = findings.fixes.iter().flat_map(|fix| &fix.edits);
        let edited: std::collections::BTreeSet<RepoPath> =
            edits.map(|edit| edit.path.clone()).collect();
        let texts = self.pages.into_iter().filter(|(path, _)| edited.contains(path));
        findings.texts = texts.map(|(path, page)| (path, page.text.clone())).collect();
        findings
    }
}

/// Tells whether a path ends in a dot and this ending.
pub(super) fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, it)| it == ending)
}

/// Returns how many failures a tool's report holds, in words.
pub(super) fn counted(tool: &str, failures: usize) -> String {
    format!("{tool} reports {failures} {}", if failures == 1 { "error" } else { "errors" })
}
