//! Writes the next message of the conversation: everything first, then only what is new. Near the limit of the model's
//! window the conversation begins again.

use super::compression::compress_if_full;
use super::conversation::{Conversation, FirstMessage};
use super::dialogue::{Dialogue, RefusedReply};
use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::gathered_context::GatheredContext;
use super::run::Run;
use super::{online, world_facts};
use crate::context;
use papayu_base::domain::goal::Route;
use papayu_base::domain::{FailureReport, Mode, Version};
use papayu_logs::failure;
use papayu_patch::prompts::{self, Refused, UserMessage};
use papayu_providers::{Ask, Turn};

/// Fewest characters of context in a first message, even if the window has less: without code
/// no model can help.
const MIN_CONTEXT_CHARS: usize = 2_000;
/// Characters reserved for the instructions of a later message.
const LATER_RULES_CHARS: usize = 1_500;

/// Adds the message of a request to the conversation, and records the digests of the files in
/// it.
pub(super) fn add_message(run: &mut Run<'_>, mode: Mode, version: Version, ask: Ask) {
    compress_if_full(run, version);
    if run.dialogue.conversation.is_new() {
        add_first(run, mode, version);
    } else {
        add_later(run, mode, version, ask);
    }
    let shown: Vec<_> =
        run.dialogue.conversation.shown.digests().map(|(p, d)| (p.clone(), d)).collect();
    // The gates compare these digests with the file on disk.
    run.dialogue.note_shown(shown);
}

/// Writes the first message: the context in its prefix, which providers can cache, then goal
/// and failure.
fn add_first(run: &mut Run<'_>, mode: Mode, version: Version) {
    let has_notes = run.gathered.add_background(run.inputs, &run.failure.report);
    run.dialogue.conversation.has_notes |= has_notes;
    let diet = first_diet(run, mode, version);
    let log = &run.failure.report.excerpt;
    let rendered =
        context::render_context(&run.gathered.context, log, &diet, run.inputs.world.events);
    run.gathered.context.asked.clear();
    run.gathered.stats = rendered.stats;
    let tail = write_tail(run, mode, &rendered.log);
    let masker = run.inputs.world.masker;
    run.dialogue.conversation.shown = rendered.shown;
    run.dialogue.conversation.attempts = run.attempts.failed.len();
    run.dialogue.conversation.begin(FirstMessage {
        prefix: masker.masked(&rendered.prefix),
        tail: masker.masked(&tail),
        version,
    });
}

/// Returns the budget of the first message. In a small window it is the part that rules, goal,
/// notes and failures leave.
fn first_diet(run: &Run<'_>, mode: Mode, version: Version) -> context::DietConfig {
    let Some(window) = run.inputs.config.window else { return run.inputs.config.diet };
    let rules = run.inputs.system_message(version).len();
    let fixed = rules + write_tail(run, mode, "").chars().count();
    // A conversation that began again must not be full at once.
    let limit = match run.dialogue.conversation.earlier.as_str() {
        "" => window.first_chars(),
        _ => window.prompt_chars() / 5 * 3,
    };
    let left = limit.saturating_sub(fixed);
    run.inputs.config.diet.limited_to(left.max(MIN_CONTEXT_CHARS))
}

/// Returns the budget of a later message. In a small window it is the part that the
/// conversation leaves.
fn later_diet(
    inputs: &EngineInputs<'_>,
    conversation: &Conversation,
    version: Version,
) -> context::DietConfig {
    let Some(window) = inputs.config.window else { return inputs.config.diet };
    let first = conversation.messages().map_or(version, |(first, _)| first.version);
    let mut rules = inputs.system_message(first).len() + LATER_RULES_CHARS;
    if conversation.changes_protocol(version) {
        rules += prompts::system_prompt(version).len();
    }
    let left = window.prompt_chars().saturating_sub(conversation.chars() + rules);
    inputs.config.diet.limited_to(conversation.shown.chars() + left)
}

/// Returns the part of the first message after the files: goal, failures and the request.
fn write_tail(run: &Run<'_>, mode: Mode, log: &str) -> String {
    // In a small window the notes of a repository must leave space for its failure.
    let share = run.inputs.config.window.map_or(usize::MAX, |window| window.first_chars() / 8);
    let cut = |text: &str| match text.char_indices().nth(share) {
        Some((end, _)) => format!("{}\n(cut)", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    };
    let background = &run.inputs.task.background;
    let issue = background.issue.as_deref().map(cut);
    let notes = background.agents.as_deref().map(cut);
    let made = run.changes.kept.diff();
    let refused = run.dialogue.refusal.as_ref().map(describe_refusal);
    let left: Vec<&str> =
        run.inputs.task.after_recipe.iter().flatten().map(String::as_str).collect();
    let hints = [left.join("\n").as_str(), &run.attempts.hints].join("\n");
    let tail = prompts::user_message(&UserMessage {
        rounds_left: run.inputs.rules.rounds.saturating_sub(run.dialogue.round),
        accepts_change: run.inputs.rules.accepts_direct(),
        is_review: run.inputs.rules.route == Route::Review,
        goal: run.inputs.task.goal.as_deref(),
        issue: issue.as_deref(),
        notes: notes.as_deref(),
        check: run.inputs.task.check.as_ref().map(|check| check.command.as_str()),
        failures: &failure::list_failures(&run.failure.report),
        findings: &failure::list_failures(&run.failure.list_findings()),
        failure: log,
        made: made.as_deref(),
        hints: hints.trim(),
        earlier: &run.dialogue.conversation.earlier,
        attempts: &run.attempts.failed,
        plan: run.inputs.task.accepted_plan.as_deref().filter(|_| mode == Mode::Apply),
        refusal: refused.as_ref(),
        ..UserMessage::of_mode(mode)
    });
    // Actions name paths inside the repository; its location on this machine is not disclosed.
    // One replacement for the whole message, because any part of it may quote the log.
    tail.replace(&run.inputs.root_prefix(), "")
}

/// Adds a message that contains only what is new: answers, failed attempts, a refusal, other
/// rules.
fn add_later(run: &mut Run<'_>, mode: Mode, version: Version, ask: Ask) {
    let diet = later_diet(run.inputs, &run.dialogue.conversation, version);
    let (shown, events) = (&run.dialogue.conversation.shown, run.inputs.world.events);
    let answers = context::render_answers(&mut run.gathered.context, shown, &diet, events);
    run.gathered.stats.add_message(answers.stats);
    let new_rules = run.dialogue.conversation.changes_protocol(version);
    let before = run.dialogue.conversation.attempts;
    let refused = run.dialogue.refusal.as_ref().map(describe_refusal);
    let wants_context =
        run.dialogue.plan.as_ref().is_some_and(|plan| !plan.context_requests.is_empty());
    let message = prompts::user_message(&UserMessage {
        rounds_left: run.inputs.rules.rounds.saturating_sub(run.dialogue.round),
        accepts_change: run.inputs.rules.accepts_direct(),
        is_review: run.inputs.rules.route == Route::Review,
        rules: new_rules.then(|| (version, prompts::system_prompt(version))),
        answers: &answers.text,
        unanswered: ask == Ask::Apply && wants_context,
        attempts: run.attempts.failed.get(before..).unwrap_or_default(),
        attempts_before: before,
        refusal: refused.as_ref(),
        ..UserMessage::of_mode(mode)
    });
    let message = message.replace(&run.inputs.root_prefix(), "");
    let masker = run.inputs.world.masker;
    // The reply is sent back masked: it may repeat a secret that a file contained.
    let reply = masker.masked(&run.dialogue.conversation.take_reply());
    run.dialogue.conversation.shown = answers.shown;
    run.dialogue.conversation.attempts = run.attempts.failed.len().max(before);
    run.dialogue.conversation.add_turn(Turn { reply, message: masker.masked(&message) }, version);
}

/// Answers the context requests of the plan, but not those for online research. A repeated request is answered by a reference to
/// the first answer.
///
/// # Errors
///
/// Returns [`Fatal`] if the files of the repository cannot be read.
pub(super) fn answer_requests(
    inputs: &EngineInputs<'_>,
    dialogue: &mut Dialogue,
    gathered: &mut GatheredContext,
    report: &FailureReport,
) -> Result<(), Fatal> {
    let requests = dialogue.plan.as_ref().map(|plan| plan.context_requests.clone());
    let requests = requests.unwrap_or_default();
    let world = &inputs.world;
    let environment = || world_facts::tool_versions(world);
    let git = |words: &[String]| world_facts::run_git(world, words);
    let sources = context::sources::ContextSources {
        tree: world.tree,
        files: world.survey.files(),
        report,
        known: inputs.known_files()?,
        environment: &environment,
        git: &git,
    };
    for request in requests.into_iter().filter(|it| online::query_of(it).is_none()) {
        if gathered.cache.is_new(&request, world.events) {
            context::answer::answer_request(&mut gathered.context, &request, &sources);
        } else {
            let title = format!("ANSWERED ABOVE {}", context::cache::request_key(&request));
            gathered.context.add_text(context::TextKind::Note, title, "");
        }
    }
    Ok(())
}

/// Returns a refusal in the form in which the prompt shows it.
fn describe_refusal(refusal: &RefusedReply) -> Refused<'_> {
    Refused {
        code: refusal.code,
        reason: &refusal.reason,
        hunk: refusal.hunk.as_deref(),
        digests: &refusal.digests,
        others: &refusal.others,
        fallback: refusal.fallback,
    }
}
