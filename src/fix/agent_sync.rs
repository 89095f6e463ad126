//! Leaves `.papa-yu/agent-sync.json`, where other agents in the repository look for what a run found.

use std::fmt::Write as _;
use std::io;

use super::run_context::RunContext;
use crate::emit::agent_sync::{RunPlace, render_agent_sync};
use crate::engine::Finished;
use papayu_base::domain::RepoPath;
use papayu_index::{FileId, Index, queries};
use papayu_quickfix::IndexSource;
use papayu_system::{Tree, replace_file};

/// The file that is written, relative to the repository.
const FILE: &str = ".papa-yu/agent-sync.json";
/// A description of the architecture that somebody put there.
const DESCRIPTION: &str = ".papa-yu/architecture.md";
/// Most bytes of the description that are read.
const MAX_DESCRIPTION: u64 = 64 * 1024;
/// Most characters of the architecture in the file.
const MAX_SUMMARY: usize = 16_000;
/// Most definitions listed for one file.
const MAX_OF_A_FILE: usize = 30;

/// Writes the file if the settings ask for it (`out.agent_sync`, `snyk.sync`). An error becomes a notice of
/// the outcome, because the fix does not depend on it.
pub(super) fn write_agent_sync(
    context: RunContext<'_>,
    finished: &mut Finished,
    index: &dyn IndexSource,
) {
    let RunContext { session, runtime, .. } = context;
    if !session.settings.out_agent_sync.value && !session.settings.snyk_sync.value {
        return;
    }
    let tree = session.top();
    let architecture = read_description(tree).unwrap_or_else(|| outline_index(index.index()));
    let root = session.tree.root().display().to_string();
    let now = runtime.system().clock.timestamp();
    let place = RunPlace { root: &root, now: &now, architecture: &architecture };
    let text = format!("{:#}\n", render_agent_sync(&finished.outcome, &finished.failure, &place));
    // The outcome is masked already; the description of the repository is not.
    let text = runtime.masker.mask(&text).into_owned();
    let file = RepoPath::parse(FILE).map_err(io::Error::other);
    if let Err(error) = file.and_then(|file| replace_file(tree, &file, text.as_bytes(), 0o644)) {
        finished.outcome.notices.push(format!("cannot write `{FILE}`: {error}"));
    }
}

/// Returns the beginning of the description file, if there is one.
fn read_description(tree: &dyn Tree) -> Option<String> {
    let path = RepoPath::parse(DESCRIPTION).ok()?;
    let bytes = tree.read(&path, MAX_DESCRIPTION).ok()?;
    let text: String = String::from_utf8_lossy(&bytes).chars().take(MAX_SUMMARY).collect();
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Returns a line for each exported definition, by file, as long as the size limit allows.
fn outline_index(index: &Index) -> String {
    let (mut out, mut room) = (String::new(), MAX_SUMMARY);
    for id in (0..).map(FileId).take(index.files().len()) {
        let rows = queries::outline_file(index, id);
        let mut part = String::new();
        for row in rows.iter().filter(|row| row.depth == 0).take(MAX_OF_A_FILE) {
            // Writing to a string cannot fail.
            let _ = writeln!(part, "  {}: {}", row.line, row.head());
        }
        let Some(path) = rows.first().map(|row| row.path).filter(|_| !part.is_empty()) else {
            continue;
        };
        let part = format!("{path}\n{part}");
        let size = part.chars().count();
        if size > room {
            break;
        }
        room -= size;
        out.push_str(&part);
    }
    out
}
