//! Turns a proposed change into a vetted one, or refuses it.

use std::collections::BTreeMap;

use super::gate::{check_actions, check_texts};
use super::{
    PathFacts, Policy, basis, conflict_markers, guessed_places, line_ranges, locked_sources,
    secrets,
};
use papayu_base::domain::{Action, ActionSet, ErrorCode, Op, RepoPath, Sha256, Version};
use papayu_base::text::{Masker, encoding};
use papayu_patch::preview::{self, Change, PreviewOutcome};
use papayu_patch::protocol::Refusal;
use papayu_patch::{Preview, TreeAction};

/// A change that passed every gate, with the bytes of each file before and after it.
///
/// Only [`vet`] and [`vet_files`] make one, and only one can be committed. No other code can build
/// one:
///
/// ```compile_fail,E0451
/// use papayu_patch::Preview;
/// use papayu_vet::VettedChange;
///
/// let (step, whole) = (Preview::new(Vec::new()), Preview::new(Vec::new()));
/// let change = VettedChange { step, whole, strategies: Default::default() };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VettedChange {
    /// Relative to the files of the snapshot.
    pub(super) step: Preview,
    /// Relative to the tree before the run.
    pub(super) whole: Preview,
    /// Only for hunks and edits; a whole file has no strategy.
    pub(super) strategies: BTreeMap<String, Vec<String>>,
}

impl VettedChange {
    /// Returns the proposed change alone, relative to the files of its snapshot.
    pub fn step(&self) -> &Preview {
        &self.step
    }

    /// Returns the proposed change together with the earlier one of its snapshot, relative to the
    /// tree before both: this is what is committed.
    pub fn whole(&self) -> &Preview {
        &self.whole
    }

    /// Returns how each hunk and edit found its place, by file; the trace's `patch_strategy`.
    pub fn strategies(&self) -> &BTreeMap<String, Vec<String>> {
        &self.strategies
    }

    /// Wraps changes for a test of the code that writes them.
    #[cfg(any(test, feature = "testing"))]
    pub fn for_test(changes: Vec<Change>) -> Self {
        let step = Preview::new(changes);
        Self { whole: step.clone(), step, strategies: BTreeMap::new() }
    }
}

/// The state of a repository that a proposed change is judged against.
pub struct Snapshot<'a> {
    /// The files as they are now.
    pub files: &'a dyn PathFacts,
    /// Digests of the files that were shown to the author of the change.
    pub shown: &'a BTreeMap<RepoPath, Sha256>,
    /// The change that `files` already contain; the proposed one is made on top of it.
    pub earlier: Option<&'a VettedChange>,
    /// Finds the secrets that were masked when the files were shown.
    pub masker: &'a Masker,
}

/// One file of a change that is already complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSides {
    /// The file.
    pub path: RepoPath,
    /// Its bytes before the change; `None` for a new file.
    pub before: Option<Vec<u8>>,
    /// Its bytes after the change; `None` for a removed file.
    pub after: Option<Vec<u8>>,
}

/// A question that long work asks between its parts: whether to end without a result.
pub type StopCheck<'a> = &'a dyn Fn() -> bool;

/// Takes the actions of a reply through every gate and applies them in memory.
///
/// # Errors
///
/// The first refusal, in the order of protocol section 4: the gates in the order of
/// `gate/sequence.rs`, then a patch or edit that does not apply, then a masked secret written back
/// (`ERR_PATCH_APPLY_FAILED`, `ERR_EDIT_APPLY_FAILED`), then an edited test or setting
/// (`ERR_TEST_EDIT_NOT_ALLOWED`), then a new merge conflict (`ERR_CONFLICT_MARKERS`). Nothing of a refused set is kept.
pub fn vet(
    set: ActionSet,
    snapshot: &Snapshot<'_>,
    policy: &Policy,
) -> Result<VettedChange, Refusal> {
    vet_until(set, snapshot, policy, &|| false).and_then(expect_complete)
}

/// Does the same as [`vet`], and returns `None` if `stop` asked to end before the change was judged.
///
/// # Errors
///
/// Those of [`vet`].
pub fn vet_until(
    set: ActionSet,
    snapshot: &Snapshot<'_>,
    policy: &Policy,
    stop: StopCheck<'_>,
) -> Result<Option<VettedChange>, Refusal> {
    let actions = check_actions(set, snapshot.files, snapshot.shown, policy)?;
    // `None` is an interruption, which is no refusal: the run ends without blaming the change.
    let Some(landed) = preview::preview_until(&actions, policy.endings, stop)? else {
        return Ok(None);
    };
    line_ranges::check(&actions, &landed.preview)?;
    guessed_places::check(&actions, &landed)?;
    let PreviewOutcome { preview, strategies } = landed;
    let vetted = judge(preview, &actions, snapshot, policy, stop)?;
    Ok(vetted.map(|change| VettedChange { strategies, ..change }))
}

/// Returns the change of actions that [`vet`] refused, to be shown to people; `None` if a gate refused them before they
/// were applied in memory, or `stop` asked to end.
pub fn preview_refused(
    set: ActionSet,
    snapshot: &Snapshot<'_>,
    policy: &Policy,
    stop: StopCheck<'_>,
) -> Option<Preview> {
    let actions = check_actions(set, snapshot.files, snapshot.shown, policy).ok()?;
    Some(preview::preview_until(&actions, policy.endings, stop).ok()??.preview)
}

/// Takes files that are already complete through the same gates. Their bytes stay as they are, in
/// whatever encoding; the gates see them as text.
///
/// # Errors
///
/// The refusals of [`vet`], except those of patches and edits.
pub fn vet_files(
    files: Vec<FileSides>,
    snapshot: &Snapshot<'_>,
    policy: &Policy,
) -> Result<VettedChange, Refusal> {
    vet_files_until(files, snapshot, policy, &|| false).and_then(expect_complete)
}

/// Does the same as [`vet_files`], and returns `None` if `stop` asked to end before the change was judged.
///
/// # Errors
///
/// Those of [`vet_files`].
pub fn vet_files_until(
    files: Vec<FileSides>,
    snapshot: &Snapshot<'_>,
    policy: &Policy,
    stop: StopCheck<'_>,
) -> Result<Option<VettedChange>, Refusal> {
    let set = ActionSet {
        // Only v1 writes whole files.
        version: Version::V1,
        actions: files.iter().map(whole_file_action).collect(),
        summary: String::new(),
        validated: serde_json::Value::Null,
    };
    // The same gates as for a reply of a model: a bundle may come from anywhere.
    let actions = check_actions(set, snapshot.files, snapshot.shown, policy)?;
    // Not made from the actions: their text is decoded, and the bytes must stay as they are.
    let step = Preview::new(files.into_iter().filter_map(whole_file_change).collect());
    judge(step, &actions, snapshot, policy, stop)
}

/// Returns the change of a call that nothing interrupts. The error does not occur, because the
/// stop function of these calls is constant.
fn expect_complete(vetted: Option<VettedChange>) -> Result<VettedChange, Refusal> {
    let stopped = || Refusal::of_reply(ErrorCode::ActionConflict, "the change was not judged");
    vetted.ok_or_else(stopped)
}

/// Returns a vetted change with formatted texts, once these have passed the gates as well. Only the texts of files that
/// the change creates or writes are replaced.
///
/// # Errors
///
/// The refusals of the gates that look at texts, and of the checks of the result.
pub fn vet_formatted(
    change: &VettedChange,
    formatted: &BTreeMap<RepoPath, Vec<u8>>,
    snapshot: &Snapshot<'_>,
    policy: &Policy,
) -> Result<VettedChange, Refusal> {
    let mut changes = change.step.changes().to_vec();
    let mut rewritten = Vec::new();
    for it in &mut changes {
        let Some(text) = formatted.get(it.path()) else { continue };
        if let Change::CreateFile { after, .. } | Change::WriteFile { after, .. } = it {
            after.clone_from(text);
            let content = Some(encoding::shown(text).into_owned());
            rewritten.push(Action { path: it.path().to_string(), op: Op::UpdateFile { content } });
        }
    }
    check_texts(rewritten, policy)?;
    let vetted = judge(Preview::new(changes), &[], snapshot, policy, &|| false);
    let strategies = change.strategies.clone();
    Ok(VettedChange { strategies, ..vetted.and_then(expect_complete)? })
}

/// Checks a change that was applied in memory: no secret is overwritten, the tests and settings
/// that are to prove it are as they were, and no merge conflict is added.
///
/// Returns `None` if `stop` asked to end.
fn judge(
    step: Preview,
    actions: &[TreeAction],
    snapshot: &Snapshot<'_>,
    policy: &Policy,
    stop: StopCheck<'_>,
) -> Result<Option<VettedChange>, Refusal> {
    // An actions list is needed only for the code of the refusal.
    // Over the step alone: the earlier change was checked when it was made.
    secrets::check(&step, actions, snapshot.masker)?;
    let whole = match snapshot.earlier {
        Some(earlier) => earlier.whole.then(&step).ok_or_else(|| {
            let reason = "a path would be a file where a folder was, or the other way round";
            Refusal::of_reply(ErrorCode::ActionConflict, reason)
        })?,
        None => step.clone(),
    };
    // As closures, so that a signal between two of these checks ends the work.
    // Over everything that will be committed: an earlier step may have prepared the weakening.
    let checks: [&dyn Fn() -> Result<(), Refusal>; 3] =
        [&|| basis::check(&whole, policy), &|| locked_sources::check(&whole, policy), &|| {
            conflict_markers::check(&whole)
        }];
    for check in checks {
        if stop() {
            return Ok(None);
        }
        check()?;
    }
    Ok(Some(VettedChange { step, whole, strategies: BTreeMap::new() }))
}

/// Returns the action that gives a file its new content, the form in which the gates check a
/// bundle.
fn whole_file_action(file: &FileSides) -> Action {
    let content = file.after.as_deref().map(|bytes| encoding::shown(bytes).into_owned());
    let op = match (&file.before, content) {
        (_, None) => Op::DeleteFile,
        (None, content) => Op::CreateFile { content },
        (Some(_), content) => Op::UpdateFile { content },
    };
    Action { path: file.path.to_string(), op }
}

/// Returns the change between two contents of a file; `None` if both are absent.
fn whole_file_change(file: FileSides) -> Option<Change> {
    let path = file.path;
    match (file.before, file.after) {
        (None, Some(after)) => Some(Change::CreateFile { path, after }),
        (Some(before), Some(after)) => Some(Change::WriteFile { path, before, after }),
        (Some(before), None) => Some(Change::RemoveFile { path, before }),
        (None, None) => None,
    }
}
