//! The second opinion: a model that sees only the packet of a proved change judges if it corrects the cause.
//!
//! An opinion can only add doubt. No reply lifts a refusal, a flag or a note, and a request that fails changes nothing.

use std::sync::Arc;

use super::judge_packet::write_packet;
use super::model_request::list_stable;
use super::run::Run;
use super::sending::{self, NoReply, SentReply};
use super::state::StepEvent;
use super::task::{FlaggedFix, Model};
use papayu_base::domain::outcome::{OutcomeKind, ReviewFlag};
use papayu_base::domain::{
    ErrorCode, Event, EventName, FailureReport, FixVerdict, JudgedLine, Judgement, Mode, Version,
};
use papayu_patch::preview::Change;
use papayu_patch::prompts::{self, AttemptEnd};
use papayu_patch::protocol::wire_schema::form_wire_schema;
use papayu_patch::protocol::{Opinion, Refusal, ReplyForm, decode_form};
use papayu_providers::{Ask, FinishReason, ModelRequest, Turn, WireSchema};

/// Most tokens of an opinion. A reasoning model uses most of them before it writes.
const MAX_TOKENS: u32 = 8_192;

/// Requests for an opinion: one, and one more after a reply that could not be read.
const MAX_REQUESTS: usize = 2;

/// Most words of a reason.
const MAX_WORDS: usize = 20;

/// Most lines that an opinion names in the outcome.
const MAX_LINES: usize = 10;

/// The reason why there is no opinion.
enum NoOpinion {
    /// A signal.
    Interrupted,
    /// In words.
    Failed(String),
}

/// Asks for an opinion on the change on disk, after the command has proved it.
///
/// Returns [`StepEvent::Doubted`] if the change is no fix by it and the user does not accept flags, and
/// [`StepEvent::Interrupted`] after a signal; anything else is [`StepEvent::Judged`].
pub(super) fn judge_change(run: &mut Run<'_>) -> StepEvent {
    if !run.checks.was_red() {
        return note(run, "the command passed before the change");
    }
    run.assessment.judge_packet = write_packet(run.inputs, &run.failure, &run.changes);
    let world = &run.inputs.world;
    let model = world.judge_model.or_else(|| run.attempts.model(run.inputs));
    let Some(model) = model.or_else(|| world.models.first().copied()) else {
        return note(run, "the run has no model");
    };
    match ask_opinion(run, model) {
        Ok(opinion) => take_opinion(run, opinion, model.model().to_owned()),
        Err(NoOpinion::Interrupted) => StepEvent::Interrupted,
        Err(NoOpinion::Failed(why)) => {
            let model = Some(model.model().to_owned());
            keep(run, Judgement { model, ..Judgement::missing(why) });
            StepEvent::Judged
        }
    }
}

/// Returns the opinion for the outcome; `None` for a run without a change to judge.
pub(super) fn describe_judgement(run: &Run<'_>, kind: OutcomeKind) -> Option<Judgement> {
    let is_fixed = kind == OutcomeKind::Fixed;
    let why = if run.inputs.world.models.is_empty() {
        "the run has no model"
    } else {
        "`llm.judge` is off"
    };
    run.assessment.judge.clone().or_else(|| is_fixed.then(|| Judgement::missing(why)))
}

/// Keeps the reason why there is no opinion.
fn note(run: &mut Run<'_>, why: impl Into<String>) -> StepEvent {
    keep(run, Judgement::missing(why));
    StepEvent::Judged
}

/// Keeps a judgement for the outcome and the trace, and reports it.
fn keep(run: &mut Run<'_>, judgement: Judgement) {
    let event = Event::new(EventName::Judged);
    let event = match judgement.verdict {
        Some(verdict) => event.with("verdict", verdict.name()),
        None => event.with("verdict", "none").with("reason", judgement.why.clone()),
    };
    run.inputs.emit_event(event);
    run.exchanges.update(|exchange| exchange.judge = Some(judgement.clone()));
    run.assessment.judge = Some(judgement);
}

/// Asks the model, and once more after a reply that cannot be read.
fn ask_opinion(run: &mut Run<'_>, model: Model<'_>) -> Result<Opinion, NoOpinion> {
    let mut turns = Vec::new();
    let mut fault = String::new();
    for _ in 0..MAX_REQUESTS {
        let request = build_request(run, turns.clone());
        let reply = match sending::send(run, model, request) {
            Ok(SentReply { reply, .. }) => reply,
            Err(NoReply::Interrupted) => return Err(NoOpinion::Interrupted),
            // A recording from a run without a judge is replayed as it is.
            Err(NoReply::Failed { .. }) if model.name() == "replay" => {
                run.costs.shares.forget_unasked(model.name());
                return Err(NoOpinion::Failed("the recording has no opinion".to_owned()));
            }
            Err(failure) => {
                return Err(NoOpinion::Failed(format!("the judge failed: {}", failure.reason())));
            }
        };
        let refusal = match read_opinion(reply.finish, &reply.text) {
            Ok(opinion) => return Ok(opinion),
            Err(refusal) => refusal,
        };
        fault = refusal.to_string();
        let masker = run.inputs.world.masker;
        let written = if reply.text.trim().is_empty() { "(no reply)" } else { reply.text.trim() };
        turns.push(Turn {
            reply: masker.masked(written),
            message: masker.masked(&prompts::judge_again_message(&fault)),
        });
    }
    Err(NoOpinion::Failed(format!("the judge failed: {fault}")))
}

/// Returns the request for an opinion, a conversation of its own.
fn build_request(run: &Run<'_>, turns: Vec<Turn>) -> ModelRequest {
    let (name, schema) = form_wire_schema(ReplyForm::Opinion);
    ModelRequest {
        ask: Ask::Judge,
        mode: Mode::Plan,
        version: Version::V2,
        form: Some(ReplyForm::Opinion),
        accepts_change: false,
        system: prompts::JUDGE_SYSTEM.to_owned(),
        prefix: papayu_base::text::Masked::default(),
        tail: run.inputs.world.masker.masked(&run.assessment.judge_packet),
        turns,
        wire_schema: Arc::new(WireSchema { name: name.to_owned(), schema }),
        max_output_tokens: MAX_TOKENS,
        shown: Vec::new(),
        report: Arc::new(FailureReport::default()),
        stable: list_stable(run, Mode::Plan, Version::V2, Ask::Judge),
    }
}

/// Reads a reply.
fn read_opinion(finish: FinishReason, text: &str) -> Result<Opinion, Refusal> {
    match finish {
        FinishReason::Stop => decode_form(ReplyForm::Opinion, text),
        FinishReason::Length => {
            Err(Refusal::of_reply(ErrorCode::JsonParse, "the reply was cut off"))
        }
        FinishReason::Refusal => {
            Err(Refusal::of_reply(ErrorCode::JsonExtract, "the model refused to answer"))
        }
    }
}

/// Keeps an opinion, and returns what it means for the change.
fn take_opinion(run: &mut Run<'_>, opinion: Opinion, model: String) -> StepEvent {
    let Opinion { verdict, confidence, why, lines } = opinion;
    let why = run.inputs.world.masker.mask(&why).into_owned();
    let why = why.split_whitespace().take(MAX_WORDS).collect::<Vec<_>>().join(" ");
    let lines: Vec<JudgedLine> =
        lines.into_iter().filter(|line| is_changed(run, line)).take(MAX_LINES).collect();
    let (confidence, model) = (Some(confidence), Some(model));
    let judgement = Judgement { verdict: Some(verdict), confidence, why, lines, model };
    let place = find_place(run, &judgement);
    let words = format!("{}: {}", verdict.words(), judgement.why);
    keep(run, judgement);
    let flag =
        place.map(|JudgedLine { path, line }| ReviewFlag { path, line, reason: words.clone() });
    match verdict {
        FixVerdict::Cause => StepEvent::Judged,
        FixVerdict::UnrelatedChange | FixVerdict::Unsure => {
            run.assessment.review_notes.extend(flag);
            StepEvent::Judged
        }
        FixVerdict::Symptom | FixVerdict::SpecialCase
            if run.inputs.config.flagged == FlaggedFix::Accept =>
        {
            run.assessment.review_flags.extend(flag);
            StepEvent::Judged
        }
        FixVerdict::Symptom | FixVerdict::SpecialCase => {
            let doubt = format!("the tests pass, but the change {words}");
            run.assessment.end = AttemptEnd::Doubted;
            run.assessment.failure_after = format!("{doubt}\n");
            run.assessment.contradictions = vec![doubt];
            StepEvent::Doubted
        }
    }
}

/// Returns `true` for a line that a changed file has.
fn is_changed(run: &Run<'_>, judged: &JudgedLine) -> bool {
    let changes = run.changes.vetted.iter().flat_map(|change| change.whole().changes());
    let mut texts =
        changes.filter(|it| it.path().as_str() == judged.path).filter_map(Change::after);
    let line = usize::try_from(judged.line).unwrap_or(usize::MAX);
    texts.any(|text| (1..=text.split(|byte| *byte == b'\n').count()).contains(&line))
}

/// Returns the place of a flag: the first line of the opinion, else the first changed file.
fn find_place(run: &Run<'_>, judgement: &Judgement) -> Option<JudgedLine> {
    let mut changes = run.changes.vetted.iter().flat_map(|change| change.whole().changes());
    let first = changes.next().map(|it| JudgedLine { path: it.path().to_string(), line: 1 });
    judgement.lines.first().cloned().or(first)
}
