//! The recipes of one run: offers their changes for a failure one after the other.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::files::{ImportIndex, OldFiles};
use super::folder::{RecipeFolder, StoredRecipe};
use super::gate::{GateTurn, RecipeGate};
use papayu_base::domain::{
    Event, EventName, EventSink, FailureReport, RepoPath, normalize_identity,
};
use papayu_quickfix::{FileFix, IndexSource, Proposal};
use papayu_recipes::{RecipeChange, RecipeReach, RecipeTarget, VersionCheck};
use papayu_system::{System, Tree};

/// Time for the recipes of one offer, and for learning one.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// The recipes of one run.
pub struct RecipeStage<'a> {
    system: System<'a>,
    tree: &'a dyn Tree,
    pub(super) index: &'a dyn IndexSource,
    events: &'a dyn EventSink,
    folder: RecipeFolder,
    allows_tests: bool,
    gate: Option<Arc<RecipeGate>>,
    turn: Mutex<Option<GateTurn>>,
    reported: Mutex<BTreeSet<String>>,
}

/// The recipes that were tried in a run.
#[derive(Debug, Default)]
pub struct RecipeTries {
    tried: BTreeSet<(String, RecipeReach)>,
    made: BTreeSet<Vec<RecipeChange>>,
    /// The change that was offered last.
    offered: Vec<RecipeChange>,
    /// The files that recipes have changed in the run, as they were before the first change.
    kept: BTreeMap<(String, String), RecipeChange>,
    /// The recipe of the change that is being checked.
    pub(crate) current: Option<String>,
    /// Recipes with a change that helped.
    pub(crate) helped: BTreeSet<String>,
    /// Recipes with a change that did not help.
    pub(crate) failed: BTreeSet<String>,
}

/// The change of a recipe.
#[derive(Clone, Debug, Default)]
pub struct RecipeOffer {
    /// Its files; none if no recipe has a change to offer.
    pub proposal: Proposal,
    /// The id of the recipe.
    pub id: Option<String>,
    /// The range of versions that was not checked.
    pub note: Option<String>,
}

impl<'a> RecipeStage<'a> {
    /// Returns the stage of a repository; no file is read before the first offer.
    pub fn new(
        system: System<'a>,
        tree: &'a dyn Tree,
        index: &'a dyn IndexSource,
        events: &'a dyn EventSink,
        folder: RecipeFolder,
    ) -> Self {
        let (turn, reported) = Default::default();
        Self {
            system,
            tree,
            index,
            events,
            folder,
            allows_tests: false,
            gate: None,
            turn,
            reported,
        }
    }

    /// Allows recipes to change tests.
    #[must_use]
    pub fn with_tests(self, allows_tests: bool) -> Self {
        Self { allows_tests, ..self }
    }

    /// Adds the gate of a batch.
    #[must_use]
    pub fn with_gate(self, gate: Option<Arc<RecipeGate>>) -> Self {
        Self { gate, ..self }
    }

    /// Returns the folders.
    pub fn folder(&self) -> &RecipeFolder {
        &self.folder
    }

    /// Returns whether other tasks may teach a recipe while this one runs.
    pub fn has_gate(&self) -> bool {
        self.gate.is_some()
    }

    /// Ends the wait of tasks with the same failure.
    pub fn release_turn(&self) {
        drop(self.turn.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Waits while another task asks a model about the same failure, unless `stops` returns `true`.
    pub fn wait_for_turn(&self, report: &FailureReport, stops: &dyn Fn() -> bool) {
        let Some(gate) = &self.gate else { return };
        let Some(key) = failure_key(report) else { return };
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if turn.is_none() {
            *turn = gate.enter(&key, stops);
        }
    }

    /// Returns the recipes; a file that is refused is reported once.
    pub fn read_recipes(&self) -> Vec<StoredRecipe> {
        let (recipes, faults) = self.folder.read(self.system.disk);
        let waits_in_vain = recipes.iter().filter(|it| it.recipe.when.is_empty());
        let waits_in_vain = waits_in_vain.map(|it| {
            let (file, id) = (it.path.display(), &it.recipe.id);
            format!(
                "{file}: `{id}` has no `when`, so that it is for no failure; `--recipe` applies it"
            )
        });
        self.report_once(faults.iter().map(ToString::to_string).chain(waits_in_vain));
        recipes
    }

    /// Reports what is new of what makes recipes useless here.
    fn report_once(&self, faults: impl IntoIterator<Item = String>) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        for text in faults {
            if reported.insert(text.clone()) {
                self.events.emit(Event::new(EventName::RecipeSkipped).with("reason", text));
            }
        }
    }

    /// Returns the next change that a matching recipe offers: on the lines that the failure names, then in its files, then
    /// in the repository. Two recipes that change a file in different ways are ambiguous, and neither is offered.
    pub fn propose(
        &self,
        report: &FailureReport,
        tries: &mut RecipeTries,
        is_judged: bool,
    ) -> RecipeOffer {
        let recipes = self.read_recipes();
        let in_use: Vec<&StoredRecipe> =
            recipes.iter().filter(|it| !it.recipe.is_retired()).collect();
        // The index is waited for only if a recipe may match.
        if !in_use.iter().any(|it| it.recipe.is_for_tools_of(report)) {
            return RecipeOffer::nothing("no recipe is for this tool");
        }
        let names = ImportIndex::new(self.index.index());
        let files = self.files(BTreeMap::new());
        let target = RecipeTarget {
            files: &files,
            reexports: &names,
            report,
            allows_untyped: is_judged,
            allows_tests: self.allows_tests,
        };
        let matching = self.find_matching(in_use, target);
        if matching.is_empty() {
            return RecipeOffer::nothing("no recipe is for this failure");
        }
        let mut hints = Vec::new();
        for reach in [RecipeReach::Lines, RecipeReach::Files, RecipeReach::Repository] {
            match choose_change(&matching, target, reach, tries) {
                Ok(Some(offer)) => return offer,
                Ok(None) => {}
                Err(hint) => hints.push(hint),
            }
        }
        let nothing = RecipeOffer::nothing("no matching recipe has a change to offer");
        RecipeOffer { proposal: Proposal { hints, ..nothing.proposal }, ..RecipeOffer::default() }
    }

    /// Returns the recipes that are for the failures and the versions of the repository.
    fn find_matching<'r>(
        &self,
        recipes: Vec<&'r StoredRecipe>,
        target: RecipeTarget<'_>,
    ) -> Vec<&'r StoredRecipe> {
        let (matching, others): (Vec<_>, Vec<_>) =
            recipes.into_iter().partition(|it| !it.recipe.find_failures_in(target).is_empty());
        let excluded = others.into_iter().filter_map(|StoredRecipe { recipe, .. }| {
            let is_for_failure = !recipe.find_failures(target.report).is_empty();
            match recipe.check_version(target.files) {
                VersionCheck::Differs(reason) if is_for_failure => {
                    Some(format!("`{}` is not tried: {reason}", recipe.id))
                }
                _ => None,
            }
        });
        self.report_once(excluded);
        matching
    }

    /// Returns the files on disk, with the texts that some of them had.
    pub(super) fn files(&self, before: BTreeMap<String, String>) -> OldFiles<'_> {
        OldFiles {
            tree: self.tree,
            index: self.index,
            clock: self.system.clock,
            until: self.system.clock.elapsed() + TIME_LIMIT,
            before,
            left: RefCell::default(),
            versions: OnceCell::default(),
        }
    }
}

impl RecipeTries {
    /// Returns whether changes give a line back the text that it had before the recipe changed it: a rule that swaps arguments
    /// would swap them again.
    fn takes_back(&self, id: &str, changes: &[RecipeChange]) -> bool {
        changes.iter().any(|change| {
            let first = self.kept.get(&(id.to_owned(), change.path.clone()));
            first.is_some_and(|first| {
                let (old, now) = (first.before.lines(), change.before.lines());
                let mut lines = old.zip(now).zip(change.after.lines());
                lines.any(|((old, now), new)| old == new && now != new)
            })
        })
    }

    /// Notes that the change under check was taken back.
    pub(crate) fn note_failed(&mut self) {
        self.failed.extend(self.current.take());
    }

    /// Notes that the change under check helped. Other failures may need the same recipes again.
    pub(crate) fn note_helped(&mut self) {
        for change in std::mem::take(&mut self.offered) {
            let key = self.current.clone().map(|id| (id, change.path.clone()));
            key.map(|key| self.kept.entry(key).or_insert(change));
        }
        self.helped.extend(self.current.take());
        self.tried.clear();
    }
}

impl RecipeOffer {
    fn nothing(account: &str) -> Self {
        let proposal = Proposal { account: account.to_owned(), ..Proposal::default() };
        Self { proposal, ..Self::default() }
    }

    fn of(stored: &StoredRecipe, changes: Vec<RecipeChange>) -> Self {
        let (id, title) = (&stored.recipe.id, stored.recipe.title());
        let fixes =
            changes.iter().map(|it| format!("{}: recipe `{id}`: {title}", it.path)).collect();
        let files = changes.into_iter().filter_map(|change| {
            let path = RepoPath::parse(&change.path).ok()?;
            Some(FileFix { path, before: change.before, after: change.after })
        });
        let account = format!("recipe `{id}`");
        let proposal = Proposal { files: files.collect(), fixes, hints: Vec::new(), account };
        Self { proposal, id: Some(id.clone()), note: None }
    }
}

/// Returns the first change that recipes have within a reach and that was not tried before; `None` if they have none.
///
/// # Errors
///
/// The reason why none is offered although there are some.
fn choose_change(
    matching: &[&StoredRecipe],
    target: RecipeTarget<'_>,
    reach: RecipeReach,
    tries: &mut RecipeTries,
) -> Result<Option<RecipeOffer>, String> {
    let mut offers = Vec::new();
    for stored in matching {
        let id = stored.recipe.id.clone();
        if !tries.tried.insert((id, reach)) {
            continue;
        }
        let changes = stored.recipe.apply(target, reach);
        let is_new =
            !tries.made.contains(&changes) && !tries.takes_back(&stored.recipe.id, &changes);
        if !changes.is_empty() && is_new {
            offers.push((*stored, changes));
        }
    }
    let Some((chosen, changes)) = offers.first().cloned() else { return Ok(None) };
    if let Some((other, _)) = offers.iter().skip(1).find(|(_, it)| differ(&changes, it)) {
        let (one, other) = (&chosen.recipe.id, &other.recipe.id);
        return Err(format!(
            "the recipes `{one}` and `{other}` change the same file in different ways"
        ));
    }
    // The others are offered if this one does not help.
    for (other, _) in offers.iter().skip(1) {
        tries.tried.remove(&(other.recipe.id.clone(), reach));
    }
    tries.made.insert(changes.clone());
    tries.offered.clone_from(&changes);
    let note = match chosen.recipe.check_version(target.files) {
        VersionCheck::Unknown(note) => Some(note),
        _ => None,
    };
    Ok(Some(RecipeOffer { note, ..RecipeOffer::of(chosen, changes) }))
}

/// Returns whether two recipes change a file in different ways.
fn differ(one: &[RecipeChange], other: &[RecipeChange]) -> bool {
    let after: BTreeMap<&str, &str> =
        one.iter().map(|it| (it.path.as_str(), it.after.as_str())).collect();
    other.iter().any(|it| after.get(it.path.as_str()).is_some_and(|text| *text != it.after))
}

/// Returns what is equal for the same failure in other repositories: tool, code and first line of the first failure.
pub fn failure_key(report: &FailureReport) -> Option<String> {
    let first = report.failures.first()?;
    let code = first.code.as_deref().unwrap_or_default();
    Some(format!("{}:{code}:{}", first.toolchain, normalize_identity(&first.headline())))
}
