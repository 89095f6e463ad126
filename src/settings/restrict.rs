//! Checks a value of the repository's settings file against the trust column of the table.

use super::error::ProblemKind;
use super::key::Key;
use super::kind::text_of;
use super::raw::Raw;
use super::trust::{Trust, output_path, words_of};

/// Checks a value of the repository's file. `own` is the value that applies without that file.
pub(super) fn check_value(key: &Key, asked: &Raw, own: Option<&Raw>) -> Result<(), ProblemKind> {
    let env = key.env.first().copied().unwrap_or_default();
    let is_own = own.is_some_and(|own| words_of(own) == words_of(asked));
    match key.trust {
        Trust::Repository => Ok(()),
        // An empty text is no value.
        _ if asked.is_empty() => Ok(()),
        Trust::Never => Err(ProblemKind::UsersOwn { key: key.name, env }),
        _ if is_own => Ok(()),
        Trust::User => Err(ProblemKind::Untrusted { key: key.name, env }),
        Trust::Narrow(narrowing) if narrowing.permits(asked, own) => Ok(()),
        Trust::Narrow(narrowing) => {
            let (got, rule) = (asked.describe(), narrowing.rule(own));
            Err(ProblemKind::Wider { key: key.name, env, got, rule })
        }
        Trust::Inside(output) => {
            let Some(text) = text_of(asked) else { return Ok(()) };
            let checked = output_path(text, output);
            checked.map(drop).map_err(|reason| ProblemKind::Outside { key: key.name, env, reason })
        }
    }
}
