//! Writes the next message of the conversation: everything first, then only what is new.

use super::compression::{compress, is_nearly_full};
use super::conversation::FirstMessage;
use super::run::{Fatal, RefusedReply, Run};
use super::{online, world_facts};
use crate::context;
use crate::domain::{Mode, Version};
use crate::failure;
use crate::prompts::{self, Refused, UserMessage};
use crate::providers::{Ask, Turn};

/// Fewest characters of context in a first message, even if the window has less: without code
/// no model can help.
const MIN_CONTEXT_CHARS: usize = 2_000;
/// Characters reserved for the instructions of a later message.
const LATER_RULES_CHARS: usize = 1_500;

/// Adds the message of a request to the conversation, and records the digests of the files in
/// it.
pub(super) fn add_message(run: &mut Run<'_>, mode: Mode, version: Version, ask: Ask) {
    if let Some(window) = run.config.window
        && !run.conversation.is_new()
        && is_nearly_full(run, version)
    {
        compress(run, window);
    }
    if run.conversation.is_new() {
        add_first(run, mode, version);
    } else {
        add_later(run, mode, version, ask);
    }
    let shown: Vec<_> = run.conversation.shown.digests().map(|(p, d)| (p.clone(), d)).collect();
    // The gates compare these digests with the file on disk.
    run.shown.extend(shown);
}

/// Writes the first message: the context in its prefix, which providers can cache, then goal
/// and failure.
fn add_first(run: &mut Run<'_>, mode: Mode, version: Version) {
    run.add_background();
    let diet = first_diet(run, mode, version);
    let log = &run.report.excerpt;
    let rendered = context::render_context(&run.context, log, &diet, run.world.events);
    run.context.asked.clear();
    run.stats = rendered.stats;
    let tail = write_tail(run, mode, &rendered.log);
    let masker = run.world.masker;
    run.conversation.shown = rendered.shown;
    run.conversation.attempts = run.failed_attempts.len();
    run.conversation.begin(FirstMessage {
        prefix: masker.masked(&rendered.prefix),
        tail: masker.masked(&tail),
        version,
    });
}

/// Returns the budget of the first message. In a small window it is the part that rules, goal,
/// notes and failures leave.
fn first_diet(run: &Run<'_>, mode: Mode, version: Version) -> context::DietConfig {
    let Some(window) = run.config.window else { return run.config.diet };
    let rules = run.system_message(version).len();
    let fixed = rules + write_tail(run, mode, "").chars().count();
    // A conversation that began again must not be full at once.
    let limit = match run.conversation.earlier.as_str() {
        "" => window.first_chars(),
        _ => window.prompt_chars() / 5 * 3,
    };
    let left = limit.saturating_sub(fixed);
    run.config.diet.limited_to(left.max(MIN_CONTEXT_CHARS))
}

/// Returns the budget of a later message. In a small window it is the part that the
/// conversation leaves.
fn later_diet(run: &Run<'_>, version: Version) -> context::DietConfig {
    let Some(window) = run.config.window else { return run.config.diet };
    let first = run.conversation.messages().map_or(version, |(first, _)| first.version);
    let mut rules = run.system_message(first).len() + LATER_RULES_CHARS;
    if run.conversation.changes_protocol(version) {
        rules += prompts::system_prompt(version).len();
    }
    let left = window.prompt_chars().saturating_sub(run.conversation.chars() + rules);
    run.config.diet.limited_to(run.conversation.shown.chars() + left)
}

/// Returns the part of the first message after the files: goal, failures and the request.
fn write_tail(run: &Run<'_>, mode: Mode, log: &str) -> String {
    // In a small window the notes of a repository must leave space for its failure.
    let share = run.config.window.map_or(usize::MAX, |window| window.first_chars() / 8);
    let cut = |text: &str| match text.char_indices().nth(share) {
        Some((end, _)) => format!("{}\n(cut)", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    };
    let background = &run.task.background;
    let issue = background.issue.as_deref().map(cut);
    let notes = background.agents.as_deref().map(cut);
    let made = run.kept.diff();
    let refused = run.refusal.as_ref().map(describe_refusal);
    let tail = prompts::user_message(&UserMessage {
        rounds_left: run.rules.rounds.saturating_sub(run.round),
        accepts_change: run.rules.accepts_direct(),
        goal: run.task.goal.as_deref(),
        issue: issue.as_deref(),
        notes: notes.as_deref(),
        check: run.task.check.as_ref().map(|check| check.command.as_str()),
        failures: &failure::list_failures(&run.report),
        failure: log,
        made: made.as_deref(),
        hints: &run.hints,
        earlier: &run.conversation.earlier,
        attempts: &run.failed_attempts,
        plan: run.task.accepted_plan.as_deref().filter(|_| mode == Mode::Apply),
        refusal: refused.as_ref(),
        ..UserMessage::of_mode(mode)
    });
    // Actions name paths inside the repository; its location on this machine is not disclosed.
    // One replacement for the whole message, because any part of it may quote the log.
    tail.replace(&run.root_prefix(), "")
}

/// Adds a message that contains only what is new: answers, failed attempts, a refusal, other
/// rules.
fn add_later(run: &mut Run<'_>, mode: Mode, version: Version, ask: Ask) {
    let diet = later_diet(run, version);
    let answers = context::render_answers(&mut run.context, &run.conversation.shown, &diet);
    run.stats.add_message(answers.stats);
    let new_rules = run.conversation.changes_protocol(version);
    let before = run.conversation.attempts;
    let refused = run.refusal.as_ref().map(describe_refusal);
    let wants_context = run.plan.as_ref().is_some_and(|plan| !plan.context_requests.is_empty());
    let message = prompts::user_message(&UserMessage {
        rounds_left: run.rules.rounds.saturating_sub(run.round),
        accepts_change: run.rules.accepts_direct(),
        rules: new_rules.then(|| (version, prompts::system_prompt(version))),
        answers: &answers.text,
        unanswered: ask == Ask::Apply && wants_context,
        attempts: run.failed_attempts.get(before..).unwrap_or_default(),
        attempts_before: before,
        refusal: refused.as_ref(),
        ..UserMessage::of_mode(mode)
    });
    let message = message.replace(&run.root_prefix(), "");
    let masker = run.world.masker;
    // The reply is sent back masked: it may repeat a secret that a file contained.
    let reply = masker.masked(&run.conversation.take_reply());
    run.conversation.shown = answers.shown;
    run.conversation.attempts = run.failed_attempts.len().max(before);
    run.conversation.add_turn(Turn { reply, message: masker.masked(&message) }, version);
}

/// Answers the context requests of the plan. A repeated request is answered by a reference to
/// the first answer.
///
/// # Errors
///
/// Returns [`Fatal`] if the files of the repository cannot be read.
pub(super) fn answer_requests(run: &mut Run<'_>) -> Result<(), Fatal> {
    let requests = run.plan.as_ref().map(|plan| plan.context_requests.clone());
    let requests = requests.unwrap_or_default();
    for query in requests.iter().filter_map(online::query_of) {
        online::answer_request(run, query);
    }
    let world = run.world;
    let known = run.known()?;
    let environment = || world_facts::tool_versions(&world);
    let git = |words: &[String]| world_facts::run_git(&world, words);
    let sources = context::sources::Sources {
        tree: world.tree,
        files: world.survey.files(),
        report: &run.report,
        known,
        environment: &environment,
        git: &git,
    };
    for request in requests.into_iter().filter(|it| online::query_of(it).is_none()) {
        if run.cache.is_new(&request, world.events) {
            context::answer::answer_request(&mut run.context, &request, &sources);
        } else {
            let title = format!("ANSWERED ABOVE {}", context::cache::request_key(&request));
            run.context.add_text(context::TextKind::Note, title, "");
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
        fallback: refusal.fallback,
    }
}
