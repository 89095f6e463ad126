//! Reads `AGENTS.md`, in which a repository describes its commands and conventions to agents.

use super::base_file::{AtBase, Base, read_at_base};
use crate::system::Tree;

/// The name of the file.
const NAME: &str = "AGENTS.md";
/// Longest text that is shown, in characters.
const MAX_CHARS: usize = 4000;

/// Returns the notes as they are in the base of the pull request that the job is for, otherwise in the commit that is
/// checked out; `None` where that revision has none or is not in the clone. Uncommitted notes are not read.
///
/// The notes are text for the model. No setting and no rule is read from them.
pub(super) fn read_agent_notes(
    tree: &dyn Tree,
    environment: &[(String, String)],
) -> Option<String> {
    let base = Base::of_job(environment).unwrap_or(Base::Head);
    let AtBase::File { text, .. } = read_at_base(&base, NAME, tree, environment) else {
        return None;
    };
    let text = text.trim();
    let shown: String = text.chars().take(MAX_CHARS).collect();
    let is_cut = shown.len() < text.len();
    (!shown.is_empty()).then(|| if is_cut { shown + "\n[the rest is left out]" } else { shown })
}
