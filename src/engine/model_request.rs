//! Builds a request from all messages so far.

use std::sync::Arc;

use super::run::Run;
use papayu_base::domain::{Mode, Version};
use papayu_patch::protocol::ReplyForm;
use papayu_patch::protocol::wire_schema::{form_wire_schema, wire_schema};
use papayu_providers::{Ask, ModelRequest, WireSchema};

/// Most tokens of a reply. A reasoning model uses most of them before it writes the answer.
const MAX_TOKENS: u32 = 16_384;
/// Length of a request from which `llm.long_input_max_tokens` limits its reply, in characters.
const LONG_INPUT_CHARS: usize = 80_000;
/// Most tokens of the replies after one that was cut off. Every reasoning model allows at least
/// this number.
const MORE_TOKENS: u32 = 32_768;

/// The contents of a request.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) ask: Ask,
    pub(super) mode: Mode,
    pub(super) version: Version,
    /// The form of the reply, if it is neither a plan nor a change.
    pub(super) form: Option<ReplyForm>,
}

/// Returns the request with all messages so far; `None` without one.
pub(super) fn build_sent(run: &Run<'_>, wanted: Wanted) -> Option<ModelRequest> {
    let Wanted { ask, mode, version, form } = wanted;
    let (first, turns) = run.dialogue.conversation.messages()?;
    let (name, schema) = form.map_or_else(|| wire_schema(version), form_wire_schema);
    let report = run.failure.report_for_request(run.inputs, run.changes.kept.is_empty());
    let limit = if run.costs.spend.cut_off { MORE_TOKENS } else { MAX_TOKENS };
    let system = run.inputs.system_message(first.version);
    let chars = system.chars().count() + run.dialogue.conversation.chars();
    let is_long = chars > LONG_INPUT_CHARS;
    let of_long_input = run.inputs.config.long_input_tokens.filter(|_| is_long);
    let limit = of_long_input.map_or(limit, |tokens| tokens.min(limit));
    Some(ModelRequest {
        ask,
        mode,
        version,
        form,
        accepts_change: run.inputs.rules.accepts_direct(),
        system,
        prefix: first.prefix.clone(),
        tail: first.tail.clone(),
        turns: turns.to_vec(),
        wire_schema: Arc::new(WireSchema { name: name.to_owned(), schema }),
        max_output_tokens: run
            .inputs
            .config
            .window
            .map_or(limit, |window| window.reply_tokens().min(limit)),
        shown: run.dialogue.shown.iter().map(|(path, digest)| (path.clone(), *digest)).collect(),
        report: Arc::new(report),
        stable: list_stable(run, mode, version, ask),
    })
}

/// Returns the lines that identify a request in a recording.
///
/// They contain no durations, addresses, absolute paths and prompt texts, so that a recording
/// can be replayed on another machine and after a change of the prompts.
pub(super) fn list_stable(run: &Run<'_>, mode: Mode, version: Version, ask: Ask) -> Vec<String> {
    let goal = run.inputs.world.masker.mask(run.inputs.task.goal.as_deref().unwrap_or("-"));
    // A recording must not depend on whether the quickfix stage came first, so only attempts of models are counted.
    let mut lines = vec![
        format!("ask {} {} {version}", ask.name(), mode.name()),
        format!("attempt {}", run.attempts.count_paid(&run.inputs.rules)),
        format!("goal {goal}"),
    ];
    let root = run.inputs.root_prefix();
    let failures = run.failure.report.failures.iter().map(|f| f.identity_below(&root));
    let masker = run.inputs.world.masker;
    lines.extend(failures.map(|identity| format!("failure {}", masker.mask(&identity))));
    lines.extend(run.dialogue.shown.iter().map(|(path, digest)| format!("file {path} {digest}")));
    if let Some(refusal) = &run.dialogue.refusal {
        let path = refusal.path.as_deref().unwrap_or("-");
        lines.push(format!("refused {} {path}", refusal.code));
    }
    lines
}
