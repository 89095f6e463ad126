//! Divides the window of a small model between the prompt and the reply.

/// Characters of code in one token. Code rarely has fewer than three, so the estimate is on the
/// safe side.
const CHARS_PER_TOKEN: usize = 3;
/// The reply gets this fraction of the window: one in four.
const REPLY_PART: u32 = 4;

/// The tokens that a model can take, prompt and reply together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextWindow {
    /// The number of tokens.
    pub tokens: u32,
}

impl ContextWindow {
    /// Returns the longest reply, in tokens: a quarter of the window.
    pub(super) fn reply_tokens(self) -> u32 {
        self.tokens / REPLY_PART
    }

    /// Returns the longest conversation before the reply, in characters: three quarters of the
    /// window.
    pub(super) fn prompt_chars(self) -> usize {
        let tokens = usize::try_from(self.tokens - self.reply_tokens()).unwrap_or(usize::MAX);
        tokens.saturating_mul(CHARS_PER_TOKEN)
    }

    /// Returns the longest first message with the rules, in characters: two thirds of the
    /// prompt, because answers and repair requests follow it.
    pub(super) fn first_chars(self) -> usize {
        self.prompt_chars() / 3 * 2
    }
}
