//! The lines at a commit message's end that say which run made it, for which failure, in which
//! attempt.

use papayu_base::domain::{Fingerprint, RunId};

/// The trailer with the id of the run that created the commit.
pub const RUN: &str = "Papayu-Run";
/// The trailer with the fingerprint of the failure that the commit fixes.
pub const FINGERPRINT: &str = "Papayu-Fingerprint";
/// The trailer with the number of the attempt, from 1.
pub const ATTEMPT: &str = "Papayu-Attempt";

/// Our trailers of one commit; all empty where it is not ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trailers {
    /// The run.
    pub run: Option<String>,
    /// The failure.
    pub fingerprint: Option<Fingerprint>,
    /// The attempt.
    pub attempt: Option<u32>,
}

impl Trailers {
    /// Reads them out of a commit message; the last of a name counts.
    pub fn parse(message: &str) -> Self {
        let mut found = Self::default();
        for line in message.lines() {
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match name {
                RUN => found.run = Some(value.to_owned()).filter(|run| !run.is_empty()),
                FINGERPRINT => found.fingerprint = Fingerprint::parse(value),
                ATTEMPT => found.attempt = value.parse().ok(),
                _ => {}
            }
        }
        found
    }

    /// Returns true when this program created the commit.
    pub fn is_ours(&self) -> bool {
        self.run.is_some()
    }

    /// Returns the trailers as they are written, a line each. `attempt` is counted from 1 over all runs of the
    /// failure.
    pub fn format_trailers(run: &RunId, fingerprint: &Fingerprint, attempt: u32) -> String {
        format!("{RUN}: {run}\n{FINGERPRINT}: {fingerprint}\n{ATTEMPT}: {attempt}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_whatever_stands_before_it() {
        let fingerprint = Fingerprint::parse("0123456789ab").unwrap();
        let run = RunId::new("r1".to_owned());
        let written = Trailers::format_trailers(&run, &fingerprint, 2);
        let message = format!("Mend it\n\nPapayu-Attempt: 9 or so\nSee: x\n\n{written}");
        let expected = Trailers {
            run: Some("r1".to_owned()),
            fingerprint: Some(fingerprint),
            attempt: Some(2),
        };
        assert_eq!(Trailers::parse(&message), expected);
        for foreign in ["", "Mend it\n\npapayu-run: x", "Papayu-Run:\n", "no\u{0}thing: \u{fffd}"] {
            assert!(!Trailers::parse(foreign).is_ours(), "{foreign:?}");
        }
    }
}
