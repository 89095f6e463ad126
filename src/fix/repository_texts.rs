//! Reads the files in which a repository describes itself to agents: conventions, memory, architecture.

use super::base_file::{AtBase, BaseRevision, read_at_base};
use super::run_context::RunContext;
use super::session::Session;
use super::tracked::Tracked;
use papayu_base::domain::{Event, EventName};
use papayu_base::text::first_chars;
use papayu_system::memory::{Dropped, Layer, Memory, MemoryFile, read_layer};
use papayu_system::{Disk as _, Tree};

/// The files.
const AGENTS: &str = "AGENTS.md";
const PROJECT: &str = ".papa-yu/project.json";
const ARCHITECTURE: &str = ".papa-yu/architecture.md";
/// Longest notes and longest description that are shown, in characters.
const MAX_NOTES: usize = 4000;
const MAX_DESCRIPTION: usize = 6000;

/// The texts of a repository, as a change under test cannot alter them.
#[derive(Default)]
pub(crate) struct RepositoryTexts {
    /// `AGENTS.md`.
    pub(crate) agents: Option<String>,
    /// `.papa-yu/project.json`, whole.
    project: Option<String>,
    /// `.papa-yu/architecture.md`.
    pub(crate) architecture: Option<String>,
}

impl RepositoryTexts {
    /// Reads the texts as they are in the base of the pull request that the job is for, otherwise in the commit that is
    /// checked out; none where that revision is not in the clone.
    ///
    /// Uncommitted files are not read, except that of the memory, and that of the architecture in a repository that the
    /// user trusts, both outside of jobs for pull requests. `tracked` has the files of the index, if they are known.
    pub(crate) fn read(context: RunContext<'_>, tracked: Option<&Tracked<'_>>) -> Self {
        let session = context.session;
        let tree = session.top();
        let base = BaseRevision::of_job(&session.environment);
        let is_outside = base.is_none();
        let is_trusted = is_outside && session.settings.trusts_repository(session.tree.root());
        // The notes nearest to the code win; the program's own files are at the top alone.
        let nearest = session.prefix() + AGENTS;
        let paths = [&nearest, AGENTS, PROJECT, ARCHITECTURE].map(str::to_owned);
        let base = base.unwrap_or(BaseRevision::Head);
        // A text that the user removed from the index is not read from the commit either, which saves a process of git.
        let is_tracked = |path: &String| tracked.is_none_or(|tracked| tracked.has(path));
        let git = context.open_git().ok();
        let git = git.as_ref().filter(|_| !is_outside || paths.iter().any(is_tracked));
        let found = read_at_base(&base, &paths, git);
        let mut found = found.into_iter().map(|file| match file {
            AtBase::File { text, .. } => Some(text),
            AtBase::NoFile | AtBase::NotHere => None,
        });
        let mut next = || found.next().flatten();
        let (nearest, agents, project, architecture) = (next(), next(), next(), next());
        let read_own = |is_own: bool, name: &str, committed| {
            if is_own { read_folder(tree, name) } else { committed }
        };
        Self {
            agents: nearest.or(agents).and_then(|text| cut(&text, MAX_NOTES)),
            project: read_own(is_outside, PROJECT, project),
            architecture: read_own(is_trusted, ARCHITECTURE, architecture)
                .and_then(|text| cut(&text, MAX_DESCRIPTION)),
        }
    }
}

/// Returns a text of the working tree; `None` for a link, a pipe, and a file that is too long or not UTF-8.
fn read_folder(tree: &dyn Tree, name: &str) -> Option<String> {
    let path = papayu_base::domain::RepoPath::parse(name).ok()?;
    let is_file = matches!(tree.entry(&path), Ok(papayu_system::Entry::File { .. }));
    let bytes = is_file.then(|| tree.read(&path, super::text_file::MAX_SETTINGS).ok()).flatten()?;
    String::from_utf8(bytes).ok()
}

/// Returns the beginning of a text; `None` for an empty one.
fn cut(text: &str, max: usize) -> Option<String> {
    let text = text.trim();
    let shown = first_chars(text, max).to_owned();
    let is_cut = shown.len() < text.len();
    (!shown.is_empty()).then(|| if is_cut { shown + "\n[the rest is left out]" } else { shown })
}

/// The memory of a run, and what of its files is not used.
#[derive(Default)]
pub(crate) struct ReadMemory {
    /// The values of both layers.
    pub(crate) memory: Memory,
    /// Keys without effect, each with the reason.
    pub(crate) dropped: Dropped,
    /// Files that cannot be used at all, in words.
    pub(crate) faults: Vec<String>,
}

impl ReadMemory {
    /// Reads the layer of the user from the data folder, and takes that of the repository from its texts.
    pub(crate) fn read(session: &Session, texts: &RepositoryTexts) -> Self {
        let mut all = Self::default();
        if let Some(folder) = open_data_folder(session) {
            let read = MemoryFile::of_user(folder.as_ref()).and_then(|file| file.read());
            all.add(read.map_err(|error| error.to_string()));
        }
        if let Some(text) = &texts.project {
            let read = read_layer(Layer::Project, text);
            all.add(read.map_err(|reason| format!("`{PROJECT}` is not usable: {reason}")));
        }
        all
    }

    /// Adds the memory of a layer, or the reason why it cannot be read.
    fn add(&mut self, read: Result<(Memory, Dropped), String>) {
        match read {
            Ok((memory, dropped)) => {
                self.memory.merge(memory);
                self.dropped.extend(dropped);
            }
            Err(fault) => self.faults.push(fault),
        }
    }

    /// Emits a notice for each file and key that has no effect.
    pub(super) fn report_faults(&self, context: RunContext<'_>) {
        let of_keys = self.dropped.iter().map(|(key, reason)| {
            format!("the engineering memory has `{key}` without effect: {reason}")
        });
        for text in self.faults.iter().cloned().chain(of_keys) {
            context.events.emit(Event::new(EventName::Notice).with("text", text));
        }
    }
}

/// Opens the folder of what the program remembers for the user; `None` if there is none yet.
pub(crate) fn open_data_folder(session: &Session) -> Option<Box<dyn Tree>> {
    session.disk.open_tree(&session.data_folder()?).ok()
}
