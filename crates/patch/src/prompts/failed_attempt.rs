//! Earlier attempts of a run, as the next request describes them.

use serde::{Deserialize, Serialize};

/// An earlier attempt: its change did not make the command pass.
/// The texts are cut by the caller, the diff to the size that the settings allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedAttempt {
    /// Its change as a diff.
    pub diff: String,
    /// The failure it led to, or the reason why its success does not count.
    pub failure: String,
    /// The end of its check.
    pub end: AttemptEnd,
}

/// The end of the check of a failed attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptEnd {
    /// The command failed, and fixed no failure.
    #[default]
    NoHelp,
    /// The command failed, but some failures were fixed and no new ones came.
    Helped,
    /// The command passed, and a second opinion is that the change is no fix.
    Doubted,
    /// The command passed, and something else stopped the change: a guard, a flag, a missing proof.
    Passed,
}

impl AttemptEnd {
    /// Returns what happened, and what to do now.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::NoHelp => {
                "This change was applied and taken back, because the command still failed. Find another cause."
            }
            Self::Helped => {
                "This change was applied and taken back. It is right as far as it goes: it fixes the failures listed as no longer failing. Make it again, and add what the rest needs."
            }
            Self::Doubted => {
                "This change was applied, and the tests pass with it, but a reader of the change doubts that it corrects the cause; it was taken back. Find the cause, and correct it for every input."
            }
            Self::Passed => {
                "This change was applied, and the command passed with it. It was taken back only for the reason below. Make it again in a form to which that reason does not apply; do not look for another cause."
            }
        }
    }

    /// Returns the title of the text that follows the change.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::NoHelp => "The failure it led to:",
            Self::Helped => "The rest of the failure:",
            Self::Doubted | Self::Passed => "The reason:",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompts::{UserMessage, user_message};
    use papayu_base::domain::Mode;

    #[test]
    fn a_request_says_of_a_change_that_passed_or_helped_what_is_true() {
        let text = |end| {
            let failure = "1 of 2 failures are fixed".to_owned();
            let attempts = [FailedAttempt { diff: "+x".to_owned(), failure, end }];
            user_message(&UserMessage { attempts: &attempts, ..UserMessage::of_mode(Mode::Plan) })
        };
        assert!(text(AttemptEnd::NoHelp).contains("Find another cause"));
        for end in [AttemptEnd::Helped, AttemptEnd::Passed] {
            let text = text(end);
            assert!(!text.contains("Find another cause"), "{text}");
            assert!(text.contains("Make it again"), "{text}");
        }
        assert!(!text(AttemptEnd::Passed).contains("failed"));
    }
}
