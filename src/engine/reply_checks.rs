//! The checks of a run that a provider makes before it chooses between replies.

use super::assume::{self, ShownFiles};
use super::costs::set_prices;
use super::run::Run;
use super::spend::Spend;
use super::task::{Budget, EngineConfig};
use crate::apply::TreeFacts;
use papayu_base::domain::{ActionSet, ProviderRecord};
use papayu_base::text::Masker;
use papayu_patch::protocol::Refusal;
use papayu_providers::{Merge, ModelRequest, RunChecks};
use papayu_system::{Clock, Tree};
use papayu_vet::{self as vet, Snapshot, VettedChange};

/// The part of a run that its checks need.
pub(super) struct ReplyChecks<'r> {
    tree: &'r dyn Tree,
    clock: &'r dyn Clock,
    masker: &'r Masker,
    config: &'r EngineConfig,
    policy: &'r papayu_vet::Policy,
    known: ShownFiles<'r>,
    earlier: Option<&'r VettedChange>,
    spend: Spend,
}

impl<'r> ReplyChecks<'r> {
    /// Returns the checks of a run in its present state.
    pub(super) fn of_run(run: &'r Run<'_>) -> Self {
        Self {
            tree: run.inputs.world.tree,
            clock: run.inputs.world.system.clock,
            masker: run.inputs.world.masker,
            config: run.inputs.config,
            policy: &run.inputs.policy,
            known: ShownFiles::of(run.inputs, &run.dialogue),
            earlier: run.changes.kept.kept(),
            spend: run.costs.spend,
        }
    }
}

impl RunChecks for ReplyChecks<'_> {
    fn check_change(&self, mut set: ActionSet) -> Result<(), Refusal> {
        assume::complete_actions(&mut set.actions, &self.known);
        let snapshot = Snapshot {
            files: &TreeFacts(self.tree),
            shown: self.known.shown,
            earlier: self.earlier,
            masker: self.masker,
        };
        // An interrupted check is no refusal; the run ends after it.
        vet::vet_until(set, &snapshot, self.policy, &|| self.clock.interrupted()).map(|_| ())
    }

    fn reply_tokens(
        &self,
        request: &ModelRequest,
        spent: &[ProviderRecord],
    ) -> Result<u32, String> {
        let mut asked = Merge { providers: spent.to_vec(), conflicts: Vec::new() };
        set_prices(&mut asked, &self.config.prices);
        let mut spend = self.spend;
        spend.add_records(&asked.providers);
        let budget: &Budget = &self.config.budget;
        match spend.reached(budget, self.clock.elapsed(), 1) {
            Some(limit) => Err(limit),
            None => spend.reply_tokens(budget, request.input_chars(), request.max_output_tokens, 1),
        }
    }
}
