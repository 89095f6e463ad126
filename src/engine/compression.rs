//! Begins the conversation again when it comes near the limit of the model's window.

use super::context_window::ContextWindow;
use super::run::Run;
use crate::domain::{Event, EventName, RepoPath, Version};
use crate::text::{fence_text, first_chars};

/// The part of the window, in percent, from which the conversation begins again.
const FULL_PERCENT: usize = 80;
/// Divisor of the window for the part of the last reply that is repeated.
const REPLY_PART: usize = 16;

/// Returns `true` if the conversation fills so much of the window that the next answers may not fit. Without a known
/// window it only grows.
pub(super) fn is_nearly_full(run: &Run<'_>, version: Version) -> bool {
    let Some(window) = run.config.window else { return false };
    let used = run.system_message(version).len() + run.conversation.chars();
    used * 100 >= window.prompt_chars() * FULL_PERCENT
}

/// Drops what nothing refers to any more and empties the conversation. The next message is a first one, with a summary
/// of what was dropped.
pub(super) fn compress(run: &mut Run<'_>, window: ContextWindow) {
    let current = run.refusal.as_ref().and_then(|refusal| refusal.path.as_deref());
    let current = current.and_then(|path| RepoPath::parse(path).ok());
    let dropped = run.context.drop_stale(&run.conversation.shown, current.as_ref());
    // A file that was dropped can be asked for again.
    run.cache.forget();
    let reply = run.conversation.take_reply();
    let reply = fence_text(first_chars(&reply, window.prompt_chars() / REPLY_PART));
    let mut earlier =
        "The conversation came near the limit of the window and begins again.\n".to_owned();
    if !dropped.is_empty() {
        earlier.push_str("Shown before and left out now; ask again for what you need:\n");
        earlier.push_str(&fence_text(&dropped));
        earlier.push('\n');
    }
    earlier.push_str("The beginning of your last reply:\n");
    earlier.push_str(&reply);
    run.conversation.restart(earlier);
    let event = Event::new(EventName::ContextCompressed);
    run.emit_event(event.with("dropped", dropped.lines().count()));
}
