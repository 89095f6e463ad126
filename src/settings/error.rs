//! The errors of settings, reported all at once.

use super::origin::ValueOrigin;

/// Everything that is wrong, one line each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct SettingsError {
    /// In the order of the layers, then of the table.
    pub problems: Vec<SettingsProblem>,
}

impl SettingsError {
    /// Returns one hint per line, each once; `None` without problems.
    pub fn hint(&self) -> Option<String> {
        let mut hints: Vec<String> = Vec::new();
        for hint in self.problems.iter().map(|problem| problem.kind.hint()) {
            if !hints.contains(&hint) {
                hints.push(hint);
            }
        }
        (!hints.is_empty()).then(|| hints.join("\n"))
    }
}

/// A problem and its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {kind}")]
pub struct SettingsProblem {
    /// The place of the value.
    pub place: ValueOrigin,
    /// The kind of problem.
    pub kind: SettingsProblemKind,
}

/// A kind of problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsProblemKind {
    /// A name that no setting has.
    #[error("`{name}` is not a setting{}", nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    Unknown {
        /// As written.
        name: String,
        /// The nearest known name.
        nearest: Option<&'static str>,
    },
    /// A value of the wrong kind.
    #[error("`{key}` is {got}, expected {expected}")]
    WrongValue {
        /// The setting.
        key: &'static str,
        /// The value that was found; never a secret.
        got: String,
        /// The value that was expected.
        expected: String,
    },
    /// A file that is not TOML.
    #[error("not TOML: {0}")]
    Syntax(String),
    /// A choice that only the user may make.
    #[error(
        "`{key}` must not be set in the repository: a pull request could change where secrets go"
    )]
    UsersOwn {
        /// The setting.
        key: &'static str,
        /// Its variable.
        env: &'static str,
    },
    /// A choice that the user leaves to no repository that is not trusted.
    #[error("`{key}` must not be set in the repository, because it is the user's choice")]
    Untrusted {
        /// The setting.
        key: &'static str,
        /// Its variable.
        env: &'static str,
    },
    /// A value of the repository that permits more than the user's.
    #[error("`{key}` is {got}, but the repository may only {rule}")]
    Wider {
        /// The setting.
        key: &'static str,
        /// Its variable.
        env: &'static str,
        /// The value that was found.
        got: String,
        /// The values that it may have, after "may only".
        rule: String,
    },
    /// A path of the repository's choice that leaves it, or at which something else is.
    #[error("`{key}` names no place for an output in the repository: {reason}")]
    Outside {
        /// The setting.
        key: &'static str,
        /// Its variable.
        env: &'static str,
        /// The rule that the path breaks.
        reason: String,
    },
    /// A key in a file that is committed.
    #[error("`{key}` must not be set in the repository, where everyone can read it")]
    CommittedSecret {
        /// The setting.
        key: &'static str,
        /// Its variable.
        env: &'static str,
    },
}

impl SettingsProblemKind {
    /// Returns the next step for a problem.
    fn hint(&self) -> String {
        match self {
            Self::Unknown { .. } | Self::WrongValue { .. } => {
                "`papayu-batch schema settings` lists every setting with its values".into()
            }
            Self::Syntax(_) => "strings are quoted, and sections are written `[llm]`".into(),
            Self::UsersOwn { env, .. } => {
                format!("set `{env}`, or put it into your own settings file")
            }
            Self::Untrusted { env, .. } | Self::Wider { env, .. } | Self::Outside { env, .. } => {
                format!(
                    "set `{env}`, or put it into your own settings file; `--trust-repository-settings`, or `trust.repositories` in that file, trusts the repository's"
                )
            }
            Self::CommittedSecret { env, .. } => format!(
                "set `{env}` from the CI system's secrets, or keep the key in your own settings file; revoke a key that was committed"
            ),
        }
    }
}
