//! Writes the next message of the conversation: everything first, then only what is new.

use super::conversation::FirstMessage;
use super::run::{Fatal, RefusedReply, Run};
use super::world_facts;
use crate::context;
use crate::domain::{Mode, Version};
use crate::failure;
use crate::prompts::{self, Refused, UserMessage};
use crate::providers::{Ask, Turn};

/// Adds the message of a request to the conversation.
pub(super) fn add_message(run: &mut Run<'_>, mode: Mode, version: Version, ask: Ask) {
    if run.conversation.is_new() {
        add_first(run, mode, version);
    } else {
        add_later(run, mode, version, ask);
    }
    let shown: Vec<_> = run.conversation.shown.digests().map(|(p, d)| (p.clone(), d)).collect();
    run.shown.extend(shown);
}

fn add_first(run: &mut Run<'_>, mode: Mode, version: Version) {
    let log = &run.report.excerpt;
    let rendered = context::render_context(&run.context, log, &run.config.diet, run.world.events);
    run.context.asked.clear();
    run.stats = rendered.stats;
    let made = run.kept.diff();
    let refused = run.refusal.as_ref().map(describe_refusal);
    let tail = prompts::user_message(&UserMessage {
        rounds_left: run.rules.rounds.saturating_sub(run.round),
        accepts_change: run.rules.accepts_direct(),
        goal: run.task.goal.as_deref(),
        issue: run.task.issue.as_deref(),
        notes: run.task.notes.as_deref(),
        check: run.task.check.as_ref().map(|check| check.command.as_str()),
        failures: &failure::list_failures(&run.report),
        failure: &rendered.log,
        made: made.as_deref(),
        hints: &run.hints,
        attempts: &run.failed_attempts,
        plan: run.task.accepted_plan.as_deref().filter(|_| mode == Mode::Apply),
        refusal: refused.as_ref(),
        ..UserMessage::of_mode(mode)
    });
    // Actions name paths inside the repository; its location on this machine is not disclosed.
    let tail = tail.replace(&run.root_prefix(), "");
    let masker = run.world.masker;
    run.conversation.shown = rendered.shown;
    run.conversation.attempts = run.failed_attempts.len();
    run.conversation.begin(FirstMessage {
        prefix: masker.masked(&rendered.prefix),
        tail: masker.masked(&tail),
        version,
    });
}

fn add_later(run: &mut Run<'_>, mode: Mode, version: Version, ask: Ask) {
    let answers =
        context::render_answers(&mut run.context, &run.conversation.shown, &run.config.diet);
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
    let reply = masker.masked(&run.conversation.take_reply());
    run.conversation.shown = answers.shown;
    run.conversation.attempts = run.failed_attempts.len().max(before);
    run.conversation.add_turn(Turn { reply, message: masker.masked(&message) }, version);
}

/// Answers the context requests of the plan.
pub(super) fn answer_requests(run: &mut Run<'_>) -> Result<(), Fatal> {
    let requests = run.plan.as_ref().map(|plan| plan.context_requests.clone());
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
    for request in requests.unwrap_or_default() {
        if run.cache.is_new(&request, world.events) {
            context::answer::answer_request(&mut run.context, &request, &sources);
        } else {
            let title = format!("ANSWERED ABOVE {}", context::cache::request_key(&request));
            run.context.add_text(context::TextKind::Note, title, "");
        }
    }
    Ok(())
}

fn describe_refusal(refusal: &RefusedReply) -> Refused<'_> {
    Refused {
        code: refusal.code,
        reason: &refusal.reason,
        hunk: refusal.hunk.as_deref(),
        digests: &refusal.digests,
        fallback: refusal.fallback,
    }
}
