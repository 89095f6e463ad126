//! Begins the conversation again with a summary when it comes near the limit of the model's window.

use super::context_window::ContextWindow;
use super::model_request::{Wanted, build_sent};
use super::run::Run;
use super::sending::{self, SentReply};
use papayu_base::domain::{Compression, Event, EventName, Mode, RepoPath, Version};
use papayu_base::text::{fence_text, first_chars};
use papayu_patch::prompts;
use papayu_patch::protocol::{ConversationSummary, ReplyForm, decode_form};
use papayu_providers::{Ask, FinishReason, Turn};

/// The part of the window, in percent, from which the conversation begins again.
const FULL_PERCENT: usize = 80;
/// Divisor of the window for the part of the last reply that is repeated.
const REPLY_PART: usize = 16;
/// Divisor of the window for the summary of the model.
const SUMMARY_PART: usize = 8;

/// Empties the conversation if it fills so much of the window that the next answers may not fit. The next message is
/// then a first one, with a summary of what was dropped. Without a known window a conversation only grows.
pub(super) fn compress_if_full(run: &mut Run<'_>, version: Version) {
    let Some(window) = run.inputs.config.window else { return };
    let conversation = &run.dialogue.conversation;
    let used = run.inputs.system_message(version).len() + conversation.chars();
    if conversation.is_new() || used * 100 < window.prompt_chars() * FULL_PERCENT {
        return;
    }
    let summary = match run.inputs.config.compress {
        Compression::Facts => None,
        Compression::Model => match ask_summary(run) {
            Ok(summary) => Some(summary),
            Err(reason) => {
                let text = format!("the conversation is summarized without the model: {reason}");
                run.inputs.emit_event(Event::new(EventName::Notice).with("text", text));
                None
            }
        },
    };
    restart(run, window, summary.as_deref());
}

/// Returns the model's summary of the conversation so far.
///
/// # Errors
///
/// The reason in words why there is none.
fn ask_summary(run: &mut Run<'_>) -> Result<String, String> {
    let model = run.attempts.model(run.inputs).ok_or("no model answers in this attempt")?;
    let conversation = &mut run.dialogue.conversation;
    let version = conversation.messages().ok_or("there is no conversation")?.0.version;
    let masker = run.inputs.world.masker;
    let last = conversation.take_reply();
    let message = prompts::CONVERSATION_SUMMARY_MESSAGE.to_owned();
    let turn = Turn { reply: masker.masked(&last), message: masker.masked(&message) };
    conversation.add_turn(turn, version);
    // The beginning of the last reply is repeated after the summary.
    conversation.keep_reply(&last);
    let form = Some(ReplyForm::ConversationSummary);
    let wanted = Wanted { ask: Ask::ConversationSummary, mode: Mode::Plan, version, form };
    let request = build_sent(run, wanted).ok_or("there is no conversation")?;
    let sent = sending::send(run, model, request);
    let SentReply { reply, .. } = sent.map_err(|failure| failure.reason().to_owned())?;
    if reply.finish != FinishReason::Stop {
        return Err("the reply was cut off or refused".to_owned());
    }
    let read = decode_form(ReplyForm::ConversationSummary, &reply.text);
    let ConversationSummary { summary } = read.map_err(|refusal| refusal.to_string())?;
    Ok(masker.mask(&summary).into_owned())
}

/// Drops what nothing refers to any more, and empties the conversation.
fn restart(run: &mut Run<'_>, window: ContextWindow, summary: Option<&str>) {
    let dialogue = &mut run.dialogue;
    let current = dialogue.refusal.as_ref().and_then(|refusal| refusal.path.as_deref());
    let current = current.and_then(|path| RepoPath::parse(path).ok());
    let conversation = &mut dialogue.conversation;
    let dropped = run.gathered.context.drop_stale(&conversation.shown, current.as_ref());
    // A file that was dropped can be asked for again.
    run.gathered.cache.forget();
    let reply = conversation.take_reply();
    let mut earlier =
        "The conversation came near the limit of the window and begins again.\n".to_owned();
    if let Some(summary) = summary {
        earlier.push_str("Your own summary of it; the files decide if it differs from them:\n");
        let summary = first_chars(summary, window.prompt_chars() / SUMMARY_PART);
        earlier.push_str(&fence_text(summary));
        earlier.push('\n');
    }
    if !dropped.is_empty() {
        earlier.push_str("Shown before and left out now; ask again for what you need:\n");
        earlier.push_str(&fence_text(&dropped));
        earlier.push('\n');
    }
    earlier.push_str("The beginning of your last reply:\n");
    earlier.push_str(&fence_text(first_chars(&reply, window.prompt_chars() / REPLY_PART)));
    conversation.restart(earlier);
    let by = if summary.is_some() { "model" } else { "facts" };
    let event = Event::new(EventName::ContextCompressed).with("by", by);
    run.inputs.emit_event(event.with("dropped", dropped.lines().count()));
}
