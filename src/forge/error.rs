//! Why the forge did not do something.

/// What sort of trouble it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForgeFault {
    /// No token is set.
    NoToken,
    /// The token is refused.
    Authentication,
    /// The token may not do this.
    Forbidden,
    /// There is no such thing, or the token may not see it.
    NotFound,
    /// There is one already.
    Exists,
    /// The forge does not take what was sent.
    Invalid,
    /// A limit on requests was reached and does not end in time.
    RateLimited,
    /// The forge is not reached, or fails itself.
    Unavailable,
    /// The answer makes no sense.
    Unreadable,
    /// A signal.
    Interrupted,
}

/// Why the forge did not do something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {doing}: {said}")]
pub struct ForgeError {
    /// What was being done: `open the pull request`.
    pub doing: String,
    /// What sort of trouble it is.
    pub fault: ForgeFault,
    /// What the forge said, secrets masked.
    pub said: String,
}

impl ForgeError {
    /// Returns an error of that sort.
    pub fn new(doing: impl Into<String>, fault: ForgeFault, said: impl Into<String>) -> Self {
        Self { doing: doing.into(), fault, said: said.into() }
    }

    /// Returns the code for `outcome.json`.
    pub fn code(&self) -> &'static str {
        match self.fault {
            ForgeFault::NoToken | ForgeFault::Authentication => "ERR_FORGE_AUTHENTICATION",
            ForgeFault::Forbidden => "ERR_FORGE_FORBIDDEN",
            ForgeFault::NotFound => "ERR_FORGE_NOT_FOUND",
            ForgeFault::Exists | ForgeFault::Invalid => "ERR_FORGE_INVALID",
            ForgeFault::RateLimited => "ERR_FORGE_RATE_LIMIT",
            ForgeFault::Unavailable | ForgeFault::Unreadable => "ERR_FORGE_UNAVAILABLE",
            ForgeFault::Interrupted => "ERR_FORGE_INTERRUPTED",
        }
    }

    /// Returns what the user can do.
    pub fn hint(&self) -> &'static str {
        match self.fault {
            ForgeFault::NoToken => "give a token in `GITHUB_TOKEN` or `PAPAYU_GITHUB_TOKEN`",
            ForgeFault::Authentication => "is the token right, and of this server?",
            ForgeFault::Forbidden => {
                "the token needs `contents: write` and `pull-requests: write`; in GitHub Actions the repository must also allow Actions to create pull requests"
            }
            ForgeFault::NotFound => {
                "is `github.repository` right, and may the token see the repository?"
            }
            ForgeFault::Exists | ForgeFault::Invalid => "the message is the forge's own",
            ForgeFault::RateLimited => "run again later; what was pushed is found again",
            ForgeFault::Unavailable | ForgeFault::Unreadable => {
                "run again when the forge answers; what was pushed is found again"
            }
            ForgeFault::Interrupted => "run again; what was pushed is found again",
        }
    }
}
