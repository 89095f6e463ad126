//! The conversation of a run with its models. It only grows: what was sent is sent again unchanged.

use super::online::Online;
use crate::context::ShownTexts;
use papayu_base::domain::{ActionSet, Version};
use papayu_base::text::{Masked, first_chars};
use papayu_providers::Turn;

/// Most characters of a reply that are sent back. A longer reply was cut off or repeats itself.
const MAX_REPLY_CHARS: usize = 40_000;

/// The messages sent so far, and the facts that they contain.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// `None` until the first request.
    first: Option<FirstMessage>,
    /// Each reply with the message that followed it, in order.
    turns: Vec<Turn>,
    /// The reply that the next message follows.
    reply: Option<String>,
    /// The protocol that the last message asked for.
    version: Option<Version>,
    /// The change that the reply to the PLAN request brings.
    pub(super) direct: Option<ActionSet>,
    /// The actions of the last reply, kept only where they may be applied again.
    pub(super) last_actions: Option<ActionSet>,
    /// The online research that the conversation asked for.
    pub(super) online: Online,
    /// The files and texts in the messages.
    pub(super) shown: ShownTexts,
    /// The number of failed attempts that the messages describe.
    pub(super) attempts: usize,
    /// `true` if the first message has notes on earlier failures.
    pub(super) has_notes: bool,
    /// The summary of the messages before the first one; empty unless the conversation began again.
    pub(super) earlier: String,
}

/// The first message, in its two parts.
#[derive(Clone, Debug)]
pub(super) struct FirstMessage {
    /// Structure and files.
    pub(super) prefix: Masked<String>,
    /// Goal, failure and what is asked.
    pub(super) tail: Masked<String>,
    /// The protocol that the system message describes.
    pub(super) version: Version,
}

impl Conversation {
    /// Returns `true` if no message has been written yet.
    pub(super) fn is_new(&self) -> bool {
        self.first.is_none()
    }

    /// Starts the conversation with its first message.
    pub(super) fn begin(&mut self, first: FirstMessage) {
        self.version = Some(first.version);
        self.first = Some(first);
    }

    /// Removes all messages. A change that the last reply brought stays.
    pub(super) fn restart(&mut self, earlier: String) {
        let direct = self.direct.take();
        *self = Self { direct, earlier, ..Self::default() };
    }

    /// Returns `true` if the next message must contain the rules of `version`, because the last
    /// one used another protocol.
    pub(super) fn changes_protocol(&self, version: Version) -> bool {
        self.version != Some(version)
    }

    /// Appends a reply and the message that follows it.
    pub(super) fn add_turn(&mut self, turn: Turn, version: Version) {
        self.version = Some(version);
        self.turns.push(turn);
    }

    /// Keeps the reply of the model, which the next request contains as the turn before its
    /// message. Only the first 40,000 characters are kept.
    pub(super) fn keep_reply(&mut self, text: &str) {
        self.reply = Some(first_chars(text.trim(), MAX_REPLY_CHARS).to_owned());
    }

    /// Removes and returns the kept reply, or `(no reply)`: the APIs refuse an empty message.
    pub(super) fn take_reply(&mut self) -> String {
        let reply = self.reply.take().filter(|text| !text.is_empty());
        reply.unwrap_or_else(|| "(no reply)".to_owned())
    }

    /// Returns the length of all messages and replies, in characters.
    pub(super) fn chars(&self) -> usize {
        let count = |text: &str| text.chars().count();
        let first = self.first.iter().map(|first| count(&first.prefix) + count(&first.tail));
        let turns = self.turns.iter().map(|turn| count(&turn.reply) + count(&turn.message));
        first.chain(turns).sum::<usize>() + self.reply.as_deref().map_or(0, count)
    }

    /// Returns the first message and the turns that follow it; `None` before the first message.
    pub(super) fn messages(&self) -> Option<(&FirstMessage, &[Turn])> {
        Some((self.first.as_ref()?, &self.turns))
    }
}
