//! The state of a run, one part for each stage, and the few operations that concern several parts.

use super::attempts::Attempts;
use super::blame::Blame;
use super::change_state::ChangeState;
use super::check_log::{Assessment, CheckLog};
use super::closing_record::Closing;
use super::costs::Costs;
use super::dialogue::Dialogue;
use super::engine_inputs::EngineInputs;
use super::exchange::Exchanges;
use super::fatal::Fatal;
use super::gathered_context::GatheredContext;
use super::known_failure::KnownFailure;
use super::state::StepEvent;

use crate::context::Want;
use crate::project::lacks_shipped_file;
use papayu_base::domain::event::{Event as RunEvent, EventName};
use papayu_base::domain::{Allowance, ErrorCode, Version};
use papayu_patch::protocol::Refusal;
use papayu_vet::Policy;

/// The state of a run. A step that needs one or two parts takes these.
pub(super) struct Run<'a> {
    pub(super) inputs: &'a EngineInputs<'a>,
    /// The failure to fix.
    pub(super) failure: KnownFailure,
    /// The runs of the user's command.
    pub(super) checks: CheckLog,
    /// The search for the commit that made the command fail.
    pub(super) blame: Blame,
    /// The result of the check of the last change.
    pub(super) assessment: Assessment,
    /// The change and the files on disk.
    pub(super) changes: ChangeState<'a>,
    /// The context of the requests.
    pub(super) gathered: GatheredContext,
    /// The messages with the models.
    pub(super) dialogue: Dialogue,
    /// The exchanges, as the traces record them.
    pub(super) exchanges: Exchanges,
    pub(super) attempts: Attempts,
    pub(super) costs: Costs,
    /// The results of the requests after the end.
    pub(super) closing: Closing,
}

impl<'a> Run<'a> {
    /// Returns the rules for the files of a change. Lists of shipped files may change where the failure is
    /// that one is missing.
    pub(super) fn policy(&self) -> Policy {
        let mut policy = self.inputs.policy.clone();
        if lacks_shipped_file(self.failure.original(), self.inputs.world.survey.files()) {
            policy.allowances.insert(Allowance::Packaging);
        }
        policy.product.clone_from(&self.changes.product);
        policy
    }

    /// Returns a run before its first step; the log of the input is read.
    pub(super) fn new(inputs: &'a EngineInputs<'a>) -> Self {
        Self {
            inputs,
            failure: KnownFailure::read_log(inputs),
            checks: CheckLog::default(),
            blame: Blame::default(),
            assessment: Assessment::default(),
            changes: ChangeState::default(),
            gathered: GatheredContext::default(),
            dialogue: Dialogue::default(),
            exchanges: Exchanges::default(),
            attempts: Attempts::begin(&inputs.rules, &inputs.task.earlier_attempts),
            costs: Costs::default(),
            closing: Closing::default(),
        }
    }

    /// Gathers the context of the failure, unless that was done before.
    ///
    /// # Errors
    ///
    /// Returns [`Fatal`] if the files of the repository cannot be read.
    pub(super) fn gather_context(&mut self) -> Result<(), Fatal> {
        self.gathered.gather(self.inputs, &self.failure.with_findings())
    }

    /// Adds the milliseconds since `started_ms` to the time spent on requests.
    pub(super) fn add_llm_time(&mut self, started_ms: u64) {
        let ms = self.inputs.now_ms().saturating_sub(started_ms);
        self.costs.spend.llm_ms += ms;
        self.exchanges.update(|exchange| exchange.llm_ms += ms);
    }

    /// Adds the milliseconds since `started_ms` to the time spent in the project's own tools.
    pub(super) fn add_tools_time(&mut self, started_ms: u64) {
        let ms = self.inputs.now_ms().saturating_sub(started_ms);
        self.costs.spend.tools_ms += ms;
        self.exchanges.update(|exchange| exchange.tools_ms += ms);
    }

    /// Remembers a refusal for the repair request and turns it into the table's event.
    pub(super) fn refuse(&mut self, refusal: Refusal) -> StepEvent {
        let code = refusal.code;
        self.dialogue.refuse(self.inputs, refusal, self.exchanges.current.as_mut());
        StepEvent::Refused(code)
    }

    /// Records a repair, and reads the file concerned for its digest (protocol section 5).
    pub(super) fn note_repair(&mut self, code: ErrorCode) {
        self.inject_digest(Want::Any);
        let digests = self.dialogue.refusal.iter().flat_map(|refusal| &refusal.digests);
        let injected = digests.map(|(path, _)| path.clone()).collect();
        let event = RunEvent::new(EventName::ProtocolRepair);
        self.inputs.emit_event(event.with("reason", code.as_str()));
        self.exchanges.update(|exchange| exchange.note_repair(code, injected));
    }

    /// Marks a fallback. A file that changed since it was read is read again first.
    pub(super) fn note_fallback(&mut self, code: ErrorCode, to: Version) {
        if code == ErrorCode::EditBaseMismatch {
            self.gathered.refresh(self.inputs.world.tree);
        }
        // v1 writes whole files, so the model must see the whole file.
        self.inject_digest(if to == Version::V1 { Want::Whole } else { Want::Any });
        let last = self.exchanges.current.as_ref().and_then(|exchange| exchange.versions.last());
        let from = last.copied().unwrap_or(self.inputs.config.version);
        self.inputs.emit_event(
            RunEvent::new(EventName::ProtocolFallback)
                .with("from", from.to_string())
                .with("to", to.to_string())
                .with("reason", code.as_str()),
        );
        if let Some(refusal) = &mut self.dialogue.refusal {
            refusal.fallback = Some(to);
        }
        self.exchanges.update(|exchange| exchange.note_fallback(code, to));
    }

    /// Reads the file of the refusal again, so that the repair request has its right digest
    /// (protocol section 5).
    fn inject_digest(&mut self, want: Want) {
        let Some(refusal) = &mut self.dialogue.refusal else { return };
        let Some(path) = &refusal.path else { return };
        refusal.digests.extend(self.gathered.add_refused(self.inputs.world.tree, path, want));
    }
}
