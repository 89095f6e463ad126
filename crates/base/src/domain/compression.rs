//! The way in which a conversation near the limit of the window is summarized.

/// The summary with which a conversation begins again (`context.compress`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// The names of the parts that are left out now, and the beginning of the last reply.
    Facts,
    /// In addition a summary by the model, which costs one request.
    Model,
}

impl Compression {
    /// Returns the word used in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Facts => "facts",
            Self::Model => "model",
        }
    }
}
