//! Divides the window of a small model between the prompt and the reply.

/// Characters of code that a token has, with a margin: code has rarely fewer than three.
const CHARS_PER_TOKEN: usize = 3;
/// Part of the window that is kept for the reply.
const REPLY_PART: u32 = 4;

/// The tokens that a model can take, prompt and reply together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextWindow {
    /// The number of tokens.
    pub tokens: u32,
}

impl ContextWindow {
    /// Returns the longest reply, in tokens.
    pub(super) fn reply_tokens(self) -> u32 {
        self.tokens / REPLY_PART
    }

    /// Returns the longest conversation before the reply, in characters.
    pub(super) fn prompt_chars(self) -> usize {
        let tokens = usize::try_from(self.tokens - self.reply_tokens()).unwrap_or(usize::MAX);
        tokens.saturating_mul(CHARS_PER_TOKEN)
    }

    /// Returns the longest first message with the rules, in characters: answers and repairs follow it.
    pub(super) fn first_chars(self) -> usize {
        self.prompt_chars() / 3 * 2
    }
}
