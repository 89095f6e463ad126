//! Why the forge did not do something.

use super::forge_word::ForgeKind;
use papayu_base::domain::ErrorCode;

/// The kind of a failure.
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
    /// The forge has no such call.
    Unsupported,
    /// A signal.
    Interrupted,
}

/// Why the forge did not do something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {doing}: {message}")]
pub struct ForgeError {
    /// The action that failed, in the infinitive: `open the pull request`.
    pub doing: String,
    /// The kind of the failure.
    pub fault: ForgeFault,
    /// The forge's own message, secrets masked.
    pub message: String,
    /// The forge, where it decides what the user can do.
    pub forge: Option<ForgeKind>,
}

impl ForgeError {
    /// Returns an error of that sort.
    pub fn new(doing: impl Into<String>, fault: ForgeFault, message: impl Into<String>) -> Self {
        Self { doing: doing.into(), fault, message: message.into(), forge: None }
    }

    /// Returns the error as one of that forge.
    #[must_use]
    pub fn at_forge(self, forge: ForgeKind) -> Self {
        Self { forge: Some(forge), ..self }
    }

    /// Returns the next step of the user.
    pub fn hint(&self) -> String {
        let is_token = self.code() == ErrorCode::ForgeAuthentication;
        let of_forge = self.forge.filter(|_| is_token).map(ForgeKind::token_hint);
        of_forge.unwrap_or_else(|| self.code().hint().to_owned())
    }

    /// Returns the code for `outcome.json`.
    pub fn code(&self) -> ErrorCode {
        match self.fault {
            ForgeFault::NoToken | ForgeFault::Authentication => ErrorCode::ForgeAuthentication,
            ForgeFault::Forbidden => ErrorCode::ForgeForbidden,
            ForgeFault::NotFound => ErrorCode::ForgeNotFound,
            ForgeFault::Exists | ForgeFault::Invalid => ErrorCode::ForgeInvalid,
            ForgeFault::RateLimited => ErrorCode::ForgeRateLimit,
            ForgeFault::Unavailable | ForgeFault::Unreadable => ErrorCode::ForgeUnavailable,
            ForgeFault::Unsupported => ErrorCode::ForgeUnsupported,
            ForgeFault::Interrupted => ErrorCode::ForgeInterrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_could_not_be_done_and_why() {
        let error = ForgeError::new("open the pull request", ForgeFault::Forbidden, "no access");
        assert_eq!(error.to_string(), "cannot open the pull request: no access");
        assert_eq!(error.code().as_str(), "ERR_FORGE_FORBIDDEN");
    }
}
